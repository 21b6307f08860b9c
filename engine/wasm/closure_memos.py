"""Memos of reached sets that last beyond a decision, until a cell on which they depend is written.

A module has a table for each memo, with rows by the values of the free variables, each stamped when it is written.
Instructions that may write a cell read by such an expression note its number in a register; all other writes, and every
undo, note all numbers. The next look-up then starts a new stamp, which makes all earlier rows invalid.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.engine.passes.occupancy import Occupancy
from rulespec.engine.program import ir
from rulespec.engine.program.traversal import Binding, Facts, free, meet, span, targets, walk
from rulespec.engine.wasm.roots import roots
from rulespec.engine.wasm.wasm_format import Code

_MOST = 60
"""Reached sets that are kept: each has a bit in a word."""
_KEYS = 3
"""Free variables of a kept set."""
_ROWS_BITS = 8
"""Of the number of rows of a memory, as a power of two."""
_MIXING = -7046029254386353131
_VARIABLES = "rules"
"""The group of cells that locals of procedures hold."""


class ClosureMemo(Struct, frozen=True):
    """An expression whose value is kept: its number, the variables it depends on, and the cells that it may read."""

    number: int
    keys: tuple[ir.Expr, ...]
    reads: tuple[range, ...]


class ClosureMemos:
    """The memos of a program's reached sets.

    A reached set is kept if it reads the state and takes longer to compute than to look up.

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
        facts = Facts(p)
        for e in (part for root in roots(p) for part in walk(root)):
            if isinstance(e, ir.Closure) and e not in self._memos and len(self._memos) < _MOST:
                keys = (*map(ir.Local, sorted(free(e))), *dict.fromkeys(filter(self._is_variable, walk(e))))
                reads = self._reads(e) if _is_slow(e) and facts.reads_state(e) and len(keys) <= _KEYS else None
                if reads:
                    self._memos[e] = ClosureMemo(len(self._memos), keys, reads)

    def __getitem__(self, e: ir.Closure) -> ClosureMemo | None:
        """The memo of an expression; None without one."""
        return self._memos.get(e)

    def written(self, i: ir.Instruction) -> int:
        """The memos that an instruction may invalidate, one bit each."""
        to = targets(i)
        return sum(1 << k.number for k in self._memos.values() if any(meet(a, b) for a in k.reads for b in to))

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


def _is_slow(e: ir.Closure) -> bool:
    """Whether a step is more than a look-up."""
    return any(isinstance(part, Binding | ir.Call) for part in walk(e.step))


def remembered_row(code: Code, keys: Sequence[int], address: int, size: int) -> None:
    """Pushes the address of a table's row for the values of some locals."""
    if not keys:
        code.const(address)
        return
    for number, local in enumerate(keys):
        code.get(local)
        if number:
            code.do("add")
        code.const(_MIXING)
        code.do("mul")
    code.const(64 - _ROWS_BITS)
    code.do("shr_u")
    code.const(size)
    code.do("mul")
    code.const(address)
    code.do("add")


def rows_of(keys: int) -> int:
    """The number of rows in the table of a memo with `keys` variables."""
    return 1 << _ROWS_BITS if keys else 1
