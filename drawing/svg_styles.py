"""Styles of elements of a drawing: colours and lettering with what is inherited; those of `<style>` are not read."""

from __future__ import annotations

import re
from math import isfinite

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report

NO_FILL = "none"
"""The colour of what is not filled."""
_SIZE = 16.0
_LONGEST = 2000  # characters of a style
_SHOWN = 60
_STYLE = re.compile(r"(?:^|;)\s*([a-zA-Z-]+)\s*:\s*([^;]*)")
_LENGTH = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)([a-zA-Z]*|%)(?![\w.%])")
_IN_FONT = re.compile(r"(?:^|\s)(\.?\d[\d.]*(?:[a-z]+|%)|[a-z-]+)(?=\s*/|\s|$)")
_UNITS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54}
_OF_SIZE = {"em": 1.0, "ex": 0.5, "ch": 0.5, "%": 0.01}
_SIZES = {
    "xx-small": 9.6,
    "x-small": 12.0,
    "small": 14.2,
    "medium": 16.0,
    "large": 19.2,
    "x-large": 24.0,
    "xx-large": 32.0,
}
_STEPS = {"smaller": 1 / 1.2, "larger": 1.2}
_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_RGB = re.compile(r"rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")
_UNSEEN = re.compile(r"[^ -~]")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_READ = ("fill", "font", "font-size", "text-anchor", "direction", "writing-mode", "display", "visibility", "transform")
_UPRIGHT, _LEVEL = ("tb", "vertical", "sideways"), ("lr", "rl", "horizontal")
"""Beginnings of modes of writing: downwards, and along lines."""
_SET = re.compile(rf"(?:^|[{{;\s])({'|'.join(_READ)})\s*:", re.IGNORECASE)


class Face(Struct, frozen=True):
    """The lettering of texts: size in units of the element (None: not known), anchor, and directions of lines."""

    size: float | None = _SIZE
    anchor: str = "start"
    leftward: bool = False
    upright: bool = False


def styles_of(attributes: dict[str, str]) -> dict[str, str]:
    """The attributes of an element; properties of its style go before them, and stand in their order."""
    results = dict(attributes)
    for name, value in _STYLE.findall(_COMMENT.sub(" ", attributes.get("style", "")[:_LONGEST])):
        results.pop(name.lower(), None)
        results[name.lower()] = value.partition("!")[0].strip()
    return results


def face_of(styles: dict[str, str], around: Face) -> Face:
    """The lettering of an element within another."""
    size = around.size
    for name, value in styles.items():  # of a style, the last one counts
        if name == "font-size":
            size = _size(value, around.size)
        elif name == "font" and value not in ("inherit", "unset"):
            sizes = [part for part in _IN_FONT.findall(value[:_LONGEST]) if part[0] in ".0123456789" or part in _SIZES]
            size = _size(sizes[0], around.size) if sizes else None
    anchor, direction, mode = (styles.get(key, "").strip() for key in ("text-anchor", "direction", "writing-mode"))
    return Face(
        size,
        anchor if anchor in ("start", "middle", "end") else around.anchor,
        direction == "rtl" if direction in ("rtl", "ltr") else around.leftward,
        mode.startswith(_UPRIGHT) if mode.startswith((*_UPRIGHT, *_LEVEL)) else around.upright,
    )


def _size(text: str, around: float | None) -> float | None:
    """A size of letters, within texts of another size."""
    text = text.strip().lower()
    if text in _SIZES:
        return _SIZES[text]
    if text in _STEPS:
        return None if around is None else around * _STEPS[text]
    if text in ("", "inherit", "unset"):
        return around
    result = length(text, around)
    return around if result is not None and result < 0 else result


def length(text: str, size: float | None = None) -> float | None:
    """The first length of an attribute, in units of its element; None if it cannot be known.

    `size`: that of letters, of which `em` and `%` are parts.
    """
    result = _LENGTH.match(text[:_SHOWN])
    if result is None:
        return None
    unit = result[2].lower()
    of = _UNITS.get(unit)
    if of is None and size is not None and unit in _OF_SIZE:
        of = _OF_SIZE[unit] * size
    value = float(result[1]) * of if of is not None else None
    return value if value is not None and isfinite(value) and abs(value) <= 1e6 else None


def fill_of(styles: dict[str, str], around: str) -> str:
    """The colour of an element within another: `#rrggbb`, or as it stands there; "" if nothing is said of it."""
    stated = styles.get("fill", "").strip()[:_SHOWN]
    if stated.lower() in ("", "inherit", "unset"):
        return around
    return NO_FILL if stated.lower() in (NO_FILL, "transparent") else colour_of(stated) or _UNSEEN.sub("?", stated)


def colour_of(text: str) -> str:
    """A colour as `#rrggbb`, or its name; "" for none."""
    text = text.strip()[:_SHOWN].lower()
    if result := _HEX.fullmatch(text):
        return "#" + ("".join(c * 2 for c in result[1]) if len(result[1]) == 3 else result[1])
    if result := _RGB.fullmatch(text):
        return "#" + "".join(f"{min(int(n), 255):02x}" for n in result.groups())
    return text if text.isalpha() and text not in (NO_FILL, "inherit", "currentcolor") else ""


class Sheets(Struct):
    """The style sheets of a drawing, which are not read: what they say of it, and the line where they first do."""

    lines: dict[str, int] = field(default_factory=dict)

    def read(self, text: str, line: int) -> None:
        """Takes the content of a `<style>`, of which what would be read at an element counts, and `@import`."""
        text = _COMMENT.sub(" ", text)
        for name in (*_SET.findall(text), *(["@import"] if "@import" in text else [])):
            self.lines.setdefault(name, line)

    def named(self, instruction: str, line: int) -> None:
        """Takes an instruction to a program, which may name a style sheet."""
        if instruction == "xml-stylesheet":
            self.lines.setdefault(instruction, line)

    def warn(self, file: str, report: Report) -> None:
        """Warns of what is not read (RS850)."""
        if self.lines:
            line = min(self.lines.values())
            message = f"not read: {', '.join(f'`{name}`' for name in self.lines)} of a style sheet"
            help_ = (
                "write it at the elements: as it is, `--fill` sees no colour, what is hidden is a region, "
                "and a text may name a neighbour"
            )
            report.warning("RS850", message, Span(file, line, 1, line, 2), help=help_)
