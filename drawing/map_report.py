"""The report on a drawing, stored next to its map: findings that a page displays, read within limits."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.foreign_files import bytes_of

REPORT = "reading.json"
"""The name of the report file next to a map."""
_LARGEST, _MOST, _MAX_LINE, _LONGEST = 1_000_000, 100, 10**9, 2_000


class _Finding(Struct):
    code: str
    line: int
    message: str
    help: str


class _Report(Struct):
    drawing: str
    findings: list[_Finding]


def of_json(path: Path) -> list[Diagnostic]:
    """The findings in a report file; empty if it is missing or malformed."""
    try:
        report = msgspec.json.decode(bytes_of(path, _LARGEST), type=_Report)
    except (OSError, DiagnosticsError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    return [
        Diagnostic(
            each.code,
            Severity.WARNING,
            each.message[:_LONGEST],
            Span(report.drawing[:_LONGEST], each.line, 1, each.line, 2),
            help=each.help[:_LONGEST],
        )
        for each in report.findings[:_MOST]
        if each.code in CODES and 0 < each.line < _MAX_LINE
    ]
