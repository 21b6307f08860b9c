"""Needs of a table on the board: pairs of kinds, panels with trays, facts, bands, whose turn it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from folders import ROOT
from shipped import loaded

from rulespec.diagnostics.report import Report
from rulespec.drawing.board import Board, board_of
from rulespec.drawing.drawing_file import read_files
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import state_json


def begun(ref: str) -> tuple[Board, dict[str, Any]]:
    ruleset, _ = loaded(ref)
    game = Game(ruleset, seat_names(ruleset.players[1], ruleset.seats))
    return board_of(ruleset, game.names), state_json(game)


def svg_of(board: Board, state: dict[str, Any], prefix: str) -> dict[str, str]:
    return {item.id: item.svg for item in board.items(state) if item.id.startswith(prefix)}


def static(board: Board, id_: str) -> str:
    return next(item.svg for item in board.static if item.id == id_)


def test_a_bond_is_for_sale_or_somebody_has_it() -> None:
    board, state = begun("imperial")
    cards = state["pieces"]["certificate"]
    cards["italy_9"] = {"hand[B]": 1}
    cards["italy_12"] = {"stack": 1}
    shown = svg_of(board, state, "piece.italy_")
    assert "Italy 9: B" in shown["piece.italy_9.certificate.hand.italy_9.1"]
    assert "Italy 12: stack" in shown["piece.italy_12.certificate.stack.italy_12"]


def test_the_interest_of_bonds_stands_over_them() -> None:
    board, _ = begun("imperial")
    heads = static(board, "heads.bond")
    assert ">interest<" in heads and ">30<" in heads and ">Italy<" not in heads


def test_a_tax_space_says_what_it_pays_and_power_what_interest_counts() -> None:
    board, _ = begun("imperial")
    assert ">power 6<" in static(board, "name.t11") and "power" not in static(board, "name.low")
    bands = [item.svg for item in board.static if item.id.startswith("band_name.nation.power.")]
    assert [f"interest \N{MULTIPLICATION SIGN} {n}<" in text for n, text in enumerate(bands)] == [True] * 6


def test_whose_turn_it_is_is_marked_in_its_row() -> None:
    board, state = begun("imperial")
    state["entities"]["game"]["game"]["active"] = "france"
    marked = [id_ for id_, svg in svg_of(board, state, "row.nation.").items() if "active nation" in svg]
    assert marked == ["row.nation.france"]


def test_an_electorate_has_a_tray_for_each_sort_of_piece() -> None:
    board, state = begun("shadow_of_the_emperor")
    plan, names = board.plans["electorate"], board.names.names("electorate")
    assert plan.copies["knight.castle"] == 3 and plan.copies["tile.hall"] == plan.copies["knight.house"] == 2
    castles = {name for i, name in enumerate(names) if i + len(names) * 3 in plan.slots}
    assert castles == {"cologne", "palatinate", "saxony", "brandenburg", "bohemia"}  # the others have no castle
    panel = static(board, "name.bohemia")
    assert ">votes 2<" in panel and ">houses: 5<" in panel and ">cities: 3<" in panel
    chair = plan.slots[names.index("bohemia") + len(names)]
    tile = next(iter(state["entities"]["tile"]))
    state["entities"]["tile"][tile] |= {"place": "chair[bohemia]", "side": "baron", "age": 25}
    place = board.places(state)[f"tile.{tile}"]
    assert chair[0] < place.middle[0] < chair[2] and chair[1] < place.middle[1] < chair[3]


def test_the_round_and_the_cards_are_drawn() -> None:
    board, state = begun("shadow_of_the_emperor")
    assert "the Emperor&#x27;s points 2 · a new city" in static(board, "name.round_2")
    assert any(id_.startswith("marker.round_1.now") for id_ in svg_of(board, state, "marker."))
    state["pieces"]["card"]["doctor"] = {"held[A]": 1}
    (card,) = svg_of(board, state, "piece.A.card.held").values()
    assert ">Doctor<" in card and ">D<" in card  # its title, and its letter in the corner


def test_no_column_says_what_is_so_for_nobody() -> None:
    """Values that are as a field begins, false, are not drawn."""
    board, state = begun("imperial")
    rows = svg_of(board, state, "row.player.")
    assert rows and not any(">no<" in svg for svg in rows.values())
    state["entities"]["player"]["A"]["swiss_bank"] = True
    assert ">yes<" in svg_of(board, state, "row.player.seat1")["row.player.seat1"]


WRONG = [
    ("bands: {nation.might: power_space.factor}", "there is no field `might`"),
    ("bands: {nation.power: space.factor}", "there is no line of spaces `space`"),
    ("bands: {nation.power: power_space.weight}", "`power_space` has no fact `weight`"),
    ("turn: actif", "the game has no field `actif`"),
    ("boards: {tax_space: {facts: [might]}}", "`tax_space` has no fact `might`"),
    ("boards: {region: {as: panels, trays: [{title: x, holds: [army.no]}]}}", "`army` has no place `no`"),
    (
        "boards: {space: {as: panels, trays: [{title: x, holds: [army.at], room: z}]}}",
        "`space` has no fact `z`",
    ),
    ("boards: {region: {as: pairs}}", "`region` is not a product of two kinds, so it cannot be drawn as pairs"),
    ("tables: {nation: [weight]}", "`nation` has no field `weight`"),
]


@pytest.mark.parametrize("text, message", WRONG)
def test_what_a_drawing_names_must_be_there(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "drawing.yaml").write_text(f"drawing:\n  {text}\n", "utf-8")
    report = Report()
    read_files(loaded("imperial")[0].declarations, [(tmp_path, "drawing.yaml")], report)
    assert message in [d.message for d in report.diagnostics]


def test_a_picture_of_it_all_has_one_ring_for_each_bond() -> None:
    board, state = begun("imperial")
    assert {f"bond.{name}" for name in board.names.names("bond")} <= set(board.places(state))
    data = yaml.safe_load((ROOT / "games" / "imperial" / "drawing.yaml").read_text("utf-8"))
    assert "certificate.stack" not in str(data["drawing"]["tables"])  # it stands on its board
