"""Drawings of ring-shaped maps: a sea in the middle, two rings with the owners' homes, and land at the rim."""

from __future__ import annotations

from itertools import count
from math import cos, pi, sin

COLOURS = ("#c8323c", "#4b9b4b", "#e6d23c", "#8c50aa", "#e68a2e", "#8c5a2d", "#444444", "#2e9b96")
SEA, LAND = "#9ecae9", "#f2ead9"
_STEPS = 8
"""The number of points on each owner's arc, shared by neighbours."""


def ring_map(owners: int = 6, parts: int = 3) -> str:
    """A drawing with three homes per owner, and some seas and lands: 24 regions for six owners."""
    around, names = _STEPS * owners * parts, (f"Place {number}" for number in count(1))

    def at(radius: float, step: int) -> tuple[float, float]:
        angle = 2 * pi * step / around
        return 500 + radius * cos(angle), 400 + radius * sin(angle) * 0.8

    def shape(colour: str, inner: float, outer: float, first: int, last: int) -> str:
        arc = [at(outer, step) for step in range(first, last + 1)]
        back = [at(inner, step) for step in range(last, first - 1, -1)] if inner else [(500.0, 400.0)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in [*arc, *back])
        x, y = at((inner + outer) / 2, (first + last) // 2)
        text = f'<text x="{x:.0f}" y="{y:.0f}" font-size="14" text-anchor="middle">{next(names)}</text>'
        return f'<path fill="{colour}" d="M{path}z"/>{text}'

    third, home = around // parts, around // owners
    shapes = [shape(SEA, 0, 160, third * k, third * (k + 1)) for k in range(parts)]
    for owner, colour in zip(range(owners), COLOURS, strict=False):
        first, middle, last = home * owner, home * owner + home // 2, home * (owner + 1)
        shapes += [shape(colour, 160, 270, first, middle), shape(colour, 160, 270, middle, last)]
        shapes.append(shape(colour, 270, 380, first, last))
    shapes += [shape(LAND, 380, 480, third * k, third * (k + 1)) for k in range(parts)]
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 800">\n{chr(10).join(shapes)}\n</svg>\n'


def fills(owners: int = 6) -> list[str]:
    """The flags that assign meanings to the colours: seas, land, and homes of new owners `one`, `two` …"""
    names = ("one", "two", "three", "four", "five", "six", "seven", "eight")[:owners]
    homes = [f"{colour}=home.{name}" for colour, name in zip(COLOURS, names, strict=False)]
    return [part for fill in (f"{SEA}=sea", f"{LAND}=terrain.land", *homes) for part in ("--fill", fill)]
