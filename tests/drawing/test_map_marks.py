"""Marks on a map: passages as spots, ports over borders, and regions that an overlay adds with outlines."""

from __future__ import annotations

import re

import pytest
from shipped import loaded

from rulespec.diagnostics.report import Report
from rulespec.drawing.board import Board, board_of
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.map_ground import ground
from rulespec.drawing.outlines import holds
from rulespec.drawing.place_looks import badges_of, fill_of
from rulespec.drawing.svg import Box


def board_for(ref: str) -> Board:
    return board_of(loaded(ref)[0], ())


def static(board: Board, id_: str) -> str:
    return next(item.svg for item in board.static if item.id == id_)


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("ref", ["imperial", "imperial_2030", "imperial_asia"])
@pytest.mark.sampled(1)
def test_each_port_points_into_its_sea(ref: str) -> None:
    board = board_for(ref)
    sheet, kind = board.sheet, board.sheet.d.kinds["region"]
    layout = ground(sheet, sheet.style.boards["region"])
    left, top = 18.0, 58.0
    ports = {i: sea for i, sea in enumerate(kind.facts["port"].values) if sea >= 0}
    marks = {item.id: item.svg for item in board.static if item.id.startswith("across.port.")}
    assert len(marks) == len(ports) > 10
    for number, sea in ports.items():
        svg = marks[f"across.port.{kind.entities[number].name}"]
        assert kind.entities[sea].title in svg
        x, y = map(float, re.search(r'd="M([\d.]+) ([\d.]+)', svg).groups())  # type: ignore[union-attr]
        assert holds(layout.areas.outlines[sea], x - left, y - top), kind.entities[number].name


@pytest.mark.proof  # 0.4 s
def test_canals_are_places_on_the_map_and_in_its_legend() -> None:
    board = board_for("imperial_2030")
    places = board.places()
    assert {"canal.panama", "canal.suez"} <= set(places)
    suez, egypt = places["canal.suez"], places["region.near_east"].box
    assert abs(suez.middle[0] - egypt[0]) < 20
    legend = static(board, "legend.region")
    assert ">canal<" in legend and ">port to<" in legend


def test_a_map_without_canals_has_none_in_its_legend() -> None:
    assert ">canal<" not in static(board_for("imperial"), "legend.region")


@pytest.mark.proof  # 0.6 s
def test_regions_of_an_overlay_have_outlines_and_touch_where_links_lead() -> None:
    ref, report = "imperial+two_more_regions", Report()
    style = read_drawing(loaded(ref)[0], report)
    assert report.diagnostics == ()
    board = style.boards["region"]
    assert len(board.outlines) == len(loaded(ref)[0].declarations.kinds["region"].entities)
    sheet = board_for(ref).sheet
    layout = ground(sheet, board)
    linked = {(min(link.a, link.b), max(link.a, link.b)) for link in layout.links}
    assert layout.areas.touching() == linked


@pytest.mark.proof  # 0.3 s
def test_sea_zones_stand_on_water() -> None:
    style = board_for("tetrarchia").sheet.style.boards
    land = [ring for part in style["province"].scenery if part.colour != "water" for ring in part.rings]
    provinces = [ring for outline in style["province"].outlines.values() for ring in outline.rings]
    water = [ring for part in style["province"].scenery if part.colour == "water" for ring in part.rings]
    for at in style["zone"].positions.values():
        assert holds(water, *at) and not holds(land, *at) and not holds(provinces, *at)


def test_a_line_across_a_border_stands_on_neither_name() -> None:
    board = board_for("tetrarchia")
    layout = ground(board.sheet, board.sheet.style.boards["province"])
    lines = [item.svg for item in board.static if item.id.startswith("link.")]
    dots = [(float(x) - 18, float(y) - 58) for svg in lines for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", svg)]
    names = [box for block in layout.blocks if not block.turned for box in block.boxes[:1]]
    met = {dot for dot in dots for box in names if box.holds(Box((*dot, *dot)))}
    assert len(dots) > 140 and len(met) == 0


def test_the_symbol_of_an_owner_is_the_badge_beside_the_names_of_its_places() -> None:
    board = board_for("tetrarchia")
    style = board.sheet.style.boards["province"]
    assert {badges_of(board.sheet, style, i)[0][0].symbol for i in range(48)} == {"square"}
    imperial = board_for("imperial")
    sheet, style = imperial.sheet, imperial.sheet.style.boards["region"]
    owned = [i for i in range(len(sheet.names("region"))) if fill_of(sheet, style, i)[1] is not None]
    assert {badges_of(sheet, style, i)[0][0].symbol for i in owned} == {"square", "circle"}


def test_fleets_stand_in_their_sea_zone_and_each_has_a_name() -> None:
    board = board_for("tetrarchia")
    places, zones = board.places(), board.names.names("zone")
    assert {f"zone.{zone}" for zone in zones} <= set(places)
    assert len(zones) == 3
    for i, zone in enumerate(zones):
        outer, slot = places[f"zone.{zone}"].box, board.plans["zone"].slots[i]
        assert outer.holds(slot) and board.sheet.titles("zone")[i] in static(board, f"name.{zone}")


def test_a_legend_says_how_links_are_drawn() -> None:
    assert ">link: broken<" in static(board_for("tetrarchia"), "legend.province")
