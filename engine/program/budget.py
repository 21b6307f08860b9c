"""Budgets: step limits, each shared by everything that a command prints or reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from rulespec.engine.program.execution import Execution
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import MAX_SHOWN_STEPS
from rulespec.errors import RulespecError


class BudgetUse(NamedTuple):
    """A consumer of a budget, with its name, such as ``the title `options.go` ``, and its place."""

    name: str
    span: Span | None


class SpentError(RulespecError):
    """Raised when a budget is exhausted."""


class Budget:
    """A shared budget of steps.

    Args:
        steps: the limit.

    Attributes:
        left: the remaining steps.
        used: consumer → steps taken.
    """

    def __init__(self, steps: int = MAX_SHOWN_STEPS) -> None:
        self.steps = self.left = steps
        self.used = Counter[BudgetUse]()

    @property
    def spent(self) -> bool:
        """Whether no steps are left."""
        return self.left <= 0

    def spend(self, machine: Execution, use: BudgetUse, value: Callable[[], int]) -> int:
        """Calls `value` and returns its result; its steps, counted by `machine`, are deducted from the budget.

        Raises:
            SpentError: if `value` takes more steps than are left.
        """
        if self.spent:
            raise SpentError
        before, machine.left = machine.left, self.left
        try:
            return value()
        except ProgramFaultError:
            if machine.left < 0:
                raise SpentError from None
            raise
        finally:
            left, machine.left = max(0, machine.left), before
            self.used[use] += self.left - left
            self.left = left

    def warnings(self, code: str, severity: Severity, what: str, help_: str) -> tuple[Diagnostic, ...]:
        """The diagnostic for an exhausted budget, placed at its greatest consumer; none while steps are left.

        Args:
            code: the code of the diagnostic.
            severity: the severity of the diagnostic.
            what: the purpose of the steps, such as `the checks of facts`.
            help_: the help text.
        """
        if not self.spent:
            return ()
        (most, steps), *others = self.used.most_common(3)
        message = f"{self.steps:,} steps are used up by {what}: {most.name} took {steps:,} of them"
        notes = tuple(Label(each.span, f"{each.name} took {n:,}") for each, n in others if each.span is not None)
        return (Diagnostic(code, severity, message, most.span, notes=notes, help=help_),)
