"""Pieces as on a real table: columns with a count, yards, hands of cards, dice, holes, boxes of equal height."""

from __future__ import annotations

import random
import re
import shutil
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from drawing_ports import assert_ports_agree
from pictures import outside, overlaps
from shipped import loaded

from rulespec.diagnostics.report import Report
from rulespec.drawing.board import Board, board, board_of
from rulespec.drawing.drawing_file import read_files
from rulespec.drawing.played_marks import last_roll
from rulespec.drawing.scene import to_svg
from rulespec.engine.game.events import Event
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

GAMES = Path(__file__).parents[2] / "games"


def begun(ref: str, players: int = 2) -> tuple[Board, dict[str, Any]]:
    ruleset, _ = loaded(ref)
    game = Game(ruleset, seat_names(players, ruleset.seats))
    return board_of(ruleset, game.names), state_json(game)


def items(drawing: Board, state: dict[str, Any]) -> dict[str, str]:
    return {item.id: item.svg for item in drawing.items(state)}


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<]+)</text>", svg)


def middles(svg: str) -> list[tuple[float, float]]:
    """The centres of symbols, computed from their translation and size."""
    moves = re.findall(r"translate\((\S+) (\S+)\) scale\((\S+)\)", svg)
    return [(float(x) + 12 * float(s), float(y) + 12 * float(s)) for x, y, s in moves]


# --- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize("count, shapes, number", [(1, 1, []), (5, 5, []), (6, 5, ["6"]), (15, 5, ["15"])])
def test_more_than_five_in_a_column_have_a_number(count: int, shapes: int, number: list[str]) -> None:
    drawing, state = begun("backgammon")
    state["pieces"]["man"]["A"] = {"at[p6]": count}
    column = items(drawing, state)["piece.p6.man.at.seat1"]
    assert column.count("<path") == shapes and texts(column) == number


def test_a_column_begins_at_the_edge_of_its_side(tmp_path: Path) -> None:
    drawing, state = begun("backgammon")
    state["pieces"]["man"]["A"] = {"at[p6]": 3, "at[p13]": 2, "off": 7}
    shown = items(drawing, state)
    below, above = (middles(shown[f"piece.{point}.man.at.seat1"]) for point in ("p6", "p13"))
    assert [y for _, y in below] == sorted((y for _, y in below), reverse=True)
    assert [y for _, y in above] == sorted(y for _, y in above)
    assert len({x for x, _ in below}) == 1
    assert texts(shown["piece.off.man.off.seat1"]) == ["7"]
    assert_ports_agree(drawing, state, tmp_path)


# --- yards ---------------------------------------------------------------------------------------


def test_a_yard_shows_each_pawn_of_its_owner(tmp_path: Path) -> None:
    drawing, state = begun("ludo", 3)
    state["pieces"]["pawn"]["B"] = {"yard": 3, "home": 1}
    shown = items(drawing, state)
    assert len(middles(shown["piece.yard.pawn.yard.seat2"])) == 3
    slots, plan_ = drawing.plans["step"].slots, drawing.plans["step"]
    for place, count in (("yard", 3), ("home", 1)):
        left, top, right, bottom = slots[plan_.held[f"pawn.{place}"] + 1]
        pawns = middles(shown[f"piece.{place}.pawn.{place}.seat2"])
        assert len(pawns) == count and all(left < x < right and top < y < bottom for x, y in pawns)
    assert_ports_agree(drawing, state, tmp_path)


def test_cells_of_nobody_are_drawn_without_a_colour() -> None:
    """With three players, the fourth lane and yard exist; with four, all have owners."""
    three, four = (begun("ludo", players)[0] for players in (3, 4))
    spare = [item.id for item in three.static if item.id.startswith("spare")]
    assert len(spare) == 5 + 2 and not any("data-place" in i.svg for i in three.static if i.id in spare)
    assert not any(item.id.startswith("spare") for item in four.static)


def test_a_yard_is_the_place_of_its_owner_and_has_its_letter() -> None:
    drawing, state = begun("ludo", 4)
    places = drawing.places(state)
    boxes = [places[f"player.{name}"].box for name in "ABCD"]
    assert all(not one.meets(other) for i, one in enumerate(boxes) for other in boxes[:i])
    names = {i.id: texts(i.svg) for i in drawing.static if i.id.startswith("yard_name.step.")}
    assert names["yard_name.step.1.1"] == ["Y", "A"] and names["yard_name.step.1.2"] == ["home"]


