"""Bounds of values: declared set sizes, and intervals, which show whether a number may overflow and needs a check.

A stored number (in the state, a variable, an argument of an option) is within ±`MAX_NUMBER`. An intermediate result may
be larger but stays within `MOST`: a result that could exceed `MOST` is checked against ±`MAX_NUMBER` where it is
computed.
"""

from __future__ import annotations

from collections.abc import Callable

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.program import ir
from rulespec.engine.program.builder import no_more_than
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.engine.program.traversal import alternatives
from rulespec.language.intervals import Interval
from rulespec.language.operators import OPERATORS
from rulespec.typed import nodes as typed

Range = tuple[int, int]
NUMBERS: Range = (-MAX_NUMBER, MAX_NUMBER)
ARGUMENT: Range = (-100 * MAX_NUMBER, 100 * MAX_NUMBER)
"""The range of numeric arguments of a definition."""
MOST: Range = (-1_000 * MAX_NUMBER, 1_000 * MAX_NUMBER)


class ProgramRanges:
    """The ranges of the expressions of a program under construction.

    Attributes:
        slots: slot → range of the number in it; other slots contain entities and sets.
    """

    def __init__(self, p: ir.Program) -> None:
        self.p = p
        self.slots: dict[int, Range] = {}
        self._costs = Costs(p)
        self._entity = (-1, self._costs.largest)
        self._functions: list[Range] = []
        self._known: dict[int, tuple[ir.Expr, Range]] = {}

    def of(self, e: ir.Expr) -> Range:
        """The inclusive range of a numeric expression; meaningless for a set."""
        if isinstance(e, ir.Const):
            return e.value, e.value
        if isinstance(e, ir.Local):
            return self.slots.get(e.slot, self._entity)
        if isinstance(e, ir.Cell):
            return self._cell(self.p.cells[e.base])
        if id(e) not in self._known:
            self._known[id(e)] = e, self._of(e)
        return self._known[id(e)][1]

    def function(self, body: ir.Expr) -> None:
        """Records the range of the value of the next function in the program."""
        self._functions.append(self.of(body))

    def _cell(self, c: ir.CellName) -> Range:
        if c.type in self.p.sizes:
            return -1, self.p.sizes[c.type] - 1
        return (0, 1) if c.type == "bool" else (0, MAX_NUMBER) if c.group == "pieces" else NUMBERS

    def _of(self, e: ir.Expr) -> Range:
        if isinstance(e, ir.Op):
            return self._op(e)
        if each := alternatives(e):
            return hull(*map(self.of, each))
        if isinstance(e, ir.Logic):
            return 0, 1
        if isinstance(e, ir.Row):
            array = self.p.arrays[e.array]
            return min(array, default=0), max(array, default=0)
        if isinstance(e, ir.Lookup):
            values = self.p.tables[e.table].values()
            return min(values, default=0), max(values, default=0)
        if isinstance(e, ir.Call):
            return self._functions[e.function]
        if isinstance(e, ir.Fold) and e.op in ("min", "max") and e.body is not None and e.default is not None:
            return hull(self.of(e.body), self.of(e.default))
        if isinstance(e, ir.Fold) and e.op == "sum" and e.body is not None:
            low, high = self.of(e.body)
            most = self._costs.members(e.source)
            return min(0, most * low), max(0, most * high)
        if isinstance(e, ir.Spread) and e.default is not None:
            return hull((0, MAX_NUMBER), self.of(e.default))
        if isinstance(e, ir.PathSearch) and e.worth is not None and e.default is not None:
            return hull(self.of(e.worth), self.of(e.default))
        return self._entity

    def _op(self, e: ir.Op) -> Range:
        interval = OPERATORS[e.op].interval
        if interval is None:
            return self._entity
        value = interval(*[Interval(*self.of(a)) for a in e.args])
        least, most = self._entity
        return least if value.low is None else value.low, most if value.high is None else value.high


def hull(*ranges: Range) -> Range:
    """The smallest range that contains all the given ranges."""
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def within(one: Range, other: Range) -> bool:
    """Whether the first range lies within the second."""
    return other[0] <= one[0] and one[1] <= other[1]


def declared(
    definition: typed.Definition,
    body: ir.Expr,
    lets: list[tuple[int, ir.Expr]],
    slot: int,
    site: Callable[[Span, str], int],
) -> ir.Expr:
    """The value of a definition, which faults if the number of members exceeds the declared bound.

    Args:
        definition: the definition.
        body: the lowered value.
        lets: a list to which the binding of the value to the slot is added, if a test is necessary.
        slot: a free slot for the value.
        site: a function that returns the number of a fault site.
    """
    if definition.at_most is None:
        return body
    lets.append((slot, body))
    place = site(definition.result_span, f"`{definition.name}` has more than {definition.at_most} members")
    return no_more_than(ir.Local(slot), definition.at_most, place)
