"""Messages of strangers: one strict reader for tables, owners and map pages; what it refuses is answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hall_pages import Page, Unstored, done, hall_with, keys_of

from rulespec.engine.game.game import Game
from rulespec.engine.table.messages import MessageRefusal, read_message
from rulespec.engine.table.seats import Seat
from rulespec.load import load_ruleset
from rulespec.serve.connection import FAILED, WRONG_KEY
from rulespec.serve.copies import fork
from rulespec.serve.edit.map_messages import read_message as read_edit
from rulespec.serve.hall import Hall
from rulespec.serve.socket_parts import read, read_key
from rulespec.serve.table_rules import TableRules

pytestmark = pytest.mark.usefixtures("known_rulesets")

UNKNOWN_TO_SEATS, UNKNOWN_TO_OWNERS = "this message is malformed", "this request is malformed"
HALF = "\\ud800"
"""Half a surrogate pair as JSON can escape it; no other text can have it."""
NO_JSON = ["", "{", "null", "NaN", '{"do": NaN}', "[" * 4_000, '"\ud800"', f'"{HALF}"', f'{{"{HALF}": 1}}', "x" * 4_097]
TEXTS = [HALF, "\\udfff", f"a{HALF}b", "\\ude00\\ud83d"]


def in_a_hall(what: Callable[[Hall, dict[str, str]], Awaitable[None]]) -> None:
    """Runs something in a hall with a table of nim."""

    async def run() -> None:
        rules = TableRules(load_ruleset("nim"))
        seats = {seat: Seat("person", seat) for seat in "AB"}
        hall, _ = hall_with(rules, Game(rules.ruleset, "AB"), seats)
        await what(hall, keys_of(hall))

    asyncio.run(run())


def refused(answers: list[dict[str, Any]]) -> list[str]:
    """The sentences of refusals."""
    return [answer["refused"]["text"] for answer in answers if "refused" in answer]


# --- the reader -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*NO_JSON[:2], *NO_JSON[3:]], ids=lambda text: ascii(text)[:20])
def test_what_is_no_json_is_read_by_nobody(text: str) -> None:
    assert read(text, object, 4_096) is None and read_key(text, 4_096) is None and read_edit(text * 20) is None


@pytest.mark.parametrize("half", TEXTS)
@pytest.mark.parametrize("of", ["option", "name", "seat", "bot"])
def test_half_a_surrogate_pair_is_in_no_message(half: str, of: str) -> None:
    assert read(f'{{"do": "take", "{of}": "{half}"}}', object, 4_096) is None
    assert read_edit(f'{{"do": "edit", "name": "{half}"}}') is None
    assert isinstance(read_message(json.loads(f'{{"do": "take", "{of}": "{half}"}}')), MessageRefusal)


def test_a_bound_is_in_bytes() -> None:
    assert read('"' + "é" * 4 + '"', str, 10) == "éééé" and read('"' + "é" * 4 + '"', str, 9) is None


@pytest.mark.parametrize("text", ['{"key": 3}', "[]", "{}", '"k"', '{"key": "k", "more": 1}', f'{{"key": "{HALF}"}}'])
def test_a_first_message_has_a_key_and_nothing_else(text: str) -> None:
    assert read_key(text, 4_096) is None and read_key('{"key": "k"}', 4_096) == "k"


# --- connections ----------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["seat:A", "spectator", "owner"])
def test_what_is_no_message_is_answered_and_the_next_one_is_heard(role: str) -> None:
    async def what(hall: Hall, keys: dict[str, str]) -> None:
        page = Page(hall, keys[role])
        sentence = UNKNOWN_TO_OWNERS if role == "owner" else UNKNOWN_TO_SEATS
        halves = [
            f'{{"do": "{do}", "{of}": "{HALF}"}}' for do, of in (("take", "option"), ("bot", "bot"), ("new", "x"))
        ]
        settings = f'{{"do": "new", "rules": "rules", "players": 2, "settings": {{"a": "{HALF}"}}}}'
        for text in [*NO_JSON[:6], *NO_JSON[7:], *halves, settings]:
            assert refused(await page.ask(text)) == [sentence], text
        assert await page.ask({"do": "log"} if role != "owner" else {"do": "log", "game": "t"})
        await page.close()

    in_a_hall(what)


def test_what_cannot_be_shown_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is sent nothing more would wait for ever."""

    async def what(hall: Hall, keys: dict[str, str]) -> None:
        page = Page(hall, keys["seat:A"])
        await done()
        monkeypatch.setattr(hall.games["t"].table, "say", lambda *_: {"serial": 9, "text": "\ud800"})
        await page.ask({"do": "name", "name": "Ann"})
        assert page.closed == FAILED

    in_a_hall(what)


