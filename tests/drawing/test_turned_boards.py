"""Spaces in cells: backgammon with each seat's points turned, Ludo's cross, and positions that cannot be."""

from __future__ import annotations

import random
from math import dist

import pytest
from shipped import loaded

from rulespec.drawing.board import Board, board_of
from rulespec.drawing.cells_board import Net
from rulespec.drawing.shown import Pile
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json

NETS = [("90", (3, 0)), ("180", (3, 3)), ("270", (0, 3)), ("flip", (0, 3)), ("0", (0, 0))]


@pytest.mark.parametrize("how, cell", NETS)
def test_a_cell_is_turned_around_the_middle(how: str, cell: tuple[int, int]) -> None:
    assert Net((0, 0), (1, 1), 4, 4).turned((0, 0), how) == cell


def backgammon(viewer: int = 0) -> Board:
    return board_of(loaded("backgammon")[0], ["A", "B"], viewer=viewer)


def slot(board: Board, seat: int, point: str) -> int:
    pile = Pile("man", (("player", seat),), "at", board.names.number("point", point), 1)
    return board.plans["point"].slot(pile, len(board.names.names("point")))


def test_a_point_of_one_is_the_opposite_point_of_the_other() -> None:
    board = backgammon()
    slots = board.plans["point"].slots
    for n in range(1, 25):
        assert slots[slot(board, 0, f"p{n}")] == slots[slot(board, 1, f"p{25 - n}")]
    assert slots[slot(board, 0, "bar")] != slots[slot(board, 1, "bar")]


def test_men_of_both_never_stand_on_one_another() -> None:
    """As the rules forbid it: with points that are not turned, random games have such positions by the dozen."""
    for seed in range(4):
        game = Game(loaded("backgammon")[0], ["A", "B"])
        choose = random.Random(seed)
        while game.ply < 200 and not game.is_over:
            game.apply(choose.choice(list(game.legal_options)))
            board, men = backgammon(), state_json(game)["pieces"]["man"]
            points = [
                {
                    board.plans["point"].slots[slot(board, seat, at[3:-1])]
                    for at in men.get(name, {})
                    if at.startswith("at[")
                }
                for seat, name in enumerate(("A", "B"))
            ]
            assert not points[0] & points[1]


def test_each_seat_points_at_its_own_points() -> None:
    first, second = backgammon().places(), backgammon(1).places()
    assert first["point.p13"].box == second["point.p12"].box != second["point.p13"].box


def test_a_lane_of_ludo_belongs_to_its_player() -> None:
    for players, turns in ((2, [0, 2]), (3, [0, 1, 2]), (4, [0, 1, 2, 3])):
        board = board_of(loaded("ludo")[0], ["A", "B", "C", "D"][:players])
        steps, squares = board.plans["step"].slots, board.plans["square"].slots
        for seat, quarter in enumerate(turns):
            first, last = middle(steps[5 * seat]), middle(squares[(50 + 13 * quarter) % 52])
            assert 30 < dist(first, last) < 60, (players, seat)  # the first step lies beside the last square


@pytest.mark.parametrize("ref", ["backgammon", "ludo"])
def test_a_board_without_a_game_is_that_of_the_first_seat(ref: str) -> None:
    board = board_of(loaded(ref)[0], ())
    assert set(board.places()) <= set(board_of(loaded(ref)[0], ["A", "B"]).places())
    assert len(board.places()) > 20


def middle(box: tuple[float, float, float, float]) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
