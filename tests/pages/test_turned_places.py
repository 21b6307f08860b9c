"""Boards with spaces of each seat's own: a page lets the seat that looks at it click its own, whoever it is."""

from __future__ import annotations

from typing import Any

import pytest
from folders import ROOT
from shipped import loaded

from rulespec.drawing.board import board_of
from rulespec.serve.table_rules import TableRules

_BOX = """
(place) => {
  const { x, y, width, height } = document.querySelector(`[data-place="${place}"]`).getBBox();
  return [x, y, x + width, y + height].map(Math.round);
}
"""


def shown(tab: Any, ref: str, seats: list[str], seat: int) -> None:
    """Puts the board into a tab, for a seat by its number."""
    script = (ROOT / "pages" / "pictures.js").read_text("utf-8")
    tab.set_content(board_of(loaded(ref)[0], seats).backdrop())
    tab.evaluate(f"{script}; makePlaces(document.querySelector('svg'), (x) => x, () => {{}}, () => {seat}).drawn()")


@pytest.mark.parametrize("seat", [0, 1])
def test_a_page_has_the_points_of_the_seat(seat: int, browser: Any) -> None:
    tab, places = browser.new_page(), board_of(loaded("backgammon")[0], ["A", "B"], viewer=seat).places()
    shown(tab, "backgammon", ["A", "B"], seat)
    for point in ("p1", "p13", "p24", "bar"):
        assert tab.evaluate(_BOX, f"point.{point}") == [round(x) for x in places[f"point.{point}"].box]
    tab.close()


def test_each_lane_can_be_clicked_by_its_player_alone(browser: Any) -> None:
    tab, seats = browser.new_page(), ["A", "B", "C"]
    for seat in range(3):
        shown(tab, "ludo", seats, seat)
        lane = board_of(loaded("ludo")[0], seats, viewer=seat).places()["step.s3"].box
        assert tab.evaluate(_BOX, "step.s3") == [round(x) for x in lane]
        assert tab.evaluate("document.querySelectorAll('[data-place=\"step.s3\"]').length") == 1
    tab.close()


def test_a_server_draws_each_seat_its_own_numbers() -> None:
    rules = TableRules(loaded("backgammon")[0])
    assert rules.board(("A", "B"), 1)[0] != rules.board(("A", "B"))[0]
    chess = TableRules(loaded("chess")[0])
    assert chess.board(("white", "black"), 1)[0] == chess.board(("white", "black"))[0]
