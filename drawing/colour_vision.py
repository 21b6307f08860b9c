"""Colours as people see them: their contrast in grey, and their difference with each form of colour blindness."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from rulespec.drawing.colours import luminance, parts

_CONTRAST = 2.0
"""The minimum WCAG contrast of two colours without letters."""
_DIFFERENCE = 20.0
"""The minimum distance of two colours without letters in CIE L*a*b*, where 2.3 is just noticeable."""

_Row = tuple[float, float, float]

_BLINDNESS: tuple[tuple[_Row, _Row, _Row], ...] = (
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
)
"""Simulations of sight without red, green or blue cones, as matrices on linear light (Machado and others, 2009)."""
_WHITE: tuple[tuple[_Row, float], ...] = (
    ((0.4124, 0.3576, 0.1805), 0.9505),
    ((0.2126, 0.7152, 0.0722), 1.0),
    ((0.0193, 0.1192, 0.9505), 1.089),
)
"""The rows from linear light to CIE XYZ, each with its value for white."""


@lru_cache(4096)
def is_distinct(one: str, other: str) -> bool:
    """Whether everybody sees two colours as different, even in grey and without red, green or blue cones."""
    dark, bright = sorted((luminance(one) + 0.05, luminance(other) + 0.05))
    return bright / dark >= _CONTRAST and all(_difference(one, other, rows) >= _DIFFERENCE for rows in _BLINDNESS)


def are_distinct(colours: tuple[str, ...]) -> bool:
    """Whether everybody sees all these colours as different."""
    return all(is_distinct(one, other) for one, other in combinations(colours, 2))


def _difference(one: str, other: str, blindness: tuple[_Row, _Row, _Row]) -> float:
    """The distance of two colours in L*a*b* for somebody with a form of colour blindness."""
    pairs = zip(_perceived(one, blindness), _perceived(other, blindness), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def _perceived(name: str, blindness: tuple[_Row, _Row, _Row]) -> _Row:
    """A colour in L*a*b* as seen with a form of colour blindness."""
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in parts(name))]
    left = [min(max(sum(w * c for w, c in zip(row, light, strict=True)), 0.0), 1.0) for row in blindness]
    scaled = (sum(w * c for w, c in zip(row, left, strict=True)) / white for row, white in _WHITE)
    x, y, z = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in scaled)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
