"""Hooks into the interpreter's evaluations, runs and listings."""

from __future__ import annotations

from rulespec.engine.program import ir


class Observer:
    """A hook notified by an interpreter. All methods do nothing by default; override the relevant ones."""

    def chosen(self, e: ir.If, value: int) -> None:
        """Called after a conditional is evaluated."""

    def called(self, function: int) -> None:
        """Called before a definition is evaluated."""

    def asked(self, e: ir.Expr) -> None:
        """Called before an expression outside blocks and options, such as the score, is evaluated."""

    def entered(self, block: int, before: int) -> None:
        """Called before a block runs; `before` is the preceding block, or -1 for the first."""

    def tested(self, condition: ir.Condition, holds: bool) -> None:
        """Called after a condition is tested."""

    def compared(self, param: ir.Param, fits: bool) -> None:
        """Called after an argument is compared with the domain of its parameter."""

    def legal(self, decision: int, choice: int) -> None:
        """Called when an option is listed or found legal."""

    def wants_invariants(self) -> bool:
        """Whether to test invariants now; otherwise they count as satisfied."""
        return True
