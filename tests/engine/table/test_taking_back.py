"""Undo: free and by request, redo, return to a move, absent players, and secrets."""

from __future__ import annotations

from typing import Any

import pytest
from proofs import proofs_but
from secret_games import DECIDED, HIDING, played, sabotaged, twins
from tables import FRAME, Clock, new_table, proceed, send, still_table
from takebacks import ROWS, Row, rules_of

from rulespec.engine.game.ahead import Ahead
from rulespec.engine.game.game import Game, game_at
from rulespec.engine.game.seat_knowledge import learned
from rulespec.engine.logs.sealed import pending
from rulespec.engine.table import taking_back
from rulespec.engine.table.messages import STALE, Message, MessageRefusal
from rulespec.engine.table.seats import Seat
from rulespec.engine.table.table import Table
from rulespec.typed import nodes as typed

pytestmark = pytest.mark.usefixtures("known_rulesets")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, typed.Ruleset]:
    folder = tmp_path_factory.mktemp("takebacks")
    return {secret: rules_of(folder, secret=secret) for secret in (False, True)}


def table_at(row: Row, ruleset: typed.Ruleset, **how: Any) -> Table:
    """A table after the plays of a row."""
    names = row.seats.upper().replace("*", "")
    table = still_table(Game(ruleset, names), **how)
    for number, seat in enumerate(row.seats.replace("*", "")):
        if seat.islower():
            table.aside.seats[names[number]] = Seat("bot", "", "flat:64", stand_in="*" in row.seats)
    table.set_undo(how.get("absent", 0), row.answers)
    proceed(table)
    for play in row.plays.split(", "):
        seat, _, text = play.partition(" ")
        assert table.decide(seat.upper(), text) is None, play
        proceed(table)
    return table


@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_step_is_free_as_long_as_nothing_has_come_of_it_for_others(
    row: Row, secret: bool, rules: dict[bool, typed.Ruleset]
) -> None:
    table, who = table_at(row, rules[secret]), row.who
    expected = row.secret if secret else row.open
    frame = table.say(who)
    FRAME.validate(frame)
    assert table.free(who) == frame["free"] == expected
    sealed = pending(table.game)
    for seat in table.game.seats if expected and not sealed else ():
        assert learned(table.game, seat, expected) == ()
    ply, own = table.game.ply, table.played.since_last_of({who})
    refusal = send(table, who, do="undo")
    asked = table.say("C" if "C" in row.seats else "B")["undo"]
    if expected:
        assert refusal is None and table.game.ply == ply - own and asked is None and table.say(who)["redo"] > 0
    elif who in table.played.early.chosen or table.game.ply < ply:  # a choice was withdrawn, or only bots are asked
        assert asked is None
    elif len(table.people) > 1:
        assert table.game.ply == ply and asked["decisions"] == own


def test_there_are_forty_rows() -> None:
    assert 2 * len(ROWS) >= 40 and {row.seats for row in ROWS} == {"AB", "Ab", "Ab*", "ABC"}


@pytest.mark.parametrize("secret", [False, True])
def test_what_was_taken_back_is_taken_again(secret: bool, rules: dict[bool, typed.Ruleset]) -> None:
    table = table_at(Row("A plain, A query, b answer, A plain", 4, 4, "Ab"), rules[secret])
    before, history = table.game.hash, [str(o) for o in table.game.history]
    assert send(table, "A", do="undo", to=0) is None and table.game.ply == 0
    assert table.say("A")["redo"] == 4 and table.say("B")["redo"] == 0
    assert send(table, "B", do="redo") == MessageRefusal("there is nothing to redo")
    assert send(table, "A", do="redo") is None
    assert table.game.hash == before and [str(o) for o in table.game.history] == history
    assert table.say("A")["redo"] == 0 and table.say("A")["free"] == 4
    send(table, "A", do="undo")
    send(table, "A", do="take", option="query")
    assert table.say("A")["redo"] == 0, "another decision ends it"


