"""`otherwise`: decisions that are not asked where nothing is legal, under both backends."""

from __future__ import annotations

import pytest
from worlds import WORLD, Play, listed, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError

IDLE_TURNS = """
procedure play():
    for p in player:
        set n to n + 1
        decide act by p:
            option pay_one(t in town where t.tax > 4, k in 1 .. few):
                cost k * 6 money from p.cash to chest
                set m to m * 10 + t.tax
            option beg(q in player where q != p) by q:
                set m to 99
            otherwise:
                set m to m * 10 + 1
                let seen = m
                if seen == 11:
                    end game as idle
    decide last by first(q in player):
        option stay:
            pass
"""


def asks(game: Game) -> str:
    """The open decision, and who takes it."""
    decision = game.decision
    return "" if decision is None else f"{decision.name} by {decision.by}"


def test_what_is_done_where_there_is_no_legal_option_is_not_asked(play: Play) -> None:
    game = play(IDLE_TURNS + WORLD)
    assert game.is_over and game.result is not None and game.result.ending == "idle"
    game = play(IDLE_TURNS.replace("for p in player:", "set few to 2\n    for p in player:", 1) + WORLD)
    assert listed(game)[:2] == ["pay_one(elm, 1)", "pay_one(ash, 1)"]
    before = game.hash
    take(game, "pay_one(fir, 1)")
    assert (asks(game), game.omniscient.value("m")) == ("act by bob", "9")
    take(game, "pay_one(elm, 1)")
    assert (asks(game), game.omniscient.value("m"), game.omniscient.value("n")) == ("last by ann", "95", "2")
    game.undo()
    game.undo()
    assert game.hash == before


def test_the_open_decision_may_be_passed_after_an_option(play: Play) -> None:
    text = """
procedure play():
    repeat at most 4:
        for p in player:
            decide act by p:
                option pay_all:
                    cost 5 from p.cash to chest
                    ask again
                otherwise:
                    set n to n + 1
                    continue
            set m to m + 1
    decide last by first(q in player):
        option stay:
            pass
"""
    game = play(text + WORLD)
    assert [str(o) for o in game.legal_options] == ["pay_all"]
    take(game, "pay_all", "pay_all")
    assert (asks(game), game.omniscient.value("n")) == ("act by bob", "1")
    take(game, "pay_all", "pay_all")
    assert (asks(game), game.omniscient.value("n"), game.omniscient.value("m")) == ("last by ann", "8", "0")
    for _ in range(4):
        game.undo()
    assert (asks(game), game.omniscient.value("n")) == ("act by ann", "0")


def test_a_fault_in_a_decision_that_is_passed_leaves_the_state_as_it_was(play: Play) -> None:
    text = """
procedure play():
    decide first_one by first(q in player):
        option go:
            set n to 1
        option stop:
            set n to 2
    decide act by first(q in player):
        option never(t in town where 6 / (n - 1) > t.tax * 10):
            pass
        otherwise:
            set m to 6 / (n - 2)
    decide last by first(q in player):
        option stay:
            pass
"""
    game = play(text + WORLD)
    before = game.hash
    for option in ("go", "stop"):
        with pytest.raises(RulesetFaultError, match="divides by zero"):
            game.apply(game.parse(option))
        assert (game.hash, asks(game), game.omniscient.value("n")) == (before, "first_one by ann", "0")
        assert listed(game) == ["go", "stop"]


@pytest.mark.proof
def test_listing_within_a_run_counts(play: Play) -> None:
    text = """
procedure play():
    repeat at most 100000:
        decide act by first(q in player):
            option never(t in town, s in town, k in 1 .. 30):
                require t.tax * s.tax * k == 0
                pass
            otherwise:
                pass
    decide last by first(q in player):
        option stay:
            pass
"""
    game = play(text + WORLD)
    with pytest.raises(RulesetFaultError, match="no decision within 5,000,000 steps") as error:
        assert game.decision
    assert "wherever they run before the next decision" in error.value.diagnostic.help


def test_a_position_that_is_written_goes_on_where_nothing_is_legal(play: Play) -> None:
    game = play(IDLE_TURNS.replace("for p in player:", "set few to 2\n    for p in player:", 1) + WORLD)
    take(game, "pay_one(fir, 1)")
    fields = [i for i, cell in enumerate(game.omniscient.numbers.program.cells) if cell.name == "few"]
    game._position.write({fields[0]: 0})
    assert (asks(game), game.omniscient.value("m")) == ("last by ann", "91")
    game.undo()
    assert (asks(game), game.omniscient.value("few")) == ("act by ann", "2")


def test_a_position_that_is_written_and_faults_stays_as_it_was(play: Play) -> None:
    text = """
procedure play():
    decide act by first(q in player):
        option go(t in town where n == 0):
            pass
        otherwise:
            set m to 6 / (n - 1)
    decide last by first(q in player):
        option stay:
            pass
"""
    game = play(text + WORLD)
    before = game.hash
    with pytest.raises(RulesetFaultError, match="divides by zero"):
        game.omniscient.set_value("n", "1")
    assert (game.hash, asks(game), game.omniscient.value("n")) == (before, "act by ann", "0")
    game.omniscient.set_value("n", "2")
    assert (asks(game), game.omniscient.value("m")) == ("last by ann", "6")