def test_a_yard_holds_pieces_that_are_there(tmp_path: Path) -> None:
    text = "boards: {step: {as: cells, yards: [{holds: [pawn.yrad], at: [0, 0, 1, 1]}]}}"
    assert "`pawn` has no place `yrad`" in faults("ludo", text, tmp_path)


# --- hands ---------------------------------------------------------------------------------------


def hand(count: int) -> tuple[list[float], list[list[str]]]:
    """The positions of the cards in a hand, and the words on each."""
    drawing, state = begun("shadow_of_the_emperor", 4)
    names = drawing.names.names("action")[:count]
    state["pieces"]["card"] |= {name: {"held[A]": 1} for name in names}
    shown = [svg for id_, svg in items(drawing, state).items() if id_.startswith("piece.A.card.held")]
    return [float(re.findall(r'<rect x="(\S+)"', svg)[0]) for svg in shown], [texts(svg) for svg in shown]


def test_cards_of_a_hand_lie_in_a_row_with_their_titles() -> None:
    at, shown = hand(3)
    assert at == sorted(at) and at[1] - at[0] > 50
    assert all(len(text) >= 2 for text in shown)  # the corner letter, and the title


def test_many_cards_lie_on_one_another_and_keep_their_corners() -> None:
    at, shown = hand(13)
    steps = {round(after - before, 1) for before, after in pairwise(at)}
    assert len(at) == 13 and 12 < max(steps) < 50
    assert all(len(text) == 1 for text in shown[:-1]) and len(shown[-1]) >= 2


def test_covered_cards_show_what_fits_beside_the_next_one(tmp_path: Path) -> None:
    drawing, state = begun("dominion")
    for pile in state["pieces"]["copy"].values():
        pile.pop("hand[A]", None)
    names = ("copper", "estate", "moat", "village", "smithy", "cellar", "market")
    for at, name in enumerate(names):
        state["pieces"]["copy"][name]["hand[A]"] = 1 + at % 3
    shown = [texts(svg) for id_, svg in items(drawing, state).items() if id_.startswith("piece.A.copy.hand")]
    assert shown == [["C"], ["E", "x2"], ["Ce", "x3"], ["Mo", "x3"], ["Vi"], ["Sm", "x2"], ["Ma", "Market"]]
    assert_ports_agree(drawing, state, tmp_path)
    drawing, state = begun("skat", 3)
    for card in state["entities"]["card"].values():
        card["place"] = "hand[A]"
    shown = [texts(svg) for id_, svg in items(drawing, state).items() if ".hand" in id_]
    assert shown[:2] == [["\u2666", "7"], ["\u2666", "8"]]  # the words of diamonds
    assert_ports_agree(drawing, state, tmp_path)


def test_hands_are_drawn_alike_by_both(tmp_path: Path) -> None:
    drawing, state = begun("shadow_of_the_emperor", 4)
    names = drawing.names.names("action")
    state["pieces"]["card"] |= {name: {"held[A]": 1, "held[B]": 2, "stack": 3} for name in names}
    assert_ports_agree(drawing, state, tmp_path)


def test_a_stack_of_cards_lies_at_what_they_are() -> None:
    drawing, state = begun("shadow_of_the_emperor", 4)
    state["pieces"]["card"]["doctor"] = {"stack": 3}
    left, top, right, bottom = drawing.places()["action.doctor"].box
    cards = middles(items(drawing, state)["piece.stack.card.stack.doctor"])
    assert len(cards) == 3 and all(left < x < right and top < y < bottom for x, y in cards)


def test_a_card_that_a_field_names_is_in_the_hand(tmp_path: Path) -> None:
    drawing, state = begun("kuhn_poker")
    state["entities"]["player"]["A"]["card"] = "queen"
    assert texts(items(drawing, state)["field.A.card"]) == ["Q", "queen"]
    assert_ports_agree(drawing, state, tmp_path)


# --- dice ----------------------------------------------------------------------------------------


def test_the_last_roll_lies_on_the_board() -> None:
    ruleset, _ = loaded("backgammon")
    game, choose = Game(ruleset, ["A", "B"]), random.Random(3)
    while game.ply < 40 and not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
        roll = next(option for option in reversed(game.history) if option.by is None)
        for position in (game, game.view("A")):
            (dice,) = (item.svg for item in board(ruleset, position).dynamic if item.id == "dice.point")
            assert dice.count("<circle") == sum(map(int, roll.arguments.values()))


