"""Boxes in a grid: the same neighbours as among all boxes."""

from __future__ import annotations

import random

import pytest

from rulespec.drawing.areas import Areas
from rulespec.drawing.box_grid import BoxGrid
from rulespec.drawing.placing import Raster, place
from rulespec.drawing.svg import Box


def boxes(seed: int, number: int) -> list[Box]:
    choose = random.Random(seed)
    corners = [(choose.uniform(-90, 900), choose.uniform(-90, 900)) for _ in range(number)]
    return [Box((x, y, x + choose.uniform(0, 200), y + choose.uniform(0, 90))) for x, y in corners]


@pytest.mark.parametrize("margin", [0.0, 6.0])
def test_near_boxes_and_blockers_are_those_of_a_plain_search(margin: float) -> None:
    rest, others, trials = boxes(1, 80), boxes(2, 20), boxes(3, 300)
    grid = BoxGrid(margin)
    grid.add([*rest, *others, rest[0]])
    grid.remove([*others, rest[0]])
    larger = [box.grown(margin) for box in rest]
    for box in trials:
        assert sorted(grid.near(box)) == sorted(other for other in larger if other.meets(box))
        blocker = grid.blocker(box, 3.0)
        assert (blocker is not None) == any(box.meets(other, 3.0) for other in larger)
        assert blocker is None or (blocker in larger and box.meets(blocker, 3.0))


@pytest.mark.parametrize("tray", [None, pytest.param((60.0, 30.0), marks=pytest.mark.proof)])  # 1.4 s
def test_crowded_blocks_are_compared_with_their_neighbours_alone(
    tray: tuple[float, float] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With twice as many regions of one size there are about twice as many comparisons, not four times."""
    counts: list[Box] = []
    meets = Box.meets

    def counted(box: Box, other: Box, gap: float = 0.0) -> bool:
        counts.append(box)
        return meets(box, other, gap)

    monkeypatch.setattr(Box, "meets", counted)
    results = []
    for rows in (6, 12):
        corners = [(40.0 * column + 20, 40.0 * row + 20) for row in range(rows) for column in range(6)]
        outlines = [[[(x, y), (x + 40, y), (x + 40, y + 40), (x, y + 40)]] for x, y in corners]
        raster = Raster(Areas(outlines, []), 300, 40 * rows + 40)
        middles = [(x + 20, y + 20) for x, y in corners]
        counts.clear()
        place(raster, middles, ["Amber Coast"] * len(corners), [0.0] * len(corners), (300, 40 * rows + 40), tray=tray)
        results.append(len(counts))
    assert results[1] < 3 * results[0]
