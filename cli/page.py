"""`rulespec page`: a page that plays a game without a server."""

from __future__ import annotations

from pathlib import Path

import click

from rulespec.cli import output
from rulespec.cli.flags import number_of_players, settings_flag


@click.command("page")
@click.argument("ref")
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players, if several are possible.")
@settings_flag
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", required=True, help="Write the page to this file."
)
@click.option("--language", metavar="LANGUAGE", help="The language of its words; default: the ruleset's own.")
def command(ref: str, players: int | None, settings: tuple[str, ...], out: Path, language: str | None) -> None:
    """Write a page for playing REF: one file, without a server or a network.

    People share one screen, and can also play against bots: `random` and `flat:N`. The page saves and opens logs, and
    makes a link that contains the whole game. In a game with secrets, only one seat can be a person's; the browser's
    tools can still read everything.

    Example: rulespec page imperial --players 4 --out table.html
    """
    from rulespec.cli.flags import ELSEWHERE, wasm_errors
    from rulespec.engine.game.game import Game
    from rulespec.engine.game.seating import seat_names
    from rulespec.load import load_ruleset
    from rulespec.pages.local_page import local_page

    ruleset = load_ruleset(ref)
    players = number_of_players(ruleset, players)
    seats = seat_names(players, ruleset.seats)
    game = Game(ruleset, seats, output.key_values(settings), "interpreter")  # fast to create: it only runs the set-up
    with wasm_errors(ELSEWHERE):
        page = local_page(game, language)
    output.write_bytes(out, page.encode(errors="replace"))
    output.echo(f"written: {out} ({len(page.encode(errors='replace')) / 1000:,.0f} KB)")
