"""Maps: regions drawn as areas that touch along links, or as boxes with lines between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulespec.drawing import svg
from rulespec.drawing.colours import PALETTE, WATERS, colour
from rulespec.drawing.colours import ground as grounded
from rulespec.drawing.hatching import hatched
from rulespec.drawing.map_ground import SHORT, Ground, across_marks, ground
from rulespec.drawing.map_legend import legend
from rulespec.drawing.map_links import Link, dense
from rulespec.drawing.place_looks import (
    BADGE,
    BRIM,
    RANKS,
    SHALLOWS,
    VOID,
    Side,
    badge,
    badges_of,
    description_of,
    fill_of,
    moved,
    name_box,
    rank_of,
    shift,
    side_of,
)
from rulespec.drawing.placing import PIECE, LabelBlock
from rulespec.drawing.plan import LinkLines, Plan, Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.seams import SEAM_SIZE
from rulespec.drawing.stands import Stand
from rulespec.drawing.style import BoardStyle, LinkStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import WATER

_SEAM = 90.0
_ACROSS = (9.0, SHORT)  # half lengths of a line across a border; the shorter one is for borders crowded by names
_MAT = 14.0  # paper around the frame of a board with outlines, covering the ends of coast lines


def map_plan(sheet: Sheet, board: BoardStyle, corner: Point, layout: Ground | None = None) -> Plan:
    """The static items of a map.

    Args:
        sheet: the data of the picture.
        board: the style of the map.
        corner: its top left corner on the picture.
        layout: the map's layout, if it has already been computed.
    """
    layout = ground(sheet, board) if layout is None else layout
    links = link_lines(sheet, board, layout, corner)
    if board.form == "areas":
        items = [*_areas(sheet, board, layout, corner), *_borders(sheet, board, layout, corner)]
    else:
        items = list(_boxes(sheet, board, layout, corner))
    items += _lines(sheet, board, layout, corner)
    items += across_marks(sheet, board, layout, corner)
    explained, height = legend(sheet, board, layout, {item.id for item in items}, corner)
    plan = Plan((layout.size[0], layout.size[1] + height), items=[*items, *explained], piece=PIECE, links=links)
    for i, block in enumerate(layout.blocks):
        plan.items.append(_name(sheet, board, i, block, corner))
        plan.slots[i] = moved(block.tray, corner)
        if layout.stands:
            plan.stands[i] = tuple(_moved_stand(stand, corner) for stand in layout.stands[i])
        plan.outlines[i] = _outline(board, layout, i, corner)
    return plan


def _moved_stand(stand: Stand, corner: Point) -> Stand:
    """A stand, shifted to the map's place in the picture."""
    lines = (shift(line, corner) for line in stand.lines)
    return Stand(stand.size, tuple(shift(stand.spots, corner)), tuple((at, end) for at, end in lines))


def _outline(board: BoardStyle, layout: Ground, number: int, corner: Point) -> str:
    if board.form == "areas":
        key = ("area", number, corner)
        if key not in layout.traces:
            lines = layout.areas.outlines[number]
            layout.traces[key] = "".join(svg.trace(shift(line, corner), closed=True) for line in lines)
        return layout.traces[key]
    left, top, right, bottom = moved(layout.blocks[number].box, corner)
    return svg.path(
        [(left - 3, top - 2), (right + 3, top - 2), (right + 3, bottom + 2), (left - 3, bottom + 2)], closed=True
    )


