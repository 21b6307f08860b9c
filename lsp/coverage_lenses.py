"""Code lenses that show how often tests ran procedures, definitions and options, according to the last recorded
coverage.

`rulespec coverage REF --format json --out FOLDER/coverage.json` records the coverage in the ruleset's folder. Names are
searched for near the recorded lines, so lenses stay correct during edits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from rulespec.documents.foreign_files import bytes_of

RECORD = "coverage.json"
MAX_RECORD = 16_000_000
"""The maximum size of a record in bytes; a larger one is ignored."""
_HEADS = {"procedure": "procedure", "definition": "def", "option": "option"}
"""Kind of an item → the keyword before its name."""


class _Outcome(Struct):
    count: int
    tests: int


class _Unit(Struct):
    file: str
    line: int
    kind: str
    name: str
    outcomes: dict[str, _Outcome]


class _Gap(Struct):
    file: str
    line: int


class _Record(Struct):
    units: list[_Unit]
    missing: list[_Gap]


class CoverageLens(NamedTuple):
    """A code lens: a text shown above a line, which is counted from 1."""

    line: int
    text: str


def coverage_lenses(folder: Path, path: Path, lines: Sequence[str]) -> Iterator[CoverageLens]:
    """The code lenses of a document in line order; empty if there is no valid record.

    Args:
        folder: the folder of the ruleset, which contains the record.
        path: the file of the document.
        lines: its current text in the editor.
    """
    if not path.is_relative_to(folder):
        return
    try:
        data = bytes_of(folder / RECORD, MAX_RECORD)
        day = datetime.fromtimestamp((folder / RECORD).stat().st_mtime, UTC).date()
        record = msgspec.json.decode(data, type=_Record)
    except (OSError, ValueError, RecursionError):  # includes msgspec's errors
        return
    suffix = f"/{folder.name}/{path.relative_to(folder).as_posix()}"
    units = sorted((u for u in record.units if _is_in(u.file, suffix) and u.kind in _HEADS), key=lambda u: u.line)
    gaps = [gap.line for gap in record.missing if _is_in(gap.file, suffix)]
    for i, unit in enumerate(units):
        line = _line_of(unit, lines)
        if line is not None:
            end = units[i + 1].line if i + 1 < len(units) else 1 << 60
            yield CoverageLens(line, f"{_runs(unit, sum(unit.line <= at < end for at in gaps))} · {RECORD} of {day}")


def _is_in(file: str, suffix: str) -> bool:
    return ("/" + file).endswith(suffix)


def _line_of(unit: _Unit, lines: Sequence[str]) -> int | None:
    """The current line of an item: among the declarations of its name, the nearest to the recorded line."""
    head = re.compile(rf"\s*{_HEADS[unit.kind]} {re.escape(unit.name)}\b")
    declared = [number for number, text in enumerate(lines, 1) if head.match(text)]
    return min(declared, key=lambda number: abs(number - unit.line), default=None)


def _runs(unit: _Unit, gaps: int) -> str:
    """The number of an item's runs, of their tests, and of its gaps, such as "run 45 times by 7 tests"."""
    count = max((outcome.count for outcome in unit.outcomes.values()), default=0)
    tests = max((outcome.tests for outcome in unit.outcomes.values()), default=0)
    if not count:
        return "never run"
    text = f"run {'once' if count == 1 else f'{count} times'} by {tests} test{'s' * (tests != 1)}"
    return f"{text}, {gaps} gap{'s' * (gaps != 1)}" if gaps else text
