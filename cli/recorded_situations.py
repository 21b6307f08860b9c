"""Recorded situations of a ruleset, which `rulespec explore --record` writes and `rulespec test` checks."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import click

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.text_files import display, is_present
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.behaviour.situation_check import Altered, SituationCheck

_MAX_GROUPS = 20
_SHOWN = 8
"""Maximum number of decisions of a game that are printed."""
_WORDS = {"illegal": "is illegal", "effect": "does something else", "options": "has different options"}


def write_situations(ruleset: typed.Ruleset) -> None:
    """Records situations of a ruleset in a file in the ruleset's folder.

    Raises:
        click.ClickException: if the file cannot be written, or would be too large to read.
    """
    from rulespec.engine.behaviour.record import record
    from rulespec.engine.behaviour.situations import MAX_BYTES, place_of, written

    situations, path = record(ruleset), place_of(ruleset)
    data = written(ruleset, situations).encode()
    if len(data) > MAX_BYTES:
        raise click.ClickException(f"{ruleset.ref} has too many fields: its situations would take {len(data):,} bytes")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes(path, gzip.compress(data, mtime=0))
    except OSError as error:
        raise output.unwritten(path, error) from None
    output.echo(f"recorded {output.counted(len(situations), 'situation')} in {display(path)}", err=True)


def recorded_situations(ruleset: typed.Ruleset, only: str, report: Report) -> SituationCheck | None:
    """The result of checking a ruleset's recorded situations; None if there are none.

    Args:
        ruleset: the ruleset.
        only: a string that the name of the file must contain.
        report: receives the error if the file is invalid.
    """
    from rulespec.engine.behaviour.situations import place_of

    path = place_of(ruleset)
    if not is_present(path) or only not in display(path):
        return None
    from rulespec.engine.behaviour.situation_check import check
    from rulespec.engine.behaviour.situations import read_situations

    try:
        return check(ruleset, read_situations(path, display(path)))
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
        return None


def show_altered(checked: SituationCheck) -> None:
    """Prints the altered situations by rule, each rule with the shortest game that reaches such a situation."""
    groups = checked.groups()
    output.show([_diagnostic(checked, group) for group in groups[:_MAX_GROUPS]], err=False)
    if len(groups) > _MAX_GROUPS:
        output.echo(f"… and {len(groups) - _MAX_GROUPS} more rules with altered situations")


def _diagnostic(checked: SituationCheck, group: list[Altered]) -> Diagnostic:
    first, start = group[0], checked.situations[0]
    rule, moves = first.rule, checked.game(first.number)
    number = first.number
    while (situation := checked.situations[number]).after >= 0:
        number = situation.after
    start = checked.situations[number]
    text = f"with {output.counted(start.players, 'player')}, "
    text += f"after {len(moves) - _SHOWN} decisions, " if len(moves) > _SHOWN else ""
    text += " · ".join(moves[-_SHOWN:]) or "at the start"
    changed = ", ".join(f"{name}={value}" for name, value in start.settings.items()) if start.settings else ""
    ids = f" ({', '.join(rule.ids)})" if rule.ids else ""
    where = output.counted(len(group), "recorded situation")
    message = f"`{rule.name}`{ids} {_WORDS[first.kind]} in {where}"
    file, _, line = rule.place.rpartition(":")
    span = Span(file, int(line), 1, int(line), 2) if file and line.isdigit() else None
    lines = [*first.lines, f"the shortest game, {text}", *([f"settings: {changed}"] if changed else [])]
    lines.append("if this is intended, record the situations again with `rulespec explore REF --record`")
    return Diagnostic("RS583", Severity.ERROR, message, span, help="\n".join(lines))


def summary(checked: SituationCheck) -> str:
    """A short summary of the result."""
    from rulespec.engine.behaviour.situation_check import SECONDS

    every = output.counted(len(checked.situations), "recorded situation")
    if checked.is_clean:
        return every
    altered = len({each.number for each in checked.altered})
    rest = f", {checked.unreached:,} no longer reached" if checked.unreached else ""
    rest += f", {checked.late:,} not checked within {SECONDS:.0f} s of processor time" if checked.late else ""
    return f"this change altered {altered:,} of {every}{rest}"
