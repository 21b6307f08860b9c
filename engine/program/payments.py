"""Payments, moves of pieces, costs: none takes less than nothing, or more than there is."""

from __future__ import annotations

from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import MAX_NUMBER, TOO_FULL


def check_amount(amount: int, there: int, unlimited: bool, site: int) -> None:
    """Refuses an amount below zero, and one of more than is there; an unlimited source always has enough.

    Raises:
        ProgramFaultError: at `site`.
    """
    if amount < 0 or amount > (MAX_NUMBER if unlimited else there):
        too_much(amount, there, site)


def too_much(amount: int, there: int, site: int) -> None:
    """Reports a payment or a move of less than nothing, or of more than there is."""
    raise ProgramFaultError(site, f"{amount} of {there}")


def below_nothing(cost: int, site: int) -> None:
    """Reports a step that costs less than nothing."""
    raise ProgramFaultError(site, f"it would cost {cost}")


def too_full(site: int) -> None:
    """Reports a payment or a move after which there is too much at one place."""
    raise ProgramFaultError(site, TOO_FULL)
