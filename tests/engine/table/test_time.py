"""Time limits of decisions: each starts when its seat is asked, and stops while nobody can decide."""

from __future__ import annotations

import msgspec
import pytest
from cases import small
from tables import Clock, new_table, proceed, send, table_of

from rulespec.engine.game.game import Game
from rulespec.engine.table.messages import MessageRefusal
from rulespec.engine.table.seats import Seat, Unlogged
from rulespec.engine.table.table import Table
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed

pytestmark = pytest.mark.usefixtures("known_rulesets")

NOT_OVER = MessageRefusal("this seat still has time")
TURNS = """
procedure play():
    repeat at most 20:
        for p in player:
            repeat at most 2:
                decide work by p:
                    option dig:
                        set dug to dug + 1
                    option object(q in player where q != p) by q:
                        set objections to objections + 1
                        ask again
                    option stop(q in player where q != p) by q:
                        set dug to 0
        decide heir by any of {p in player} lead the(p in player where p.index == 1):
            option name(q in player):
                pass
        repeat at most 2:
            decide vote together by p in player:
                option vote(n in 1 .. 3):
                    set dug to dug + n
--- kinds.yaml
kinds: {player: {}}
state: {dug: {type: int}, objections: {type: int}}
"""


@pytest.fixture(scope="module")
def ruleset(tmp_path_factory: pytest.TempPathFactory) -> typed.Ruleset:
    return small(tmp_path_factory.mktemp("small") / "turns", TURNS)


@pytest.fixture
def turns(ruleset: typed.Ruleset) -> Game:
    """A game in which A decides twice, then B, then C, then any of them, then all in two rounds."""
    return Game(ruleset, "ABC")


def waits(table: Table) -> dict[str, int]:
    """The seats to move, with the seconds used so far."""
    asked = table.say(None)["asked"]
    assert isinstance(table._clock, Clock)
    return {seat: int(table._clock.now) - at for seat, at in asked["waiting"].items()}


def dig(table: Table, seat: str) -> None:
    assert send(table, seat, do="take", option="dig") is None


def at_the_round(game: Game, clock: Clock) -> Table:
    """A table with a simultaneous decision open for 4 seconds."""
    while (decision := game.decision) is not None and not decision.together:
        game.apply(next(iter(game.legal_options)))
    table = table_of(game, deadline=9, clock=clock)
    clock.now += 4
    return table


@pytest.mark.parametrize("bots", [1, 2, 3])
def test_beside_bots_each_decision_has_its_own_time(bots: int) -> None:
    clock, decisions = Clock(), 0
    table = new_table("nim", bots + 1, *["random"] * bots, deadline=9, clock=clock)
    while not table.game.is_over:
        clock.now += 8
        assert waits(table) == {"A": 8} and table.late() == ()
        assert send(table, "A", do="take", option="take(1)") is None
        decisions += 1
    assert decisions > 1


def test_who_decides_in_time_is_handed_to_nobody(turns: Game) -> None:
    """Nine seconds per decision, one made every four seconds."""
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    for seat, other in zip("AABBCC", "BCCABA", strict=True):
        clock.now += 4
        assert send(table, other, do="bot", seat=seat, bot="random") == NOT_OVER
        dig(table, seat)


def test_a_seat_with_several_decisions_in_a_row_has_its_time_for_each(turns: Game) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    for seat in "AABBCC":
        assert waits(table) == {seat: 0}
        clock.now += 8
        dig(table, seat)
    clock.now += 9
    assert set(table.late()) == {"A", "B", "C"}, "any of them may decide, and none has"


def test_who_decides_for_all_begins_the_time_of_the_next_decision(turns: Game) -> None:
    while (decision := turns.decision) is not None and decision.name != "heir":
        turns.apply(turns.parse("dig"))
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    clock.now += 8
    assert send(table, "C", do="take", option="name(A)") is None
    assert waits(table) == dict.fromkeys("ABC", 0)


