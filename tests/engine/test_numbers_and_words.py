"""What jumps, ranges and settings that are numbers mean, under both backends."""

from __future__ import annotations

import pytest
from worlds import WORLD, Play, listed, take

from rulespec.engine.game.option import RulesetFaultError

DECISIONS = """
procedure play():
    for p in player:
        turn(p)
    end game
procedure turn(p: player):
    repeat at most 3:
        set m to m + 1
        decide move by p:
            option go(t in town where not t.seen):
                set t.seen to true
                set n to n * 10 + t.index
                for u in town:
                    if u == elm:
                        continue
                    set few to (few + 1) % 4
                if t == fir:
                    continue
                ask again
            option stay:
                leave
"""


def test_ask_again_opens_the_decision_and_continue_takes_the_next_turn(play: Play) -> None:
    game = play(DECISIONS + WORLD)
    take(game, "go(elm)", "go(ash)")
    assert [game.value(x) for x in ("n", "m", "few")] == ["12", "1", "2"]
    assert listed(game)[:2] == ["go(oak)", "go(fir)"]
    take(game, "go(fir)")
    assert [game.value(x) for x in ("n", "m")] == ["123", "2"]
    take(game, "stay", "stay")
    assert game.is_over and game.value("m") == "3"


def test_what_was_chosen_is_taken_back_and_chosen_again(play: Play) -> None:
    game, other = play(DECISIONS + WORLD), play(DECISIONS + WORLD)
    take(game, "go(oak)", "go(elm)")
    take(other, "go(oak)", "go(elm)")
    before = game.hash
    take(game, "go(fir)")
    game.undo()
    assert game.hash == before == other.hash


@pytest.mark.parametrize("value, fits", [("-2", True), ("-3", False), ("1", True), ("2", False)])
def test_a_range_may_begin_below_zero(play: Play, value: str, fits: bool) -> None:
    world = WORLD.replace("m: {type: int}", "m: {type: int -2..1}", 1)
    text = f"procedure play():\n    set m to {value} + m\n    end game\n{world}"
    if fits:
        assert play(text).value("m") == value
    else:
        with pytest.raises(RulesetFaultError, match="between -2 and 1"):
            play(text).value("m")


def test_a_range_without_zero_needs_a_start(play: Play) -> None:
    world = WORLD.replace("m: {type: int}", "m: {type: int -4..-2, start: -3}", 1)
    assert play(f"procedure play():\n    set m to m + 1\n    end game\n{world}").value("m") == "-2"
