"""Coverage report: totals by kind, file and rule, and the gaps with their reasons from `rules.yaml`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.documents.text_files import display, is_present
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.coverage.items import KINDS, CoverageItem, Point
from rulespec.engine.coverage.trace import SHOWN, Coverage, Runs
from rulespec.rule_ids import ListedRule, Unreached, unreached
from rulespec.typed import nodes as typed

RULE = "rule"
"""The key of the total for rules, in addition to the kinds of items."""


@dataclass(frozen=True, slots=True)
class Gap:
    """An outcome that no test reaches.

    `span` is its place, and `reason` is the declared reason why no test reaches it, or "". A gap is `implied` if the
    enclosing outcome is a gap as well; it then has the same reason.
    """

    item: CoverageItem
    outcome: str
    span: Span
    reason: str
    implied: bool


@dataclass(frozen=True, slots=True)
class RuleRuns:
    """The hits of a rule, and the scenarios that cite it.

    Attributes:
        rule: the entry in the list of rules.
        items: the items that cite the rule.
        runs: the hits of these items.
        cited_by: the scenarios that cite the rule.
        proved_by: the citing scenarios that run a citing item, or all citing scenarios if no item cites the rule
            because it is data.
        reason: the reason why no scenario can prove the rule, or "".
    """

    rule: ListedRule
    items: tuple[CoverageItem, ...]
    runs: Runs
    cited_by: tuple[str, ...]
    proved_by: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class CoverageTotal:
    """Counts of outcomes or rules: the total, the covered ones, and the uncovered ones that have an explanation."""

    outcomes: int
    run: int
    explained: int

    @property
    def percent(self) -> float:
        """The percentage that is covered or explained."""
        return (self.run + self.explained) * 100 / self.outcomes if self.outcomes else 0.0


@dataclass(frozen=True, slots=True)
class LineRuns:
    """A source line with its hits.

    `state` is `run`, `partly`, `missed`, `explained` (every gap has a reason), or "" for a line without code. `count`
    is the largest number of hits of any outcome on the line, `missing` lists the gaps, and `by` lists the first tests
    that run the line.
    """

    text: str
    state: str
    count: int
    missing: tuple[str, ...]
    by: tuple[str, ...]


class CoverageReport:
    """A report on the coverage of some files of a ruleset.

    Args:
        coverage: the coverage of the ruleset, alone and under overlays.
        report: the report that receives warnings about stale reasons in `rules.yaml`.
        files: the names of the files; by default the files in the ruleset's folder and the overlays referenced by path.
    """

    def __init__(self, coverage: Coverage, report: Report, files: Collection[str] | None = None) -> None:
        self.coverage = coverage
        if files is None:
            files = {name for r in coverage.rulesets for name in _own_files(r)}
        self.files = sorted(files)
        own = set(self.files)
        self.sources = {name: text for r in coverage.rulesets for name, text in r.sources.items() if name in own}
        self.items = [item for item in coverage.items if item.span.file in own]
        folder = coverage.rulesets[0].folders[0]
        self._reasons = list(_reasons(folder))
        self._used: set[int] = set()
        self.gaps: list[Gap] = []
        for item in self.items:  # in source order, so outer items come before inner ones
            self.gaps += self._gaps(item, folder)
        self.gaps.sort(key=lambda g: (g.span.file, g.span.line, g.span.column))
        listed = {id_: rule for r in coverage.rulesets for id_, rule in r.listed.items() if rule.span.file in own}
        self.rules = [self._rule(rule) for rule in listed.values()]
        for i, entry in enumerate(self._reasons):
            if i not in self._used and self._measured(entry, folder, listed):
                what = entry.rule or f"{entry.at}: {entry.text}"
                report.warning("RS841", f"stale explanation: `{what}` is covered or gone", entry.span)

    def _measured(self, entry: Unreached, folder: Path, listed: Mapping[str, ListedRule]) -> bool:
        """Whether an explanation concerns the measured ruleset, or nothing at all, rather than an absent overlay."""
        if entry.rule:
            rulesets = self.coverage.rulesets
            overlays = {name for r in rulesets for name in r.overlays}
            return entry.rule in listed or set(rulesets[0].offered) <= overlays
        return display(folder / entry.at) in self.files or not (folder / entry.at).is_file()

    # --- gaps ------------------------------------------------------------------------------

    def _gaps(self, item: CoverageItem, folder: Path) -> Iterator[Gap]:
        outer = next((g for g in self.gaps if Point(g.item, g.outcome) == item.inside), None)
        for outcome in self.coverage.missing(item):
            at = item.outcomes.index(outcome)
            span = item.places[at] if at < len(item.places) else item.span
            reason = self._reason(outcome, span, folder) or (outer.reason if outer is not None else "")
            yield Gap(item, outcome, span, reason, outer is not None)

    def _reason(self, outcome: str, span: Span, folder: Path) -> str:
        line = self.line(span)
        for i, entry in enumerate(self._reasons):
            place = not entry.rule and display(folder / entry.at) == span.file and entry.text in line
            if place and entry.outcome in ("", outcome):
                self._used.add(i)
                return entry.reason
        return ""

    def line(self, span: Span) -> str:
        """The first source line of a span, stripped."""
        lines = self.sources.get(span.file, "").split("\n")
        return lines[span.line - 1].strip() if span.line <= len(lines) else ""

    def lines(self, file: str) -> Iterator[LineRuns]:
        """The lines of a file, with their hits."""
        on: dict[int, list[CoverageItem]] = {}
        for item in self.items:
            for number in item.lines if item.span.file == file else ():
                on.setdefault(number, []).append(item)
        gaps: dict[CoverageItem, list[Gap]] = {}
        for gap in self.gaps:
            gaps.setdefault(gap.item, []).append(gap)
        for number, text in enumerate(self.sources[file].split("\n"), 1):
            yield self._line(text, on.get(number, []), gaps)

    def _line(self, text: str, items: Sequence[CoverageItem], gaps: Mapping[CoverageItem, list[Gap]]) -> LineRuns:
        points = [Point(item, outcome) for item in items for outcome in item.outcomes]
        seen = [self.coverage.runs[point] for point in points if point in self.coverage.runs]
        missing = [gap for item in items for gap in gaps.get(item, ())]
        state = "run" if items else ""
        if missing:
            state = "partly" if seen else "missed"
            if all(gap.reason for gap in missing):
                state = "explained"
        notes = tuple(f"{g.item.name}: {g.outcome}" + (f" ({g.reason})" if g.reason else "") for g in missing)
        by = tuple(dict.fromkeys(name for runs in seen for name in runs.by))[:SHOWN]
        return LineRuns(text, state, max((r.count for r in seen), default=0), notes, by)

    # --- rules -----------------------------------------------------------------------------

    @cached_property
    def _citing(self) -> dict[str, list[CoverageItem]]:
        results: dict[str, list[CoverageItem]] = {}
        for item in self.coverage.items:
            for id_ in item.rules:
                results.setdefault(id_, []).append(item)
        return results

    def _rule(self, rule: ListedRule) -> RuleRuns:
        items = self._citing.get(rule.id, [])
        points = {Point(item, o) for item in items for o in item.outcomes}
        runs = Runs()
        cited, proved = [], []
        for test in self.coverage.tests:
            count = sum(test.hits[p] for p in points if p in test.hits)
            if count:
                runs.add(count, test.id)
            if rule.id in test.rules:
                cited.append(test.id)
                if (count or not items) and not test.error:
                    proved.append(test.id)
        reason = "" if proved else self._rule_reason(rule.id)
        return RuleRuns(rule, tuple(items), runs, _each(cited), _each(proved), reason)

    def _rule_reason(self, id_: str) -> str:
        for i, entry in enumerate(self._reasons):
            if entry.rule == id_:
                self._used.add(i)
                return entry.reason
        return ""

    # --- sums ------------------------------------------------------------------------------

    def total(self, items: Sequence[CoverageItem]) -> CoverageTotal:
        """The total over some items."""
        chosen = set(items)
        gaps = [g for g in self.gaps if g.item in chosen]
        outcomes = sum(len(item.outcomes) for item in chosen)
        return CoverageTotal(outcomes, outcomes - len(gaps), sum(bool(g.reason) for g in gaps))

    @cached_property
    def totals(self) -> dict[str, CoverageTotal]:
        """The total for each kind of item in use and, under `rule`, for the listed rules."""
        results: dict[str, CoverageTotal] = {
            k: self.total([item for item in self.items if item.kind == k]) for k in KINDS
        }
        proved = sum(bool(r.proved_by) for r in self.rules)
        explained = sum(not r.proved_by and bool(r.reason) for r in self.rules)
        results[RULE] = CoverageTotal(len(self.rules), proved, explained)
        return {kind: total for kind, total in results.items() if total.outcomes}

    @cached_property
    def by_file(self) -> dict[str, CoverageTotal]:
        """The total of each file that has code."""
        results = {file: self.total([item for item in self.items if item.span.file == file]) for file in self.files}
        return {file: total for file, total in results.items() if total.outcomes}

    @cached_property
    def whole(self) -> CoverageTotal:
        """The overall total, including rules."""
        parts = self.totals.values()
        return CoverageTotal(sum(t.outcomes for t in parts), sum(t.run for t in parts), sum(t.explained for t in parts))

    def to_json(self) -> dict[str, Any]:
        """The report as plain data, as printed by `rulespec coverage --format json`; see coverage.schema.json."""
        tests = self.coverage.tests
        return {
            "rulesets": [r.ref for r in self.coverage.rulesets],
            "percent": _percent(self.whole),
            "tests": {
                "scenarios": sum(t.kind == "scenario" for t in tests),
                "logs": sum(t.kind == "log" for t in tests),
                "playouts": sum(t.kind == "playout" for t in tests),
                "failed": [{"id": t.id, "file": t.file, "error": t.error} for t in tests if t.error],
                "stopped": [{"id": t.id, "file": t.file, "reason": t.end} for t in tests if t.end],
            },
            "totals": {kind: _total(total) for kind, total in self.totals.items()},
            "files": {file: _total(total) for file, total in self.by_file.items()},
            "units": [
                {
                    **_place(item.span),
                    "kind": item.kind,
                    "name": item.name,
                    "rules": list(item.rules),
                    "outcomes": {o: _runs(self.coverage.runs.get(Point(item, o), Runs())) for o in item.outcomes},
                }
                for item in self.items
            ],
            "rules": [
                {
                    "id": r.rule.id,
                    "text": r.rule.text,
                    "editions": list(r.rule.editions),
                    "units": len(r.items),
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
                    "kind": g.item.kind,
                    "name": g.item.name,
                    "outcome": g.outcome,
                    "source": self.line(g.span),
                    "reason": g.reason,
                    "implied": g.implied,
                }
                for g in self.gaps
            ],
        }


def has_own_rules(rulesets: Sequence[typed.Ruleset]) -> bool:
    """Whether any of the rulesets has rules, or a list of rules, in its own files."""
    return any(
        name.endswith(".rules") or any(rule.span.file == name for rule in r.listed.values())
        for r in rulesets
        for name in _own_files(r)
    )


def _own_files(ruleset: typed.Ruleset) -> Iterator[str]:
    """The files of a ruleset's own folder and of overlays from elsewhere, except files of its base."""
    homes = [home.resolve() for home in (ruleset.folders[0], *ruleset.homes.values())]
    for name in ruleset.sources:
        if any(Path(name).resolve().is_relative_to(home) for home in homes):
            yield name


def _reasons(folder: Path) -> Iterator[Unreached]:
    path = folder / "rules.yaml"
    if is_present(path):
        yield from unreached(read_yaml(path, display(path)))


def _percent(total: CoverageTotal) -> float:
    """The percentage of a total, rounded down so that 100 means complete."""
    return int(total.percent * 100) / 100


def _each(ids: Sequence[str]) -> tuple[str, ...]:
    """Distinct ids, since a scenario may run under several overlays."""
    return tuple(dict.fromkeys(ids))


def _total(total: CoverageTotal) -> dict[str, Any]:
    return {"outcomes": total.outcomes, "run": total.run, "explained": total.explained, "percent": _percent(total)}


def _runs(runs: Runs) -> dict[str, Any]:
    return {"count": runs.count, "tests": runs.tests, "by": runs.by[:SHOWN]}


def _place(span: Span) -> dict[str, Any]:
    return {"file": span.file, "line": span.line, "column": span.column}
