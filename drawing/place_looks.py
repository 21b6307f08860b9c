"""The look of a map's places: ground, owner, borders by rank, badges beside the name, and lettering."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from rulespec.drawing import svg
from rulespec.drawing.areas import Border
from rulespec.drawing.colours import colour, ink_on
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.placing import LabelBlock
from rulespec.drawing.plan import Sheet
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import FREE, OWNED, WATER, Lettering

VOID, BRIM = "#eef1f3", "#7a6f5a"
"""The colours of the ground outside all regions, and of the frame."""

RANKS: dict[str, tuple[svg.Values, ...]] = {
    "borders": ({"stroke": "#5b6770", "stroke_width": 1.1},),
    "waters": (
        {"stroke": "#ffffff", "stroke_width": 3, "stroke_opacity": "0.7"},
        {"stroke": "#6f9ab1", "stroke_width": 1.4, "stroke_dasharray": "7 5"},
    ),
    "free": ({"stroke": "#a08b62", "stroke_width": 1.1},),
    "inner": ({"stroke": "#fffdf6", "stroke_width": 2.6}, {"stroke": "#8d7c62", "stroke_width": 0.8}),
    "coasts": ({"stroke": "#4d6b7a", "stroke_width": 0.9},),
    "owners": ({"stroke": "#4a3b28", "stroke_width": 2.4},),
    "walls": ({"stroke": "#3c4248", "stroke_width": 4.5}, {"stroke": "#ffffff", "stroke_width": 2}),
}
"""The lines of each rank, bottom first; `borders` belongs to areas computed from positions."""

SHALLOWS: tuple[svg.Values, ...] = (
    {"stroke": "#c6dce9", "stroke_width": 22},
    {"stroke": "#b8d2e1", "stroke_width": 12},
    {"stroke": "#a6c4d6", "stroke_width": 5},
)
"""The lines on the water side of coasts."""


class Side(Struct, frozen=True):
    """One side of a border: whether it is water, and its owner."""

    water: bool
    owner: tuple[str, int] | None


_BEYOND = Side(False, None)


def rank_of(sides: Sequence[Side], border: Border, scenery: Sequence[Side] = ()) -> str:
    """The rank of a region's border with another region, with scenery, or with nothing."""
    a = sides[border.a]
    b = sides[border.b] if border.b >= 0 else scenery[-border.b - 2] if border.b < -1 else _BEYOND
    if a.water and b.water:
        return "waters"
    if a.water or b.water or border.b == -1:
        return "coasts"
    if a.owner is None and b.owner is None:
        return "free"
    return "inner" if a.owner == b.owner else "owners"


BADGE = 16.0
"""The width reserved for a badge beside a name."""


def name_box(sheet: Sheet, board: BoardStyle, number: int, block: LabelBlock, corner: Point) -> Box:
    """The box of a place's name, including badges."""
    widest = max((block.lettering.width(line, block.size) for line in block.lines), default=0)
    half, high = (widest + badge_room(sheet, board, number)) / 2 + 2, block.size * 0.6
    middle = block.at[0][0]
    return moved(Box((middle - half, block.at[0][1] - high, middle + half, block.at[-1][1] + high)), corner)


def moved(box: Box, corner: Point) -> Box:
    """A box shifted to picture coordinates."""
    return Box((box[0] + corner[0], box[1] + corner[1], box[2] + corner[0], box[3] + corner[1]))


def shift(points: Sequence[Point], corner: Point) -> list[Point]:
    """Points shifted to picture coordinates."""
    return [(x + corner[0], y + corner[1]) for x, y in points]


def fill_of(sheet: Sheet, board: BoardStyle, number: int) -> tuple[Look, Look | None]:
    """The look of a place and, if it has an owner, of the owner."""
    for rank, name in enumerate(board.fill):
        of = sheet.fact(board.kind, name, number)
        if of is not None:
            look = sheet.look(*of)
            # The last fact gives the ground, and the earlier ones an owner.
            last = rank == len(board.fill) - 1
            return look, (None if last else look)
    return Look("land"), None


def badges_of(sheet: Sheet, board: BoardStyle, number: int) -> list[tuple[Look, str]]:
    """The badges beside a place's name: symbols of facts, or a disc; the first badge carries the owner's letter."""
    owner = fill_of(sheet, board, number)[1]
    facts = (sheet.fact(board.kind, name, number) for name in board.badges)
    results = [(sheet.look(*of), "") for of in facts if of is not None]
    if owner is None:
        return results
    first = results[0][0] if results else replace(owner, symbol=owner.symbol or "circle")
    return [(first, owner.letter), *results[1:]]


def side_of(sheet: Sheet, board: BoardStyle, number: int) -> Side:
    """A place's terrain and owner, on which the ranks of its borders depend."""
    of = sheet.fact(board.kind, board.fill[-1], number) if board.fill else None
    owners = [sheet.fact(board.kind, name, number) for name in board.fill[:-1]]
    return Side(of is not None and sheet.look(*of).colour == "water", next(filter(None, owners), None))


def description_of(sheet: Sheet, board: BoardStyle, number: int, title: str) -> str:
    """A description of a place in words: its title and visible facts."""
    facts = [sheet.fact(board.kind, name, number) for name in (*board.fill, *board.badges)]
    notes = [sheet.titles(of[0])[of[1]] for of in facts if of is not None]
    return f"{title}: {', '.join(dict.fromkeys(notes))}" if notes else title


def badge(sheet: Sheet, look: Look, letter: str, at: Point) -> str:
    """A symbol beside a name, as SVG."""
    scale = (BADGE - 2) / 24
    where = f"translate({svg.number(at[0] - 12 * scale)} {svg.number(at[1] - 12 * scale)}) scale({scale:.3f})"
    drawn: svg.Values = {"fill": colour(look.colour), "stroke": "#ffffff", "stroke_width": 2.4, "paint_order": "stroke"}
    symbol = svg.element("path", d=sheet.style.path(look.symbol or "square"), transform=where, **drawn)
    return symbol + (svg.words(letter, *at, 9, bold=True, fill=ink_on(look.colour)) if letter else "")


def badge_room(sheet: Sheet, board: BoardStyle, number: int) -> float:
    """The width of the symbols beside a place's name."""
    return BADGE * len(badges_of(sheet, board, number))


def lettering_of(side: Side) -> Lettering:
    """The lettering of a place's name, which differs for water, owned land and free land."""
    return WATER if side.water else OWNED if side.owner is not None else FREE
