"""Positions of pieces on a map: inside their region, clear of names, marks and other pieces.

A region is represented by a mask: an integer for each row of small squares, with one bit per free square. A piece can
be centred wherever its whole square is free. Regions with too little room get smaller pieces and, as a last resort,
pieces outside, each with a line to the region.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, hypot

from msgspec import Struct

from rulespec.drawing.areas import Areas, spans
from rulespec.drawing.placing import PIECE, LabelBlock, turned_point
from rulespec.drawing.svg import Box, Point

UNIT = 2
"""The side of a mask's square."""
SIZES = (PIECE, 19.0, 16.0, 14.0)
"""The sizes of pieces; a smaller one is used only if fewer than `ENOUGH` larger ones fit."""
ENOUGH = 8
REACH = 2.0
"""The maximum length of a line from a piece outside to its region, in multiples of the piece's size."""
_SOME, _ENDS = 3, 30
"""The step between squares tried outside, and the approximate number of line ends tried."""
_OUTSIDE = 4
"""The minimum number of positions for a region's pieces, inside and outside, however small the region."""

Mask = dict[int, int]


class Stand(Struct, frozen=True):
    """Positions for pieces of one size: their centres inside the region, in the order of use.

    Attributes:
        size: the side of a piece.
        spots: centres inside the region.
        lines: centres outside the region, each with the point in the region where its line ends.
    """

    size: float
    spots: tuple[Point, ...]
    lines: tuple[tuple[Point, Point], ...] = ()

    @property
    def room(self) -> int:
        """The number of positions for pieces."""
        return len(self.spots) + len(self.lines)


