"""What the rules may tell of what is private, each at the place where it is read; and what tells nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import write
from leaks import CASES, KINDS, RULES, SETTINGS

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset


def warnings(folder: Path, rules: str, more: str = "") -> list[Diagnostic]:
    report = Report()
    files = {"game.yaml": SETTINGS, "kinds.yaml": KINDS, "rules/play.rules": rules}
    if more:
        files["rules.yaml"] = f"rules:\n  - {{id: T-01, text: It is shown.}}\ntold:\n{more}"
    load_ruleset(str(write(folder, files)), report)
    return [d for d in report.diagnostics if d.code.startswith("RS34")]


def told(folder: Path, body: str) -> list[str]:
    """The codes, each with the text at its place."""
    lines = body.strip("\n").split("\n")
    rules = RULES.format("\n    ".join(lines))
    written = rules.split("\n")
    found = []
    for d in warnings(folder, rules):
        assert d.span is not None
        found.append(f"{d.code} {written[d.span.line - 1][d.span.column - 1 : d.span.end_column - 1]}")
    return found


@pytest.mark.parametrize("body, found", CASES, ids=[f"{n}-{found}" for n, (_, found) in enumerate(CASES)])
def test_a_leak_is_told_where_the_secret_is_read(tmp_path: Path, body: str, found: str) -> None:
    assert told(tmp_path, body) == ([found] if found else [])
