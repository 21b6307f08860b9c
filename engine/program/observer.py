"""A hook into the interpreter's evaluations, runs and listings."""

from __future__ import annotations

from rulespec.engine.program import ir


class Observer:
    """Notifications from an interpreter. Every method does nothing; override the relevant ones."""

    def chosen(self, e: ir.If, value: int) -> None:
        """A choice has got a value."""

    def called(self, function: int) -> None:
        """A definition is about to be evaluated."""

    def asked(self, e: ir.Expr) -> None:
        """An expression outside the program's blocks and options, such as the score, is about to be evaluated."""

    def entered(self, block: int, before: int) -> None:
        """A block is about to run after the block `before` (-1 if it is the first)."""

    def tested(self, condition: ir.Condition, holds: bool) -> None:
        """A condition was tested."""

    def compared(self, param: ir.Param, fits: bool) -> None:
        """An argument was compared with the domain of its parameter."""

    def legal(self, decision: int, choice: int) -> None:
        """An option was listed or found legal."""

    def wants_invariants(self) -> bool:
        """Whether to test invariants now; otherwise they count as held."""
        return True
