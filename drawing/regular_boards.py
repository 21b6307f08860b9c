"""Regular boards: grids, rings, rows, and scales."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import cos, pi, sin

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour, ground
from rulespec.drawing.guess import RING_LABELS
from rulespec.drawing.plan import HEAD, Plan, Sheet
from rulespec.drawing.scene import Place, SceneItem
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened, text_width, wrapped
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Maybe, Num

CELL = 64.0
_HEX = 78.0
LINE = "#5b6770"
_RIM = 22.0  # margin beside a grid for the names of its columns and rows
BORDER = 0.14
"""Half the size of a place on a side or a corner of a cell, relative to the width of the cell."""
_COLUMNS = 13
_TITLE_LINES = 2
"""The maximum number of lines of a title in a row."""
_SMALL, _NOTES = 9.0, 12.5
"""Font sizes: names in small cells, and numbers and notes readable on a page."""
_USUAL, _WIDE = 900.0, 1200.0
"""The size of a square board, without and with a caption."""
_FACT = 12.0
_BAND = 18.0
_ENDLESS = 1_000_000_000
Band = tuple[int, str, str]
"""A band of a scale: its last number, the meaning of its value, and the value."""


def cell(box: Box, fill: str, *, rx: float = 0) -> str:
    """The box of a place as SVG."""
    size = {"x": box[0], "y": box[1], "width": box[2] - box[0], "height": box[3] - box[1]}
    return svg.element("rect", **size, fill=fill, stroke=LINE, stroke_width=1, rx=rx or None)


def notes_of(sheet: Sheet, board: BoardStyle, number: int) -> list[str]:
    """The displayed facts of a place, in words; empty facts are left out."""
    results = []
    for name in board.facts:
        fact, of = sheet.d.kinds[board.kind].facts.get(name), sheet.fact(board.kind, name, number)
        title = sheet.words.field(board.kind, name)
        if of is not None:
            results.append(sheet.titles(of[0])[of[1]])
        elif fact is not None and number < len(fact.values) and _says_something(fact, fact.values[number]):
            results.append(title if isinstance(fact.type, Bool) else f"{title} {fact.values[number]}")
    return results


def _says_something(fact: typed.FactDecl, value: int) -> bool:
    """Whether a value is shown: one that is neither none nor 0."""
    return value not in (0, NO_NUMBER) if isinstance(fact.type, Num | Maybe) else value > 0


def _inner(box: Box, gap: float) -> Box:
    return Box((box[0] + gap, box[1] + gap, box[2] - gap, box[3] - gap))


def _fill(sheet: Sheet, board: BoardStyle, number: int, default: str) -> str:
    for name, tone in board.tints.items():
        if _is(sheet, board.kind, name, number):
            return ground(tone)
    return filled(sheet, board.kind, board.fill, number) or default


def filled(sheet: Sheet, kind: str, facts: Sequence[str], number: int) -> str:
    """The colour of a place, given by the first of `facts` that names an entity; "" if none does."""
    named = (sheet.fact(kind, name, number) for name in facts)
    return next((ground(sheet.look(*of).colour) for of in named if of is not None), "")


def _is(sheet: Sheet, kind: str, name: str, number: int) -> bool:
    """Whether a place's fact has something to show."""
    fact = sheet.d.kinds[kind].facts.get(name)
    return fact is not None and fact.values[number] > 0


def region(shape: str, place: Place, by_seat: str = "") -> SceneItem:
    """The item of a place; `by_seat` contains the place for each seat, if seats differ."""
    name = place.id.partition(".")[2]
    drawn = svg.group([shape], place.title, data_place=place.id, data_places=by_seat or None)
    return SceneItem(f"region.{name}", "areas", drawn, (place,))


# --- grids ---------------------------------------------------------------------------------------


