"""Decisions taken together: whoever is ready chooses first, and changes their mind until all have chosen."""

from __future__ import annotations

import itertools
import random

import pytest
from worlds import WORLD, Play

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import IllegalOptionError
from rulespec.engine.game.round import Round
from rulespec.engine.search.twins import determinize

ROUND = """
--- rules/play.rules
procedure play():
    decide first by first(player):
        option go: pass
    decide bidding together by p in player from next(first(player)) where p.index != 3:
        option bid(k in 1 .. 4 private):
            require k < 4            "R-01: too much"
            set p.secret to k
            set n to n * 10 + k
        option stay: pass
    decide last by first(player):
        option go: pass
"""


TABLE = WORLD.replace("3: 8,", "3: 8, 4: 6,")


def at_round(play: Play, seats: str) -> Game:
    game = play(ROUND + TABLE, seats)
    game.apply(game.parse("go"))
    return game


def choices(game: Game) -> dict[str, str]:
    return {seat: f"bid({number})" for number, seat in enumerate(Round(game).waiting, 1)}


@pytest.mark.parametrize("seats", ["ann bob", "ann bob cid", "ann bob cid dan"])
def test_the_order_in_which_seats_choose_is_not_known(play: Play, seats: str) -> None:
    start = at_round(play, seats)
    wanted = choices(start)
    expected = start.copy()
    for seat in Round(start).waiting:
        expected.apply(expected.parse(wanted[seat], seat))
    rng = random.Random(seats)
    for order in itertools.permutations(wanted):
        game = start.copy()
        round_ = Round(game)
        for seat in order:
            if rng.randrange(2) and len(round_.waiting) > 1:
                round_.choose(seat, "stay")
                if rng.randrange(2):
                    round_.withdraw(seat)
            round_.choose(seat, wanted[seat])
            assert game.hash == (start.hash if round_.waiting else expected.hash)
        assert not round_.waiting
        assert game.hash == expected.hash and game.history == expected.history
        assert [game.view(s) for s in (*game.seats, None)] == [expected.view(s) for s in (*game.seats, None)]


def test_who_is_asked(play: Play) -> None:
    game = at_round(play, "ann bob cid dan")
    assert Round(game).waiting == ("bob", "cid", "ann")
    assert game.view("dan").waiting == ("bob", "cid", "ann")
    game.apply(game.parse("bid(1)", "bob"))
    assert Round(game).waiting == game.view(None).waiting == ("cid", "ann")


def test_every_seat_has_its_options_at_once(play: Play) -> None:
    game = at_round(play, "ann bob cid dan")
    own = ["bid(1)", "bid(2)", "bid(3)", "stay"]
    assert [[str(o) for o in game.view(seat).options] for seat in game.seats] == [own, own, own, []]
    assert [str(o) for o in Round(game).options("ann")] == own


def test_a_choice_stays_until_another_one_is_legal(play: Play) -> None:
    game = at_round(play, "ann bob cid")
    round_ = Round(game)
    round_.choose("ann", "bid(2)")
    with pytest.raises(IllegalOptionError, match="R-01"):
        round_.choose("ann", "bid(4)")
    round_.choose("cid", "stay")
    assert round_.waiting == ("bob",) and round_.choose("bob", "bid(1)")
    assert game.omniscient.value("ann.secret") == "2"
    with pytest.raises(ValueError, match="ann is not asked"):
        round_.withdraw("ann")


def test_what_is_not_possible(play: Play) -> None:
    game = at_round(play, "ann bob cid dan")
    round_ = Round(game)
    for seat in ("dan", "eve"):
        with pytest.raises(ValueError, match=f"{seat} is not asked"):
            round_.choose(seat, "stay")
    with pytest.raises(ValueError, match="ann has not chosen"):
        round_.withdraw("ann")
    before = play(ROUND + TABLE, "ann bob")
    with pytest.raises(ValueError, match="no simultaneous decision"):
        Round(before)


def test_a_round_in_which_somebody_has_no_option_is_shown(play: Play) -> None:
    rules = ROUND.replace("p in player from next(first(player)) where p.index != 3", "p in player")
    rules = rules.replace("k in 1 .. 4 private", "k in 1 .. p.index private").replace("        option stay: pass\n", "")
    game = at_round_of(play, rules)
    assert [list(map(str, game.view(seat).options)) for seat in game.seats] == [[], []]
    with pytest.raises(ValueError, match="no legal option"):
        Round(game).choose("bob", "bid(1)")


def at_round_of(play: Play, rules: str) -> Game:
    game = play(rules + TABLE, "ann bob")
    game.apply(game.parse("go"))
    return game


TELLING = """
--- rules/play.rules
procedure play():
    roll fate(f in 0 .. 1 private to first(player))
    set first(player).secret to f
    decide bidding together by p in player:
        option bid(k in 1 .. 2):
            require k <= first(player).secret + 1
            pass
"""


def test_who_is_asked_later_remembers_the_options_that_it_sees_now(play: Play) -> None:
    """They may tell a secret: games in which they differ do not look the same."""
    views = []
    for fate in ("fate(0)", "fate(1)"):
        game = play(TELLING + TABLE, "A B C")
        game.apply(game.parse(fate))
        views.append([game.view(seat) for seat in ("B", "C")])
        twin = determinize(game, "C", random.Random(1))
        assert twin.view("C") == game.view("C")
    assert [len(view.options) for view in views[0] + views[1]] == [1, 1, 2, 2]
    assert all(one.memory != other.memory and one.hash != other.hash for one, other in zip(*views, strict=True))


def test_who_is_asked_later_has_no_options_where_the_rules_leave_another_one_none(play: Play) -> None:
    none = TELLING.replace("require k <=", "require p != first(player) and k <=")
    game = play(none + TABLE, "A B")
    game.apply(game.parse("fate(0)"))
    assert game.view("B").options == ()
