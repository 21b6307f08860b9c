"""Memos of reached sets (`ir.Closure`) and of definitions that use them, which stay valid beyond a decision, until a
cell on which they depend is written.

A module has a table for each memo. Its rows are found by the values of the free variables, and stamped when they are
written. An instruction that may write a cell read by a memoised expression notes the memo's number in a register; all
other writes, and every undo, note all numbers. The next look-up then starts a new stamp, which invalidates all earlier
rows of the memo.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from rulespec.engine.passes.occupancy import Occupancy
from rulespec.engine.program import ir
from rulespec.engine.program.reached_sets import ReachedSets
from rulespec.engine.program.traversal import free, meet, span, targets, walk
from rulespec.engine.wasm.roots import roots
from rulespec.engine.wasm.wasm_format import I32, Code
from rulespec.engine.wasm.wide_sets import Word

if TYPE_CHECKING:
    from rulespec.engine.wasm.expressions import ExpressionEmitter

_MOST = 60
"""Reached sets and definitions that are kept: each has a bit in a word."""
_KEYS = 3
"""Free variables of a kept set."""
_FEW_ROWS, _MANY_ROWS, _LONG_ROW = 8, 10, 64
"""The number of rows of a table, as a power of two, with rows of more and of up to 64 bytes."""
_MIXING = -7046029254386353131
_VARIABLES = "rules"
"""The group of cells that locals of procedures hold."""


class ClosureMemo(Struct, frozen=True):
    """An expression or definition whose value is memoised: its number, the variables on which it depends (for a
    definition, its parameters), and the cells that it may read.
    """

    number: int
    keys: tuple[ir.Expr, ...]
    reads: tuple[range, ...]


class ClosureMemos:
    """The memos of a program's reached sets (`ir.Closure`).

    A reached set is memoised if it reads the state and takes longer to compute than to look up; a definition is
    memoised if it looks up several such sets.

    Args:
        p: the program after all passes.
        occupancy: its maintained sets, which change with the cells from which they are derived.
    """

    def __init__(self, p: ir.Program, occupancy: Occupancy) -> None:
        self._p = p
        self._derived = [(range(f.at, f.at + f.sets), f.array) for f in occupancy.families.values()]
        for (base, count, number), first in occupancy.holdings.items():
            self._derived.append((range(first - 1, first + max(p.arrays[number]) + 1), range(base, base + count)))
        self._of_functions: dict[int, tuple[range, ...] | None] = {}
        self._memos: dict[ir.Closure, ClosureMemo] = {}
        reached = ReachedSets(p)
        for e in (part for root in roots(p) for part in walk(root)):
            if isinstance(e, ir.Closure) and e not in self._memos and len(self._memos) < _MOST:
                keys = (*map(ir.Local, sorted(free(e))), *dict.fromkeys(filter(self._is_variable, walk(e))))
                reads = self._reads(e) if reached.is_slow(e) and len(keys) <= _KEYS else None
                if reads:
                    self._memos[e] = ClosureMemo(len(self._memos), keys, reads)
        self.functions: dict[int, ClosureMemo] = {}
        """The memos of definitions, by number."""
        for number, f in enumerate(p.functions):
            number_of_memo = len(self._memos) + len(self.functions)
            if reached.is_worth_caching(number) and f.params <= _KEYS and number_of_memo < _MOST:
                reads = self._of_function(number)
                if reads:
                    self.functions[number] = ClosureMemo(number_of_memo, (), reads)

    def __getitem__(self, e: ir.Closure) -> ClosureMemo | None:
        """The memo of an expression; None if it has none."""
        return self._memos.get(e)

    def written(self, i: ir.Instruction) -> int:
        """The memos that an instruction may invalidate, one bit each."""
        to = targets(i)
        every = (*self._memos.values(), *self.functions.values())
        return sum(1 << k.number for k in every if any(meet(a, b) for a in k.reads for b in to))

    def _is_variable(self, e: ir.Expr) -> bool:
        """Whether an expression is a variable of a procedure."""
        return isinstance(e, ir.Cell) and isinstance(e.index, ir.Const) and self._in_variables(span(e))

    def _in_variables(self, cells: range) -> bool:
        own = self._p.cells
        return any(own[at].group == _VARIABLES for at in cells if at < len(own))

    def _reads(self, e: ir.Expr) -> tuple[range, ...] | None:
        """The cells that an expression may read beside variables; None if they are not known, or in a local table."""
        results: dict[range, None] = {}
        for part in walk(e):
            if isinstance(part, ir.Suppose):
                return None
            if isinstance(part, ir.Call):
                called = self._of_function(part.function)
                if called is None:
                    return None
                results |= dict.fromkeys(called)
            elif isinstance(part, ir.Cell) and not self._is_variable(part):
                results[span(part)] = None
            elif isinstance(part, ir.Total):
                results[self._array(part.base)] = None
            elif isinstance(part, ir.Positive | ir.Held):
                results[range(part.base, part.base + (part.count if isinstance(part, ir.Held) else part.size))] = None
        for derived, of in self._derived:
            if any(meet(derived, cells) for cells in results):
                results[of] = None
        return None if any(map(self._in_variables, results)) else tuple(results)

    def _array(self, first: int) -> range:
        """The cells of the same name from one on."""
        own, stop = self._p.cells, first
        while stop < len(own) and (own[stop].group, own[stop].name) == (own[first].group, own[first].name):
            stop += 1
        return range(first, stop)

    def _of_function(self, number: int) -> tuple[range, ...] | None:
        """The cells that a definition may read; None as above."""
        if number not in self._of_functions:
            f = self._p.functions[number]
            parts = [self._reads(e) for e in (*(value for _, value in f.lets), f.body, f.steps) if e is not None]
            known = [one for one in parts if one is not None]
            whole = tuple(dict.fromkeys(cells for one in known for cells in one))
            self._of_functions[number] = whole if len(known) == len(parts) else None
        return self._of_functions[number]


class MemoTimes:
    """An emitter of code that keeps a logical time for each memo.

    A row is valid if it was written at the current time of its memo.
    """

    def __init__(self, x: ExpressionEmitter) -> None:
        self._x = x
        self._times: dict[int, int] = {}

    def time(self, memo: ClosureMemo) -> int:
        """The local with the time of a memo, which advances if a cell that the memo reads has been written."""
        code, memory, bit = self._x.code, self._x.memory, 1 << memo.number
        if memo.number not in self._times:
            self._times[memo.number] = memory.room(8)
            memory.module_data(self._times[memo.number], (1).to_bytes(8, "little"))
        time, register, result = self._times[memo.number], memory.constants["REWRITTEN"], code.local()
        code.at(register)
        code.const(bit)
        code.do("and", "eqz", "i32.eqz")
        code.if_()
        for address, operand, name in ((time, 1, "add"), (register, ~bit, "and")):
            code.const32(0)
            code.at(address)
            code.const(operand)
            code.do(name)
            code.store(address)
        code.end()
        code.at(time)
        code.set(result)
        return result


class MemoTable:
    """The rows of a memo, in the code of one look-up: each has its time, its keys, a value, and further numbers.

    Args:
        code: the code of the look-up.
        address: the address of the first row.
        size: the size of a row in bytes.
        time: the local with the current time of the memo.
    """

    def __init__(self, code: Code, address: int, size: int, time: int) -> None:
        self._code = code
        self._address = address
        self._size = size
        self.time = time

    def valid_row(self, keys: Sequence[int]) -> int:
        """Pushes whether the row of some keys, given by locals, is valid; returns the local with its address."""
        code = self._code
        row = code.local(I32)
        remembered_row(code, keys, self._address, self._size)
        code.do("wrap")
        code.set(row)
        for i, local in enumerate((self.time, *keys)):
            code.get(row)
            code.load(8 * i)
            code.get(local)
            code.do(*["eq", "i32.and"][: 2 if i else 1])
        return row

    def words(self, row: int, keys: int, count: int) -> list[Word]:
        """The words of the value in a valid row."""

        def word(k: int) -> None:
            self._code.get(row)
            self._code.load(8 * (1 + keys + k))

        return [partial(word, k) for k in range(count)]


def remembered_row(code: Code, keys: Sequence[int], address: int, size: int) -> None:
    """Pushes the address of the row for the values of the locals `keys`, in the memo table at `address`."""
    if not keys:
        code.const(address)
        return
    for number, local in enumerate(keys):
        code.get(local)
        if number:
            code.do("add")
        code.const(_MIXING)
        code.do("mul")
    code.const(64 - _rows_bits(size))
    code.do("shr_u")
    code.const(size)
    code.do("mul")
    code.const(address)
    code.do("add")


def rows_of(keys: int, size: int) -> int:
    """The number of rows of `size` bytes in the table of a memo with `keys` variables."""
    return 1 << _rows_bits(size) if keys else 1


def _rows_bits(size: int) -> int:
    return _FEW_ROWS if size > _LONG_ROW else _MANY_ROWS
