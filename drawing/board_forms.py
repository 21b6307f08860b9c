"""Boards in the forms named by a drawing file."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.drawing.cell_sides import side_lines
from rulespec.drawing.cells_board import cells_plan, net_of
from rulespec.drawing.hex_map import hex_map_plan
from rulespec.drawing.map_board import map_plan
from rulespec.drawing.map_spots import spots_plan
from rulespec.drawing.mats_board import mats_plan
from rulespec.drawing.panel_boards import matrix_plan, panels_plan
from rulespec.drawing.plan import Plan, Sheet
from rulespec.drawing.regular_boards import grid_plan, ring_plan, row_plan
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Point
from rulespec.drawing.tiles import tiles_of

SIDE = 380.0
"""The width of the right column of a sheet."""


HOSTS = {"cells": "cells", "areas": "spots", "nodes": "spots", "hexes": "stops"}
"""The forms of boards that can contain other boards → the form of the nested boards."""


def plans_of(
    sheet: Sheet, b: BoardStyle, guests: Sequence[BoardStyle], room: tuple[Point, float, int]
) -> dict[str, Plan]:
    """The plans of a board and the boards in its cells, by kind.

    Args:
        sheet: the sources of the picture.
        b: the board.
        guests: nested boards: in cells of its net, as spots on a map, or as stops of its tiles.
        room: its top left corner, its maximum width, and the number of the viewing seat.
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
    if b.form == "grid" and b.kind in sheet.d.boards:
        plan = grid_plan(sheet, b, corner)
    elif b.form == "mats" and is_mats(sheet, b.kind):
        plan = mats_plan(sheet, b, corner, width, viewer)
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
    return {b.kind: plan}


def is_mats(sheet: Sheet, kind: str) -> bool:
    """Whether a kind is a product with a regular board."""
    product = sheet.d.kinds[kind].product
    return len(product) == 2 and product[1] in sheet.d.boards
