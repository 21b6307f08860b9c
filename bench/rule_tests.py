"""The tests of a ruleset, each with the lines of rules that it runs, in which it can detect changes."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.typed_tree import nodes, read, roots
from bench.whole import whole
from rulespec.diagnostics.report import Report
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import Mapping
from rulespec.engine.coverage.trace import CoverageTracer, trace_log, trace_scenario
from rulespec.engine.game.machines import Machines
from rulespec.engine.game.seating import check_settings, usual_seats
from rulespec.engine.replay.replay import ReplayRequest
from rulespec.engine.verify.scenario import Scenario
from rulespec.engine.verify.scenario_files import suite_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
from rulespec.engine.verify.suite import log_files, run_log
from rulespec.typed import nodes as typed

Line = tuple[str, int]
_WORD = re.compile(r"[a-z_][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Test:
    """A scenario (in which case `log` is None) or a recorded game.

    `seats` and `settings` determine the program it needs, `lines` are the lines of rules that it runs, and `seconds` is
    its processor time on this machine.
    """

    id: str
    scenario: Scenario | None
    log: Path | None
    seats: int
    settings: tuple[tuple[str, str], ...]
    lines: frozenset[Line]
    seconds: float

    def failure(self, ruleset: typed.Ruleset, machines: Machines) -> str:
        """The failure of the test in a ruleset; "" if it passes. Scenarios run on the given machines."""
        if self.scenario is not None:
            failures = run_scenario(ruleset, self.scenario, machines)
            return failures[0].diagnostic.message if failures else ""
        assert self.log is not None
        case = run_log(self.log, ruleset)
        return case.diagnostics[0].message if case.diagnostics else ""


def suite(ruleset: typed.Ruleset, kept: Path | None = None) -> list[Test]:
    """The tests of a ruleset reference.

    Args:
        ruleset: the unchanged ruleset.
        kept: a cache file for the lines that each test runs; None for no cache.

    Raises:
        ValueError: if a test fails.
    """
    runs = _Runs(ruleset, kept)
    report = Report()
    results = [runs.scenario(scenario) for scenario in suite_scenarios(ruleset, report, display)]
    report.raise_if_errors()
    results += [runs.log(path) for path in log_files(ruleset)]
    runs.keep()
    return results


class _Runs:
    """A cache of the lines that tests run, filled by running them."""

    def __init__(self, ruleset: typed.Ruleset, kept: Path | None) -> None:
        self.ruleset = ruleset
        self.kept = kept
        self.tracer = CoverageTracer(ruleset)
        self.reached = _Reached(ruleset)
        self.known: dict[str, dict[str, Any]] = {}
        if kept is not None and kept.exists():
            self.known = json.loads(kept.read_text("utf-8"))

    def keep(self) -> None:
        """Writes the cache."""
        if self.kept is not None:
            self.kept.write_text(json.dumps(self.known), "utf-8")

    def _run(self, content: str, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        key = hashlib.blake2b(f"{self.ruleset.sources_hash} {content}".encode(), digest_size=16).hexdigest()
        if key not in self.known:
            begun = time.process_time()
            self.known[key] = run()
            self.known[key]["seconds"] = round(time.process_time() - begun, 3)
        return self.known[key]

    def scenario(self, scenario: Scenario) -> Test:
        """A scenario as a test."""

        def run() -> dict[str, Any]:
            trace = trace_scenario(self.tracer, scenario)
            if trace.error:
                raise ValueError(trace.error)
            return {"lines": sorted(trace.lines | self.reached.by(scenario))}

        known = self._run(whole(scenario), run)
        settings = tuple(sorted(check_settings(self.ruleset, dict(scenario.settings)).items()))
        lines = frozenset((file, line) for file, line in known["lines"])
        seats = scenario.seats or usual_seats(self.ruleset)
        return Test(scenario.id, scenario, None, len(seats), settings, lines, known["seconds"])

    def log(self, path: Path) -> Test:
        """A recorded game as a test."""

        def run() -> dict[str, Any]:
            trace = trace_log(self.tracer, path)
            case = run_log(path, self.ruleset)
            if trace.error or not case.passed:
                raise ValueError(f"{path}: {trace.error or case.diagnostics[0].message}")
            own = None if ".jsonl" in path.name else "+".join([str(self.ruleset.folders[0]), *self.ruleset.overlays])
            game = ReplayRequest(path, rules=own, load=lambda _: self.ruleset, strict=False, until=0).replay().game
            settings = sorted(game.settings.items())
            return {"lines": sorted(trace.lines), "seats": len(game.seats), "settings": settings}

        expected = path.parent / f"{path.name.partition('.')[0]}.expect.yaml"
        content = path.read_bytes() + (expected.read_bytes() if expected.exists() else b"")
        known = self._run(hashlib.blake2b(content).hexdigest(), run)
        settings = tuple((name, value) for name, value in known["settings"])
        lines = frozenset((file, line) for file, line in known["lines"])
        return Test(path.name, None, path, known["seats"], settings, lines, known["seconds"])


class _Reached:
    """The definitions called by a scenario's expectations, which coverage of the game does not count."""

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self.calls: dict[str, set[str]] = {}
        self.lines: dict[str, set[Line]] = {}
        for root in roots(ruleset.rules):
            if root.kind == "definition":
                parts = [n for n in nodes(read(ruleset.rules, root)) if isinstance(n, typed.Expr)]
                self.calls[root.name] = {n.definition.name for n in parts if isinstance(n, typed.Call)}
                self.lines[root.name] = {(s.file, s.line) for s in [root.span, *(n.span for n in parts)]}

    def by(self, scenario: Scenario) -> set[Line]:
        """The lines of definitions on which a scenario's expected values depend."""
        expected = [node for step in scenario.steps for key, node in step.then if key.text == "values"]
        texts = [key.text for node in expected if isinstance(node, Mapping) for key, _ in node.entries.values()]
        waiting = [word for text in texts for word in _WORD.findall(text) if word in self.calls]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += self.calls[name]
        return {line for name in seen for line in self.lines[name]}
