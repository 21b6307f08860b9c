"""Text width without a font: an upper bound, based on the widest glyphs."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path

FONTS = "Liberation Sans, Arial, Helvetica, DejaVu Sans, sans-serif"
_FIRST = 32  # the first character of the tables
_WIDE = 1000  # width of characters outside the tables, in thousandths of the font size

MAX_WORDS = 12
MAX_NAME = 80
"""Limits of a name on a board: words, since wrapping takes quadratic time, and characters."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line of text in the unit of its font size."""
    table = tables()["bold" if bold else "regular"]
    last = _FIRST + len(table)
    return sum(table[ord(c) - _FIRST] if _FIRST <= ord(c) < last else _WIDE for c in text) * size / 1000


def shortened(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """A text cut to fit a width, ending in `…` if shortened."""
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(text + "…", size, bold=bold) > width:
        text = text[:-1]
    return text.rstrip() + "…"


@lru_cache(4096)
def wrapped(text: str, parts: int) -> list[str] | None:
    """A text in `parts` lines of similar width, broken between words; None if it has fewer words.

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
    """The widths of characters from U+0020 on, in `regular` and `bold`."""
    results: dict[str, list[int]] = json.loads(Path(__file__).with_name("font_widths.json").read_text("utf-8"))
    return results
