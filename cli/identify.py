"""`rulespec identify`: the edition, variants and options of a recorded game."""

from __future__ import annotations

from pathlib import Path

import click

from rulespec.cli import output
from rulespec.engine.replay.identify import Identification, Trial, identify

_SHOWN = 10


@click.command("identify")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--rules", metavar="REF", help="The ruleset to start from; default: that of the log.")
@click.option("--quick", is_flag=True, help="Skip the search for undecided options.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How to print.")
@click.pass_context
def command(ctx: click.Context, log: Path, rules: str | None, quick: bool, format_: str) -> None:
    """Find the edition, variants and options of the recorded game LOG.

    Tries the overlays that the ruleset offers and the values of its options, the fewest departures first; the options
    and overlays in the header of the log are ignored. LOG is a native log (convert a foreign one with
    `rulespec replay LOG --out FILE`). Exit code: 0 found, 1 not found, 2 the log cannot be read.

    Example: rulespec identify game.jsonl
    """
    from rulespec.engine.logs.native import read_log

    read = read_log(log)
    output.show(read.warnings)
    found = identify(read, rules, details=not quick)
    if format_ == "json":
        output.echo_json(found.to_json())
    else:
        _show(found, quick)
    ctx.exit(output.OK if found.answers else output.PROBLEMS)


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
