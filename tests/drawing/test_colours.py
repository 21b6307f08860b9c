"""Colours of owners: told apart by people who see no red, no green or no blue, and never taken twice."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from proofs import proofs_but

from rulespec.drawing.board import board_of
from rulespec.drawing.colours import OWNERS, SEATS, ground, parts
from rulespec.drawing.style import style_of
from rulespec.load import load_ruleset

# Machado, Oliveira and Fernandes (2009), severity 1, on linear light: no red, no green, no blue cones.
BLIND = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
PIECES, GROUNDS = 10.0, 4.0
"""Least distances in CIE L*a*b*, of colours and of their tints under names: 2.3 is what can just be seen."""


def seen(name: str, eyes: str) -> tuple[float, float, float]:
    """A colour as such eyes see it, in L*a*b*."""
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (p / 255 for p in parts(name))]
    r, g, b = (min(max(sum(w * c for w, c in zip(row, light, strict=True)), 0), 1) for row in BLIND[eyes])
    white = ((0.4124, 0.3576, 0.1805, 0.9505), (0.2126, 0.7152, 0.0722, 1), (0.0193, 0.1192, 0.9505, 1.089))
    x, y, z = ((u * r + v * g + w * b) / n for u, v, w, n in white)
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(one: str, other: str, eyes: str) -> float:
    pairs = zip(seen(one, eyes), seen(other, eyes), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


@pytest.mark.parametrize(
    "ref", proofs_but(["imperial", "imperial_2030", "imperial_asia", "tetrarchia", "shadow_of_the_emperor"], "imperial")
)
def test_owners_can_be_told_apart(ref: str) -> None:
    style = board_of(load_ruleset(ref), ()).sheet.style
    kinds = {"nation", "emperor", "area", "player"} & style.looks.keys()
    assert kinds
    for kind in kinds:
        colours = [look.colour for look in style.looks[kind].values()]
        assert len(set(colours)) == len(colours), kind
        for (one, other), eyes in product(combinations(colours, 2), BLIND):
            assert distance(one, other, eyes) >= PIECES, (kind, one, other, eyes)
            assert distance(ground(one), ground(other), eyes) >= GROUNDS, (kind, one, other, eyes)


@pytest.mark.proof  # 0.4 s
def test_seats_can_be_told_from_owners() -> None:
    assert len(SEATS) >= 8
    for (one, other), eyes in product(combinations((*SEATS, *OWNERS), 2), BLIND):
        assert one in OWNERS or distance(one, other, eyes) >= PIECES, (one, other, eyes)
    looks = board_of(load_ruleset("imperial"), ()).sheet.style.looks
    assert {look.colour for look in looks["player"].values()} <= {*SEATS}
    assert {look.colour for look in looks["nation"].values()} <= {*OWNERS}


def test_what_is_seen_as_one_colour_has_no_distance() -> None:
    assert distance("blue", "blue", "protanopia") == 0
    assert distance("#40a040", "#a08040", "deuteranopia") < distance("#40a040", "#a08040", "tritanopia")


def test_colours_without_one_of_their_own_are_not_taken_ones() -> None:
    d = load_ruleset("tetrarchia").declarations
    names = [entity.name for entity in d.kinds["area"].entities]
    own = {names[2]: {"colour": OWNERS[0]}, names[4]: {"colour": OWNERS[1]}}
    colours = [look.colour for look in style_of(d, {"entities": {"area": own}}).looks["area"].values()]
    assert colours == [OWNERS[2], OWNERS[3], OWNERS[0], OWNERS[4], OWNERS[1], OWNERS[5], OWNERS[6]]