def test_sealed_choices_of_others_come_again_with_redo(rules: dict[bool, typed.Ruleset]) -> None:
    plays = "A pass_on, B plain, B poll, A choose(2), C choose(3)"
    table = table_at(Row(plays, 3, 3, "ABC"), rules[True])
    salts = [step.salt for step in pending(table.game)]
    assert len(salts) == 1 and table.say("B")["ready"] == ["A", "C"]
    assert send(table, "B", do="undo") is None and table.game.ply == 2 and table.say("B")["ready"] == []
    assert send(table, "B", do="redo") is None
    assert table.say("B")["ready"] == ["A", "C"] and table.say("A")["chosen"] == "choose(2)"
    assert [step.salt for step in pending(table.game)] == salts
    assert "choose" not in str(table.say("B")["moves"])


def test_redo_stops_where_another_person_has_decided(rules: dict[bool, typed.Ruleset]) -> None:
    table = table_at(Row("A plain, A pass_on, B plain, B pass_on, A plain", 1, 1), rules[False])
    assert send(table, "A", do="undo", to=0) is None and send(table, "B", do="agree") is None
    assert table.game.ply == 0 and table.say("A")["redo"] == 2
    assert send(table, "A", do="redo") is None
    assert [str(o) for o in table.game.history] == ["plain", "pass_on"] and table.say("A")["redo"] == 0


@pytest.mark.parametrize("to", [-7, 3, 10**9, 2])
def test_only_decisions_of_people_can_be_gone_back_to(to: int, rules: dict[bool, typed.Ruleset]) -> None:
    table = table_at(Row("A plain, A roll", 0, 0), rules[False])
    before = table.game.ply
    refusal = send(table, "A", do="undo", to=to)
    if to < 0:  # the player's own last decision
        assert refusal is None and table.say("B")["undo"]["decisions"] == 2
    else:
        assert refusal == MessageRefusal("no person made that decision")
    assert table.game.ply == before == 3


def test_a_request_names_what_it_takes_back(rules: dict[bool, typed.Ruleset]) -> None:
    table = table_at(Row("A plain, A keep(2), A query, B answer, A roll, B shout(B)", 0, 0), rules[True])
    send(table, "A", do="undo", to=1)
    frame = table.say("B")
    FRAME.validate(frame)
    undo = frame["undo"]
    assert [text.split(" ", 1)[1] for text in undo["own"]] == ["keep: a hidden number", "query", "roll"] and undo[
        "more"
    ] == 0
    assert undo["beside"] == {"B": 2, "": 1}
    assert "keep: 2" in table.say("A")["undo"]["own"][0]


def test_a_request_is_withdrawn_and_another_one_takes_its_place(rules: dict[bool, typed.Ruleset]) -> None:
    table = table_at(Row("A plain, A pass_on, B plain", 0, 0), rules[False])
    send(table, "A", do="undo")
    asked = table.say("B")["serial"]
    send(table, "A", do="undo", to=0)
    assert table.hear("B", Message("agree", asked)) == STALE, "what B has read is no longer asked"
    assert table.say("B")["undo"]["decisions"] == 3
    assert send(table, "A", do="refuse") is None and table.say("B")["undo"] is None and table.game.ply == 3


@pytest.mark.parametrize("absent, later, back", [(0, 10**6, 3), (60, 59, 3), (60, 60, 1)])
def test_who_is_away_for_too_long_is_not_asked(
    absent: int, later: int, back: int, rules: dict[bool, typed.Ruleset]
) -> None:
    clock = Clock()
    table = table_at(Row("A plain, A pass_on, B plain", 0, 0, "ABC"), rules[False], clock=clock)
    table.set_undo(absent, answers=False)
    table.present = ["A", "B"]
    send(table, "A", do="undo")
    send(table, "B", do="agree")
    assert table.game.ply == 3, "C is asked when back"
    clock.now += later
    assert table.settle() == (back == 1) and table.game.ply == back
    proceed(table)
    notes = table.say(None)["backs"]
    assert notes == ([{"at": 1, "by": "A", "decisions": 2, "unasked": ["C"]}] if back == 1 else [])


