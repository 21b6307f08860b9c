"""Layout of a map: regions with their areas, names and pieces, lines between areas, and spots outside regions."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from math import hypot

import msgspec
from msgspec import Struct, field

from rulespec import cache
from rulespec.diagnostics.report import failure
from rulespec.drawing import svg
from rulespec.drawing.areas import Areas, areas
from rulespec.drawing.bridges import Bridge, Pair, bridges, crossings
from rulespec.drawing.colours import INK, WATERS
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.map_links import Across, Arrow, Link, across_of, arrows_of, links_of, pairs_of
from rulespec.drawing.outlines import Frame, centre_of, holds, net, square
from rulespec.drawing.place_looks import Side, badge, badge_room, lettering_of, moved, shift, side_of
from rulespec.drawing.placing import LabelBlock, Raster, Spot, place
from rulespec.drawing.plan import Plan, Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.seams import Seam, seams_of, stubs_of
from rulespec.drawing.stands import Stand, stands
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import READABLE, WATER, shortened

WIDTH = 1000
MAX_LINKS = 10_000
_CROWDED = 80  # number of regions above which a map is larger
_LEAST, _MOST = 0.55, 0.95  # height of a map relative to its width
_MARGIN = 0.07
_SPOT, _ROOMY = 8.0, (96.0, 34.0)
"""Half the width and height of plain spots, and of spots with a name and pieces."""
SHORT = 6.0
"""Half the length of a line across a border crowded by names."""
_END = 3.0
"""Clearance between the end of a line and names."""
_STAND_IN = 0.025
"""Half the side of the square for a missing outline, relative to the frame's shorter side."""


class Ground(Struct, frozen=True):
    """The geometry of a map: positions of regions, links, areas, and `bridges`, the lines between areas that do not
    touch.

    `stands`: the positions of pieces in each region of a map with areas.
    `arrows`: triangles over borders that point to regions named by facts.
    `traces`: path data of the drawn lines, for reuse in the next picture of the same map.
    """

    size: Point
    positions: list[Point]
    links: list[Link]
    areas: Areas
    blocks: list[LabelBlock]
    bridges: dict[Pair, Bridge]
    seams: list[Seam]
    stands: list[tuple[Stand, ...]] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    traces: dict[tuple[str, int, Point], str] = field(default_factory=dict)


class GroundInputs(Struct, frozen=True):
    """Everything that the layout of a map depends on.

    Attributes:
        board: the style of the map.
        points: the positions of its regions, in units of the board.
        links: its links.
        titles: the titles of its regions.
        labels: their labels on the map.
        badges: the width of the badges beside each label.
        sides: the terrain and the owner of each region.
        across: facts that name a region of the map, each with pairs of a region that has it and the region it names.
        guests: the boards nested in the map.
    """

    board: BoardStyle
    points: list[Point]
    links: list[Link]
    titles: tuple[str, ...]
    labels: tuple[str, ...]
    badges: list[float]
    sides: list[Side]
    across: list[Across]
    guests: list[BoardStyle]


def ground(sheet: Sheet, board: BoardStyle) -> Ground:
    """The layout of a map on the sheet, taken from the cache if possible."""
    inputs = ground_inputs(sheet, board)
    key = cache.key("ground", msgspec.json.encode(inputs).decode(), rooms=("drawing",))
    if (known := cache.read(key, _decoder())) is not None:
        return known
    result = laid_out_ground(inputs)
    cache.write(key, msgspec.msgpack.encode(result, enc_hook=tuple))
    return result


@functools.cache
def _decoder() -> msgspec.msgpack.Decoder[Ground]:
    return msgspec.msgpack.Decoder(Ground, dec_hook=lambda type_, value: type_(value))  # boxes


def ground_inputs(sheet: Sheet, board: BoardStyle) -> GroundInputs:
    """The inputs of the layout of a map.

    Raises:
        DiagnosticsError: RS557 if it has too many links.
    """
    numbers = range(len(sheet.names(board.kind)))
    links = links_of(sheet, board)
    pairs = pairs_of(board, links)
    if len(pairs) > MAX_LINKS:
        message = f"a map with {len(pairs):,} links is too large for a picture: the limit is {MAX_LINKS:,}"
        help_ = "hide kinds of links in drawing.yaml: `links: {road: {hidden: true}}`"
        raise failure("RS557", message, None, help=help_)
    at = dict(board.positions)
    for i, outline in board.outlines.items():
        if i not in at or not holds(outline.rings, *at[i]):
            at[i] = outline.pieces or outline.label or centre_of(outline.rings)
    if len(at) < len(numbers):
        from rulespec.drawing.graph_layout import laid_out

        at = laid_out(len(numbers), sorted(pairs | _seams(board)), at)
    return GroundInputs(
        board,
        [at[i] for i in numbers],
        links,
        sheet.titles(board.kind),
        sheet.place_titles(board),
        [badge_room(sheet, board, i) for i in numbers],
        [side_of(sheet, board, i) for i in numbers],
        list(across_of(sheet, board)),
        [each for each in sheet.style.boards.values() if each.inside == board.kind],
    )


