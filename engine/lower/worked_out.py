"""Evaluation of expressions before a game begins: start values and capacities, with a common step limit."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import failure
from rulespec.engine.program import ir
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.journal import State
from rulespec.engine.program.limits import MAX_START_STEPS

WorkedOut = Callable[[ir.Expr, State, Span], int]
"""A function that evaluates an expression in a state; the span is the place of the expression."""


def working_out(p: ir.Program) -> WorkedOut:
    """A function that evaluates start values and capacities of a program.

    It raises `ProgramFaultError` for an expression without a value, and `DiagnosticsError` (RS415) after
    `MAX_START_STEPS` steps in total.
    """
    evaluator = Evaluator(p, MAX_START_STEPS)

    def worked_out(e: ir.Expr, state: State, span: Span) -> int:
        try:
            return evaluator.evaluate(e, state, [0] * (p.slots + 1))
        except ProgramFaultError:
            if evaluator.left >= 0:
                raise
            message = f"start values and capacities take more than {MAX_START_STEPS:,} steps; the limit is reached here"
            help_ = "simplify it: a loop takes one step per member of its set"
            raise failure("RS415", message, span, help_) from None

    return worked_out
