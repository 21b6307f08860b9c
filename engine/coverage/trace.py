"""What of a ruleset's rules is run by its scenarios, its recorded games and random games.

The interpreter runs the rules, on a program that is lowered a little differently: the values that say where the rules
go on are counted, even where the ruleset's options settle them. See `items` for what is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.text_files import display
from rulespec.engine.coverage.items import ELSE, OPTION, OVER, TESTED, TURN, Point, Unit, Units
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.machines import seat_names
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.view import scores
from rulespec.engine.lower.expressions import ExpressionLowering, Layout, Scope
from rulespec.engine.lower.lowering import Lowering
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE
from rulespec.engine.program.interpreter import Interpreter, Journal, Listed, State
from rulespec.engine.replay.replay import replay_file
from rulespec.engine.simulate.playouts import play_out
from rulespec.engine.verify.scenario import Scenario, suite_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
from rulespec.engine.verify.suite import log_files
from rulespec.typed import nodes as typed

SHOWN = 3
"""How many of the tests that run something are named."""


# --- running and counting --------------------------------------------------------------------


class _Seen(ir.If, frozen=True):
    """An expression whose value is counted: a choice that is settled, so that every backend knows what it means."""

    points: Mapping[int, Point]
    other_point: Point | None

    def point(self, value: int) -> Point | None:
        return self.points.get(value, self.other_point)


class _Expressions(ExpressionLowering):
    """Marks what is counted."""

    def __init__(self, layout: Layout, settings: Mapping[str, str], program: ir.Program, units: Units) -> None:
        super().__init__(layout, settings, program)
        self.units = units

    def expr(self, e: typed.Expr, scope: Scope) -> ir.Expr:
        lowered = super().expr(e, scope)
        if id(e) in self.units.tests:
            unit = self.units.tests[id(e)]
            return _Seen(TRUE, lowered, FALSE, {0: Point(unit, TESTED[1])}, Point(unit, TESTED[0]))
        if id(e) in self.units.matches:
            unit, outcomes = self.units.matches[id(e)]
            other = Point(unit, ELSE) if ELSE in unit.outcomes else None
            return _Seen(TRUE, lowered, FALSE, {v: Point(unit, o) for v, o in outcomes.items()}, other)
        return lowered

    def definitions(self) -> dict[int, Point]:
        """The number of a function → that it is called."""
        return {n: Point(self.units.definitions[d.span], "run") for d, n in self._functions.items()}


class _Lowering(Lowering):
    """Remembers in which block each statement came to lie."""

    def __init__(self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], units: Units) -> None:
        super().__init__(ruleset, seats, settings)
        self.watched = _Expressions(self.layout, settings, self.p, units)
        self.x = self.watched
        self.units = units
        self.blocks: dict[int, list[Point]] = {}
        self.ways: dict[tuple[int, int], Point] = {}

    def _stmts(self, block: typed.Block, scope: Scope) -> Scope:
        loop = self.units.loops.get(id(block))
        if loop is not None:
            self._at(self.here, Point(loop, TURN))
            if OVER in loop.outcomes:
                self.ways[self.loops[-1].again, self.loops[-1].leave] = Point(loop, OVER)
        return super()._stmts(block, scope)

    def _stmt(self, s: typed.Stmt, scope: Scope) -> Scope:
        if id(s) in self.units.statements:
            self._at(self.here, Point(self.units.statements[id(s)], "run"))
        return super()._stmt(s, scope)

    def _at(self, block: int, point: Point) -> None:
        self.blocks.setdefault(block, []).append(point)

    def watch(self) -> dict[int, list[Point]]:
        """Lowers the ruleset, and gives what it means that a block is run."""
        self.run()
        for name, (block, _) in self.p.entries.items():
            self._at(block, Point(self.units.procedures[name], "run"))
        for decision in self.p.decisions:
            self._at(decision.block, Point(self.units.decisions[decision.span], "asked"))
            for choice in decision.choices:
                self._at(choice.block, Point(self.units.options[choice.span], OPTION[1]))
        return self.blocks


class _Machine(Interpreter):
    """The interpreter, counting."""

    def __init__(
        self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], units: Units, hits: Counter[Point]
    ) -> None:
        lowering = _Lowering(ruleset, seats, settings, units)
        self.blocks = lowering.watch()
        super().__init__(lowering.p)
        self.ways = lowering.ways
        self.functions = lowering.watched.definitions()
        self.units = units
        self.hits = hits
        self.conditions = {
            span: (Point(unit, TESTED[1]), Point(unit, TESTED[0]))
            for span, unit in {**units.conditions, **units.ranges}.items()
        }

    def choose(self, e: ir.If, state: State, slots: State) -> int:
        value = super().choose(e, state, slots)
        point = e.point(value) if isinstance(e, _Seen) else None
        if point is not None:
            self.hits[point] += 1
        return value

    def call(self, e: ir.Call, state: State, slots: State) -> int:
        self.hits[self.functions[e.function]] += 1
        return super().call(e, state, slots)

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        self.enter(block, -1)
        return super().run(state, block, args)

    def enter(self, block: int, before: int) -> None:
        if (before, block) in self.ways:
            self.hits[self.ways[before, block]] += 1
        for point in self.blocks.get(block, ()):
            self.hits[point] += 1

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        if self.p.scoring is not None and e is self.p.scoring.score and self.units.scoring is not None:
            self.hits[Point(self.units.scoring, "run")] += 1
        return super().value(e, state, args)

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        # They look at everything and take most of the time; whether they hold all along is not the question here.
        if any(point.unit.kind == "invariant" for point in self.hits):
            return []
        return super().broken(state, since)

    def holds(self, condition: ir.Condition, state: State, slots: State) -> bool:
        found = super().holds(condition, state, slots)
        if condition.span in self.conditions:
            self.hits[self.conditions[condition.span][found]] += 1
        return found

    def in_domain(self, state: State, param: ir.Param, value: int, slots: State) -> bool:
        found = super().in_domain(state, param, value, slots)
        if param.span in self.conditions and not (found and param.where is not None):
            self.hits[self.conditions[param.span][found]] += 1
        return found

    def _listed(self, state: State, decision: int, *, interrupts: bool) -> Iterator[Listed]:
        for listed in super()._listed(state, decision, interrupts=interrupts):
            self._legal(decision, listed[0])
            yield listed

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        found = super().is_legal(state, decision, choice, args)
        if found:
            self._legal(decision, choice)
        return found

    def _legal(self, decision: int, choice: int) -> None:
        self.hits[Point(self.units.options[self.p.decisions[decision].choices[choice].span], OPTION[0])] += 1


class Tracer:
    """Runs a ruleset and counts; `machines` is given to a game as its backend."""

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self.ruleset = ruleset
        self.units = Units(ruleset)
        self.hits: Counter[Point] = Counter()
        self._machines: dict[tuple[object, ...], _Machine] = {}

    def machines(self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Interpreter:
        """The machine for so many seats and these settings."""
        assert ruleset is self.ruleset
        key = (seats, tuple(sorted(settings.items())))
        if key not in self._machines:
            self._machines[key] = _Machine(ruleset, seats, settings, self.units, self.hits)
        return self._machines[key]

    def take(self) -> Counter[Point]:
        """What has been counted since the last time."""
        found = Counter(self.hits)
        self.hits.clear()
        return found


# --- the tests of a ruleset ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trace:
    """What one test has run.

    `id` is that of the scenario, the name of the log's file, or the number of the random game; `rules` are the ids of
    rules and rulings that a scenario cites; `error` says what is wrong with the test.
    """

    kind: Literal["scenario", "log", "playout"]
    id: str
    file: str
    rules: tuple[str, ...]
    hits: Counter[Point]
    error: str = ""

    @property
    def lines(self) -> set[tuple[str, int]]:
        """The lines of rules that were run, as file and line: conditions, statements, heads."""
        return {(p.unit.span.file, line) for p in self.hits for line in p.unit.lines}


def trace_suite(tracer: Tracer, report: Report, only: str = "") -> Iterator[Trace]:
    """Runs what `rulespec test` runs: the scenarios of a reference, then its recorded games.

    Args:
        tracer: counts.
        report: takes what is wrong with scenario files themselves.
        only: a text that the id or the file of a test must contain.
    """
    ruleset = tracer.ruleset
    for scenario in suite_scenarios(ruleset, report, display):
        if only in scenario.id or only in scenario.span.file:
            yield trace_scenario(tracer, scenario)
    for path in log_files(ruleset):
        if only in display(path):
            yield trace_log(tracer, path)


def trace_scenario(tracer: Tracer, scenario: Scenario) -> Trace:
    """Runs a scenario."""
    failures = run_scenario(tracer.ruleset, scenario, tracer.machines)
    error = failures[0].diagnostic.message if failures else ""
    cites = (*scenario.rules, *scenario.ruling)
    return Trace("scenario", scenario.id, scenario.span.file, cites, tracer.take(), error)


def trace_log(tracer: Tracer, path: Path) -> Trace:
    """Runs the decisions of a recorded game, as far as they are legal."""
    ruleset, error = tracer.ruleset, ""
    own = "+".join([str(ruleset.folders[0]), *ruleset.overlays])
    try:
        # The generated program finds the decisions; what it tries in vain on the way is not what the log runs.
        rules = None if path.name.endswith(".jsonl") else own
        found = replay_file(path, rules=rules, load=lambda _: ruleset, strict=False)
        game = Game(ruleset, found.game.seats, found.game.settings, tracer.machines)
        for move in found.moves:
            if isinstance(move, TakenBack):
                game.take_back(move)
            else:
                game.apply(move)
        game.broken_invariants()
        scores(game)
        error = found.divergence.refusal.reason if found.divergence is not None else ""
    except DiagnosticsError as problem:
        error = problem.diagnostics[0].message
    except RulesetFaultError as fault:
        error = str(fault)
    return Trace("log", path.name, display(path), (), tracer.take(), error)


def trace_playouts(tracer: Tracer, players: Sequence[int], games: int, seed: int) -> Iterator[Trace]:
    """Plays random games, with every option listed at every decision; numbers of players go round."""
    for number in range(games):
        seats = seat_names(players[number % len(players)])
        played = play_out(tracer.ruleset, seats, seed, number)
        game = Game(tracer.ruleset, seats, None, tracer.machines)
        for option in played.game.history:
            for _ in every_option(game):
                pass
            game.apply(option)
        game.broken_invariants()
        scores(game)
        error = played.failure.detail if played.failure is not None else ""
        yield Trace("playout", f"playout {number}", "", (), tracer.take(), error)


# --- what it comes to ------------------------------------------------------------------------


@dataclass(slots=True)
class Runs:
    """How often an outcome was seen: in all, in how many tests, and the first of them."""

    count: int = 0
    tests: int = 0
    by: list[str] = field(default_factory=list)

    def add(self, count: int, name: str) -> None:
        """Counts a test in."""
        self.count += count
        self.tests += 1
        if len(self.by) < SHOWN and name not in self.by:
            self.by.append(name)


class Coverage:
    """What has been run of the units of one ruleset, or of several that share files."""

    def __init__(self) -> None:
        self.rulesets: list[typed.Ruleset] = []
        self.units: dict[Unit, Unit] = {}
        self.runs: dict[Point, Runs] = {}
        self.tests: list[Trace] = []

    def trace(self, ruleset: typed.Ruleset) -> Tracer:
        """Adds a ruleset and its units, and gives what runs it."""
        tracer = Tracer(ruleset)
        self.rulesets.append(ruleset)
        for unit in tracer.units.all:
            self.units.setdefault(unit, unit)
        return tracer

    def add(self, trace: Trace) -> None:
        """Counts a test in."""
        self.tests.append(trace)
        for point, count in trace.hits.items():
            self.runs.setdefault(point, Runs()).add(count, trace.id)

    def missing(self, unit: Unit) -> list[str]:
        """The outcomes of a unit that nothing has come to."""
        return [o for o in unit.outcomes if Point(unit, o) not in self.runs]
