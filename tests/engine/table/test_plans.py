"""A draft at a table: its seat plans and withdraws freely, and nobody else is shown anything until the plan stands."""

from __future__ import annotations

from typing import Any

import pytest
from folders import RULESETS
from tables import Clock, send

from rulespec.engine.game.drafted import planned
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import TakenBack
from rulespec.engine.table.seats import Seat, Unlogged
from rulespec.engine.table.table import Table
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

PADDOCKS = load_ruleset(str(RULESETS / "paddocks"))
FENCES = ["fence_off(a1_n)", "fence_off(a1_e)", "fence_off(a1_s)", "fence_off(a1_w)"]
OTHERS = ("B", None)


def table_of_two(bots: str = "", clock: Clock | None = None) -> Table:
    """A table of two people, or of one and a bot."""
    seats = {seat: Seat("bot", bot="random") if seat in bots else Seat("person", seat) for seat in "AB"}
    return Table(Words(PADDOCKS), Game(PADDOCKS, list("AB")), Unlogged(seats, 1), clock=clock or Clock())


def take(table: Table, seat: str, *options: str) -> None:
    for option in options:
        assert send(table, seat, do="take", option=option) is None, option


def shown(table: Table) -> list[dict[str, Any]]:
    """All that others are shown: from the beginning, and since they looked last."""
    return [table.say(viewer) for viewer in OTHERS]


def test_others_are_shown_nothing_of_an_open_plan() -> None:
    clock = Clock()
    table = table_of_two(clock=clock)
    before, asked = shown(table), table.say("A")
    take(table, "A", *FENCES[:2])
    clock.now += 100
    assert [frame | {"asked": None} for frame in shown(table)] == [frame | {"asked": None} for frame in before]
    assert [frame["serial"] for frame in shown(table)] == [frame["serial"] for frame in before]
    own = table.say("A")
    assert own["cells"] != asked["cells"] and own["moves"]["count"] == 2
    assert table.earlier("B", 2) == {"earlier": {}}
    take(table, "A", "withdraw")
    assert [frame["moves"]["count"] for frame in shown(table)] == [0, 0] and planned(table.game.omniscient.numbers) == 0
    take(table, "A", *FENCES, "done")
    assert [frame["moves"]["count"] for frame in shown(table)] == [5, 5]
    assert all(frame["cells"] == table.say("A")["cells"] for frame in shown(table))


def test_whoever_comes_later_is_shown_the_state_before() -> None:
    table = table_of_two()
    take(table, "A", *FENCES[:2])
    other = table_of_two()
    assert [frame | {"asked": None} for frame in shown(table)] == [frame | {"asked": None} for frame in shown(other)]


def test_withdrawing_is_a_taking_back_that_asks_nobody() -> None:
    table = table_of_two()
    take(table, "A", *FENCES[:2])
    table.played.confirm()
    send_back = table.take("A", "withdraw")
    assert send_back is None and table.played.moves == [TakenBack(2)] and table.game.ply == 0


def test_nothing_from_before_a_plan_is_taken_back_while_it_is_open() -> None:
    table = table_of_two()
    take(table, "A", "done", "buy(sheep)")
    refusal = send(table, "B", do="undo", to=0)
    assert refusal is not None and "a plan is open" in refusal.text
    assert send(table, "A", do="undo") is None and table.game.ply == 1


def test_others_ask_about_the_state_before() -> None:
    table = table_of_two()
    take(table, "A", *FENCES[:1])
    refused = table.take("B", "done")
    assert refused is not None and table.game.ply == 1


@pytest.mark.parametrize("seed", range(2))
def test_a_bot_that_withdraws_plans_otherwise(seed: int) -> None:
    seats = {seat: Seat("bot", bot="random") for seat in "AB"}
    table = Table(Words(PADDOCKS), Game(PADDOCKS, list("AB")), Unlogged(seats, seed), clock=Clock())
    for _ in range(60):
        if not table.advance():
            break
        table.confirm()
    assert table.game.is_over
    assert not any(step.option.name == "withdraw" for step in table.game.omniscient.numbers.steps)
