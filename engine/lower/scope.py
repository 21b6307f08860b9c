"""Variables in scope during lowering."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.engine.program.builder import cell
from rulespec.typed import nodes as typed


class Scope(Struct, frozen=True):
    """The variables in scope, in slots or cells.

    Attributes:
        where: variable → slot, cell or constant.
        slots: the number of slots in use.
        sources: id of a typed expression → lowered expression that replaces it.
    """

    where: dict[typed.Var, ir.Expr] = {}
    slots: int = 0
    sources: dict[int, ir.Expr] = {}

    def in_slot(self, var: typed.Var, slot: int) -> Scope:
        """This scope with a variable in a slot."""
        return replace(self, where={**self.where, var: ir.Local(slot)}, slots=max(self.slots, slot + 1))

    def after(self, slot: int) -> Scope:
        """This scope with a slot reserved without a variable."""
        return replace(self, slots=slot + 1)

    def in_cell(self, var: typed.Var, at: int) -> Scope:
        """This scope with a variable in a cell."""
        return replace(self, where={**self.where, var: cell(at)})

    def with_source(self, expr: typed.Expr, value: ir.Expr) -> Scope:
        """This scope with a known value for an expression."""
        return replace(self, sources={**self.sources, id(expr): value})