def stands(
    areas: Areas, blocks: Sequence[LabelBlock], taken: Iterable[Sequence[Point]], size: Point
) -> list[tuple[Stand, ...]]:
    """The stands of each region, ordered from fewest to most pieces.

    Args:
        areas: the regions.
        blocks: their names.
        taken: outlines of other things that pieces must not cover.
        size: width and height of the frame.
    """
    rows = int(size[1] // UNIT)
    blocked: Mask = {}
    for outline in (*(_name(block) for block in blocks if block.lines != ("",)), *taken):
        _add(blocked, [outline], rows)
    regions: list[Mask] = []
    results: list[list[Stand]] = []
    for outlines, block in zip(areas.outlines, blocks, strict=True):
        region: Mask = {}
        _add(region, outlines, rows)
        regions.append({row: free for row, bits in region.items() if (free := bits & ~blocked.get(row, 0))})
        results.append(list(_inside(regions[-1], _middle(block.tray))))
    for spot, side in [(spot, stand.size) for each in results for stand in each for spot in stand.spots]:
        _take(blocked, spot, side / 2)
    for number, each in enumerate(results):
        if not each or each[-1].room < _OUTSIDE:
            results[number] = _with_lines(each, regions[number], blocked, _middle(blocks[number].tray), size)
    return [tuple(each) for each in results]


def _middle(box: Box) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _name(block: LabelBlock) -> list[Point]:
    """The outline of a name, including its tray."""
    left, top, right, bottom = block.box.grown(1)
    if not block.apart and block.at[-1][1] > block.tray[1]:  # the tray is beside the name
        right = block.tray[0]
    elif not block.apart:
        bottom = block.tray[1]
    return [
        turned_point(at, block.box, block.turned) for at in ((left, top), (right, top), (right, bottom), (left, bottom))
    ]


def _take(mask: Mask, middle: Point, half: float) -> None:
    """Marks the squares covered by a piece as taken."""
    (x, y), first = middle, max(int((middle[0] - half) // UNIT), 0)
    bits = (1 << (int((x + half) // UNIT) - first)) - 1 << first
    for row in range(max(int((y - half) // UNIT), 0), int((y + half) // UNIT)):
        mask[row] = mask.get(row, 0) | bits


def _add(mask: Mask, outlines: Sequence[Sequence[Point]], rows: int) -> None:
    """Adds the squares inside outlines."""
    for row, inside in spans(outlines, rows, UNIT):
        bits = mask.get(row, 0)
        for first, last in inside:
            start = first if first > 0 else 0
            if last >= start:
                bits |= ((1 << (last - start + 1)) - 1) << start
        if bits:
            mask[row] = bits


def _eroded(mask: Mask, side: int) -> Mask:
    """The top left squares of all free squares of a given side."""
    result: Mask = {}
    for row, bits in mask.items():
        have = 1
        while bits and have < side:
            step = min(have, side - have)
            bits &= bits >> step
            have += step
        if bits:
            result[row] = bits
    have = 1
    while have < side:
        step = min(have, side - have)
        result = {row: both for row, bits in result.items() if (both := bits & result.get(row + step, 0))}
        have += step
    return result


def _inside(region: Mask, middle: Point) -> Iterator[Stand]:
    """The stands inside a region, each with more positions than the one before."""
    most = 0
    for size in SIZES:
        side, apart = ceil((size - 1) / UNIT), ceil(size / UNIT)
        free = _eroded(region, side)
        half = side * UNIT / 2
        start = (int((middle[0] - half) // UNIT), int((middle[1] - half) // UNIT))
        results = _packed(free, apart, sorted(free, key=lambda row: abs(row - start[1])), start)
        if len(results) < ENOUGH:
            results = max(results, _packed(free, apart, sorted(free), None), key=len)
        if len(results) > most:
            most = len(results)
            yield Stand(size, tuple((column * UNIT + half, row * UNIT + half) for column, row in results))
        if most >= ENOUGH:
            return


def _packed(free: Mask, apart: int, order: Sequence[int], start: tuple[int, int] | None) -> list[tuple[int, int]]:
    """Non-overlapping squares: nearest to `start` first, or row by row from the left."""
    left = dict(free)
    results: list[tuple[int, int]] = []
    while left and len(results) < ENOUGH:
        best: tuple[float, int, int] | None = None
        for row in order:
            bits = left.get(row, 0)
            if best is not None and (start is None or abs(row - start[1]) >= best[0]):
                break
            for column in _ends(bits, start[0] if start is not None else 0):
                far = hypot(column - start[0], row - start[1]) if start is not None else 0.0
                if best is None or far < best[0]:
                    best = far, column, row
        assert best is not None
        _, column, row = best
        results.append((column, row))
        taken = (1 << (2 * apart - 1)) - 1
        shift = column - apart + 1
        taken = taken << shift if shift >= 0 else taken >> -shift
        for near in range(row - apart + 1, row + apart):
            if near in left:
                left[near] &= ~taken
                if not left[near]:
                    del left[near]
    return results


def _ends(bits: int, column: int) -> Iterator[int]:
    """The nearest set bits on both sides of a column."""
    column = max(column, 0)
    if above := bits >> column:
        yield column + (above & -above).bit_length() - 1
    if below := bits & ((1 << column) - 1):
        yield below.bit_length() - 1


def _with_lines(inside: list[Stand], region: Mask, blocked: Mask, middle: Point, size: Point) -> list[Stand]:
    """The stands of a small region; the last one adds positions as near outside as possible."""
    last = inside[-1] if inside else Stand(SIZES[-1], ())
    ends = _ends_of_lines(region, blocked) or [middle]
    side, wide = ceil(last.size / UNIT), int(size[0] // UNIT)
    x, y = (int(at // UNIT) for at in middle)
    reach = ceil((REACH + 3) * last.size / UNIT)
    rows = range(max(y - reach, 0), min(y + reach, int(size[1] // UNIT)))
    whole = ((1 << min(2 * reach, wide - max(x - reach, 0))) - 1) << max(x - reach, 0)
    free = _eroded({row: whole & ~blocked.get(row, 0) & ~region.get(row, 0) for row in rows}, side)
    half = side * UNIT / 2
    some = sum(1 << column for column in range(0, wide, _SOME))
    middles = [
        (column * UNIT + half, row * UNIT + half)
        for row, bits in free.items()
        if row % _SOME == 0
        for column in _set_bits(bits & some)
    ]
    tried = sorted((min((hypot(at[0] - end[0], at[1] - end[1]), end) for end in ends), at) for at in middles)
    lines: list[tuple[Point, Point]] = []
    for (far, end), at in tried:
        if len(last.spots) + len(lines) >= _OUTSIDE or far > (REACH + 0.5) * last.size:
            break
        apart = all(max(abs(at[0] - o[0]), abs(at[1] - o[1])) >= last.size for o, _ in lines)
        if apart and not _crosses(at, end, last, blocked, lines):
            lines.append((at, end))
    result = Stand(last.size, last.spots or ((middle,) if not lines else ()), tuple(lines))
    return [*inside[:-1], result]


def _ends_of_lines(region: Mask, blocked: Mask) -> list[Point]:
    """Line ends inside a region: points not covered by a piece, well inside if possible."""
    free = {row: bits & ~blocked.get(row, 0) for row, bits in region.items()}
    inside, half = next(((each, side / 2) for side in (4, 2) if (each := _eroded(free, side))), (free, 0.5))
    results = [
        ((column + half) * UNIT, (row + half) * UNIT) for row, bits in inside.items() for column in _set_bits(bits)
    ]
    return results[:: max(len(results) // _ENDS, 1)]


def _set_bits(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _crosses(at: Point, end: Point, stand: Stand, blocked: Mask, lines: Sequence[tuple[Point, Point]]) -> bool:
    """Whether the line from a piece outside crosses taken ground, or another piece outside."""
    steps = max(int(hypot(at[0] - end[0], at[1] - end[1]) / UNIT), 1)
    for k in range(steps + 1):
        x, y = (a + (b - a) * k / steps for a, b in zip(at, end, strict=True))
        if blocked.get(int(y // UNIT), 0) >> int(x // UNIT) & 1:
            return True
        if any(max(abs(x - o[0]), abs(y - o[1])) < stand.size / 2 for o, _ in lines):
            return True
    return False
