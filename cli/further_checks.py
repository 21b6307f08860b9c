"""Checks by `rulespec validate` beyond a ruleset's files: its games, and combinations of its offered overlays."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from rulespec import cache
from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.typed import nodes as typed

if TYPE_CHECKING:  # the engine takes long to import, and a cached result does not need it
    from rulespec.engine.verify.played import PlayReport


def played(ruleset: typed.Ruleset, report: Report, minutes: int | None = None) -> PlayReport:
    """The result of playing games of a valid ruleset, which may be cached from an earlier run with the same sources.

    No games are played if the report contains the warning that the default start takes too long. For `minutes`, see
    `play_check`.
    """
    from rulespec.engine.verify.played import PlayReport

    if any(d.code == "RS710" and d.span is None for d in report.diagnostics):  # otherwise it has the place of a setting
        return PlayReport(0, 0, 0, ())
    key = cache.key("played", ruleset.ref, f"{minutes}", *chain.from_iterable(ruleset.sources.items()))
    result = cache.read(key, msgspec.json.Decoder(PlayReport))
    if result is None:
        result = _played(ruleset, minutes)
        cache.write(key, result)
    return result


def _played(ruleset: typed.Ruleset, minutes: int | None) -> PlayReport:
    from rulespec.engine.verify.play_check import play_check

    if not sys.stderr.isatty():
        return play_check(ruleset, minutes=minutes)
    from tqdm import tqdm

    with tqdm(desc=f"playing {ruleset.ref}", unit=" combinations", file=sys.stderr, leave=False) as bar:
        return play_check(ruleset, bar.update, minutes)


def amount_of_play(played: PlayReport) -> str:
    """A summary of how many games were played: `played 1,240 games in 9 combinations`."""
    if not played.games:
        return "played no game to its end"
    of = "" if played.combinations == played.of else f"{played.combinations:,} of "
    return f"played {output.counted(played.games, 'game')} in {of}{output.counted(played.of, 'combination')}"


MAX_LARGER = 64
"""Maximum number of sets larger than pairs to check: conflicts occur in pairs, and larger sets break only types."""
MAX_SETS = 300


class OverlaySets(Struct):
    """The results of checking combinations of a ruleset's overlays.

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
            yield "  all checked sets are compatible"

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
