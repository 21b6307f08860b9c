"""Boards in the forms that a drawing file names; mats are copies of a regular board, one for each owner."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.drawing import svg
from rulespec.drawing.cards import chip
from rulespec.drawing.cell_borders import FORMS, border_plans, side_lines
from rulespec.drawing.cells_board import cells_plan, net_of
from rulespec.drawing.colours import INK, colour, ground
from rulespec.drawing.hex_map import hex_map_plan
from rulespec.drawing.map_board import map_plan
from rulespec.drawing.map_ground import spots_plan
from rulespec.drawing.panel_boards import matrix_plan, panels_plan
from rulespec.drawing.plan import GAP, HEAD, OwnedPart, Plan, Sheet
from rulespec.drawing.regular_boards import (
    LINE,
    cell,
    filled,
    grid_plan,
    hex_width,
    hexagons,
    noted_slot,
    region,
    ring_plan,
    row_plan,
    square_side,
    squares,
)
from rulespec.drawing.scene import Place, SceneItem
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened
from rulespec.drawing.tiles import tiles_of

_NAME = 15.0
"""The height reserved for a cell's name."""
_SIDE = 6.0
"""The width of a line along the side of a cell."""
_LETTERS = 12.0
_LEAST_SCALE = 0.7
"""Minimum scale of boards that become smaller to fit side by side; pieces stay visible on a phone."""


def mats_plan(
    sheet: Sheet, board: BoardStyle, corner: Point, width: float, viewer: int, *, apart: bool = False
) -> Plan:
    """One board per owner, whose places are the entities of the product; on the viewer's board, cells are places, too.

    The cells have no board of their own, so the viewer points at them on this one. Boards that are `apart` are separate
    pictures, one below the other, which have no headings and are not made smaller.
    """
    owner, kind = sheet.d.kinds[board.kind].product
    names, spaces = sheet.names(owner), sheet.d.boards[kind].spaces
    hexes = sheet.d.boards[kind].form == "hexes"
    side = hex_width(spaces, board) if hexes else square_side(spaces, board)
    shapes = list(hexagons(spaces, (0.0, 0.0), side)) if hexes else [(box, "") for box in squares(spaces, corner, side)]
    extent = max(box[2] for box, _ in shapes) - min(box[0] for box, _ in shapes)
    side *= 1.0 if apart else _shrunk(extent, width, len(names))
    own = sheet.d.kinds[owner].is_player and not sheet.on_board(kind)
    plan, x, y, wide, tall = Plan((0, 0)), corner[0], corner[1], 0.0, 0.0
    for n in range(len(names)):
        if n and (apart or x + wide - GAP > corner[0] + width + 0.01):
            x, y = corner[0], y + tall + GAP
        if not apart:
            plan.items.append(SceneItem(f"mat.{board.kind}.{n + 1}", "names", _owner(sheet, owner, n, (x, y))))
        at = x, y + (0 if apart else HEAD + 2)
        shapes = list(hexagons(spaces, at, side)) if hexes else [(box, "") for box in squares(spaces, at, side)]
        for i, (box, outline) in enumerate(shapes):
            number = n * len(spaces) + i
            places = [sheet.place((board.kind, number), box, outline=outline)]
            if own and n == viewer:
                places.append(sheet.place((kind, i), box, outline=outline))
            by_seat = [sheet.place_id((kind, i)) if k == n else "-" for k in range(len(names))] if own else []
            tone = filled(sheet, kind, board.fill, i) or (ground("sand") if sum(spaces[i]) % 2 else colour("light"))
            plan.items.append(_cell(places, (box, outline), tone, by_seat))
            head = _NAME + (_SIDE if board.sides else 0.0)
            plan.items.append(_name(sheet, kind, i, number, Box((box[0], box[1] + head - _NAME, *box[2:]))))
            plan.boxes[number] = box
            room = Box((box[0] + 3, box[1] + head + 1, box[2] - 3, box[3] - 3))
            plan.slots[number], note = noted_slot(sheet, board, number, room)
            plan.items += [SceneItem(f"facts.{board.kind}.{number}", "names", note)] if note else []
            plan.outlines |= {number: outline} if outline else {}
        wide = max(box[2] for box, _ in shapes) - x + GAP
        tall = max(box[3] for box, _ in shapes) - y
        plan.size = max(plan.size[0], x + wide - GAP - corner[0]), y + tall - corner[1]
        if apart:
            plan.parts += (OwnedPart((owner, n), Box((x, y, x + wide - GAP, y + tall)), len(plan.items)),)
        x += wide
    return plan


