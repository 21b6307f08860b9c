"""Looks of a drawing's elements: colour, lettering and visibility, from own and inherited values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite

from msgspec import Struct

from rulespec.drawing.reading.paints import CURRENT, NO_FILL, colour_of, is_colour, is_paint, lit
from rulespec.drawing.text_width import text_width

_SIZE = 16.0
_SHOWN = 60
_LONGEST = 200  # characters of a value other than a path
_LENGTH = re.compile(r"\s*([-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?)([a-zA-Z]*|%)(?![\w.%])")
_UNIT = re.compile(
    r"(?:[sld]?v(?:[whib]|min|max)|cq(?:[whib]|min|max)|r?(?:em|ex|ch|cap|ic|lh)|px|pt|pc|in|cm|mm|q|%)?", re.IGNORECASE
)
_FORMULA = re.compile(r"(?:calc|min|max|clamp)\(", re.IGNORECASE)
_OPACITY = re.compile(r"([-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?)%?")
_IN_FONT = re.compile(r"(?:^|\s)(\.?\d[\d.]*(?:[a-z]+|%)|[a-z-]+)(?=\s*/|\s|$)")
_UNITS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54}
_OF_SIZE = {"em": 1.0, "ex": 0.5, "ch": 0.5}
_SIZES = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
    "xxx-large": 48.0,
    "-webkit-xxx-large": 48.0,
}
_SYSTEM = ("caption", "icon", "menu", "message-box", "small-caption", "status-bar")
_STEPS = {"smaller": 1 / 1.2, "larger": 1.2, "math": 1.0}
_UNSEEN = re.compile(r"[^ -~]")
_UPRIGHT = ("tb", "tb-rl", "vertical-rl", "vertical-lr", "sideways-rl", "sideways-lr")
_PRESERVING = ("pre", "pre-wrap", "break-spaces", "preserve")
_LEVEL = ("lr", "lr-tb", "rl", "rl-tb", "horizontal-tb")
_INHERIT, _INITIAL, _UNSET = "inherit", "initial", ("unset", "revert", "revert-layer")
WIDE = frozenset({_INHERIT, _INITIAL, *_UNSET})
"""The CSS-wide keywords, valid for any property."""


RISES = {
    "alphabetic": 0.35,
    "middle": 0.1,
    "central": 0.0,
    "mathematical": -0.15,
    "hanging": -0.4,
    "text-before-edge": -0.55,
    "text-after-edge": 0.55,
    "ideographic": 0.55,
}
"""Baseline → the height of the letters' middle above it, relative to the font size."""


class Face(Struct, frozen=True):
    """The lettering of texts: font size in the element's units (None if unknown), anchor, and writing direction.

    `apart`: the letter spacing and the additional word spacing, in the same units.
    `rise`: the height of the letters' middle above the baseline, relative to the font size.
    `keeps_blanks`: whether leading, trailing and repeated blanks are visible.
    """

    size: float | None = _SIZE
    anchor: str = "start"
    leftward: bool = False
    upright: bool = False
    apart: tuple[float, float] = (0.0, 0.0)
    rise: float = RISES["alphabetic"]
    keeps_blanks: bool = False

    def width(self, words: str) -> float:
        """The width of a line of text; 0 if its font size is unknown."""
        if self.size is None:
            return 0.0
        letters, blanks = self.apart
        return text_width(words, self.size) + letters * len(words) + blanks * words.count(" ")


class InheritedLook(Struct, frozen=True):
    """The look inherited by an element's children.

    `fill` is `#rrggbb`, `none`, `currentcolor`, or a literal reference; `stated`: whether an element sets it
    explicitly.
    `lined`: whether it has a stroke.
    `clear`: whether `fill-opacity` makes its fill transparent.
    `evenodd`: whether the fill rule is even-odd; `clip_evenodd`: whether the clip rule is even-odd.
    """

    fill: str = "#000000"
    stated: bool = False
    lined: bool = False
    colour: str = "#000000"
    face: Face = Face()
    visible: bool = True
    clear: bool = False
    evenodd: bool = False
    clip_evenodd: bool = False

    @property
    def paint(self) -> str:
        """The fill colour, with `currentcolor` resolved."""
        return NO_FILL if self.clear else self.colour if self.fill == CURRENT else self.fill


_PLAIN = InheritedLook()


