"""Expressions of a program as WebAssembly.

A number is pushed as 64 bits, a wide value as the address of its words, a truth as 32 bits where it is tested. Whatever
is at fault traps: the caller undoes what has been done, and lets Python carry out the decision, which says what is
wrong. So it does not matter which of two operands is evaluated first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rulespec.engine.native.layout import Memory
from rulespec.engine.native.wasm_format import I32, I64, Code, Module
from rulespec.engine.native.widths import WORD, Widths, order_bits
from rulespec.engine.program import ir
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import MAX_ONCE_STEPS, NO_NUMBER

_PLAIN = {"+": "add", "-": "sub", "*": "mul", "|": "or", "&": "and"}
_COMPARED = {"==": "eq", "!=": "ne", "<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"}
_TRUTHS = frozenset([*_COMPARED, "not", "in", "in?"])
_CALLS = {"mul": "product", "fit": "fit", "flip": "flip", "pick": "pick", "the": "only", "until": "until"}
_ORDERS = {"members": "order_members", "append": "order_append", "without": "order_without", "place": "order_place"}
_WIDE_CALLS = {"|": "wide_or", "&": "wide_and", "diff": "wide_diff", "until": "wide_until"}


class WideOrderError(Exception):
    """There are orders of more than one word."""


class ExpressionEmitter:
    """Writes expressions into the function at hand.

    Attributes:
        code: the function.
        slots: a slot → the local that holds it.
        wide_slots: the slots that hold the address of a wide value.
    """

    def __init__(self, p: ir.Program, module: Module, memory: Memory, widths: Widths, costs: Costs) -> None:
        self.p = p
        self.module = module
        self.memory = memory
        self.widths = widths
        self.costs = costs
        self.code = Code(module)
        self.slots: dict[int, int] = {}
        self.wide_slots: dict[int, bool] = {}
        self._inverses: dict[int, tuple[int, int, int]] = {}
        self._forms: dict[type, Callable[..., None]] = {
            ir.Const: lambda e: self.code.const(_as_signed(e.value)),
            ir.Cell: self._cell,
            ir.Local: lambda e: self.code.get(self.slots[e.slot]),
            ir.Row: self._row,
            ir.Lookup: self._lookup,
            ir.Op: self._op,
            ir.Logic: self._logic,
            ir.If: self._if,
            ir.Call: self._call,
            ir.Suppose: self._suppose,
            ir.Positive: self._positive,
            ir.Total: self._total,
            ir.Held: self._held,
            ir.Inverse: self._inverse,
        }

    def set_loops(self, forms: dict[type, Callable[..., None]]) -> None:
        """Adds the forms of loops."""
        self._forms |= forms

    def begin(self, params: int) -> Code:
        """Begins another function."""
        self.code = Code(self.module, [I64] * params)
        self.slots, self.wide_slots = {}, {}
        return self.code

    def wide(self, e: ir.Expr) -> bool:
        """Whether a value is wide."""
        return self.widths.wide(e, self.wide_slots)

    def value(self, e: ir.Expr) -> None:
        """Pushes a number; of what is wide the only word, if it has no others."""
        if self.wide(e):
            self._forms[type(e)](e)
            self.code.call("wide_low")
        else:
            self._forms[type(e)](e)

    def address(self, e: ir.Expr) -> None:
        """Pushes the address of a wide value; a number becomes one."""
        if self.wide(e):
            self._forms[type(e)](e)
            return
        to = self.memory.temporary()
        self.code.const(to)
        self.value(e)
        self.code.call("wide_from")
        self.code.const(to)

    def either(self, e: ir.Expr, wide: bool) -> None:
        """Pushes a value as a wide one or as a number."""
        if wide:
            self.address(e)
        else:
            self.value(e)

    def truth(self, e: ir.Expr) -> None:
        """Pushes whether a condition holds, as a number of 32 bits."""
        code = self.code
        if isinstance(e, ir.Const):
            code.const32(1 if e.value else 0)
        elif isinstance(e, ir.Op) and e.op in _TRUTHS:
            self._compared(e)
        elif isinstance(e, ir.Logic) and e.op in ("and", "or"):
            self._connected(e)
        else:
            self.value(e)
            code.const(0)
            code.do("ne")

    def _compared(self, e: ir.Op) -> None:
        code = self.code
        if e.op == "not":
            self.truth(e.args[0])
            code.do("i32.eqz")
            return
        one, other = e.args
        if e.op in ("in", "in?"):
            if self.wide(other):
                self.value(one)
                self.address(other)
                code.call("wide_in")
            else:
                self.value(other)
                self.value(one)
                code.do("shr_u")
                code.const(1)
                code.do("and")
                if e.op == "in?":  # without a member: the last bit has no meaning
                    code.const(0)
                    self.value(one)
                    code.const(0)
                    code.do("ge_s", "select")
            code.do("wrap")
        elif e.op in ("==", "!=") and (self.wide(one) or self.wide(other)):
            if other == ir.Const(0):
                self.address(one)
                code.call("wide_any")
                code.do(*(["eqz"] if e.op == "==" else ["wrap"]))
            else:
                self.address(one)
                self.address(other)
                code.call("wide_equal")
                code.do(*(["wrap"] if e.op == "==" else ["eqz"]))
        elif other == ir.Const(0) and e.op == "==":
            self.value(one)
            code.do("eqz")
        else:
            self.value(one)
            self.value(other)
            code.do(_COMPARED[e.op])

    def _connected(self, e: ir.Logic) -> None:
        """`and` or `or`: what decides ends it."""
        code = self.code
        self.truth(e.args[0])
        for arg in e.args[1:]:
            code.if_(I32)
            if e.op == "and":
                self.truth(arg)
            else:
                code.const32(1)
            code.else_()
            if e.op == "and":
                code.const32(0)
            else:
                self.truth(arg)
            code.end()

    # --- cells and tables ------------------------------------------------------------------

    def place(self, e: ir.Cell) -> None:
        """Pushes the address of a cell, as 64 bits."""
        code = self.code
        first = self.memory.address(e.base)
        size = 8 * self.memory.words if self.widths.cells[e.base] else 8
        if isinstance(e.index, ir.Const):
            code.const(first + size * e.index.value)
            return
        self.value(e.index)
        if size == 8:
            code.const(3)
            code.do("shl")
        else:
            code.const(size)
            code.do("mul")
        code.const(first)
        code.do("add")

    def _cell(self, e: ir.Cell) -> None:
        if self.widths.cells[e.base]:
            self.place(e)
        else:
            self._element(self.memory.address(e.base), e.index)

    def _element(self, first: int, index: ir.Expr) -> None:
        """Pushes a number of an array; the index may be -1, so it is no offset."""
        code = self.code
        if isinstance(index, ir.Const):
            code.at(first + 8 * index.value)
            return
        self.value(index)
        code.do("wrap")
        code.const32(3)
        code.do("i32.shl")
        code.const32(first)
        code.do("i32.add")
        code.load()

    def _row(self, e: ir.Row) -> None:
        array = self.p.arrays[e.array]
        if not self.wide(e):
            self._element(self.memory.numbers([_as_signed(value) for value in array]), e.index)
            return
        code = self.code
        self.value(e.index)
        code.const(8 * self.memory.words)
        code.do("mul")
        code.const(self.memory.sets(array))
        code.do("add")

    def _lookup(self, e: ir.Lookup) -> None:
        table = self.p.tables[e.table]
        keys = _unpacked(e.key)
        found = {tuple(_numbers(key)): value for key, value in table.items()}
        width = max([len(keys), *map(len, found)])
        rows = sorted(((*[0] * (width - len(key)), *key), value) for key, value in found.items())
        code = self.code
        at = self.memory.room(8 * width)
        for number, key in enumerate([*[ir.Const(0)] * (width - len(keys)), *keys]):
            code.const32(0)
            self.value(key)
            code.store(at + 8 * number)
        code.const(self.memory.numbers([x for key, value in rows for x in (*key, value)]) if rows else 0)
        code.const(len(rows))
        code.const(width)
        code.const(at)
        code.call("find")

    # --- operators -------------------------------------------------------------------------

    def _logic(self, e: ir.Logic) -> None:
        code = self.code
        if e.op in ("and", "or"):
            self._connected(e)
            code.do("extend")
            return
        found = code.local()
        self.value(e.args[0])
        code.tee(found)
        code.const(0 if e.op == "??" else NO_NUMBER)
        code.do("ge_s" if e.op == "??" else "ne")
        code.if_(I64)
        code.get(found)
        code.else_()
        self.value(e.args[1])
        code.end()

    def _if(self, e: ir.If) -> None:
        wide = self.wide(e)
        self.truth(e.condition)
        self.code.if_(I64)
        self.either(e.then, wide)
        self.code.else_()
        self.either(e.other, wide)
        self.code.end()

    def _op(self, e: ir.Op) -> None:
        code = self.code
        if e.op in _TRUTHS:
            self._compared(e)
            code.do("extend")
        elif self.wide(e):
            self._wide_op(e)
        elif self.wide(e.args[0]) and e.op in ("count", "pick", "the", "place", "front"):
            self._of_wide(e)
        elif e.op == "diff":
            self.value(e.args[0])
            self._low(e.args[1])
            code.const(-1)
            code.do("xor", "and")
        elif e.op == "&":
            self._low(e.args[0])
            self._low(e.args[1])
            code.do("and")
        elif e.op == "until":
            self.value(e.args[0])
            self._low(e.args[1])
            self.value(e.args[2])
            code.call("until")
        elif e.op in _ORDERS:
            self._order(e)
        else:
            self._number(e)

    def _low(self, e: ir.Expr) -> None:
        """Pushes the first word of a set, of which the others do not matter."""
        if self.wide(e):
            self.address(e)
            self.code.do("wrap")
            self.code.load()
        else:
            self.value(e)

    def _number(self, e: ir.Op) -> None:
        """An operator on numbers and sets of one word."""
        code, name = self.code, e.op
        if name == "neg":
            code.const(0)
        for arg in e.args if name != "passed" else ():
            self.value(arg)
        if name in _PLAIN:
            code.do(_PLAIN[name])
        elif name in _CALLS:
            code.call(_CALLS[name])
        elif name == "neg":
            code.do("sub")
        elif name == "count":
            code.do("popcnt")
        elif name in ("/", "%"):
            self._divided(e)
        elif name in ("min", "max", "abs"):
            self._extreme(name)
        elif name in ("bit", "one"):
            self._bit(name)
        elif name == "next":
            size = code.local()
            code.set(size)
            code.const(1)
            code.do("add")
            code.get(size)
            code.do("rem_u")
        elif name == "front":
            self._front(e)
        elif name == "behind":
            code.do("shr_u")
        else:
            assert name == "passed"
            code.const(0)
            for end in e.args[1:]:
                self.value(end)
                self.value(e.args[0])
                code.do("lt_s", "extend", "add")

    def _divided(self, e: ir.Op) -> None:
        """Division that rounds down, and its remainder; both operands are on the stack."""
        by = e.args[1].value if isinstance(e.args[1], ir.Const) else 0
        if by > 0 and by & (by - 1) == 0:
            self.code.do("drop")
            self.code.const(by.bit_length() - 1 if e.op == "/" else by - 1)
            self.code.do("shr_s" if e.op == "/" else "and")
        else:
            self.code.call("floor_divided" if e.op == "/" else "remainder")

    def _extreme(self, name: str) -> None:
        code = self.code
        one, other = code.local(), code.local()
        if name == "abs":
            code.tee(one)
            code.const(0)
            code.get(one)
            code.do("sub")
        code.set(other)
        if name == "abs":
            code.get(other)
            code.get(one)
            code.const(0)
            code.do("ge_s", "select")
            return
        code.tee(one)
        code.get(other)
        code.get(one)
        code.get(other)
        code.do("le_s" if name == "min" else "ge_s", "select")

    def _bit(self, name: str) -> None:
        """The set of one member; of none with `one`."""
        code = self.code
        member = code.local()
        code.set(member)
        code.const(1)
        code.get(member)
        code.do("shl")
        if name == "one":
            code.const(0)
            code.get(member)
            code.const(0)
            code.do("ge_s", "select")

    # --- orders and wide values --------------------------------------------------------------

    def fits(self, bits: int) -> None:
        """Makes sure that an order is one word, if there are no wide values."""
        if not self.widths.words and order_bits(self.p, bits) > WORD:
            raise WideOrderError

    def _front(self, e: ir.Op) -> None:
        bits = e.args[1]
        assert isinstance(bits, ir.Const)
        self.fits(bits.value)
        self.code.do("drop")
        self.code.const((1 << bits.value) - 1)
        self.code.do("and")
        self.code.const(1)
        self.code.do("sub")

    def _order(self, e: ir.Op) -> None:
        bits = e.args[-1]
        assert isinstance(bits, ir.Const)
        self.fits(bits.value)
        for arg in e.args:
            self.value(arg)
        self.code.call(_ORDERS[e.op])

    def _of_wide(self, e: ir.Op) -> None:
        """A number that a wide value gives."""
        self.address(e.args[0])
        if e.op == "front":
            self.code.const(0)
            self.value(e.args[1])
            self.code.call("wide_field")
            self.code.const(1)
            self.code.do("sub")
            return
        for arg in e.args[1:]:
            self.value(arg)
        names = {"count": "wide_count", "pick": "wide_pick", "the": "wide_only", "place": "wide_place"}
        self.code.call(names[e.op])

    def _wide_op(self, e: ir.Op) -> None:
        code = self.code
        to = self.memory.temporary()
        code.const(to)
        if e.op in ("bit", "one"):
            self.value(e.args[0])
            code.call(f"wide_{e.op}")
        elif e.op in _WIDE_CALLS:
            self.address(e.args[0])
            self.address(e.args[1])
            for arg in e.args[2:]:
                self.value(arg)
            code.call(_WIDE_CALLS[e.op])
        else:
            assert e.op in ("members", "append", "without", "behind")
            self.address(e.args[0])
            for arg in e.args[1:]:
                self.value(arg)
            code.call(f"wide_{e.op}")
            if e.op == "without":
                code.do("drop")
        code.const(to)

    # --- definitions, what would be --------------------------------------------------------------

    def _call(self, e: ir.Call) -> None:
        code = self.code
        slots, wide = self.widths.functions[e.function]
        to = self.memory.temporary() if wide else 0
        if wide:  # the next call of the definition has its result at the same place
            code.const(to)
        for slot, arg in enumerate(e.args):
            self.either(arg, slots.get(slot, False))
        code.call(f"f{e.function}")
        if wide:
            code.call("wide_copy")
            code.const(to)

    def _suppose(self, e: ir.Suppose) -> None:
        code, constants = self.code, self.memory.constants
        if self.costs.procedure(e.block) > MAX_ONCE_STEPS:  # the interpreter counts its steps
            code.do("unreachable")
            code.const(0)
            return
        wide = self.wide(e)
        mark, left, found = code.local(), code.local(), code.local()
        args = [code.local() for _ in e.args]
        code.at(constants["JOURNAL"])
        code.set(mark)
        code.at(constants["LEFT"])
        code.set(left)
        for cell, arg, local in zip(e.params, e.args, args, strict=True):
            self.either(arg, self.widths.cells[cell])
            code.set(local)
        for cell, local in zip(e.params, args, strict=True):
            code.const(self.memory.address(cell))
            code.get(local)
            code.call("wide_put" if self.widths.cells[cell] else "put")
        code.const(self.memory.address(e.back))
        code.const(-1)
        code.call("put")
        code.const(e.block)
        code.call("supposed")
        if wide:  # it may be a cell of the state that is taken back
            code.const(found_at := self.memory.temporary())
        self.either(e.body, wide)
        if wide:
            code.call("wide_copy")
            code.const(found_at)
        code.set(found)
        code.get(mark)
        code.call("undo")
        code.const32(0)
        code.get(left)
        code.store(constants["LEFT"])
        code.get(found)

    # --- what passes have made -------------------------------------------------------------------

    @contextmanager
    def neighbours(self, e: ir.Positive | ir.Total | ir.Held) -> Iterator[tuple[int, int]]:
        """A loop over neighbouring cells: the locals of the number of the cell and of its address, of 32 bits."""
        code = self.code
        i, at = code.local(), code.local(I32)
        stride = 1 if isinstance(e, ir.Held) else e.stride
        index = ir.Const(0) if isinstance(e, ir.Held) else e.index
        self.place(ir.Cell(e.base, index, self.memory.cells))
        code.do("wrap")
        code.set(at)
        code.const(0)
        code.set(i)
        outside, again = code.block(), code.loop()
        code.get(i)
        code.const(e.count)
        code.do("ge_s")
        code.br_if(outside)
        yield i, at
        code.get(i)
        code.const(1)
        code.do("add")
        code.set(i)
        code.get(at)
        code.const32(8 * stride)
        code.do("i32.add")
        code.set(at)
        code.br(again)
        code.end()
        code.end()

    def _total(self, e: ir.Total) -> None:
        code = self.code
        total = code.local()
        code.const(0)
        code.set(total)
        with self.neighbours(e) as (_, at):
            code.get(total)
            code.get(at)
            code.load()
            code.call("added")
            code.set(total)
        code.get(total)

    def _positive(self, e: ir.Positive) -> None:
        code = self.code
        with self.gathered(e) as add, self.neighbours(e) as (i, at):
            code.get(at)
            code.load()
            code.const(0)
            code.do("gt_s")
            code.if_()
            add(i)
            code.end()

    def _held(self, e: ir.Held) -> None:
        code = self.code
        wanted = code.local()
        self.value(e.value)
        code.set(wanted)
        array = self.memory.numbers(self.p.arrays[e.array])
        with self.gathered(e) as add, self.neighbours(e) as (i, at):
            code.get(at)
            code.load()
            code.do("wrap")
            code.const32(3)
            code.do("i32.shl")
            code.const32(array)
            code.do("i32.add")
            code.load()
            code.get(wanted)
            code.do("eq")
            code.if_()
            add(i)
            code.end()

    @contextmanager
    def gathered(self, e: ir.Expr) -> Iterator[Callable[[int], None]]:
        """Gathers members, which are in locals, and pushes the set of them at the end."""
        code, wide = self.code, self.wide(e)
        to, found = (self.memory.temporary(), 0) if wide else (0, code.local())
        code.const(to)
        if wide:
            code.call("wide_zero")
        else:
            code.set(found)

        def add(member: int) -> None:
            if wide:
                bit = self.memory.temporary()
                code.const(bit)
                code.get(member)
                code.call("wide_bit")
                code.const(to)
                code.const(to)
                code.const(bit)
                code.call("wide_or")
                return
            code.get(found)
            code.const(1)
            code.get(member)
            code.do("shl", "or")
            code.set(found)

        yield add
        if wide:
            code.const(to)
        else:
            code.get(found)

    def _inverse(self, e: ir.Inverse) -> None:
        """The set of those of whom an array says a value: a table by value."""
        code, array = self.code, self.p.arrays[e.array]
        low, high = min(array, default=0), max(array, default=-1)
        wide = self.wide(e)
        if high - low > 4 * len(array) + 64:
            values = sorted(set(array))
        else:
            values = [*range(low, high + 1)]
        masks = [sum(1 << k for k, v in enumerate(array) if v == value) for value in values]
        at, found = code.local(), code.local()
        self.value(e.value)
        code.set(found)
        code.const(0)
        code.set(at)
        if len(values) == high - low + 1:
            code.get(found)
            code.const(low)
            code.do("sub")
            code.const(1)
            code.do("add")
            code.tee(at)
            code.const(0)
            code.get(at)
            code.const(len(values))
            code.do("le_u", "select")
            code.set(at)
        else:
            for number, value in enumerate(values):
                code.const(number + 1)
                code.get(at)
                code.get(found)
                code.const(value)
                code.do("eq", "select")
                code.set(at)
        # The set of what is no value is empty; it stands first.
        code.get(at)
        code.const(8 * self.memory.words if wide else 8)
        code.do("mul")
        masks = [0, *masks]
        code.const(self.memory.sets(masks) if wide else self.memory.numbers([_as_signed(mask) for mask in masks]))
        code.do("add")
        if not wide:
            code.do("wrap")
            code.load()


def _unpacked(e: ir.Expr) -> list[ir.Expr]:
    """The keys of a table that are packed into one number, each with so many bits as a word."""
    if isinstance(e, ir.Const):
        return [ir.Const(key) for key in _numbers(e.value)]
    if isinstance(e, ir.Op) and e.op == "+" and isinstance(e.args[0], ir.Const) and e.args[0].value % (1 << WORD) == 0:
        return [*map(ir.Const, _numbers(e.args[0].value >> WORD)), e.args[1]]
    shifted, last = e.args if isinstance(e, ir.Op) and e.op == "+" else (e, ir.Const(0))
    if isinstance(shifted, ir.Op) and shifted.op == "*" and shifted.args[1] == ir.Const(1 << WORD):
        return [*_unpacked(shifted.args[0]), last]
    return [e]


def _numbers(packed: int) -> list[int]:
    """The numbers that are packed into one."""
    last = (packed + (1 << WORD - 1)) % (1 << WORD) - (1 << WORD - 1)
    rest = (packed - last) >> WORD
    return [*_numbers(rest), last] if rest else [last]


def _as_signed(value: int) -> int:
    """A number of 64 bits as WebAssembly writes it; the last bit of a set is the sign."""
    return value - (1 << 64) if value >> 63 == 1 else value
