"""Tiles on the cells of a board, with the pieces on their stops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.cell_borders import middle_of, middles
from rulespec.drawing.colours import INK
from rulespec.drawing.drawn_tokens import DrawnToken, token_at
from rulespec.drawing.plan import Home, Plan, Sheet, TileFace, Tiles
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.shown import ShownState
from rulespec.drawing.standing import Slot
from rulespec.drawing.style import BoardStyle, TileStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.tile_faces import NUMBER, CellShape, end_numbers, faces_of, kind_of_ends
from rulespec.types import Ent

_HOME = "#767676"
_TOUCH = 15.0
"""The least radius of a stop's clickable area."""


def tiles_of(sheet: Sheet, board: BoardStyle, plan: Plan) -> Tiles | None:
    """The tiles of a regular board; None if it has none, or if a name that its drawing uses is missing."""
    decl = sheet.d.boards.get(board.kind)
    if board.tiles is None or decl is None or not plan.boxes:
        return None
    box = next(iter(plan.boxes.values()))
    x, y = middle_of(box)
    shape = CellShape(
        tuple((a - x, b - y) for a, b in middles(decl, box, transposed=board.transposed)), (box[2] - box[0]) / 2
    )
    outlines = {n: plan.outlines.get(n, _around(box)) for n, box in plan.boxes.items()}
    return tiles_on(sheet, board, shape, {n: middle_of(box) for n, box in plan.boxes.items()}, outlines)


def tiles_on(
    sheet: Sheet, board: BoardStyle, shape: CellShape, cells: dict[int, Point], outlines: dict[int, str]
) -> Tiles | None:
    """The tiles of a board, given the shape, centres and outlines of its cells; None if a name is missing."""
    style = board.tiles
    field = sheet.d.kinds[board.kind].state.get(style.field) if style is not None else None
    if style is None or field is None or not isinstance(field.type, Ent):
        return None
    kind = field.type.kind
    faces = faces_of(sheet, style, kind, shape)
    ends = kind_of_ends(sheet, style, kind)
    if not faces or not ends:
        return None
    numbers = end_numbers(sheet, style, ends)
    stops = [i for i, number in enumerate(numbers) if number < 0]
    points = next((k.name for k in sheet.d.kinds.values() if k.product == (board.kind, ends)), "")
    homes = _homes(sheet, board.kind, style) if sheet.on_board(points) else ()
    return Tiles(
        field=style.field,
        kind=kind,
        turn=style.turn,
        faces=faces,
        cells=cells,
        outlines=outlines,
        points=points if sheet.on_board(points) else "",
        ends=ends,
        stops=tuple(sorted(stops, key=lambda i: -numbers[i])),
        homes=tuple(homes),
    )


def _homes(sheet: Sheet, place: str, style: TileStyle) -> Iterator[Home]:
    for path, end in style.homes.items():
        kind, _, name = path.partition(".")
        for number in range(len(sheet.names(kind)) if kind in sheet.d.kinds else 0):
            of = sheet.fact(kind, name, number)
            if of is not None and of[0] == place:
                yield Home(kind, number, of[1], end)


def _around(box: Box) -> str:
    left, top, right, bottom = box
    return svg.path([(left, top), (right, top), (right, bottom), (left, bottom)], closed=True)


# --- a position ----------------------------------------------------------------------------------


class _Laid(Struct, frozen=True):
    """A tile on a cell, with its rotation in steps."""

    cell: int
    face: TileFace
    steps: int


def _laid(sheet: Sheet, kind: str, tiles: Tiles, shown: ShownState) -> Iterator[_Laid]:
    turns: Mapping[int, object] = shown.fields.get((kind, tiles.turn), {})
    for number, value in shown.fields.get((kind, tiles.field), {}).items():
        tile, turn = sheet.known.number(tiles.kind, value), turns.get(number)
        if tile >= 0 and number in tiles.cells:
            yield _Laid(number, tiles.faces[tile], turn if isinstance(turn, int) else 0)


def tile_items(sheet: Sheet, kind: str, tiles: Tiles, shown: ShownState) -> list[SceneItem]:
    """The tiles in a position, drawn below the names and pieces of their cells."""
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
            parts = list(_tile(tiles, tile, number, steps))
        else:
            parts = [svg.words(note, *tiles.cells[number], NUMBER)]
        results.append(SceneItem(f"tile.{kind}.{sheet.names(kind)[number]}", "borders", svg.group(parts, title)))
    return results