def grid_plan(sheet: Sheet, board: BoardStyle, corner: Point, *, edged: bool = False) -> Plan:
    """A board of squares (alternately light and dark by default) or of hexes, with the names of rows and columns.

    With `edged`, there is room around the board for whatever stands on its outer sides and corners.
    """
    if sheet.d.boards[board.kind].form == "hexes":
        return _hexes(sheet, board, corner, edged=edged)
    spaces, names = sheet.d.boards[board.kind].spaces, sheet.names(board.kind)
    if board.transposed:
        spaces = [(y, -x) for x, y in spaces]
    left, low = min(x for x, _ in spaces), min(y for _, y in spaces)
    columns, rows = max(x for x, _ in spaces) - left + 1, max(y for _, y in spaces) - low + 1
    side = square_side(spaces, board)
    edge = BORDER * side if edged else 0.0
    first = corner[0] + _RIM + edge, corner[1] + edge
    plan = Plan((columns * side + _RIM + 2 * edge, rows * side + _RIM + 2 * edge))
    plan.boxes = dict(enumerate(squares(spaces, first, side)))
    if board.only:
        plan.boxes = {i: box for i, box in plan.boxes.items() if _is(sheet, board.kind, board.only, i)}
    for i, box in plan.boxes.items():
        shade = colour("light") if board.shape or sum(spaces[i]) % 2 else colour("sand")
        if board.shape == "crossing":
            shape = _around_crossing(box, _fill(sheet, board, i, "none"))
        else:
            shape = (_hole if board.shape == "hole" else cell)(box, _fill(sheet, board, i, shade))
        plan.items.append(region(shape, sheet.place((board.kind, i), box)))
        plan.slots[i], note = noted_slot(sheet, board, i, _inner(box, 3))
        plan.items += [SceneItem(f"facts.{names[i]}", "names", note)] if note else []
    if board.shape in ("hole", "crossing"):
        frame: svg.Values = {"x": first[0], "y": first[1], "width": columns * side, "height": rows * side}
        tone = board.colour or ("blue" if board.shape == "hole" else "wood")
        panel = svg.element("rect", **frame, fill=colour(tone), rx=6)
        plan.items.append(SceneItem(f"ground.{board.kind}", "ground", panel))
    if board.shape == "crossing":
        plan.items.append(_net_of_lines(board, spaces, plan.boxes))
    if board.names != "none":
        labels = [_labels(name) for name in names]
        labels = [(row, column) for column, row in labels] if board.transposed else labels
        named = dict(zip(spaces, labels, strict=True))
        plan.items.append(_rims(board.kind, named, (columns, rows), Net(first, side, edge + _RIM / 2)))
    return plan


def square_side(spaces: Sequence[tuple[int, int]], board: BoardStyle) -> float:
    """The side of a cell of a square board."""
    columns, rows = [x for x, _ in spaces], [y for _, y in spaces]
    most = max(max(columns) - min(columns), max(rows) - min(rows)) + 1
    return min(board.cell or CELL, max(24.0, (_WIDE if board.caption else _USUAL) / most))


def squares(spaces: Sequence[tuple[int, int]], corner: Point, side: float) -> Iterator[Box]:
    """The boxes of the cells of a square board; rows count from the bottom."""
    left, high = min(x for x, _ in spaces), max(y for _, y in spaces)
    for x, y in spaces:
        at = corner[0] + (x - left) * side, corner[1] + (high - y) * side
        yield Box((*at, at[0] + side, at[1] + side))


def noted_slot(sheet: Sheet, board: BoardStyle, number: int, slot: Box) -> tuple[Box, str]:
    """The part of a cell's slot above its facts, and the facts as SVG; the whole slot if there are no facts."""
    if not board.caption:
        return slot, ""
    facts, notes = sheet.d.kinds[board.kind].facts, []
    for name in (name for name in board.facts if name in facts and facts[name].values[number] > 0):
        value, flag = facts[name].values[number], isinstance(facts[name].type, Bool)
        notes.append(sheet.words.field(board.kind, name) if flag else str(value))
    if not notes:
        return slot, ""
    left, top, right, bottom = slot
    text = shortened(" · ".join(notes), _FACT, right - left)
    note = svg.words(text, (left + right) / 2, bottom - 6, _FACT, fill=LINE)
    grown = svg.group([note], data_room=round(right - left), data_grows="up")
    return Box((left, top, right, bottom - _FACT)), grown


def _around_crossing(box: Box, fill: str) -> str:
    """The square around a crossing, which can be pointed at."""
    size = {"x": box[0], "y": box[1], "width": box[2] - box[0], "height": box[3] - box[1]}
    return svg.element("rect", **size, fill=fill, pointer_events="all")


