"""Names and pieces on areas: no text over another, each inside its area if there is room.

Each region gets a block: its name in one to three lines, and a tray for pieces under it or beside it.
Candidates are tried on a raster of the areas, the smallest area first, and once more when all others stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, cos, floor, hypot, radians, sin

from msgspec import Struct
from msgspec.structs import replace

from rulespec.drawing.areas import Areas
from rulespec.drawing.lettering import LINE, PLAIN, Lettering
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import text_width, wrapped

STEP = 4
"""The side of a cell of the raster."""
_GAP = 3.0
_TRAY = (66.0, 22.0)
"""The size of a tray before it becomes larger."""
_SIZES = PLAIN.sizes
_BOX = 6.0
"""The room between boxes: each is drawn a little larger than its block."""
_BOXED = (11.0, 9.0)
"""Sizes of names in boxes."""
_TRIES = 160
_ALL_TRIES = 12_000
_RINGS, _RING = 30, 8.0  # how far a block may be pushed away from its place
"""Candidates for the middle of a block, of each region and of all."""
_WANTED = (96.0, 56.0)
_TRAYS = ((110, 44), (88, 44), (66, 44), (44, 66), (88, 22), (44, 44), (66, 22), (22, 66), (44, 22), (22, 44), (22, 22))
"""Rooms for pieces of equal size where a spot says where they stand, those for most pieces first."""
PIECE = 22.0
"""The size of a piece on a map."""


class Block(Struct, frozen=True):
    """A name and a tray: lines of text, their size and middles, and where pieces go; `boxes` are what it takes up.

    `turned`: degrees, clockwise, around the middle of `box`; the lines are where they would be if it were level.
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
        """The boxes that nothing else may stand on: one, or two if the tray is apart from the name."""
        return (around(self.box, self.turned), self.tray) if self.apart else (self.box,)


class Spot(Struct, frozen=True):
    """Spot that the name of a region must have, and that of its pieces if they are not below it; and its letters."""

    label: Point
    pieces: Point | None = None
    turned: float = 0
    lettering: Lettering = PLAIN


