"""A map: regions as areas that touch where links lead, or as boxes with lines between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.report import failure
from rulespec.documents.nodes import bits
from rulespec.drawing import svg
from rulespec.drawing.areas import Areas, areas
from rulespec.drawing.border_ranks import BRIM, RANKS, VOID, Side, rank_of
from rulespec.drawing.bridges import Bridge, Pair, bridges
from rulespec.drawing.colours import INK, colour, ink_on
from rulespec.drawing.colours import ground as grounded
from rulespec.drawing.hatching import hatched
from rulespec.drawing.outlines import Frame, centre_of, holds, net, square
from rulespec.drawing.placing import Block, Raster, place
from rulespec.drawing.plan import Plan, Sheet
from rulespec.drawing.scene import Item
from rulespec.drawing.style import BoardStyle, LinkStyle, Look
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import text_width

WIDTH = 1000
MAX_LINKS = 10_000
_CROWDED = 80  # more regions than these get a larger map
_LEAST, _MOST = 0.55, 0.95  # height of a map by its width
_MARGIN = 0.07
BADGE = 15.0
_SEAM = 90.0
_STAND_IN = 0.025
"""Half the side of a square in place of an outline, by the shorter side of the frame."""


class Link(Struct, frozen=True):
    """A link between two regions, of one kind; `both`: it leads back as well."""

    kind: str
    a: int
    b: int
    both: bool
    name: str = ""
    dashed: bool = False


class Ground(Struct, frozen=True):
    """Geometry of a map: positions of regions, links, areas; `bridges`: lines between areas that do not touch."""

    size: Point
    positions: list[Point]
    links: list[Link]
    areas: Areas
    blocks: list[Block]
    bridges: dict[Pair, Bridge]


def links_of(sheet: Sheet, board: BoardStyle) -> list[Link]:
    """The links of a map; those of one kind between the same regions once."""
    kind = sheet.d.kinds[board.kind]
    results = []
    for name, style in board.links.items():
        decl = sheet.d.links.get(name)
        if decl is not None:
            results += list(_named(sheet, name, style))
            continue
        fact = kind.facts.get(name)
        if fact is None:
            continue
        for a, mask in enumerate(fact.values):
            for b in bits(mask):
                back = b < len(fact.values) and fact.values[b] >> a & 1 == 1
                if a < b or not back:
                    results.append(Link(name, a, b, back, dashed=style.dashed is True))
    return results


def _named(sheet: Sheet, name: str, style: LinkStyle) -> Iterator[Link]:
    """Links that are entities of a kind."""
    decl, kind = sheet.d.links[name], sheet.d.kinds[name]
    fact = kind.facts.get(style.dashed) if isinstance(style.dashed, str) else None
    for number, entity in enumerate(kind.entities):
        bit = 1 << number
        a = next((i for i, mask in enumerate(decl.out.values) if mask & bit), -1)
        b = next((i for i, mask in enumerate(decl.into.values) if mask & bit), -1)
        dashed = style.dashed is True or (fact is not None and number < len(fact.values) and fact.values[number] == 1)
        if a >= 0 and b >= 0:
            yield Link(name, a, b, decl.two_way, entity.name, dashed)


def ground(sheet: Sheet, board: BoardStyle) -> Ground:
    """Lays out a map on the sheet."""
    count = len(sheet.names(board.kind))
    links = links_of(sheet, board)
    pairs = {(min(k.a, k.b), max(k.a, k.b)) for k in links if not board.links[k.kind].hidden}
    if len(pairs) > MAX_LINKS:
        message = f"a map with {len(pairs):,} links is too large for a picture: it has {MAX_LINKS:,} at most"
        help_ = "hide kinds of links in drawing.yaml: `links: {road: {hidden: true}}`"
        raise failure("RS557", message, None, help=help_)
    inputs = dict(board.positions)
    for i, outline in board.outlines.items():
        if i not in inputs or not holds(outline.rings, *inputs[i]):
            inputs[i] = outline.pieces or outline.label or centre_of(outline.rings)
    if len(inputs) < count:
        from rulespec.drawing.layout import laid_out

        inputs = laid_out(count, sorted(pairs), inputs)
    points = [inputs[i] for i in range(count)]
    width = board.width or WIDTH * min(max(1.0, (count / _CROWDED) ** 0.5), 4.0)
    size, positions = _fitted(points, width) if board.frame is None else _framed(points, width, board.frame)
    seams = {(min(s), max(s)) for s in board.seams}
    if board.outlines and board.frame is not None:
        result = _outlined(board, points, board.frame, size[0] / board.frame.width)
    else:
        stubs = [stub for a, b in sorted(seams) for stub in _stubs(a, b, positions, size)]
        result = areas(positions, sorted(pairs - seams), *size, stubs=stubs)
    raster = Raster(result, *size)
    if board.outlines:
        positions = [raster.inside(i, position) for i, position in enumerate(positions)]
    titles = sheet.place_titles(board)
    badges = [BADGE * len(_badges(sheet, board, i)) for i in range(count)]
    notes = [_note(sheet, board, a, end)[1] for a, end, _ in _seam_ends(board, positions, size)]
    blocks = _blocks(board, raster, positions, titles, badges, size, notes)
    apart = pairs - seams - result.touching() if board.form == "areas" else ()
    spans = bridges(apart, raster, [*(box for block in blocks for box in block.boxes), *notes])
    return Ground(size, positions, links, result, blocks, spans)


def _blocks(
    board: BoardStyle,
    raster: Raster,
    positions: Sequence[Point],
    titles: Sequence[str],
    badges: Sequence[float],
    size: Point,
    notes: Sequence[Box],
) -> list[Block]:
    """Names and trays: on areas as large as they get, in boxes as large as leaves room for lines between them."""
    if board.form == "areas":
        return place(raster, positions, titles, badges, size, notes, spots=_spots(board, size))
    room = (size[0] * size[1] / len(positions)) ** 0.5
    return place(raster, positions, titles, badges, size, notes, tray=(min(0.4 * room, 180), 0.2 * room))


def _spots(board: BoardStyle, size: Point) -> dict[int, tuple[Point, Point | None]]:
    """Where names and pieces stand on the sheet, of regions whose author says it."""
    if board.frame is None:
        return {}
    frame, scale = board.frame, size[0] / board.frame.width
    return {
        i: (frame.placed(outline.label, scale), frame.placed(outline.pieces, scale) if outline.pieces else None)
        for i, outline in board.outlines.items()
        if outline.label is not None
    }


def _framed(points: Sequence[Point], width: float, frame: Frame) -> tuple[Point, list[Point]]:
    """Positions in a frame on a sheet of some width, and its size; those at an edge are moved a little."""
    scale = width / frame.width
    size = (width, frame.height * scale)
    placed = (frame.placed(point, scale) for point in points)
    return size, [(min(max(x, 1.0), size[0] - 1), min(max(y, 1.0), size[1] - 1)) for x, y in placed]


def _outlined(board: BoardStyle, points: Sequence[Point], frame: Frame, scale: float) -> Areas:
    """The areas of a board with outlines; a region without one is a square at its position."""
    half = round(min(frame.width, frame.height) * _STAND_IN)
    rings = [
        board.outlines[i].rings if i in board.outlines else [square((round(x), round(y)), half)]
        for i, (x, y) in enumerate(points)
    ]
    return net(rings, [part.rings for part in board.scenery], frame, scale)


def _fitted(points: Sequence[Point], width: float) -> tuple[Point, list[Point]]:
    """Positions on a sheet of some width, and its size."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    wide, tall = max(max(xs) - min(xs), 1.0), max(max(ys) - min(ys), 1.0)
    margin = width * _MARGIN
    scale = (width - 2 * margin) / wide
    height = min(max(tall * scale + 2 * margin, width * _LEAST), width * _MOST)
    down = (height - 2 * margin) / tall
    results = [(margin + (x - min(xs)) * scale, margin + (y - min(ys)) * min(down, scale * 1.6)) for x, y in points]
    return (width, height), results