def _net_of_lines(board: BoardStyle, spaces: Sequence[tuple[int, int]], boxes: Mapping[int, Box]) -> SceneItem:
    """The lines from each space of a grid to the next in its row and column, and the dots on crossings."""
    at = {spaces[i]: ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for i, box in boxes.items()}
    lines = [
        svg.path([middle, at[beside]])
        for (x, y), middle in at.items()
        for beside in ((x + 1, y), (x, y + 1))
        if beside in at
    ]
    parts = [svg.element("path", d="".join(lines), fill="none", stroke=INK, stroke_width=1, stroke_linecap="square")]
    for box in (boxes[i] for i in board.dots if i in boxes):
        middle: svg.Values = {"cx": (box[0] + box[2]) / 2, "cy": (box[1] + box[3]) / 2, "r": (box[2] - box[0]) * 0.08}
        parts.append(svg.element("circle", **middle, fill=INK))
    return SceneItem(f"lines.{board.kind}", "borders", svg.group(parts, pointer_events="none"))


def _hole(box: Box, fill: str) -> str:
    """A hole in a board; its whole square reacts to the pointer."""
    size = {"x": box[0], "y": box[1], "width": box[2] - box[0], "height": box[3] - box[1]}
    middle: svg.Values = {"cx": (box[0] + box[2]) / 2, "cy": (box[1] + box[3]) / 2, "r": (box[2] - box[0]) * 0.4}
    hole = svg.element("circle", **middle, fill=fill, stroke=INK, stroke_width=0.6)
    return svg.element("rect", **size, fill="none", pointer_events="all") + hole


def _hexes(sheet: Sheet, board: BoardStyle, corner: Point, *, edged: bool) -> Plan:
    """A board of pointy-top hexes, with the first row at the top."""
    spaces = sheet.d.boards[board.kind].spaces
    wide = hex_width(spaces, board)
    edge = BORDER * wide if edged else 0.0
    shapes = list(hexagons(spaces, (corner[0] + edge, corner[1] + edge), wide))
    tall = wide * 2 / 3**0.5
    right, bottom = max(box[2] for box, _ in shapes), max(box[3] for box, _ in shapes)
    plan = Plan((right - corner[0] + edge, bottom - corner[1] + edge))
    names, shown = sheet.names(board.kind), sheet.place_titles(board)
    for i, (box, outline) in enumerate(shapes):
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        fill = _fill(sheet, board, i, colour("light"))
        shape = svg.element("path", d=outline, fill=fill, stroke=LINE, stroke_width=1)
        plan.items.append(region(shape, sheet.place((board.kind, i), box, (x, y), outline)))
        size = _FACT if board.caption else _SMALL
        text = shortened(shown[i], size, wide * 0.8)
        name = svg.words(text, x, y - tall * (0.33 if board.caption else 0.29), size, fill=LINE)
        plan.items.append(SceneItem(f"name.{names[i]}", "names", name))
        slot = Box((x - wide * 0.4, y - tall * 0.19, x + wide * 0.4, y + tall * 0.27))
        plan.slots[i], note = noted_slot(sheet, board, i, slot)
        plan.items += [SceneItem(f"facts.{names[i]}", "names", note)] if note else []
        plan.outlines[i], plan.boxes[i] = outline, box
    return plan


def hex_width(spaces: Sequence[tuple[int, int]], board: BoardStyle) -> float:
    """The width of a cell of a hex board."""
    columns, rows = [q + r / 2 for q, r in spaces], max(r for _, r in spaces) + 1
    most = max(board.cell + _HEX - CELL, _HEX) if board.cell else _HEX
    return min(most, max(30.0, 900 / max(max(columns) - min(columns) + 1, rows)))


def hexagons(spaces: Sequence[tuple[int, int]], corner: Point, wide: float) -> Iterator[tuple[Box, str]]:
    """The boxes and outlines of the cells of a pointy-top hex board."""
    tall = wide * 2 / 3**0.5
    left = min(q + r / 2 for q, r in spaces)
    sides = ((0, -0.5), (0.5, -0.25), (0.5, 0.25), (0, 0.5), (-0.5, 0.25), (-0.5, -0.25))
    for q, r in spaces:
        x, y = corner[0] + (q + r / 2 - left + 0.5) * wide, corner[1] + (r * 0.75 + 0.5) * tall
        outline = svg.path([(x + a * wide, y + b * tall) for a, b in sides], closed=True)
        yield Box((x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2)), outline