def _areas(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[SceneItem]:
    """The areas of a map; with outlines: water, its shallows, land and scenery, in this order."""
    numbers = range(len(layout.positions))
    if not board.outlines:
        yield from (_area(sheet, board, layout, i, corner) for i in numbers)
        return
    frame = {"x": corner[0], "y": corner[1], "width": layout.size[0], "height": layout.size[1]}
    yield SceneItem(f"ground.{board.kind}", "ground", svg.element("rect", **frame, fill=VOID))
    water = {i for i in numbers if side_of(sheet, board, i).water}
    yield from _scenery(board, layout, corner, water=True)
    yield from (_area(sheet, board, layout, i, corner) for i in sorted(water))
    coasts = _ranked(sheet, board, layout, corner).get("coasts", "")
    lines = [svg.element("path", d=coasts, fill="none", stroke_linejoin="round", **look) for look in SHALLOWS]
    if coasts and (water or any(part.colour == "water" for part in board.scenery)):
        yield SceneItem(f"shallows.{board.kind}", "areas", "".join(lines))
    yield from _scenery(board, layout, corner, water=False)
    land = (i for i in numbers if i not in water)
    for i in sorted(land, key=lambda i: i not in board.outlines):  # squares are drawn above outlines
        yield _area(sheet, board, layout, i, corner)


def _area(sheet: Sheet, board: BoardStyle, layout: Ground, number: int, corner: Point) -> SceneItem:
    names, titles = sheet.names(board.kind), sheet.titles(board.kind)
    look, owner = fill_of(sheet, board, number)
    data = _outline(board, layout, number, corner)
    outlines = [shift(line, corner) for line in layout.areas.outlines[number]]
    parts = [svg.element("path", d=data, fill=grounded(look.colour), fill_rule="evenodd")]
    # With outlines, letters, border ranks and shallows already tell owners and water apart.
    if not (board.outlines and board.names != "none" and (owner is not None or look.colour == "water")):
        clear = name_box(sheet, board, number, layout.blocks[number], corner)
        parts.append(hatched(outlines, look.hatch, look.colour, clear))
    text = description_of(sheet, board, number, titles[number])
    tray = moved(layout.blocks[number].tray, corner)
    points = [point for line in outlines for point in line] or [(tray[0], tray[1]), (tray[2], tray[3])]
    xs, ys = zip(*points, strict=True)
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    # A small island's pieces may be beside it: the target is the nearest point of their box.
    middle = (
        min(max((tray[0] + tray[2]) / 2, left), right),
        min(max((tray[1] + tray[3]) / 2, top), bottom),
    )
    place = sheet.place((board.kind, number), Box((left, top, right, bottom)), middle, data)
    return SceneItem(f"region.{names[number]}", "areas", svg.group(parts, text, data_place=place.id), (place,))


def _scenery(board: BoardStyle, layout: Ground, corner: Point, *, water: bool) -> Iterator[SceneItem]:
    """Land or water that belongs to no region."""
    for number, part in enumerate(board.scenery, 1):
        if (part.colour in WATERS) == water:
            assert board.frame is not None
            scale = layout.size[0] / board.frame.width
            rings = [[board.frame.placed(dot, scale) for dot in ring] for ring in part.rings]
            data = "".join(svg.trace(shift(ring, corner), closed=True) for ring in rings)
            coast: svg.Values = {"stroke": "#4d6b7a", "stroke_width": 0.9} if board.form == "nodes" else {}
            shape = svg.element("path", d=data, fill=grounded(part.colour), fill_rule="evenodd", **coast)
            layer = "ground" if board.form == "nodes" else "areas"
            yield SceneItem(f"scenery.{board.kind}.{number}", layer, shape)


def _ranked(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> dict[str, str]:
    """Rank → path data of all borders of that rank."""
    linked = {(min(k.a, k.b), max(k.a, k.b)) for k in layout.links}
    sides = [side_of(sheet, board, i) for i in range(len(layout.positions))] if board.outlines else []
    beyond = [Side(part.colour in WATERS, None) for part in board.scenery]
    results: dict[str, list[str]] = {}
    for number, border in enumerate(layout.areas.borders):
        pair = (min(border.a, border.b), max(border.a, border.b))
        wall = border.b >= 0 and pair not in linked  # adjacent areas without a link
        rank = "walls" if wall else rank_of(sides, border, beyond) if sides else "borders"
        key = ("border", number, corner)
        if key not in layout.traces:
            layout.traces[key] = svg.trace(shift(border.points, corner))
        results.setdefault(rank, []).append(layout.traces[key])
    return {rank: "".join(lines) for rank, lines in results.items()}


def _borders(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[SceneItem]:
    """Borders by rank, and the frame of a board with outlines, which covers the ends of coast lines."""
    ranks = _ranked(sheet, board, layout, corner)
    for rank in (rank for rank in RANKS if rank in ranks):
        drawn = [svg.element("path", d=ranks[rank], fill="none", **look) for look in RANKS[rank]]
        title = sheet.words.word("wall") if rank == "walls" else ""
        yield SceneItem(f"{rank}.{board.kind}", "borders", svg.group(drawn, title) if len(drawn) > 1 else drawn[0])
    if board.outlines:
        (x, y), (width, height) = corner, layout.size
        lines = ((_MAT / 2, _MAT, PALETTE["paper"]), (0, 1.6, BRIM), (5, 0.8, BRIM))
        drawn = [
            svg.element(
                "rect", x=x - far, y=y - far, width=width + 2 * far, height=height + 2 * far,
                fill="none", stroke=ink, stroke_width=wide,
            )
            for far, wide, ink in lines
        ]  # fmt: skip
        yield SceneItem(f"frame.{board.kind}", "borders", "".join(drawn))


def _boxes(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[SceneItem]:
    frame = {"x": corner[0], "y": corner[1], "width": layout.size[0], "height": layout.size[1]}
    ground_ = PALETTE["water"] if board.scenery else "#eef1f3"
    yield SceneItem(f"ground.{board.kind}", "ground", svg.element("rect", **frame, fill=ground_, rx=6))
    for water in (True, False):
        yield from _scenery(board, layout, corner, water=water)
    names, titles = sheet.names(board.kind), sheet.titles(board.kind)
    for i, block in enumerate(layout.blocks):
        left, top, right, bottom = moved(block.box, corner)
        at = {"x": left - 3, "y": top - 2, "width": right - left + 6, "height": bottom - top + 4, "rx": 5}
        look = fill_of(sheet, board, i)[0]
        box = svg.element("rect", **at, fill=grounded(look.colour), stroke="#5b6770")
        outline = [(left - 3, top), (right + 3, top), (right + 3, bottom), (left - 3, bottom)]
        lines = hatched([outline], look.hatch, look.colour, name_box(sheet, board, i, block, corner))
        place = sheet.place((board.kind, i), Box((left - 3, top - 2, right + 3, bottom + 2)))
        text = description_of(sheet, board, i, titles[i])
        yield SceneItem(f"region.{names[i]}", "areas", svg.group([box, lines], text, data_place=place.id), (place,))


def _lines(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[SceneItem]:
    """Links without a common border, and links over a seam."""
    touching = layout.areas.touching() if board.form == "areas" else set()
    seams = {frozenset(s) for s in board.seams}
    names = sheet.names(board.kind)
    for link in layout.links:
        style = board.links[link.kind]
        pair = (min(link.a, link.b), max(link.a, link.b))
        own = link.name != "" and (style.dashed is not False or link.abreast > 1)
        if style.hidden or frozenset(pair) in seams or (pair in touching and not own):
            continue
        ends = _ends(layout, board, link)
        if pair in touching:  # a line across the border shows the kind of the link
            ends = _middle_of(layout, pair, ends)
        ends = link.beside(ends)
        line = _line(shift(ends, corner), style, link.dashed)
        if pair in layout.bridges:
            line += "".join(_dot(end, style) for end in shift(ends, corner))
        arrow = "" if link.both else _arrow(shift(ends, corner), style)
        ends_ = {"one": sheet.titles(board.kind)[link.a], "other": sheet.titles(board.kind)[link.b]}
        title = sheet.words.word("link", link=sheet.words.kind(link.kind), **ends_)
        layer = "links" if board.form == "areas" else "ground"
        item = f"link.{link.kind}.{names[link.a]}.{names[link.b]}" + (f".{link.name}" if link.row else "")
        yield SceneItem(item, layer, svg.group([line, arrow], title))
    for seam in layout.seams:
        one, other = sheet.titles(board.kind)[seam.region], sheet.titles(board.kind)[seam.other]
        x, y = shift([seam.middle], corner)[0]
        turned = (seam.turned, x, y) if seam.turned else None
        shown = svg.lettered(seam.text, x, y, SEAM_SIZE, svg.Letters(WATER.fill, turned=turned))
        title = sheet.words.word("seam", one=one, other=other)
        if not seam.turned:
            near = (seam.end[0] + (_SEAM if seam.end[0] == 0 else -_SEAM), seam.end[1])  # level with its text
            points = shift([layout.positions[seam.region], near, seam.end], corner)
            line = _line(points, LinkStyle("blue"), True)
            yield SceneItem(f"seam.{names[seam.region]}.{names[seam.other]}", "links", svg.group([line], title))
        yield SceneItem(f"seam_name.{names[seam.region]}.{names[seam.other]}", "names", svg.group([shown], title))


def link_lines(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> dict[str, LinkLines]:
    """The lines of the links whose state is drawn, by kind."""
    results: dict[str, LinkLines] = {}
    touching = layout.areas.touching() if board.form == "areas" else set()
    layer = "links" if board.form == "areas" else "ground"
    for link in layout.links:
        name, pair = board.links[link.kind].state, (min(link.a, link.b), max(link.a, link.b))
        if not link.name or name not in sheet.d.kinds[link.kind].state or sheet.words.internal(link.kind, name):
            continue
        ends = _ends(layout, board, link)
        line = link.beside(_middle_of(layout, pair, ends) if pair in touching else ends)
        one, other = (sheet.titles(board.kind)[n] for n in (link.a, link.b))
        number = sheet.known.number(link.kind, link.name)
        if link.abreast > 1:
            other += f" ({sheet.titles(link.kind)[number]})"
        title = f"{one} \N{EN DASH} {other}: {sheet.words.field(link.kind, name)}"
        lines = results.setdefault(link.kind, LinkLines(name, layer, {}))
        lines.lines[number] = svg.path(shift(line, corner)), title
    return results


def _ends(layout: Ground, board: BoardStyle, link: Link) -> list[Point]:
    if board.form == "areas":
        pair = (min(link.a, link.b), max(link.a, link.b))
        ends = list(layout.bridges.get(pair, (layout.positions[pair[0]], layout.positions[pair[1]])))
        return ends if pair[0] == link.a else ends[::-1]
    boxes = [layout.blocks[n].box for n in (link.a, link.b)]
    return [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in boxes]


def _middle_of(layout: Ground, pair: tuple[int, int], ends: list[Point]) -> list[Point]:
    """A short line across the longest border of two regions, near its middle, clear of names if possible."""
    lines = [b.points for b in layout.areas.borders if (min(b.a, b.b), max(b.a, b.b)) == pair]
    points = dense(max(lines, key=len))
    (ax, ay), (bx, by) = ends
    length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1)
    dx, dy = (bx - ax) / length, (by - ay) / length
    names = [*layout.blocks[pair[0]].boxes, *layout.blocks[pair[1]].boxes]
    names += [box for block in layout.blocks for box in block.boxes[:1]]

    def line(at: Point, far: float) -> list[Point]:
        return [(at[0] - dx * far, at[1] - dy * far), at, (at[0] + dx * far, at[1] + dy * far)]

    half = len(points) // 2
    from_middle = [points[i] for i in sorted(range(len(points)), key=lambda i: abs(i - half))]
    tried = (line(at, far) for far in _ACROSS for at in from_middle)
    clear = (each for each in tried if not any(box.holds(Box((*at, *at))) for box in names for at in each))
    first, _, last = next(clear, line(from_middle[0], _ACROSS[0]))
    return [first, last]


def _line(points: Sequence[Point], style: LinkStyle, dashed: bool) -> str:
    look: svg.Values = {"stroke": colour(style.colour), "stroke_width": 2.4, "fill": "none", "stroke_linecap": "round"}
    under = svg.element("path", d=svg.path(points), stroke="#ffffff", stroke_width=4.4, fill="none", opacity=0.8)
    return under + svg.element("path", d=svg.path(points), **look, stroke_dasharray="5 5" if dashed else None)


def _dot(at: Point, style: LinkStyle) -> str:
    """A dot that marks the end of a line inside an area."""
    dot: svg.Values = {"fill": colour(style.colour), "stroke": "#ffffff", "stroke_width": 1}
    return svg.element("circle", cx=at[0], cy=at[1], r=4, **dot)


def _arrow(points: Sequence[Point], style: LinkStyle) -> str:
    (ax, ay), (bx, by) = points
    length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1)
    dx, dy = (bx - ax) / length, (by - ay) / length
    mx, my = (ax + bx) / 2, (ay + by) / 2
    head = [(mx + dx * 8, my + dy * 8), (mx - dy * 5, my + dx * 5), (mx + dy * 5, my - dx * 5)]
    return svg.element("path", d=svg.path(head, closed=True), fill=colour(style.colour))


def _name(sheet: Sheet, board: BoardStyle, number: int, block: LabelBlock, corner: Point) -> SceneItem:
    badges = badges_of(sheet, board, number)
    room, how = BADGE * len(badges), block.lettering
    left, top, right, bottom = moved(block.box, corner)
    ((x, y),) = shift([block.at[0]], corner)
    turned = (block.turned, (left + right) / 2, (top + bottom) / 2) if block.turned else None
    letters = svg.Letters(how.fill, how.bold, how.italic, how.spacing * block.size, turned)
    parts = [
        svg.lettered(line, at[0] + corner[0] + room / 2, at[1] + corner[1], block.size, letters)
        for line, at in zip(block.lines, block.at, strict=True)
    ]
    widest = max((how.width(line, block.size) for line in block.lines), default=0)
    first = x - (widest + room) / 2
    shown = "".join(
        badge(sheet, look, letter, (first + BADGE * (k + 0.5) - 1, y)) for k, (look, letter) in enumerate(badges)
    )
    if shown and turned is not None:
        shown = svg.group([shown], transform=svg.rotation(turned))
    shown = svg.group([*parts, shown], data_name=sheet.place_id((board.kind, number)))
    return SceneItem(f"name.{sheet.names(board.kind)[number]}", "names", shown)
