"""A map from the shapes of a drawing: names, positions, and which regions touch."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, hypot, isfinite

from msgspec import Struct

from rulespec.documents.text_files import MISLEADING
from rulespec.drawing.svg import Point
from rulespec.drawing.svg_shapes import Shape
from rulespec.syntax.words import NO_VALUES

EXTENT = 1000
"""Positions lie between 0 and this."""
_NEAR = 0.012  # how far apart, by the extent of the drawing, outlines may be that touch
_CONTACTS = 3  # points of an outline that must be near another: two corners that meet are no border
_CROWD = 24  # shapes at one point: they lie on one another, and not beside
_MAX_POINTS = 120_000
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
    touching = _touching(outlines, extent * _NEAR)
    results = []
    for i, (name, shape) in enumerate(zip(names, shapes, strict=True)):
        x, y = _centre(max(shape.outlines, key=lambda line: abs(_area(line))))
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


def _area(line: Sequence[Point]) -> float:
    return sum(x * ny - nx * y for (x, y), (nx, ny) in pairwise([*line, line[0]])) / 2


def _centre(line: Sequence[Point]) -> Point:
    """The centre of mass of what is inside a line."""
    area = _area(line)
    if abs(area) < 1e-9:
        return sum(x for x, _ in line) / len(line), sum(y for _, y in line) / len(line)
    x = y = 0.0
    for (ax, ay), (bx, by) in pairwise([*line, line[0]]):
        part = ax * by - bx * ay
        x += (ax + bx) * part
        y += (ay + by) * part
    return x / (6 * area), y / (6 * area)


def _touching(shapes: Sequence[Sequence[Sequence[Point]]], near: float) -> set[tuple[int, int]]:
    """The pairs of shapes whose outlines run beside one another."""
    length = sum(hypot(nx - x, ny - y) for lines in shapes for line in lines for (x, y), (nx, ny) in pairwise(line))
    step = max(near / 2, length / _MAX_POINTS)
    at: dict[tuple[int, int], set[int]] = {}
    for i, lines in enumerate(shapes):
        for line in lines:
            for x, y in _sampled([*line, line[0]], step):
                at.setdefault((int(x // near), int(y // near)), set()).add(i)
    counts: dict[tuple[int, int], int] = {}
    for (column, row), place in at.items():
        around = set().union(*(at.get((column + a, row + b), ()) for a in (-1, 0, 1) for b in (-1, 0, 1)))
        if len(around) > _CROWD:
            continue
        for i in place:
            for k in around - {i}:
                counts[min(i, k), max(i, k)] = counts.get((min(i, k), max(i, k)), 0) + 1
    return {pair for pair, count in counts.items() if count >= 2 * _CONTACTS + 2}


def _sampled(line: Sequence[Point], step: float) -> list[Point]:
    results = []
    for (x, y), (nx, ny) in pairwise(line):
        parts = min(max(ceil(hypot(nx - x, ny - y) / step), 1), _MAX_POINTS)
        results += [(x + (nx - x) * k / parts, y + (ny - y) * k / parts) for k in range(parts)]
    return results
