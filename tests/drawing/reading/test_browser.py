"""Drawings are read as a browser shows them: colours, sizes of letters, what is hidden, boxes, points inside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from browser import browser  # noqa: F401
from folders import TESTS
from random_drawings import Writer, content_of, seen_by_a_browser

from rulespec.drawing.outlines import holds
from rulespec.drawing.reading.looks import colour_of
from rulespec.drawing.reading.shapes import Shape
from rulespec.drawing.reading.texts import rounds
from rulespec.drawing.svg import Point

RECORDED = TESTS / "fixtures" / "drawings_in_a_browser.json"
NEAR, LARGE = 0.5, 1_500
"""Pixels of difference, and the part of what is larger than the page: there a browser draws arcs as cubic curves."""
Seen = dict[str, dict[str, Any]]


def differences(path: Path, seen: Seen) -> Iterator[str]:
    """Differences of what the program and a browser see, by lines."""
    content = content_of(path)
    shapes: dict[str, Shape] = {str(p.shape.line): p.shape for p in content.pieces if not p.shape.copies}
    texts = {str(text.line): text for text in content.texts.all}
    uses: dict[str, list[Shape]] = {}
    for piece in content.pieces:
        for layer in piece.shape.layers:
            uses.setdefault(layer.id, []).append(piece.shape)
    for line, one in seen.items():
        if "box" not in one:
            if one["shown"] != (line in texts):
                yield f"{line}: text is shown: {one['shown']}"
            elif one["shown"] and abs(texts[line].size - one["size"]) > 0.01 + 0.001 * one["size"]:
                yield f"{line}: size {texts[line].size} for {one['size']}"
            continue
        if not one["laid"]:  # nothing is said of boxes then
            if any(not shape.hidden for shape in uses.get(f"u{line}", [shapes[line]] if line in shapes else [])):
                yield f"{line}: shown"
            continue
        repeated = uses.get(f"u{line}", [shapes[line]] if line in shapes else [])
        if not repeated:
            left, top, right, bottom = one["box"]
            if (colour_of(one["fill"]) or one["fill"]) == "none":
                continue  # with no line either, there is nothing to see
            if right - left > NEAR and bottom - top > NEAR and any(inside for *_, inside in one["inside"] or ()):
                yield f"{line}: no shape for {one['box']}"
            continue
        box = box_of([local(one["matrix"], p) for shape in repeated for outline in shape.outlines for p in outline])
        near = max(NEAR, (max(box[2] - box[0], box[3] - box[1])) / LARGE) / min(least_scale(one["matrix"]), 1)
        if any(abs(a - b) > near for a, b in zip(box, one["box"], strict=True)):
            yield f"{line}: box {box} for {one['box']}"
        if f"u{line}" not in uses:
            yield from of_one(line, repeated[0], one)


def of_one(line: str, shape: Shape, seen: dict[str, Any]) -> Iterator[str]:
    """The differences of one shape."""
    if shape.hidden == seen["shown"]:
        yield f"{line}: hidden {shape.hidden}"
    ours = shape.fill or ("#000000" if shape.filled else "none")
    if ours != (colour_of(seen["fill"]) or seen["fill"]):
        yield f"{line}: fill {ours} for {seen['fill']}"
    for x, y, inside in seen["inside"] if seen["shown"] else ():
        near = min(distance((x, y), p, q) for o in shape.outlines for p, q in zip(o, [*o[1:], o[0]], strict=True))
        within = holds(shape.outlines, x, y) if shape.evenodd else rounds(shape.outlines, x, y) != 0
        if near > NEAR and within != inside:
            yield f"{line}: {x:.1f},{y:.1f} is inside: {within}"


def least_scale(m: list[float]) -> float:
    """The least factor by which a transformation scales: pixels of a box are those that are seen."""
    a, b, c, d = m[:4]
    whole = (a * a + b * b + c * c + d * d) / 2
    apart = max(whole * whole - (a * d - b * c) ** 2, 0)  # of a plain turn it is 0, or below it by rounding
    return float(max(whole - apart**0.5, 1e-9) ** 0.5)


def local(m: list[float], p: Point) -> Point:
    """A point before a transformation."""
    a, b, c, d, e, f = m
    whole, x, y = a * d - b * c, p[0] - e, p[1] - f
    return (d * x - c * y) / whole, (a * y - b * x) / whole


def box_of(points: list[Point]) -> list[float]:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return [min(xs), min(ys), max(xs), max(ys)]


def distance(at: Point, p: Point, q: Point) -> float:
    """The distance of a point from an edge."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    size = dx * dx + dy * dy
    along = min(max(((at[0] - p[0]) * dx + (at[1] - p[1]) * dy) / size, 0), 1) if size else 0
    return hypot(p[0] + along * dx - at[0], p[1] + along * dy - at[1])


@pytest.mark.proof
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_random_drawings_are_read_as_a_browser_shows_them(first: int, browser: Any, tmp_path: Path) -> None:  # noqa: F811
    for seed in range(first, first + 20):
        path = tmp_path / f"{seed}.svg"
        path.write_text(Writer(seed).text(), "utf-8")
        assert [*differences(path, seen_by_a_browser(browser, path))] == [], seed


@pytest.mark.parametrize("seed", json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else [])
def test_what_a_browser_has_shown_is_read_so(seed: str, tmp_path: Path) -> None:
    """A few of those drawings, and what Chromium said of them."""
    recorded = json.loads(RECORDED.read_text("utf-8"))[seed]
    (tmp_path / "x.svg").write_text(recorded["drawing"], "utf-8")
    assert len(re.findall("data-at", recorded["drawing"])) == len(recorded["seen"]) > 5
    assert [*differences(tmp_path / "x.svg", recorded["seen"])] == []