def _stubs(a: int, b: int, positions: Sequence[Point], size: Point) -> list[tuple[int, Point]]:
    """The ends of the two halves of a link over a seam, at the edges of the sheet: at the same height."""
    left, right = (a, b) if positions[a][0] < positions[b][0] else (b, a)
    y = (positions[a][1] + positions[b][1]) / 2
    return [(left, (0.0, y)), (right, (size[0], y))]


def _seam_ends(board: BoardStyle, positions: Sequence[Point], size: Point) -> Iterator[tuple[int, Point, int]]:
    """Region, point at the frame, and the region at the other end, of each link over a seam."""
    for a, b in board.seams:
        (left, start), (right, end) = _stubs(a, b, positions, size)
        yield left, start, right
        yield right, end, left


def _note(sheet: Sheet, board: BoardStyle, other: int, end: Point) -> tuple[str, Box, str]:
    """The text at a seam that says where it goes on, its box and its anchor."""
    title = sheet.titles(board.kind)[other]
    left = end[0] == 0
    text = f"\N{LEFTWARDS ARROW} {title}" if left else f"{title} \N{RIGHTWARDS ARROW}"
    anchor = "start" if left else "end"
    return text, svg.text_box(text, end[0] + (3 if left else -3), end[1] - 7, 9, anchor=anchor), anchor