def _shrunk(extent: float, width: float, count: int) -> float:
    """The scale, up to 1, at which most of `count` boards fit side by side; 1 if they would have to be too small."""
    scales = [(width - GAP * (beside - 1)) / beside / extent for beside in range(count, 1, -1)]
    return next((min(scale, 1.0) for scale in scales if scale >= _LEAST_SCALE), 1.0)


def _owner(sheet: Sheet, kind: str, number: int, at: Point) -> str:
    """The heading of a board: its owner."""
    name = sheet.titles(kind)[number]
    text = svg.words(shortened(name, 13, 240, bold=True), at[0] + 24, at[1] + 10, 13, bold=True, anchor="start")
    text = svg.named(text, number, 240) if sheet.d.kinds[kind].is_player else text
    return chip(sheet.look(kind, number), at[0] + 10, at[1] + 10) + text


def _cell(places: list[Place], shape: tuple[Box, str], fill: str, by_seat: list[str]) -> SceneItem:
    """A cell, the place of its entity; for the viewers in `by_seat`, a transparent cover is the bare cell."""
    box, outline = shape
    drawn = svg.element("path", d=outline, fill=fill, stroke=LINE) if outline else cell(box, fill)
    item = region(drawn, places[0])
    if not by_seat:
        return item
    at: svg.Values = {"x": box[0], "y": box[1], "width": box[2] - box[0], "height": box[3] - box[1]}
    bare = places[1].id if len(places) > 1 else None
    cover = {"fill": "none", "pointer_events": "all", "data_place": bare, "data_places": " ".join(by_seat)}
    above = svg.element("path", d=outline, **cover) if outline else svg.element("rect", **at, **cover)
    return SceneItem(item.id, item.layer, item.svg + above, tuple(places))


def _name(sheet: Sheet, kind: str, number: int, of: int, box: Box) -> SceneItem:
    text = shortened(sheet.names(kind)[number], _LETTERS, box[2] - box[0] - 6)
    words = svg.words(text, (box[0] + box[2]) / 2, box[1] + _NAME / 2 + 2, _LETTERS, fill=INK)
    return SceneItem(f"cell.{kind}.{of}", "names", words)


SIDE = 380.0
"""The width of the right column of a sheet."""


HOSTS = {"cells": ("cells",), "areas": ("spots",), "nodes": ("spots",), "hexes": ("stops",), "grid": FORMS}
"""The forms of boards that can contain other boards → the forms of the nested boards."""


def plans_of(
    sheet: Sheet, b: BoardStyle, guests: Sequence[BoardStyle], room: tuple[Point, float, int], *, apart: bool = False
) -> dict[str, Plan]:
    """The plans of a board and the boards in its cells, by kind.

    Args:
        sheet: the sources of the picture.
        b: the board.
        guests: the nested boards, which are in cells of the board's net, or are spots on a map, stops on tiles, or
            sides or corners.
        room: the board's top left corner, its maximum width, and the number of the viewing seat.
        apart: whether the boards of owners are separate pictures.
    """
    corner, width, viewer = room
    if b.form == "cells":
        net = net_of(b, corner, width)
        return {each.kind: cells_plan(sheet, each, net, viewer) for each in (b, *guests)}
    if b.form in ("areas", "nodes"):
        plan = map_plan(sheet, b, corner)
        return {b.kind: plan, **{each.kind: spots_plan(sheet, b, each, corner, plan.size[0]) for each in guests}}
    if b.form == "hexes":
        return {b.kind: hex_map_plan(sheet, b, corner), **{each.kind: Plan((0.0, 0.0)) for each in guests}}
    further: dict[str, Plan] = {}
    if b.form == "grid" and b.kind in sheet.d.boards:
        borders = {each.kind: each for form in FORMS for each in guests if each.form == form}
        plan = grid_plan(sheet, b, corner, edged=bool(borders))
        further = border_plans(sheet, b, plan, borders) if borders else {}
    elif b.form == "mats" and is_mats(sheet, b.kind):
        plan = mats_plan(sheet, b, corner, width, viewer, apart=apart)
    elif b.form == "ring":
        plan = ring_plan(sheet, b, corner, min(width, SIDE))
    elif b.form == "panels":
        plan = panels_plan(sheet, b, corner, width)
    elif b.form == "pairs" and len(sheet.d.kinds[b.kind].product) == 2:
        plan = matrix_plan(sheet, b, corner, width)
    else:
        plan = row_plan(sheet, b, corner, width)
    plan.links |= side_lines(sheet, b, plan)
    plan.tiles = tiles_of(sheet, b, plan)
    return {b.kind: plan, **further}


def is_mats(sheet: Sheet, kind: str) -> bool:
    """Whether a kind is the product of owners and a regular board."""
    product = sheet.d.kinds[kind].product
    return len(product) == 2 and product[1] in sheet.d.boards
