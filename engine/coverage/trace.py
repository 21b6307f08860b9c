"""Coverage traces: the rules exercised by scenarios, recorded games and random games.

The interpreter runs the tests; `items` defines the units that are counted, and `counter` counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.text_files import display
from rulespec.engine.coverage.counter import counting_machine
from rulespec.engine.coverage.items import CoverageItem, Items, Point
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, RulesetFaultError, TakenBack, UnlistedOptionsError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import scores
from rulespec.engine.logs.recorded import apply_recorded
from rulespec.engine.program.machine import Machine
from rulespec.engine.replay.judge import rules_under, transferred_settings
from rulespec.engine.replay.replay import Load, ReplayRequest
from rulespec.engine.replay.walk_under import walk_under
from rulespec.engine.simulate.checked_playouts import play_out
from rulespec.engine.verify.scenario import Scenario
from rulespec.engine.verify.scenario_files import suite_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
from rulespec.engine.verify.suite import log_files
from rulespec.references import named
from rulespec.typed import nodes as typed

SHOWN = 3
"""Maximum number of tests named per outcome."""


class CoverageTracer:
    """A tracer that counts hits while games run. Its method `machines` serves as the `backend` of these games."""

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self.ruleset = ruleset
        self.items = Items(ruleset)
        self.hits: Counter[Point] = Counter()
        self._machines: dict[tuple[object, ...], Machine] = {}

    def machines(self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
        """The machine for a number of seats and settings."""
        assert ruleset is self.ruleset
        key = (seats, tuple(sorted(settings.items())))
        if key not in self._machines:
            self._machines[key] = counting_machine(ruleset, seats, settings, self.items, self.hits)
        return self._machines[key]

    def take(self) -> Counter[Point]:
        """Returns the hits since the last call, and resets them."""
        results = Counter(self.hits)
        self.hits.clear()
        return results


# --- the tests of a ruleset ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trace:
    """The hits of one test.

    `id` is the scenario's id, the name of the log file, or the number of the random game. `rules` are the ids of rules
    and rulings cited by a scenario. `error` is the error in the test, or "". `end` is the reason why a game played
    under other rules stops under these rules, or "".
    """

    kind: Literal["scenario", "log", "playout"]
    id: str
    file: str
    rules: tuple[str, ...]
    hits: Counter[Point]
    error: str = ""
    end: str = ""

    @property
    def lines(self) -> set[tuple[str, int]]:
        """The lines of rules that ran (conditions, statements and heads), as pairs of file and line."""
        return {(p.item.span.file, line) for p in self.hits for line in p.item.lines}


def trace_suite(tracer: CoverageTracer, report: Report, only: str = "") -> Iterator[Trace]:
    """Traces the tests of `rulespec test`: the scenarios of a ruleset, then its recorded games.

    Args:
        tracer: the tracer to use.
        report: the report that receives errors in the scenario files.
        only: a filter, which is a substring of a test's id or file.
    """
    ruleset = tracer.ruleset
    for scenario in suite_scenarios(ruleset, report, display):
        if only in scenario.id or only in scenario.span.file:
            yield trace_scenario(tracer, scenario)
    for path in log_files(ruleset):
        if only in display(path):
            yield trace_log(tracer, path)


def trace_scenario(tracer: CoverageTracer, scenario: Scenario) -> Trace:
    """The trace of a scenario."""
    failures = run_scenario(tracer.ruleset, scenario, tracer.machines)
    error = failures[0].diagnostic.message if failures else ""
    cites = (*scenario.rules, *scenario.ruling)
    return Trace("scenario", scenario.id, scenario.span.file, cites, tracer.take(), error)


def trace_log(tracer: CoverageTracer, path: Path) -> Trace:
    """The trace of a recorded game, up to the first illegal decision."""
    ruleset, error = tracer.ruleset, ""
    own = "+".join([named(ruleset.folders[0]), *ruleset.overlays])
    try:
        # Another machine finds the decisions, because failed attempts of the search do not count as runs of the log.
        rules = None if path.name.endswith(".jsonl") else own
        result = ReplayRequest(path, rules=rules, load=lambda _: ruleset, strict=False).replay()
        _run(tracer, result.game.names, result.game.settings, result.moves)
        error = result.divergence.refusal.reason if result.divergence is not None else ""
    except DiagnosticsError as problem:
        error = problem.diagnostics[0].message
    except RulesetFaultError as fault:
        error = str(fault)
    return Trace("log", path.name, display(path), (), tracer.take(), error)


def trace_judged(path: Path, under: str, load: Load, tracers: dict[str, CoverageTracer]) -> Trace:
    """The trace of a game under other rules, with the decisions that `judge` chooses if it may insert usual answers.

    Args:
        path: the log.
        under: a reference to the other rules; a leading `+` adds overlays to the log's own rules.
        load: a function that loads a ruleset, with a cache.
        tracers: reference of rules → tracer; new tracers are added.
    """
    error, end, hits = "", "", Counter[Point]()
    try:
        result = ReplayRequest(path, load=load).replay()
        if result.divergence is not None:
            error = f"not legal under its own rules: {result.divergence.refusal.reason}"
        else:
            ruleset = rules_under(result.log, result.game, under, load)
            settings, _ = transferred_settings(result.game, ruleset)
            other = Game(ruleset, result.game.names, settings)
            walked = walk_under(other, restarted(result.game), result.moves, usual=True)
            tracer = tracers.get(ruleset.reference) or tracers.setdefault(ruleset.reference, CoverageTracer(ruleset))
            game = _run(tracer, other.names, other.settings, [placed.move for placed in walked.moves])
            if walked.difference is not None:
                apply_recorded(game, walked.difference.recorded)  # the refusing conditions count as well
                end = walked.difference.refusal.reason
            hits = tracer.take()
    except DiagnosticsError as problem:
        error = problem.diagnostics[0].message
    except RulesetFaultError as fault:
        error = str(fault)
    return Trace("log", path.name, display(path), (), hits, error, end)


def _run(
    tracer: CoverageTracer,
    names: Sequence[str] | Mapping[str, str],
    settings: Mapping[str, str],
    moves: Iterable[Option | TakenBack],
) -> Game:
    """Applies legal moves to a new traced game, then checks invariants and scores; returns the game."""
    game = Game(tracer.ruleset, names, settings, tracer.machines)
    for move in moves:
        if isinstance(move, TakenBack):
            game.omniscient.take_back(move)
        else:
            game.apply(move)
    game.omniscient.broken_invariants()
    scores(game)
    return game


def trace_playouts(tracer: CoverageTracer, players: Sequence[int], games: int, seed: int) -> Iterator[Trace]:
    """The traces of random games, which list all options at each decision; player counts are used in turn."""
    for number in range(games):
        seats = seat_names(players[number % len(players)], tracer.ruleset.seats)
        played = play_out(Game(tracer.ruleset, seats), seed, number)
        game = Game(tracer.ruleset, seats, None, tracer.machines)
        for option in played.game.history:
            with suppress(UnlistedOptionsError):
                for _ in every_option(game):
                    pass
            game.apply(option)
        game.omniscient.broken_invariants()
        scores(game)
        error = played.failure.detail if played.failure is not None else ""
        yield Trace("playout", f"playout {number}", "", (), tracer.take(), error)


# --- sums ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Runs:
    """The hits of an outcome: the total, the number of tests that reach it, and the ids of the first few tests."""

    count: int = 0
    tests: int = 0
    by: list[str] = field(default_factory=list)

    def add(self, count: int, name: str) -> None:
        """Adds the hits of one test."""
        self.count += count
        self.tests += 1
        if len(self.by) < SHOWN and name not in self.by:
            self.by.append(name)


class Coverage:
    """The items of one or more rulesets that share files, and their hits."""

    def __init__(self) -> None:
        self.rulesets: list[typed.Ruleset] = []
        self.items: dict[CoverageItem, CoverageItem] = {}
        self.runs: dict[Point, Runs] = {}
        self.tests: list[Trace] = []

    def trace(self, ruleset: typed.Ruleset) -> CoverageTracer:
        """Adds a ruleset and its items; returns a tracer for it."""
        tracer = CoverageTracer(ruleset)
        self.rulesets.append(ruleset)
        for item in tracer.items.all:
            self.items.setdefault(item, item)
        return tracer

    def add(self, trace: Trace) -> None:
        """Adds the hits of one test."""
        self.tests.append(trace)
        for point, count in trace.hits.items():
            self.runs.setdefault(point, Runs()).add(count, trace.id)

    def missing(self, item: CoverageItem) -> list[str]:
        """The outcomes of an item that no test reaches."""
        return [o for o in item.outcomes if Point(item, o) not in self.runs]
