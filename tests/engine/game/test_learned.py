"""Information that seats gained from undone moves is printed: people cannot forget it."""

from __future__ import annotations

import pytest
from worlds import WORLD, Play, take

from rulespec.engine.game.seat_knowledge import learned

RULES = """
--- rules/play.rules
procedure play():
    for p in player:
        roll deal(g in good private to p)
        set p.secret to g.index
    decide open by first(player):
        option look(q in player):
            set m to told(q.secret, "is shown")
        option wait: pass
    decide bidding together by p in player:
        option bid(k in 1 .. 2): pass
    decide last by first(player):
        option go: pass
"""
PEEK = RULES.replace("option wait: pass", "option wait:\n            set few to 1")
SHOWN = WORLD.replace("secret: {type: int, private: true}", "secret: {type: int, private: {open: few == 1}}")


def test_chance_that_was_seen_is_known(play: Play) -> None:
    game = take(play(RULES + WORLD, "A B"), "deal(salt)", "deal(corn)")
    assert learned(game, "A", 2) == ("chance: deal(salt)",)
    assert learned(game, "B", 2) == ("chance: deal(corn)",) == learned(game, "B", 1)
    assert learned(game, "A", 1) == ()


def test_an_open_decision_teaches_nothing(play: Play) -> None:
    game = take(play(RULES + WORLD, "A B"), "deal(salt)", "deal(corn)", "wait")
    assert learned(game, "A", 1) == learned(game, "B", 1) == ()


def test_what_was_shown_in_between_is_known(play: Play) -> None:
    game = take(play(PEEK + SHOWN, "A B"), "deal(salt)", "deal(corn)", "wait")
    assert learned(game, "A", 1) == ("player.B.secret",) and learned(game, "B", 1) == ("player.A.secret",)


def test_the_last_choice_of_a_round_has_opened_all(play: Play) -> None:
    game = take(play(RULES + WORLD, "A B"), "deal(salt)", "deal(corn)", "wait", "bid(2)")
    assert learned(game, "A", 1) == learned(game, "B", 1) == ()
    take(game, "bid(1)")
    assert learned(game, "A", 1) == ("B: bid(1)",)
    assert learned(game, "B", 1) == ("A: bid(2)",)
    assert learned(game, "A", 2) == ("B: bid(1)",)


def test_there_must_be_so_many(play: Play) -> None:
    with pytest.raises(IndexError):
        learned(play(RULES + WORLD, "A B"), "A", 1)
