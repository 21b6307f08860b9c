"""SVG as text; only this module escapes external text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise

from msgspec import Struct

from rulespec.drawing.text_width import text_width

Point = tuple[float, float]
Turn = tuple[float, float, float]
Value = str | float | None
Values = dict[str, Value]
"""The attributes of an element."""

MAX_TEXT = 200
"""The maximum number of displayed characters of a text."""
_HALO: Values = {"stroke": "#ffffff", "stroke_opacity": "0.8", "stroke_width": 2.6, "paint_order": "stroke"}


def clean(text: str) -> str:
    """A text, escaped and without characters that are invalid in XML."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:MAX_TEXT])
    return escape(shown)


def number(value: float) -> str:
    """A number with at most one decimal."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def path(points: Sequence[Point], *, closed: bool = False) -> str:
    """The path data of a line through points."""
    first, *rest = points
    text = f"M{number(first[0])} {number(first[1])}" + "".join(f"L{number(x)} {number(y)}" for x, y in rest)
    return text + "Z" if closed else text


def trace(points: Sequence[Point], *, closed: bool = False) -> str:
    """The path data of a long line, as in `path` but in relative tenths, which are shorter."""
    tenths = [(round(x * 10), round(y * 10)) for x, y in points]
    steps = [_tenths(b - a) for p, q in pairwise(tenths) if p != q for a, b in zip(p, q, strict=True)]
    (x, y), data = tenths[0], "".join(s if s[0] == "-" or not i else f" {s}" for i, s in enumerate(steps))
    return f"M{_tenths(x)} {_tenths(y)}l{data or '0 0'}" + ("z" if closed else "")


def _tenths(number: int) -> str:
    return str(number // 10) if number % 10 == 0 else f"{number / 10:.1f}"


def attributes(values: Values) -> str:
    """Escaped attributes; attributes with empty values are left out."""
    shown = ((k, number(v) if isinstance(v, int | float) else v) for k, v in values.items() if v is not None)
    return "".join(f' {k.rstrip("_").replace("_", "-")}="{escape(v)}"' for k, v in shown)


def element(tag: str, content: str = "", /, **values: Value) -> str:
    """An element whose `content` is SVG. In attribute names, `_` becomes `-`, and a trailing `_` is dropped."""
    head = f"<{tag}{attributes(values)}"
    return f"{head}>{content}</{tag}>" if content else f"{head}/>"


def words(
    text: str,
    x: float,
    y: float,
    size: float,
    *,
    bold: bool = False,
    anchor: str = "middle",
    fill: str = "#111",
    halo: bool = False,
) -> str:
    """A line of text, vertically centred at (x, y). A halo keeps it readable over lines."""
    weight = "bold" if bold else None
    at = {"x": x, "y": y + size * 0.36, "font_size": size}
    how: Values = {"font_weight": weight, "text_anchor": anchor if anchor != "start" else None, "fill": fill}
    return element("text", clean(text), **at, **how, **(_HALO if halo else {}))


def named(text: str, seat: int, room: float) -> str:
    """A seat's name as text, tagged with the seat's number, so that a page can substitute the player's name."""
    return group([text], data_seat=str(seat), data_room=room)


def roomy(text: str, room: float) -> str:
    """A text that a page may enlarge, up to a width, if it would otherwise be too small to read."""
    return group([text], data_room=room)


class Letters(Struct, frozen=True):
    """The look of a line of text: `spacing` between letters, and `turned`, the rotation in degrees with its centre."""

    fill: str
    bold: bool = False
    italic: bool = False
    spacing: float = 0
    turned: Turn | None = None


def lettered(text: str, x: float, y: float, size: float, how: Letters) -> str:
    """A line of text with a halo, centred at a point, in the given look."""
    at = {"x": x + how.spacing / 2, "y": y + size * 0.36, "font_size": size}
    look: Values = {"font_weight": "bold" if how.bold else None, "font_style": "italic" if how.italic else None}
    look |= {"letter_spacing": how.spacing or None, "text_anchor": "middle", "fill": how.fill}
    look["transform"] = rotation(how.turned) if how.turned is not None else None
    return element("text", clean(text), **at, **look, **_HALO)


def rotation(turned: Turn) -> str:
    """A rotation in SVG notation."""
    return f"rotate({' '.join(map(number, turned))})"


def group(content: Iterable[str], title: str = "", /, **values: Value) -> str:
    """A group, whose title serves screen readers and tooltips."""
    inner = "".join(content)
    if title:
        return element("g", f"<title>{clean(title)}</title>{inner}", role="img", **values)
    return element("g", inner, **values)


class Box(tuple[float, float, float, float]):
    """A box: left, top, right, bottom."""

    __slots__ = ()

    def meets(self, other: Box, gap: float = 0.0) -> bool:
        """Whether two boxes overlap, not merely at their edges."""
        return (
            self[0] < other[2] + gap
            and other[0] < self[2] + gap
            and self[1] < other[3] + gap
            and other[1] < self[3] + gap
        )

    def grown(self, by: float) -> Box:
        """The box, enlarged on each side."""
        return Box((self[0] - by, self[1] - by, self[2] + by, self[3] + by))

    def holds(self, other: Box) -> bool:
        """Whether the box contains another box."""
        return self[0] <= other[0] and self[1] <= other[1] and self[2] >= other[2] and self[3] >= other[3]


def text_box(text: str, x: float, y: float, size: float, *, bold: bool = False, anchor: str = "middle") -> Box:
    """The bounding box of a line of text drawn by `words`."""
    width = text_width(text, size, bold=bold)
    left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return Box((left, y - size * 0.5, left + width, y + size * 0.5))
