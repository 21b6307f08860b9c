"""Values of any width: numbers, multi-word sets and rows in memory.

A number is pushed as 64 bits, a multi-word set as its words (see `words`), a row in memory as its address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulespec.engine.program import ir
from rulespec.engine.program.cost import Costs
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.layout import Memory
from rulespec.engine.wasm.wasm_format import I32, I64, Code, Module
from rulespec.engine.wasm.wide_sets import Word
from rulespec.engine.wasm.widths import ROW, Widths

Forms = dict[type, Callable[..., None]]
"""For each form of expression, a function that pushes its value, a number or an address."""
SetForms = dict[type, Callable[..., list[Word]]]
"""For each form of expression, a function that returns the words of its value, a multi-word set."""


class ValueEmitter:
    """An emitter of values into the current function, in the required width.

    Attributes:
        code: the function.
        slots: slot → its local, or the first of several for a wide value.
        known: slot → the facts known about it from `Widths`.
        variables: cell → its local, or the first of several for a wide value.
        parameters: first block of a procedure → the cells passed as arguments to its function.
        memo: expression evaluated at most once per call → two locals: a flag, set when the expression has been
            evaluated, and its value.
    """

    def __init__(self, p: ir.Program, module: Module, memory: Memory, widths: Widths, costs: Costs) -> None:
        self.p = p
        self.module = module
        self.memory = memory
        self.widths = widths
        self.costs = costs
        self.code = Code(module)
        self.slots: dict[int, int] = {}
        self.known: dict[int, int] = {}
        self.variables: dict[int, int] = {}
        self.parameters: dict[int, list[int]] = {}
        self.charged: dict[int, int] = {}
        self.memo: dict[ir.Expr, tuple[int, int]] = {}
        self._forms: Forms = {}
        self._several: SetForms = {}

    def add_forms(self, forms: Forms, several: SetForms | None = None) -> None:
        """Registers functions that emit code for some types of expressions."""
        self._forms |= forms
        self._several |= several or {}

    def begin(self, params: int) -> Code:
        """Starts another function."""
        self.code = Code(self.module, [I64] * params)
        self.slots, self.known, self.variables, self.memo = {}, {}, {}, {}
        return self.code

    def words(self, e: ir.Expr) -> int:
        """The width of a value: 1 word, several words, or `ROW`."""
        return self.widths.of(e, self.known)

    def value(self, e: ir.Expr) -> None:
        """Pushes a number; for a multi-word value, the first word, which must be the only nonzero one."""
        words = self.words(e)
        if words == ROW:
            self._forms[type(e)](e)
            self.code.call("wide_low")
        elif words > 1:
            sets.push(self.code, self.operand(e, 1))
        elif self.memo and e in self.memo:
            self.code.get(self._memo_local(e, 1))
        else:
            self._forms[type(e)](e)

    def _memo_local(self, e: ir.Expr, words: int) -> int:
        """Evaluates an expression of constant value on first use; returns its local."""
        known, value = self.memo[e]
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
        """Pushes the address of a row; a value that is not a row is first copied into one."""
        words = self.words(e)
        if words == ROW:
            self._forms[type(e)](e)
            return
        result = self.operand(e, words)
        self.code.const(self.in_row(result))

    def in_row(self, words: Sequence[Word]) -> int:
        """Writes the words of a set into a row of memory; returns its address."""
        to = self.memory.temporary()
        for k in range(self.memory.words):
            self.code.const32(0)
            sets.push(self.code, words[k : k + 1] or [None])
            self.code.store(to + 8 * k)
        return to

    def operand(self, e: ir.Expr, count: int, *, cut: bool = False) -> list[Word]:
        """The first `count` words of a set; any further words must be zero, or are dropped if `cut` is set."""
        words, code = self.words(e), self.code
        if words == ROW:
            result = self._of_row(e, count, cut=cut)
        elif words > 1:
            result = (
                sets.in_locals(code, self._memo_local(e, words), words) if e in self.memo else self._several[type(e)](e)
            )
        elif isinstance(e, ir.Const):
            result = sets.of_number(code, e.value, 1)
        else:
            self.value(e)
            local = code.local()
            code.set(local)
            result = sets.in_locals(code, local, 1)
        if len(result) > count and not cut:
            local = code.locals(len(result))
            sets.push(code, result)
            code.set_all(local, len(result))
            result = sets.in_locals(code, local, len(result))
            sets.push_union(code, result[count:])
            code.do("eqz", "i32.eqz")
            code.if_()
            code.do("unreachable")
            code.end()
        return [*result[:count], *[None] * (count - len(result))]

    def _of_row(self, e: ir.Expr, count: int, *, cut: bool) -> list[Word]:
        """The first words of a set in a row of memory."""
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
        """Pushes a value as `words` words, or as a row address."""
        if words == 1:
            self.value(e)
        elif words == ROW:
            self.address(e)
        else:
            sets.push(self.code, self.operand(e, words))

    def held(self, e: ir.Expr, words: int) -> int:
        """Evaluates a value into locals; returns the first one."""
        self.push(e, words)
        local = self.code.locals(span(words))
        self.code.set_all(local, span(words))
        return local

    def loaded(self, words: int) -> list[Word]:
        """The words at a pushed 64-bit address."""
        at = self.code.local(I32)
        self.code.do("wrap")
        self.code.set(at)
        return sets.loaded(self.code, at, words)


def span(words: int) -> int:
    """The number of locals for a value of `words` words."""
    return 1 if words == ROW else words
