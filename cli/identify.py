"""`rulespec identify`: finds the edition, variants and settings of a recorded game."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from rulespec.cli import output
from rulespec.cli.flags import LogPath
from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.documents.yaml_nodes import get, text
from rulespec.engine.logs.native import NativeLog
from rulespec.engine.replay.identify import CandidateTrial, Identification, identify
from rulespec.engine.words.words import Names
from rulespec.references import find_overlay
from rulespec.ruleset_files import RulesetReader

_SHOWN = 10
Meaning = Callable[[tuple[str, str]], str]
"""A function that describes an overlay or a value of a setting in words; "" if it has no description."""


@click.command("identify")
@click.argument("log", type=LogPath())
@click.option("--rules", metavar="REF", help="The ruleset to start from; default: that of the log.")
@click.option("--dialect", metavar="ID", help="The dialect of a foreign log; default: recognised by its first entry.")
@click.option("--quick", is_flag=True, help="Skip the search for undecided settings.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.option(
    "--names",
    "shown",
    type=click.Choice(["title", "id"]),
    default="title",
    help="Show titles beside ids, or ids alone.",
)
@click.pass_context
def command(
    ctx: click.Context, log: Path, rules: str | None, dialect: str | None, quick: bool, format_: str, shown: Names
) -> None:
    """Find the edition, variants and settings of the recorded game LOG.

    Tries the ruleset's overlays and values of settings, starting with the fewest changes; the settings and overlays in
    the header of the log are ignored. LOG is native, or of a known dialect; in the latter case its decisions come from
    a replay under the dialect's rules. Exit code: 0 found, 1 not found, 2 the log cannot be read.

    Example: rulespec identify game.jsonl
    """
    from rulespec.engine.replay.replay import as_native

    report = Report()
    try:
        read = as_native(log, dialect=dialect, report=report)
    finally:
        output.show(report.diagnostics)
    if rules is not None:
        _check_game(read, rules)
    result = _identification(read, rules, not quick)
    if format_ == "json":
        output.echo_json(result.to_json())
    else:
        _show(result, quick, (lambda change: "") if shown == "id" else _Meanings(result.base).of)
        if rules is None:
            _show_lost_overlays(read)
    ctx.exit(output.OK if result.answers else output.PROBLEMS)


def _check_game(log: NativeLog, rules: str) -> None:
    """Checks that a log belongs to the game of a ruleset.

    Raises:
        DiagnosticsError: RS883 if the ruleset has none of the decisions that the log records.
    """
    from rulespec.engine.words.asked import Decisions
    from rulespec.load import load_ruleset

    decisions = {entry.decision for entry in log.entries if entry.back is None}
    if decisions and decisions.isdisjoint(Decisions(load_ruleset(rules)).options):
        message = f"{shown(log.file)} is a log of `{log.header.ruleset}`, but `{rules}` has none of its decisions"
        help_ = f"omit --rules to start from the rules of the log: `rulespec identify {log.file}`"
        raise failure("RS883", message, Span(log.file, 1, 1, 1, 2), help_)


def _show_lost_overlays(log: NativeLog) -> None:
    """Prints how to start from the rules in the header, if they cannot be found by id."""
    from rulespec.engine.replay.replay import named_ruleset

    try:
        named_ruleset(log)
    except DiagnosticsError as error:
        if error.diagnostics[0].code == "RS617":
            output.echo(
                f"{error.diagnostics[0].message}; to start from this overlay, give its path: --rules REF+./overlay.yaml"
            )


def _identification(log: NativeLog, rules: str | None, details: bool) -> Identification:
    """Searches for the rules of a log, with progress on a terminal."""
    if not sys.stderr.isatty():
        return identify(log, rules, details=details)
    from tqdm import tqdm

    with tqdm(unit=" choices", file=sys.stderr, leave=False, dynamic_ncols=True) as bar:
        return identify(log, rules, details=details, step=lambda tried: bar.update(tried - bar.n))


class _Meanings:
    """Descriptions of a ruleset's overlays and settings, from the ruleset itself."""

    def __init__(self, base: str) -> None:
        from rulespec.load import load_ruleset

        self._ruleset = load_ruleset(base)

    def of(self, change: tuple[str, str]) -> str:
        """The description of an overlay `(id, "")` or a value `(setting, value)`: the overlay's title, or the setting's
        doc.
        """
        name, value = change
        if value:
            return self._ruleset.settings[name].doc if name in self._ruleset.settings else ""
        result, reader = find_overlay(name, list(self._ruleset.folders)), RulesetReader(Report())
        return text(get(reader.yaml(*result, "overlay"), "title")) if result is not None else ""


