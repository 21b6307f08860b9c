"""Which values of a program need several words: sets and orders of more than 64 bits.

In most programs none does; a set of up to 64 members is one number of 64 bits then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rulespec.engine.native.roots import roots
from rulespec.engine.program import ir
from rulespec.engine.program.traversal import Binding, binds, parts, walk

WORD = 64
"""Bits of a word."""
_OF_ORDERS = frozenset({"append", "without", "behind", "members"})
_NONE: Mapping[int, bool] = {}


class Widths:
    """The widths of the values of a program.

    Args:
        p: the program after its passes.
        cells: the number of cells of a state.
        added: the number of members of the sets in cells that stand behind those of the program, by cell.
        orders: whether there are orders of more than one word.

    Attributes:
        words: the words of every wide value; 0 if there is none.
        bits: the bits of each cell's value; 1 for what is no set and no order.
        cells: for each cell whether its value is wide.
        functions: for each definition the slots that hold wide values, and whether its result is one.
    """

    def __init__(self, p: ir.Program, cells: int, added: Mapping[int, int], *, orders: bool = False) -> None:
        self.p = p
        bits = [cell_bits(p, c.type) for c in p.cells] + [added.get(at, 1) for at in range(len(p.cells), cells)]
        most = max([*bits, *p.sizes.values()])
        self.bits = bits
        most = max([most, *(value.bit_length() for array in p.arrays for value in array)])
        self.cells = [False] * cells
        self.words = 0
        self.functions: list[tuple[dict[int, bool], bool]] = [({}, False) for _ in p.functions]
        if most <= WORD and not orders:
            return
        self.words = -(-max(most, _longest(p)) // WORD)
        self.cells = [size > WORD for size in bits]
        self._join()
        self._arrays = [any(value.bit_length() > WORD for value in array) for array in p.arrays]
        self._follow()

    def wide(self, e: ir.Expr, slots: Mapping[int, bool] = _NONE) -> bool:
        """Whether a value is wide; `slots` says which slots hold wide values."""
        if not self.words:
            return False
        if isinstance(e, ir.Const):
            return e.value.bit_length() > WORD
        if isinstance(e, ir.Local):
            return slots.get(e.slot, False)
        if isinstance(e, ir.Cell):
            return self.cells[e.base]
        if isinstance(e, ir.Row):
            return self._arrays[e.array]
        if isinstance(e, ir.Op):
            return self._op(e, slots)
        if isinstance(e, ir.If):
            return self.wide(e.then, slots) or self.wide(e.other, slots)
        if isinstance(e, ir.Fold):
            return e.op == "set" or (e.op == "union" and e.body is not None and self.wide(e.body, slots))
        if isinstance(e, ir.Closure):
            return self.wide(e.start, slots) or self.wide(e.step, slots)
        if isinstance(e, ir.Ranked):
            return e.op == "order" or (e.op == "best" and self.wide(e.source, slots))
        if isinstance(e, ir.Spread):
            return e.default is None and e.size > WORD
        if isinstance(e, ir.Positive | ir.Held):
            return e.count > WORD
        if isinstance(e, ir.Inverse):
            return len(self.p.arrays[e.array]) > WORD
        if isinstance(e, ir.Call):
            return self.functions[e.function][1]
        return isinstance(e, ir.Suppose) and self.wide(e.body, slots)

    def _op(self, e: ir.Op, slots: Mapping[int, bool]) -> bool:
        if e.op == "|":
            return any(self.wide(a, slots) for a in e.args)
        if e.op == "&":
            return all(self.wide(a, slots) for a in e.args)
        if e.op in ("diff", "until", "behind"):
            return self.wide(e.args[0], slots)
        if e.op in ("bit", "one"):
            member = e.args[0]
            size = self.p.sizes.get(self.p.cells[member.base].type) if isinstance(member, ir.Cell) else None
            if isinstance(member, ir.Const):
                return member.value >= WORD
            return size is None or size > WORD
        return e.op in ("members", "append", "without")

    def _join(self) -> None:
        """Cells that are found by one index are wide together."""
        spans = {(x.base, x.size) for e in roots(self.p) for x in walk(e) if isinstance(x, ir.Cell) and x.size > 1}
        spans = {span for span in spans if any(self.cells[span[0] : sum(span)])}
        moved = True
        while moved:
            moved = False
            for base, size in spans:
                cells = self.cells[base : base + size]
                if any(cells) and not all(cells):
                    self.cells[base : base + size] = [True] * size
                    moved = True

    def _follow(self) -> None:
        """Finds the wide parameters and results of definitions, until nothing changes."""
        moved = True
        while moved:
            moved = False
            for e, slots in self._asked():
                for x, known in _walk(e, slots):
                    if isinstance(x, ir.Call):
                        inner = self.functions[x.function][0]
                        for slot, arg in enumerate(x.args):
                            if self.wide(arg, known) and not inner.get(slot):
                                inner[slot] = moved = True
            for number, f in enumerate(self.p.functions):
                slots, result = self.functions[number]
                for slot, value in f.lets:
                    if self.wide(value, slots) and not slots.get(slot):
                        slots[slot] = moved = True
                if self.wide(f.body, slots) and not result:
                    self.functions[number] = (slots, True)
                    moved = True

    def _asked(self) -> Iterator[tuple[ir.Expr, Mapping[int, bool]]]:
        """All expressions, each with the slots around it that hold wide values."""
        for f, (slots, _) in zip(self.p.functions, self.functions, strict=True):
            yield from ((e, slots) for e in (*(value for _, value in f.lets), f.body))
        for d in self.p.decisions:
            for c in d.choices:
                named = self.named(c)
                yield from ((e, named) for r in c.requires for e in (*(value for _, value in r.lets), r.expr))
                yield from ((e, named) for e in (c.by, c.weight) if e is not None)
        yield from ((e, _NONE) for e in roots(self.p, definitions=False))

    def named(self, c: ir.Choice) -> dict[int, bool]:
        """The slots of an option's conditions that hold wide values."""
        found: dict[int, bool] = {}
        for r in c.requires:
            for slot, value in r.lets:
                if self.wide(value, found):
                    found[slot] = True
        return found


