"""The numbers of a dice roll, read from the history."""

from __future__ import annotations

import re

_NUMBERS = re.compile(r"\((\d(?:, \d)*)\)$")


def rolled(option: str | None) -> list[int]:
    """The numbers in a chance option if all are from 1 to 6; empty otherwise, or if the numbers are hidden."""
    shown = _NUMBERS.search(option or "")
    numbers = [int(number) for number in shown[1].split(", ")] if shown is not None else []
    return numbers if all(1 <= number <= 6 for number in numbers) else []