def _tile(tiles: Tiles, tile: int, cell: int, steps: int) -> Iterator[str]:
    """A tile's background, lines, stops and numbers, and the printed text that it leaves visible."""
    face = tiles.faces[tile]
    if face.fill:
        yield svg.element("path", d=tiles.outlines[cell], fill=face.fill, stroke=INK, stroke_width=1)
    x, y = tiles.cells[cell]
    if inner := face.drawn[steps % len(face.drawn)]:
        yield svg.group([inner], transform=f"translate({svg.number(x)} {svg.number(y)})")
    for text, right, down, over in face.texts[steps % len(face.texts)]:
        yield svg.words(text, x + right, y + down, NUMBER, bold=True, halo=over > 0)
    if cell in tiles.printed and tiles.printed[cell][0] == tile:
        yield svg.words(tiles.printed[cell][1], x, y + tiles.low, NUMBER, bold=True, halo=True)


def stop_items(
    sheet: Sheet, kind: str, tiles: Tiles, shown: ShownState, standing: Mapping[Slot, Sequence[DrawnToken]]
) -> Iterator[SceneItem]:
    """The stops on a position's tiles as places, with their pieces and the letters of homes."""
    if not tiles.points:
        return
    count = len(sheet.names(tiles.ends))
    homes = _by_place(sheet, tiles, shown)
    for laid in _laid(sheet, kind, tiles, shown):
        stops = laid.face.stops[laid.steps % len(laid.face.stops)]
        points = [laid.cell * count + end for end in tiles.stops[: len(stops)]]
        tokens = [standing.get((tiles.points, point), []) for point in points]
        present = {sheet.look(*of).letter for of, *_ in homes.get(laid.cell, [])} & {
            t.text for of in tokens for t in of
        }
        x, y = tiles.cells[laid.cell]
        for number, ((radius, *at), point, of) in enumerate(zip(stops, points, tokens, strict=False)):
            slots = [(x + at[i], y + at[i + 1]) for i in range(0, len(at), 2)]
            letters = [
                sheet.look(*home).letter
                for home, stop in homes.get(laid.cell, [])
                if min(stop, len(stops) - 1) == number
            ]
            yield _place(sheet, tiles.points, point, slots, radius, [e for e in letters if e not in present])
            for i, token in enumerate(of):
                more = max(i - len(slots) + 1, 0)
                a, b = slots[min(i, len(slots) - 1)]
                yield token_at(sheet, token, (a + 2 * radius * more, b), 2 * radius - 2)


def _by_place(sheet: Sheet, tiles: Tiles, shown: ShownState) -> dict[int, list[tuple[tuple[str, int], int]]]:
    """Place → the entities at home there, each with the number of its stop."""
    results: dict[int, list[tuple[tuple[str, int], int]]] = {}
    for home in tiles.homes:
        end = sheet.known.number(tiles.ends, shown.fields.get((home.kind, home.field), {}).get(home.number))
        stop = tiles.stops.index(end) if end in tiles.stops else 0
        results.setdefault(home.place, []).append(((home.kind, home.number), stop))
    return results


def _place(
    sheet: Sheet, kind: str, point: int, slots: Sequence[Point], radius: float, letters: Sequence[str]
) -> SceneItem:
    """A stop as a place, with the letters of the entities at home there in its last slots."""
    xs, ys = zip(*slots, strict=True)
    far = max(radius, _TOUCH)
    box = Box((min(xs) - far, min(ys) - far, max(xs) + far, max(ys) + far))
    place = sheet.place((kind, point), box)
    size: svg.Values = {"x": box[0], "y": box[1], "width": box[2] - box[0], "height": box[3] - box[1], "rx": far}
    parts = [svg.element("rect", **size, fill="none", pointer_events="all")]
    for letter, (x, y) in zip(letters, reversed(slots), strict=False):
        parts.append(svg.words(letter, x, y, NUMBER, bold=True, fill=_HOME))
    drawn = svg.group(parts, place.title, data_place=place.id)
    return SceneItem(f"stop.{sheet.names(kind)[point]}", "marks", drawn, (place,))