def _walk(e: ir.Expr, slots: Mapping[int, bool]) -> Iterator[tuple[ir.Expr, Mapping[int, bool]]]:
    """An expression and all in it, each with the slots that hold wide values there."""
    yield e, slots
    if isinstance(e, Binding):  # what it binds are members
        slots = {slot: wide for slot, wide in slots.items() if slot not in binds(e)}
    for part in parts(e):
        yield from _walk(part, slots)


def cell_bits(p: ir.Program, type_: str) -> int:
    """The bits of a cell of a type; 1 for what is no set and no order."""
    form, _, kind = type_.partition(" ")
    if form == "set":
        return p.sizes.get(kind, 1)
    if form == "order":
        return p.sizes.get(kind, 1) * p.sizes.get(kind, 1).bit_length()
    return 1


def order_bits(p: ir.Program, bits: int) -> int:
    """The most bits of an order whose members take so many bits each."""
    sizes = [size for size in p.sizes.values() if size.bit_length() == bits]
    return max(sizes, default=(1 << bits) - 1) * bits


def _longest(p: ir.Program) -> int:
    """The most bits of any order."""
    found = {x.args[-1] for e in roots(p) for x in walk(e) if isinstance(x, ir.Op) and x.op in _OF_ORDERS}
    bits = [e.value for e in found if isinstance(e, ir.Const)]
    bits += [x.bits for e in roots(p) for x in walk(e) if isinstance(x, ir.Ranked) and x.op == "order"]
    return max((order_bits(p, each) for each in bits), default=1)
