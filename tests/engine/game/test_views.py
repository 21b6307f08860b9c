"""Views of seats, and the output for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from worlds import WORLD, Play, take

from rulespec.engine.game.events import Event
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import Decision, Result
from rulespec.engine.game.views import SeenOption, View

BIDS = """
--- rules/play.rules
procedure play():
    repeat at most 2:
        decide bidding together by p in player:
            option bid(k in 1 .. 3):
                set p.secret to k
    decide last by first(player):
        option beat(q in player where q != first(player)):
            require not open             "V-01: too late"
            require q.secret < first(player).secret       "V-02: not beaten"
            let more = q.secret + 1
            set n to more
        option tell(q in player) by q:
            set m to q.secret
            ask again
state:
"""
SECRET = WORLD.replace("state:\n  n:", "state:\n  open: {type: bool}\n  n:")


@pytest.fixture
def game(play: Play) -> Game:
    return play(BIDS.replace("state:\n", "") + SECRET, "ann bob cid")


def history(game: Game, seat: str | None) -> list[str]:
    return [str(event) for event in game.view(seat).history]


def test_choices_of_a_round_are_shown_when_it_is_complete(game: Game) -> None:
    take(game, "bid(2)", "bid(3)")
    assert history(game, "ann") == ["ann: bid(2)", "bob: has chosen"]
    assert history(game, None) == ["ann: has chosen", "bob: has chosen"]
    take(game, "bid(1)")
    assert history(game, "ann") == ["ann: bid(2)", "bob: bid(3)", "cid: bid(1)"]
    take(game, "bid(1)")
    assert history(game, "bob") == ["ann: bid(2)", "bob: bid(3)", "cid: bid(1)", "ann: has chosen"]


@pytest.mark.parametrize("seat", ["ann", "bob", None])
def test_a_history_may_begin_later(game: Game, seat: str | None) -> None:
    for text in ("bid(2)", "bid(3)", "bid(1)", "bid(1)"):
        take(game, text)
        whole = game.view(seat)
        for since in range(game.ply + 1):
            assert game.view(seat, since) == msgspec.structs.replace(whole, history=whole.history[since:])


def test_options_say_the_kinds_of_their_parameters(game: Game) -> None:
    take(game, *["bid(2)", "bid(1)", "bid(3)"] * 2)
    assert game.legal_options[0].kinds == {"q": "player"} == game.view("ann").options[0].kinds


def test_a_view_has_the_options_of_its_seat_alone(game: Game) -> None:
    take(game, *["bid(2)", "bid(1)", "bid(3)"] * 2)
    ann, bob, public = game.view("ann"), game.view("bob"), game.view(None)
    assert [str(option) for option in ann.options] == ["beat(bob)"]
    assert not bob.options and [str(option) for option in bob.interrupts] == ["tell(bob)"]
    assert not public.options and not public.interrupts
    assert ann.waiting == bob.waiting == ("ann",) and ann.decision == game.decision


def test_what_is_hidden_is_not_in_a_view(game: Game) -> None:
    take(game, *["bid(2)", "bid(1)", "bid(3)"] * 2)
    view = game.view("ann")
    assert view.hidden == ("player.bob.secret", "player.cid.secret")
    assert view.state["entities"]["player"]["bob"] == {"cash": 8}
    assert {type(part) for part in reached(view)} <= _PARTS


_PARTS = {View, SeenOption, Event, Decision, Result, str, int, bool, type(None), tuple, list, dict}
"""The parts of a view: plain values, none of which leads back to the game."""


def reached(value: Any) -> Iterator[Any]:
    """The values that can be reached from a view."""
    yield value
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    elif isinstance(value, list | tuple):
        inner = list(value)
    elif isinstance(value, msgspec.Struct):
        inner = [getattr(value, name) for name in value.__struct_fields__]
    for part in inner:
        yield from reached(part)


def played(game: Game, *bids: str) -> Game:
    return take(game, *[f"bid({k})" for k in bids])


def test_who_sees_the_same_remembers_the_same(game: Game) -> None:
    one, other = played(restarted(game), *"21"), played(restarted(game), *"23")
    assert one.view("ann").memory == other.view("ann").memory and one.view("ann") == other.view("ann")
    assert one.view("bob").memory != other.view("bob").memory
    played(one, "1"), played(other, "1")
    assert one.view("ann").memory != other.view("ann").memory
    assert one.view("ann").hash == other.view("ann").hash  # what lies on the table is the same


def test_a_memory_does_not_depend_on_when_it_is_asked_for(game: Game) -> None:
    twin = restarted(game)
    for bid in "213213":
        played(game, bid), played(twin, bid)
        twin.view("ann"), twin.view(None)
    assert game.view("ann") == twin.view("ann")
    take(twin, "beat(bob)")
    assert twin.view("ann").memory != game.view("ann").memory
    twin.undo()
    assert twin.view("ann") == game.view("ann")


def test_options_that_tell_a_secret_are_remembered(game: Game) -> None:
    one, other = played(restarted(game), *"213213"), played(restarted(game), *"213233")
    seen = [[str(option) for option in g.view("ann").options] for g in (one, other)]
    assert seen == [["beat(bob)"], []]
    assert one.view("ann").hash != other.view("ann").hash


def test_a_seat_is_refused_with_what_it_sees(game: Game) -> None:
    played(game, *"213213")
    beat = game.parse("beat(cid)")
    assert str(game.why_not(beat)).startswith("V-02: not beaten (")
    assert str(game.why_not(beat, "ann")) == "it is not possible now"
    assert str(game.why_not(game.parse("beat(bob)"), "bob")) == "it is not yours to do"
    assert str(game.why_not(game.parse("beat(bob)"), None)) == "it is not yours to do"
    assert str(game.why_not(game.parse("beat(ann)"), "ann")) == "q != first(player) (q = ann, first(player) = ann)"
    game.omniscient.set_value("open", "true")
    assert str(game.why_not(beat, "ann")).startswith("V-01: too late")


def test_values_are_guarded(game: Game) -> None:
    played(game, *"213213")
    assert game.omniscient.value("sum(p.secret for p in player)") == "6"
    assert game.omniscient.value("sum(p.secret for p in player)", "ann") == "?"
    assert game.omniscient.value("first(player).secret", "ann") == "2"
    assert game.omniscient.value("first(player).secret", None) == "?"
    assert game.omniscient.value("true or bob.secret == 1", None) == "true"


def test_the_result_is_public(game: Game) -> None:
    played(game, *"213213")
    assert game.view(None).result is None
    take(game, "beat(bob)")
    assert game.view(None).result == game.result is not None


def test_there_is_no_view_of_a_stranger(game: Game) -> None:
    with pytest.raises(ValueError, match="there is no seat `dan`"):
        game.view("dan")


DEAL = """
--- rules/play.rules
procedure play():
    for p in player:
        chance deal:
            option card(g in good private to p, k in 1 .. 2):
                set p.secret to g.index
    roll burnt(g in good private)
    choose plan(t in town private, q in player where q != first(player) private to q) by first(player)
    decide vote together by p in player:
        option name(r in player private):
            set p.secret to r.index
    decide move by first(player):
        option go(t2 in town):
            require t2 == t           "V-03: another plan"
            require g == corn         "V-04: another card"
            set q.secret to 5
