"""`rulespec validate --overlays`: checks which sets of offered overlays can be combined."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.typed import nodes as typed

MAX_LARGER = 64
"""Maximum number of sets to check more than pairs: conflicts occur in pairs, larger sets break only types."""
MAX_SETS = 300


class OverlaySets(Struct):
    """The results for the sets of one ruleset's overlays.

    Attributes:
        offered: the number of offered overlays.
        alone: the number of overlays checked individually.
        pairs: the number of pairs checked.
        larger: the number of larger sets checked.
        complete: whether all single overlays and all pairs were checked.
        failed: the smallest sets that cannot be combined, each with its first error.
    """

    offered: int
    alone: int = 0
    pairs: int = 0
    larger: int = 0
    complete: bool = True
    failed: list[tuple[tuple[str, ...], Diagnostic]] = []

    def lines(self) -> Iterator[str]:
        """The results as text."""
        counts = f"{self.alone} alone, {self.pairs} pairs, {self.larger} larger sets"
        left = "" if self.complete else f"; stopped after {MAX_SETS} sets"
        yield f"overlays: {self.offered} on offer; checked {counts}, without games{left}"
        for names, d in self.failed:
            yield f"  not {'+'.join(names)}: {d.message} [{d.code}]"
        if not self.failed and self.offered:
            yield "  all that were checked combine"

    def to_json(self) -> dict[str, Any]:
        """The results as plain data, described by the schema `diagnostics`."""
        failed = [{"overlays": list(names), "code": d.code, "message": d.message} for names, d in self.failed]
        checked = {"alone": self.alone, "pairs": self.pairs, "larger": self.larger}
        return {"offered": self.offered, "checked": checked, "complete": self.complete, "failed": failed}


def check_overlay_sets(ref: str, ruleset: typed.Ruleset, report: Report) -> OverlaySets:
    """Checks each offered overlay, all pairs, and larger sets if there are few.

    Args:
        ref: the reference.
        ruleset: its ruleset.
        report: receives the errors of overlays that fail individually.
    """
    from rulespec.load import load_ruleset
    from rulespec.ruleset_files import SameFiles

    names = [name for name in dict.fromkeys(ruleset.offered) if name not in ruleset.overlays]
    result, files = OverlaySets(len(names), failed=[]), SameFiles()
    bad: set[frozenset[str]] = set()
    for chosen in _sets(names):
        done = result.alone + result.pairs + result.larger
        if done >= MAX_SETS:
            result.complete = len(chosen) > 2
            break
        if any(each <= frozenset(chosen) for each in bad):
            continue
        try:
            load_ruleset("+".join([ref, *chosen]), None, files)
        except DiagnosticsError as error:
            first = next(d for d in error.diagnostics if d.severity is Severity.ERROR)
            result.failed.append((chosen, first))
            bad.add(frozenset(chosen))
            if len(chosen) == 1:
                report.extend(error.diagnostics)
        result.alone += len(chosen) == 1
        result.pairs += len(chosen) == 2
        result.larger += len(chosen) > 2
    return result


def _sets(names: list[str]) -> Iterator[tuple[str, ...]]:
    """The sets of overlays, smallest first; only single ones and pairs if there are many."""
    larger = len(names) if 2 ** len(names) - 1 <= MAX_LARGER else 2
    for size in range(1, larger + 1):
        yield from combinations(names, size)
