"""States that are drawn: roads that belong to somebody, tokens by their state, dice, cards."""

from __future__ import annotations

import re
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from cases import split, write
from drawing_ports import assert_ports_agree
from shipped import loaded
from worlds import IDLE

from rulespec.drawing.board import Board, board_of
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

ROADS = """
--- map.yaml
map:
  kind: town
  links:
    road: {two_way: true, of: {ab: {ends: [a, b]}, bc: {ends: [b, c]}, ca: {ends: [c, a]}}}
  regions: {a: {}, b: {}, c: {}}
--- kinds.yaml
kinds:
  player: {}
  road: {state: {builder: {type: "player?"}, blocked: {type: bool}, tolls: {type: int 0..9}}}
  man:
    number: 3
    each: [player]
    state: {crowned: {type: bool}, rank: {type: "rank?"}}
    places: {box: {}, at: {index: town}}
  rank: {entities: {squire: {}, lord: {}}}
"""


def items(board: Board, state: dict[str, Any]) -> dict[str, str]:
    return {item.id: item.svg for item in board.items(state)}


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    write(tmp_path / "roads", split(f"--- rules/main.rules\n{IDLE}{ROADS}", ""))
    return tmp_path / "roads"


def begun(folder: Path, drawing: str) -> tuple[Board, dict[str, Any]]:
    (folder / "drawing.yaml").write_text(f"drawing:\n  {drawing}\n", "utf-8")
    game = Game(load_ruleset(str(folder)), ["A", "B"])
    return board_of(game.ruleset, game.names), state_json(game)


def test_a_road_has_the_colour_of_its_builder(roads: Path) -> None:
    board, state = begun(roads, "doc: Roads.")
    assert not any(id_.startswith("link_state") for id_ in items(board, state))
    state["entities"]["road"]["ab"]["builder"] = "B"
    state["entities"]["road"]["bc"]["blocked"] = True
    shown = items(board, state)
    road = shown["link_state.road.ab"]
    assert board.sheet.colours("player")[1] in road and ": builder B<" in road
    assert "link_state.road.bc" not in shown  # its first field that names somebody is drawn


@pytest.mark.parametrize("field, value, note", [("blocked", True, "blocked<"), ("tolls", 3, "tolls 3<")])
def test_another_field_of_roads_is_drawn_if_the_drawing_says_so(roads: Path, field: str, value: Any, note: str) -> None:
    board, state = begun(roads, f"boards: {{town: {{links: {{road: {{state: {field}}}}}}}}}")
    state["entities"]["road"]["bc"][field] = value
    assert note in items(board, state)["link_state.road.bc"]


def test_a_token_has_the_symbol_of_its_state(roads: Path) -> None:
    drawing = "pieces: {man: {symbol: pawn, states: {crowned: king, rank: {lord: tower}}}}"
    board, state = begun(roads, drawing)
    name, other = list(state["entities"]["man"])[:2]
    for values in (state["entities"]["man"][name], state["entities"]["man"][other]):
        values["place"] = "at[a]"
    for values, symbol in (
        ({}, "pawn"),
        ({"rank": "squire"}, "pawn"),
        ({"rank": "lord"}, "tower"),
        ({"crowned": True}, "king"),
    ):
        state["entities"]["man"][name] |= values
        shown = next(svg for id_, svg in items(board, state).items() if id_.endswith(f"at.{name}"))
        assert board.sheet.style.path(symbol) in shown, symbol
    assert_ports_agree(board, state, roads)


@pytest.mark.proof  # 0.4 s
def test_both_drawings_of_roads_are_equal(roads: Path) -> None:
    for field, value in (("builder", "B"), ("blocked", True), ("tolls", 3)):
        board, state = begun(roads, f"boards: {{town: {{links: {{road: {{state: {field}}}}}}}}}")
        state["entities"]["road"]["ca"][field] = value
        assert_ports_agree(board, state, roads)


@pytest.mark.parametrize("value, spots", [(1, 1), (3, 3), (6, 6), (0, 0)])
def test_a_die_has_spots(value: int, spots: int) -> None:
    ruleset, _ = loaded("liars_dice")
    game = Game(ruleset, ["A", "B"])
    state = state_json(game)
    state["entities"]["player"]["A"]["die"] = value
    row = items(board_of(ruleset, game.names), state)["row.player.seat1"]
    assert row.count("<circle") == spots


def test_a_card_is_upright() -> None:
    ruleset, _ = loaded("leduc_poker")
    game = Game(ruleset, ["A", "B"])
    state = state_json(game)
    state["entities"]["game"]["game"]["table"] = "queen_of_hearts"
    assert 'height="20" rx="2"' in items(board_of(ruleset, game.names), state)["row.game.game"]


@pytest.mark.parametrize("positions", [True, False])
def test_links_with_the_same_ends_are_drawn_side_by_side(roads: Path, positions: bool) -> None:
    more = "ba: {ends: [b, a], title: Low road}, ca: {ends: [c, a]}}}"
    lane = "    lane: {two_way: false, of: {bac: {ends: [b, a]}}}"
    text = (roads / "map.yaml").read_text("utf-8").replace("ca: {ends: [c, a]}}}", f"{more}\n{lane}")
    for number, name in enumerate("abc" if positions else ""):
        text = text.replace(f"{name}: {{}}", f"{name}: {{position: [{100 * number}, {70 * (number % 2)}]}}")
    (roads / "map.yaml").write_text(text, "utf-8")
    board, state = begun(roads, "doc: Roads.")
    drawn = {item.id: item.svg for item in board.static if item.id.startswith("link.")}
    between = [key for key in drawn if key.startswith(("link.road.a.b", "link.road.b.a", "link.lane.b.a"))]
    assert between == ["link.road.a.b", "link.road.b.a.ba", "link.lane.b.a.bac"]
    lines = [re.findall(r'd="(M[^"]*)"', drawn[key])[0] for key in between]
    ends = [[float(number) for number in re.findall(r"-?[\d.]+", line)[:4]] for line in lines]
    (ax, ay, bx, by), (cx, cy, *_), (ex, ey, fx, fy) = ends[0], ends[1], ends[2]
    if abs(ax - cx) + abs(ay - cy) > abs(bx - cx) + abs(by - cy):  # the second one leads the other way
        cx, cy = ends[1][2:]
    if abs(ex - cx) + abs(ey - cy) > abs(fx - cx) + abs(fy - cy):
        ex, ey = fx, fy
    assert hypot(ax - cx, ay - cy) == pytest.approx(9, abs=0.2)
    assert hypot(ax - ex, ay - ey) == pytest.approx(18, abs=0.4)
    for name in ("ab", "ba"):
        state["entities"]["road"][name]["builder"] = "B"
    shown = items(board, state)
    paths = {re.findall(r'd="(M[^"]*)"', shown[f"link_state.road.{name}"])[0] for name in ("ab", "ba")}
    assert len(paths) == 2
    assert "(Low road)" in shown["link_state.road.ba"]