"""


def test_arguments_may_be_private(play: Play) -> None:
    game = play(DEAL + WORLD, "ann bob")
    take(game, "card(corn, 1)", "card(salt, 2)", "burnt(salt)", "plan(oak, bob)", "name(bob)", "name(ann)")
    ann = ["chance: card(corn, 1)", "chance: card(?, 2)", "chance: burnt(?)", "ann: plan(oak, bob)"]
    bob = ["chance: card(?, 1)", "chance: card(salt, 2)", "chance: burnt(?)", "ann: plan(?, bob)"]
    assert history(game, "ann") == [*ann, "ann: name(bob)", "bob: name(?)"]
    assert history(game, "bob") == [*bob, "ann: name(?)", "bob: name(ann)"]
    assert history(game, None)[-3:] == ["ann: plan(?, bob)", "ann: name(?)", "bob: name(?)"]


def test_who_does_not_see_an_argument_remembers_the_same(play: Play) -> None:
    games = [play(DEAL + WORLD, "ann bob") for _ in range(3)]
    for game, card, burnt in zip(games, ("corn", "salt", "salt"), ("salt", "salt", "corn"), strict=True):
        take(game, f"card({card}, 1)", "card(salt, 2)", f"burnt({burnt})")
    memories = [[game.view(seat).memory for seat in ("ann", "bob", None)] for game in games]
    assert memories[0][0] != memories[1][0] and memories[0][1:] == memories[1][1:]
    assert memories[1] == memories[2]


def test_a_refusal_does_not_tell_an_argument_that_was_kept_in_a_variable(play: Play) -> None:
    game = play(DEAL + WORLD, "ann bob")
    take(game, "card(corn, 1)", "card(salt, 2)", "burnt(salt)", "plan(oak, bob)", "name(bob)", "name(ann)")
    go = game.parse("go(elm)")
    assert str(game.why_not(go)).startswith("V-03") and str(game.why_not(go, "ann")) == "it is not possible now"
