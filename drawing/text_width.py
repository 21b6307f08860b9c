"""Texts in pictures: an upper bound on their width, computed without a font, and the lettering of map names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from msgspec import Struct

FONTS = "Liberation Sans, Arial, Helvetica, DejaVu Sans, sans-serif"
_FIRST = 32  # the first character of the tables
_WIDE = 1000  # width of characters outside the tables, in thousandths of the font size

MAX_WORDS = 12
MAX_NAME = 80
"""Limits of a name on a board: the number of words, since wrapping takes quadratic time, and the number of
characters."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line of text, in multiples of its font size."""
    table = tables()["bold" if bold else "regular"]
    last = _FIRST + len(table)
    return sum(table[ord(c) - _FIRST] if _FIRST <= ord(c) < last else _WIDE for c in text) * size / 1000


def shortened(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """A text cut to fit a width; it ends in `…` if it was shortened."""
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(text + "…", size, bold=bold) > width:
        text = text[:-1]
    return text.rstrip() + "…"


@lru_cache(4096)
def wrapped(text: str, parts: int) -> list[str] | None:
    """A text split into `parts` lines of similar width between words; None if it has fewer words.

    Texts with more than `MAX_WORDS` words or `MAX_NAME` characters are cut.
    """
    words = text[:MAX_NAME].split()[:MAX_WORDS]
    if words and len(" ".join(words)) < len(" ".join(text.split())):
        words[-1] += "…"
    return _broken(words, parts)


def _broken(words: list[str], parts: int) -> list[str] | None:
    if len(words) < parts:
        return None
    if parts == 1:
        return [" ".join(words)]
    best: tuple[float, list[str]] | None = None
    for i in range(1, len(words) - parts + 2):
        rest = _broken(words[i:], parts - 1)
        if rest is not None:
            lines = [" ".join(words[:i]), *rest]
            width = max(text_width(line, 1) for line in lines)
            if best is None or width < best[0]:
                best = width, lines
    return best[1] if best is not None else None


@cache
def tables() -> dict[str, list[int]]:
    """The widths of the characters from U+0020 on, in `regular` and `bold`."""
    results: dict[str, list[int]] = json.loads(Path(__file__).with_name("font_widths.json").read_text("utf-8"))
    return results


LINE = 1.12
"""Line height relative to the font size."""


READABLE = 0.01225
"""The smallest readable font size relative to the map's width: about 12 points on a map 1,000 wide."""


class Lettering(Struct, frozen=True):
    """The lettering of names: the available sizes, largest first, and the font style; `spacing` depends on the size.

    `larger` contains sizes above the minimum that is readable on a page, for names on outlines.
    """

    sizes: tuple[float, ...]
    fill: str = "#1a1a1a"
    bold: bool = False
    italic: bool = False
    spacing: float = 0
    larger: tuple[float, ...] = (1.15, 1.07, 1.0)

    def on_map(self, width: float) -> tuple[float, ...]:
        """The font sizes on a map of a given width, largest first, starting with those readable on a page."""
        return tuple(round(share * READABLE * width, 1) for share in (*self.larger, 0.85, 0.7))

    def width(self, text: str, size: float) -> float:
        """The width of a line of text."""
        return text_width(text, size, bold=self.bold) + self.spacing * size * len(text)

    def extent(self, lines: Sequence[str], size: float, badges: float = 0) -> tuple[float, float]:
        """The width and height of a block of lines, including room for symbols beside the first line."""
        return max(self.width(line, size) for line in lines) + badges, size * LINE * len(lines)


PLAIN = Lettering((13, 12, 11, 10, 9))
WATER = Lettering(
    (24, 22, 20, 18, 16, 14, 13, 12, 11), "#2d5f7a", italic=True, spacing=0.08, larger=(1.6, 1.45, 1.3, 1.15, 1.0)
)
OWNED = Lettering((14, 13, 12, 11, 10), bold=True)
FREE = Lettering((14, 13, 12, 11, 10), "#54452c", spacing=0.1)
