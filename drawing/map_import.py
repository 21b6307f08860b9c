"""A map from the shapes of a drawing: names, positions, and which regions touch."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from math import isfinite

from msgspec import Struct

from rulespec.documents.text_files import MISLEADING
from rulespec.drawing.beside import beside
from rulespec.drawing.outlines import area, centre
from rulespec.drawing.svg_shapes import Shape
from rulespec.syntax.words import NO_VALUES

EXTENT = 1000
"""Positions lie between 0 and this."""
_NEAR = 0.012  # how far apart, by the extent of the drawing, outlines may be that touch
_ALONG = 8  # squares of that size on which outlines must be near one another: two corners that meet are no border
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})


class Imported(Struct, frozen=True):
    """A region: its name, its title, where it is (None: not known), and the regions that it touches."""

    name: str
    title: str
    position: tuple[int, int] | None
    touches: tuple[str, ...]


def regions_of(shapes: Sequence[Shape]) -> list[Imported]:
    """The regions that shapes stand for."""
    names = _names([shape.name for shape in shapes])
    outlines = [shape.outlines for shape in shapes]
    points = [p for lines in outlines for line in lines for p in line if isfinite(p[0]) and isfinite(p[1])]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    extent = max(max(x for x, _ in points) - left, max(y for _, y in points) - top, 1e-9)
    touching = beside([[[*line, line[0]] for line in lines] for lines in outlines], extent * _NEAR, _ALONG)
    results = []
    for i, (name, shape) in enumerate(zip(names, shapes, strict=True)):
        x, y = centre(max(shape.outlines, key=lambda line: abs(area(line))))
        at = (round((x - left) / extent * EXTENT), round((y - top) / extent * EXTENT))
        near = tuple(sorted(names[k] for k in range(len(shapes)) if (min(i, k), max(i, k)) in touching))
        results.append(Imported(name, _title(shape.name, name), at, near))
    return results


def _title(label: str, name: str) -> str:
    """The part of a label that the name of its region does not say; "" if there is none.

    An `id` has no blanks, so its underscores stand for them. What no text may have in it is left out.
    """
    title = " ".join(MISLEADING.sub(" ", label).split())
    title = title if " " in title else title.replace("_", " ").strip()
    return "" if title in ("", name, name.replace("_", " ")) else title


def _names(labels: Sequence[str]) -> list[str]:
    """Names of entities from labels, each once, none of them a word of the language."""
    results: list[str] = []
    counts: dict[str, int] = {}
    for label in labels:
        name = re.sub(r"[^a-z0-9]+", "_", _plain(label)).strip("_")[:50] or "region"
        name = f"{name}_" if name in NO_VALUES else name
        unique = name
        while unique in results:
            counts[name] = counts.get(name, 1) + 1
            unique = f"{name}_{counts[name]}"
        results.append(unique)
    return results


def _plain(label: str) -> str:
    """A label in small letters without accents."""
    parted = unicodedata.normalize("NFKD", label.casefold().translate(_LETTERS))
    return "".join(c for c in parted if not unicodedata.combining(c))