def _labels(name: str) -> tuple[str, str]:
    """The column and row names of a space whose name combines both."""
    column = name.rstrip("0123456789")
    return column.rstrip("_") or name, name[len(column) :] or name


class Net(Struct, frozen=True):
    """The top left cell of a grid: its corner, its size, and the distance of the names from the grid."""

    first: Point
    side: float
    far: float


def _rims(kind: str, labels: Mapping[tuple[int, int], tuple[str, str]], count: tuple[int, int], net: Net) -> SceneItem:
    """The names along the bottom and the left edge, taken from the spaces there."""
    left, low = min(x for x, _ in labels), min(y for _, y in labels)
    (x, y), side, parts = net.first, net.side, []
    for column in range(count[0]):
        text, _ = labels.get((left + column, low), ("", ""))
        parts.append(svg.words(text, x + (column + 0.5) * side, y + count[1] * side + net.far, 12, fill=LINE))
    for row in range(count[1]):
        _, text = labels.get((left, low + row), ("", ""))
        parts.append(svg.words(text, x - net.far, y + (count[1] - row - 0.5) * side, 12, fill=LINE))
    return SceneItem(f"rims.{kind}", "names", svg.group(parts, class_="rims"))


# --- rings ---------------------------------------------------------------------------------------


def ring_plan(sheet: Sheet, board: BoardStyle, corner: Point, width: float) -> Plan:
    """Spaces in a circle, clockwise from the top, drawn as sectors, or as boxes if there are many spaces."""
    count = len(sheet.names(board.kind))
    if count > RING_LABELS:
        return _circle(sheet, board, corner)
    titles = sheet.place_titles(board)
    outer = width / 2 - 2
    inner = outer * 0.24
    centre = corner[0] + width / 2, corner[1] + width / 2
    plan = Plan((width, width))
    for i, name in enumerate(sheet.names(board.kind)):
        first, last = (2 * pi * (i + k) / count - pi / 2 for k in (-0.5, 0.5))
        fill = _fill(sheet, board, i, colour("light") if i % 2 else colour("sand"))
        sector = _sector(centre, inner, outer, first, last)
        shape = svg.element("path", d=sector, fill=fill, stroke=LINE)
        middle = (first + last) / 2
        far = outer * 0.76
        x, y = centre[0] + cos(middle) * far, centre[1] + sin(middle) * far
        room = abs(sin(middle)) * 2 * pi * far / count * 0.86 + abs(cos(middle)) * outer * 0.46
        plan.items.append(SceneItem(f"name.{name}", "names", _stacked(titles[i], x, y, room)))
        near = outer * 0.4  # a name may reach in to 0.53
        x, y = centre[0] + cos(middle) * near, centre[1] + sin(middle) * near
        half = min(pi * near / count * 0.8, outer * 0.13)
        plan.slots[i] = Box((x - half, y - half, x + half, y + half))
        box = _around_sector(centre, inner, outer, first, last)
        plan.items.append(region(shape, sheet.place((board.kind, i), box, (x, y), sector)))
    plan.slots[-1] = Box(
        (centre[0] - inner * 0.7, centre[1] - inner * 0.7, centre[0] + inner * 0.7, centre[1] + inner * 0.7)
    )
    return plan


def _sector(centre: Point, inner: float, outer: float, first: float, last: float) -> str:
    def at(radius: float, angle: float) -> str:
        return f"{svg.number(centre[0] + cos(angle) * radius)} {svg.number(centre[1] + sin(angle) * radius)}"

    out, back = (
        f"A{outer:.1f} {outer:.1f} 0 0 1 {at(outer, last)}",
        f"A{inner:.1f} {inner:.1f} 0 0 0 {at(inner, first)}",
    )
    return f"M{at(inner, first)}L{at(outer, first)}{out}L{at(inner, last)}{back}Z"


