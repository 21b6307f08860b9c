"""Measurements of pictures for tests: boxes of texts, computed from the SVG itself."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from itertools import accumulate

from rulespec.drawing.placing import turned_point
from rulespec.drawing.svg import Box, Point, text_box

SVG = "{http://www.w3.org/2000/svg}"
_EDGE = 0.6  # tolerated overlap of letters in points
_TURN = re.compile(r"rotate\((\S+) (\S+) (\S+)\)")


def texts(svg: str) -> list[tuple[str, Box]]:
    """All drawn texts, with the axis-parallel boxes around them."""
    return [(text, _around(corners)) for text, corners in _texts(svg)]


def _texts(svg: str) -> list[tuple[str, list[Point]]]:
    """All texts, each with its four corners after rotation."""
    return [(node.text or "", _corners(node, turns)) for node, turns in _nodes(ElementTree.fromstring(svg), ())]


def _nodes(node: ElementTree.Element, turns: tuple[str, ...]) -> Iterator[tuple[ElementTree.Element, tuple[str, ...]]]:
    """The text elements of a picture, each with its own and its groups' rotations, innermost first."""
    turns = (node.attrib["transform"], *turns) if "rotate" in node.attrib.get("transform", "") else turns
    if node.tag == f"{SVG}text":
        yield node, turns
    for child in node:
        yield from _nodes(child, turns)


def _corners(node: ElementTree.Element, turns: Sequence[str]) -> list[Point]:
    size = float(node.attrib["font-size"])
    x, y = float(node.attrib["x"]), float(node.attrib["y"]) - size * 0.36
    bold, anchor = node.attrib.get("font-weight") == "bold", node.attrib.get("text-anchor", "start")
    spacing = float(node.attrib.get("letter-spacing", 0))
    text = node.text or ""
    left, top, right, bottom = text_box(text, x, y, size, bold=bold, anchor=anchor)
    wider = spacing * len(text)  # letter spacing also follows the last letter, where nothing is drawn
    if anchor == "middle":
        left, right = left - wider / 2, right + wider / 2
    else:
        right += wider
    points = [(left, top), (right - spacing, top), (right - spacing, bottom), (left, bottom)]
    for turn in turns:
        degrees, cx, cy = map(float, _TURN.fullmatch(turn).groups())  # type: ignore[union-attr]
        points = [turned_point(point, Box((cx, cy, cx, cy)), degrees) for point in points]
    return points


def _around(corners: Sequence[Point]) -> Box:
    xs, ys = zip(*corners, strict=True)
    return Box((min(xs), min(ys), max(xs), max(ys)))


def corners_of(data: str) -> list[Point]:
    """The points of path data with a start and relative steps."""
    numbers = [float(x) for x in re.findall(r"-?[\d.]+", data)]
    return list(zip(accumulate(numbers[::2]), accumulate(numbers[1::2]), strict=True))


def overlaps(svg: str) -> list[tuple[str, str]]:
    """Pairs of overlapping texts."""
    result = [(text, corners, _around(corners)) for text, corners in _texts(svg)]
    return [
        (one, other)
        for i, (one, corners, box) in enumerate(result)
        for other, against, level in result[:i]
        if box.meets(level, -_EDGE) and not _parted(corners, against)
    ]


def _parted(ones: Sequence[Point], others: Sequence[Point]) -> bool:
    """Whether a side of one of two rectangles separates them."""
    for (ax, ay), (bx, by), *_ in (ones, ones[1:], others, others[1:]):
        length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1e-9)
        near, far = ([(x * (bx - ax) + y * (by - ay)) / length for x, y in each] for each in (ones, others))
        if min(max(near), max(far)) - max(min(near), min(far)) <= _EDGE:
            return True
    return False


def outside(svg: str) -> list[str]:
    """Texts that extend beyond the picture."""
    root = ElementTree.fromstring(svg)
    frame = Box((0, 0, float(root.attrib["width"]), float(root.attrib["height"])))
    return [text for text, box in texts(svg) if not frame.holds(box)]


def sizes(svg: str, layer: str) -> list[float]:
    """The font sizes in a static layer."""
    groups = (g for g in ElementTree.fromstring(svg).iter(f"{SVG}g") if g.attrib.get("class") == f"{layer} static")
    return [float(text.attrib["font-size"]) for g in groups for text in g.iter(f"{SVG}text")]
