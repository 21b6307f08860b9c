"""`rulespec mcp`: a server for agents, on standard input and output."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulespec.cli import output
from rulespec.cli.audience import tell_seats
from rulespec.cli.flags import number_of_players, same_table, settings_flag
from rulespec.cli.serving import need_server

if TYPE_CHECKING:
    from rulespec.guests.seated import SeatedGame
    from rulespec.guests.tools import Tool

_WAIT = 0.05
"""Seconds between attempts to open a file in use by another seat."""


@click.command("mcp")
@click.argument("ref", metavar="[REF|LOG|LINK]", required=False)
@click.option("--seat", metavar="SEAT", help="The seat that the agent plays, by its id.")
@click.option("--name", default="agent", metavar="NAME", help="The agent's name at a table.")
@click.option("--log", type=click.Path(path_type=Path), metavar="FILE", help="The file that stores the game of REF.")
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players, if several are possible.")
@settings_flag
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="The folder of a ruleset, for an author.",
)
@click.option(
    "--calls", type=click.IntRange(1, 1_000_000), default=10_000, help="The maximum number of calls in a session."
)
def command(
    ref: str | None,
    seat: str | None,
    name: str,
    log: Path | None,
    players: int | None,
    settings: tuple[str, ...],
    folder: Path | None,
    calls: int,
) -> None:
    """Serve an agent over the Model Context Protocol: the holder of one seat, or the author of a ruleset.

    With --seat, the agent gets the tools rules, view, options, take, why and simulate, for one seat of the game in LOG,
    or of the game of REF that --log stores. Each seat has a separate server; the servers share the file. An agent sees
    only the information of its seat. With the LINK of a seat at a table of `rulespec serve`, the agent plays that seat,
    and the server of the table answers. With --folder, the agent gets the tools read, write, edit_map, validate,
    explain, reference, test, draw and playtest, which work only below this folder.

    The agent's program starts this command, and ends it by closing standard input. The command needs the package mcp:
    pip install "rulespec[mcp]".

    Example: rulespec mcp imperial --players 3 --log game.jsonl --seat B

    Example: rulespec mcp http://127.0.0.1:8000/#KEY
    """
    if (folder is None) == (ref is None):
        raise click.UsageError("give a game and --seat, or --folder for an author")
    is_link = ref is not None and ref.startswith(("http://", "https://"))
    if is_link and (seat or log or players or settings):
        raise click.UsageError("the link of a seat determines the game: omit --seat, --log, --players and --set")
    if ref is not None and seat is None and not is_link:
        raise click.UsageError("give --seat: the seat that the agent plays")
    if folder is not None and (seat or log or players or settings):
        raise click.UsageError("--folder cannot be combined with --seat, --log, --players and --set")
    try:
        from rulespec.guests.mcp_server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"anyio", "mcp", "mcp_types"}:
            raise
        raise click.ClickException('agents need mcp: pip install "rulespec[mcp]"') from None
    from rulespec.guests.tools import Toolbox

    if folder is not None:
        from rulespec.guests.author_tools import AuthorTools

        tools: tuple[Tool, ...] = AuthorTools(folder.resolve()).tools()
    elif ref is not None and is_link:
        tools = _at_table(ref, name)
    else:
        from rulespec.guests.seat_tools import SeatTools

        assert ref is not None and seat is not None
        tools = SeatTools(_table(ref, seat, log, players, settings), seat).tools()
    serve(Toolbox(tools, calls))


def _at_table(link: str, name: str) -> tuple[Tool, ...]:
    """The tools for the seat at a table, given the seat's link."""
    need_server("rulespec.guests.table_seat")
    from rulespec.guests.table_seat import TableSeat
    from rulespec.guests.tools import ToolError

    try:
        return TableSeat(link, name).tools()
    except ToolError as error:
        raise click.ClickException(str(error)) from None


def _table(ref: str, seat: str, log: Path | None, players: int | None, settings: tuple[str, ...]) -> SeatedGame:
    """The game named by the command line, which must have the seat."""
    from rulespec.documents.text_files import is_file
    from rulespec.engine.game.game import Game
    from rulespec.engine.game.seating import seat_names
    from rulespec.engine.logs.saved_game import SaveError
    from rulespec.guests.seated import SeatedGame
    from rulespec.guests.tools import ToolError
    from rulespec.load import load_ruleset

    def start() -> Game:
        ruleset = load_ruleset(ref)
        seats = seat_names(number_of_players(ruleset, players), ruleset.seats)
        return Game(ruleset, seats, output.key_values(settings))

    is_saved = is_file(Path(ref))
    if not is_saved and ref.endswith(".jsonl"):
        raise click.UsageError(f"there is no saved game {ref}: start one with `rulespec mcp REF --log {ref}`")
    if is_saved and (log is not None or players is not None or settings):
        raise click.UsageError(f"{ref} is a saved game, and continues as it is: omit --log, --players and --set")
    if not is_saved and log is None:
        raise click.UsageError("give --log: the file that stores the game")
    path = Path(ref) if log is None else log
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}", param_hint="--log")
    tell_seats(str(path), f"run `rulespec replay {path}` to see it")
    table = SeatedGame(path, None if is_saved else start, lambda: time.sleep(_WAIT))
    try:
        if not is_saved and (header := table.header()) is not None:
            same_table(path, header, load_ruleset(ref), players, output.key_values(settings))
        seats = table.look(lambda game: game.seats) if path.exists() else start().seats
    except ToolError as error:
        raise click.ClickException(f"{path}: {error}") from None
    except SaveError as error:
        raise click.ClickException(str(error)) from None
    if seat not in seats:
        raise click.BadParameter(
            f"there is no seat `{seat[:80]}`; the seats are {', '.join(seats)}", param_hint="--seat"
        )
    return table
