"""Plots for a playtest page as static SVG, 400 units wide so that texts are readable on a phone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from typing import Any

from rulespec.engine.playtest.sentence import number

WIDE = 400
_ROW = 34
_FURTHEST = 8.0
"""The distance at which bounds are cut off, in units of the relevant difference."""
_BINS = 24


def forest(answers: Sequence[Mapping[str, Any]]) -> str:
    """A plot of the bounds of all measures, in units of the smallest difference that matters."""
    shown = [a for a in answers if a["low"] is not None and a["matters"]]
    if not shown:
        return "<p class='note'>Too few games.</p>"
    ends = [float(a[key]) / float(a["matters"]) for a in shown for key in ("low", "high")]
    left, right = (min(_FURTHEST, max(1.5, reach)) for reach in (-min(ends), max(ends)))
    high = _ROW * len(shown) + 22

    def x(units: float) -> float:
        return 10 + (WIDE - 20) * (left + max(-left, min(right, units))) / (left + right)

    parts = [f"<rect class='matters' x='{x(-1):.1f}' y='0' width='{x(1) - x(-1):.1f}' height='{high - 18}'/>"]
    parts.append(f"<line class='zero' x1='{x(0):.1f}' x2='{x(0):.1f}' y1='0' y2='{high - 18}'/>")
    for at, a in enumerate(shown):
        y = at * _ROW + 24
        low, middle, top = (a[key] / a["matters"] for key in ("low", "difference", "high"))
        answer, _, _ = a["says"].partition(":")  # without the number of pairs, which the table has
        parts.append(f"<text x='4' y='{y - 11}'>{escape(a['title'])}: {escape(answer)}</text>")
        parts.append(f"<line class='bound' x1='{x(low):.1f}' x2='{x(top):.1f}' y1='{y}' y2='{y}'/>")
        parts += _arrows(x(-left), x(right), y, low < -left, top > right)
        if -left <= middle <= right:
            parts.append(f"<circle class='dot' cx='{x(middle):.1f}' cy='{y}' r='4'/>")
    for units in (-1, 0, 1):
        mark = f"{units:+d}" if units else "0"
        parts.append(f"<text x='{x(units):.1f}' y='{high - 5}' text-anchor='middle'>{mark}</text>")
    return _svg(high, parts, "bounds of all differences")


def _arrows(left: float, right: float, y: float, below: bool, above: bool) -> Iterator[str]:
    """Arrows for bounds beyond the plot."""
    for x, way, cut in ((left, -7, below), (right, 7, above)):
        if cut:
            yield f"<polygon class='dot' points='{x + way:.1f},{y} {x:.1f},{y - 5} {x:.1f},{y + 5}'/>"


def bands(band: Sequence[Sequence[float]], share: bool, matters: float) -> str:
    """A plot of a difference and its bounds by number of pairs. Points in `band` are pairs, difference, low, high."""
    high, left, right, floor_ = 150, 62, WIDE - 8, 130
    late = band[len(band) // 8 :]  # skips the first bounds, whose width would flatten the rest
    top = max(*(point[3] for point in late), matters, 0)
    bottom = min(*(point[2] for point in late), -matters, 0)
    first, last = band[0][0], band[-1][0]

    def x(pairs: float) -> float:
        return left + (right - left) * (pairs - first) / max(1, last - first)

    def y(value: float) -> float:
        return 8 + (floor_ - 8) * (top - max(bottom, min(top, value))) / ((top - bottom) or 1)

    edge = [f"{x(p[0]):.1f},{y(p[3]):.1f}" for p in band] + [f"{x(p[0]):.1f},{y(p[2]):.1f}" for p in reversed(band)]
    line = " ".join(f"{x(p[0]):.1f},{y(p[1]):.1f}" for p in band)
    grey = y(-matters) - y(matters)
    parts = [
        f"<rect class='matters' x='{left}' y='{y(matters):.1f}' width='{right - left}' height='{grey:.1f}'/>",
        f"<polygon class='band' points='{' '.join(edge)}'/>",
        f"<line class='zero' x1='{left}' x2='{right}' y1='{y(0):.1f}' y2='{y(0):.1f}'/>",
        f"<polyline class='run' points='{line}'/>",
        *(
            f"<text x='{left - 5}' y='{y(v) + 4:.1f}' text-anchor='end'>{number(v, share, '+' if v else '')}</text>"
            for v in _apart(top, bottom)
        ),
        f"<text x='{left}' y='{high - 5}'>{first:,.0f} pairs</text>",
        f"<text x='{right}' y='{high - 5}' text-anchor='end'>{last:,.0f}</text>",
    ]
    return _svg(high, parts, "the difference by the number of pairs")


def _apart(top: float, bottom: float) -> list[float]:
    """The marks of an axis: both ends, and 0 unless it is too close to one of them."""
    near = 0.12 * (top - bottom)
    return [top, bottom, *([0.0] if top > near and bottom < -near else [])]


def sweep(values: Sequence[int], answers: Sequence[Mapping[str, Any]], base: int) -> str:
    """A plot of a difference and its bounds for each value of a constant; the game's own value has no difference."""
    shown = [(value, a) for value, a in zip(values, answers, strict=True) if a["low"] is not None]
    if not shown:
        return "<p class='note'>Too few games.</p>"
    high, left, right, floor_ = 170, 62, WIDE - 12, 146
    matters, share = shown[0][1]["matters"], shown[0][1]["share"]
    top = float(max(*(a["high"] for _, a in shown), matters))
    bottom = float(min(*(a["low"] for _, a in shown), -matters))
    least, most = min(*values, base), max(*values, base)

    def x(value: float) -> float:
        return left + 12 + (right - left - 24) * (value - least) / ((most - least) or 1)

    def y(value: float) -> float:
        return 8 + (floor_ - 8) * (top - value) / ((top - bottom) or 1)

    grey = y(-matters) - y(matters)
    points = sorted([(base, 0.0), *((value, a["difference"]) for value, a in shown)])
    parts = [
        f"<rect class='matters' x='{left}' y='{y(matters):.1f}' width='{right - left}' height='{grey:.1f}'/>",
        f"<line class='zero' x1='{left}' x2='{right}' y1='{y(0):.1f}' y2='{y(0):.1f}'/>",
        f"<polyline class='run' points='{' '.join(f'{x(v):.1f},{y(d):.1f}' for v, d in points)}'/>",
        f"<circle class='origin' cx='{x(base):.1f}' cy='{y(0):.1f}' r='4'/>",
    ]
    for value, a in shown:
        at = f"{x(value):.1f}"
        parts.append(f"<line class='bound' x1='{at}' x2='{at}' y1='{y(a['low']):.1f}' y2='{y(a['high']):.1f}'/>")
        parts.append(f"<circle class='dot' cx='{at}' cy='{y(a['difference']):.1f}' r='4'/>")
    marks = ((f"{x(value):.1f}", value) for value in sorted([*values, base]))
    parts += (f"<text x='{at}' y='{high - 8}' text-anchor='middle'>{value}</text>" for at, value in marks)
    for mark in _apart(top, bottom):
        text = number(mark, share, "+" if mark else "")
        parts.append(f"<text x='{left - 5}' y='{y(mark) + 4:.1f}' text-anchor='end'>{text}</text>")
    return _svg(high, parts, "the difference by the value of the constant")


