"""Contents of a store: its description (`rulespec corpus describe`), and choices at a position (`corpus moves`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulespec.cli import output
from rulespec.cli.position_argument import PlaceType, PositionPlace
from rulespec.cli.workers_flags import check_workers, log_workers_flags, resume_hint
from rulespec.diagnostics.report import Report, failure

if TYPE_CHECKING:
    from rulespec.engine.corpus.position_moves import MoveCounts, PositionMove
    from rulespec.engine.corpus.store_description import Description
    from rulespec.engine.game.game import Game


_MAX_TABLES = 40


@click.command("describe")
@click.argument("store", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def describe(store: Path, format_: str) -> None:
    """Describe the store DIR: rulesets, players, settings and numbers of games; columns and measures with units.

    The metadata of the Parquet files also has the titles and units of the columns.

    Example: rulespec corpus describe store
    """
    from rulespec.engine.corpus.store_description import described

    result = described(store)
    if format_ == "json":
        output.echo_json(result.to_json())
    else:
        _show_description(result)


def _show_description(d: Description) -> None:
    """Prints tables, columns and measures."""
    words = ", ".join(f"{number:,} {verdict.replace('_', ' ')}" for verdict, number in d.verdicts.most_common())
    output.echo(f"{output.counted(d.verdicts.total(), 'game')} in {output.counted(d.parts, 'file')}: {words}")
    output.echo()
    rows = []
    for key, (table, games) in list(d.tables.items())[:_MAX_TABLES]:
        settings = " ".join(f"{name}={value}" for name, value in table.settings.items())
        rows.append((table.ruleset, table.title, table.players, f"{games.games:,}", f"{games.over:,}",
                     f"{games.decisions:,}", key, settings))  # fmt: skip
    head = ("ruleset", "title", "players", "games", "over", "decisions", "table", "settings")
    for line in output.table(rows, head, right=(2, 3, 4, 5)):
        output.echo(line)
    if len(d.tables) > _MAX_TABLES:
        output.echo(f"… and {len(d.tables) - _MAX_TABLES:,} more tables")
    output.echo()
    from rulespec.engine.corpus.game_codes import COLUMNS

    columns = [(name, column.unit or "-", column.title) for name, column in COLUMNS.items()]
    for line in output.table(columns, ("column", "unit", "content")):
        output.echo(line)
    for ref, measures in d.measures.items():
        if not measures:
            continue
        output.echo()
        lines = [(m.measure, m.unit or "-", m.of or "the game", m.title) for m in measures]
        for line in output.table(lines, (f"measure of {ref}", "unit", "of", "title")):
            output.echo(line)


_MAX_SHOWN = 40


@click.command("moves")
@click.argument("store", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--at", "place", type=PlaceType(), metavar="LOG[@N]", required=True, help="The position of LOG after N decisions."
)
@click.option("--rules", metavar="REF", help="The ruleset of LOG; default: the one it names.")
@log_workers_flags
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.pass_context
def moves(
    ctx: click.Context, store: Path, place: PositionPlace, rules: str | None, jobs: int, cluster: str, format_: str
) -> None:
    """Count the choices made at a position in the games of the store DIR: each legal option, with its results.

    Games may reach the position by any path, with the same number of players and settings. Unfinished games do not
    count. Positions include secrets, so this is for finished games only.

    Exit code: 0 some game reached it, 1 none.

    Example: rulespec corpus moves store --at game.jsonl@12
    """
    from rulespec.engine.corpus.position_moves import counted, moves_at

    check_workers(jobs, cluster)
    game = game_at_place(place, rules)
    with resume_hint(None, whole=True):
        counts = counted(store, game, [int(game.hash, 16)], jobs, cluster)
    options = moves_at(game, counts)
    times = sum(move.tally.times for move in options)
    if format_ == "json":
        output.echo_json(_json(place, game, counts, options))
    else:
        _show_moves(place, game, counts, options)
    ctx.exit(output.OK if times else output.PROBLEMS)


def game_at_place(place: PositionPlace, rules: str | None) -> Game:
    """The game of a log after a given number of decisions.

    Raises:
        DiagnosticsError: RS581 if the log has fewer decisions, or the game is already over.
    """
    from rulespec.engine.replay.replay import replay_log

    report = Report()
    result = replay_log(Path(place.what), rules=rules, until=place.at, report=report)
    output.show(report.diagnostics)
    game = result.game
    if place.at is not None and game.ply < place.at and not result.foreign:
        message = f"{place.what} has {output.counted(game.ply, 'legal decision')}, not {place.at:,}"
        last = game.ply - game.is_over if game.ply else 0
        raise failure("RS581", message, None, f"give an earlier position: --at {place.what}@{last}")
    if game.is_over:
        help_ = f"give a position before the end: --at {place.what}@{max(0, game.ply - 1)}"
        raise failure("RS581", f"the game is over after {output.counted(game.ply, 'decision')}", None, help_)
    return game


def _json(place: PositionPlace, game: Game, counts: MoveCounts, moves: Sequence[PositionMove]) -> dict[str, Any]:
    return {
        "at": str(place),
        "hash": game.hash,
        "games": counts.over,
        "left_out": counts.open,
        "moves": [move.to_json() for move in moves],
    }


def _show_moves(place: PositionPlace, game: Game, counts: MoveCounts, moves: Sequence[PositionMove]) -> None:
    """Prints the options, the most frequent first."""
    decision, total = game.decision, sum(move.tally.times for move in moves)
    assert decision is not None
    by = decision.by or "chance"
    output.echo(f"{place}: the open decision is `{decision.name}`, by {by}")
    times = output.counted(total, "time")
    rest = f"; {output.counted(counts.open, 'unfinished game')} left out" if counts.open else ""
    output.echo(f"{output.counted(counts.over, 'finished game')} reached it {times}{rest}")
    taken = [move for move in moves if move.tally.times]
    scored = any(move.points is not None for move in taken)
    head = ("option", "by", "times", "share", "won", "between", *(("points",) if scored else ()))
    rows = [_row(move, total, scored) for move in taken[:_MAX_SHOWN]]
    if rows:
        for line in output.table(rows, head, right=range(2, len(head))):
            output.echo(line)
    if len(taken) > _MAX_SHOWN:
        output.echo(f"… and {len(taken) - _MAX_SHOWN:,} more options")
    if len(moves) > len(taken):
        output.echo(f"never chosen: {output.counted(len(moves) - len(taken), 'legal option')}")


def _row(move: PositionMove, total: int, scored: bool) -> tuple[str, ...]:
    won, points, tally = move.won, move.points, move.tally
    share = f"{100 * tally.times / total:.1f} %"
    bounds = "-" if won is None else f"{100 * won.low:.1f} % to {100 * won.high:.1f} %"
    cells = ("-" if won is None else f"{100 * won.value:.1f} %", bounds)
    mean = ("-" if points is None else f"{points:.1f}",) if scored else ()
    return move.option, move.by or "chance", f"{tally.times:,}", share, *cells, *mean