class Raster:
    """Which region owns each small square of the plane, and which squares are taken."""

    def __init__(self, areas: Areas, width: float, height: float) -> None:
        self.columns, self.rows = int(width // STEP), int(height // STEP)
        self.owner = [[-1] * self.columns for _ in range(self.rows)]
        self.cells: list[list[tuple[int, int]]] = [[] for _ in areas.outlines]
        for region, outlines in enumerate(areas.outlines):
            for row, first, last in _spans(outlines, self.rows):
                start, end = max(first, 0), min(last + 1, self.columns)
                self.owner[row][start:end] = [region] * (end - start)
        for row, owners in enumerate(self.owner):
            for column, region in enumerate(owners):
                if region >= 0:
                    self.cells[region].append((column, row))

    def share(self, region: int, box: Box, turned: float = 0) -> float:
        """The share of a box, turned around its middle, that is inside a region, by a sample of its points."""
        left, top, right, bottom = box
        inside = 0
        for i in range(5):
            x = left + (right - left) * i / 4
            for j in range(3):
                y = top + (bottom - top) * j / 2
                column, row = (int(at // STEP) for at in (turned_point((x, y), box, turned) if turned else (x, y)))
                if 0 <= column < self.columns and 0 <= row < self.rows and self.owner[row][column] == region:
                    inside += 1
        return inside / 15

    def inside(self, region: int, point: Point) -> Point:
        """A point if it is inside a region, else the nearest one that is, in squares."""
        column, row = int(point[0] // STEP), int(point[1] // STEP)
        cells = self.cells[region]
        if not cells or (0 <= column < self.columns and 0 <= row < self.rows and self.owner[row][column] == region):
            return point
        near = min(cells, key=lambda cell: (cell[0] - column) ** 2 + (cell[1] - row) ** 2)
        return (near[0] + 0.5) * STEP, (near[1] + 0.5) * STEP


def turned_point(point: Point, box: Box, degrees: float) -> Point:
    """A point turned around the middle of a box."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    c, s = cos(radians(degrees)), sin(radians(degrees))
    dx, dy = point[0] - x, point[1] - y
    return x + dx * c - dy * s, y + dx * s + dy * c


def around(box: Box, degrees: float) -> Box:
    """The level box around a box that is turned."""
    if not degrees:
        return box
    left, top, right, bottom = box
    corners = [turned_point((x, y), box, degrees) for x in (left, right) for y in (top, bottom)]
    xs, ys = zip(*corners, strict=True)
    return Box((min(xs), min(ys), max(xs), max(ys)))


def _spans(outlines: Sequence[Sequence[Point]], rows: int) -> Iterator[tuple[int, int, int]]:
    """The rows of the raster that areas have: row, first column, last column."""
    crossings: dict[int, list[float]] = {}
    for line in outlines:
        for (x, y), (nx, ny) in zip(line, [*line[1:], line[0]], strict=True):
            if y == ny:
                continue
            (x, y), (nx, ny) = ((x, y), (nx, ny)) if y < ny else ((nx, ny), (x, y))
            for row in range(max(ceil(y / STEP - 0.5), 0), min(ceil(ny / STEP - 0.5), rows)):
                at = (row + 0.5) * STEP
                crossings.setdefault(row, []).append(x + (at - y) * (nx - x) / (ny - y))
    for row, result in crossings.items():
        result.sort()
        for left, right in zip(result[::2], result[1::2], strict=False):
            yield row, ceil(left / STEP - 0.5), floor(right / STEP - 0.5)


class Form(Struct, frozen=True):
    """A shape that a block may have: lines, text size, width and height, where the tray is below or beside."""

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

    def block(self, left: float, top: float) -> Block:
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
        return Block(self.lines, self.size, at, Box((left, top, left + width, top + height)), tray)


def _forms(title: str, badges: float, tray: Point) -> list[Form]:
    """The shapes of a block, the best first.

    Args:
        title: the name.
        badges: the room that symbols beside the name take.
        tray: the size of a tray that is wanted.
    """
    results = []
    for size in _SIZES:
        for parts in (1, 2, 3):
            lines = wrapped(title, parts)
            if lines is None:
                continue
            width = _width(lines, size, badges)
            height = size * LINE * len(lines)
            results.append(Form(tuple(lines), size, width, height, tray, False))
            results.append(Form(tuple(lines), size, width, height, (max(40.0, min(width, 64.0)), 20.0), False))
            if size <= 11:
                results.append(Form(tuple(lines), size, width, height, (30.0, 15.0), False))
                results.append(Form(tuple(lines), size, width, height, (22.0, max(15.0, min(height, 22.0))), True))
            if size <= 9:
                results.append(Form(tuple(lines), size, width, height, (18.0, 12.0), False))
    return results


def _equal_forms(title: str, badges: float, tray: Point) -> list[Form]:
    """The shapes of a box: as high as all others, and as wide as the tray or a name in one or two lines needs."""
    results = []
    for size in _BOXED:
        tries = [lines for parts in (1, 2) if (lines := wrapped(title, parts)) is not None]
        lines = next((each for each in tries if _width(each, size, badges) <= tray[0]), tries[-1])
        height = size * LINE * len(lines)
        room = tray[1] + size * LINE * (2 - len(lines))
        results.append(Form(tuple(lines), size, _width(lines, size, badges), height, (tray[0], room), False))
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
) -> list[Block]:
    """A block for each region.

    Args:
        raster: which area is where.
        positions: of the regions.
        titles: their names.
        badges: the room beside each name that symbols take.
        size: width and height of the frame.
        taken: boxes that are kept free.
        tray: the size of each tray, below two lines of a name; left out, trays become as large as there is room.
        spots: where names, and trays if they are not below them, must stand.
    """
    spots = spots or {}
    blocks: dict[int, Block] = {i: _settled(i, titles[i], badges[i], raster, spot) for i, spot in spots.items()}
    for i in spots:
        blocks[i] = _wider(i, blocks, raster)
    order = sorted(set(range(len(titles))) - set(spots), key=lambda i: len(raster.cells[i]))
    for _ in range(2):
        for i in order:
            others = [box for k, b in blocks.items() if k != i for box in b.boxes] + list(taken)
            forms = _forms(titles[i], badges[i], _TRAY) if tray is None else _equal_forms(titles[i], badges[i], tray)
            others = others if tray is None else [box.grown(_BOX) for box in others]
            blocks[i] = _best(i, forms, raster, positions[i], others, size)
    grown: dict[int, Block] = {}
    for i in order if tray is None else ():
        others = [box for k, b in (blocks | grown).items() if k != i for box in b.boxes] + list(taken)
        grown[i] = _grown(i, blocks[i], raster, others)
    return [(blocks | grown)[i] for i in range(len(titles))]


def _settled(region: int, title: str, badges: float, raster: Raster, spot: Spot) -> Block:
    """The block of a region whose author says where its name stands: as large as its area has room."""
    how, label = spot.lettering, spot.label
    tries = [(size, lines) for size in how.sizes for parts in (1, 2, 3) if (lines := wrapped(title, parts)) is not None]
    boxes = [_around_spot(label, *how.extent(lines, size, badges)) for size, lines in tries]
    shares = (raster.share(region, box, spot.turned) for box in boxes)
    best = next((i for i, share in enumerate(shares) if share == 1), len(tries) - 1)
    (size, lines), box = tries[best], boxes[best]
    at = tuple((label[0], box[1] + size * LINE * (i + 0.5)) for i in range(len(lines)))
    taken = around(box, spot.turned)
    trays = [
        _around_spot(spot.pieces or (label[0], taken[3] + 1 + height / 2), width, height) for width, height in _TRAYS
    ]
    fits = (tray for tray in trays if raster.share(region, tray) == 1 and not tray.meets(taken))
    tray = next(fits, trays[-1])
    return Block(tuple(lines), size, at, box, tray, True, how, spot.turned)


def _wider(region: int, blocks: Mapping[int, Block], raster: Raster) -> Block:
    """The block of a region with room for two pieces, partly beyond its borders if nothing else is there."""
    block = blocks[region]
    if block.tray[2] - block.tray[0] > PIECE or block.tray[3] - block.tray[1] > PIECE:
        return block
    middle = ((block.tray[0] + block.tray[2]) / 2, (block.tray[1] + block.tray[3]) / 2)
    trays = [_around_spot(middle, *extent) for extent in ((2 * PIECE, PIECE), (PIECE, 2 * PIECE))]
    names = [around(other.box, other.turned) for other in blocks.values()]
    others = [*names, *(other.tray for i, other in blocks.items() if i != region)]
    free = [tray for tray in trays if not any(tray.meets(other) for other in others)]
    best = max(free, key=lambda tray: raster.share(region, tray), default=None)
    return block if best is None or raster.share(region, best) < 0.5 else replace(block, tray=best)


def _width(lines: Sequence[str], size: float, badges: float) -> float:
    return max(text_width(line, size) for line in lines) + badges


def _around_spot(spot: Point, width: float, height: float) -> Box:
    return Box((spot[0] - width / 2, spot[1] - height / 2, spot[0] + width / 2, spot[1] + height / 2))


def _best(region: int, forms: list[Form], raster: Raster, position: Point, others: list[Box], size: Point) -> Block:
    """The block of a region that costs least: not outside its area, large letters, near the position."""
    best: tuple[float, Block] | None = None
    everywhere = others
    points = _points(raster.cells[region], position, max(min(_TRIES, _ALL_TRIES // len(raster.cells)), 4))
    others = _near(points, forms, others)
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
            if any(box.meets(other, _GAP) for other in others):
                continue
            cost = base + near + (1 - raster.share(region, box)) * 160
            if best is None or cost < best[0]:
                best = cost, form.block(left, top)
    if best is not None:
        return best[1]
    return _anywhere(forms[-1], position, everywhere, size)


def _near(points: Sequence[Point], forms: Sequence[Form], others: list[Box]) -> list[Box]:
    """The boxes among some that a block around one of the points may meet."""
    width, height = (max(form.extent[axis] for form in forms) + _GAP for axis in (0, 1))
    xs, ys = [x for x, _ in points], [y for _, y in points]
    reach = Box((min(xs) - width, min(ys) - height, max(xs) + width, max(ys) + height))
    return [box for box in others if box.meets(reach)]


def _anywhere(form: Form, position: Point, others: list[Box], size: Point) -> Block:
    """The nearest free place for a block, whatever is there."""
    width, height = form.extent
    far = _RINGS * _RING
    x, y = position
    others = _near([(x - far, y - far), (x + far, y + far)], [form], others)
    blocker: Box | None = None  # tried first: it often blocks the next place, too
    for ring in range(_RINGS):
        for x, y in _around(position, ring * _RING):
            left = min(max(x - width / 2, 2), size[0] - width - 2)
            top = min(max(y - height / 2, 2), size[1] - height - 2)
            box = Box((left, top, left + width, top + height))
            if blocker is not None and box.meets(blocker, _GAP):
                continue
            blocker = next((other for other in others if box.meets(other, _GAP)), None)
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
    """Points of an area where the middle of a block may be: near the position first."""
    every = max(len(cells) // tries, 1)
    points = [((c + 0.5) * STEP, (r + 0.5) * STEP) for c, r in cells[::every]]
    points.sort(key=lambda p: hypot(p[0] - position[0], p[1] - position[1]))
    return [position, *points]


def _grown(region: int, block: Block, raster: Raster, others: list[Box]) -> Block:
    """The block with the largest tray for which its area has room."""
    text = Box((block.box[0], block.box[1], block.box[2], block.at[-1][1] + block.size * 0.56))
    if any(y > block.tray[1] for _, y in block.at):  # the tray is beside the name
        return block
    best = block
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
                best = Block(block.lines, block.size, block.at, whole, tray)
    return best
