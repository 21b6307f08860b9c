"""Texts and colours of a drawing: what stands inside a shape is its name, what fills it says of what kind it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite

from msgspec import Struct, field

from rulespec.drawing.outlines import area, holds
from rulespec.drawing.svg import Point
from rulespec.drawing.text_width import text_width

MAX_TEXTS = 1_000
_MAX_WORDS = 200
_MAX_TESTS = 3_000_000
_SIZE = 16.0
_ENTITY, _ENTITIES, _GROWN = 200, 100, 8_000_000
"""Characters of an entity, how many there may be, and what all that is written for them may come to."""
_STYLE = re.compile(r"(?:^|;)\s*([a-z-]+)\s*:\s*([^;]*)")
_LENGTH = re.compile(r"\s*([-+]?\d{1,9}(?:\.\d{0,9})?)")
_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_RGB = re.compile(r"rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")


class PlainEntities:
    """The entities that a document type may declare: short texts without others in them, as some programs write."""

    def __init__(self, data: bytes) -> None:
        self._uses = data.count(b"&")
        self._count = 0

    def takes(self, parameter: bool, value: str | None) -> bool:
        """Whether an entity is read; `value` is None if it would be in another file."""
        self._count += 1
        plain = value is not None and not parameter and len(value) <= _ENTITY and not {"&", "%", "<"} & {*value}
        return plain and self._count <= _ENTITIES and self._uses * _ENTITY <= _GROWN


class Text(Struct, frozen=True):
    """A text of a drawing: its words, the middle of its first line, and how large it is."""

    words: str
    at: Point
    size: float


class Texts(Struct):
    """The texts of a drawing as they are read."""

    all: list[Text] = field(default_factory=list)
    _open: int = 0
    _parts: list[str] = field(default_factory=list)
    _start: Point = (0.0, 0.0)
    _size: float = _SIZE
    _anchor: str = "start"
    _moved: Callable[[Point], Point] | None = None

    def begin(self, tag: str, attributes: dict[str, str], moved: Callable[[Point], Point]) -> None:
        """Takes the beginning of a text, or of a line of it."""
        if tag == "text":
            self._open, self._parts, self._start, self._size, self._anchor = 1, [], (0.0, 0.0), _SIZE, "start"
            self._moved = moved
        if not self._open or self._parts:
            self._parts.append(" ")
            return
        style = dict(_STYLE.findall(attributes.get("style", "")[:2000])) | attributes
        if "x" in attributes and "y" in attributes:
            self._start = _length(attributes["x"], 0.0), _length(attributes["y"], 0.0)
        self._size = _length(style.get("font-size", ""), self._size)
        self._anchor = style.get("text-anchor", self._anchor).strip()
        self._moved = moved

    def add(self, data: str) -> None:
        """Takes characters of the text that is open."""
        if self._open and len(self._parts) < _MAX_WORDS:
            self._parts.append(data[:_MAX_WORDS])

    def end(self) -> None:
        """Takes the end of a text."""
        words = " ".join("".join(self._parts).split())[:_MAX_WORDS]
        if self._open and words and self._moved is not None and len(self.all) < MAX_TEXTS:
            size = min(max(self._size, 0.1), 1e6)
            line = next(part for part in self._parts if part.strip())
            wide = text_width(line.strip(), size)
            x = self._start[0] + {"middle": 0.0, "end": -wide / 2}.get(self._anchor, wide / 2)
            self.all.append(Text(words, self._moved((x, self._start[1] - size * 0.35)), size))
        self._open, self._parts = 0, []

    def of(self, shapes: Sequence[Sequence[Sequence[Point]]]) -> list[Text | None]:
        """The text inside each shape: of several the largest; a text is in the smallest shape that it is in."""
        sizes = [sum(abs(area(ring)) for ring in rings) for rings in shapes]
        order = sorted(range(len(shapes)), key=lambda i: sizes[i])
        boxes = [_box(rings) for rings in shapes]
        results: list[Text | None] = [None] * len(shapes)
        left = _MAX_TESTS
        for text in self.all:
            x, y = text.at
            for i in order:
                (a, b, c, d), before = boxes[i], results[i]
                if not (a <= x <= c and b <= y <= d) or left < 0:
                    continue
                left -= sum(map(len, shapes[i]))
                if holds(shapes[i], x, y):
                    results[i] = text if before is None or text.size > before.size else before
                    break
        return results


def _box(rings: Sequence[Sequence[Point]]) -> tuple[float, float, float, float]:
    xs, ys = [x for ring in rings for x, _ in ring], [y for ring in rings for _, y in ring]
    return min(xs, default=0), min(ys, default=0), max(xs, default=0), max(ys, default=0)


def _length(text: str, default: float) -> float:
    result = _LENGTH.match(text)
    value = float(result[1]) if result else default
    return value if isfinite(value) and abs(value) <= 1e6 else default


def fill_of(attributes: dict[str, str]) -> str:
    """The colour of an element: `#rrggbb`, or its name; "" if it has none of its own."""
    style = dict(_STYLE.findall(attributes.get("style", "")[:2000]))
    return colour_of(style.get("fill", attributes.get("fill", "")))


def colour_of(text: str) -> str:
    """A colour as `#rrggbb`, or its name; "" for none."""
    text = text.strip()[:60].lower()
    if result := _HEX.fullmatch(text):
        return "#" + ("".join(c * 2 for c in result[1]) if len(result[1]) == 3 else result[1])
    if result := _RGB.fullmatch(text):
        return "#" + "".join(f"{min(int(n), 255):02x}" for n in result.groups())
    return text if text.isalpha() and text not in ("none", "inherit", "currentcolor") else ""
