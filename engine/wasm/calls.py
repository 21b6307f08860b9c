"""Calls of definitions, look-ups in tables by key, and hypothetical calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_ONCE_STEPS
from rulespec.engine.program.traversal import Facts
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.closure_memos import ClosureMemos, MemoTimes, remembered_row, rows_of
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.values import span
from rulespec.engine.wasm.wasm_format import I64
from rulespec.engine.wasm.wide_sets import Word, as_signed
from rulespec.engine.wasm.widths import ROW, WORD

_PATIENCE = 1 << 40
"""A step budget that no hypothetical call can use up."""


class CallEmitter:
    """An emitter of calls."""

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        forms: dict[type, Callable[..., None]] = {
            ir.Lookup: self._lookup,
            ir.Call: self._call,
            ir.Suppose: self._suppose,
        }
        several: dict[type, Callable[..., list[Word]]] = {
            ir.Lookup: self._lookup_words,
            ir.Call: self._call_words,
            ir.Suppose: self._suppose_words,
        }
        x.add_forms(forms, several)

    def _lookup(self, e: ir.Lookup) -> None:
        if self.x.words(e) == ROW:
            self._find_set(e, self.x.memory.words)
        else:
            self._find(e, list(self.x.p.tables[e.table].values()))

    def _lookup_words(self, e: ir.Lookup) -> list[Word]:
        words = self.x.words(e)
        self._find_set(e, words)
        return self.x.loaded(words)

    def _find_set(self, e: ir.Lookup, words: int) -> None:
        """Pushes the address of a set in a table."""
        code, values = self.x.code, list(self.x.p.tables[e.table].values())
        self._find(e, range(len(values)))
        code.const(8 * words)
        code.do("mul")
        code.const(self.x.memory.sets(values, words))
        code.do("add")

    def _find(self, e: ir.Lookup, values: Sequence[int]) -> None:
        """Pushes the value of a table's row from `values`, given in row order."""
        table = self.x.p.tables[e.table]
        keys = _unpacked(e.key)
        results = {tuple(_numbers(key)): value for key, value in zip(table, values, strict=True)}
        width = max([len(keys), *map(len, results)])
        rows = sorted(((*[0] * (width - len(key)), *key), value) for key, value in results.items())
        code = self.x.code
        at = self.x.memory.room(8 * width)
        for number, key in enumerate([*[ir.Const(0)] * (width - len(keys)), *keys]):
            code.const32(0)
            self.x.value(key)
            code.store(at + 8 * number)
        flat = [as_signed(x) for key, value in rows for x in (*key, value)]
        code.const(self.x.memory.numbers(flat) if rows else 0)
        code.const(len(rows))
        code.const(width)
        code.const(at)
        code.call("find")

    def _call(self, e: ir.Call) -> None:
        code = self.x.code
        row = self.x.words(e) == ROW
        to = self.x.memory.temporary() if row else 0
        if row:  # the next call of the definition overwrites the result
            code.const(to)
        self._called(e)
        if row:
            code.call("wide_copy")
            code.const(to)

    def _called(self, e: ir.Call) -> None:
        """Calls a definition, which pushes its result."""
        slots, _ = self.x.widths.functions[e.function]
        for slot, arg in enumerate(e.args):
            self.x.push(arg, max(1, slots.get(slot, 1)))
        self.x.code.call(f"f{e.function}")

    def _call_words(self, e: ir.Call) -> list[Word]:
        words = self.x.words(e)
        self._called(e)
        local = self.x.code.locals(words)
        self.x.code.set_all(local, words)
        return sets.in_locals(self.x.code, local, words)

    def _suppose(self, e: ir.Suppose) -> None:
        self.x.code.get(self._supposed(e, self.x.words(e)))

    def _suppose_words(self, e: ir.Suppose) -> list[Word]:
        words = self.x.words(e)
        return sets.in_locals(self.x.code, self._supposed(e, words), words)

    def _supposed(self, e: ir.Suppose, words: int) -> int:
        """Evaluates a hypothetical call; returns the locals with the value."""
        x, code, constants = self.x, self.x.code, self.x.memory.constants
        mark, left, result = code.local(), code.local(), code.locals(span(words))
        code.at(constants["JOURNAL"])
        code.set(mark)
        args = [x.held(arg, x.widths.of_cells[cell]) for cell, arg in zip(e.params, e.args, strict=True)]
        passed = x.parameters[e.block]
        for cell, local in zip(e.params, args, strict=True):
            if cell not in passed:
                self._lend(cell, local)
        code.at(constants["LEFT"])
        code.set(left)
        counted = e.counted or x.costs.whole.procedure(e.block) > MAX_ONCE_STEPS
        code.const32(0)
        code.const(MAX_ONCE_STEPS - x.charged.get(e.block, 0) if counted else _PATIENCE)
        code.store(constants["LEFT"])
        code.const(-1)
        for cell in passed:
            code.get_all(args[e.params.index(cell)], x.widths.of_cells[cell])
        code.call(f"p{e.block}")
        code.do("drop")
        code.const32(0)
        code.get(left)
        if e.counted:
            code.const(MAX_ONCE_STEPS)
            code.at(constants["LEFT"])
            code.do("sub", "sub")
        code.store(constants["LEFT"])
        if e.counted:
            code.const(0)
            code.call("charge")
        found_at = 0
        if words == ROW:  # it may be a cell of the state, which is rolled back
            code.const(found_at := x.memory.temporary())
        rest, x.memo = x.memo, {}  # memoised values belong to another state
        x.push(e.body, words)
        x.memo = rest
        if words == ROW:
            code.call("wide_copy")
            code.const(found_at)
        code.set_all(result, span(words))
        code.get(mark)
        code.call("undo")
        return result

    def _lend(self, cell: int, local: int) -> None:
        """Puts an argument from locals into its cell."""
        code, words = self.x.code, self.x.widths.of_cells[cell]
        for k in range(span(words)):
            code.const(self.x.memory.address(cell) + 8 * k)
            code.get(local + k)
            code.call("wide_put" if words == ROW else "put")


