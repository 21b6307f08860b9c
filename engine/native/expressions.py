"""Expressions of a program as WebAssembly.

A number is pushed as 64 bits, a wide value as the address of its words, a truth as 32 bits where it is tested. Whatever
is at fault traps: the caller undoes what has been done, and lets Python carry out the decision, which says what is
wrong. So it does not matter which of two operands is evaluated first.
"""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.native.layout import Memory
from rulespec.engine.native.wasm_format import I32, I64, Code, Module
from rulespec.engine.native.widths import Widths
from rulespec.engine.program import ir
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import NO_NUMBER

_COMPARED = {"==": "eq", "!=": "ne", "<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"}
TRUTHS = frozenset([*_COMPARED, "not", "in", "in?"])


class ExpressionEmitter:
    """Writes expressions into the function at hand.

    Attributes:
        code: the function.
        slots: a slot → the local that holds it.
        wide_slots: the slots that hold the address of a wide value.
        variables: a cell → the local that stands for it.
        given: the first block of a procedure → the cells whose values its function is given.
        kept: an expression that is evaluated once in the function → the locals that hold whether it has been, and what
            it is.
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
        self.variables: dict[int, int] = {}
        self.given: dict[int, list[int]] = {}
        self.kept: dict[ir.Expr, tuple[int, int]] = {}
        self._inverses: dict[int, tuple[int, int, int]] = {}
        self._forms: dict[type, Callable[..., None]] = {
            ir.Const: self._const,
            ir.Cell: self._cell,
            ir.Local: lambda e: self.code.get(self.slots[e.slot]),
            ir.Row: self._row,
            ir.Logic: self._logic,
            ir.If: self._if,
        }

    def add_forms(self, forms: dict[type, Callable[..., None]]) -> None:
        """Adds forms of expressions."""
        self._forms |= forms

    def begin(self, params: int) -> Code:
        """Begins another function."""
        self.code = Code(self.module, [I64] * params)
        self.slots, self.wide_slots, self.variables, self.kept = {}, {}, {}, {}
        return self.code

    def wide(self, e: ir.Expr) -> bool:
        """Whether a value is wide."""
        return self.widths.wide(e, self.wide_slots)

    def value(self, e: ir.Expr) -> None:
        """Pushes a number; of what is wide the only word, if it has no others."""
        if self.wide(e):
            self._forms[type(e)](e)
            self.code.call("wide_low")
        elif self.kept and e in self.kept:
            self._kept(e)
        else:
            self._forms[type(e)](e)

    def _kept(self, e: ir.Expr) -> None:
        """Pushes what is evaluated once, when it is first needed."""
        known, value = self.kept[e]
        self.code.get(known)
        self.code.do("wrap")
        self.code.if_(I64)
        self.code.get(value)
        self.code.else_()
        self._forms[type(e)](e)
        self.code.tee(value)
        self.code.const(1)
        self.code.set(known)
        self.code.end()

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
        elif isinstance(e, ir.Op) and e.op in TRUTHS:
            self.compared(e)
        elif isinstance(e, ir.Logic) and e.op in ("and", "or"):
            self._connected(e)
        else:
            self.value(e)
            code.const(0)
            code.do("ne")

    def compared(self, e: ir.Op) -> None:
        """Pushes a comparison as a number of 32 bits."""
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
            if _is_plain(arg):  # a branch takes longer
                self.truth(arg)
                code.do("i32.and" if e.op == "and" else "i32.or")
                continue
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

    def _const(self, e: ir.Const) -> None:
        if self.wide(e):
            self.code.const(self.memory.sets([e.value]))
        else:
            self.code.const(as_signed(e.value))

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
        if isinstance(e.index, ir.Const) and e.base + e.index.value in self.variables:
            self.code.get(self.variables[e.base + e.index.value])
        elif self.widths.cells[e.base]:
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
            self._element(self.memory.numbers([as_signed(value) for value in array]), e.index)
            return
        code = self.code
        self.value(e.index)
        code.const(8 * self.memory.words)
        code.do("mul")
        code.const(self.memory.sets(array))
        code.do("add")

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


def _is_plain(e: ir.Expr) -> bool:
    """Whether a condition may be evaluated whatever stands before it, in no time."""
    if isinstance(e, ir.Op) and e.op in ("==", "!=", "<", "<=", ">", ">=", "not"):
        return all(map(_is_plain, e.args))
    return isinstance(e, ir.Const | ir.Local) or (isinstance(e, ir.Cell) and isinstance(e.index, ir.Const))


def as_signed(value: int) -> int:
    """A number of 64 bits as WebAssembly writes it; the last bit of a set is the sign."""
    return value - (1 << 64) if value >> 63 == 1 else value
