"""The width in words of each value of a program: sets and orders may have more than 64 bits.

In most programs each value is one word. A set of up to 1,024 members is handled on the stack and in locals, word by
word; larger sets, and multi-word orders, are rows in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rulespec.engine.program import ir
from rulespec.engine.program.columns import value_bits
from rulespec.engine.program.traversal import Binding, alternatives, binds, parts, walk
from rulespec.engine.wasm.roots import roots
from rulespec.language.bags import BITS
from rulespec.language.paths import MAX_STOPS, bits_of
from rulespec.types import FAST_MEMBERS

WORD = 64
"""Bits per word."""
MOST_ON_STACK = FAST_MEMBERS // WORD
"""The maximum width of a set on the stack, in words."""
ROW = MOST_ON_STACK + 1
"""The width that stands for a row in memory; all rows of a program have the same length."""
_OF_BAGS = {"lot": BITS, "entities": 1}
_OF_ORDERS = frozenset({"append", "without", "behind", "members"})
_NONE: Mapping[int, int] = {}


class Widths:
    """The widths of a program's values in words: 1 to `MOST_ON_STACK`, or `ROW`.

    Args:
        p: the optimised program.
        cells: the number of cells of a state.
        added: cell added after those of the program → the number of members of its set.
        orders: whether there are multi-word orders.

    Attributes:
        words: the width in memory of a cell with a multi-word value; 0 if there are none.
        bits: the number of bits of each cell's value; 1 unless it is a set or an order.
        of_cells: for each cell, the width of its value.
        cells: for each cell, whether it has more than one word.
        functions: for each definition, the facts about its slots, and the width of its result.

    If a slot holds a set, the fact about the slot is the width of the set. If it holds a member, the fact is the
    negative width of a set that contains the member.
    """

    def __init__(self, p: ir.Program, cells: int, added: Mapping[int, int], *, orders: bool = False) -> None:
        self.p = p
        bits = [value_bits(c.type, p.sizes) for c in p.cells] + [added.get(at, 1) for at in range(len(p.cells), cells)]
        most = max([*bits, *p.sizes.values()])
        self.bits = bits
        arrays = [_longest_value(array) for array in p.arrays]
        tables = [_longest_value(table.values()) for table in p.tables]
        most = max([most, *arrays, *tables, *_paths(p)])
        self.of_cells = [1] * cells
        self.cells = [False] * cells
        self.words = 0
        self.functions: list[tuple[dict[int, int], int]] = [({}, 1) for _ in p.functions]
        if most <= WORD and not orders:
            return
        self.words = -(-max(most, _longest(p)) // WORD)
        orders_at = {at for at, c in enumerate(p.cells) if c.type.startswith("order ")}
        self.of_cells = [_of_order(size) if at in orders_at else words_of(size) for at, size in enumerate(bits)]
        self._join()
        self.cells = [words > 1 for words in self.of_cells]
        self._arrays, self._tables = [words_of(each) for each in arrays], [words_of(each) for each in tables]
        self._largest = words_of(max(p.sizes.values()))
        self._follow()

    def of(self, e: ir.Expr, slots: Mapping[int, int] = _NONE) -> int:
        """The width of a value, given the widths of slots."""
        if not self.words:
            return 1
        if isinstance(e, ir.Const):
            return words_of(e.value.bit_length())
        if isinstance(e, ir.Local):
            return max(1, slots.get(e.slot, 1))
        if isinstance(e, ir.Cell):
            return self.of_cells[e.base]
        if isinstance(e, ir.Row):
            return self.of_array(e.array)
        if isinstance(e, ir.Lookup):
            return self._tables[e.table]
        if isinstance(e, ir.Op):
            return self._op(e, slots)
        if isinstance(e, ir.Fold):
            return self._fold(e, slots)
        if isinstance(e, ir.Closure):
            return max(self.of(e.start, slots), self.of(e.step, {**slots, e.slot: -self._largest}))
        if isinstance(e, ir.Ranked):
            if e.op == "order":
                return _of_order(order_bits(self.p, e.bits))
            return self.of(e.source, slots) if e.op == "best" else 1
        if isinstance(e, ir.Spread):
            return words_of(e.size) if e.default is None else 1
        if isinstance(e, ir.PathSearch):
            return words_of(e.size) if e.finds == "trail" else 1
        if isinstance(e, ir.Positive | ir.Held):
            return words_of(e.count)
        if isinstance(e, ir.Inverse):
            return words_of(len(self.p.arrays[e.array]))
        if isinstance(e, ir.Call):
            return self.functions[e.function][1]
        return max((self.of(part, slots) for part in alternatives(e)), default=1)

    def of_array(self, number: int) -> int:
        """The width of each value in an array."""
        return self._arrays[number] if self.words else 1

    def _op(self, e: ir.Op, slots: Mapping[int, int]) -> int:
        if e.op == "|":
            return max(self.of(a, slots) for a in e.args)
        if e.op == "&":
            return min(self.of(a, slots) for a in e.args)
        if e.op in ("diff", "until", "behind"):
            return self.of(e.args[0], slots)
        if e.op in ("bit", "one"):
            return self.within(e.args[0], slots)
        if e.op == "moved":
            return self.of(e.args[2], slots)
        if e.op in _OF_BAGS:
            size = e.args[-1]
            assert isinstance(size, ir.Const)
            return words_of(_OF_BAGS[e.op] * size.value)
        if e.op in ("append", "without", "members"):
            bits = e.args[-1]
            assert isinstance(bits, ir.Const)
            longest = order_bits(self.p, bits.value)
            return words_of(longest // bits.value) if e.op == "members" else _of_order(longest)
        return 1

    def _fold(self, e: ir.Fold, slots: Mapping[int, int]) -> int:
        inner = {**slots, **self.bound(e, slots)}
        if e.op == "union" and e.body is not None:
            return self.of(e.body, inner)
        if e.op != "set":
            return 1
        return self.within(ir.Local(e.slot) if e.body is None else e.body, inner)

    def within(self, member: ir.Expr, slots: Mapping[int, int]) -> int:
        """The width of a set that is certain to contain the value of `member`."""
        if isinstance(member, ir.Const):
            return words_of(member.value + 1)
        if isinstance(member, ir.Local):
            return -min(slots.get(member.slot, 0), 0) or self._largest
        if isinstance(member, ir.Cell):
            if member.base >= len(self.p.cells):  # a cell added by a pass holds a set, never a member
                return self._largest
            size = self.p.sizes.get(self.p.cells[member.base].type.removesuffix("?"))
            return self._largest if size is None else words_of(size)
        if isinstance(member, ir.Row):
            return words_of(max(self.p.arrays[member.array], default=0) + 1)
        if isinstance(member, ir.If):
            return max(self.within(member.then, slots), self.within(member.other, slots))
        if isinstance(member, ir.Logic) and member.op == "??":
            return max(self.within(arg, slots) for arg in member.args)
        if isinstance(member, ir.Fold | ir.Ranked) and member.op == "first":
            return self.of(member.source, slots)
        if isinstance(member, ir.Op) and member.op in ("pick", "the"):
            return self.of(member.args[0], slots)
        if isinstance(member, ir.Op) and member.op == "next" and isinstance(member.args[1], ir.Const):
            return words_of(member.args[1].value)
        return self._largest

    def bound(self, e: Binding, slots: Mapping[int, int]) -> dict[int, int]:
        """Facts about the slots that an expression binds to members."""
        if isinstance(e, ir.Spread):
            return dict.fromkeys(binds(e), -words_of(e.size))
        if isinstance(e, ir.PathSearch):
            return self._walk_slots(e, slots)
        return {e.slot: -self.of(e if isinstance(e, ir.Closure) else e.source, slots)}

    def _walk_slots(self, e: ir.PathSearch, slots: Mapping[int, int]) -> dict[int, int]:
        """Facts about the slots of partial paths: the path, its last and its next stop, and the sets used."""
        member = -words_of(e.size)
        results = {e.slot: words_of(MAX_STOPS * bits_of(e.size)), e.at: member, e.to: member, e.left: 0}
        known = {**slots, **results}
        return results | {slot: self.of(use, known) for slot, use in zip(e.used, e.uses, strict=True)}

    def _join(self) -> None:
        """Widens cells addressed by the same index to one width."""
        spans = {(x.base, x.size) for e in roots(self.p) for x in walk(e) if isinstance(x, ir.Cell) and x.size > 1}
        spans = {span for span in spans if any(words > 1 for words in self.of_cells[span[0] : sum(span)])}
        moved = True
        while moved:
            moved = False
            for base, size in spans:
                cells = self.of_cells[base : base + size]
                if min(cells) < max(cells):
                    self.of_cells[base : base + size] = [max(cells)] * size
                    moved = True

    def _follow(self) -> None:
        """Computes the widths of parameters and results of definitions as a fixed point."""
        moved = True
        while moved:
            moved = False
            for e, slots in self._asked():
                for x, known in self._walk(e, slots):
                    if isinstance(x, ir.Call):
                        inner = self.functions[x.function][0]
                        for slot, arg in enumerate(x.args):
                            moved |= self._note(inner, slot, arg, known)
            for number, f in enumerate(self.p.functions):
                slots, result = self.functions[number]
                for slot, value in f.lets:
                    moved |= self._note(slots, slot, value, slots)
                if (words := self.of(f.body, slots)) > result:
                    self.functions[number] = (slots, words)
                    moved = True

    def _note(self, slots: dict[int, int], slot: int, value: ir.Expr, known: Mapping[int, int]) -> bool:
        """Records the known width of a slot's new value; returns whether it has grown."""
        words, before = self.of(value, known), slots.get(slot, 0)
        result = words if words > 1 else -self.within(value, known)
        if result > max(1, before) or (before <= 0 and result < before):
            slots[slot] = result
            return True
        return False

    def _walk(self, e: ir.Expr, slots: Mapping[int, int]) -> Iterator[tuple[ir.Expr, Mapping[int, int]]]:
        """An expression and all its parts, each with the known widths of slots there."""
        yield e, slots
        if isinstance(e, Binding):
            slots = {**slots, **self.bound(e, slots)}
        for part in parts(e):
            yield from self._walk(part, slots)

    def _asked(self) -> Iterator[tuple[ir.Expr, Mapping[int, int]]]:
        """All expressions, each with the known widths of slots around it."""
        for f, (slots, _) in zip(self.p.functions, self.functions, strict=True):
            yield from ((e, slots) for e in (*(value for _, value in f.lets), f.body))
        for d in self.p.decisions:
            for c in d.choices:
                named = self.named(c)
                yield from ((e, named) for r in c.requires for e in (*(value for _, value in r.lets), r.expr))
                yield from ((e, named) for e in (c.by, c.weight) if e is not None)
        yield from ((e, _NONE) for e in roots(self.p, definitions=False))

    def named(self, c: ir.Choice) -> dict[int, int]:
        """Facts about the slots of an option, which hold its parameters and the names in its conditions."""
        if not self.words:
            return {}
        sizes = ((q.slot, self.p.sizes.get(q.type.removesuffix("?"))) for q in c.params)
        results = {slot: -words_of(size) for slot, size in sizes if size is not None}
        several = ((q.slot, words_of(value_bits(q.type, self.p.sizes))) for q in c.params if q.is_composite)
        results |= {slot: words for slot, words in several if words > 1}
        for r in c.requires:
            for slot, value in r.lets:
                self._note(results, slot, value, results)
        return results