def test_in_a_round_the_choices_of_others_leave_the_time_of_a_seat(turns: Game) -> None:
    clock = Clock()
    table = at_the_round(turns, clock)
    for do in ({"do": "take", "option": "vote(1)"}, {"do": "withdraw"}, {"do": "take", "option": "vote(2)"}):
        assert send(table, "A", **do) is None
        assert waits(table)["B"] == waits(table)["C"] == 4 and waits(table).get("A", 0) == 0
    clock.now += 5
    assert set(table.late()) == {"B", "C"}


def test_who_withdraws_a_choice_has_time_for_another(turns: Game) -> None:
    clock = Clock()
    table = at_the_round(turns, clock)
    send(table, "A", do="take", option="vote(1)")
    clock.now += 20
    assert "A" not in table.late()
    send(table, "A", do="withdraw")
    assert waits(table) == {"A": 0, "B": 24, "C": 24}


@pytest.mark.parametrize("last", "ABC")
def test_the_next_round_has_its_own_time_also_for_who_chose_last(turns: Game, last: str) -> None:
    clock = Clock()
    table = at_the_round(turns, clock)
    for seat in [*"ABC".replace(last, ""), last]:
        assert send(table, seat, do="take", option="vote(1)") is None
        clock.now += 4
    assert table.say(None)["moves"]["count"] == 10
    assert waits(table) == dict.fromkeys("ABC", 4)


def test_out_of_turn_the_time_of_who_is_asked_runs_on(turns: Game) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    for _ in range(2):
        clock.now += 4
        assert send(table, "B", do="take", option="object(B)") is None
    assert waits(table) == {"A": 8}
    clock.now += 1
    assert table.late() == ("A",)


def test_who_ends_a_decision_out_of_turn_begins_the_next_one(turns: Game) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    dig(table, "A")
    clock.now += 8
    assert send(table, "C", do="take", option="stop(C)") is None
    assert waits(table) == {"B": 0}


def test_out_of_turn_in_the_same_game_of_gifts() -> None:
    """A gift is given during the others' bids: only the giver has decided."""
    clock = Clock()
    table = new_table("wager", 3, clock=clock, deadline=9)
    for seat, bid in zip("ABC", (2, 1, 0), strict=True):
        send(table, seat, do="take", option=f"bid({bid})")
    assert waits(table) == {"A": 0}
    clock.now += 5
    assert send(table, "B", do="take", option="give(B, C, 1)") is None and waits(table) == {"A": 5}
    assert send(table, "A", do="take", option="give(A, C, 1)") is None and waits(table) == {"A": 0}


def test_to_take_back_begins_the_time_again(turns: Game) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    for seat in "AABB":
        dig(table, seat)
    clock.now += 8
    assert send(table, "A", do="undo") is None and waits(table) == {"C": 8}
    for other in "BC":
        send(table, other, do="agree")
    assert waits(table) == {"A": 0}


def test_to_take_back_freely_wins_no_time(turns: Game) -> None:
    """Otherwise, deciding and undoing repeatedly would avoid the time limit."""
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    for seat in "AAB":
        dig(table, seat)
    clock.now += 4
    assert send(table, "B", do="undo") is None and waits(table) == {"B": 4}, "in the midst of its turn"
    dig(table, "B")
    dig(table, "B")
    clock.now += 3
    assert waits(table) == {"C": 3}
    assert send(table, "B", do="undo") is None and waits(table) == {"B": 0}
    clock.now += 5
    dig(table, "B")
    clock.now += 2
    assert send(table, "B", do="undo") is None and waits(table) == {"B": 5}, "the time of C is not its own"
    clock.now += 4
    assert table.late() == ("B",)


def test_to_take_back_into_a_round_begins_the_time_of_all(turns: Game) -> None:
    clock = Clock()
    table = at_the_round(turns, clock)
    for seat in "ABC":
        send(table, seat, do="take", option="vote(1)")
    clock.now += 8
    for seat, do in (("B", "undo"), ("A", "agree"), ("C", "agree")):
        assert send(table, seat, do=do) is None
    assert set(waits(table).values()) == {0} and "B" in waits(table)


