"""Occupancy: cells of the state that hold sets of occupied places, and the set of tokens in each place.

These sets are read often and change rarely.

Their cells follow the program's cells, and are invisible to the rules and to all machines except the one that created
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.passes.narrow import before_guards, held_mask
from rulespec.engine.passes.rewrite import conjuncts, everywhere
from rulespec.engine.program import ir
from rulespec.engine.program.blanks import NO_SET, UnknownSet
from rulespec.engine.program.builder import FALSE, logic, op
from rulespec.engine.program.cells import State
from rulespec.engine.program.traversal import Facts, changed, meet, span, walk

MAX_CELLS = 400_000
"""The maximum number of cells with maintained occupancy; a cell counts once per family."""
MAX_MEMBERS = 2_000
"""The maximum number of members in a set: the mask of a cell has as many bits as its index in the set."""


class Family(Struct, frozen=True):
    """The sets that the cells of an array form along one of its dimensions.

    The array starts at the cell `first` and has `size` cells; the members of a set are `count` of its cells, which are
    `stride` apart. The cell `at` holds the first of the sets.
    """

    first: int
    size: int
    stride: int
    count: int
    at: int = 0

    @property
    def array(self) -> range:
        """The cells of the array."""
        return range(self.first, self.first + self.size)

    @property
    def sets(self) -> int:
        """The number of sets."""
        return self.size // self.count

    def place(self, cell: int) -> tuple[int, int]:
        """For a cell of the array, the cell of the set that contains it, and its bit in that set."""
        outer, inner = divmod(cell - self.first, self.stride * self.count)
        member, lane = divmod(inner, self.stride)
        return self.at + outer * self.stride + lane, 1 << member


class Occupancy:
    """The families of sets maintained by a program.

    Args:
        p: the program.
        wanted: the candidate families; families that exceed the bounds are dropped.
        held: the candidates for sets by value (`ir.Held`), each as first cell, number of cells and array; the same
            bounds apply.

    Attributes:
        families: the families, by first cell, size, stride and count.
        places: cell → the sets that contain it, each with the cell's bit.
        holdings: the accepted `held`, each with the cell of the set for value 0; the set for none (-1) precedes it.
        houses: cell → for each holding, the cell of its first set, the bit and the array.
        cells: the number of cells of a state.
    """

    def __init__(self, p: ir.Program, wanted: Iterable[Family] = (), held: Iterable[tuple[int, int, int]] = ()) -> None:
        # The index of none (-1) leads to the cell before a family. There are sets with smaller members only, and
        # empty sets before the first family, so no member is found that the family cannot have.
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
        self.holdings: dict[tuple[int, int, int], int] = {}
        self.houses: dict[int, tuple[tuple[int, int, tuple[int, ...]], ...]] = {}
        self._sets: dict[int, int] = {}
        """The first set of each holding → their number, without the one for none."""
        for base, count, number in held:
            array = p.arrays[number]
            if len(array) <= room and count <= MAX_MEMBERS:
                room -= len(array)
                self.holdings[base, count, number] = first = self.cells + 1
                self._sets[first] = max(array) + 1
                self.cells = first + self._sets[first]
                for i in range(count):
                    self.houses[base + i] = (*self.houses.get(base + i, ()), (first, 1 << i, array))

    def start(self, cells: Sequence[int]) -> State:
        """A state that consists of the given cells, followed by the cells of their sets."""
        state = [*cells, *[0] * (self.cells - self.first)]
        self.update(state, [*self.places, *self.houses])
        return state

    def sets(self, written: Iterable[int]) -> Iterator[int]:
        """The cells of the sets that may change when the given cells are written."""
        for cell in written:
            yield from (at for at, _ in self.places.get(cell, ()))
            for first, _, array in self.houses.get(cell, ()):
                yield from range(first - 1, first + max(array) + 1)

    def unknown(
        self, state: State, cells: Iterable[int], within: Mapping[int, frozenset[int]], counted: Mapping[int, Set[int]]
    ) -> dict[int, UnknownSet]:
        """The cells of the sets that are not fully known while some cells are unknown, each with the known part of its
        set.

        Args:
            state: the cells.
            cells: the unknown cells.
            within: the possible values of some unknown cells.
            counted: cell → the values whose number among the cells is public.
        """
        results: dict[int, UnknownSet] = {}
        among: dict[int, int] = {}
        for cell in cells:
            results |= {at: NO_SET for at, _ in self.places.get(cell, ())}
            for first, bit, array in self.houses.get(cell, ()):
                if cell not in within:
                    results |= dict.fromkeys(range(first - 1, first + max(array) + 1), NO_SET)
                elif len(sets := {first + array[value] for value in within[cell]}) > 1:
                    results |= {first + array[value]: NO_SET for value in within[cell] - counted[cell]}
                    for at in sets:
                        among[at] = among.get(at, 0) | bit
        for at, bits in among.items():
            if at not in results:
                results[at] = UnknownSet(state[at] & ~bits, bits, (state[at] & bits).bit_count())
        return results

    def update(self, state: State, written: Iterable[int]) -> None:
        """Updates the sets after writes to cells."""
        for cell in written:
            for at, bit in self.places.get(cell, ()):
                state[at] = state[at] | bit if state[cell] > 0 else state[at] & ~bit
            for first, bit, array in self.houses.get(cell, ()):
                for at in range(first - 1, first + max(array) + 1):
                    state[at] = state[at] | bit if at == first + array[state[cell]] else state[at] & ~bit

    def cell(self, e: ir.Positive | ir.Held) -> ir.Expr | None:
        """The expression that reads a maintained set; None if the set is not maintained."""
        if isinstance(e, ir.Held):
            at = self.holdings.get((e.base, e.count, e.array))
            return None if at is None else ir.Cell(at, e.value, self._sets[at])
        keys = ((f.first, f.size, f.stride, f.count) for f in _families(e))
        placed = next((self.families[key] for key in keys if key in self.families), None)
        if placed is None:
            return None
        result: ir.Expr = ir.Cell(placed.at, _index(e, placed), placed.sets)
        return result if e.count == placed.count else op("&", result, ir.Const((1 << e.count) - 1))


def with_occupancy(p: ir.Program, *, definitions_only: bool = False) -> tuple[ir.Program, Occupancy]:
    """The program, rewritten to read maintained sets (for tokens, and for cells that only transfers change), and these
    sets.

    With `definitions_only`, expressions in blocks, decisions and invariants read no maintained sets; the pass then
    takes a third of the time.
    """
    rewritten = replace(p, blocks=[], decisions=[], invariants=[]) if definitions_only else p
    asked: list[list[Family]] = []
    held: dict[tuple[int, int, int], None] = {}

    def look(e: ir.Expr, _: int) -> ir.Expr:
        for part in walk(e):
            if isinstance(part, ir.Positive):
                asked.append(list(_families(part)))
            elif isinstance(part, ir.Held):
                held[part.base, part.count, part.array] = None
        return e

    everywhere(rewritten, look)
    stored = {span(i.target) for b in p.blocks for i in b.body if isinstance(i, ir.Store)}
    sure = {result[0] for result in asked if len(result) == 1}
    wanted = dict.fromkeys(next((f for f in result if f in sure), result[0]) for result in asked if result)
    occupancy = Occupancy(p, [f for f in wanted if not any(meet(f.array, other) for other in stored)], held)

    facts = Facts(p)

    def read(e: ir.Expr, top: int) -> ir.Expr:
        e = changed(e, lambda part: read(part, top))
        if isinstance(e, ir.Fold) and e.where is not None and not isinstance(e.source, ir.Const):
            return narrowed_by_sets(e, facts, occupancy.cell)
        return (isinstance(e, ir.Positive | ir.Held) and occupancy.cell(e)) or e

    fast = everywhere(rewritten, read)
    if definitions_only:
        fast = replace(fast, blocks=p.blocks, decisions=p.decisions, invariants=p.invariants)
    return fast, occupancy


def _terms(e: ir.Expr) -> list[tuple[int, ir.Expr | None]]:
    """The terms of a sum: pairs of a factor and an expression, or None for a plain number."""
    if isinstance(e, ir.Const):
        return [(e.value, None)]
    if isinstance(e, ir.Op) and e.op == "+":
        return [*_terms(e.args[0]), *_terms(e.args[1])]
    if isinstance(e, ir.Op) and e.op == "*" and isinstance(e.args[1], ir.Const):
        return [(factor * e.args[1].value, of) for factor, of in _terms(e.args[0])]
    return [(1, e)]


def _families(e: ir.Positive) -> Iterator[Family]:
    """The families that a set may belong to, exact sizes first; none if the set does not match an array's dimensions.

    If an entity is a constant, its part of the index is a number; then only the number of members shows that the set is
    one of a family over entities.
    """
    terms = _terms(e.index)
    named = min((factor for factor, of in terms if of is not None and factor > e.stride), default=e.size)
    for outer in dict.fromkeys((e.stride * e.count, named)):
        count, rest = divmod(outer, e.stride)
        begins = all(factor >= 0 and factor % outer < e.stride for factor, _ in terms)
        if begins and not rest and e.size % outer == 0 and e.count <= count:
            yield Family(e.base, e.size, e.stride, count)


def _index(e: ir.Positive, family: Family) -> ir.Expr:
    """The index of a set within its family."""
    outer = family.stride * family.count
    result: ir.Expr = FALSE
    for factor, of in _terms(e.index):
        times = factor // outer * family.stride + factor % outer
        result = op("+", result, op("*", of if of is not None else ir.Const(1), ir.Const(times)))
    return result


MOST_WORTH = 512
"""The size of a set beyond which testing the cells of a few neighbours is faster than intersecting it with another."""

Lookup = Callable[[ir.Held], ir.Expr | None]
"""A function that returns the expression that reads a set; None if the set is not maintained."""


def narrowed_by_sets(e: ir.Fold, facts: Facts, lookup: Lookup) -> ir.Expr:
    """The fold, restricted to members of the maintained sets that decide its conditions.

    Conditions that no maintained set decides remain, and so do all conditions after one that may fault.
    """
    source, first = e.source, True
    left: list[ir.Expr] = []
    for test in conjuncts(e.where):
        candidate = None if any(facts.may_fault(x) for x in (*left, test)) else held_mask(test, e.slot, facts)
        mask = None
        if candidate is not None and candidate[0].count <= MOST_WORTH:
            wanted = candidate[0] if first else before_guards(candidate[0], facts)
            assert isinstance(wanted, ir.Held)
            mask = lookup(wanted)
        if candidate is None or mask is None:
            left.append(test)
        else:
            source = op("diff" if candidate[1] else "&", source, mask)
        first = False
    if source is e.source:
        return e
    if e.op == "set" and not left and e.start is None and e.body is None:
        return source
    return replace(e, source=source, where=logic("and", left) if left else None)
