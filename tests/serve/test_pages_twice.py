"""Messages of pages, sent twice: by a seat, its second tab, another seat, a spectator and the owner."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import msgspec
import pytest
from hall_pages import Page, done, hall_with, keys_of
from tables import Clock

from rulespec.engine.game.game import Game
from rulespec.engine.table.seats import Seat
from rulespec.load import load_ruleset
from rulespec.serve.owner import listed
from rulespec.serve.table_rules import TableRules

pytestmark = pytest.mark.usefixtures("known_rulesets")

STATES = {
    "free": Seat(),
    "person": Seat("person", "Ann"),
    "away": Seat("person", "Ann"),
    "late": Seat("person", "Ann"),
    "bot from the start": Seat("bot", "", "flat:64"),
    "bot standing in": Seat("bot", "Ann", "flat:64", stand_in=True),
    "game over": Seat("person", "Ann"),
    "round open": Seat("person", "Ann"),
}
DEPENDS = ("take", "withdraw", "undo", "redo", "agree", "refuse")
MESSAGES: list[dict[str, Any]] = [
    *({"do": "take", "option": option} for option in ("take(1)", "bid(1)", "take(9)")),
    *({"do": do} for do in ("withdraw", "undo", "redo", "agree", "refuse", "person", "log")),
    {"do": "name", "name": "Ada"},
    {"do": "moves", "before": 3},
    *({"do": "bot", "seat": seat, "bot": bot} for seat in ("", "A") for bot in ("random", "flat:64")),
]
ORDERS: list[dict[str, Any]] = [
    *({"do": "bot", "game": "t", "seat": "A", "bot": bot} for bot in ("random", "flat:64", "none")),
    *({"do": "deadline", "game": "t", "seconds": seconds} for seconds in (0, 90, -1)),
    {"do": "log", "game": "t"},
]
SENDERS = ("seat", "second tab", "another seat", "spectator", "owner")


@cache
def rules_of(ref: str) -> TableRules:
    return TableRules(load_ruleset(ref))


class Room:
    """A table of two, and all pages that look at it."""

    def __init__(self, state: str) -> None:
        clock = Clock()
        rules = rules_of("wager" if state == "round open" else "nim")
        game = Game(rules.ruleset, "AB")
        while state == "game over" and not game.is_over:
            game.apply(next(iter(game.legal_options)))
        seats = {"A": msgspec.structs.replace(STATES[state]), "B": Seat("person", "Bob")}
        self.hall, self.table = hall_with(rules, game, seats, 9, clock=clock)
        self.table.advance()
        self.table.confirm()
        clock.now += 10 if state == "late" else 4
        keys = keys_of(self.hall)
        roles = {"seat": "seat:A", "second tab": "seat:A", "another seat": "seat:B"}
        roles |= {who: who for who in ("spectator", "owner")}
        present = {who: role for who, role in roles.items() if (state, role) != ("away", "seat:A")}
        self.pages = {who: Page(self.hall, keys[role]) for who, role in present.items()}

    async def __aenter__(self) -> Room:
        self.hall._thinking.ask = lambda *_: asyncio.get_running_loop().create_future()  # type: ignore[assignment]
        await done()
        return self

    async def __aexit__(self, *_: object) -> None:
        for page in self.pages.values():
            await page.close()

    def standing(self) -> Any:
        """All that the table is, and all that each viewer has of it."""
        aside = msgspec.to_builtins(msgspec.structs.replace(self.table.aside, at=0.0))
        return aside, self.table.game.hash, listed(self.hall), [self.table.say(viewer) for viewer in ("A", "B", None)]


def refusals(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers that are no frames."""
    return [answer for answer in answers if not answer.keys() & {"frame", "tables"}]


async def sent_twice(state: str, message: dict[str, Any], first: str, second: str) -> None:
    async with Room(state) as room:
        if first not in room.pages:
            return
        if message["do"] in DEPENDS and first != "owner":
            message = {**message, "serial": room.pages[first].serial}
        answer = refusals(await room.pages[first].ask(message))
        before = room.standing()
        again = refusals(await room.pages[second].ask(message))
        what = state, message, first, second
        assert room.standing() == before, what
        stale = [answer.get("refused", {}).get("stale") for answer in again] == [True]
        assert again == answer or (not answer and stale and message["do"] in DEPENDS), (what, answer, again)


@pytest.mark.parametrize("sender", SENDERS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.sampled(2)
def test_the_second_changes_nothing_and_is_answered_as_the_first(state: str, sender: str) -> None:
    async def all_of_them() -> None:
        for message in [*MESSAGES, *ORDERS * (sender == "owner")]:
            await sent_twice(state, message, sender, sender)
            if sender == "seat":
                await sent_twice(state, message, sender, "second tab")

    asyncio.run(all_of_them())
