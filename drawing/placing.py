"""Placement of names and pieces on areas: texts do not overlap, and stay inside their area if they fit there.

Each region gets a block: its name in one to three lines, and a tray for pieces below or beside the name. Candidate
positions are tried on a raster of the areas, smallest area first, and once more after all other blocks are placed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import cos, hypot, radians, sin

from msgspec import Struct

from rulespec.drawing.areas import Areas, spans
from rulespec.drawing.box_grid import BoxGrid
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import LINE, PLAIN, Lettering, text_width, wrapped

STEP = 4
"""The side of a raster cell."""
PIECE = 22.0
"""The size of a piece on a map."""
_NOWHERE, _BEYOND = -1, -2
"""The numbers of ground that belongs to no region: on the map, and beyond its edge."""
_GAP = 3.0
_TRAY = (66.0, 22.0)
"""The initial size of a tray."""
_SIZES = PLAIN.sizes
_BOX = 6.0
"""The gap between boxes, each drawn slightly larger than its block."""
_BOXED = (12.0, 11.0, 9.0)
"""The font sizes of names in boxes."""
_NEAR = (0.0, -0.15, 0.15, -0.3, 0.3, -0.45, 0.45, -0.6, 0.6)
_AROUND = sorted(((right, down) for right in _NEAR for down in _NEAR), key=lambda at: hypot(3 * at[0], at[1]))
"""Offsets of a name from its spot, relative to its width and its height, nearest first."""
_FITS, _ENOUGH, _FAR = 0.92, 0.3, 0.12
"""Weights for a name: the sufficient share inside its area, the least acceptable one, and the cost of distance."""
_PIECES = 8 * PIECE * PIECE
"""The area needed for a region's pieces beside its name; with less, the name is better placed on nearby water."""
_TRIES = 160
_ALL_TRIES = 12_000
"""The maximum number of candidates for the centre of a block: per region, and in total."""
_RINGS, _RING = 30, 8.0
"""The number and the distance of the rings around its position on which a block is tried."""
_WANTED = (96.0, 56.0)
_TRAYS = ((110, 44), (88, 44), (66, 44), (44, 66), (88, 22), (44, 44), (66, 22), (22, 66), (44, 22), (22, 44), (22, 22))
"""The sizes of trays at a spot declared for pieces, most capacious first."""


class LabelBlock(Struct, frozen=True):
    """A label block: lines of text with sizes and centres, a tray for pieces, and the bounding `boxes` of both.

    `turned` is the rotation in degrees, clockwise around the middle of `box`; the lines are stored unrotated.
    """

    lines: tuple[str, ...]
    size: float
    at: tuple[Point, ...]
    box: Box
    tray: Box
    apart: bool = False
    lettering: Lettering = PLAIN
    turned: float = 0

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The boxes that the block occupies: one, or two if its tray is separate."""
        return (around(self.box, self.turned), self.tray) if self.apart else (self.box,)


class Spot(Struct, frozen=True):
    """The spot that the author chose for a region's name, its lettering, and a separate spot for pieces, if any."""

    label: Point
    pieces: Point | None = None
    turned: float = 0
    lettering: Lettering = PLAIN