def _seams(board: BoardStyle) -> set[tuple[int, int]]:
    return {(min(seam), max(seam)) for seam in board.seams}


def laid_out_ground(inputs: GroundInputs) -> Ground:
    """The layout of a map, computed without the cache."""
    board, points, links, labels = inputs.board, inputs.points, inputs.links, inputs.labels
    count, pairs = len(points), pairs_of(board, links)
    width = board.width or WIDTH * min(max(1.0, (count / _CROWDED) ** 0.5), 4.0)
    size, positions = _fitted(points, width) if board.frame is None else _framed(points, width, board.frame)
    if board.outlines and board.frame is not None:
        result = _outlined(board, points, board.frame, size[0] / board.frame.width)
    else:
        stubs = [stub for a, b in sorted(_seams(board)) for stub in stubs_of(a, b, positions, size)]
        result = areas(positions, sorted(pairs), *size, stubs=stubs)
    raster = Raster(result, *size, {i for i, side in enumerate(inputs.sides) if side.water})
    if board.outlines:
        positions = [raster.inside(i, position) for i, position in enumerate(positions)]
    over = list(seams_of(inputs.titles, board, positions, result, size))
    notes = [seam.box for seam in over]
    notes += [box for each in inputs.guests for box in spot_boxes(board, each, size[0]).values()]
    apart = pairs - result.touching() if board.form == "areas" else set()
    spans = crossings(apart, result.outlines) if board.outlines else {}
    if board.form == "areas":
        spots = _spots(board, inputs.sides, size)
        ends = [Box((x, y, x, y)).grown(_END) for span in spans.values() for x, y in span]
        ends += [Box((x, y, x, y)).grown(_END) for x, y in _crossed(board, links, result, positions)]
        blocks = place(raster, positions, labels, inputs.badges, size, [*notes, *ends], spots=spots)
    else:  # boxes as large as the lines between them permit
        room = (size[0] * size[1] / count) ** 0.5
        blocks = place(raster, positions, labels, inputs.badges, size, notes, tray=(min(0.4 * room, 180), 0.13 * room))
    if not board.outlines:
        spans = bridges(apart, raster, [*(box for block in blocks for box in block.boxes), *notes])
    arrows = list(arrows_of(inputs.across, result))
    taken = [*(_corners(box) for box in notes), *(points for *_, points in arrows), *_land_beside(board, size)]
    places = stands(result, blocks, taken, size) if board.form == "areas" else []
    return Ground(size, positions, links, result, blocks, spans, over, places, arrows)


