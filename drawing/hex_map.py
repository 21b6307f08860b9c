"""Hex maps: each position is the centre of a hex that shows its name, facts and tile."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import hypot

from msgspec.structs import replace

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour, ground
from rulespec.drawing.plan import HEAD, Plan, Sheet
from rulespec.drawing.regular_boards import LINE, heading, region
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened, text_width
from rulespec.drawing.tile_faces import CellShape, hex_shape, outline_of
from rulespec.drawing.tiles import tiles_on
from rulespec.types import Bool

_CELL = 120.0
"""The width of a hex from corner to corner."""
_TEXT = 12.5
_RIM = 8.0
_UP, _DOWN, _FACTS = 0.64, 0.74, 0.42
"""Distances from the centre of a hex to its title, its name and its facts, relative to its size."""
_FLAT = 0.2
"""The maximum horizontal deviation between vertically adjacent hexes, relative to their distance."""


def hex_map_plan(sheet: Sheet, board: BoardStyle, corner: Point) -> Plan:
    """The plan of a hex map, with hexes sized by the distance between the two closest positions; places without a
    position are left out.
    """
    spots = board.positions
    near, flat = _nearest(spots)
    shape = hex_shape((board.cell or _CELL) / 2, flat=flat)
    scale = shape.size * 3**0.5 / near
    left, top = min(x for x, _ in spots.values()), min(y for _, y in spots.values())
    head = HEAD if board.title else 0.0
    wide, tall = max(abs(x) for x, _ in shape.corners), max(abs(y) for _, y in shape.corners)
    edge = corner[0] + wide + _RIM, corner[1] + head + tall + _RIM
    cells = {n: (edge[0] + (x - left) * scale, edge[1] + (y - top) * scale) for n, (x, y) in spots.items()}
    right, bottom = max(x for x, _ in cells.values()) + wide, max(y for _, y in cells.values()) + tall
    plan = Plan((right + _RIM - corner[0], bottom + _RIM - corner[1]))
    if board.title:
        plan.items.append(SceneItem(f"head.{board.kind}", "names", heading(board.title, corner)))
    plan.outlines = {n: outline_of(shape, at) for n, at in cells.items()}
    for n, at in cells.items():
        plan.items += _hex(sheet, board, n, at, (shape, plan.outlines[n]))
        plan.slots[n] = Box((at[0] - wide * 0.5, at[1] - tall * 0.4, at[0] + wide * 0.5, at[1] + tall * 0.4))
    plan.piece = 2 * shape.size / 5
    tiles = tiles_on(sheet, board, shape, cells, plan.outlines)
    if tiles is not None:
        printed = dict(_printed(sheet, board, shape, cells))
        plan.tiles = replace(tiles, printed=printed, low=round(shape.size * _FACTS, 1))
    return plan


def _nearest(spots: dict[int, Point]) -> tuple[float, bool]:
    """The least distance of two positions, and whether hexes at that distance are vertically aligned."""
    ways = [(hypot(a[0] - b[0], a[1] - b[1]), abs(a[0] - b[0])) for a, b in combinations(spots.values(), 2) if a != b]
    near = min((far for far, _ in ways), default=1.0)
    return near, any(across < near * _FLAT for far, across in ways if far < near * (1 + _FLAT)) or not ways


def _hex(sheet: Sheet, board: BoardStyle, number: int, at: Point, form: tuple[CellShape, str]) -> Iterator[SceneItem]:
    """A hex with its title above, and its id below if that differs."""
    shape, outline = form
    name, title = sheet.names(board.kind)[number], sheet.titles(board.kind)[number]
    (x, y), far = at, shape.size
    of = next((f for f in (sheet.fact(board.kind, fill, number) for fill in board.fill) if f is not None), None)
    fill = ground(sheet.look(*of).colour) if of is not None else colour("light")
    box = Box((x - far, y - far, x + far, y + far))
    drawn = svg.element("path", d=outline, fill=fill, stroke=LINE, stroke_width=1)
    yield region(drawn, sheet.place((board.kind, number), box, at, outline))
    if board.names == "none":
        return
    title = title.removesuffix(f"({name.upper()})").rstrip() or title  # the name is below
    plain = title.casefold() == name
    shown = [title] if board.names == "title" and not plain else [name.upper()]
    shown += [name.upper()] if board.names == "title" and not plain else []
    for text, down in zip(shown, (-_UP, _DOWN), strict=False):
        room = 2 * (far - _UP * far * 3**-0.5 - 2)
        text = shortened(text, _TEXT, room) if down > 0 else text
        first, *more = _in_two(text, room + _TEXT)
        lift = _TEXT * 0.5 * len(more)
        lines = [svg.words(part, x, y + down * far + lift + i * _TEXT - lift, _TEXT, fill=INK, halo=True)
                 for i, part in enumerate([first, *more])]  # fmt: skip
        yield SceneItem(f"name.{name}" if down < 0 else f"id.{name}", "names", "".join(lines))


def _in_two(text: str, room: float) -> list[str]:
    """A text in one line if it fits, otherwise in two, shortened if necessary."""
    words = text.split(" ")
    if text_width(text, _TEXT) <= room:
        return [text]
    if len(words) < 2:  # split at a hyphen
        cut = (len(text) + 1) // 2
        return [shortened(text[:cut] + "-", _TEXT, room + _TEXT), shortened(text[cut:], _TEXT, room + _TEXT)]
    cut = min(range(1, len(words)), key=lambda i: abs(len(" ".join(words[:i])) - len(" ".join(words[i:]))))
    return [shortened(" ".join(part), _TEXT, room + _TEXT) for part in (words[:cut], words[cut:])]


def _printed(
    sheet: Sheet, board: BoardStyle, shape: CellShape, cells: dict[int, Point]
) -> Iterator[tuple[int, tuple[int, str]]]:
    """Place → its printed tile, and the text of the facts that a laid tile covers."""
    facts = sheet.d.kinds[board.kind].facts
    for number in cells:
        of = sheet.fact(board.kind, board.tiles.printed, number) if board.tiles is not None else None
        notes = []
        for fact in (facts[name] for name in board.facts if name in facts):
            if (value := fact.values[number]) > 0:
                code = sheet.style.codes.get((board.kind, fact.name), "")
                word = code or sheet.words.field(board.kind, fact.name)
                notes.append(word if isinstance(fact.type, Bool) else f"{code}{value}")
        if of is not None and notes:
            yield number, (of[1], shortened(" ".join(notes), _TEXT, shape.size * 1.4, bold=True))
