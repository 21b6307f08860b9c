"""Areas of maps: whole, without gaps, and touching where links lead."""

from __future__ import annotations

import random

import pytest

from rulespec.drawing.areas import areas
from rulespec.drawing.svg import Point


def area(line: list[Point]) -> float:
    pairs = zip(line, [*line[1:], line[0]], strict=True)
    return abs(sum(x * ny - nx * y for (x, y), (nx, ny) in pairs)) / 2


@pytest.mark.parametrize("seed", range(8))
def test_areas_fill_the_frame_without_holes(seed: int) -> None:
    choose = random.Random(seed)
    positions = [(choose.uniform(20, 780), choose.uniform(20, 580)) for _ in range(choose.randrange(2, 40))]
    links = {(a, b) for a in range(len(positions)) for b in range(a) if choose.random() < 0.08}
    result = areas(positions, links, 800, 600)
    assert all(outlines for outlines in result.outlines)
    whole = sum(area(line) for outlines in result.outlines for line in outlines)
    assert whole == pytest.approx(800 * 600, rel=0.02)  # an area that holds another is counted with it


def test_a_grid_of_positions_has_no_doubtful_corners() -> None:
    positions = [(x * 50.0, y * 50.0) for x in range(1, 8) for y in range(1, 6)]
    result = areas(positions, [], 400, 300)
    assert all(len(outlines) == 1 for outlines in result.outlines)


def test_regions_with_a_link_touch_as_far_as_a_plane_allows() -> None:
    positions = [(100.0, 100.0), (700.0, 500.0), (400.0, 300.0), (390.0, 90.0)]
    assert (0, 1) not in areas(positions, [], 800, 600).touching()
    assert (1, 3) in areas(positions, [(1, 3)], 800, 600).touching()


def test_positions_on_one_spot_are_drawn_all_the_same() -> None:
    result = areas([(50.0, 50.0), (50.0, 50.0), (90.0, 90.0)], [(0, 1), (1, 2)], 100, 100)
    assert len(result.outlines) == 3


def test_one_region_fills_the_frame() -> None:
    result = areas([(5.0, 5.0)], [], 100, 50)
    assert area(result.outlines[0][0]) == 5000
