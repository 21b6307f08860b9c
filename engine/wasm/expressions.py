"""Expressions of a program as WebAssembly.

Values have the forms described in `values`; a truth value that is tested at once is a 32-bit number. Any fault traps:
the caller undoes all changes, and Python runs the decision again to report the fault. The evaluation order of operands
therefore does not matter.
"""

from __future__ import annotations

from functools import partial

from rulespec.engine.program import ir
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.layout import Memory
from rulespec.engine.wasm.values import Forms, SetForms, ValueEmitter
from rulespec.engine.wasm.wasm_format import I32, I64, Module
from rulespec.engine.wasm.wide_sets import Word, as_signed
from rulespec.engine.wasm.widths import ROW, Widths
from rulespec.language.operators import COMPARISONS

_COMPARED = {"==": "eq", "!=": "ne", "<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"}
TRUTHS = frozenset([*_COMPARED, "not", "in", "in?"])


class ExpressionEmitter(ValueEmitter):
    """An emitter of code for expressions; other modules register emitters for further types of expressions."""

    def __init__(self, p: ir.Program, module: Module, memory: Memory, widths: Widths, costs: Costs) -> None:
        super().__init__(p, module, memory, widths, costs)
        forms: Forms = {
            ir.Const: self._const,
            ir.Cell: self._cell,
            ir.Local: lambda e: self.code.get(self.slots[e.slot]),
            ir.Row: self._row,
            ir.Logic: self._logic,
            ir.If: self._if,
        }
        several: SetForms = {
            ir.Const: lambda e: sets.of_number(self.code, e.value, self.words(e)),
            ir.Cell: self._cell_words,
            ir.Local: lambda e: sets.in_locals(self.code, self.slots[e.slot], self.words(e)),
            ir.Row: self._row_words,
            ir.If: self._if_words,
        }
        self.add_forms(forms, several)

    def truth(self, e: ir.Expr) -> None:
        """Pushes the truth value of a condition as a 32-bit number."""
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
        """Pushes the result of a comparison as a 32-bit number."""
        code = self.code
        if e.op == "not":
            self.truth(e.args[0])
            code.do("i32.eqz")
            return
        one, other = e.args
        words = max(self.words(one), self.words(other))
        if e.op in ("in", "in?"):
            self._held(one, other, e.op)
        elif words > 1:
            self._compared_sets(one, other, words)
            code.do(*(["eqz"] if e.op == "==" else ["eqz", "i32.eqz"]))
        elif other == ir.Const(0) and e.op == "==":
            self.value(one)
            code.do("eqz")
        else:
            self.value(one)
            self.value(other)
            code.do(_COMPARED[e.op])

    def _held(self, member: ir.Expr, e: ir.Expr, op: str) -> None:
        """Pushes whether a set holds a member, which may be none with `in?`."""
        code, words = self.code, self.words(e)
        if words == ROW:
            self.value(member)
            self.address(e)
            code.call("wide_in")
        elif self.widths.words:  # a set with fewer words than its kind is tested for any member, too
            local = self.held(member, 1)
            sets.push_holds(code, self.operand(e, words), local)
        else:
            self.value(e)
            self.value(member)
            code.do("shr_u")
            code.const(1)
            code.do("and")
            if op == "in?":  # for none, the last bit is meaningless
                code.const(0)
                self.value(member)
                code.const(0)
                code.do("ge_s", "select")
        code.do("wrap")

    def _compared_sets(self, one: ir.Expr, other: ir.Expr, words: int) -> None:
        """Pushes zero if two multi-word values are equal."""
        code = self.code
        if words < ROW:
            if other == ir.Const(0):
                sets.push_union(code, self.operand(one, words))
            else:
                sets.push_differences(code, self.operand(one, words), self.operand(other, words))
        elif other == ir.Const(0):
            self.address(one)
            code.call("wide_any")
        else:
            self.address(one)
            self.address(other)
            code.call("wide_equal")
            code.do("eqz", "extend")

    def _connected(self, e: ir.Logic) -> None:
        """`and` or `or`, with short circuit."""
        code = self.code
        self.truth(e.args[0])
        for arg in e.args[1:]:
            if _is_plain(arg):  # a branch is slower
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
        if self.words(e) == ROW:
            self.code.const(self.memory.sets([e.value], self.memory.words))
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

    def _cell_words(self, e: ir.Cell) -> list[Word]:
        """The words of a cell."""
        code, words = self.code, self.widths.of_cells[e.base]
        if isinstance(e.index, ir.Const):
            cell = e.base + e.index.value
            if cell in self.variables:
                return sets.in_locals(code, self.variables[cell], words)
            first = self.memory.address(cell)
            return [partial(code.at, first + 8 * k) for k in range(words)]
        self.place(e)
        return self.loaded(words)

    def _element(self, first: int, index: ir.Expr) -> None:
        """Pushes an element of an array; its index may be -1, so it cannot be a static offset."""
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
        if self.words(e) == 1:
            self._element(self.memory.numbers([as_signed(value) for value in array]), e.index)
        else:
            self._row_place(e, self.memory.words)

    def _row_words(self, e: ir.Row) -> list[Word]:
        """The words of an element of an array of sets."""
        words = self.words(e)
        self._row_place(e, words)
        return self.loaded(words)

    def _row_place(self, e: ir.Row, words: int) -> None:
        """Pushes the address of an element of an array of sets."""
        self.value(e.index)
        self.code.const(8 * words)
        self.code.do("mul")
        self.code.const(self.memory.sets(self.p.arrays[e.array], words))
        self.code.do("add")

    # --- operators -------------------------------------------------------------------------

    def _logic(self, e: ir.Logic) -> None:
        code = self.code
        if e.op in ("and", "or"):
            self._connected(e)
            code.do("extend")
            return
        result = code.local()
        self.value(e.args[0])
        code.tee(result)
        code.const(0 if e.op == "??" else NO_NUMBER)
        code.do("ge_s" if e.op == "??" else "ne")
        code.if_(I64)
        code.get(result)
        code.else_()
        self.value(e.args[1])
        code.end()

    def _if(self, e: ir.If) -> None:
        words = self.words(e)
        self.truth(e.condition)
        self.code.if_(I64)
        self.push(e.then, words)
        self.code.else_()
        self.push(e.other, words)
        self.code.end()

    def _if_words(self, e: ir.If) -> list[Word]:
        """The words of a conditional expression for sets."""
        code, words = self.code, self.words(e)
        local = code.locals(words)
        self.truth(e.condition)
        code.if_()
        self.push(e.then, words)
        code.set_all(local, words)
        code.else_()
        self.push(e.other, words)
        code.set_all(local, words)
        code.end()
        return sets.in_locals(code, local, words)


def _is_plain(e: ir.Expr) -> bool:
    """Whether a condition is cheap and safe to evaluate in any case."""
    if isinstance(e, ir.Op) and (e.op in COMPARISONS or e.op == "not"):
        return all(map(_is_plain, e.args))
    return isinstance(e, ir.Const | ir.Local) or (isinstance(e, ir.Cell) and isinstance(e.index, ir.Const))
