"""Expressions of a program as WebAssembly.

A number is pushed as 64 bits, a set of several words as these (see `words`), a row in memory as its address, a truth as
32 bits where it is tested. Whatever is at fault traps: the caller undoes what has been done, and lets Python carry out
the decision, which says what is wrong. So it does not matter which of two operands is evaluated first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from rulespec.engine.native import words as sets
from rulespec.engine.native.layout import Memory
from rulespec.engine.native.wasm_format import I32, I64, Code, Module
from rulespec.engine.native.widths import ROW, Widths
from rulespec.engine.native.words import Word, as_signed
from rulespec.engine.program import ir
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import NO_NUMBER

_COMPARED = {"==": "eq", "!=": "ne", "<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"}
TRUTHS = frozenset([*_COMPARED, "not", "in", "in?"])


class ExpressionEmitter:
    """Writes expressions into the function at hand.

    Attributes:
        code: the function.
        slots: a slot → the local that holds it, the first of several.
        wide_slots: the slots that hold values of several words → how many.
        variables: a cell → the local that stands for it, the first of several.
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
        self.wide_slots: dict[int, int] = {}
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
        self._several: dict[type, Callable[..., list[Word]]] = {
            ir.Const: lambda e: sets.of_number(self.code, e.value, self.words(e)),
            ir.Cell: self._cell_words,
            ir.Local: lambda e: sets.in_locals(self.code, self.slots[e.slot], self.words(e)),
            ir.Row: self._row_words,
            ir.If: self._if_words,
        }

    def add_forms(
        self, forms: dict[type, Callable[..., None]], several: dict[type, Callable[..., list[Word]]] | None = None
    ) -> None:
        """Adds forms of expressions: those that push a number or an address, and those of sets of several words."""
        self._forms |= forms
        self._several |= several or {}

    def begin(self, params: int) -> Code:
        """Begins another function."""
        self.code = Code(self.module, [I64] * params)
        self.slots, self.wide_slots, self.variables, self.kept = {}, {}, {}, {}
        return self.code

    def words(self, e: ir.Expr) -> int:
        """The words of a value: 1, several, or `ROW`."""
        return self.widths.of(e, self.wide_slots)

    def value(self, e: ir.Expr) -> None:
        """Pushes a number; of several words the only one that is not zero, which is the first."""
        words = self.words(e)
        if words == ROW:
            self._forms[type(e)](e)
            self.code.call("wide_low")
        elif words > 1:
            sets.push(self.code, self.operand(e, 1))
        elif self.kept and e in self.kept:
            self.code.get(self._kept(e, 1))
        else:
            self._forms[type(e)](e)

    def _kept(self, e: ir.Expr, words: int) -> int:
        """Evaluates once, when it is first needed, what does not change: the local that holds it."""
        known, value = self.kept[e]
        self.code.get(known)
        self.code.do("eqz")
        self.code.if_()
        if words > 1:
            sets.push(self.code, self._several[type(e)](e))
        else:
            self._forms[type(e)](e)
        self.code.set_all(value, words)
        self.code.const(1)
        self.code.set(known)
        self.code.end()
        return value

    def address(self, e: ir.Expr) -> None:
        """Pushes the address of a row; what is none becomes one."""
        words = self.words(e)
        if words == ROW:
            self._forms[type(e)](e)
            return
        found = self.operand(e, words)
        self.code.const(self.in_row(found))

    def in_row(self, words: Sequence[Word]) -> int:
        """Writes the words of a set into a row of memory: its address."""
        to = self.memory.temporary()
        for k in range(self.memory.words):
            self.code.const32(0)
            sets.push(self.code, words[k : k + 1] or [None])
            self.code.store(to + 8 * k)
        return to

    def operand(self, e: ir.Expr, count: int, *, cut: bool = False) -> list[Word]:
        """The words of a set, so many of them; further ones must be zero, or do not matter (`cut`)."""
        words, code = self.words(e), self.code
        if words == ROW:
            found = self._of_row(e, count, cut=cut)
        elif words > 1:
            found = sets.in_locals(code, self._kept(e, words), words) if e in self.kept else self._several[type(e)](e)
        elif isinstance(e, ir.Const):
            found = sets.of_number(code, e.value, 1)
        else:
            self.value(e)
            local = code.local()
            code.set(local)
            found = sets.in_locals(code, local, 1)
        if len(found) > count and not cut:
            local = code.locals(len(found))
            sets.push(code, found)
            code.set_all(local, len(found))
            found = sets.in_locals(code, local, len(found))
            sets.push_union(code, found[count:])
            code.do("eqz", "i32.eqz")
            code.if_()
            code.do("unreachable")
            code.end()
        return [*found[:count], *[None] * (count - len(found))]

    def _of_row(self, e: ir.Expr, count: int, *, cut: bool) -> list[Word]:
        """The first words of a row in memory."""
        code, at = self.code, self.code.local(I32)
        self._forms[type(e)](e)
        code.do("wrap")
        code.set(at)
        if not cut:
            code.get(at)
            code.do("extend")
            code.const(count)
            code.call("row_fits")
        return sets.loaded(code, at, min(count, self.memory.words))

    def push(self, e: ir.Expr, words: int) -> None:
        """Pushes a value as so many words, or as the address of a row."""
        if words == 1:
            self.value(e)
        elif words == ROW:
            self.address(e)
        else:
            sets.push(self.code, self.operand(e, words))

    def held(self, e: ir.Expr, words: int) -> int:
        """Evaluates a value into locals: the first one."""
        self.push(e, words)
        local = self.code.locals(span(words))
        self.code.set_all(local, span(words))
        return local

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
        """Pushes whether a set holds a member; with `in?` there may be none."""
        code, words = self.code, self.words(e)
        if words == ROW:
            self.value(member)
            self.address(e)
            code.call("wide_in")
        elif self.widths.words:  # a set of fewer words than its kind is asked for any member, too
            local = self.held(member, 1)
            sets.push_holds(code, self.operand(e, words), local)
        else:
            self.value(e)
            self.value(member)
            code.do("shr_u")
            code.const(1)
            code.do("and")
            if op == "in?":  # without a member: the last bit has no meaning
                code.const(0)
                self.value(member)
                code.const(0)
                code.do("ge_s", "select")
        code.do("wrap")

    def _compared_sets(self, one: ir.Expr, other: ir.Expr, words: int) -> None:
        """Pushes zero if two values of several words are the same."""
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

    def loaded(self, words: int) -> list[Word]:
        """The words at the address of 64 bits that has been pushed."""
        at = self.code.local(I32)
        self.code.do("wrap")
        self.code.set(at)
        return sets.loaded(self.code, at, words)

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
        if self.words(e) == 1:
            self._element(self.memory.numbers([as_signed(value) for value in array]), e.index)
        else:
            self._row_place(e, self.memory.words)

    def _row_words(self, e: ir.Row) -> list[Word]:
        """The words of a set of an array."""
        words = self.words(e)
        self._row_place(e, words)
        return self.loaded(words)

    def _row_place(self, e: ir.Row, words: int) -> None:
        """Pushes the address of a set of an array."""
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
        words = self.words(e)
        self.truth(e.condition)
        self.code.if_(I64)
        self.push(e.then, words)
        self.code.else_()
        self.push(e.other, words)
        self.code.end()

    def _if_words(self, e: ir.If) -> list[Word]:
        """The words of one of two sets."""
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
    """Whether a condition may be evaluated whatever stands before it, in no time."""
    if isinstance(e, ir.Op) and e.op in ("==", "!=", "<", "<=", ">", ">=", "not"):
        return all(map(_is_plain, e.args))
    return isinstance(e, ir.Const | ir.Local) or (isinstance(e, ir.Cell) and isinstance(e.index, ir.Const))


def span(words: int) -> int:
    """The locals that a value of so many words takes."""
    return 1 if words == ROW else words
