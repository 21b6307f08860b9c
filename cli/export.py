"""`rulespec export`: exports a ruleset as a WebAssembly module, or a recorded game as a trajectory."""

from __future__ import annotations

from pathlib import Path

import click

from rulespec.cli import output
from rulespec.cli.flags import RefOrLog, number_of_players, settings_flag


@click.command("export")
@click.argument("ref", metavar="REF|LOG", type=RefOrLog())
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players, if several are possible.")
@settings_flag
@click.option(
    "--wasm", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the module of REF."
)
@click.option("--language", metavar="LANGUAGE", help="The language of its words; default: the ruleset's own.")
@click.option(
    "--js",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write the JavaScript class that drives the module.",
)
@click.option(
    "--openspiel-trajectory",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the recorded game LOG as a trajectory of OpenSpiel, in JSON.",
)
@click.option("--no-structs", is_flag=True, help="Omit states and observations from the trajectory.")
def command(
    ref: str,
    players: int | None,
    settings: tuple[str, ...],
    wasm: Path | None,
    language: str | None,
    js: Path | None,
    openspiel_trajectory: Path | None,
    no_structs: bool,
) -> None:
    """Write the rules of REF for N players as a WebAssembly module, or the recorded game LOG as a trajectory.

    The module imports nothing and contains a table of names, so it can play the game without Python, even in a page. A
    trajectory has the actions of a game, the legal actions at each, and the states by name; OpenSpiel reads it, and it
    reveals all secrets. Exit code: 0, or 2 if the file cannot be written, these rules have no wasm module, or LOG is
    not legal to its end.

    Example: rulespec export imperial --players 4 --wasm imperial.wasm --js wasm_game.js

    Example: rulespec export kuhn_poker:random-2-1 --openspiel-trajectory kuhn.json
    """
    if (wasm is None) == (openspiel_trajectory is None):
        raise click.UsageError("name the file to write: --wasm for rules, --openspiel-trajectory for a recorded game")
    if openspiel_trajectory is not None:
        if players is not None or settings or language is not None or js is not None:
            raise click.UsageError(
                "--openspiel-trajectory writes the recorded game LOG, and cannot be combined with --players, --set, "
                "--language and --js"
            )
        _write_trajectory(Path(ref), openspiel_trajectory, structs=not no_structs)
        return
    if no_structs:
        raise click.UsageError("--no-structs needs --openspiel-trajectory")
    assert wasm is not None
    from rulespec.cli.flags import ELSEWHERE, wasm_errors
    from rulespec.engine.game.game import Game
    from rulespec.engine.game.seating import seat_names
    from rulespec.engine.game.wasm_export import exported
    from rulespec.engine.words.exported_texts import exported_texts
    from rulespec.engine.words.words import Words
    from rulespec.load import load_ruleset
    from rulespec.pages.document import own_file

    ruleset = load_ruleset(ref)
    players = number_of_players(ruleset, players)
    seats = seat_names(players, ruleset.seats)
    game = Game(ruleset, seats, output.key_values(settings), "interpreter")  # fast to create: it only runs the set-up
    words = Words(ruleset, language)
    with wasm_errors(ELSEWHERE):
        files = {wasm: exported(game, lambda asides: exported_texts(game, words, asides))}
    if js is not None:
        files[js] = own_file("wasm_game.js").encode()
    for path, content in files.items():
        output.write_bytes(path, content)
        output.echo(f"{path}: {len(content):,} bytes")


def _write_trajectory(log: Path, path: Path, *, structs: bool) -> None:
    """Writes a recorded game as a trajectory."""
    from rulespec.documents.json_text import to_json_text
    from rulespec.engine.replay.replay import replay_log
    from rulespec.guests.trajectories import trajectory

    result = replay_log(log)
    if result.divergence is not None:
        raise click.ClickException(f"{log} breaks a rule before its end: run `rulespec replay {log}` to see why")
    content = (to_json_text(trajectory(result.game, structs=structs), plain=True) + "\n").encode()
    output.write_bytes(path, content)
    output.echo(f"{path}: {len(content):,} bytes")
