"""Hidden hands, piles and values in pictures: backs with their number, and question marks."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from drawing_ports import assert_ports_agree
from secret_games import DECIDED, played

from rulespec.drawing.board import Board, board_of
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<]+)</text>", svg)


def drawn(game: Game, seat: str | None) -> tuple[Board, dict[str, str], dict[str, Any]]:
    drawing, state = board_of(game.ruleset, game.names, apart=True), game.view(seat).state
    return drawing, {item.id: item.svg for item in drawing.items(state)}, state


def test_a_hidden_hand_is_a_row_of_backs_with_their_number(tmp_path: Path) -> None:
    game = played("skat", 3, 40)
    for seat in (*game.seats, None):
        drawing, shown, state = drawn(game, seat)
        for other in game.seats:
            count, svg = state["counts"][f"card.hand[{other}]"], shown.get(f"unseen.{other}.card.hand", "")
            own = sum(id_.startswith(f"piece.{other}.card.hand.") for id_ in shown)
            assert own == (count if other == seat else 0)
            assert svg.count("<rect") == (0 if other == seat else 2 * count)
            assert texts(svg) == ([] if other == seat else [str(count)])
        assert_ports_agree(drawing, state, tmp_path)


@pytest.mark.parametrize("ref", DECIDED)
def test_both_drawings_show_the_same_of_what_is_hidden(ref: str, tmp_path: Path) -> None:
    game = played(ref, 3, 40)
    for seat in (game.seats[0], None):
        drawing, shown, state = drawn(game, seat)
        hidden = any(id_.startswith(("unseen.", "hidden.")) for id_ in shown)
        hidden |= any(part == "?" or "hidden" in part[0] for row in drawing.text_rows(state) for c in row for part in c)
        assert hidden or ref == "shadow_of_the_emperor"
        assert_ports_agree(drawing, state, tmp_path)


def test_who_sees_all_sees_no_backs() -> None:
    game = played("skat", 3, 40)
    drawing = board_of(game.ruleset, game.names, apart=True)
    assert not any(item.id.startswith("unseen.") for item in drawing.items(state_json(game)))


def test_a_hidden_value_is_a_question_mark_and_none_is_nothing() -> None:
    game, choose = Game(load_ruleset("kuhn_poker"), ["A", "B"]), random.Random(1)
    drawing = board_of(game.ruleset, game.names, apart=True)
    assert not any("card" in item.id for item in drawing.items(state_json(game)) if item.layer == "pieces")
    while game.decision is not None and game.decision.by is None:
        game.apply(choose.choice(list(game.legal_options)))
    _, shown, _ = drawn(game, "A")
    assert texts(shown["hidden.B.card"]) == ["?"] and "field.A.card" in shown and "hidden.A.card" not in shown
