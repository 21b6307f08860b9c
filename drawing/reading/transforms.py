"""Transformations of a drawing's elements: function lists, single properties, and the origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulespec.drawing.reading.looks import WIDE, length
from rulespec.drawing.svg import Box, Point

SINGLE = ("translate", "rotate", "scale")
"""The style properties that are transformations of their own, in order of application."""
_OWN_BOX = ("fill-box", "content-box", "stroke-box", "border-box")
_SIDES = {"left": (0, 0.0), "right": (0, 1.0), "top": (1, 0.0), "bottom": (1, 1.0)}


def functions_of(values: Mapping[str, str]) -> str:
    """An element's transformations as a list of functions; "" if it has none."""
    single = [f"{name}({text})" for name in SINGLE if (text := values.get(name, "").lower()) not in ("", "none", *WIDE)]
    return " ".join([*single, values.get("transform", "")]).strip()


def is_around_itself(values: Mapping[str, str]) -> bool:
    """Whether an element's transformations refer to its own box rather than to the drawing."""
    return values.get("transform-box", "").lower() in _OWN_BOX


def pivot(values: Mapping[str, str], box: Box, size: float | None, number: Callable[[str], float]) -> Point:
    """The origin of an element's transformations.

    Args:
        values: the property values of the element.
        box: the reference box.
        size: the font size.
        number: parses a length other than a percentage.
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