class Definitions:
    """An emitter of the functions of definitions.

    As in generated Python, a value that depends only on the arguments and costs more than a look-up is memoised for the
    latest arguments. A value that uses reached sets is memoised until a cell that it reads is written.
    """

    def __init__(self, x: ExpressionEmitter, memos: ClosureMemos, times: MemoTimes) -> None:
        self.x = x
        self._lasting = memos.functions
        self._times = times
        self._facts = Facts(x.p)

    def write(self) -> None:
        """Writes all functions."""
        for number, f in enumerate(self.x.p.functions):
            self._write(number, f)

    def _write(self, number: int, f: ir.Function) -> None:
        x = self.x
        known, result = x.widths.functions[number]
        several = {slot: words for slot, words in known.items() if words > 1}
        firsts = [0]
        for slot in range(f.params):
            firsts.append(firsts[-1] + span(several.get(slot, 1)))
        params = firsts.pop()
        code = x.begin(params)
        x.slots = dict(enumerate(firsts))
        x.known = dict(known)
        whole = (*(value for _, value in f.lets), f.body)
        rows = ROW in (result, *(several.get(slot) for slot in range(f.params)))
        lasting = self._lasting.get(number) if params <= f.params else None
        memo = not rows and (lasting is not None or self._facts.worth_memo(whole, f.params))
        counts = memo and self._facts.counts(ir.Call(number, ()))
        time = -1
        if memo:
            time = code.local() if lasting is None else self._times.time(lasting)
            if lasting is None:
                code.const(1)
                code.set(time)
        row = self._remembered(params, result, time, counts=counts) if memo else -1
        left = code.local()
        if counts:
            code.at(x.memory.constants["LEFT"])
            code.set(left)
        for slot, value in f.lets:
            x.slots[slot] = x.held(value, several.get(slot, 1))
        if f.steps is not None:
            x.value(f.steps)
            code.call("charge")
        x.push(f.body, result)
        if memo:
            self._remember(params, result, row, time, left if counts else -1)
        code.module.define(f"f{number}", code, params, I64 * span(result))

    def _remembered(self, params: int, result: int, time: int, *, counts: bool) -> int:
        """Returns a memoised result, or else leaves the address of its row in a local.

        A row is valid if it has the time in a local. With `counts`, the steps it took are stored too, and counted
        again.
        """
        code = self.x.code
        row = code.local()
        size = 8 * (1 + params + result + counts)
        remembered_row(code, range(params), self.x.memory.room(size * rows_of(params, size)), size)
        code.tee(row)
        code.do("wrap")
        code.load()
        code.get(time)
        code.do("eq")
        for i in range(params):
            code.get(row)
            code.do("wrap")
            code.load(8 * (i + 1))
            code.get(i)
            code.do("eq", "i32.and")
        code.if_()
        if counts:
            code.get(row)
            code.do("wrap")
            code.load(size - 8)
            code.call("charge")
        for k in range(result):
            code.get(row)
            code.do("wrap")
            code.load(8 * (1 + params + k))
        code.do("return")
        code.end()
        return row

    def _remember(self, params: int, result: int, row: int, time: int, left: int) -> None:
        """Writes the row of the value on the stack; `left`: the local with the step budget before it, or -1."""
        code = self.x.code
        value = code.locals(result)
        code.set_all(value, result)
        if left >= 0:
            code.get(left)
            code.at(self.x.memory.constants["LEFT"])
            code.do("sub")
            code.set(left)
        taken = [left] if left >= 0 else []
        for i, local in enumerate((time, *range(params), *range(value, value + result), *taken)):
            code.get(row)
            code.do("wrap")
            code.get(local)
            code.store(8 * i)
        code.get_all(value, result)


def _unpacked(e: ir.Expr) -> list[ir.Expr]:
    """The keys of a table packed into one number, each as wide as a word."""
    if isinstance(e, ir.Const):
        return [ir.Const(key) for key in _numbers(e.value)]
    if isinstance(e, ir.Op) and e.op == "+" and isinstance(e.args[0], ir.Const) and e.args[0].value % (1 << WORD) == 0:
        return [*map(ir.Const, _numbers(e.args[0].value >> WORD)), e.args[1]]
    shifted, last = e.args if isinstance(e, ir.Op) and e.op == "+" else (e, ir.Const(0))
    if isinstance(shifted, ir.Op) and shifted.op == "*" and shifted.args[1] == ir.Const(1 << WORD):
        return [*_unpacked(shifted.args[0]), last]
    return [e]


def _numbers(packed: int) -> list[int]:
    """The numbers packed into one number."""
    last = (packed + (1 << WORD - 1)) % (1 << WORD) - (1 << WORD - 1)
    rest = (packed - last) >> WORD
    return [*_numbers(rest), last] if rest else [last]
