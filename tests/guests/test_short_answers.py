"""Answers of `why` at the end of long games: as deep as an agent can read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from shipped import loaded

from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.guests.seat_tools import MOST_REASONS, SeatTools
from rulespec.guests.tools import Toolbox, shortened

LEAF = {"op": "name", "text": "t" * 20}


def tree(depth: int, width: int) -> dict[str, Any]:
    return LEAF | ({"parts": [tree(depth - 1, width)] * width} if depth else {})


def depth_of(node: dict[str, Any]) -> int:
    return 1 + max(map(depth_of, node["parts"])) if "parts" in node else 0


def test_the_deepest_levels_are_left_out_and_counted() -> None:
    whole = tree(6, 3)
    assert shortened(whole, 1_000_000) == whole
    depths = []
    for most in (100, 1_000, 5_000, 20_000):
        short = shortened(whole, most)
        assert len(json.dumps(short)) <= most
        depths.append(depth_of(short))
    assert depths == sorted(depths) and depths[0] == 0 and depths[-1] > 2
    assert shortened(whole, 10) == LEAF | {"omitted": 3}


@pytest.mark.parametrize("name", ["go", pytest.param("tetrarchia", marks=pytest.mark.proof)])
def test_the_end_of_a_game_with_many_points_is_explained(name: str) -> None:
    ruleset, draws = loaded(name)[0], Draws(3)
    game = Game(ruleset, ruleset.seats or "ABCD")
    while (option := choose(game, draws, interrupt_rate=0)) is not None:
        game.apply(option)

    class Over:
        def look(self, ask: Any) -> Any:
            return ask(game)

        def take(self, chosen: Any) -> None:
            chosen(game)

    text, wrong = Toolbox(SeatTools(Over(), game.seats[0]).tools()).call("why", {})
    assert not wrong and len(text) <= MOST_REASONS
    answer = json.loads(text)
    assert answer["question"] == "end" and any(each["question"] == "points" for each in answer["answers"])
    assert '"omitted": ' in text