def test_a_request_that_is_refused_leaves_the_time(turns: Game) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    for seat in "AAB":
        dig(table, seat)
    clock.now += 8
    send(table, "A", do="undo")
    send(table, "B", do="refuse")
    assert waits(table) == {"B": 8}


def test_a_bot_and_back_is_no_decision(turns: Game) -> None:
    """In a round, a bot waits for its turn, so handing the seat to a bot and back gains no time."""
    clock = Clock()
    table = at_the_round(turns, clock)
    assert send(table, "C", do="bot", bot="random") is None and "C" not in table.late()
    assert send(table, "C", do="person") is None and waits(table)["C"] == 4


def test_a_name_is_no_decision(turns: Game) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    clock.now += 8
    assert send(table, "A", do="name", name="Ann") is None and waits(table) == {"A": 8}


def test_who_sits_down_has_the_whole_time(turns: Game) -> None:
    clock = Clock()
    table = Table(Words(turns.ruleset), turns, Unlogged({seat: Seat() for seat in "ABC"}, 1, 9), clock=clock)
    clock.now += 20
    assert table.late() == ("A",)
    assert send(table, "A", do="name", name="Ann") is None and table.late() == () and waits(table) == {"A": 0}


# --- a server that is down ------------------------------------------------------------------------


def resumed(table: Table, clock: Clock, saved: bytes) -> Table:
    """The table as resumed by another process."""
    game = Game(table.game.ruleset, table.game.seats)
    for option in table.game.history:
        game.apply(game.parse(str(option), option.by))
    return Table(table.words, game, msgspec.json.decode(saved, type=Unlogged), clock=clock)


@pytest.mark.parametrize("down", [0, 3, 1_000_000])
def test_while_the_server_is_down_time_stops(turns: Game, down: int) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    clock.now += 5
    saved = msgspec.json.encode(table.aside)
    clock.now += down
    table = resumed(table, clock, saved)
    assert waits(table) == {"A": 5}
    clock.now += 3
    assert table.late() == ()
    clock.now += 1
    assert table.late() == ("A",)


def test_in_a_round_each_seat_goes_on_with_its_own_time(turns: Game) -> None:
    clock = Clock()
    table = at_the_round(turns, clock)
    send(table, "B", do="take", option="vote(2)")
    send(table, "B", do="withdraw")
    clock.now += 1
    saved = msgspec.json.encode(table.aside)
    clock.now += 100
    table = resumed(table, clock, saved)
    assert waits(table) == {"A": 5, "B": 1, "C": 5}
    assert send(table, "A", do="take", option="vote(2)") is None and waits(table) == {"B": 1, "C": 5}


def test_a_clock_that_was_set_back_meanwhile_gives_no_time(turns: Game) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    clock.now += 8
    saved = msgspec.json.encode(table.aside)
    clock.now -= 500
    assert waits(resumed(table, clock, saved)) == {"A": 8}


def test_a_store_of_before_begins_the_time_of_open_decisions(turns: Game) -> None:
    """Such a store has no time of its last save."""
    clock = Clock()
    saved = msgspec.json.encode(Unlogged({seat: Seat("person", seat) for seat in "ABC"}, 1, 9, {"A": 900.0}))
    clock.now += 1_000
    assert waits(resumed(table_of(turns, clock=clock), clock, saved)) == {"A": 0}


def test_what_cannot_be_saved_leaves_the_time(turns: Game) -> None:
    clock = Clock()
    table = table_of(turns, deadline=9, clock=clock)
    clock.now += 8
    assert table.take("A", "dig") is None
    table.advance()
    _ = table.aside
    table.revert()
    assert waits(table) == {"A": 8}
    proceed(table)
    assert waits(table) == {"A": 8}
