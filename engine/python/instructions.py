"""Instructions of blocks as generated source."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_NUMBER, NO_NUMBER
from rulespec.engine.program.traversal import changed, meet, span
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.features import EmissionPlan
from rulespec.engine.python.slices import runs

_FIRST_VARIABLE_SLOT = 200_000
"""The first of the slots for procedure variables, one per cell, which no expression uses."""


class InstructionWriter:
    """A writer of instructions, which tracks the cells held in variables.

    The journal `u` records the value of a cell before its first write, for undoing a decision.

    Args:
        writer: the writer of expressions.
        plan: the plan of the program.
        variables: the cells held in variables.
        own: the cells among these that are stored when the game has to wait.

    Attributes:
        members: cell of the current member of each enclosing loop → its slot.
        noted: the cells already in the journal.
        zero: the cells and variables known to be zero.
    """

    def __init__(
        self, writer: ExpressionWriter, plan: EmissionPlan, variables: frozenset[int], own: Sequence[int]
    ) -> None:
        self.w = writer
        self.plan = plan
        self.variables = variables
        self.own = own
        self.members: dict[int, int] = {}
        self.noted = {ir.PC}
        self.zero: set[int] = set()

    def x(self, e: ir.Expr) -> str:
        """The source of an expression, in which variables and current loop members replace their cells."""
        return self.w.x(self.bound(e))

    def bound(self, e: ir.Expr) -> ir.Expr:
        """An expression with cells replaced by the Python variables that hold them."""
        if not self.members and not self.variables:
            return e
        if isinstance(e, ir.Cell) and isinstance(e.index, ir.Const):
            at = e.base + e.index.value
            if at in self.members:
                return ir.Local(self.members[at])
            return ir.Local(_FIRST_VARIABLE_SLOT + at) if at in self.variables else e
        return changed(e, self.bound)

    def _address(self, c: ir.Cell) -> str:
        return self.w.address(ir.Cell(c.base, self.bound(c.index), c.size))

    def note(self, at: int) -> list[str]:
        """The line that records a cell in the journal before its first write."""
        if at in self.noted or at in self.variables:
            return []
        self.noted.add(at)
        return [f"u += {self._previous(at)}"]

    def _previous(self, at: int) -> str:
        """A cell and its value, for the journal."""
        return f"{at:d}, 0" if at in self.zero else f"{at:d}, s[{at:d}]"

    def cell(self, at: int) -> str:
        """The target of an assignment to a cell: the cell itself, or its variable."""
        self.zero.discard(at)
        return variable(at) if at in self.variables else f"s[{at:d}]"

    def _place(self, c: ir.Cell, name: str) -> tuple[list[str], str]:
        """The lines that locate a cell and record it in the journal, and the assignment target."""
        at = self._address(c)
        if not at.isdigit():
            self.zero.difference_update([zero for zero in self.zero if zero in span(c)])
            return [f"{name} = {at}", f"u += {name}, s[{name}]"], f"s[{name}]"
        return self.note(int(at)), self.cell(int(at))

    def _occupancy(self, c: ir.Cell, at: str, crossed: str) -> list[str]:
        """The lines that update the sets of occupied places after a cell becomes empty or occupied."""
        if not any(meet(span(c), array) for array in self.plan.occupied):
            return []
        return [f"if {crossed}:", f"    for k, w in K[{at[2:-1]}]:", "        u += k, s[k]", "        s[k] ^= w"]

    def instruction(self, i: ir.Instruction, *, returns: bool) -> list[str]:
        """The lines of an instruction; with `returns`, variables are not read afterwards."""
        if isinstance(i, ir.Store):
            return self._store(i)
        if isinstance(i, ir.Transfer):
            return self._transfer(i)
        if isinstance(i, ir.Check):
            return [f"if not ({self.x(i.condition)}): refuse({i.site:d})"]
        assert isinstance(i, ir.Clear)
        return self._clear(i, returns=returns)

    def _store(self, i: ir.Store) -> list[str]:
        value = self.bound(i.value)
        known = value.value if isinstance(value, ir.Const) else None
        if any(meet(span(i.target), array) for array in self.plan.holders):
            return [f"n = {self.w.number(value)}", f"a = {self._address(i.target)}", "house(s, u, a, n, H[a])"]
        checked = i.low is not None and i.high is not None and not (known is not None and i.low <= known <= i.high)
        checked = checked and not (i.none and known == NO_NUMBER)
        where, at = self._place(i.target, "a")
        new = self.w.number(value)
        first: list[str] = []
        if checked or (known is None and (at == "s[a]" or self.w.facts.may_fault(i.target))):
            first, new = [f"n = {new}"], "n"
        if checked:
            none = f" and n != {NO_NUMBER:d}" if i.none else ""
            first.append(f"if not {i.low:d} <= n <= {i.high:d}{none}: outside(n, {i.site:d})")
        if at == "s[a]":  # often the value is already there, such as a removed mark
            return [*first, where[0], f"if s[a] != {new}:", f"    {where[1]}", f"    s[a] = {new}"]
        return [*first, *where, f"{at} = {new}"]

    def _transfer(self, i: ir.Transfer) -> list[str]:
        noted = set(self.noted)
        from_, source = self._place(i.source, "a")
        to, target = self._place(i.target, "b")
        amount = self.w.number(self.bound(i.amount))
        over = f"n > {MAX_NUMBER}" if i.unlimited else f"n > {source}"
        fault = f"if n < 0 or {over}: too_much(n, {source}, {i.site:d})"
        less = [f"{source} -= n", *self._occupancy(i.source, source, f"-n < {source} <= 0")]
        more = [f"{target} += n", *self._occupancy(i.target, target, f"0 < {target} <= n")]
        more.append(f"if {target} > {MAX_NUMBER}: too_full({i.site})")
        if i.unlimited:
            less.append(f"if {source} < -{MAX_NUMBER}: too_full({i.site})")
        lines = [*from_, *to, fault, *less, *more]
        if amount.isdigit() or self.w.facts.may_fault(i.source) or self.w.facts.may_fault(i.target):
            return [f"n = {amount}", *lines]
        self.noted = noted
        return [f"n = {amount}", "if n:", *("    " + line for line in lines)]

    def _clear(self, i: ir.Clear, *, returns: bool) -> list[str]:
        filled = [at for at in range(i.base, i.base + i.size) if at not in self.zero]
        cells = [at for at in filled if at not in self.variables]
        held = [self._previous(at) for at in cells if at not in self.noted]
        self.noted.update(cells)
        self.zero.update(filled)
        out = [f"u += {', '.join(held)}"] if held else []
        out += [f"{_cells(run)} = {'0' if len(run) == 1 else f'(0,) * {len(run):d}'}" for run in runs(cells)]
        if not returns:  # otherwise its variables are never read again
            out += [f"{variable(at)} = 0" for at in filled if at in self.own]
        return out


def variable(at: int) -> str:
    """The Python variable for a cell."""
    return f"v{_FIRST_VARIABLE_SLOT + at:d}"


def spilled(cells: Sequence[int]) -> list[str]:
    """The lines that store variables in their cells, which must still be zero."""
    if not cells:
        return []
    values = [f"{_cells(run)} = {', '.join(map(variable, run))}" for run in runs(cells)]
    return [f"u += {', '.join(f'{at:d}, 0' for at in cells)}", *values]


def _cells(run: range) -> str:
    return f"s[{run.start:d}]" if len(run) == 1 else f"s[{run.start:d}:{run.stop:d}]"