def _around_sector(centre: Point, inner: float, outer: float, first: float, last: float) -> Box:
    """The bounding box of a sector, whose arcs are extreme at their ends or where they cross an axis."""
    crossed = [k * pi / 2 for k in range(-2, 5) if first < k * pi / 2 < last]
    points = [(r * cos(a), r * sin(a)) for a in (first, last, *crossed) for r in (inner, outer)]
    xs, ys = zip(*points, strict=True)
    return Box((centre[0] + min(xs), centre[1] + min(ys), centre[0] + max(xs), centre[1] + max(ys)))


def _stacked(text: str, x: float, y: float, width: float, most: int = 4) -> str:
    """A text in as few lines as the width permits, in the largest font that fits."""
    size, lines = _in_lines(text, width, most)
    top = y - (len(lines) - 1) * size * 0.56
    return "".join(svg.words(line, x, top + i * size * 1.12, size, fill=INK) for i, line in enumerate(lines))


def _in_lines(text: str, width: float, most: int = 4) -> tuple[float, list[str]]:
    """The font size and the lines of a text, with at most `most` lines."""
    for size in (14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0):
        for parts in range(1, most + 1):
            lines = wrapped(text, parts)
            if lines and max(text_width(line, size) for line in lines) <= width:
                return size, lines
    return 8.0, [shortened(text, 8, width)]


def _circle(sheet: Sheet, board: BoardStyle, corner: Point) -> Plan:
    """Many spaces as boxes on a circle, with their names inside the circle."""
    names, titles = sheet.names(board.kind), sheet.place_titles(board)
    count = len(names)
    box = 34.0
    radius = max(box * 1.44 * count / (2 * pi), 120)  # greater than √2, so that neighbours at 45 degrees do not meet
    size = 2 * (radius + box)
    centre = corner[0] + size / 2, corner[1] + size / 2
    plan = Plan((size, size))
    room = 2 * pi * (radius - box) / count
    for i, name in enumerate(names):
        angle = 2 * pi * i / count - pi / 2
        x, y = centre[0] + cos(angle) * radius, centre[1] + sin(angle) * radius
        place = Box((x - box / 2, y - box / 2, x + box / 2, y + box / 2))
        shape = cell(place, _fill(sheet, board, i, colour("light")), rx=9)
        plan.items.append(region(shape, sheet.place((board.kind, i), place)))
        near = radius - box * 0.95
        x, y = centre[0] + cos(angle) * near, centre[1] + sin(angle) * near
        size = _FACT if board.caption else _SMALL
        text = shortened(_brief(sheet, board.kind, i, titles[i], room), size, room)
        plan.items.append(SceneItem(f"name.{name}", "names", svg.words(text, x, y, size, fill=LINE)))
        plan.slots[i] = _inner(place, 3)
    return plan


def _brief(sheet: Sheet, kind: str, number: int, title: str, room: float) -> str:
    """The title of a space; in a guessed drawing without room for it, its number or its letter."""
    if not sheet.style.guessed or text_width(title, _FACT) <= room:
        return title
    return title.rpartition(" ")[2] if title.rpartition(" ")[2].isdigit() else sheet.look(kind, number).letter


# --- rows ----------------------------------------------------------------------------------------


