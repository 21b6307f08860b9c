"""Path data as outlines, with curves and arcs flattened to as many points as necessary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import acos, atan2, ceil, cos, hypot, pi, sin, sqrt

from rulespec.drawing.svg import Point

_STEPS = 128  # maximum number of segments per curve
_PART = 1_000  # extent of a curve divided by its default tolerance
_ARGUMENTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_OF_ARC = _ARGUMENTS["A"]
_ALIKE = {"S": "CS", "T": "QT"}
"""Smooth command → the commands before it whose last control point it mirrors."""
_BLANK = r"[ \t\n\r\f]*+"
_NUMBER = r"[-+]?(?:\d++(?:\.\d++|(?!\.))|\.\d++)(?:[eE][-+]?\d++|(?![eE]))"
_GAP = rf"{_BLANK}(?:,{_BLANK})?+"
_BLANKS = re.compile(_BLANK)
_LIST = re.compile(rf"{_BLANK}(?:{_NUMBER}{_GAP})*+")
_ARCS = re.compile(rf"{_BLANK}(?:{f'{_NUMBER}{_GAP}' * 3}{f'[01]{_GAP}' * 2}{f'{_NUMBER}{_GAP}' * 2})*+")
_NEXT = re.compile(rf"[\s,]*({_NUMBER})")
_FLAG = re.compile(r"[\s,]*([01])")
_MOST = 500_000  # numbers of an arc command that are parsed


def path_outlines(
    text: str,
    numbers: Callable[[str], list[float]],
    count: Callable[[int], None],
    broken: Callable[[int], None],
    within: float = 0,
) -> list[list[Point]]:
    """The outlines of path data up to the first error, which is also where a browser stops drawing.

    Args:
        text: the path data.
        numbers: parses the numbers of a text, within bounds.
        count: receives the number of points of each flattened curve or arc; raises if there are too many.
        broken: receives the index of the first error, if there is one.
        within: the maximum deviation from the curves; 0 means a thousandth of the size of each curve.
    """
    results: list[list[Point]] = []
    place: Point = (0.0, 0.0)
    control: Point | None = None
    before = ""
    for letter, n in _commands(text, numbers, broken):
        upper = letter.upper()
        dx, dy = place if letter.islower() else (0.0, 0.0)
        if upper == "Z":
            place, control = (results[-1][0] if results and results[-1] else place), None
            results.append([])
            continue
        if upper == "M":
            results.append([])
        if not results[-1] and upper != "M":
            results[-1].append(place)
        if upper in "HV":
            place = (n[0] + dx, place[1]) if upper == "H" else (place[0], n[0] + dy)
            results[-1].append(place)
            control = None
            continue
        end = (n[-2] + dx, n[-1] + dy)
        smooth = control is not None and before in _ALIKE.get(upper, "")
        mirrored = (2 * place[0] - control[0], 2 * place[1] - control[1]) if smooth and control is not None else place
        points = [(n[i] + dx, n[i + 1] + dy) for i in range(0, len(n) - 2, 2)] if upper in "CSQ" else []
        if upper in "ST":
            points = [mirrored, *points]
        between = _arc(place, n, end, within) if upper == "A" else _curve(place, points, end, within)
        count(len(between))
        results[-1] += [*between, end]
        control, place, before = (points[-1] if points else None), end, upper
    return results


def points_of(text: str, numbers: Callable[[str], list[float]], broken: Callable[[int], None]) -> list[Point]:
    """The points of a polygon up to the first error; the arguments are those of `path_outlines`."""
    end = list_end(text)
    n = numbers(text[:end])
    if end < len(text) or len(n) % 2:
        broken(end)
    return list(zip(n[::2], n[1::2], strict=False))


def list_end(text: str) -> int:
    """The index at which the list of numbers at the start of a string ends."""
    result = _LIST.match(text)
    return result.end() if result else 0


def _commands(
    text: str, numbers: Callable[[str], list[float]], broken: Callable[[int], None]
) -> Iterator[tuple[str, list[float]]]:
    at = len(text) - len(text.lstrip())
    if text[at : at + 1] not in ("M", "m", ""):
        broken(at)
        return
    while at < len(text):  # one at a time: there may be millions
        letter = text[at]
        each = _ARGUMENTS.get(letter.upper())
        match = (_BLANKS if not each else _ARCS if each == _OF_ARC else _LIST).match(text, at + 1)
        if each is None or match is None:
            broken(at)
            return
        n = numbers(_apart(match[0]) if each == _OF_ARC else match[0])  # an end counts as a point, too
        if not each:
            yield letter, n
        for i in range(0, len(n) - each + 1, each) if each else ():
            # More points after `M` are lines.
            yield ({"M": "L", "m": "l"}.get(letter, letter) if i else letter), n[i : i + each]
        at = match.end()
        if each and (not n or len(n) % each):
            broken(at)
            return


def _apart(text: str) -> str:
    """The numbers of arcs, separated by blanks; in the source, the two flags need no separator."""
    results: list[str] = []
    at = 0
    while len(results) < _MOST and (match := (_FLAG if len(results) % 7 in (3, 4) else _NEXT).match(text, at)):
        results.append(match[1])
        at = match.end()
    return " ".join(results)


def _curve(start: Point, controls: list[Point], end: Point, within: float) -> list[Point]:
    """The points of a Bezier curve, without its ends."""
    if not controls:
        return []
    points = [start, *controls, end]
    bends = [
        (a[0] - 2 * b[0] + c[0], a[1] - 2 * b[1] + c[1])
        for a, b, c in zip(points, points[1:], points[2:], strict=False)
    ]
    most = len(points) * (len(points) - 1) / 8 * max(hypot(*bend) for bend in bends)
    within = within or max(hypot(x - start[0], y - start[1]) for x, y in points) / _PART
    steps = min(ceil(sqrt(most / within)), _STEPS) if most > 0 and within > 0 else 1
    return [_bezier(points, i / steps) for i in range(1, steps)]


def _bezier(points: list[Point], t: float) -> Point:
    while len(points) > 1:
        points = [(x + t * (nx - x), y + t * (ny - y)) for (x, y), (nx, ny) in pairwise(points)]
    return points[0]


def _arc(start: Point, n: list[float], end: Point, within: float) -> list[Point]:
    """The points of an elliptical arc, without its ends; SVG 1.1, F.6.5 and F.6.6."""
    rx, ry, turn, large, sweep = abs(n[0]), abs(n[1]), n[2] * pi / 180, n[3] != 0, n[4] != 0
    if not rx or not ry or start == end:
        return []
    c, s = cos(turn), sin(turn)
    hx, hy = (start[0] - end[0]) / 2, (start[1] - end[1]) / 2
    x, y = (c * hx + s * hy) / rx, (c * hy - s * hx) / ry  # half the chord, on the unit circle
    half = hypot(x, y)
    if half > 1:  # scales up an ellipse that is too small
        rx, ry, x, y, half = rx * half, ry * half, x / half, y / half, 1.0
    far = sqrt(max(1 / (half * half) - 1, 0)) if half else 0.0
    far = -far if large == sweep else far
    mx, my = far * y, -far * x
    first = atan2(y - my, x - mx)
    angle = atan2(-y - my, -x - mx) - first
    if sweep and angle < 0:
        angle += 2 * pi
    elif not sweep and angle > 0:
        angle -= 2 * pi
    steps = max(ceil(abs(angle) / turn_within(max(rx, ry), within)), 1)
    results = []
    for i in range(1, steps):
        at = first + angle * i / steps
        px, py = (mx + cos(at)) * rx, (my + sin(at)) * ry
        results.append((c * px - s * py + (start[0] + end[0]) / 2, s * px + c * py + (start[1] + end[1]) / 2))
    return results


def turn_within(radius: float, within: float) -> float:
    """The angle between two points on a circle whose chord deviates from the arc by at most a tolerance."""
    share = min((within or radius / _PART) / radius, 1) if radius > 0 else 1
    return max(2 * acos(1 - share), pi / _STEPS)
