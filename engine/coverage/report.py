"""What coverage comes to: by kind, file and rule; and what is not run, with the reasons that `rules.yaml` gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.documents.reader import read_yaml
from rulespec.documents.text_files import display
from rulespec.engine.coverage.items import KINDS, Point, Unit
from rulespec.engine.coverage.trace import SHOWN, Coverage, Runs
from rulespec.rule_ids import ListedRule, Unreached, unreached
from rulespec.typed import nodes as typed

RULE = "rule"
"""The row of the rules in the table of totals, behind the kinds of units."""


@dataclass(frozen=True, slots=True)
class Gap:
    """An outcome that nothing has come to.

    `span` is where to look, `reason` why it cannot be, or "". A gap is `implied` if it lies inside of what is not run
    either; the reason of that is its reason too.
    """

    unit: Unit
    outcome: str
    span: Span
    reason: str
    implied: bool


@dataclass(frozen=True, slots=True)
class RuleRuns:
    """What is known of a rule.

    Attributes:
        rule: as it is listed.
        units: the units that cite it.
        runs: how often they were run.
        cited_by: the scenarios that cite it.
        proved_by: those of them that run a unit which cites it; all of them if none does, as the rule is in the data.
        reason: why none can prove it, or "".
    """

    rule: ListedRule
    units: tuple[Unit, ...]
    runs: Runs
    cited_by: tuple[str, ...]
    proved_by: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Total:
    """How many outcomes (or rules) there are, how many were seen, and how many of the others are explained."""

    outcomes: int
    run: int
    explained: int

    @property
    def percent(self) -> float:
        """How much is run or explained; never 100 if anything is missing."""
        return (self.run + self.explained) * 100 / self.outcomes if self.outcomes else 100.0


@dataclass(frozen=True, slots=True)
class LineRuns:
    """A line of the source with what is known of it.

    `state` is `run`, `partly`, `missed`, `explained` (what is missing has a reason), or "" where nothing can be run;
    `count` how often it was run at most; `missing` what was not seen; `by` the first tests that run it.
    """

    text: str
    state: str
    count: int
    missing: tuple[str, ...]
    by: tuple[str, ...]


class CoverageReport:
    """The coverage of a ruleset's own files: those of its folder, and overlays that its reference names by path.

    Args:
        coverage: of the ruleset, and of the same ruleset under overlays.
        report: takes reasons of `rules.yaml` that explain nothing.
    """

    def __init__(self, coverage: Coverage, report: Report) -> None:
        self.coverage = coverage
        self.files = sorted({name for r in coverage.rulesets for name in _own_files(r)})
        own = set(self.files)
        self.sources = {name: text for r in coverage.rulesets for name, text in r.sources.items() if name in own}
        self.units = [u for u in coverage.units if u.span.file in own]
        folder = coverage.rulesets[0].folders[0]
        self._reasons = list(_reasons(folder))
        self._used: set[int] = set()
        self.gaps: list[Gap] = []
        for unit in self.units:  # what is inside of others comes after them
            self.gaps += self._gaps(unit, folder)
        self.gaps.sort(key=lambda g: (g.span.file, g.span.line, g.span.column))
        listed = {id_: rule for r in coverage.rulesets for id_, rule in r.listed.items() if rule.span.file in own}
        self.rules = [self._rule(rule) for rule in listed.values()]
        for i, entry in enumerate(self._reasons):
            if i not in self._used:
                what = entry.rule or f"{entry.at}: {entry.text}"
                report.warning("RS841", f"there is nothing to explain any more: `{what}`", entry.span)

    # --- what is missing -------------------------------------------------------------------

    def _gaps(self, unit: Unit, folder: Path) -> Iterator[Gap]:
        outer = next((g for g in self.gaps if Point(g.unit, g.outcome) == unit.inside), None)
        for outcome in self.coverage.missing(unit):
            at = unit.outcomes.index(outcome)
            span = unit.places[at] if at < len(unit.places) else unit.span
            reason = self._reason(outcome, span, folder) or (outer.reason if outer is not None else "")
            yield Gap(unit, outcome, span, reason, outer is not None)

    def _reason(self, outcome: str, span: Span, folder: Path) -> str:
        line = self.line(span)
        for i, entry in enumerate(self._reasons):
            here = not entry.rule and display(folder / entry.at) == span.file and entry.text in line
            if here and entry.outcome in ("", outcome):
                self._used.add(i)
                return entry.reason
        return ""

    def line(self, span: Span) -> str:
        """The line of the source on which something begins, without the blanks around it."""
        lines = self.sources.get(span.file, "").split("\n")
        return lines[span.line - 1].strip() if span.line <= len(lines) else ""

    def lines(self, file: str) -> Iterator[LineRuns]:
        """The lines of a file."""
        on: dict[int, list[Unit]] = {}
        for unit in self.units:
            for number in unit.lines if unit.span.file == file else ():
                on.setdefault(number, []).append(unit)
        gaps: dict[Unit, list[Gap]] = {}
        for gap in self.gaps:
            gaps.setdefault(gap.unit, []).append(gap)
        for number, text in enumerate(self.sources[file].split("\n"), 1):
            yield self._line(text, on.get(number, []), gaps)

    def _line(self, text: str, units: Sequence[Unit], gaps: Mapping[Unit, list[Gap]]) -> LineRuns:
        seen = [self.coverage.runs[p] for u in units for o in u.outcomes if (p := Point(u, o)) in self.coverage.runs]
        missing = [gap for u in units for gap in gaps.get(u, ())]
        state = "run" if units else ""
        if missing:
            state = "partly" if seen else "missed"
            if all(gap.reason for gap in missing):
                state = "explained"
        told = tuple(f"{g.unit.name}: {g.outcome}" + (f" ({g.reason})" if g.reason else "") for g in missing)
        by = tuple(dict.fromkeys(name for runs in seen for name in runs.by))[:SHOWN]
        return LineRuns(text, state, max((r.count for r in seen), default=0), told, by)

    # --- rules -----------------------------------------------------------------------------

    @cached_property
    def _citing(self) -> dict[str, list[Unit]]:
        found: dict[str, list[Unit]] = {}
        for unit in self.coverage.units:
            for id_ in unit.rules:
                found.setdefault(id_, []).append(unit)
        return found

    def _rule(self, rule: ListedRule) -> RuleRuns:
        units = self._citing.get(rule.id, [])
        points = {Point(u, o) for u in units for o in u.outcomes}
        runs = Runs()
        cited, proved = [], []
        for test in self.coverage.tests:
            count = sum(test.hits[p] for p in points if p in test.hits)
            if count:
                runs.add(count, test.id)
            if rule.id in test.rules:
                cited.append(test.id)
                if (count or not units) and not test.error:
                    proved.append(test.id)
        reason = "" if proved else self._rule_reason(rule.id)
        return RuleRuns(rule, tuple(units), runs, _each(cited), _each(proved), reason)

    def _rule_reason(self, id_: str) -> str:
        for i, entry in enumerate(self._reasons):
            if entry.rule == id_:
                self._used.add(i)
                return entry.reason
        return ""

    # --- sums ------------------------------------------------------------------------------

    def total(self, units: Sequence[Unit]) -> Total:
        """The sum over some units."""
        chosen = set(units)
        gaps = [g for g in self.gaps if g.unit in chosen]
        outcomes = sum(len(u.outcomes) for u in chosen)
        return Total(outcomes, outcomes - len(gaps), sum(bool(g.reason) for g in gaps))

    @cached_property
    def totals(self) -> dict[str, Total]:
        """By kind of unit, and under `rule` of the rules that are listed; kinds that do not occur are left out."""
        found: dict[str, Total] = {k: self.total([u for u in self.units if u.kind == k]) for k in KINDS}
        proved = sum(bool(r.proved_by) for r in self.rules)
        explained = sum(not r.proved_by and bool(r.reason) for r in self.rules)
        found[RULE] = Total(len(self.rules), proved, explained)
        return {kind: total for kind, total in found.items() if total.outcomes}

    @cached_property
    def by_file(self) -> dict[str, Total]:
        """By file that has anything to run."""
        found = {file: self.total([u for u in self.units if u.span.file == file]) for file in self.files}
        return {file: total for file, total in found.items() if total.outcomes}

    @cached_property
    def whole(self) -> Total:
        """All of it, rules included."""
        parts = self.totals.values()
        return Total(sum(t.outcomes for t in parts), sum(t.run for t in parts), sum(t.explained for t in parts))

    def to_json(self) -> dict[str, Any]:
        """The object that `rulespec coverage --format json` prints; see coverage.schema.json."""
        tests = self.coverage.tests
        return {
            "rulesets": [r.ref for r in self.coverage.rulesets],
            "percent": _percent(self.whole),
            "tests": {
                "scenarios": sum(t.kind == "scenario" for t in tests),
                "logs": sum(t.kind == "log" for t in tests),
                "playouts": sum(t.kind == "playout" for t in tests),
                "failed": [{"id": t.id, "file": t.file, "error": t.error} for t in tests if t.error],
            },
            "totals": {kind: _total(total) for kind, total in self.totals.items()},
            "files": {file: _total(total) for file, total in self.by_file.items()},
            "units": [
                {
                    **_place(u.span),
                    "kind": u.kind,
                    "name": u.name,
                    "rules": list(u.rules),
                    "outcomes": {o: _runs(self.coverage.runs.get(Point(u, o), Runs())) for o in u.outcomes},
                }
                for u in self.units
            ],
            "rules": [
                {
                    "id": r.rule.id,
                    "text": r.rule.text,
                    "editions": list(r.rule.editions),
                    "units": len(r.units),
                    **_runs(r.runs),
                    "cited_by": list(r.cited_by),
                    "proved_by": list(r.proved_by),
                    "reason": r.reason,
                }
                for r in self.rules
            ],
            "missing": [
                {
                    **_place(g.span),
                    "kind": g.unit.kind,
                    "name": g.unit.name,
                    "outcome": g.outcome,
                    "source": self.line(g.span),
                    "reason": g.reason,
                    "implied": g.implied,
                }
                for g in self.gaps
            ],
        }


def _own_files(ruleset: typed.Ruleset) -> Iterator[str]:
    """The files of a ruleset's own folder, and of overlays that lie elsewhere; not those of what it extends."""
    homes = [home.resolve() for home in (ruleset.folders[0], *ruleset.homes.values())]
    for name in ruleset.sources:
        if any(Path(name).resolve().is_relative_to(home) for home in homes):
            yield name


def _reasons(folder: Path) -> Iterator[Unreached]:
    path = folder / "rules.yaml"
    if path.exists():
        yield from unreached(read_yaml(path, display(path)))


def _percent(total: Total) -> float:
    """Rounded down, so that 100 means all."""
    return int(total.percent * 100) / 100


def _each(ids: Sequence[str]) -> tuple[str, ...]:
    """Each once: a scenario may be run under several overlays."""
    return tuple(dict.fromkeys(ids))


def _total(total: Total) -> dict[str, Any]:
    return {"outcomes": total.outcomes, "run": total.run, "explained": total.explained, "percent": _percent(total)}


def _runs(runs: Runs) -> dict[str, Any]:
    return {"count": runs.count, "tests": runs.tests, "by": runs.by[:SHOWN]}


def _place(span: Span) -> dict[str, Any]:
    return {"file": span.file, "line": span.line, "column": span.column}
