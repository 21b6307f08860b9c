"""A hook into lowering: the places of rules in a program."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.typed import nodes as typed


class Marks:
    """Notifications from lowering. All methods do nothing; override the ones you need."""

    def expression(self, e: typed.Expr, lowered: ir.Expr) -> ir.Expr:
        """The replacement of a lowered expression: itself, or a marked expression of equal value."""
        return lowered

    def statement(self, s: typed.Stmt, block: int, scope: Scope) -> None:
        """A statement begins in a block, in the given scope."""

    def emitted(self, instruction: ir.Instruction) -> None:
        """An instruction is added for the most recently begun statement."""

    def payment(self, cost: typed.Cost, instructions: Sequence[ir.Instruction], scope: Scope) -> None:
        """A cost is paid by instructions that are added later."""

    def decision(self, s: typed.Decide, number: int, scope: Scope) -> None:
        """A statement asks for the decision with this number, in the given scope."""

    def loop(self, body: typed.Block, block: int, again: int, leave: int) -> None:
        """The body of a loop begins in a block; `again` is the block that chooses between the body and `leave`."""

    def otherwise(self, s: typed.Otherwise, block: int) -> None:
        """The body for the case without legal options begins in a block."""

    def definition(self, definition: typed.Definition, function: int) -> None:
        """A definition has this function number."""