class Raster:
    """A raster of the map: the region of each small square, and the occupied squares."""

    def __init__(self, areas: Areas, width: float, height: float, water: Collection[int] = ()) -> None:
        self.open = {_NOWHERE, *water}
        """Ground on which names of land regions may extend: water, and ground without a region."""
        self.columns, self.rows = int(width // STEP), int(height // STEP)
        self.owner = [[_NOWHERE] * self.columns for _ in range(self.rows)]
        self.cells: list[list[tuple[int, int]]] = [[] for _ in areas.outlines]
        for region, outlines in enumerate(areas.outlines):
            for row, inside in spans(outlines, self.rows, STEP):
                owners = self.owner[row]
                for first, last in inside:
                    start = first if first > 0 else 0
                    end = last + 1 if last + 1 < self.columns else self.columns
                    owners[start:end] = [region] * (end - start)
        for row, owners in enumerate(self.owner):
            for column, region in enumerate(owners):
                if region >= 0:
                    self.cells[region].append((column, row))

    def share(self, region: int, box: Box, turned: float = 0) -> float:
        """The share of a rotated box that is inside a region, by sampling."""
        return self._owners(box, turned).count(region) / _SAMPLES

    def open_share(self, box: Box, turned: float) -> float:
        """The share of a box that is on water or outside all areas."""
        return sum(map(self.open.__contains__, self._owners(box, turned))) / _SAMPLES

    def _owners(self, box: Box, turned: float) -> list[int]:
        """The owners of the sample points of a rotated box, in one pass: names try many boxes."""
        owner, columns, rows = self.owner, self.columns, self.rows
        return [
            owner[row][column]
            if 0 <= (column := int(x // STEP)) < columns and 0 <= (row := int(y // STEP)) < rows
            else _BEYOND
            for x, y in _sampled(box, turned)
        ]

    def inside(self, region: int, point: Point) -> Point:
        """The point itself if it is inside a region, otherwise the nearest square inside."""
        column, row = int(point[0] // STEP), int(point[1] // STEP)
        cells = self.cells[region]
        if not cells or (0 <= column < self.columns and 0 <= row < self.rows and self.owner[row][column] == region):
            return point
        near = min(cells, key=lambda cell: (cell[0] - column) ** 2 + (cell[1] - row) ** 2)
        return (near[0] + 0.5) * STEP, (near[1] + 0.5) * STEP


_SAMPLES = 15


def _sampled(box: Box, turned: float) -> Iterator[Point]:
    """Sample points of a box rotated around its centre."""
    left, top, right, bottom = box
    for i in range(5):
        x = left + (right - left) * i / 4
        for j in range(3):
            y = top + (bottom - top) * j / 2
            yield turned_point((x, y), box, turned) if turned else (x, y)


def turned_point(point: Point, box: Box, degrees: float) -> Point:
    """A point rotated around the centre of a box."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    c, s = cos(radians(degrees)), sin(radians(degrees))
    dx, dy = point[0] - x, point[1] - y
    return x + dx * c - dy * s, y + dx * s + dy * c


class TurnedBox:
    """A box rotated around its centre."""

    def __init__(self, box: Box, turned: float) -> None:
        self.box = box
        self.level = around(box, turned)
        """The axis-parallel bounding box."""
        self._turned = turned

    @cached_property
    def _corners(self) -> list[Point]:
        """The corners, in order."""
        left, top, right, bottom = self.box
        level = ((left, top), (right, top), (right, bottom), (left, bottom))
        return [turned_point(point, self.box, self._turned) for point in level]

    def meets(self, other: TurnedBox) -> bool:
        """Whether two boxes intersect, by the separating axis theorem."""
        if not self.level.meets(other.level):
            return False
        for degrees in (self._turned, self._turned + 90, other._turned, other._turned + 90):
            x, y = cos(radians(degrees)), sin(radians(degrees))
            one, two = ([px * x + py * y for px, py in each._corners] for each in (self, other))
            if max(one) <= min(two) or max(two) <= min(one):
                return False
        return True


def around(box: Box, degrees: float) -> Box:
    """The axis-parallel bounding box of a rotated box."""
    if not degrees:
        return box
    left, top, right, bottom = box
    corners = [turned_point((x, y), box, degrees) for x in (left, right) for y in (top, bottom)]
    xs, ys = zip(*corners, strict=True)
    return Box((min(xs), min(ys), max(xs), max(ys)))


class BlockForm(Struct, frozen=True):
    """A possible shape of a block: lines, font size, width and height, with the tray below or beside the name."""

    lines: tuple[str, ...]
    size: float
    text_width: float
    text_height: float
    tray: tuple[float, float]
    beside: bool

    @property
    def extent(self) -> tuple[float, float]:
        """Width and height of the block."""
        if self.beside:
            return self.text_width + 2 + self.tray[0], max(self.text_height, self.tray[1])
        return max(self.text_width, self.tray[0]), self.text_height + 1 + self.tray[1]

    def block(self, left: float, top: float) -> LabelBlock:
        """The block with its corner at a point."""
        width, height = self.extent
        line = self.size * LINE
        middle = left + (self.text_width if self.beside else width) / 2
        start = top + ((height - self.text_height) / 2 if self.beside else 0)
        at = tuple((middle, start + line * (i + 0.5)) for i in range(len(self.lines)))
        w, h = self.tray
        if self.beside:
            tray = Box((left + width - w, top + (height - h) / 2, left + width, top + (height + h) / 2))
        else:
            tray = Box((left + (width - w) / 2, top + height - h, left + (width + w) / 2, top + height))
        return LabelBlock(self.lines, self.size, at, Box((left, top, left + width, top + height)), tray)


def _forms(title: str, badges: float, tray: Point) -> list[BlockForm]:
    """The possible shapes of a block, best first.

    Args:
        title: the name.
        badges: the width of the symbols beside the name.
        tray: the requested size of the tray.
    """
    results = []
    for size in _SIZES:
        for parts in (1, 2, 3):
            lines = wrapped(title, parts)
            if lines is None:
                continue
            width = _width(lines, size, badges)
            height = size * LINE * len(lines)
            results.append(BlockForm(tuple(lines), size, width, height, tray, False))
            results.append(BlockForm(tuple(lines), size, width, height, (max(40.0, min(width, 64.0)), 20.0), False))
            if size <= 11:
                results.append(BlockForm(tuple(lines), size, width, height, (30.0, 15.0), False))
                results.append(BlockForm(tuple(lines), size, width, height, (22.0, max(15.0, min(height, 22.0))), True))
            if size <= 9:
                results.append(BlockForm(tuple(lines), size, width, height, (18.0, 12.0), False))
    return results


def _equal_forms(title: str, badges: float, tray: Point) -> list[BlockForm]:
    """The shapes of a box as high as all others, and wide enough for the tray or a name in one or two lines.

    With smaller letters the tray grows; otherwise, a long name would lower its box.
    """
    results = []
    for size in _BOXED:
        tries = [lines for parts in (1, 2) if (lines := wrapped(title, parts)) is not None]
        lines = next((each for each in tries if _width(each, size, badges) <= tray[0]), tries[-1])
        height = size * LINE * len(lines)
        room = tray[1] + LINE * (2 * _BOXED[0] - size * len(lines))
        results.append(BlockForm(tuple(lines), size, _width(lines, size, badges), height, (tray[0], room), False))
    return results


def place(
    raster: Raster,
    positions: Sequence[Point],
    titles: Sequence[str],
    badges: Sequence[float],
    size: Point,
    taken: Sequence[Box] = (),
    *,
    tray: Point | None = None,
    spots: Mapping[int, Spot] | None = None,
) -> list[LabelBlock]:
    """Places one block for each region.

    Args:
        raster: the raster of the areas.
        positions: the positions of the regions.
        titles: their names.
        badges: the width of the symbols beside each name.
        size: width and height of the frame.
        taken: boxes to keep free.
        tray: the size of each tray, which is below the two lines of a name; by default, trays are as large as possible.
        spots: the declared places of names, and of trays that are not next to their names.
    """
    spots = spots or {}
    blocks = _settled(spots, titles, badges, raster, taken, size[0])
    order = sorted(set(range(len(titles))) - set(spots), key=lambda i: len(raster.cells[i]))
    others = BoxGrid(0.0 if tray is None else _BOX)
    for boxes in (taken, *(block.boxes for block in blocks.values())):
        others.add(boxes)
    for _ in range(2):
        for i in order:
            forms = _forms(titles[i], badges[i], _TRAY) if tray is None else _equal_forms(titles[i], badges[i], tray)
            others.remove(blocks[i].boxes if i in blocks else ())
            blocks[i] = _best(i, forms, raster, positions[i], others, size)
            others.add(blocks[i].boxes)
    for i in order if tray is None else ():
        others.remove(blocks[i].boxes)
        blocks[i] = _grown(i, blocks[i], raster, others)
        others.add(blocks[i].boxes)
    return [blocks[i] for i in range(len(titles))]


def _settled(
    spots: Mapping[int, Spot],
    titles: Sequence[str],
    badges: Sequence[float],
    raster: Raster,
    taken: Sequence[Box],
    width: float,
) -> dict[int, LabelBlock]:
    """The blocks of regions with an author's spot for the name, as large as their areas permit.

    A name that would overlap another one at its spot is moved slightly.
    """
    boxes: dict[int, TurnedBox] = {}
    frame = Box((0, 0, raster.columns * STEP, raster.rows * STEP)).grown(-_GAP)
    fixed = [TurnedBox(box, 0) for box in taken]
    chosen: dict[int, tuple[tuple[str, ...], float]] = {}
    for i in sorted(spots, key=lambda i: len(raster.cells[i])):
        spot = spots[i]
        wide, high = spot.lettering.extent([titles[i]], spot.lettering.on_map(width)[0], badges[i])
        crowded = len(raster.cells[i]) * STEP * STEP < wide * high + _PIECES
        cost = _FAR / 3 if crowded else _FAR
        reach = Box((*spot.label, *spot.label)).grown(_reach(titles[i], badges[i], spot, width))
        others = [each for each in (*boxes.values(), *fixed) if each.level.meets(reach)]
        best: tuple[float, TurnedBox, tuple[str, ...], float] | None = None
        *_, least, _small, _smallest = spot.lettering.on_map(width)
        for size, lines, at in _tries(titles[i], badges[i], spot, width):
            if best is not None and best[0] > _ENOUGH and size < least:
                break
            far = cost * hypot(at[0] - spot.label[0], at[1] - spot.label[1]) / size
            if best is not None and 1 - far <= best[0]:
                continue
            box = _around_spot(at, *spot.lettering.extent(lines, size, badges[i]))
            shape = TurnedBox(box, spot.turned)
            if not frame.holds(shape.level):
                continue
            blocker = next((k for k, other in enumerate(others) if shape.meets(other)), None)
            if blocker is not None:
                others.insert(0, others.pop(blocker))  # likely to block the next candidate too
                continue
            worth = raster.share(i, box, spot.turned) - far
            if crowded and i not in raster.open:  # pieces of the region need the space
                worth = max(0.8 * (worth + far), raster.open_share(box, spot.turned)) - far
            if best is None or worth > best[0]:
                best = worth, shape, lines, size
            if worth > _FITS:
                break
        if best is None:
            size, lines = spot.lettering.on_map(width)[-1], (titles[i],)
            box = _around_spot(spot.label, *spot.lettering.extent(lines, size, badges[i]))
            best = 0, TurnedBox(box, spot.turned), lines, size
        boxes[i], chosen[i] = best[1], best[2:]
    return {i: _block(i, *chosen[i], boxes[i].box, raster, spots[i]) for i in spots}


def _reach(title: str, badges: float, spot: Spot, width: float) -> float:
    """The greatest distance of any part of a name from its spot."""
    wide, high = spot.lettering.extent([title], spot.lettering.on_map(width)[0], badges)
    return wide * (0.5 + max(_NEAR)) + 3 * high


def _tries(title: str, badges: float, spot: Spot, width: float) -> Iterator[tuple[float, tuple[str, ...], Point]]:
    """Font sizes, lines and centres to try for a name: at its spot, largest first, then near it in small letters."""
    how = spot.lettering
    wraps = [tuple(lines) for parts in (1, 2, 3) if (lines := wrapped(title, parts)) is not None]
    *large, least, small, smallest = how.on_map(width)
    for size in (*large, least):
        yield from ((size, lines, spot.label) for lines in wraps)
    for size in (least, small, smallest):
        for wrap in wraps:
            wide, high = how.extent(wrap, size, badges)
            for right, down in _AROUND:
                x, y = turned_point((right * wide, down * max(high, 2 * size)), Box((0, 0, 0, 0)), spot.turned)
                yield size, wrap, (spot.label[0] + x, spot.label[1] + y)


def _block(region: int, lines: tuple[str, ...], size: float, box: Box, raster: Raster, spot: Spot) -> LabelBlock:
    """A block with a name in its box, and a tray for pieces."""
    middle = (box[0] + box[2]) / 2
    at = tuple((middle, box[1] + size * LINE * (i + 0.5)) for i in range(len(lines)))
    taken = around(box, spot.turned)
    trays = [
        _around_spot(spot.pieces or (middle, taken[3] + 1 + height / 2), width, height) for width, height in _TRAYS
    ]
    fits = (tray for tray in trays if raster.share(region, tray) == 1 and not tray.meets(taken))
    return LabelBlock(lines, size, at, box, next(fits, trays[-1]), True, spot.lettering, spot.turned)


def _width(lines: Sequence[str], size: float, badges: float) -> float:
    return max(text_width(line, size) for line in lines) + badges


def _around_spot(spot: Point, width: float, height: float) -> Box:
    return Box((spot[0] - width / 2, spot[1] - height / 2, spot[0] + width / 2, spot[1] + height / 2))


def _best(
    region: int, forms: list[BlockForm], raster: Raster, position: Point, all_: BoxGrid, size: Point
) -> LabelBlock:
    """The cheapest block of a region: inside its area, in large letters, near the position."""
    best: tuple[float, LabelBlock] | None = None
    points = _points(raster.cells[region], position, max(min(_TRIES, _ALL_TRIES // len(raster.cells)), 4))
    others = all_.near(_reached(points, forms))
    for rank, form in enumerate(forms):
        width, height = form.extent
        base = (_SIZES[0] - form.size) * 12 + rank * 0.5 + (14 if form.tray[1] < 16 else 0)
        if best is not None and base >= best[0]:
            continue
        for x, y in points:
            near = hypot(x - position[0], y - position[1]) * 0.25
            if best is not None and base + near >= best[0]:
                continue
            left = min(max(x - width / 2, 6), size[0] - width - 6)
            top = min(max(y - height / 2, 6), size[1] - height - 6)
            box = Box((left, top, left + width, top + height))
            if others and box.meets(others[0], _GAP):
                continue
            blocker = next((k for k, other in enumerate(others) if box.meets(other, _GAP)), None)
            if blocker is not None:
                others.insert(0, others.pop(blocker))  # likely to block the next candidate too
                continue
            cost = base + near + (1 - raster.share(region, box)) * 160
            if best is None or cost < best[0]:
                best = cost, form.block(left, top)
    if best is not None:
        return best[1]
    return _anywhere(forms[-1], position, all_, size)


def _reached(points: Sequence[Point], forms: Sequence[BlockForm]) -> Box:
    """The room that a block centred at one of the points may occupy."""
    width, height = (max(form.extent[axis] for form in forms) + _GAP for axis in (0, 1))
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return Box((min(xs) - width, min(ys) - height, max(xs) + width, max(ys) + height))


def _anywhere(form: BlockForm, position: Point, others: BoxGrid, size: Point) -> LabelBlock:
    """The nearest free place for a block, regardless of regions."""
    width, height = form.extent
    blocker: Box | None = None  # tried first: likely to block the next candidate too
    for ring in range(_RINGS):
        for x, y in _around(position, ring * _RING):
            left = min(max(x - width / 2, 2), size[0] - width - 2)
            top = min(max(y - height / 2, 2), size[1] - height - 2)
            box = Box((left, top, left + width, top + height))
            if blocker is not None and box.meets(blocker, _GAP):
                continue
            blocker = others.blocker(box, _GAP)
            if blocker is None:
                return form.block(left, top)
    return form.block(position[0] - width / 2, position[1] - height / 2)


def _around(position: Point, far: float) -> Iterator[Point]:
    x, y = position
    if not far:
        yield position
        return
    for i in range(-4, 5):
        t = far * i / 4
        yield from ((x + t, y - far), (x + t, y + far), (x - far, y + t), (x + far, y + t))


def _points(cells: Sequence[tuple[int, int]], position: Point, tries: int) -> list[Point]:
    """Candidates for the centre of a block inside an area, nearest to the position first."""
    every = max(len(cells) // tries, 1)
    points = [((c + 0.5) * STEP, (r + 0.5) * STEP) for c, r in cells[::every]]
    points.sort(key=lambda p: hypot(p[0] - position[0], p[1] - position[1]))
    return [position, *points]


def _grown(region: int, block: LabelBlock, raster: Raster, all_: BoxGrid) -> LabelBlock:
    """The block with the largest tray that fits into its area."""
    text = Box((block.box[0], block.box[1], block.box[2], block.at[-1][1] + block.size * 0.56))
    if any(y > block.tray[1] for _, y in block.at):  # the tray is beside the name
        return block
    best, others = block, all_.near(block.box.grown(_WANTED[0] + _GAP))
    for share in (1.0, 0.8, 0.6, 0.4, 0.2):
        w = block.tray[2] - block.tray[0] + share * _WANTED[0]
        for tall in (1.0, 0.7, 0.4, 0.2, 0.0):
            h = block.tray[3] - block.tray[1] + tall * _WANTED[1]
            middle = (block.tray[0] + block.tray[2]) / 2
            tray = Box((middle - w / 2, block.tray[1], middle + w / 2, block.tray[1] + h))
            if w * h <= (best.tray[2] - best.tray[0]) * (best.tray[3] - best.tray[1]):
                continue
            if raster.share(region, tray) < 1 or any(tray.meets(o, _GAP) for o in others):
                continue
            whole = Box((min(text[0], tray[0]), text[1], max(text[2], tray[2]), tray[3]))
            if not any(whole.meets(o, _GAP) for o in others):
                best = LabelBlock(block.lines, block.size, block.at, whole, tray)
    return best