def row_plan(sheet: Sheet, board: BoardStyle, corner: Point, width: float) -> Plan:
    """Boxes in as many rows as needed, each with its name above it."""
    names, titles = sheet.names(board.kind), sheet.place_titles(board)
    columns = min(len(names), board.columns or _COLUMNS)
    wide = min(width / columns, 180.0 if len(names) > 8 else 220.0)
    tall = 46.0 if wide < 100 else 58.0
    lines = max(len(_in_lines(title, wide - 6, _TITLE_LINES)[1]) for title in titles)
    head = HEAD if board.title else 0.0
    notes = [" · ".join(notes_of(sheet, board, i)) for i in range(len(names))]
    noted = 15.0 if any(notes) else 0.0
    name_height = 15.0 * lines + 3 + noted
    rows = -(-len(names) // columns)
    plan = Plan((columns * wide, head + rows * (tall + name_height + 6)))
    if board.holds:
        plan.holder, plan.held = board.kind, dict.fromkeys(board.holds, 0)
        plan.manners = dict.fromkeys(range(len(names)), "spread")
    if board.title:
        plan.items.append(SceneItem(f"head.{board.kind}", "names", heading(board.title, corner)))
    for i, name in enumerate(names):
        left = corner[0] + i % columns * wide
        top = corner[1] + head + i // columns * (tall + name_height + 6)
        box = Box((left + 1, top, left + wide - 1, top + tall + name_height))
        shape = cell(box, _fill(sheet, board, i, colour("light")), rx=4)
        plan.items.append(region(shape, sheet.place((board.kind, i), box)))
        text = _stacked(titles[i], left + wide / 2, top + (name_height - noted) / 2 + 1, wide - 6, _TITLE_LINES)
        if notes[i]:
            size = _noted(notes[i], wide - 6)
            note = shortened(notes[i], size, wide - 6)
            text += svg.words(note, left + wide / 2, top + name_height - noted / 2 - 1, size, fill=LINE)
        plan.items.append(SceneItem(f"name.{name}", "names", text))
        plan.slots[i] = Box((left + 4, top + name_height + 1, left + wide - 4, top + name_height + tall - 3))
    return plan


def _noted(text: str, room: float) -> float:
    """The font size of a note, readable on a page if it fits."""
    return _NOTES if text_width(text, _NOTES) <= room else _SMALL


def heading(text: str, corner: Point) -> str:
    """The heading of a board or table, as SVG."""
    return svg.words(text, corner[0], corner[1] + HEAD / 2 - 2, 13, bold=True, anchor="start", fill=INK)


def heading_of(text: str) -> str:
    """A text capitalised for use as a heading."""
    return text[:1].upper() + text[1:]


def bands_of(sheet: Sheet, path: str) -> list[Band]:
    """The bands of a scale, derived from the fact `kind.fact` of the spaces of a line."""
    kind, _, name = path.partition(".")
    track = next((track for track in sheet.d.tracks.values() if track.kind == kind and not track.ring), None)
    fact = sheet.d.kinds[kind].facts.get(name) if track is not None else None
    if track is None or fact is None:
        return []
    title = sheet.words.field(kind, name)
    ends = [*track.upto, *[_ENDLESS] * len(fact.values)]
    return [(end, title, str(value)) for end, value in zip(ends, fact.values, strict=False)]


def scale_plan(name: str, title: str, ends: tuple[int, int], bands: list[Band], corner: Point, width: float) -> Plan:
    """A row of numbers from low to high, with bands below; slots are indexed by number."""
    low, high = ends
    count = high - low + 1
    wide = min(width / count, 80.0)
    plan = Plan((wide * count, HEAD + 54 + (_BAND if bands else 0)))
    plan.items.append(SceneItem(f"head.{name}", "names", heading(title, corner)))
    for i in range(count):
        left, top = corner[0] + i * wide, corner[1] + HEAD
        plan.items.append(
            SceneItem(
                f"scale.{name}.{low + i}", "areas", cell(Box((left, top, left + wide, top + 52)), colour("light"))
            )
        )
        plan.items.append(
            SceneItem(
                f"scale_name.{name}.{low + i}", "names", svg.words(str(low + i), left + wide / 2, top + 9, _NOTES)
            )
        )
        plan.slots[low + i] = Box((left + 2, top + 17, left + wide - 2, top + 51))
    first, y = low, corner[1] + HEAD + 52
    for number, (end, what, value) in enumerate(bands):
        last = min(end, high)
        if last < first:
            continue
        left, right = corner[0] + (first - low) * wide, corner[0] + (last + 1 - low) * wide
        shape = cell(Box((left, y, right, y + _BAND)), colour("light") if number % 2 else colour("sand"))
        text = f"{what} {value}"  # if both do not fit, the other bands show which it is
        size = _noted(text, right - left - 4)
        text = text if text_width(text, size) <= right - left - 4 else value
        plan.items.append(SceneItem(f"band.{name}.{number}", "areas", shape))
        note = svg.words(text, (left + right) / 2, y + _BAND / 2, size, fill=INK)
        plan.items.append(SceneItem(f"band_name.{name}.{number}", "names", note))
        first = last + 1
    return plan