def look_of(values: Mapping[str, str], around: InheritedLook) -> InheritedLook:
    """The look of an element, from its property values and the look of its parent."""
    if not any(name in values for name in _INHERITED):
        return around
    colour = _colour(values.get("color", ""), around.colour, _PLAIN.colour)
    colour = around.colour if colour == CURRENT else colour
    fill = _colour(values.get("fill", ""), around.fill, _PLAIN.fill)
    stated = around.stated if values.get("fill", "") in ("", _INHERIT, *_UNSET) else values["fill"] != _INITIAL
    stroke = values.get("stroke", "").lower()
    lined = around.lined if stroke in ("", _INHERIT, *_UNSET) else stroke not in (NO_FILL, _INITIAL, "transparent")
    visibility = _word(values, "visibility", "visible" if around.visible else "hidden", "visible")
    opacity = values.get("fill-opacity", "").lower()
    clear = around.clear if opacity in ("", _INHERIT, *_UNSET) else opacity != _INITIAL and is_clear(opacity)
    rules = [
        _word(values, name, "evenodd" if before else "nonzero", "nonzero") == "evenodd"
        for name, before in (("fill-rule", around.evenodd), ("clip-rule", around.clip_evenodd))
    ]
    face = _face(values, around.face)
    return InheritedLook(fill, stated, lined, colour, face, visibility == "visible", clear, *rules)


def is_clear(opacity: str) -> bool:
    """Whether an opacity is fully transparent."""
    result = _OPACITY.fullmatch(opacity.strip())
    return result is not None and float(result[1]) <= 0


def _word(values: Mapping[str, str], name: str, around: str, initial: str) -> str:
    value = values.get(name, "").lower()
    return around if value in ("", _INHERIT, *_UNSET) else initial if value == _INITIAL else value


def _face(values: Mapping[str, str], around: Face) -> Face:
    """The lettering of an element, from its property values and its parent's lettering."""
    anchor = _word(values, "text-anchor", around.anchor, "start")
    direction = _word(values, "direction", "rtl" if around.leftward else "ltr", "ltr")
    mode = _word(values, "writing-mode", "tb" if around.upright else "lr", "lr")
    size = _size(values.get("font-size", ""), around.size)
    letters, blanks = (
        _apart(values.get(name, ""), before, size)
        for name, before in zip(("letter-spacing", "word-spacing"), around.apart, strict=True)
    )
    line = _word(values, "dominant-baseline", "", "alphabetic")
    rise = around.rise if not line else RISES.get(line, RISES["alphabetic"])
    space = _word(values, "white-space", "pre" if around.keeps_blanks else "normal", "normal")
    keeps = not {*_PRESERVING}.isdisjoint(space.split())
    return Face(size, anchor, direction == "rtl", mode in _UPRIGHT, (letters, blanks), rise, keeps)


def _apart(text: str, around: float, size: float | None) -> float:
    """The spacing between letters or words."""
    text = text.lower()
    if text in ("", _INHERIT, *_UNSET):
        return around
    return 0.0 if text in ("normal", _INITIAL) else length(text, size) or 0.0


def _size(text: str, around: float | None) -> float | None:
    """A font size relative to that of the parent."""
    text = text.strip().lower()
    if text in _SIZES:
        return _SIZES[text]
    if text in _STEPS:
        return None if around is None else around * _STEPS[text]
    if text in ("", _INHERIT, *_UNSET):
        return around
    if text == _INITIAL:
        return _SIZE
    return length(text, around, around)


def size_in(font: str) -> str:
    """The font size in a `font` value; `unknown` if only a browser can compute it, "" for an invalid value."""
    font = font[:_LONGEST].strip().lower()
    if font in WIDE:
        return font
    sizes = [part for part in _IN_FONT.findall(font) if part[0] in ".0123456789" or part in {*_SIZES, *_STEPS}]
    return sizes[0] if sizes else "unknown" if "(" in font or font in _SYSTEM else ""


def length(text: str, size: float | None = None, whole: float | None = None) -> float | None:
    """The first length in an attribute, in the element's units; None if unknown.

    `size` is the font size, for `em`. `whole` is the reference length, for `%`.
    """
    result = _LENGTH.match(text[:_SHOWN])
    if result is None:
        return None
    unit = result[2].lower()
    of = _UNITS.get(unit)
    if unit == "%":
        of = None if whole is None else whole / 100
    elif unit == "rem":
        of = _SIZE
    elif size is not None and unit in _OF_SIZE:
        of = _OF_SIZE[unit] * size
    value = float(result[1]) * of if of is not None else None
    return value if value is not None and isfinite(value) and abs(value) <= 1e6 else None


def _colour(text: str, around: str, initial: str) -> str:
    text = text.strip()[:_LONGEST]
    lower = text.lower()
    if lower in ("", _INHERIT, *_UNSET):
        return around
    if lower == _INITIAL:
        return initial
    shown = lit(lower)
    return shown if shown in (NO_FILL, CURRENT) else colour_of(text) or _UNSEEN.sub("?", text[:_SHOWN])


def _is_size(text: str) -> bool:
    """Whether a text is a length, or a formula whose result is unknown here."""
    return text.lower() in {*_SIZES, *_STEPS, "unknown"} or "(" in text or _is_length(text)


def _is_length(text: str) -> bool:
    return _is_distance(text) and not text.strip().startswith("-")


def is_measured(text: str) -> bool:
    """Whether a text is a number with any unit, even a unit that does not exist."""
    return _LENGTH.fullmatch(text) is not None


def _is_distance(text: str) -> bool:
    """Whether a text is a length that may be negative, in a unit that exists."""
    result = _LENGTH.fullmatch(text)
    return result is not None and _UNIT.fullmatch(result[2]) is not None