# --- items ---------------------------------------------------------------------------------------


def map_plan(sheet: Sheet, board: BoardStyle, corner: Point, layout: Ground | None = None) -> Plan:
    """The static items of a map.

    Args:
        sheet: what it is made of.
        board: how it is drawn.
        corner: its top left corner on the picture.
        layout: where everything is, if that is known.
    """
    layout = ground(sheet, board) if layout is None else layout
    plan = Plan(layout.size)
    plan.items += (
        _areas(sheet, board, layout, corner) if board.form == "areas" else _boxes(sheet, board, layout, corner)
    )
    plan.items += _lines(sheet, board, layout, corner)
    for i, block in enumerate(layout.blocks):
        plan.items.append(_name(sheet, board, i, block, corner))
        plan.slots[i] = _moved(block.tray, corner)
        plan.outlines[i] = _outline(board, layout, i, corner)
    return plan


def _outline(board: BoardStyle, layout: Ground, number: int, corner: Point) -> str:
    if board.form == "areas":
        return "".join(svg.path(_shift(line, corner), closed=True) for line in layout.areas.outlines[number])
    left, top, right, bottom = _moved(layout.blocks[number].box, corner)
    return svg.path(
        [(left - 3, top - 2), (right + 3, top - 2), (right + 3, bottom + 2), (left - 3, bottom + 2)], closed=True
    )


def _name_box(sheet: Sheet, board: BoardStyle, number: int, block: Block, corner: Point) -> Box:
    """The box of the name of a place, with the badges beside it."""
    widest = max((text_width(line, block.size) for line in block.lines), default=0)
    half, high = (widest + BADGE * len(_badges(sheet, board, number))) / 2 + 2, block.size * 0.6
    middle = block.at[0][0]
    return _moved(Box((middle - half, block.at[0][1] - high, middle + half, block.at[-1][1] + high)), corner)


def _moved(box: Box, corner: Point) -> Box:
    return Box((box[0] + corner[0], box[1] + corner[1], box[2] + corner[0], box[3] + corner[1]))


def _shift(points: Sequence[Point], corner: Point) -> list[Point]:
    return [(x + corner[0], y + corner[1]) for x, y in points]


def _fill(sheet: Sheet, board: BoardStyle, number: int) -> tuple[Look, Look | None]:
    """The look of a place, and that of its owner if it has one."""
    for rank, name in enumerate(board.fill):
        of = sheet.fact(board.kind, name, number)
        if of is not None:
            look = sheet.look(*of)
            # The last fact is what the ground is, those before it say whose it is.
            last = rank == len(board.fill) - 1
            return look, (None if last else look)
    return Look("land"), None


def _badges(sheet: Sheet, board: BoardStyle, number: int) -> list[tuple[Look, str]]:
    """The badges beside the name of a place, each with the letter on it: its owner, and symbols of facts."""
    owner = _fill(sheet, board, number)[1]
    facts = (sheet.fact(board.kind, name, number) for name in board.badges)
    results = [(sheet.look(*of), "") for of in facts if of is not None]
    return [(replace(owner, symbol="circle"), owner.letter), *results] if owner is not None else results