def test_only_numbers_of_dice_are_dice() -> None:
    rolled = [Event("dice", None, "dice(3, 6)"), Event("move", "A", "play(p6)")]
    assert last_roll(rolled) == [3, 6]
    assert last_roll([]) == last_roll([*rolled, Event("deal", None, "deal(queen)")]) == []
    assert last_roll([Event("deal", None, "deal(12)")]) == last_roll([Event("dice", None, None)]) == []


# --- holes, boxes, sheets ------------------------------------------------------------------------


def test_a_board_with_holes_has_one_colour_and_can_be_pointed_at() -> None:
    root = ElementTree.fromstring(to_svg(board(loaded("connect_four")[0])))
    cells = [node for node in root.iter() if node.attrib.get("data-place", "").startswith("cell.")]
    holes = [node.attrib["fill"] for cell in cells for node in cell.iter() if node.tag.endswith("circle")]
    assert len(holes) == 42 and len(set(holes)) == 1


@pytest.mark.proof
def test_boxes_of_a_map_are_of_one_height(tmp_path: Path) -> None:
    folder = shutil.copytree(GAMES / "tetrarchia", tmp_path / "boxes", ignore=shutil.ignore_patterns("outlines.yaml"))
    text = (folder / "drawing.yaml").read_text("utf-8")
    (folder / "drawing.yaml").write_text(text.replace("    province:\n", "    province:\n      as: nodes\n"), "utf-8")
    places = board_of(load_ruleset(str(folder)), ()).places()
    boxes = [place.box for place in places.values() if place.id.startswith("province.")]
    heights = {round(bottom - top, 3) for _, top, _, bottom in boxes}
    assert len(boxes) == 48 and len(heights) == 1
    assert all(not one.meets(other) for i, one in enumerate(boxes) for other in boxes[:i])


@pytest.mark.proof  # 0.4 s
def test_colours_of_boxes_are_in_the_legend() -> None:
    drawing, _ = begun("tetrarchia", 4)
    (legend,) = (item.svg for item in drawing.static if item.id == "legend.province")
    assert set(drawing.sheet.titles("area")) <= set(texts(legend))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("ref", ["imperial", "chess", "shadow_of_the_emperor"])
def test_a_board_without_pieces_has_no_tables(ref: str) -> None:
    assert not any(item.layer == "tables" for item in board(loaded(ref)[0]).static)


@pytest.mark.parametrize("ref", ["backgammon", "chess", "connect_four", "kuhn_poker", "ludo", "liars_dice", "nim"])
@pytest.mark.sampled(3)
def test_a_sheet_is_as_wide_as_what_is_on_it(ref: str) -> None:
    drawing, state = begun(ref)
    right = max([440.0, *(place.box[2] for place in drawing.places(state).values())])
    tables = max((table.corner[0] + table.width for table in drawing.tables), default=0.0)
    assert drawing.size[0] - max(right, tables) < 40


@pytest.mark.parametrize("ref", ["backgammon", "ludo", "shadow_of_the_emperor", "kuhn_poker", "leduc_poker"])
@pytest.mark.sampled(2)
def test_no_text_stands_on_another(ref: str) -> None:
    ruleset, _ = loaded(ref)
    game, choose = Game(ruleset, seat_names(ruleset.players[1], ruleset.seats)), random.Random(9)
    while game.ply < 150 and not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
        if game.ply % 30 == 0:
            assert overlaps(to_svg(board(ruleset, game))) == []


@pytest.mark.proof
def test_a_long_title_of_a_ruleset_stays_on_the_sheet() -> None:
    ruleset, _ = loaded("imperial+playimperial_2030")
    shown = board(ruleset, Game(ruleset, seat_names(3, ruleset.seats)))
    assert len(shown.title) > 60 and outside(to_svg(shown)) == []


def faults(ref: str, text: str, folder: Path) -> list[str]:
    (folder / "drawing.yaml").write_text(f"drawing:\n  {text}\n", "utf-8")
    report = Report()
    read_files(loaded(ref)[0].declarations, [(folder, "drawing.yaml")], report)
    return [d.message for d in report.diagnostics]
