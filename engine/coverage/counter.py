"""Coverage counting, with marks in the program and an observer of the interpreter.

The program is lowered slightly differently: conditions that select the next block are counted even if they are
constant under the ruleset's settings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rulespec.engine.coverage.items import ELSE, OPTION, OVER, RUN, TESTED, TURN, Items, Point
from rulespec.engine.lower.lowering import lower
from rulespec.engine.lower.scope import Marks, Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE
from rulespec.engine.program.execution import Observer
from rulespec.engine.program.interpreter import Interpreter
from rulespec.typed import nodes as typed
from rulespec.types import none_of


def counting_machine(
    ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], items: Items, hits: Counter[Point]
) -> Interpreter:
    """An interpreter that counts in `hits` how often each outcome of the items is reached."""
    marks = _ItemMarks(items)
    program = lower(ruleset, seats, settings, marks)
    marks.add_entries(program)
    return Interpreter(program, observer=_HitCounter(program, items, marks, hits))


class _Counted(ir.If, frozen=True):
    """A counted expression, disguised as a conditional with a constant condition, which every machine can run."""

    points: Mapping[int, Point]
    other_point: Point | None

    def point(self, value: int) -> Point | None:
        return self.points.get(value, self.other_point)


class _ItemMarks(Marks):
    """The marks on expressions of items, and the places of outcomes in the program.

    Attributes:
        blocks: block → outcomes reached with it.
        ways: edge between two blocks → outcome reached with it.
        functions: function number → outcome of its definition.
    """

    def __init__(self, items: Items) -> None:
        self.items = items
        self.blocks: dict[int, list[Point]] = {}
        self.ways: dict[tuple[int, int], Point] = {}
        self.functions: dict[int, Point] = {}

    def expression(self, e: typed.Expr, lowered: ir.Expr) -> ir.Expr:
        """The lowered expression, wrapped for counting if an item depends on its value."""
        if id(e) in self.items.tests:
            item = self.items.tests[id(e)]
            return _Counted(TRUE, lowered, FALSE, {0: Point(item, TESTED[1])}, Point(item, TESTED[0]))
        if id(e) in self.items.somes:
            item = self.items.somes[id(e)]
            fails = Point(item, TESTED[1])
            return _Counted(TRUE, lowered, FALSE, {none_of(e.type): fails}, Point(item, TESTED[0]))
        if id(e) in self.items.matches:
            item, outcomes = self.items.matches[id(e)]
            other = Point(item, ELSE) if ELSE in item.outcomes else None
            return _Counted(TRUE, lowered, FALSE, {v: Point(item, o) for v, o in outcomes.items()}, other)
        return lowered

    def definition(self, definition: typed.Definition, function: int) -> None:
        """Records the function that computes a definition, if the definition is a coverage item."""
        item = self.items.definitions.get(definition.span)
        if item is not None:
            self.functions[function] = Point(item, "run")

    def statement(self, s: typed.Stmt, block: int, scope: Scope) -> None:
        """Records the block that executes a statement, if the statement is a coverage item."""
        if id(s) in self.items.statements:
            self._add(block, Point(self.items.statements[id(s)], "run"))

    def loop(self, body: typed.Block, block: int, again: int, leave: int) -> None:
        """Records the block that runs in each iteration of a loop, and the edge taken when the loop ends."""
        item = self.items.loops.get(id(body))
        if item is not None:
            self._add(block, Point(item, TURN))
            if OVER in item.outcomes:
                self.ways[again, leave] = Point(item, OVER)

    def otherwise(self, s: typed.Otherwise, block: int) -> None:
        """Records the block for the case without legal options."""
        self._add(block, Point(self.items.idle[s.span], RUN[0]))

    def add_entries(self, program: ir.Program) -> None:
        """Records the first blocks of procedures, decisions and options of the lowered program."""
        for name, (block, _) in program.entries.items():
            self._add(block, Point(self.items.procedures[name], "run"))
        for decision in program.decisions:
            if decision.span in self.items.draws:
                continue
            self._add(decision.block, Point(self.items.decisions[decision.span], "asked"))
            for choice in decision.choices:
                self._add(choice.block, Point(self.items.options[choice.span], OPTION[1]))

    def _add(self, block: int, point: Point) -> None:
        self.blocks.setdefault(block, []).append(point)


class _HitCounter(Observer):
    """An observer that counts the outcomes reached by an interpreter."""

    def __init__(self, program: ir.Program, items: Items, marks: _ItemMarks, hits: Counter[Point]) -> None:
        self.p = program
        self.items = items
        self.marks = marks
        self.hits = hits
        self.conditions = {
            span: (Point(item, TESTED[1]), Point(item, TESTED[0]))
            for span, item in {**items.conditions, **items.ranges}.items()
        }

    def chosen(self, e: ir.If, value: int) -> None:
        """Counts the outcome that an expression's value stands for, if the expression is wrapped for counting."""
        point = e.point(value) if isinstance(e, _Counted) else None
        if point is not None:
            self.hits[point] += 1

    def called(self, function: int) -> None:
        """Counts the call of a definition; functions without a definition in the rules are ignored."""
        if function in self.marks.functions:
            self.hits[self.marks.functions[function]] += 1

    def asked(self, e: ir.Expr) -> None:
        """Counts the evaluation of an expression if it is the scoring of the ruleset."""
        if self.p.scoring is not None and e is self.p.scoring.score and self.items.scoring is not None:
            self.hits[Point(self.items.scoring, "run")] += 1

    def entered(self, block: int, before: int) -> None:
        """Counts a block, and the edge that led to it."""
        if (before, block) in self.marks.ways:
            self.hits[self.marks.ways[before, block]] += 1
        for point in self.marks.blocks.get(block, ()):
            self.hits[point] += 1

    def tested(self, condition: ir.Condition, holds: bool) -> None:
        """Counts the outcome of a condition."""
        if condition.span in self.conditions:
            self.hits[self.conditions[condition.span][holds]] += 1

    def compared(self, param: ir.Param, fits: bool) -> None:
        """Counts a refused argument, and an accepted one unless its parameter has a `where`, whose test is counted
        instead.
        """
        if param.span in self.conditions and not (fits and param.where is not None):
            self.hits[self.conditions[param.span][fits]] += 1

    def legal(self, decision: int, choice: int) -> None:
        """Counts a legal option."""
        if self.p.decisions[decision].span not in self.items.draws:
            self.hits[Point(self.items.options[self.p.decisions[decision].choices[choice].span], OPTION[0])] += 1

    def wants_invariants(self) -> bool:
        """Whether the current test has not yet checked invariants; once is enough, since they take most of the time."""
        return not any(point.item.kind == "invariant" for point in self.hits)
