"""Boards with spaces of each seat's own: a page lets the seat that looks at it click its own, whoever it is."""

from __future__ import annotations

from typing import Any

import pytest
from folders import ROOT
from shipped import loaded

from rulespec.drawing.board import board_of
from rulespec.drawing.drawing_plan import plan
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


@pytest.mark.parametrize("seat", [pytest.param(0, marks=pytest.mark.proof), 1])
def test_a_page_has_the_points_of_the_seat(seat: int, browser: Any) -> None:
    tab, places = browser.new_page(), board_of(loaded("backgammon")[0], ["A", "B"], viewer=seat).places()
    shown(tab, "backgammon", ["A", "B"], seat)
    for point in ("p1", "p13", "p24", "bar"):
        assert tab.evaluate(_BOX, f"point.{point}") == [round(x) for x in places[f"point.{point}"].box]
    tab.close()


_ARROW = """
([plan, seats, mark]) => {
  const box = document.createElement("section"), latest = document.createElement("button");
  box.append(document.createElement("ol"));
  const middle = makeMiddles(document.body, plan, seats);
  const news = makeNews(box, latest, document.body, (name, values) => JSON.stringify(values), middle);
  news.show(new Map([[0, { text: "a move", by: seats[1], marks: [mark] }]]), 1, seats[0]);
  const [, ...ends] = /^M(\\S+) (\\S+)L(\\S+) (\\S+)M/.exec(document.querySelector(".mark").getAttribute("d"));
  return [ends.map(Number), latest.textContent];
}
"""


@pytest.mark.parametrize("owner", [pytest.param(0, marks=pytest.mark.proof), 1])
def test_an_arrow_is_where_the_owner_of_the_man_has_these_points(owner: int, browser: Any) -> None:
    """Whoever looks: the 13 of the second player is the 12 of the first."""
    tab, seats = browser.new_page(), ["A", "B"]
    drawn = board_of(loaded("backgammon")[0], seats)
    tab.set_content(f"<figure>{drawn.backdrop()}</figure>")
    scripts = [(ROOT / "pages" / name).read_text("utf-8") for name in ("pictures.js", "ways.js", "news.js")]
    places = "makePlaces(document.body, (x) => x, () => {}).drawn()"
    arrow = f"(given) => {{ {'; '.join([*scripts, places])}; return ({_ARROW})(given); }}"
    (x, y, *_), latest = tab.evaluate(arrow, [plan(drawn), seats, f"point.p13>point.p9>{seats[owner]}"])
    left, top, right, bottom = board_of(loaded("backgammon")[0], seats, viewer=owner).places()["point.p13"].box
    assert left <= x <= right and top <= y <= bottom and "a move" in latest
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
