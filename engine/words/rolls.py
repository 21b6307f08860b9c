"""Numbers of a roll of dice, which are in no state: only the history has them."""

from __future__ import annotations

import re

_NUMBERS = re.compile(r"\((\d(?:, \d)*)\)$")


def rolled(option: str | None) -> list[int]:
    """The numbers of an option of chance, if all are from 1 to 6; none of one that is not seen."""
    shown = _NUMBERS.search(option or "")
    numbers = [int(number) for number in shown[1].split(", ")] if shown is not None else []
    return numbers if all(1 <= number <= 6 for number in numbers) else []
