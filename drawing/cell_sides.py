"""Sides of the cells of regular boards: lines along them, and tiles with lines from side to side."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour, ground
from rulespec.drawing.plan import LinkLines, Plan, Sheet, TileFace, Tiles
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.shown import ShownState
from rulespec.drawing.style import BoardStyle, TileStyle
from rulespec.drawing.svg import Box, Point
from rulespec.typed import nodes as typed
from rulespec.types import Ent, SetOf

_CITY, _NUMBER = 11.0, 12.0
"""The radius of a city, and the size of a number."""
_BELOW = 19.0
"""From the middle of a city to that of its number."""
_BED, _TRACK = 8.0, 4.5
"""The widths of a line of a tile, and of what is white around it."""


def middles(board: typed.BoardDecl, box: Box) -> list[Point]:
    """The middles of the sides of a cell, one for each direction."""
    (x, y), wide = _middle(box), box[2] - box[0]
    if board.form == "hexes":
        return [(x + (q + r / 2) * wide / 2, y + r * (box[3] - box[1]) * 0.375) for q, r in board.steps]
    return [(x + a * wide / 2, y - b * wide / 2) for a, b in board.steps]


def _middle(box: Box) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def side_lines(sheet: Sheet, board: BoardStyle, plan: Plan) -> dict[str, LinkLines]:
    """The lines along the sides of cells whose fields are drawn, by the kind of the sides."""
    results = {}
    for path in board.sides:
        kind, _, name = path.partition(".")
        of = sheet.d.kinds.get(kind)
        decl = sheet.d.boards.get(of.product[-2]) if of is not None and len(of.product) > 1 else None
        if of is None or decl is None or name not in of.state:
            continue
        lines = {}
        titles, count = sheet.titles(kind), len(decl.steps)
        for number, box in plan.boxes.items():
            for direction, at in enumerate(middles(decl, box)):
                side = number * count + direction
                line = svg.path(_along(decl, box, at))
                lines[side] = line, f"{titles[side]}: {sheet.words.field(kind, name)}"
        results[kind] = LinkLines(name, "marks", lines)
    return results


def _along(board: typed.BoardDecl, box: Box, at: Point) -> list[Point]:
    """The side of a cell, a little inside, so that each of two neighbours has its own."""
    (x, y), wide = _middle(box), box[2] - box[0]
    out = at[0] - x, at[1] - y
    far = hypot(*out)
    length = wide / 3**0.5 if board.form == "hexes" else wide
    half, inside = length * 0.42, 1 - 4 / far
    across = -out[1] / far * half, out[0] / far * half
    x, y = x + out[0] * inside, y + out[1] * inside
    return [(x - across[0], y - across[1]), (x + across[0], y + across[1])]


# --- tiles ---------------------------------------------------------------------------------------


def tiles_of(sheet: Sheet, board: BoardStyle, plan: Plan) -> Tiles | None:
    """The tiles of a board; None without any, or where names of its drawing are gone."""
    style, decl, d = board.tiles, sheet.d.boards.get(board.kind), sheet.d
    field = d.kinds[board.kind].state.get(style.field) if style is not None else None
    if style is None or decl is None or field is None or not isinstance(field.type, Ent):
        return None
    kind = field.type.kind
    lines = d.kinds[kind].facts.get(style.lines)
    if lines is None or not isinstance(lines.type, SetOf):
        return None
    facts = d.kinds[lines.type.kind].facts
    ends = [facts[name].values for name in style.ends if name in facts]
    if not ends:
        return None
    faces = tuple(_face(sheet, style, kind, i, (lines.values[i], ends)) for i in range(len(sheet.names(kind))))
    cells = {n: (_middle(box), *middles(decl, box)) for n, box in plan.boxes.items()}
    outlines = {n: plan.outlines.get(n, _around(box)) for n, box in plan.boxes.items()}
    return Tiles(style.field, kind, style.turn, faces, cells, outlines)


def _around(box: Box) -> str:
    left, top, right, bottom = box
    return svg.path([(left, top), (right, top), (right, bottom), (left, bottom)], closed=True)


def _face(sheet: Sheet, style: TileStyle, kind: str, number: int, lines: tuple[int, list[list[int]]]) -> TileFace:
    """The face of a tile; `lines`: the set of its lines, and the directions of the ends of all lines."""
    mask, ends = lines
    pairs = []
    for line in (i for i in range(mask.bit_length()) if mask >> i & 1):
        first, *second = (values[line] for values in ends)
        pairs.append((first, second[0] if second else -1))
    facts = sheet.d.kinds[kind].facts
    of = sheet.fact(kind, style.fill, number)
    value = facts[style.number].values[number] if style.number in facts else 0
    return TileFace(
        title=sheet.titles(kind)[number],
        fill=ground(sheet.look(*of).colour) if of is not None else colour("stone"),
        lines=tuple(pairs),
        city=style.city in facts and facts[style.city].values[number] > 0,
        number=str(value) if value > 0 else "",
    )


def tile_items(sheet: Sheet, kind: str, tiles: Tiles, shown: ShownState) -> list[SceneItem]:
    """The tiles of a position: under the names and the pieces of their cells."""
    turns: Mapping[int, object] = shown.fields.get((kind, tiles.turn), {})
    results = []
    for number, value in shown.fields.get((kind, tiles.field), {}).items():
        tile, turn = sheet.known.number(tiles.kind, value), turns.get(number)
        steps = turn if isinstance(turn, int) else 0
        if (tile < 0 and not steps) or number not in tiles.cells:
            continue
        note = f"{sheet.words.field(kind, tiles.turn)} {steps}" if steps else ""
        title = ", ".join(part for part in (tiles.faces[tile].title if tile >= 0 else "", note) if part)
        title = f"{sheet.titles(kind)[number]}: {title}"
        if tile >= 0:
            parts = _tile(tiles.faces[tile], tiles.cells[number], tiles.outlines[number], steps)
        else:
            parts = [svg.words(note, *tiles.cells[number][0], _NUMBER)]
        results.append(SceneItem(f"tile.{kind}.{sheet.names(kind)[number]}", "borders", svg.group(parts, title)))
    return results


def _tile(face: TileFace, points: tuple[Point, ...], outline: str, turn: int) -> list[str]:
    """The ground of a tile, its lines turned by some directions, its city and its number."""
    middle, *sides = points
    parts = [svg.element("path", d=outline, fill=face.fill, stroke=INK, stroke_width=1)]
    at = [[sides[(end + turn) % len(sides)] if end >= 0 else middle for end in line] for line in face.lines]
    curves = [
        f"M{_point(first)}L{_point(last)}" if last == middle else f"M{_point(first)}Q{_point(middle)} {_point(last)}"
        for first, last in at
    ]
    for tone, wide in (("#ffffff", _BED), (INK, _TRACK)):
        parts += [svg.element("path", d=curve, stroke=tone, stroke_width=wide, fill="none") for curve in curves]
    if face.city:
        parts.append(svg.element("circle", cx=middle[0], cy=middle[1], r=_CITY, fill="#ffffff", stroke=INK))
    if face.number:
        low = max(y for _, y in sides) - 2
        parts.append(svg.words(face.number, middle[0], max(middle[1] + _BELOW, low), _NUMBER, bold=True, halo=True))
    return parts


def _point(at: Point) -> str:
    return f"{svg.number(at[0])} {svg.number(at[1])}"
