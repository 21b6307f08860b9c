"""Tables that show everybody all after the end: logs, replays, the owner's order, and what is stored."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hall_pages import Page, done, hall_with, keys_of
from servers import Client, Process, served

from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.table.seats import Seat
from rulespec.load import load_ruleset
from rulespec.serve.hall import Hall
from rulespec.serve.owner import OwnerDesk
from rulespec.serve.table_rules import TableRules

pytestmark = pytest.mark.usefixtures("known_rulesets")

VIEWERS = ("seat:A", "seat:B", "spectator")


def folded(rules: TableRules, *, ends: bool) -> Game:
    """A game of Kuhn poker in which somebody does not hold a bet, or the moment before."""
    game, draws = Game(rules.ruleset, "AB"), Draws(1)
    for _ in range(2):
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    for text in ("bet", "leave_it")[: 1 + ends]:
        game.apply(game.parse(text))
    assert game.is_over == ends
    return game


def answers(reveals: bool, ends: bool, message: dict[str, Any]) -> dict[str, Any]:
    """The answer of each viewer to a message."""

    async def run() -> dict[str, Any]:
        rules = TableRules(load_ruleset("kuhn_poker"))
        seats = {seat: Seat("person", seat) for seat in "AB"}
        hall, _ = hall_with(rules, folded(rules, ends=ends), seats, reveals=reveals)

        async def here_and_now(function: Any, *args: Any) -> Any:
            return function(*args)

        hall.ask = here_and_now  # type: ignore[method-assign]
        keys, results = keys_of(hall), {}
        for viewer in VIEWERS:
            page = Page(hall, keys[viewer])
            await done()
            (answer,) = await page.ask(message)
            results[viewer] = next(iter(answer.values()))
            await page.close()
        return results

    return asyncio.run(run())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("reveals, ends", [(False, False), (True, False), (False, True), (True, True)])
def test_the_log_of_each_viewer_has_all_deals_when_they_are_revealed(reveals: bool, ends: bool) -> None:
    for viewer, log in answers(reveals, ends, {"do": "log"}).items():
        deals = [json.loads(line)["option"] for line in log.splitlines() if '"deal(' in line]
        hidden = 0 if reveals and ends else 2 if viewer == "spectator" else 1
        assert len(deals) == 2 and deals.count("deal(?)") == hidden
        assert ('"for":' in log) == (not (reveals and ends))


@pytest.mark.parametrize("reveals, ends", [(True, False), (False, True), (True, True)])
def test_the_replay_of_each_viewer_has_everything_when_it_is_revealed(reveals: bool, ends: bool) -> None:
    pages = answers(reveals, ends, {"do": "study"})
    assert len({*pages.values()}) == (1 if reveals and ends else 3)
    for viewer, page in pages.items():
        cards = [title for title in ("jack", "queen", "king") if f": {title}" in page.lower()]
        assert len(cards) >= (2 if reveals and ends else 0 if viewer == "spectator" else 1), cards
        assert (' is dealt a card"' in page) == (not (reveals and ends))


def test_the_owner_says_so_before_the_first_decision() -> None:
    async def run() -> None:
        rules = TableRules(load_ruleset("kuhn_poker"))
        game = Game(rules.ruleset, "AB")
        hall, table = hall_with(rules, game, {seat: Seat("person", seat) for seat in "AB"})
        keys = keys_of(hall)
        pages = [Page(hall, keys[viewer]) for viewer in VIEWERS]
        owner = Page(hall, keys["owner"])
        await done()
        order = {"do": "reveal", "game": "t", "reveals": True}
        assert {"done": "reveal"} in await owner.ask(order)
        for page in pages:
            assert page.received[-1]["frame"]["reveals"] is True
        assert owner.received[-1]["tables"][0]["reveals"] is True
        (asked,) = table.waited
        seat = pages["AB".index(asked)]
        await seat.ask({"do": "take", "serial": seat.serial, "option": "bet"})
        answer = await owner.ask(order | {"reveals": False})
        assert "has begun" in answer[0]["refused"]["text"] and table.reveals
        assert "refused" in (await owner.ask(order | {"game": ""}))[0]

    asyncio.run(run())


def test_a_new_table_of_the_owner_hides_unless_it_says_so() -> None:
    async def run() -> list[bool]:
        hall, _ = hall_with(TableRules(load_ruleset("kuhn_poker")), Game(load_ruleset("kuhn_poker"), "AB"), {})
        return [await new(hall, more) for more in ({}, {"reveals": False}, {"reveals": True})]

    async def new(hall: Hall, more: dict[str, Any]) -> bool:
        answer = await OwnerDesk(hall).hear({"do": "new", "rules": "rules", "players": 2, **more})
        return hall.games[answer["keys"]["game"]].table.reveals

    assert asyncio.run(run()) == [False, False, True]


@pytest.mark.parametrize("reveals", [False, True])
def test_a_table_stays_as_it_was_made(tmp_path: Path, reveals: bool) -> None:
    with served(tmp_path / "t.db", "kuhn_poker", 2, reveals=reveals) as (_, keys, url, _):
        assert Client(url, keys["seat:A"]).state["reveals"] is reveals
    with served(tmp_path / "t.db", "kuhn_poker", 0) as (_, _, url, _):
        assert Client(url, keys["spectator"]).state["reveals"] is reveals


@pytest.mark.proof  # 0.5 s
def test_the_command_makes_a_table_that_reveals(tmp_path: Path) -> None:
    server = Process("kuhn_poker", "--players", "2", "--reveal", "--store", tmp_path / "t.db")
    assert server.client("spectators").state["reveals"] is True
    server.close()
