"""A hook into lowering: the places of rules in a program."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.typed import nodes as typed


class Marks:
    """Notifications from lowering. Every method does nothing; override those that matter."""

    def expression(self, e: typed.Expr, lowered: ir.Expr) -> ir.Expr:
        """The expression in place of a lowered one: itself, or a marked one of equal value."""
        return lowered

    def statement(self, s: typed.Stmt, block: int, scope: Scope) -> None:
        """A statement begins in a block, with these variables."""

    def emitted(self, instruction: ir.Instruction) -> None:
        """An instruction is added for the statement that has begun last."""

    def payment(self, cost: typed.Cost, instructions: Sequence[ir.Instruction], scope: Scope) -> None:
        """A cost is paid by instructions, which are added later."""

    def decision(self, s: typed.Decide, number: int, scope: Scope) -> None:
        """A statement asks for the decision of a number, with these variables."""

    def loop(self, body: typed.Block, block: int, again: int, leave: int) -> None:
        """The body of a loop begins in a block; `again` is the block that decides whether to go on to `leave`."""

    def otherwise(self, s: typed.Otherwise, block: int) -> None:
        """The body for the case without a legal option begins in a block."""

    def definition(self, definition: typed.Definition, function: int) -> None:
        """A definition has the number of a function."""
