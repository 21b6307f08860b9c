"""Spots on a map: places outside regions, such as a strait, and marks on borders."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.drawing import svg
from rulespec.drawing.colours import INK
from rulespec.drawing.lettering import READABLE, WATER
from rulespec.drawing.map_ground import Ground, spot_boxes
from rulespec.drawing.place_looks import badge, moved, shift
from rulespec.drawing.plan import Plan, Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.style import BoardStyle, Look
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened

_LEAST = 12.0


def spots_plan(sheet: Sheet, host: BoardStyle, board: BoardStyle, corner: Point, width: float) -> Plan:
    """The spots of a kind on a map of some width, at their positions in units of the frame.

    A spot is a symbol, or, if it can hold pieces, its name with room for them below.
    """
    plan = Plan((0.0, 0.0))
    for i, box in spot_boxes(host, board, width).items():
        around = moved(box, corner)
        place = sheet.place((board.kind, i), around)
        if board.roomy:
            size = max(_LEAST, round(READABLE * width, 1))
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
    """The look of a spot."""
    look = sheet.look(kind, number)
    return look if look.symbol else Look(look.colour, look.letter, "diamond")


def across_marks(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[SceneItem]:
    """The marks over borders that point to places named by facts."""
    names, titles = sheet.names(board.kind), sheet.titles(board.kind)
    for fact, i, other, points in layout.arrows:
        title = f"{titles[i]}: {sheet.words.field(board.kind, fact)} {titles[other]}"
        yield SceneItem(f"across.{fact}.{names[i]}", "links", svg.group([arrow(shift(points, corner))], title))


def arrow(points: list[Point]) -> str:
    """A triangle over a border."""
    data = svg.path(points, closed=True)
    return svg.element("path", d=data, fill=INK, stroke="#ffffff", stroke_width=2, paint_order="stroke")