def _show(result: Identification, quick: bool, meaning: Meaning) -> None:
    output.echo(
        f"{output.style(result.log, bold=True)} · {output.counted(result.decisions, 'decision')} · {result.base}"
    )
    output.echo()
    if result.answers:
        _answers(result, meaning)
        if not quick:
            _undecided(result, meaning)
    else:
        _closest(result, meaning)
    if not result.complete:
        output.echo("The search stopped at its limit: there may be more answers.")
    output.echo(f"tried {output.counted(result.replays, 'combination')} of overlays and settings")


def _answers(result: Identification, meaning: Meaning) -> None:
    departures = result.answers[0].candidate.departures
    count = output.counted(departures, "departure") if departures else "no departure"
    output.echo(output.style(f"legal with {count}:", fg="green"))
    for number, trial in enumerate(result.answers[:_SHOWN]):
        for line in _candidate(trial, result, "or " if number else "", meaning):
            output.echo(f"  {line}")
    if len(result.answers) > _SHOWN:
        output.echo(f"  … and {len(result.answers) - _SHOWN} more")
    output.echo()


def _candidate(trial: CandidateTrial, result: Identification, prefix: str, meaning: Meaning) -> list[str]:
    rows = [(f"    {_setting(setting, result)}", meaning(setting)) for setting in trial.candidate.settings]
    rows = [(f"    +{overlay}", meaning((overlay, ""))) for overlay in trial.candidate.overlays] + rows
    note = output.table([row for row in rows if row[1] or not row[0].startswith("    +")])
    return [f"{prefix}{trial.ref}", *map(_cut, note)]


def _setting(setting: tuple[str, str], result: Identification) -> str:
    overlay = result.named.get(setting)
    return "=".join(setting) + (f"  (the overlay {overlay})" if overlay else "")


def _cut(line: str) -> str:
    width = output.width()
    return line if not width or len(line) <= width else line[: width - 1] + "…"


def _undecided(result: Identification, meaning: Meaning) -> None:
    """Prints the changes to the first answer under which the log is equally legal."""
    if not result.undecided:
        return
    which = "this answer" if len(result.answers) == 1 else "the first of these answers"
    output.echo(f"undecided, because the log is equally legal if one of these changes is made to {which}:")
    changes = sorted(result.undecided, key=lambda change: bool(change[1]))  # overlays first
    rows = [(f"  {_setting(c, result)}" if c[1] else f"  +{c[0]}", meaning(c)) for c in changes]
    for line in output.table(rows):
        output.echo(_cut(line))
    output.echo()


def _closest(result: Identification, meaning: Meaning) -> None:
    output.echo(output.style("no overlays and settings were found under which the log is legal", fg="red"))
    trial = result.closest
    if trial is None or trial.difference is None:
        return
    recorded, refusal = trial.difference.recorded, trial.difference.refusal
    output.echo("the closest combination:")
    for line in _candidate(trial, result, "", meaning):
        output.echo(f"  {line}")
    rows = [
        ("legal", f"{trial.legal:,} of {output.counted(result.decisions, 'decision')}"),
        ("action", f"{recorded.by or 'chance'}: {recorded.option} (decision `{recorded.decision}`)"[:500]),
        ("reason", refusal.reason[:500]),
    ]
    for line in output.table(rows):
        output.echo(f"  {line}")
    output.echo()
