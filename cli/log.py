"""`rulespec log`: what a seat has seen of a recorded game."""

from __future__ import annotations

from pathlib import Path

import click

from rulespec.cli import output
from rulespec.diagnostics.report import Report
from rulespec.documents.json_text import to_json_text
from rulespec.documents.written_files import replaced


@click.command("log")
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.option("--for", "seat", metavar="SEAT", required=True, help="A seat of the game; `public`: what all seats see.")
@click.option("--rules", metavar="REF", help="The ruleset; default: that of the log.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write it there.")
@click.pass_context
def command(ctx: click.Context, log: Path, seat: str, rules: str | None, out: Path | None) -> None:
    """Print the recorded game LOG as a seat has seen it.

    Arguments that the seat does not see are `?`, choices that are not shown yet are null. The last line has what the
    seat remembers: who has the whole log can print it again, and compare.

    Example: rulespec log game.jsonl --for Ann --out ann.jsonl
    """
    from rulespec.engine.logs.native import read_log
    from rulespec.engine.logs.seat_log import PUBLIC, seat_log
    from rulespec.engine.replay.replay import replay_native
    from rulespec.load import load_ruleset

    native = read_log(log)
    seats = native.header.seats
    if seat not in (*seats, PUBLIC):
        raise click.BadParameter(f"the seats are {', '.join(seats)}; `public` is what all see", param_hint="--for")
    report = Report()
    result = replay_native(native, load_ruleset(rules or native.header.ruleset), report=report)
    output.show(report.diagnostics)
    if result.divergence is not None:
        raise click.UsageError(f"{log} is not legal to its end: {result.divergence.refusal}")
    viewer = seat if seat in seats else None
    lines = [to_json_text(line, plain=True) for line in seat_log(result.game, viewer)]
    if out is None:
        for line in lines:
            output.echo(line)
        return
    with replaced(out) as file:
        file.write("\n".join(lines) + "\n")
    output.echo(f"written: {out}")
    ctx.exit(output.OK)
