"""Paints of a drawing: colours as a browser with a light colour scheme shows them, and references to gradients."""

from __future__ import annotations

import re
from functools import lru_cache

from tinycss2 import color4

NO_FILL = "none"
"""The fill of an unfilled shape."""
CURRENT = "currentcolor"
_LONGEST = 200  # characters of a paint
_URL = re.compile(r"url\(\s*(['\"]?)(.*?)\1\s*\)\s*(.*)", re.DOTALL)
_LIGHT_DARK = "light-dark("
_OLD_HSL = re.compile(r"hsla?\(([^,]*),([^,]*),([^,)]*)(?:,[^,]*)?\)", re.IGNORECASE)
_SYSTEM = {
    word: colour
    for colour, words in {
        "#000000": (
            *("activeborder", "buttonborder", "buttontext", "canvastext", "captiontext", "fieldtext", "inactiveborder"),
            *("infotext", "marktext", "menutext", "threeddarkshadow", "threedhighlight", "threedlightshadow"),
            *("threedshadow", "windowframe", "windowtext"),
        ),
        "#ffffff": (
            *("activecaption", "appworkspace", "background", "canvas", "field", "inactivecaption", "infobackground"),
            *("menu", "scrollbar", "window"),
        ),
        "#efefef": ("buttonface", "buttonhighlight", "buttonshadow", "threedface"),
        "#808080": ("graytext", "inactivecaptiontext"),
        "#0000ee": ("linktext", "-webkit-link"),
        "#551a8b": ("visitedtext",),
        "#ff0000": ("activetext", "-webkit-activelink"),
        "#ffff00": ("mark",),
    }.items()
    for word in words
}
"""Colours that CSS takes from the system, as Chromium shows them everywhere."""
THEMED = frozenset(
    {
        *("accentcolor", "accentcolortext", "highlight", "highlighttext", "selecteditem", "selecteditemtext"),
        "-webkit-focus-ring-color",
    }
)
"""Those that differ from system to system."""


def lit(paint: str) -> str:
    """The first colour of `light-dark()`, which a light scheme shows; any other paint is returned unchanged."""
    if paint[: len(_LIGHT_DARK)].lower() != _LIGHT_DARK or not paint.endswith(")"):
        return paint
    depth, inner = 0, paint[len(_LIGHT_DARK) : -1]
    commas = []
    for place, character in enumerate(inner):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            commas.append(place)
    if len(commas) != 1:
        return paint
    light, dark = inner[: commas[0]].strip(), inner[commas[0] + 1 :].strip()
    return light if is_colour(light) and is_colour(dark) else paint


def is_of_a_scheme(paint: str) -> bool:
    """Whether a paint differs between a light and a dark scheme."""
    lower = paint.lower()
    return lower in _SYSTEM or _LIGHT_DARK in lower


def is_colour(text: str) -> bool:
    """Whether a string is a supported colour."""
    return lit(text[:_LONGEST]).lower() == CURRENT or colour_of(text) != ""


@lru_cache(maxsize=4096)
def colour_of(text: str) -> str:
    """A colour as `#rrggbb`, or `none` if it is transparent; "" for an unknown colour."""
    text = lit(text.strip()[:_LONGEST])
    if (system := _SYSTEM.get(text.lower())) is not None:
        return system
    old = _OLD_HSL.fullmatch(text)
    if old is not None and not all(part.strip().endswith("%") for part in old.groups()[1:]):
        return ""
    colour = color4.parse_color(text)
    if colour is None or isinstance(colour, str):
        return ""
    if colour.alpha == 0:
        return NO_FILL
    try:
        parts = [round(255 * min(max(part or 0.0, 0.0), 1.0)) for part in colour.to("srgb").coordinates]
    except (NotImplementedError, ValueError):
        return ""
    return "#" + "".join(f"{part:02x}" for part in parts)


def reference_of(text: str) -> str:
    """The id in `url(#id)`; "" for a reference outside the drawing."""
    result = _URL.fullmatch(text.strip()[:_LONGEST])
    return result[2][1:] if result is not None and result[2].startswith("#") else ""


def paint_behind(text: str) -> str:
    """The fallback colour of a paint such as `url(#gone) red`, which applies if the referenced element is missing."""
    result = _URL.fullmatch(text.strip()[:_LONGEST])
    return colour_of(result[3]) if result is not None and result[3] else ""


def is_paint(text: str) -> bool:
    """Whether a string is a supported paint: a colour, or a reference with or without a fallback colour."""
    text = text.strip()
    if result := _URL.fullmatch(text[:_LONGEST]):
        return result[3].lower() in ("", NO_FILL) or is_colour(result[3])
    return text.lower() in (NO_FILL, "context-fill", "context-stroke") or is_colour(text)
