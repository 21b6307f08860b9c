"""`rulespec identify`: the edition, variants and options of a recorded game."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rulespec.cli import output
from rulespec.engine.logs.native import NativeLog
from rulespec.engine.replay.identify import Identification, Trial, identify

_SHOWN = 10


@click.command("identify")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--rules", metavar="REF", help="The ruleset to start from; default: that of the log.")
@click.option("--dialect", metavar="ID", help="The dialect of a foreign log; default: recognised by its first entry.")
@click.option("--quick", is_flag=True, help="Skip the search for undecided options.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How to print.")
@click.pass_context
def command(ctx: click.Context, log: Path, rules: str | None, dialect: str | None, quick: bool, format_: str) -> None:
    """Find the edition, variants and options of the recorded game LOG.

    Tries the overlays that the ruleset offers and the values of its options, the fewest departures first; the options
    and overlays in the header of the log are ignored. LOG is native, or of a known dialect: then its decisions are
    those of a replay under the rules that the dialect names. Exit code: 0 found, 1 not found, 2 the log cannot be read.

    Example: rulespec identify game.jsonl
    """
    from rulespec.diagnostics.report import Report
    from rulespec.engine.replay.replay import as_native

    report = Report()
    try:
        read = as_native(log, dialect=dialect, report=report)
    finally:
        output.show(report.diagnostics)
    found = _found(read, rules, not quick)
    if format_ == "json":
        output.echo_json(found.to_json())
    else:
        _show(found, quick)
    ctx.exit(output.OK if found.answers else output.PROBLEMS)


def _found(log: NativeLog, rules: str | None, details: bool) -> Identification:
    """The result of the search, which shows on a terminal how far it is."""
    if not sys.stderr.isatty():
        return identify(log, rules, details=details)
    from tqdm import tqdm

    with tqdm(unit=" choices", file=sys.stderr, leave=False, dynamic_ncols=True) as bar:
        return identify(log, rules, details=details, step=lambda tried: bar.update(tried - bar.n))


def _show(found: Identification, quick: bool) -> None:
    output.echo(f"{output.style(found.log, bold=True)} · {output.counted(found.decisions, 'decision')} · {found.base}")
    output.echo()
    if found.answers:
        _answers(found)
        if not quick:
            _undecided(found)
    else:
        _closest(found)
    if not found.complete:
        output.echo("The search stopped at its bound: there may be more.")
    output.echo(f"{output.counted(found.replays, 'choice')} of overlays and options tried")


def _answers(found: Identification) -> None:
    departures = found.answers[0].candidate.departures
    count = output.counted(departures, "departure") if departures else "no departure"
    output.echo(output.style(f"legal with {count}:", fg="green"))
    for number, trial in enumerate(found.answers[:_SHOWN]):
        for line in _candidate(trial, found, "or " if number else ""):
            output.echo(f"  {line}")
    if len(found.answers) > _SHOWN:
        output.echo(f"  … and {len(found.answers) - _SHOWN} more")
    output.echo()


def _candidate(trial: Trial, found: Identification, prefix: str) -> list[str]:
    lines = [f"{prefix}{trial.ref}"]
    for setting in trial.candidate.settings:
        overlay = found.named.get(setting)
        lines.append(f"    {'='.join(setting)}" + (f"  (the overlay {overlay})" if overlay else ""))
    return lines


def _undecided(found: Identification) -> None:
    """Prints the changes of the first answer that keep the log legal."""
    if not found.undecided:
        return
    which = "this" if len(found.answers) == 1 else "the first of these"
    output.echo(f"not decided by the log, which is as legal with each of them beside {which}:")
    overlays = [name for name, value in found.undecided if not value]
    for overlay in overlays:
        output.echo(f"  +{overlay}")
    for setting in (change for change in found.undecided if change[1]):
        overlay = found.named.get(setting, "")
        output.echo(f"  {'='.join(setting)}" + (f"  (the overlay {overlay})" if overlay else ""))
    output.echo()


def _closest(found: Identification) -> None:
    output.echo(output.style("no overlays and options found that make the log legal", fg="red"))
    trial = found.closest
    if trial is None or trial.difference is None:
        return
    recorded, refusal = trial.difference.recorded, trial.difference.refusal
    output.echo("the closest:")
    for line in _candidate(trial, found, ""):
        output.echo(f"  {line}")
    rows = [
        ("legal", f"{trial.legal:,} of {output.counted(found.decisions, 'decision')}"),
        ("action", f"{recorded.by or 'chance'}: {recorded.option} (decision `{recorded.decision}`)"[:500]),
        ("reason", refusal.reason[:500]),
    ]
    for line in output.table(rows):
        output.echo(f"  {line}")
    output.echo()