def _corners(box: Box) -> list[Point]:
    left, top, right, bottom = box
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _crossed(board: BoardStyle, links: Sequence[Link], areas: Areas, positions: Sequence[Point]) -> Iterator[Point]:
    """The middle and the ends of each short line that crosses a border."""
    drawn = {
        (min(k.a, k.b), max(k.a, k.b))
        for k in links
        if k.name and (k.abreast > 1 or board.links[k.kind].dashed is not False)
    } if board.outlines else set()  # fmt: skip
    lines: dict[tuple[int, int], list[Point]] = {}
    for border in areas.borders:
        pair = (min(border.a, border.b), max(border.a, border.b))
        if pair in drawn and len(border.points) > len(lines.get(pair, ())):
            lines[pair] = border.points
    for (a, b), points in lines.items():
        (x, y), (ax, ay), (bx, by) = points[len(points) // 2], positions[a], positions[b]
        far = SHORT / max(hypot(bx - ax, by - ay), 1)
        yield from ((x + (bx - ax) * k * far, y + (by - ay) * k * far) for k in (-1, 0, 1))


def _land_beside(board: BoardStyle, size: Point) -> Iterator[list[Point]]:
    """Land that is not a region, and that covers water regions."""
    for part in board.scenery:
        if board.frame is not None and part.colour not in WATERS:
            scale = size[0] / board.frame.width
            yield from ([board.frame.placed(dot, scale) for dot in ring] for ring in part.rings)


def spot_boxes(host: BoardStyle, board: BoardStyle, width: float) -> dict[int, Box]:
    """The boxes of spots on a map of a given width; empty if the map has no frame."""
    if host.frame is None or board.form != "spots":
        return {}
    scale = width / host.frame.width
    at = {i: host.frame.placed(position, scale) for i, position in board.positions.items()}
    half, high = _ROOMY if board.roomy else (_SPOT, _SPOT)
    return {i: Box((x - half, y - high, x + half, y + high)) for i, (x, y) in at.items()}


def _framed(points: Sequence[Point], width: float, frame: Frame) -> tuple[Point, list[Point]]:
    """The size of a frame on a sheet of the given width, and the positions in it, moved off its edge."""
    scale = width / frame.width
    size = (width, frame.height * scale)
    placed = (frame.placed(point, scale) for point in points)
    return size, [(min(max(x, 1.0), size[0] - 1), min(max(y, 1.0), size[1] - 1)) for x, y in placed]


def _outlined(board: BoardStyle, points: Sequence[Point], frame: Frame, scale: float) -> Areas:
    """The areas of a board with outlines; a region without an outline gets a square at its position."""
    half = round(min(frame.width, frame.height) * _STAND_IN)
    rings = [
        board.outlines[i].rings if i in board.outlines else [square((round(x), round(y)), half)]
        for i, (x, y) in enumerate(points)
    ]
    return net(rings, [part.rings for part in board.scenery], frame, scale)


def _fitted(points: Sequence[Point], width: float) -> tuple[Point, list[Point]]:
    """The size and the positions for a sheet of the given width."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    wide, tall = max(max(xs) - min(xs), 1.0), max(max(ys) - min(ys), 1.0)
    margin = width * _MARGIN
    scale = (width - 2 * margin) / wide
    height = min(max(tall * scale + 2 * margin, width * _LEAST), width * _MOST)
    down = (height - 2 * margin) / tall
    results = [(margin + (x - min(xs)) * scale, margin + (y - min(ys)) * min(down, scale * 1.6)) for x, y in points]
    return (width, height), results


def _spots(board: BoardStyle, sides: Sequence[Side], size: Point) -> dict[int, Spot]:
    """The author's spots for names and pieces, in sheet coordinates."""
    if board.frame is None:
        return {}
    frame, scale = board.frame, size[0] / board.frame.width
    return {
        i: Spot(
            frame.placed(outline.label, scale),
            frame.placed(outline.pieces, scale) if outline.pieces is not None else None,
            outline.turned,
            lettering_of(sides[i]),
        )
        for i, outline in board.outlines.items()
        if outline.label is not None
    }


_LEAST_SPOT = 12.0


def spots_plan(sheet: Sheet, host: BoardStyle, board: BoardStyle, corner: Point, width: float) -> Plan:
    """The spots of a kind on a map of a given width, at their positions in units of the frame.

    A spot is drawn as a symbol or, if it can hold pieces, as its name with room for the pieces below.
    """
    plan = Plan((0.0, 0.0))
    for i, box in spot_boxes(host, board, width).items():
        around = moved(box, corner)
        place = sheet.place((board.kind, i), around)
        if board.roomy:
            size = max(_LEAST_SPOT, round(READABLE * width, 1))
            plan.items += _with_room(sheet, board, i, around, size)
            plan.slots[i] = Box((around[0] + 4, around[1] + size + 9, around[2] - 4, around[3] - 2))
            continue
        shown = badge(sheet, spot_look(sheet, board.kind, i), "", place.middle)
        item = svg.group([shown], place.title, data_place=place.id)
        plan.items.append(SceneItem(f"region.{sheet.names(board.kind)[i]}", "marks", item, (place,)))
        plan.slots[i] = around
    return plan


def _with_room(sheet: Sheet, board: BoardStyle, number: int, box: Box, size: float) -> Iterator[SceneItem]:
    """A spot with room for pieces below its name, which is lettered like water."""
    left, top, right, bottom = box
    place, name = sheet.place((board.kind, number), box), sheet.names(board.kind)[number]
    sides: svg.Values = {"x": left, "y": top, "width": right - left, "height": bottom - top, "rx": 6}
    area = svg.element("rect", **sides, fill="#ffffff", fill_opacity="0.45", stroke=WATER.fill, stroke_dasharray="4 3")
    yield SceneItem(f"region.{name}", "areas", svg.group([area], place.title, data_place=place.id), (place,))
    letters = svg.Letters(WATER.fill, italic=True)
    text = shortened(sheet.place_titles(board)[number], size, right - left - 4)
    written = svg.lettered(text, (left + right) / 2, top + size / 2 + 5, size, letters)
    yield SceneItem(f"name.{name}", "names", svg.group([written], data_name=place.id))


def spot_look(sheet: Sheet, kind: str, number: int) -> Look:
    """The look of an entity drawn as a spot; its symbol is a diamond by default."""
    look = sheet.look(kind, number)
    return look if look.symbol else Look(look.colour, look.letter, "diamond")


def across_marks(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[SceneItem]:
    """The marks over a map's borders, each pointing to the place that a fact names."""
    names, titles = sheet.names(board.kind), sheet.titles(board.kind)
    for fact, i, other, points in layout.arrows:
        title = f"{titles[i]}: {sheet.words.field(board.kind, fact)} {titles[other]}"
        yield SceneItem(f"across.{fact}.{names[i]}", "links", svg.group([arrow(shift(points, corner))], title))


def arrow(points: list[Point]) -> str:
    """A triangle over a border, as SVG."""
    data = svg.path(points, closed=True)
    return svg.element("path", d=data, fill=INK, stroke="#ffffff", stroke_width=2, paint_order="stroke")