@pytest.mark.parametrize("key", [HALF, "", "x" * 5_000])
def test_what_is_no_key_opens_nothing(key: str) -> None:
    async def what(hall: Hall, _: dict[str, str]) -> None:
        page = Page(hall, json.loads(f'"{key}"'))
        await done()
        assert page.closed == WRONG_KEY

    in_a_hall(what)


# --- the owner ------------------------------------------------------------------------------------


@pytest.mark.sampled(16)
@pytest.mark.parametrize(
    "order",
    [
        *(
            {"do": "renew", "game": game, "role": role}
            for game in ("", "x", "t A")
            for role in ("", "x", "owner", "seat:A")
        ),
        *({"do": "renew", "game": "t", "role": role} for role in ("", "owner", "alone", "seat:C", "seat:")),
        *({"do": do, "game": game} for do in ("delete", "log", "deadline") for game in ("", "x", "t A")),
        *({"do": do, "game": "t A", "seat": "A", "bot": "random"} for do in ("remove", "bot")),
        *({"do": "new", "rules": "rules", "players": 2, "bots": bots, "bot": "none"} for bots in (0, 1)),
        {"do": "new", "rules": "other", "players": 2},
    ],
    ids=str,
)
def test_an_order_for_no_table_or_no_bot_changes_nothing(order: dict[str, Any]) -> None:
    """A copy (`t A`) is a table of who tries something out, and no table of the owner's."""

    async def what(hall: Hall, keys: dict[str, str]) -> None:
        owner, other, ann = (Page(hall, keys[role]) for role in ("owner", "owner", "seat:A"))
        await done()
        await fork(hall, hall.games["t"], "A")
        assert isinstance(hall.store, Unstored)
        hall.store.saved.clear()
        games, known = dict(hall.games), dict(hall._keys)
        (sentence,) = refused(await owner.ask(order))
        assert sentence and (hall.games, hall._keys, hall.store.saved) == (games, known, [])
        assert [page.closed for page in (owner, other, ann)] == [None] * 3
        assert any(
            "tables" in answer for answer in await owner.ask({"do": "bot", "game": "t", "seat": "A", "bot": "random"})
        )

    in_a_hall(what)


@pytest.mark.parametrize("role", ["", "x", "seat:A", "spectator", "alone"])
def test_the_link_of_no_table_is_that_of_the_owner_alone(role: str) -> None:
    async def what(hall: Hall, _: dict[str, str]) -> None:
        with pytest.raises(KeyError):
            await hall.renew("", role)
        assert await hall.renew("", "owner")

    in_a_hall(what)


@pytest.mark.parametrize("name", ["\ud800", "Ann\udfff", "\ud800" * 50, "Ann\0\n Lee"])
def test_names_of_a_recorded_game_are_names_that_people_could_have_typed(name: str) -> None:
    """A log may have any text; frames and the store have only what can be sent."""

    async def what(hall: Hall, _: dict[str, str]) -> None:
        rules = hall.offers["rules"]
        game = Game(rules.ruleset, {"A": name, "B": "Bob"})
        game.omniscient.numbers.begin()
        live, keys = await hall.new(rules, game)
        page = Page(hall, keys["seat:B"])
        await done()
        seats = [seat["name"] for seat in page.received[-1]["frame"]["seats"]]
        assert seats == ["Ann Lee" if "Lee" in name else "Ann" if "Ann" in name else "A", "Bob"]
        assert live.table.game.names["A"] == seats[0] and page.closed is None

    in_a_hall(what)
