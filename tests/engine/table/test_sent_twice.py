"""A message that is sent again changes nothing and is answered as the first: every state, message and sender."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import msgspec
import pytest
from tables import Clock, proceed

from rulespec.engine.game.game import Game
from rulespec.engine.table.messages import STALE, Deed, Message, MessageRefusal
from rulespec.engine.table.seats import Seat, Unlogged
from rulespec.engine.table.table import Table
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")

PERSON, THINKS = Seat("person", "Ann"), "flat:64"
OF_A = {
    "free": Seat(),
    "person": PERSON,
    "late": PERSON,
    "late and free": Seat(),
    "bot from the start": Seat("bot", "", THINKS),
    "bot standing in": Seat("bot", "Ann", THINKS, stand_in=True),
    "bot before anybody": Seat("bot", "", THINKS, stand_in=True),
    "game over": PERSON,
    "bot at the end": Seat("bot", "Ann", "random", stand_in=True),
    "round open": PERSON,
    "chosen in a round": PERSON,
    "bot in a round": Seat("bot", "Ann", "random", stand_in=True),
    "asked to take back": PERSON,
    "asks to take back": PERSON,
    "has taken back": PERSON,
}
"""State → the seat A, which is to decide in most of them."""
MESSAGES = [
    *(Message("take", option=text) for text in ("take(1)", "take(9)", "bid(1)", "bid(9)", "nonsense")),
    *(Message(do) for do in ("withdraw", "undo", "redo", "agree", "refuse", "person")),
    *(Message(do) for do in ("moves", "preview", "why", "reason")),
    *(Message("name", name=name) for name in ("Ada", " ")),
    *(Message("bot", seat=seat, bot=bot) for seat in ("", "A", "B", "nobody") for bot in ("random", THINKS, "")),
]
SENDERS = ("A", "B", None)


@cache
def words_of(ref: str) -> Words:
    return Words(load_ruleset(ref))


def table_in(state: str) -> tuple[Table, Clock]:
    """A table of two in a state of the seat A."""
    clock, is_round = Clock(), "round" in state
    words = words_of("wager" if is_round else "nim")
    game = Game(words.ruleset, "AB")
    seats = {"A": msgspec.structs.replace(OF_A[state]), "B": Seat("person", "Bob")}
    while state in ("game over", "bot at the end") and not game.is_over:
        game.apply(next(iter(game.legal_options)))
    table = Table(words, game, Unlogged(seats, 1, 9), ("random", THINKS), clock)
    proceed(table)
    takes = {"asked to take back": [*"ABA"], "asks to take back": [*"AB"], "chosen in a round": ["A"]}
    takes["has taken back"] = ["A"]
    for seat in takes.get(state, ()):
        assert table.take(seat, "bid(0)" if is_round else "take(1)") is None
        proceed(table)
    if "taken back" in state:
        assert table.hear("A", Message("undo", table.say("A")["serial"])) is None
        proceed(table)
    if "take back" in state:
        asks = "B" if state == "asked to take back" else "A"
        assert table.hear(asks, Message("undo", table.say(asks)["serial"])) is None
    clock.now += 10 if "late" in state else 4
    proceed(table)
    return table, clock


def twin(table: Table, clock: Clock) -> Table:
    """Another table that stands as one does."""
    aside = msgspec.convert(msgspec.to_builtins(table.aside), Unlogged)
    return Table(table.words, table.game.copy(), aside, table.bots, clock, table.cells)


def standing(table: Table) -> Any:
    """All that a table is, and all that each viewer has of it."""
    aside = msgspec.structs.replace(table.aside, at=0.0)
    history = [(str(option), option.by) for option in table.game.history]
    return msgspec.to_builtins(aside), table.game.hash, history, [table.say(viewer) for viewer in (*"AB", None)]


def hear(table: Table, sender: str | None, message: Message) -> MessageRefusal | None:
    refusal = table.hear(sender, message)
    if refusal is None:
        proceed(table)
    return refusal


def test_all_messages_are_sent() -> None:
    assert {message.do for message in MESSAGES} == {*get_args(Deed)}


@pytest.mark.parametrize("state", OF_A)
@pytest.mark.sampled(2)
def test_a_message_that_is_sent_again_changes_nothing_and_is_answered_as_the_first(state: str) -> None:
    """An answer to a message that the game has left behind is the present state."""
    obeyed = 0
    begun, clock = table_in(state)
    for message in MESSAGES:
        for sender in SENDERS:
            table = twin(begun, clock)
            message = msgspec.structs.replace(message, serial=table.say(sender)["serial"])
            first = hear(table, sender, message)
            clock.now += 1
            before = standing(table)
            second = hear(table, sender, message)
            assert standing(table) == before, (message, sender)
            assert second == first or (first is None and second == STALE), (message, sender, first, second)
            assert second != STALE or message.do in ("take", "withdraw", "undo", "redo", "agree", "refuse")
            obeyed += first is None
    assert obeyed > 4


@pytest.mark.parametrize("state", ["free", "person", "late", "late and free", "round open", "game over"])
@pytest.mark.parametrize("sender", ["A", "B"])
@pytest.mark.parametrize("bots", [("random", "random"), (THINKS, THINKS), (THINKS, "random")])
def test_a_person_comes_back_however_often_a_bot_was_asked_for(state: str, sender: str, bots: tuple[str, ...]) -> None:
    table, _ = table_in(state)
    handed = [hear(table, sender, Message("bot", seat="A", bot=bot)) for bot in bots]
    if sender == "B" and "late" not in state:
        assert None not in handed and table.seats["A"].kind != "bot"
        return
    assert handed[0] is None and table.seats["A"].kind == "bot" and table.say("A")["seats"][0]["stand_in"]
    for _ in range(2):
        assert hear(table, "A", Message("person")) is None
        assert table.seats["A"] == Seat("person", OF_A[state].name)


def test_a_bot_from_the_start_stays_one() -> None:
    table, _ = table_in("bot from the start")
    for bot in ("random", THINKS):
        assert hear(table, "A", Message("bot", bot=bot)) is None
        assert hear(table, "A", Message("person")) == MessageRefusal("no bot replaces this seat")
    assert not table.seats["A"].stand_in


def test_who_sits_down_has_the_seat_that_a_bot_played_for_nobody() -> None:
    for state, kind in (("bot before anybody", "person"), ("bot standing in", "bot"), ("bot from the start", "person")):
        table, _ = table_in(state)
        for _ in range(2):
            assert hear(table, "A", Message("name", name="Ada")) is None
            assert (table.seats["A"].kind, table.seats["A"].name) == (kind, "Ada")


def test_a_bot_agrees_to_what_its_person_was_asked_for() -> None:
    table, _ = table_in("asked to take back")
    assert hear(table, "A", Message("bot", bot=THINKS)) is None
    assert table.game.ply == 1 and table.say("B")["undo"] is None


def test_who_asks_again_to_take_back_keeps_who_has_agreed() -> None:
    table, _ = table_in("asks to take back")
    request = table.aside.request
    assert request is not None
    request.agreed.append("nobody")
    table.confirm()
    assert hear(table, "A", Message("undo", serial=table.say("A")["serial"])) is None
    assert table.say("A")["undo"]["agreed"] == ["A", "nobody"]