def test_who_comes_back_in_time_is_asked(rules: dict[bool, typed.Ruleset]) -> None:
    clock = Clock()
    table = table_at(Row("A plain, A pass_on, B plain", 0, 0, "ABC"), rules[False], clock=clock)
    table.set_undo(60, answers=False)
    table.present = ["A", "B"]
    send(table, "A", do="undo")
    clock.now += 60
    table.present = ["A", "B", "C"]
    send(table, "B", do="agree")
    assert table.game.ply == 3 and send(table, "C", do="agree") is None and table.game.ply == 1


def test_what_could_not_be_saved_is_as_before(rules: dict[bool, typed.Ruleset]) -> None:
    table = table_at(Row("A plain, A plain", 2, 2), rules[True])
    before, seen = table.aside, {seat: table.say(seat) for seat in "AB"}
    assert table.hear("A", Message("undo", table.say("A")["serial"])) is None and table.game.ply == 1
    table.revert()
    assert table.game.ply == 2 and table.aside == before and {s: table.say(s) for s in "AB"} == seen
    send(table, "A", do="undo")
    before = table.aside
    assert table.hear("A", Message("redo", table.say("A")["serial"])) is None and table.game.ply == 2
    table.revert()
    assert table.game.ply == 1 and table.aside == before and table.say("A")["redo"] == 1


# --- secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ref", proofs_but(DECIDED, "kuhn_poker", "liars_dice"))
def test_whether_a_step_is_free_is_the_same_where_games_look_the_same(ref: str) -> None:
    compared = 0
    for game, twin, seat in twins(ref, range(6), 20):
        for one, other in zip(positions(game), positions(twin), strict=True):
            counts = [taking_back.FreeSteps().count(each, seat, ()) for each in (one, other)]
            assert counts[0] == counts[1]
            compared += 1
    assert compared > 20


def positions(game: Game) -> list[Game]:
    """The positions of a game, last first."""
    results = [game.copy()]
    while results[-1].ply:
        past = results[-1].copy()
        past.undo()
        results.append(past)
    return results


@pytest.mark.parametrize("ref", HIDING)
@pytest.mark.sampled(1)
def test_a_sabotaged_position_gives_the_same_answer(ref: str) -> None:
    """With other hidden cells, undoing the same open option is equally free."""
    compared = 0
    for seed in range(4):
        game, other = played(ref, seed, 30), played(ref, seed + 7, 39)
        decision = game.decision
        if decision is None or decision.by is None or decision.together:
            continue
        twin = sabotaged(game, decision.by, other)
        base = game_at(game, game.omniscient.numbers.cells)
        for option in list(game.legal_options)[:5]:
            counts = []
            for each in (base.copy(), twin.copy()):
                if each.is_legal(option):
                    each.apply(each.parse(str(option)))
                    counts.append(taking_back.FreeSteps().count(each, decision.by, ()))
            assert len(set(counts)) <= 1
            compared += len(counts) == 2
    assert compared


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch, rules: dict[bool, typed.Ruleset]) -> None:
    """With a count that read hidden cells, `blind` would be free, and the test above would fail."""
    monkeypatch.setattr(
        taking_back, "ahead", lambda game, option, seat: Ahead((), (), frozenset(), frozenset(), whole=True)
    )
    monkeypatch.setattr(taking_back, "shows_more", lambda game, of: False)
    assert table_at(Row("A blind", 1, 0), rules[True]).free("A") == 1


@pytest.mark.parametrize("ref", ["kuhn_poker", "leduc_poker", "liars_dice", "tutorial"])
def test_what_is_free_has_taught_nobody(ref: str) -> None:
    free = 0
    for seed in range(4):
        for game in positions(played(ref, seed, 25)):
            for seat in game.seats:
                number = taking_back.FreeSteps().count(game, seat, ())
                free += number > 0
                if number and not pending(game):
                    assert all(learned(game, other, number) == () for other in game.seats)
    assert free


def test_all_is_shown_so_nothing_is_free() -> None:
    table = new_table("kuhn_poker", 2, reveals=True)
    while not table.game.is_over:
        seat = next(iter(table.say(None)["asked"]["waiting"]))
        send(table, seat, do="take", option=table.say(seat)["options"][0]["text"])
    assert table.free("A") == table.free("B") == 0
