"""Spots on a map: places that are no region, such as a passage between two; and marks over borders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import hypot

from rulespec.drawing import svg
from rulespec.drawing.colours import INK
from rulespec.drawing.lettering import WATER
from rulespec.drawing.map_ground import Ground, spot_boxes
from rulespec.drawing.outlines import holds
from rulespec.drawing.place_looks import badge, moved, shift
from rulespec.drawing.plan import Plan, Sheet
from rulespec.drawing.scene import Item
from rulespec.drawing.style import BoardStyle, Look
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened

_TOWARDS, _HALF = 7.0, 2.5
_DENSE = 6.0


def spots_plan(sheet: Sheet, host: BoardStyle, board: BoardStyle, corner: Point, width: float) -> Plan:
    """The spots of a kind on a map of some width, at their positions in the units of the frame.

    Each is a symbol; or if pieces stand there, its name with room for them below.
    """
    plan = Plan((0.0, 0.0))
    for i, box in spot_boxes(host, board, width).items():
        around = moved(box, corner)
        place = sheet.place((board.kind, i), around)
        if board.roomy:
            plan.items += _with_room(sheet, board, i, around)
            plan.slots[i] = Box((around[0] + 4, around[1] + 22, around[2] - 4, around[3] - 2))
            continue
        shown = badge(sheet, spot_look(sheet, board.kind, i), "", place.middle)
        item = svg.group([shown], place.title, data_place=place.id)
        plan.items.append(Item(f"region.{sheet.names(board.kind)[i]}", "marks", item, (place,)))
        plan.slots[i] = around
    return plan


def _with_room(sheet: Sheet, board: BoardStyle, number: int, box: Box) -> Iterator[Item]:
    """A spot with its name above, in the letters of water, and room for pieces below."""
    left, top, right, bottom = box
    place, name = sheet.place((board.kind, number), box), sheet.names(board.kind)[number]
    size: svg.Values = {"x": left, "y": top, "width": right - left, "height": bottom - top, "rx": 6}
    area = svg.element("rect", **size, fill="#ffffff", fill_opacity="0.45", stroke=WATER.fill, stroke_dasharray="4 3")
    yield Item(f"region.{name}", "areas", svg.group([area], place.title, data_place=place.id), (place,))
    letters = svg.Letters(WATER.fill, italic=True)
    text = shortened(sheet.place_titles(board)[number], 12, right - left - 8)
    yield Item(f"name.{name}", "names", svg.lettered(text, (left + right) / 2, top + 12, 12, letters))


def spot_look(sheet: Sheet, kind: str, number: int) -> Look:
    """The look of a spot."""
    look = sheet.look(kind, number)
    return look if look.symbol else Look(look.colour, look.letter, "diamond")


def across_marks(sheet: Sheet, board: BoardStyle, layout: Ground, corner: Point) -> Iterator[Item]:
    """A mark over the border to the place that a fact names: a triangle that points there."""
    borders: dict[tuple[int, int], list[list[Point]]] = {}
    for border in layout.areas.borders:
        borders.setdefault((min(border.a, border.b), max(border.a, border.b)), []).append(list(border.points))
    names = sheet.names(board.kind)
    for fact in board.across:
        for i, name in enumerate(names):
            of = sheet.fact(board.kind, fact, i)
            lines = borders.get((min(i, of[1]), max(i, of[1]))) if of is not None and of[0] == board.kind else None
            if of is None or not lines:
                continue
            arrow = arrow_over(max(lines, key=len), partial(holds, layout.areas.outlines[of[1]]), corner)
            title = f"{sheet.titles(board.kind)[i]}: {sheet.words.field(board.kind, fact)}"
            title += f" {sheet.titles(board.kind)[of[1]]}"
            yield Item(f"across.{fact}.{name}", "links", svg.group([arrow], title))


def arrow_over(line: list[Point], within: Callable[[float, float], bool], corner: Point = (0.0, 0.0)) -> str:
    """A triangle over a line near its middle that points into the area that a point is `within`, where it has room."""
    line = _dense(line)
    middle = len(line) // 2
    tried = [_arrow(line, k, side) for k in sorted(range(len(line)), key=lambda k: abs(k - middle)) for side in (1, -1)]
    fits = (points for points in tried if within(*points[0]) and not within(*points[1]) and not within(*points[2]))
    data = svg.path(shift(next(fits, tried[0]), corner), closed=True)
    return svg.element("path", d=data, fill=INK, stroke="#ffffff", stroke_width=2, paint_order="stroke")


def _dense(line: list[Point]) -> list[Point]:
    """A line with a point at least every few units."""
    results = line[:1]
    for (ax, ay), (bx, by) in pairwise(line):
        parts = max(int(hypot(bx - ax, by - ay) / _DENSE), 1)
        results += [(ax + (bx - ax) * k / parts, ay + (by - ay) * k / parts) for k in range(1, parts + 1)]
    return results


def _arrow(line: list[Point], at: int, side: int) -> list[Point]:
    """The tip and the wings of a triangle over a point of a line."""
    (ax, ay), (x, y), (bx, by) = line[max(at - 1, 0)], line[at], line[min(at + 1, len(line) - 1)]
    length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1e-6) * side
    nx, ny = -(by - ay) / length, (bx - ax) / length
    back = (x - nx * _HALF, y - ny * _HALF)
    return [
        (x + nx * _TOWARDS, y + ny * _TOWARDS),
        (back[0] - ny * 5, back[1] + nx * 5),
        (back[0] + ny * 5, back[1] - nx * 5),
    ]
