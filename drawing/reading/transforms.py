"""Transformations of a drawing's elements: function lists, single properties, and the origin."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import cos, pi, sin, tan

from msgspec import Struct

from rulespec.drawing.reading.looks import WIDE, length
from rulespec.drawing.reading.paths import list_end
from rulespec.drawing.reading.svg_tree import Element
from rulespec.drawing.svg import Box, Point

Matrix = tuple[float, float, float, float, float, float]
Function = tuple[str, list[str]]
"""A function name in lower case, and its arguments."""
SINGLE = ("translate", "rotate", "scale")
"""The style properties that are transformations themselves, in order of application."""
_OWN_BOX = ("fill-box", "content-box", "stroke-box", "border-box")
_LONGEST = 2_000  # maximum number of characters of a list of transformations
_FUNCTION = re.compile(r"\s*(?:(,)\s*)?([A-Za-z]+)\s*\(([^()]*)\)\s*")
_ONE = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_SHARE = re.compile(rf"{_ONE.pattern}%?")
_AWAY = re.compile(rf"{_ONE.pattern}(?:[a-zA-Z]+|%)|[-+]?0+(?:\.0*)?")
_ANGLE = re.compile(rf"{_ONE.pattern}(?i:deg|grad|rad|turn)|[-+]?0+(?:\.0*)?")
_TURNS = {"deg": pi / 180, "grad": pi / 200, "rad": 1.0, "turn": 2 * pi, "": pi / 180}
_OF_ATTRIBUTES = {"matrix": (6,), "translate": (1, 2), "scale": (1, 2), "rotate": (1, 3), "skewX": (1,), "skewY": (1,)}
"""Function in an attribute → its possible numbers of arguments."""
_OF_STYLES = {
    "matrix": (_ONE, 6, 6),
    "translate": (_AWAY, 1, 2),
    **dict.fromkeys(("translatex", "translatey"), (_AWAY, 1, 1)),
    "translate3d": (_AWAY, 3, 3),
    "scale": (_SHARE, 1, 2),
    **dict.fromkeys(("scalex", "scaley"), (_SHARE, 1, 1)),
    "skew": (_ANGLE, 1, 2),
    **dict.fromkeys(("rotate", "rotatez", "skewx", "skewy"), (_ANGLE, 1, 1)),
}
"""Function in a style → the form of its arguments, and their least and greatest number."""
_SIDES = {"left": (0, 0.0), "right": (0, 1.0), "top": (1, 0.0), "bottom": (1, 1.0)}


class Transformation(Struct, frozen=True):
    """The text of a transformation list; `styled` means that it is in CSS syntax, with units."""

    text: str
    styled: bool

    def functions(self) -> list[Function] | None:
        """The functions with their arguments; None if the text is malformed or unsupported."""
        results: list[Function] = []
        text, at = self.text.strip(), 0
        if text.lower() in ("", "none", *WIDE):
            return results
        while at < len(text):
            match = _FUNCTION.match(text, at) if len(text) <= _LONGEST else None
            if match is None or (match[1] and (self.styled or not results)):
                return None
            name, inner = match[2].lower() if self.styled else match[2], match[3].strip()
            arguments = [part.strip() for part in inner.split(",")] if self.styled else _numbers(inner)
            if not _are_arguments(name, arguments, self.styled):
                return None
            results.append((name.lower(), arguments))
            at = match.end()
        return results


def transformations_of(element: Element, values: Mapping[str, str]) -> list[Transformation]:
    """The transformations of an element, outermost first."""
    results = [
        Transformation(f"{name}({', '.join(text.split())})", True)
        for name in SINGLE
        if (text := values.get(name, "").lower()) not in ("", "none", *WIDE)
    ]
    text = values.get("transform", "")
    return [*results, Transformation(text, text != element.get("transform"))] if text else results


def is_transformed(values: Mapping[str, str]) -> bool:
    """Whether an element has transformations."""
    return any(values.get(name, "").lower() not in ("", "none", *WIDE) for name in (*SINGLE, "transform"))


def matrix_of(name: str, arguments: Sequence[str], value: Callable[[str, int], float]) -> Matrix:
    """The matrix of a transformation function.

    Args:
        name: its name, in lower case.
        arguments: its arguments, as returned by `Transformation.functions`.
        value: the function that evaluates a number, a length or a percentage; its second argument is 0 if a percentage
            refers to the width, and 1 if it refers to the height.
    """
    if name in ("rotate", "rotatez", "skewx", "skewy", "skew"):
        turns = [_turn(part, value) for part in arguments[: 2 if name == "skew" else 1]]
        if name.startswith("skew"):
            across, down = (0.0, turns[0]) if name == "skewy" else (turns[0], turns[1] if len(turns) > 1 else 0.0)
            return (1, tan(down), tan(across), 1, 0, 0)
        c, s = cos(turns[0]), sin(turns[0])
        x, y = (value(arguments[1], 0), value(arguments[2], 1)) if len(arguments) > 2 else (0.0, 0.0)
        return (c, s, -s, c, x - c * x + s * y, y - s * x - c * y)
    if name.startswith("scale"):
        n = [value(part[:-1], 0) / 100 if part.endswith("%") else value(part, 0) for part in arguments]
        x, y = n[0], n[1] if len(n) > 1 else n[0]
        return (1 if name == "scaley" else x, 0, 0, 1 if name == "scalex" else y, 0, 0)
    if name == "matrix":
        a, b, c, d, e, f = (value(part, 0) for part in arguments)
        return (a, b, c, d, e, f)
    if name == "translatey":
        return (1, 0, 0, 1, 0, value(arguments[0], 1))
    return (1, 0, 0, 1, value(arguments[0], 0), value(arguments[1], 1) if len(arguments) > 1 else 0)


def _numbers(text: str) -> list[str]:
    """The numbers in a list; empty if it is malformed."""
    return _ONE.findall(text) if text and list_end(text) == len(text) and text[-1] != "," else []


def _are_arguments(name: str, arguments: Sequence[str], styled: bool) -> bool:
    """Whether a function accepts these arguments."""
    if not styled:
        return len(arguments) in _OF_ATTRIBUTES.get(name, ())
    forms, least, most = _OF_STYLES.get(name, (_ONE, 1, 0))
    return least <= len(arguments) <= most and all(forms.fullmatch(part) for part in arguments)


def _turn(text: str, value: Callable[[str, int], float]) -> float:
    """An angle in radians; without a unit, it is in degrees."""
    unit = next((each for each in _TURNS if each and text.lower().endswith(each)), "")
    return value(text[: len(text) - len(unit)], 0) * _TURNS[unit]


def is_around_itself(values: Mapping[str, str]) -> bool:
    """Whether an element's transformations refer to the element's own box rather than to the drawing."""
    return values.get("transform-box", "").lower() in _OWN_BOX


def pivot(values: Mapping[str, str], box: Box, size: float | None, number: Callable[[str], float]) -> Point:
    """The origin of an element's transformations.

    Args:
        values: the property values of the element.
        box: the reference box.
        size: the font size.
        number: the function that parses a length other than a percentage.
    """
    left, top, right, bottom = box
    whole = (right - left, bottom - top)
    parts = values.get("transform-origin", "").lower().split()[:2]
    if parts and parts[0] in WIDE:
        parts = []
    if len(parts) == 2 and (_SIDES.get(parts[0], (0,))[0] == 1 or _SIDES.get(parts[1], (1,))[0] == 0):
        parts.reverse()
    elif len(parts) == 1:
        parts = ["center", *parts] if _SIDES.get(parts[0], (0,))[0] == 1 else [*parts, "center"]
    results = []
    for part, extent in zip(parts, whole, strict=False):
        share = 0.5 if part == "center" else _SIDES[part][1] if part in _SIDES else None
        if share is None and part.endswith("%"):
            results.append(length(part, size, extent) or 0.0)
        else:
            results.append(number(part) if share is None else share * extent)
    x, y = results or (0.0, 0.0)
    return left + x, top + y
