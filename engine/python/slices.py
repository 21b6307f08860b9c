"""Loops that only fill adjacent cells, written as one slice assignment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulespec.engine.program import ir
from rulespec.engine.program.builder import op
from rulespec.engine.program.control_flow import Loop
from rulespec.engine.program.traversal import Elsewhere, meet, walk
from rulespec.engine.python.features import EmissionPlan

_MANY = 1 << 12
"""The minimum set for a slice assignment, as a number: 13 members."""


def sliced(plan: EmissionPlan, loop: Loop, source: ir.Expr, x: Callable[[ir.Expr], str]) -> list[str] | None:
    """The lines of a loop that only writes numbers to adjacent cells; None for any other loop.

    Args:
        plan: the plan of the program.
        loop: the loop.
        source: the set that it iterates over.
        x: a function that writes an expression.
    """
    if not isinstance(source, ir.Const):
        return None
    if source.value & (source.value + 1) or source.value < _MANY:
        return None
    block = plan.p.blocks[loop.body]
    if not isinstance(block.exit, ir.Goto) or plan.loops.get(block.exit.block) != loop or loop.start != ir.Const(0):
        return None
    member = ir.Cell(loop.at, ir.Const(0), 1)
    count = source.value.bit_length()
    before, tests, columns = [], [], []
    values: dict[int, str] = {}
    stores = [i for i in block.body[2:] if isinstance(i, ir.Store) and i.target.index == member]
    if len(stores) < len(block.body) - 2:
        return None
    written = [(i.target.base, i.target.base + count) for i in stores]
    if any(meet(range(*cells), array) for cells in written for array in plan.holders):
        return None
    for k, i in enumerate(stores):
        values[i.target.base] = f"t{k}"
        if isinstance(i.value, ir.Const):
            if i.low is not None and i.high is not None and not i.low <= i.value.value <= i.high:
                return None
            values[i.target.base] = f"[{i.value.value:d}] * {count:d}"
            continue
        first = _neighbours(i.value, member, written)
        if first is None or i.low is None or i.high is None or i.none:
            return None
        before.append(f"t{k} = s[(p := {x(first)}):p + {count:d}]")
        pieces = isinstance(i.value, ir.Cell) and plan.p.cells[i.value.base].group == "pieces"  # never below zero
        tests += [f"min(t{k}) < {i.low:d}"] if i.low > 0 or not pieces else []
        tests.append(f"max(t{k}) > {i.high:d}")
        columns.append(f"(t{k}, {i.low:d}, {i.high:d}, {i.site:d})")
    if tests:
        before.append(f"if {' or '.join(tests)}: check_all({', '.join(columns)})")
    return [*before, *_assigned(values, count)]


def _assigned(values: dict[int, str], count: int) -> list[str]:
    """The lines that assign numbers to `count` cells from each base, and record changed cells."""
    out: list[str] = []
    for run in runs([at for base in sorted(values) for at in range(base, base + count)]):
        first, end = run.start, run.stop
        cells = f"s[{first:d}:{end:d}]"
        parts = [values[base] for base in run if base in values]
        if all(part.startswith("[0]") for part in parts):
            others, new = cells, "0"
        else:
            out.append(f"w = {' + '.join(parts)}")
            others, new = f"map(ne, {cells}, w)", f"w[k - {first:d}]"
        out += [f"for k in compress(range({first:d}, {end:d}), {others}):", "    u += k, s[k]", f"    s[k] = {new}"]
    return out


def runs(cells: Sequence[int]) -> list[range]:
    """Cells grouped into runs of adjacent ones."""
    runs: list[range] = []
    for at in cells:
        if runs and at == runs[-1].stop:
            runs[-1] = range(runs[-1].start, at + 1)
        else:
            runs.append(range(at, at + 1))
    return runs


def _neighbours(value: ir.Expr, member: ir.Cell, written: list[tuple[int, int]]) -> ir.Expr | None:
    """The address of the first of the adjacent cells that a loop reads one by one.

    None if the loop reads anything else, or cells that it writes.
    """
    if not isinstance(value, ir.Cell):
        return None
    rest = _less(value.index, member)
    if rest is None:
        return None
    for read in walk(ir.Cell(value.base, rest, value.size)):
        if isinstance(read, ir.Positive | ir.Total | ir.Held | Elsewhere):
            return None
        if isinstance(read, ir.Cell):
            first = read.base + (read.index.value if isinstance(read.index, ir.Const) else 0)
            if any(first < end and start < read.base + read.size for start, end in written):
                return None
    return op("+", ir.Const(value.base), rest)


def _less(sum_: ir.Expr, part: ir.Expr) -> ir.Expr | None:
    """A sum without one of its terms, which occurs exactly once."""
    if sum_ == part:
        return ir.Const(0)
    if isinstance(sum_, ir.Op) and sum_.op == "+":
        for one, other in (sum_.args, sum_.args[::-1]):
            if part not in walk(other) and (rest := _less(one, part)) is not None:
                return op("+", rest, other)
    return None