def lengths(rule: Mapping[str, int], base: Mapping[str, int]) -> str:
    """A plot of the distribution of game lengths, with and without a rule."""
    values = [int(length) for side in (rule, base) for length in side]
    if not values:
        return "<p class='note'>No games.</p>"
    low, top = min(values), max(values)
    step = _step((top - low + 1) / _BINS)
    start = floor(low / step) * step
    count = ceil((top + 1 - start) / step)
    sides = [_shares(side, start, step, count) for side in (rule, base)]
    most = max(max(side) for side in sides)
    high, floor_ = 170, 148

    def x(bin_: int) -> float:
        return 6 + (WIDE - 12) * bin_ / count

    parts = []
    for kind, side in (("of-rule", sides[0]), ("of-base", sides[1])):
        if not any(side):
            continue
        points = [f"{x(0):.1f},{floor_}"]
        for at, share in enumerate(side):
            y = floor_ - (floor_ - 8) * share / most
            points += [f"{x(at):.1f},{y:.1f}", f"{x(at + 1):.1f},{y:.1f}"]
        points.append(f"{x(count):.1f},{floor_}")
        parts.append(f"<polyline class='{kind}' points='{' '.join(points)}'/>")
    parts.append(f"<line class='axis' x1='6' x2='{WIDE - 6}' y1='{floor_}' y2='{floor_}'/>")
    for at, anchor in ((0, "start"), (count // 2, "middle"), (count, "end")):
        parts.append(f"<text x='{x(at):.1f}' y='{high - 7}' text-anchor='{anchor}'>{start + at * step:,}</text>")
    return _svg(high, parts, "lengths of games")


def _shares(side: Mapping[str, int], start: int, step: int, count: int) -> list[float]:
    total = sum(side.values()) or 1
    results = [0.0] * count
    for length, games in side.items():
        results[(int(length) - start) // step] += games / total
    return results


def _step(wanted: float) -> int:
    """The next larger axis step: 1, 2 or 5 times a power of ten."""
    power = 10 ** max(0, floor(log10(max(1, wanted))))
    return int(next(step * power for step in (1, 2, 5, 10) if step * power >= wanted))


def _svg(high: int, parts: Sequence[str], label: str) -> str:
    return f"<svg viewBox='0 0 {WIDE} {high}' role='img' aria-label='{escape(label)}'>{''.join(parts)}</svg>"
