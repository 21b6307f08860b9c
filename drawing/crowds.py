"""Rooms on a map for more pieces than fit the tray of their region, so that all pieces are of one size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulespec.drawing.placing import PIECE, Block, Raster, around
from rulespec.drawing.svg import Box, Point

_GRIDS = ((2, ((2, 1), (1, 2))), (3, ((3, 1), (2, 2), (1, 3))), (4, ((2, 2),)), (6, ((3, 2), (2, 3))), (9, ((3, 3),)))
"""Numbers of piles, and the columns and rows in which so many may stand."""
_STEPS = (0.0, -0.5, 0.5, -1.0, 1.0)
"""Distances by which a room may be moved from where pieces stand, in pieces."""
_COVERED, _OUTSIDE, _SHARED, _FAR = 10.0, 1.0, 0.5, 0.1
"""Costs: of a piece that covers a name or another's place, is outside its region, shares another's room, is far."""


def rooms(raster: Raster, blocks: Sequence[Block], taken: Sequence[Box], size: Point) -> list[tuple[Box, ...]]:
    """Rooms of each region for more pieces than fit its tray, the smallest first.

    They may go beyond the borders, but not over names or where pieces of others stand, if that can be avoided.

    Args:
        raster: which area is where.
        blocks: those of the regions.
        taken: boxes of other things that should not be covered.
        size: width and height of the frame.
    """
    names = [around(block.box, block.turned) if block.apart else _text(block) for block in blocks]
    names += taken
    results: list[tuple[Box, ...]] = []
    for region, block in enumerate(blocks):
        own: list[Box] = []
        held = _held(block.tray)
        x, y = (block.tray[0] + block.tray[2]) / 2, (block.tray[1] + block.tray[3]) / 2
        reach = Box((x - 3 * PIECE, y - 3 * PIECE, x + 3 * PIECE, y + 3 * PIECE))
        covered = [box for box in names if box.meets(reach)]
        covered += [other.tray for i, other in enumerate(blocks) if i != region and other.tray.meets(reach)]
        shared = [box for boxes in results for box in boxes[-1:] if box.meets(reach)]
        for number, grids in _GRIDS:
            if number > held:
                tried = sorted(_tried((x, y), grids, size), key=lambda each: each[1])
                if tried:
                    own.append(_cheapest(tried, raster, region, covered, shared))
        results.append(tuple(own))
    return results


def _text(block: Block) -> Box:
    """The box of a name above its tray."""
    left, top, right, _ = block.box
    return Box((left, top, right, max(y for _, y in block.at) + block.size * 0.56))


def _held(box: Box) -> int:
    """The number of piles of full size that fit a box."""
    return int((box[2] - box[0] + 0.01) // PIECE) * int((box[3] - box[1] + 0.01) // PIECE)


def _tried(middle: Point, grids: Sequence[tuple[int, int]], size: Point) -> Iterator[tuple[Box, float]]:
    """Boxes around a point inside the frame, each with how far away it is, in pieces."""
    for columns, rows in grids:
        for right in _STEPS:
            for down in _STEPS:
                x, y = middle[0] + right * PIECE, middle[1] + down * PIECE
                wide, tall = columns * PIECE / 2, rows * PIECE / 2
                if wide <= x <= size[0] - wide and tall <= y <= size[1] - tall:
                    yield Box((x - wide, y - tall, x + wide, y + tall)), (right * right + down * down) ** 0.5


def _cheapest(
    tried: Sequence[tuple[Box, float]], raster: Raster, region: int, covered: Sequence[Box], shared: Sequence[Box]
) -> Box:
    best, least = tried[0][0], float("inf")
    for box, far in tried:
        cost = _FAR * far
        if cost >= least:
            break
        cost += _COVERED * sum(_overlap(box, other) for other in covered)
        if cost < least:
            cost += _SHARED * sum(_overlap(box, other) for other in shared)
            cost += _OUTSIDE * (1 - raster.share(region, box)) * _held(box)
        if cost < least:
            best, least = box, cost
    return best


def _overlap(box: Box, other: Box) -> float:
    """The common part of two boxes, in pieces."""
    wide = min(box[2], other[2]) - max(box[0], other[0])
    tall = min(box[3], other[3]) - max(box[1], other[1])
    return wide * tall / (PIECE * PIECE) if wide > 0 and tall > 0 else 0.0