def is_displayed(tag: str, values: Mapping[str, str]) -> bool:
    """Whether an element takes part in the drawing; if `display` is `contents`, only containers do."""
    display = values.get("display", "").lower()
    return display != "none" and (display != "contents" or tag in _CONTAINERS)


def is_replaced(tag: str, values: Mapping[str, str]) -> bool:
    """Whether an element is replaced by its content, so that its position, opacity and clip have no effect."""
    return tag in _CONTAINERS and values.get("display", "").lower() == "contents"


def _is_display(text: str) -> bool:
    """Whether a text is a type of display: a word for itself, or words for the outside, the inside and a marker."""
    words = text.lower().split()
    kinds = [next((i for i, kind in enumerate(_DISPLAYS) if word in kind), None) for word in words]
    alone = len(words) == 1 and words[0] in _DISPLAYS_ALONE
    return alone or (words != [] and None not in kinds and len({*kinds}) == len(kinds))


def _each_of(*words: str) -> Callable[[str], bool]:
    """A predicate for one or two of some words."""
    return lambda text: 0 < len(text.split()) <= 2 and {*text.lower().split()} <= {*words}


def _one_of(*words: str) -> Callable[[str], bool]:
    return lambda text: text.lower() in words


_ANY: Callable[[str], bool] = bool
_INHERITED: dict[str, Callable[[str], bool]] = {
    "fill": is_paint,
    "stroke": is_paint,
    "fill-opacity": lambda text: _OPACITY.fullmatch(text) is not None,
    "color": is_colour,
    "fill-rule": _one_of("nonzero", "evenodd"),
    "clip-rule": _one_of("nonzero", "evenodd"),
    "visibility": _one_of("visible", "hidden", "collapse"),
    "text-anchor": _one_of("start", "middle", "end"),
    "direction": _one_of("ltr", "rtl"),
    "writing-mode": _one_of(*_UPRIGHT, *_LEVEL),
    "font-size": _is_size,
    "letter-spacing": lambda text: text.lower() == "normal" or _is_distance(text),
    "word-spacing": lambda text: text.lower() == "normal" or _is_distance(text),
    "dominant-baseline": _one_of(*RISES, "auto", "use-script", "no-change", "reset-size"),
    "white-space": _each_of(*_PRESERVING, "normal", "nowrap", "pre-line", "collapse", "wrap", "preserve-breaks"),
}
_CONTENT = ("max-content", "min-content", "fit-content")
AUTOMATIC = ("auto", "stretch", "-webkit-fill-available", *_CONTENT, *(f"-webkit-{word}" for word in _CONTENT))
"""Keywords for a computed length, which is 0 for shapes."""
RADII = ("rx", "ry")
"""Properties that are 0 if their attribute is not a length, even the word `auto`."""
_CONTAINERS = ("g", "svg", "use", "tspan")
_DISPLAYS = (
    {"block", "inline"},
    {"flow", "flow-root", "table", "flex", "grid", "ruby", "math"},
    {"list-item"},
)
_DISPLAYS_ALONE = frozenset(
    {
        *("none", "contents", "inline-block", "inline-table", "inline-flex", "inline-grid", "ruby-text"),
        *("-webkit-box", "-webkit-inline-box", "-webkit-flex", "-webkit-inline-flex", "table-cell", "table-caption"),
        *(f"table-{part}" for part in ("row", "row-group", "header-group", "footer-group", "column", "column-group")),
    }
)
NO_ATTRIBUTES = ("transform-box", "translate", "rotate", "scale")
"""Properties without a presentation attribute; an attribute with such a name means something else."""


def _is_formula(text: str) -> bool:
    """Whether a length is a formula such as `calc()`."""
    return _FORMULA.match(text) is not None


PROPERTIES: dict[str, Callable[[str], bool]] = _INHERITED | {
    "display": _is_display,
    "opacity": lambda text: _OPACITY.fullmatch(text) is not None,
    "mask": _ANY,
    "stop-color": is_colour,
    "mask-type": _one_of("alpha", "luminance"),
    "transform": _ANY,
    "transform-origin": _ANY,
    **dict.fromkeys(NO_ATTRIBUTES, _ANY),
    "clip-path": _ANY,
    "overflow": _each_of("visible", "hidden", "scroll", "auto", "clip", "overlay"),
    **dict.fromkeys(("x", "y", "cx", "cy"), lambda text: _is_distance(text) or _is_formula(text)),
    "r": lambda text: _is_length(text) or _is_formula(text),
    **dict.fromkeys(RADII, lambda text: text.lower() == "auto" or _is_length(text) or _is_formula(text)),
    **dict.fromkeys(
        ("width", "height"), lambda text: text.lower() in AUTOMATIC or _is_length(text) or _is_formula(text)
    ),
}
"""Supported property → a predicate for its valid values; an invalid value leaves the property to rules of lower
precedence."""