def _longest_value(values: Iterable[int]) -> int:
    """The maximum bit length of some values."""
    return max((value.bit_length() for value in values), default=1)


def _paths(p: ir.Program) -> Iterator[int]:
    """The bits of the paths in searches, which are in no cell."""
    return (
        MAX_STOPS * bits_of(x.size)
        for e in roots(p)
        for x in walk(e)
        if isinstance(x, ir.PathSearch) and x.finds == "longest"
    )


def words_of(bits: int) -> int:
    """The number of words in a set of `bits` bits."""
    return min(ROW, max(1, -(-bits // WORD)))


def _of_order(bits: int) -> int:
    """The width of an order of `bits` bits; an order of several words is a row."""
    return 1 if bits <= WORD else ROW


def order_bits(p: ir.Program, bits: int) -> int:
    """The maximum bit length of an order whose members take `bits` bits each."""
    sizes = [size for size in p.sizes.values() if size.bit_length() == bits]
    return max(sizes, default=(1 << bits) - 1) * bits


def _longest(p: ir.Program) -> int:
    """The maximum bit length of any order."""
    results = {x.args[-1] for e in roots(p) for x in walk(e) if isinstance(x, ir.Op) and x.op in _OF_ORDERS}
    bits = [e.value for e in results if isinstance(e, ir.Const)]
    bits += [x.bits for e in roots(p) for x in walk(e) if isinstance(x, ir.Ranked) and x.op == "order"]
    return max((order_bits(p, each) for each in bits), default=1)
