"""Maps of hexes: tiles with stops and slots, homes, printed facts; and what stands in the tables beside them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cases import small
from drawing_ports import assert_ports_agree
from pictures import outside, overlaps
from railyard import RAILYARD

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.board import Board, board_of
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.scene import to_svg
from rulespec.drawing.undrawn import undrawn
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.typed import nodes as typed


@pytest.fixture(scope="module")
def railyard(tmp_path_factory: pytest.TempPathFactory) -> typed.Ruleset:
    return small(tmp_path_factory.mktemp("railyard") / "small", RAILYARD)


@pytest.fixture
def table(railyard: typed.Ruleset) -> tuple[Board, dict[str, Any], Game]:
    game = Game(railyard, ["A", "B"])
    return board_of(railyard, game.names), state_json(game), game


def items(board: Board, state: dict[str, Any]) -> dict[str, str]:
    return {item.id: item.svg for item in board.items(state)}


def test_hexes_lie_around_their_positions(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, _, _ = table
    places = board.places()
    below, beside = places["hex.a3"].middle, places["hex.b2"].middle
    x, y = places["hex.a1"].middle
    assert below[0] == x and below[1] - y == pytest.approx(120 * 3**0.5 / 2)
    assert (beside[0] - x, beside[1] - y) == pytest.approx((90, 52), abs=0.1)


def test_facts_stand_on_a_printed_tile_and_names_without_their_id(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, state, _ = table
    assert ">80 ▲<" in items(board, state)["tile.hex.a3"] and ">40<" in items(board, state)["tile.hex.b2"]
    state["entities"]["hex"]["a3"]["tile"] = "bend"
    assert ">80 ▲<" not in items(board, state)["tile.hex.a3"]
    names = {item.id: re.findall(r">([^<>]+)</text>", item.svg) for item in board.static if item.layer == "names"}
    assert names["name.b2"] == ["Bridge End"] and names["id.b2"] == ["B2"] and names["name.a3"] == ["A3"]


def test_a_tile_is_turned_clockwise(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, state, _ = table
    hexes = state["entities"]["hex"]
    hexes["a1"]["tile"] = "bend"
    assert "M0 52Q0 0 45 -26" in items(board, state)["tile.hex.a1"]  # from the south to the north-east
    hexes["a1"]["turn"] = 1
    assert "M-45 26Q0 0 45 26" in items(board, state)["tile.hex.a1"]


def test_figures_of_phases_stand_side_by_side(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, state, _ = table
    far = items(board, state)["tile.hex.c1"]
    assert ">20<" in far and ">50<" in far and far.count("<rect") == 2 and "<circle" not in far


def test_pieces_stand_in_the_slots_of_stops(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, state, _ = table
    assert ">I<" in items(board, state)["stop.b2_c1"]  # at home there
    state["entities"]["hex"]["b2"]["tile"] = "large"
    state["pieces"]["station"] = {
        "iron": {"store": 1, "at[b2_c1]": 1}, "mills": {"store": 1, "at[b2_c1]": 1},
    }  # fmt: skip
    shown = items(board, state)
    moved = [shown[f"piece.b2_c1.station.at.{firm}"] for firm in ("iron", "mills")]
    xs = [float(re.search(r'<text x="([\d.]+)"', svg).group(1)) for svg in moved]  # type: ignore[union-attr]
    assert xs[1] - xs[0] == pytest.approx(2 * 16.2, abs=0.1) and ">I<" not in shown["stop.b2_c1"]
    assert {"point.b2_c1", "hex.b2"} <= set(board.places(state)) and "point.b2_c2" not in board.places(state)


def test_two_stops_lie_apart(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, state, _ = table
    for tile in ("halts", "pair"):
        state["entities"]["hex"]["a1"]["tile"] = tile
        places = board.places(state)
        (ax, ay), (bx, by) = places["point.a1_c1"].middle, places["point.a1_c2"].middle
        assert abs(ax - bx) + abs(ay - by) > (0 if tile == "pair" else 15)


def test_only_cells_that_are_there_are_drawn_and_flags_tint_them(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, _, _ = table
    assert sorted(board.plans["cell"].boxes) == [0, 1, 3, 4, 5] and not any("rims" in i.id for i in board.static)
    fills = [re.search(r'fill="([^"]+)"', i.svg.partition("<rect")[2]) for i in board.static if i.id == "region.b1"]
    assert fills[0] is not None and fills[0].group(1) not in ("#f4efe6", "#e3d3ae")
    assert any("par" in i.svg for i in board.static if i.id == "caption.cell")


def test_those_in_a_cell_stand_in_their_order(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, state, _ = table
    firms = state["entities"]["firm"]
    for ranks in ((1, 2), (2, 1)):
        for firm, rank in zip(("iron", "mills"), ranks, strict=True):
            firms[firm] |= {"cell": "a2", "rank": rank}
        order = [item.id for item in board.items(state) if item.id.startswith("ring.")]
        assert (order[0] == "ring.cell.iron.cell") == (ranks == (1, 2))


def test_a_table_has_a_fact_of_what_a_field_names_and_groups_of_tokens(
    table: tuple[Board, dict[str, Any], Game],
) -> None:
    board, state, _ = table
    state["entities"]["firm"]["mills"]["cell"] = "b2"
    state["entities"]["train"]["n1"]["place"] = "yard[mills]"
    depot, iron, mills = board.text_rows(state)
    assert [part[0] for part in depot[0]] == ["2", "3"] and iron[0] == [] and mills[0] == ["55"]
    state["entities"]["train"]["n1"]["place"] = "depot"
    assert [part[0] for part in next(board.text_rows(state))[0]] == ["2 x2", "3"]


def test_the_page_draws_the_same_hexes(table: tuple[Board, dict[str, Any], Game], tmp_path: Path) -> None:
    board, state, _ = table
    state["entities"]["hex"]["a1"] |= {"tile": "large", "turn": 4}
    state["entities"]["hex"]["b2"] |= {"tile": "pair", "turn": 1}
    state["entities"]["firm"]["iron"] |= {"cell": "a2", "rank": 9}
    state["entities"]["firm"]["mills"] |= {"cell": "a2", "rank": 0}
    state["entities"]["train"]["n1"]["place"] = "yard[mills]"
    state["pieces"]["station"] = {"iron": {"at[a1_c1]": 2}, "mills": {"store": 1, "at[b2_c2]": 1}}
    assert_ports_agree(board, state, tmp_path)


def test_all_that_is_public_is_drawn_and_can_be_read(table: tuple[Board, dict[str, Any], Game]) -> None:
    board, _, game = table
    picture = to_svg(board.scene(game))
    assert overlaps(picture) == [] and outside(picture) == []
    program = game.omniscient.program
    left = undrawn(board, [program.cells[at] for at in program.declared])
    assert left == []


@pytest.mark.parametrize(
    "before, after, message",
    [
        ("around: [s, sw,", "around: [s, west,", "there is no `end` `west`"),
        ("stops: stops", "stops: halts", "`tile` has no fact `halts`"),
        ("worth: yellow", "price: yellow", "`tile` has no fact `price`"),
        ("printed: printed", "printed: cost", "`hex` has no fact `cost` that names a `tile`"),
        ("firm.home: home_end", "firm.seat: home_end", "`firm` has no fact `seat`"),
        ("firm.home: home_end", "firm.home: end", "`firm` has no field `end`"),
        ("{as: stops, in: hex}", "{as: hexes}", "no `point` has a position"),
        ("firm: {as: hidden}", "firm: {as: stops, in: hex}", "is not a product of a hex map"),
        ("only: price", "only: worth", "`cell` has no fact `worth`"),
        ("tints: {par", "tints: {pa", "`cell` has no fact `pa`"),
        ("firm.cell: rank", "firm.cell: order", "`firm` has no field `order`"),
        ("[cell.price,", "[cell.worth,", "`cell` has no fact `worth`"),
        ("hex.steep", "hex.steeper", "`hex` has no field `steeper`"),
    ],
)
def test_names_of_a_map_of_hexes_are_checked(before: str, after: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as error:
        read_drawing(small(tmp_path / "small", RAILYARD.replace(before, after)))
    assert message in str(error.value)
