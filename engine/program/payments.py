"""Checks of payments, moves of pieces and costs: never negative, never more than available."""

from __future__ import annotations

from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import MAX_NUMBER, TOO_FULL


def check_amount(amount: int, there: int, unlimited: bool, site: int) -> None:
    """Checks that an amount is not negative and within the source, unless that is unlimited.

    Raises:
        ProgramFaultError: at `site`, if it is not.
    """
    if amount < 0 or amount > (MAX_NUMBER if unlimited else there):
        too_much(amount, there, site)


def too_much(amount: int, there: int, site: int) -> None:
    """Raises the fault for a negative payment or move, or one beyond its source."""
    raise ProgramFaultError(site, f"{amount} of {there}")


def below_nothing(cost: int, site: int) -> None:
    """Raises the fault for a step with a negative cost."""
    raise ProgramFaultError(site, f"it would cost {cost}")


def too_full(site: int) -> None:
    """Raises the fault for a payment or move that overfills its target."""
    raise ProgramFaultError(site, TOO_FULL)
