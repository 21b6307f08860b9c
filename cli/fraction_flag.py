"""The type of options with fractions: finite numbers within a range."""

from __future__ import annotations

import math
from typing import Any

import click

YEAR = 366 * 24 * 60
"""Minutes: no time that a command is given is longer."""


class Finite(click.FloatRange):
    """A finite number within a range: NaN is within every range of the library's own."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        number: float = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{str(value)[:40]!r} is no finite number.", param, ctx)
        return float(super().convert(number, param, ctx))
