"""Decisions: options, refusals, interrupts, chance, and what is decided together, under both backends."""

from __future__ import annotations

import pytest
from worlds import TURN, WORLD, Play, listed, outcome_of, take

from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import IllegalOptionError
from rulespec.engine.game.state_json import state_json


def test_options_are_listed_in_order_with_their_parameters(play: Play) -> None:
    game = play(TURN + WORLD)
    assert game.decision is not None
    assert (game.decision.name, game.decision.by, game.decision.together) == ("move", "ann", False)
    assert listed(game) == [
        *("go(elm, 1)", "go(ash, 1)", "go(ash, 3)", "go(fir, 1)", "go(fir, 3)", "go(fir, 4)", "go(fir, 5)"),
        *("stay", "gift(bob, 1)", "gift(bob, 2)"),
    ]
    options = list(every_option(game))
    assert options[0].arguments == {"t": "elm", "k": "1"}
    assert [(o.by, o.interrupt) for o in options[-2:]] == [("bob", True), ("bob", True)]


@pytest.mark.parametrize(
    "option, reason",
    [
        ("go(oak, 1)", "T-03: only far (t.tax = 3, 3 = 3)"),
        ("go(fir, 9)", "`9` is not in 1 .. t.tax - 4"),
        ("go(fir, 2)", "T-05: two is unlucky (k = 2)"),
        ("gift(ann, 1)", "q != p (q = ann, p = ann)"),
        ("gift(bob, 3)", "`3` is not in 1 money .. 2 money (due = 3)"),
    ],
)
def test_a_refusal_says_why(play: Play, option: str, reason: str) -> None:
    game = play(TURN + WORLD)
    before = game.hash
    with pytest.raises(IllegalOptionError) as caught:
        take(game, option)
    assert str(caught.value.refusal).split(" (")[0] == reason.split(" (")[0]
    assert (game.hash, game.ply) == (before, 0)


def test_an_interrupt_opens_the_decision_anew(play: Play) -> None:
    game = take(play(TURN + WORLD), "gift(bob, 2)", "gift(bob, 1)", "go(fir, 5)")
    assert [game.omniscient.value(x) for x in ("ann.cash", "bob.cash", "fir.owner", "n")] == ["8", "7", "ann", "0"]
    assert [o.by for o in game.history] == ["bob", "bob", "ann"]
    assert game.decision is not None and game.decision.by == "bob"
    with pytest.raises(ValueError, match="for ann to do"):
        game.parse("gift(ann, 1)", "bob")
    take(game, "stay")
    assert game.is_over
    assert listed(game) == []
    assert outcome_of(game) == ("end", {}, [])


@pytest.mark.parametrize(
    "text", ["fly", "go", "go(oak)", "go(oka, 1)", "go(oak, x)", "go(oak, 1", "", "go(oak, 99999999999999999)"]
)
def test_what_is_no_option_cannot_be_parsed(play: Play, text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        play(TURN + WORLD).parse(text)


def test_ask_again_and_leave_in_a_decision(play: Play) -> None:
    game = play(
        """
procedure play():
    for p in player:
        repeat:
            set m to m + 1
            decide act by p:
                option more:
                    set n to n + 1
                option other:
                    ask again
                include leaving
        set n to n + 100
    end game
options leaving:
    option done:
        leave
"""
        + WORLD
    )
    take(game, "more", "other", "more", "done")
    assert [game.omniscient.value(x) for x in ("n", "m")] == ["102", "4"]
    take(game, "done")
    assert game.is_over and game.omniscient.value("n") == "202"


def test_chance_has_weights_and_nobody_decides(play: Play) -> None:
    game = play(
        """
procedure play():
    chance die:
        option roll(k in 1 .. 3) weight 3 - k:
            set n to k
        option edge:
            set n to 50
    end game
"""
        + WORLD
    )
    assert game.decision is not None and game.decision.by is None
    assert listed(game) == ["roll(1)", "roll(2)", "edge"]  # weight 0 never comes
    assert [game.omniscient.numbers.weight(o.kind.choice, o.args) for o in every_option(game)] == [2, 1, 1]
    with pytest.raises(IllegalOptionError):
        take(game, "roll(3)")


SECRET = """
procedure play():
    for p in player:
        round(p)
        leave
    chance rest:
        option end:
            end game
procedure round(lead: player):
    decide bid together by p in player after lead where p.cash > 0:
        option offer(k in 0 .. 3, t in town where t.owner is none):
            require p.cash >= k * 1 money
            require n == 33
            pay k * 1 money from p.cash to chest
            set n to n * 10 + k
            if t.owner is none:
                set t.owner to p
            else:
                set m to m + 1
        option pass_by:
            for t in town:
                if t == ash:
                    leave
                set m to m + 100
    set few to 3
"""


def test_what_is_decided_together_is_secret_until_all_have_chosen(play: Play) -> None:
    game = play(SECRET + WORLD, "ann bob cid")
    assert game.decision is not None and (game.decision.by, game.decision.together) == ("bob", True)
    before = state_json(game)
    everything = listed(game)
    take(game, "offer(2, oak)")
    assert state_json(game) == before and listed(game) == everything
    assert game.decision.by == "cid"
    take(game, "offer(1, oak)")
    assert state_json(game) == before and listed(game) == everything
    take(game, "pass_by")
    # bob's body first: he gets oak; cid comes too late; ann's runs over two towns
    assert [game.omniscient.value(x) for x in ("n", "oak.owner", "m", "chest", "few")] == [
        "3321",
        "bob",
        "201",
        "7",
        "3",
    ]
    for _ in range(3):
        game.undo()
    assert state_json(game) == before


def test_a_decision_together_asks_only_who_fits_and_may_ask_nobody(play: Play) -> None:
    rules = """
procedure play():
    decide vote together by p in player where p.cash > 100:
        option yes:
            set n to n + 1
    decide count_up together by q in player where q.index == 1:
        option yes:
            set n to n + 10
    chance rest:
        option end:
            end game
"""
    game = play(rules + WORLD)
    assert game.decision is not None and (game.decision.name, game.decision.by) == ("count_up", "bob")
    take(game, "yes")
    assert game.omniscient.value("n") == "10"
