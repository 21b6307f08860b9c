"""A table of players and bots: messages, views, undo by agreement, deadlines, saving."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cases import small
from proofs import proofs_but
from shipped import NAMES
from tables import FRAME, MESSAGE, Clock, new_table, proceed, send, table_of

from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.secrets import NOT_YOURS
from rulespec.engine.table.messages import STALE, Message, MessageRefusal, read_message
from rulespec.engine.table.seats import Unlogged
from rulespec.engine.table.table import Table
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

NOBODY = """
procedure play():
    decide first by the(p in player where p.index == 1):
        option go(n in 0 .. 2):
            set k to n
    decide second by any of {p in player where p.index < k}:
        option go:
            pass
    end game
--- kinds.yaml
kinds: {player: {}}
state: {k: {type: int}}
"""
QUEUE = """
procedure play():
    repeat at most 3:
        decide turn by first(player):
            option back(x in queue):
                take x from queue
                add x to queue
    end game
--- kinds.yaml
kinds: {player: {}, car: {entities: {%s}}}
state: {queue: {type: order car, start: car}}
""" % ", ".join(f"c{i}: {{}}" for i in range(30))  # noqa: UP031
pytestmark = pytest.mark.usefixtures("known_rulesets")


def options(table: Table, seat: str) -> list[str]:
    return [option["text"] for option in table.say(seat)["options"]]


def test_an_order_of_many_is_sent(tmp_path: Path) -> None:
    table = table_of(Game(small(tmp_path / "small", QUEUE), ["A", "B"]))
    assert [f"c{i}" for i in range(30)] in table.say("A")["cells"].values()
    serial = table.say("A")["serial"]
    assert send(table, "A", do="take", option="back(c0)") is None
    assert [*(f"c{i}" for i in range(1, 30)), "c0"] in table.say("A", serial)["cells"].values()


def test_who_decides_has_options_and_others_have_none() -> None:
    table = new_table("nim", 2)
    assert options(table, "A") == ["take(1)", "take(2)", "take(3)"] and options(table, "B") == []
    assert table.say(None)["options"] == [] and list(table.say(None)["asked"]["waiting"]) == ["A"]
    first = table.say("A")["options"][0]
    assert first["arguments"] == [{"kind": "int", "id": "1"}] and "1" in first["words"]
    assert "out_of_turn" not in first, "what is false or empty is left out"
    assert table.say("A")["asked"].keys() == {"decision", "text", "who", "waiting"}


def test_a_difference_has_what_has_changed_and_nothing_else() -> None:
    table = new_table("nim", 2)
    whole = table.say("A")
    assert send(table, "A", do="take", option="take(2)") is None
    frame = table.say("A", whole["serial"])
    assert set(frame) == {"serial", "since", "turn", "asked", "options", "moves", "cells", "free"}
    assert frame["cells"]["0"] == whole["cells"]["0"] - 2
    assert frame["moves"]["count"] == 1 and [*frame["moves"]["texts"]] == ["0"]
    again = table.say("A", frame["serial"])
    assert set(again) == {"serial", "since", "turn", "moves"} and again["moves"]["texts"] == {}


def test_what_is_put_together_of_differences_is_the_whole() -> None:
    table = new_table("imperial", 3, "random", "random")
    has: dict[str, Any] = {}
    for _ in range(30):
        frame = table.say("A", has.get("serial", 0))
        cells = {**has.get("cells", {}), **frame.get("cells", {})}
        texts = {**has.get("moves", {}).get("texts", {}), **frame["moves"]["texts"]}
        has |= frame | {"cells": cells}
        has["moves"] = {"count": frame["moves"]["count"], "texts": texts}
        whole = table.say("A")
        assert {at: v for at, v in has["cells"].items() if v != 0 or at in whole["cells"]} == whole["cells"]
        assert all(has["moves"]["texts"][n] == text for n, text in whole["moves"]["texts"].items())
        assert {k: has[k] for k in whole if k not in ("since", "cells", "moves")} == {
            k: whole[k] for k in whole if k not in ("since", "cells", "moves")
        }
        assert send(table, "A", do="take", option=options(table, "A")[0]) is None


@pytest.mark.parametrize("repeated", ["at once", "later"])
def test_a_message_that_is_sent_again_changes_nothing(repeated: str) -> None:
    table = new_table("nim", 2)
    message = Message("take", table.say("A")["serial"], "take(1)")
    assert table.hear("A", message) is None
    proceed(table)
    if repeated == "later":
        send(table, "B", do="take", option="take(1)")
    assert table.hear("A", message) == STALE and table.game.ply == (1 if repeated == "at once" else 2)


def test_what_is_not_legal_says_why() -> None:
    table = new_table("nim", 2)
    refusal = send(table, "A", do="take", option="take(9)")
    assert refusal == MessageRefusal("NIM-03: one to three stones", {"n": "9"})
    other = send(table, "B", do="take", option="take(1)")
    assert other is not None and other.text == NOT_YOURS
    assert send(table, None, do="take", option="take(1)") == MessageRefusal("spectators can only watch")
    assert table.game.ply == 0


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "take",
        {"do": "fly"},
        {"do": "take", "option": 3},
        {"do": "take", "else": 1},
        {"do": "name", "name": "x" * 9999},
    ],
)
def test_a_message_of_another_form_is_refused(data: object) -> None:
    assert isinstance(read_message(data), MessageRefusal) and not MESSAGE.is_valid(data)


def test_a_free_seat_waits_for_a_person() -> None:
    table = new_table("nim", 2)
    table.aside.seats["A"].kind = "free"
    table.confirm()
    assert options(table, "A") == []
    assert send(table, "A", do="name", name="  <b>Ann</b>\n ") is None
    seat = table.say("B")["seats"][0]
    assert seat["name"] == "<b>Ann</b>" and seat["kind"] == "person" and options(table, "A")


def test_names_are_in_the_words_of_moves() -> None:
    table = new_table("nim", 2)
    send(table, "A", do="name", name="Ann")
    send(table, "A", do="take", option="take(1)")
    assert table.say("B")["moves"]["texts"]["0"]["text"].startswith("Ann")


def test_a_new_name_is_in_the_words_of_earlier_moves() -> None:
    table = new_table("nim", 2)
    send(table, "A", do="take", option="take(1)")
    before = table.say("B")["serial"]
    send(table, "B", do="name", name="Bob")
    assert "0" not in table.say("B", before)["moves"]["texts"]  # it does not name Bob
    send(table, "A", do="name", name="Ann")
    assert table.say("B", before)["moves"]["texts"]["0"]["text"].startswith("Ann")


# --- rounds -----------------------------------------------------------------------------------


def test_choices_of_a_round_come_in_any_order_and_stay_secret() -> None:
    table = new_table("wager", 3)
    before = table.say("A")["serial"]
    assert send(table, "C", do="take", option="bid(1)") is None
    frame = table.say("A")
    assert frame["ready"] == ["C"] and "bid(1)" not in json.dumps([table.say("A", before), frame["moves"]])
    assert table.say("C")["chosen"] == "bid(1)" and table.say("C")["options"] == []
    assert table.hear("A", Message("take", before, "bid(3)")) is None  # not stale by others' choices
    proceed(table)
    assert send(table, "C", do="withdraw") is None and table.say("A")["ready"] == ["A"]
    assert send(table, "C", do="take", option="bid(0)") is None and send(table, "B", do="take", option="bid(2)") is None
    texts = [move["text"] for move in table.say("A")["moves"]["texts"].values()]
    assert any("bid: 0" in text for text in texts)


def test_a_choice_of_a_round_is_saved_before_the_game_takes_it() -> None:
    table = new_table("wager", 3)
    send(table, "C", do="take", option="bid(1)")
    saved = table.aside
    assert saved.choices["C"][0] == "bid(1)"
    game = Game(table.game.ruleset, table.game.seats)
    for option in table.game.history:
        game.apply(game.parse(str(option), option.by))
    again = Table(Words(game.ruleset), game, saved)
    assert again.say("C")["chosen"] == "bid(1)" and again.aside.choices == saved.choices


# --- taking back ------------------------------------------------------------------------------


def test_to_take_back_goes_to_my_last_decision_if_all_agree() -> None:
    table = new_table("nim", 2)
    for seat, option in (("A", "take(1)"), ("B", "take(2)"), ("A", "take(3)"), ("B", "take(1)")):
        send(table, seat, do="take", option=option)
    before = table.say("B")["serial"]
    assert send(table, "A", do="undo") is None
    assert table.game.ply == 4 and table.say("B")["undo"]["decisions"] == 2
    assert table.hear("B", Message("take", before, "take(1)")) == STALE
    assert send(table, "B", do="agree") is None
    assert [str(o) for o in table.game.history] == ["take(1)", "take(2)"] and table.say("B")["undo"] is None
    assert table.say("B", before)["moves"] == {"count": 2, "texts": {}}


def test_who_refuses_ends_it_and_so_does_a_decision() -> None:
    table = new_table("nim", 2)
    send(table, "A", do="take", option="take(1)")
    send(table, "B", do="take", option="take(1)")
    send(table, "A", do="undo")
    assert send(table, "B", do="refuse") is None and table.say("A")["undo"] is None
    send(table, "A", do="undo")
    assert send(table, "A", do="take", option="take(1)") is None and table.say("A")["undo"] is None
    assert table.game.ply == 3


def test_bots_agree() -> None:
    table = new_table("nim", 2, "random")
    send(table, "A", do="take", option="take(1)")
    assert table.game.ply == 2
    assert send(table, "A", do="undo") is None
    assert [*table.game.history] == []


def test_who_is_asked_sees_what_was_learned() -> None:
    table = new_table("kuhn_poker", 2)
    for seat, number in (("A", 1), ("B", 0)):
        send(table, seat, do="take", option=options(table, seat)[number])
    send(table, "A", do="undo")
    assert not table.game.is_over and table.say("B")["undo"]["learned"] == []
    FRAME.validate(table.say("B"))


# --- bots, deadlines, saving --------------------------------------------------------------------


def test_whose_time_is_over_may_be_handed_to_a_bot() -> None:
    clock = Clock()
    table = new_table("nim", 2, deadline=60, clock=clock)
    assert send(table, "B", do="bot", seat="A", bot="random") == MessageRefusal("this seat still has time")
    clock.now += 60
    assert table.late() == ("A",)
    assert send(table, "B", do="bot", seat="A", bot="random") is None and table.game.ply == 1
    assert send(table, "A", do="take", option="take(1)") == MessageRefusal("a bot plays this seat")
    assert send(table, "A", do="person") is None
    send(table, "B", do="take", option="take(1)")
    assert send(table, "A", do="take", option="take(1)") is None


def test_in_a_round_each_seat_has_its_own_time() -> None:
    clock = Clock()
    table = new_table("wager", 3, deadline=60, clock=clock)
    send(table, "B", do="take", option="bid(0)")
    clock.now += 61
    assert set(table.late()) == {"A", "C"}
    for seat in ("A", "C"):
        assert send(table, "B", do="bot", seat=seat, bot="random") is None
    assert table.game.ply > 3


def test_a_bot_that_thinks_is_waited_for() -> None:
    table = new_table("nim", 2, "flat:64")
    send(table, "A", do="take", option="take(1)")
    assert table.thinker == "B" and table.decide("B", "take(2)") is None
    proceed(table)
    assert (table.thinker or "", table.game.ply) == ("", 2)


def test_what_cannot_be_saved_is_undone() -> None:
    table = new_table("wager", 3)
    send(table, "C", do="take", option="bid(1)")
    before, seen = table.aside, {seat: table.say(seat) for seat in "ABC"}
    hash_ = table.game.hash
    for seat, message in (
        ("C", Message("withdraw")),
        ("A", Message("take", 0, "bid(1)")),
        ("B", Message("name", name="Bob")),
    ):
        message = Message(message.do, table.say(seat)["serial"], message.option, message.name)
        assert table.hear(seat, message) is None
        table.advance()
        table.revert()
        assert table.game.hash == hash_ and table.aside == before and table.game.names["B"] == "B"
        assert {s: table.say(s) for s in "ABC"} == seen


def test_decisions_that_are_taken_back_come_again_if_that_cannot_be_saved() -> None:
    table = new_table("nim", 2)
    send(table, "A", do="take", option="take(1)")
    send(table, "B", do="take", option="take(1)")
    send(table, "A", do="undo")
    assert table.hear("B", Message("agree", table.say("B")["serial"])) is None and table.game.ply == 0
    table.revert()
    assert table.game.ply == 2 and table.say("B")["undo"] is not None


def test_a_decision_that_nobody_may_take_is_a_fault_that_is_taken_back(tmp_path: Path) -> None:
    table = table_of(Game(small(tmp_path / "nobody", NOBODY), "AB"))
    assert send(table, "B", do="take", option="go(0)") is None
    assert table.say("A")["fault"] and table.thinker is None
    assert send(table, "A", do="take", option="go(0)") == MessageRefusal("the rules are at fault here")
    assert send(table, "B", do="undo") is None
    assert not table.say("A")["fault"] and send(table, "B", do="take", option="go(1)") is None


def test_a_game_of_bots_is_played_to_its_end() -> None:
    table = table_of(Game(load_ruleset("nim"), "AB"), "random", "random")
    assert table.say(None)["result"]["winners"]


def test_earlier_moves_are_there_for_who_asks() -> None:
    table = new_table("tutorial", 2, "random")
    while not table.game.is_over and table.game.ply < 45:
        send(table, "A", do="take", option=options(table, "A")[0])
    assert len(table.say("A")["moves"]["texts"]) <= 30 < table.game.ply
    earlier = table.earlier("A", 10)["earlier"]
    assert [*map(int, earlier)] == list(range(10)) and all(move["text"] for move in earlier.values())
    assert table.earlier("A", 10**9)["earlier"] and table.earlier("A", -5) == {"earlier": {}}


def test_aside_survives_json() -> None:
    table = new_table("wager", 3)
    send(table, "C", do="take", option="bid(1)")
    send(table, "A", do="name", name="Ann")
    assert msgspec.json.decode(msgspec.json.encode(table.aside), type=Unlogged) == table.aside


@pytest.mark.parametrize("ref", proofs_but([*NAMES, "wager"], "dominion", "wager"))
def test_nobody_who_is_gone_blocks_a_table(ref: str) -> None:
    """One seat never decides: after its time, another seat lets a bot take over, at any kind of decision."""
    ruleset, clock, rng = load_ruleset(ref), Clock(), random.Random(1)
    seats = seat_names(min(max(2, ruleset.players[0]), ruleset.players[1]), ruleset.seats)
    if len(seats) < 2:
        return
    table = table_of(Game(ruleset, seats), deadline=60, clock=clock)
    gone, stays = seats[0], seats[1]
    for _ in range(25):
        asked = table.say(None)["asked"]
        if asked is None:
            break
        before = table.game.hash, table.seats[gone].kind
        seat = rng.choice([*asked["waiting"]])
        if seat != gone:
            assert send(table, seat, do="take", option=rng.choice(options(table, seat))) is None
            continue
        assert send(table, stays, do="bot", seat=gone, bot="random") is not None
        clock.now += 61
        assert send(table, stays, do="bot", seat=gone, bot="random") is None
        assert (table.game.hash, table.seats[gone].kind) != before
    assert table.game.ply > 0