def _areas(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[Item]:
    if board.outlines:
        yield from _sheet(board, layout, corner)
    names, titles = sheet.names(board.kind), sheet.titles(board.kind)
    for i in sorted(range(len(names)), key=lambda i: i not in board.outlines):  # squares lie above outlines
        look = _fill(sheet, board, i)[0]
        data = _outline(board, layout, i, corner)
        shape = svg.element("path", d=data, fill=grounded(look.colour), fill_rule="evenodd")
        outlines = [_shift(line, corner) for line in layout.areas.outlines[i]]
        lines = hatched(outlines, look.hatch, look.colour, _name_box(sheet, board, i, layout.blocks[i], corner))
        yield Item(f"region.{names[i]}", "areas", svg.group([shape, lines], _description(sheet, board, i, titles[i])))
    linked = {(min(k.a, k.b), max(k.a, k.b)) for k in layout.links}
    sides = [_side(sheet, board, i) for i in range(len(names))] if board.outlines else []
    ranks: dict[str, list[str]] = {}
    for border in layout.areas.borders:
        pair = (min(border.a, border.b), max(border.a, border.b))
        wall = border.b >= 0 and pair not in linked  # they touch, but nothing leads from one to the other
        rank = "walls" if wall else rank_of(sides, border) if sides else "borders"
        ranks.setdefault(rank, []).append(svg.path(_shift(border.points, corner)))
    for rank in (rank for rank in RANKS if rank in ranks):
        drawn = [svg.element("path", d="".join(ranks[rank]), fill="none", **look) for look in RANKS[rank]]
        title = sheet.words.word("wall") if rank == "walls" else ""
        yield Item(f"{rank}.{board.kind}", "borders", svg.group(drawn, title) if len(drawn) > 1 else drawn[0])


def _sheet(board: BoardStyle, layout: Ground, corner: Point) -> Iterator[Item]:
    """The ground under areas with outlines: paper, and land and water that are no region."""
    frame = {"x": corner[0], "y": corner[1], "width": layout.size[0], "height": layout.size[1]}
    yield Item(f"ground.{board.kind}", "ground", svg.element("rect", **frame, fill=VOID, stroke=BRIM))
    for number, part in enumerate(board.scenery, 1):
        assert board.frame is not None
        scale = layout.size[0] / board.frame.width
        rings = [[board.frame.placed(dot, scale) for dot in ring] for ring in part.rings]
        data = "".join(svg.path(_shift(ring, corner), closed=True) for ring in rings)
        shape = svg.element("path", d=data, fill=grounded(part.colour), fill_rule="evenodd")
        yield Item(f"scenery.{board.kind}.{number}", "ground", shape)


def _side(sheet: Sheet, board: BoardStyle, number: int) -> Side:
    """The ground and the owner of a place, as borders ask for them."""
    of = sheet.fact(board.kind, board.fill[-1], number) if board.fill else None
    owners = [sheet.fact(board.kind, name, number) for name in board.fill[:-1]]
    return Side(of is not None and sheet.look(*of).colour == "water", next(filter(None, owners), None))


def _description(sheet: Sheet, board: BoardStyle, number: int, title: str) -> str:
    """A place in words: its title, and the facts that are seen."""
    facts = [sheet.fact(board.kind, name, number) for name in (*board.fill, *board.badges)]
    notes = [sheet.titles(of[0])[of[1]] for of in facts if of is not None]
    return f"{title}: {', '.join(dict.fromkeys(notes))}" if notes else title


def _boxes(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[Item]:
    frame = {"x": corner[0], "y": corner[1], "width": layout.size[0], "height": layout.size[1]}
    yield Item(f"ground.{board.kind}", "ground", svg.element("rect", **frame, fill="#eef1f3", rx=6))
    names, titles = sheet.names(board.kind), sheet.titles(board.kind)
    for i, block in enumerate(layout.blocks):
        left, top, right, bottom = _moved(block.box, corner)
        at = {"x": left - 3, "y": top - 2, "width": right - left + 6, "height": bottom - top + 4, "rx": 5}
        look = _fill(sheet, board, i)[0]
        box = svg.element("rect", **at, fill=grounded(look.colour), stroke="#5b6770")
        outline = [(left - 3, top), (right + 3, top), (right + 3, bottom), (left - 3, bottom)]
        lines = hatched([outline], look.hatch, look.colour, _name_box(sheet, board, i, block, corner))
        yield Item(f"region.{names[i]}", "areas", svg.group([box, lines], _description(sheet, board, i, titles[i])))


def _lines(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[Item]:
    """Links that no border shows, and those over a seam."""
    touching = layout.areas.touching() if board.form == "areas" else set()
    seams = {frozenset(s) for s in board.seams}
    names = sheet.names(board.kind)
    for link in layout.links:
        style = board.links[link.kind]
        pair = (min(link.a, link.b), max(link.a, link.b))
        own = link.name != "" and style.dashed is not False
        if style.hidden or frozenset(pair) in seams or (pair in touching and not own):
            continue
        ends = _ends(layout, board, link)
        if pair in touching:  # across the border, so that one sees of what kind it is
            ends = _middle_of(layout, pair, ends)
        line = _line(_shift(ends, corner), style, link.dashed)
        if pair in layout.bridges:
            line += "".join(_dot(end, style) for end in _shift(ends, corner))
        arrow = "" if link.both else _arrow(_shift(ends, corner), style)
        ends_ = {"one": sheet.titles(board.kind)[link.a], "other": sheet.titles(board.kind)[link.b]}
        title = sheet.words.word("link", link=sheet.words.kind(link.kind), **ends_)
        layer = "links" if board.form == "areas" else "ground"
        yield Item(f"link.{link.kind}.{names[link.a]}.{names[link.b]}", layer, svg.group([line, arrow], title))
    for region, end, other in _seam_ends(board, layout.positions, layout.size):
        text, box, anchor = _note(sheet, board, other, end)
        x = corner[0] + (box[0] if anchor == "start" else box[2])
        near = (end[0] + (_SEAM if anchor == "start" else -_SEAM), end[1])  # level where its text is
        line = _line(_shift([layout.positions[region], near, end], corner), LinkStyle("blue"), True)
        shown = svg.words(text, x, corner[1] + (box[1] + box[3]) / 2, 9, anchor=anchor, halo=True)
        title = sheet.words.word("seam", one=sheet.titles(board.kind)[region], other=sheet.titles(board.kind)[other])
        yield Item(f"seam.{names[region]}.{names[other]}", "links", svg.group([line], title))
        yield Item(f"seam_name.{names[region]}.{names[other]}", "names", shown)


def _ends(layout: Ground, board: BoardStyle, link: Link) -> list[Point]:
    if board.form == "areas":
        pair = (min(link.a, link.b), max(link.a, link.b))
        ends = list(layout.bridges.get(pair, (layout.positions[pair[0]], layout.positions[pair[1]])))
        return ends if pair[0] == link.a else ends[::-1]
    boxes = [layout.blocks[n].box for n in (link.a, link.b)]
    return [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in boxes]


def _middle_of(layout: Ground, pair: tuple[int, int], ends: list[Point]) -> list[Point]:
    """A short line across the longest border of two regions."""
    lines = [b.points for b in layout.areas.borders if (min(b.a, b.b), max(b.a, b.b)) == pair]
    points = max(lines, key=len)
    x, y = points[len(points) // 2]
    (ax, ay), (bx, by) = ends
    length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1)
    dx, dy = (bx - ax) / length * 9, (by - ay) / length * 9
    return [(x - dx, y - dy), (x + dx, y + dy)]


def _line(points: Sequence[Point], style: LinkStyle, dashed: bool) -> str:
    look: svg.Values = {"stroke": colour(style.colour), "stroke_width": 2.4, "fill": "none", "stroke_linecap": "round"}
    under = svg.element("path", d=svg.path(points), stroke="#ffffff", stroke_width=4.4, fill="none", opacity=0.8)
    return under + svg.element("path", d=svg.path(points), **look, stroke_dasharray="5 5" if dashed else None)


def _dot(at: Point, style: LinkStyle) -> str:
    """The end of a line in an area, so that one sees that it goes no farther."""
    dot: svg.Values = {"fill": colour(style.colour), "stroke": "#ffffff", "stroke_width": 1}
    return svg.element("circle", cx=at[0], cy=at[1], r=4, **dot)


def _arrow(points: Sequence[Point], style: LinkStyle) -> str:
    (ax, ay), (bx, by) = points
    length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1)
    dx, dy = (bx - ax) / length, (by - ay) / length
    mx, my = (ax + bx) / 2, (ay + by) / 2
    head = [(mx + dx * 8, my + dy * 8), (mx - dy * 5, my + dx * 5), (mx + dy * 5, my - dx * 5)]
    return svg.element("path", d=svg.path(head, closed=True), fill=colour(style.colour))


def _name(sheet: Sheet, board: BoardStyle, number: int, block: Block, corner: Point) -> Item:
    names = sheet.names(board.kind)
    badges = _badges(sheet, board, number)
    room = BADGE * len(badges)
    parts = []
    for line, (x, y) in zip(block.lines, block.at, strict=True):
        parts.append(svg.words(line, x + corner[0] + room / 2, y + corner[1], block.size, fill=INK, halo=True))
    widest = max((svg.text_box(line, 0, 0, block.size)[2] for line in block.lines), default=0)
    for k, (look, letter) in enumerate(badges):
        x, y = block.at[0][0] + room / 2 - widest - room + BADGE * (k + 0.5) - 1, block.at[0][1]
        parts.append(_badge(sheet, look, letter, (x + corner[0], y + corner[1])))
    return Item(f"name.{names[number]}", "names", "".join(parts))


def _badge(sheet: Sheet, look: Look, letter: str, at: Point) -> str:
    scale = (BADGE - 3) / 24
    where = f"translate({svg.number(at[0] - 12 * scale)} {svg.number(at[1] - 12 * scale)}) scale({scale:.3f})"
    drawn: svg.Values = {"fill": colour(look.colour), "stroke": INK, "stroke_width": 2.0}
    symbol = svg.element("path", d=sheet.style.path(look.symbol or "square"), transform=where, **drawn)
    return symbol + (svg.words(letter, *at, 8, bold=True, fill=ink_on(look.colour)) if letter else "")
