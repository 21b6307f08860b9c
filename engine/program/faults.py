"""Faults of the rules at run time, and the tests of amounts that raise them."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.errors import RulespecError
from rulespec.language.operators import OPERATORS

TOO_FULL = "there would be a number with more than 15 digits"
"""The message of the fault for a payment or move that overfills its target."""
_SHOWN = 6
"""Maximum number of a set's members named in a message."""


class ProgramFaultError(RulespecError):
    """Raised for a fault of the rules, such as a payment without money, a value out of range, or a division by zero.

    Attributes:
        site: index into `Program.sites`; -1 for an exceeded limit of the machine.
        detail: the numbers at fault; "" if there are none.
        mask: the set at fault; None if there is none.
        span: the place of the code that exceeded a limit of the machine.
    """

    def __init__(self, site: int, detail: str = "", mask: int | None = None, span: Span | None = None) -> None:
        super().__init__(detail)
        self.site = site
        self.detail = detail
        self.mask = mask
        self.span = span

    def culprits(self, p: ir.Program) -> str:
        """The values at fault as text: the numbers, or the names of the set's members."""
        if self.mask is None:
            return self.detail
        names = [name for i, name in enumerate(p.members[self.site]) if self.mask >> i & 1]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"it finds {', '.join(names[:_SHOWN]) or 'none'}{more}"


def fault_of(e: ir.Op, args: Sequence[int]) -> ProgramFaultError:
    """The fault of an operator that has no value for its arguments."""
    fault = OPERATORS[e.op].fault
    return ProgramFaultError(e.site, mask=args[fault.operands[0]] if fault is not None and fault.names else None)


def too_deep() -> DiagnosticsError:
    """The error for rules that exceed Python's own limits, which are wider than the checker's."""
    help_ = "split expressions with `let`, and shorten the chain of definitions"
    return DiagnosticsError((Diagnostic("RS410", Severity.ERROR, "the rules are nested too deep", None, help=help_),))


def check_amount(amount: int, there: int, unlimited: bool, site: int) -> None:
    """Checks that an amount is not negative and does not exceed its source, unless the source is unlimited.

    Raises:
        ProgramFaultError: at `site`, if the amount is negative or too large.
    """
    if amount < 0 or amount > (MAX_NUMBER if unlimited else there):
        too_much(amount, there, site)


def too_much(amount: int, there: int, site: int) -> None:
    """Raises the fault for a payment or move that is negative or exceeds its source."""
    raise ProgramFaultError(site, f"{amount} of {there}")


def below_nothing(cost: int, site: int) -> None:
    """Raises the fault for a step with a negative cost."""
    raise ProgramFaultError(site, f"it would cost {cost}")


def too_full(site: int) -> None:
    """Raises the fault for a payment or move that overfills its target."""
    raise ProgramFaultError(site, TOO_FULL)
