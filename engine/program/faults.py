"""Faults of the rules at run time."""

from __future__ import annotations

from rulespec.errors import RulespecError


class ProgramFaultError(RulespecError):
    """The rules do what they may not: pay money that is not there, leave the range of a value, divide by zero.

    Attributes:
        site: index into `Program.sites`; -1 for a bound of the machine.
        detail: the numbers at fault, or "".
    """

    def __init__(self, site: int, detail: str = "") -> None:
        super().__init__(detail)
        self.site = site
        self.detail = detail
