"""`rulespec view`: a page that steps through a recorded game."""

from __future__ import annotations

from pathlib import Path

import click

from rulespec.cli import output
from rulespec.cli.audience import tell_seats
from rulespec.diagnostics.report import Report
from rulespec.typed.reserved import PUBLIC, TABLE


@click.command("view")
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", required=True, help="Write the page there.")
@click.option(
    "--for",
    "seat",
    metavar="SEAT",
    default=PUBLIC,
    show_default=True,
    help="What a seat has seen; `public`: what all have; `table`: everything.",
)
@click.option("--rules", metavar="REF", help="The ruleset; default: that of the log.")
@click.option("--dialect", metavar="ID", help="The dialect of a foreign log; default: recognised by its first entry.")
@click.option("--language", metavar="CODE", help="The language of the texts, such as `de`; default: the ruleset's.")
@click.option("--until", type=click.IntRange(0), metavar="N", help="Stop after N decisions (foreign log: N entries).")
@click.pass_context
def command(
    ctx: click.Context,
    log: Path,
    out: Path,
    seat: str,
    rules: str | None,
    dialect: str | None,
    language: str | None,
    until: int | None,
) -> None:
    """Write a page that steps through the recorded game LOG: one file, which can be mailed and loads nothing.

    It has the board, the moves with the rules that each rests on, and charts of what the ruleset calls a measure. Keys:
    arrows, Page Up, Page Down, Home, End. A link to a move ends in #51. A log that breaks a rule is shown up to there,
    with the reason. What is secret in the game is not in the page, unless --for says so.

    Example: rulespec view game.jsonl --out game.html
    """
    from rulespec.engine.game.omniscient import OMNISCIENT
    from rulespec.engine.replay.replay import replay_log
    from rulespec.pages.replay_page import replay_page

    if seat != TABLE:
        tell_seats(str(log), "`--for table` shows it")
    report = Report()
    lenient = seat != TABLE
    result = replay_log(log, rules=rules, dialect=dialect, until=until, report=report, lenient=lenient)
    output.show(report.diagnostics)
    seats = result.game.seats
    if seat not in (*seats, PUBLIC, TABLE):
        message = f"the seats are {', '.join(seats)}; `{PUBLIC}` is what all see, `{TABLE}` everything"
        raise click.BadParameter(message, param_hint="--for")
    told = Report()
    page = replay_page(result, seat if seat in seats else None if seat == PUBLIC else OMNISCIENT, language, told)
    with output.written(out, secret=seat != PUBLIC and result.game.omniscient.watcher.secretive) as file:
        file.write(page)
    output.show(told.diagnostics, result.game.ruleset.sources)
    output.echo(f"written: {out} ({len(page.encode(errors='replace')) / 1000:,.0f} KB)")
    if result.divergence is not None:
        output.echo("the log breaks a rule: the page opens there")
    ctx.exit(output.OK)
