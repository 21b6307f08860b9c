"""Lettering of a map's names: water in wide italics, owned land in bold, other land with wide spacing."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.drawing.text_width import text_width

LINE = 1.12
"""Line height relative to the font size."""


READABLE = 0.01225
"""The least readable font size relative to the map's width: about 12 points on a map 1,000 wide."""


class Lettering(Struct, frozen=True):
    """The lettering of names: available sizes, largest first, and font style; `spacing` depends on the size.

    `larger`: sizes above the minimum readable on a page, for names on outlines.
    """

    sizes: tuple[float, ...]
    fill: str = "#1a1a1a"
    bold: bool = False
    italic: bool = False
    spacing: float = 0
    larger: tuple[float, ...] = (1.15, 1.07, 1.0)

    def on_map(self, width: float) -> tuple[float, ...]:
        """The font sizes on a map of some width, largest first, starting with those readable on a page."""
        return tuple(round(share * READABLE * width, 1) for share in (*self.larger, 0.85, 0.7))

    def width(self, text: str, size: float) -> float:
        """The width of a line of text."""
        return text_width(text, size, bold=self.bold) + self.spacing * size * len(text)

    def extent(self, lines: Sequence[str], size: float, badges: float = 0) -> tuple[float, float]:
        """The width and height of a block of lines, with room for symbols beside the first."""
        return max(self.width(line, size) for line in lines) + badges, size * LINE * len(lines)


PLAIN = Lettering((13, 12, 11, 10, 9))
WATER = Lettering(
    (24, 22, 20, 18, 16, 14, 13, 12, 11), "#2d5f7a", italic=True, spacing=0.08, larger=(1.6, 1.45, 1.3, 1.15, 1.0)
)
OWNED = Lettering((14, 13, 12, 11, 10), bold=True)
FREE = Lettering((14, 13, 12, 11, 10), "#54452c", spacing=0.1)
