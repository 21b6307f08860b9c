"""Sets of the places where something is, as cells of the state: they are asked for often and change seldom.

They stand behind the cells of the program, where no rule sees them, and nobody but the backend that put them there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rulespec.engine.passes.passes import everywhere
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, op
from rulespec.engine.program.interpreter import State
from rulespec.engine.program.traversal import changed, meet, span, walk

MAX_CELLS = 400_000
"""Cells of which sets are kept, counted once for each family that they are in."""
MAX_MEMBERS = 2_000
"""Members that a set may have: each cell knows its bit, which is as long as its place in the set."""


@dataclass(frozen=True, slots=True)
class Family:
    """The sets of an array of cells along one of its dimensions.

    The array begins at the cell `first` and has `size` cells; the members of a set are `count` cells of it, `stride`
    apart. The cell `at` holds the first of the sets.
    """

    first: int
    size: int
    stride: int
    count: int
    at: int = 0

    @property
    def array(self) -> range:
        """The cells that its sets are about."""
        return range(self.first, self.first + self.size)

    @property
    def sets(self) -> int:
        """How many there are."""
        return self.size // self.count

    def place(self, cell: int) -> tuple[int, int]:
        """The set that a cell of the array belongs to, and the bit that it is there."""
        outer, inner = divmod(cell - self.first, self.stride * self.count)
        member, lane = divmod(inner, self.stride)
        return self.at + outer * self.stride + lane, 1 << member


class KeptSets:
    """The families of a program whose sets are kept.

    `places` has for each cell that is in such a set its sets and the bits there. `cells` is how many cells a state has.
    """

    def __init__(self, p: ir.Program, wanted: Iterable[Family] = ()) -> None:
        # An index that is none leads to a place before the family's. A set that is found there has no members that
        # the family's cannot have: there are only smaller ones, and before all others empty ones.
        room, ordered = MAX_CELLS, []
        for f in sorted(wanted, key=lambda f: (f.count, f.first, f.stride)):
            if f.size <= room and f.count <= MAX_MEMBERS:
                ordered.append(f)
                room -= f.size
        self.first = len(p.start)
        self.cells = self.first + max((f.sets for f in ordered), default=0)
        self.families: dict[tuple[int, int, int, int], Family] = {}
        self.places: dict[int, tuple[tuple[int, int], ...]] = {}
        for f in ordered:
            placed = Family(f.first, f.size, f.stride, f.count, self.cells)
            self.families[f.first, f.size, f.stride, f.count] = placed
            self.cells += placed.sets
            for cell in f.array:
                self.places[cell] = (*self.places.get(cell, ()), placed.place(cell))

    def start(self, cells: Sequence[int]) -> State:
        """A state of these cells and the sets behind them."""
        state = [*cells, *[0] * (self.cells - self.first)]
        self.renew(state, self.places)
        return state

    def renew(self, state: State, written: Iterable[int]) -> None:
        """Brings the sets up to date that cells which somebody has written into belong to."""
        for cell in written:
            for at, bit in self.places.get(cell, ()):
                state[at] = state[at] | bit if state[cell] > 0 else state[at] & ~bit

    def cell(self, e: ir.Positive) -> ir.Expr | None:
        """The expression that reads a set; None if it is not kept."""
        family = _family(e)
        kept = self.families.get((family.first, family.size, family.stride, family.count)) if family else None
        if kept is None:
            return None
        found: ir.Expr = ir.Cell(kept.at, _index(e, kept), kept.sets)
        return found if e.count == kept.count else op("&", found, ir.Const((1 << e.count) - 1))


def with_kept_sets(p: ir.Program) -> tuple[ir.Program, KeptSets]:
    """The program with the sets read from the state that are worth it: those of cells that only transfers change."""
    asked: dict[Family, None] = {}

    def look(e: ir.Expr, _: int) -> ir.Expr:
        for part in walk(e):
            if isinstance(part, ir.Positive) and (family := _family(part)) is not None:
                asked[family] = None
        return e

    everywhere(p, look)
    stored = {span(i.target) for b in p.blocks for i in b.body if isinstance(i, ir.Store)}
    kept = KeptSets(p, [f for f in asked if not any(meet(f.array, other) for other in stored)])

    def read(e: ir.Expr, top: int) -> ir.Expr:
        e = changed(e, lambda part: read(part, top))
        return (isinstance(e, ir.Positive) and kept.cell(e)) or e

    return everywhere(p, read), kept


def _terms(e: ir.Expr) -> list[tuple[int, ir.Expr | None]]:
    """A sum as its terms: a factor and what it multiplies, which is None for a number."""
    if isinstance(e, ir.Const):
        return [(e.value, None)]
    if isinstance(e, ir.Op) and e.op == "+":
        return [*_terms(e.args[0]), *_terms(e.args[1])]
    if isinstance(e, ir.Op) and e.op == "*" and isinstance(e.args[1], ir.Const):
        return [(factor * e.args[1].value, of) for factor, of in _terms(e.args[0])]
    return [(1, e)]


def _family(e: ir.Positive) -> Family | None:
    """The family that a set belongs to; None if it is none of an array's dimensions."""
    terms = _terms(e.index)
    outer = min((factor for factor, of in terms if of is not None and factor > e.stride), default=e.size)
    count, rest = divmod(outer, e.stride)
    begins = all(factor >= 0 and factor % outer < e.stride for factor, _ in terms)
    if rest or e.size % outer or e.count > count or not begins:
        return None
    return Family(e.base, e.size, e.stride, count)


def _index(e: ir.Positive, family: Family) -> ir.Expr:
    """Which of a family's sets it is."""
    outer = family.stride * family.count
    found: ir.Expr = FALSE
    for factor, of in _terms(e.index):
        times = factor // outer * family.stride + factor % outer
        found = op("+", found, op("*", of if of is not None else ir.Const(1), ir.Const(times)))
    return found
