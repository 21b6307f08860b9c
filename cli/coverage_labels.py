"""Labels of coverage reports in text and HTML: the heading, percentages, and the states of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulespec.cli import output

if TYPE_CHECKING:  # the engine takes long to import
    from rulespec.engine.coverage.coverage_report import CoverageTotal, RuleRuns
    from rulespec.engine.coverage.trace import Coverage


def heading(coverage: Coverage) -> str:
    """The rulesets and the number of tests of each kind, on one line."""
    first, *others = coverage.rulesets
    parts = [first.ref + (f", and under {output.counted(len(others), 'overlay')}" if others else "")]
    for kind, word in (("scenario", "scenario"), ("log", "recorded game"), ("playout", "random game")):
        if number := sum(t.kind == kind for t in coverage.tests):
            parts.append(output.counted(number, word))
    if not coverage.tests:
        parts.append("no test was run")
    return " · ".join(parts)


def percentage(total: CoverageTotal) -> str:
    """The percentage executed or explained, rounded down so that 100.0 means all."""
    return f"{int(total.percent * 10) / 10:.1f}"


def rule_state(rule: RuleRuns) -> str:
    """The state of a rule, in one to three words."""
    if rule.proved_by:
        return "proved"
    if rule.reason:
        return "explained"
    if rule.runs.count:
        return "run, not cited" if not rule.cited_by else "cited, run by others"
    return "cited, not run" if rule.cited_by else "not run"
