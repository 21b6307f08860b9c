"""`rulespec export`: a ruleset as a module of WebAssembly, for other programs and pages."""

from __future__ import annotations

from pathlib import Path

import click

from rulespec.cli import output
from rulespec.cli.seat_count import number_of_players
from rulespec.cli.settings_flag import settings_flag


@click.command("export")
@click.argument("ref")
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players, if several are possible.")
@settings_flag
@click.option(
    "--wasm", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE", help="The file to write."
)
@click.option("--language", metavar="LANGUAGE", help="The language of its words; default: the ruleset's own.")
@click.option(
    "--js",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the JavaScript class that drives it, too.",
)
def command(
    ref: str, players: int | None, settings: tuple[str, ...], wasm: Path, language: str | None, js: Path | None
) -> None:
    """Write the rules of REF for N players as a module of WebAssembly.

    The module imports nothing, and holds a table of names. Whoever has it can play, without Python: a page, too. Exit
    code: 0, or 2 if the file cannot be written or there is no wasm module for these rules.

    Example: rulespec export imperial --players 4 --wasm imperial.wasm --js wasm_game.js
    """
    from rulespec.cli.wasm_module import wasm_errors
    from rulespec.engine.game.game import Game
    from rulespec.engine.game.seating import seat_names
    from rulespec.engine.game.wasm_export import exported
    from rulespec.engine.words.exported_texts import exported_texts
    from rulespec.engine.words.words import Words
    from rulespec.load import load_ruleset
    from rulespec.pages.document import own_file

    ruleset = load_ruleset(ref)
    players = number_of_players(ruleset, players)
    game = Game(ruleset, seat_names(players, ruleset.seats), output.key_values(settings))
    words = Words(ruleset, language)
    with wasm_errors():
        files = {wasm: exported(game, lambda asides: exported_texts(game, words, asides))}
    if js is not None:
        files[js] = own_file("wasm_game.js").encode()
    for path, content in files.items():
        output.write_bytes(path, content)
        output.echo(f"{path}: {len(content):,} bytes")
