"""Positions of a replay, and its measures as columns."""

from __future__ import annotations

import pytest
from folders import GAMES

from rulespec.engine.game.option import TakenBack
from rulespec.engine.replay.replay import replay_log

PLAYED = GAMES / "imperial" / "logs"


@pytest.mark.proof  # 0.5 s
@pytest.mark.parametrize(
    "log",
    [
        PLAYED / "quickstart.jsonl",
        PLAYED / "playimperial" / "u000-standard-3p.json",  # decisions are taken back in it
        GAMES / "shadow_of_the_emperor" / "logs" / "dowry-4p.jsonl",
    ],
    ids=lambda path: path.stem,
)
@pytest.mark.sampled(1)
def test_the_last_position_is_that_of_the_game(log: object) -> None:
    replay = replay_log(str(log))
    assert replay.at(len(replay.moves)).hash == replay.game.hash
    assert replay.at(0).ply == 0
    frame = replay.frame()
    assert {len(column) for column in frame.values()} == {len(replay.moves) + 1}
    assert frame["move"] == list(range(len(replay.moves) + 1))
    for number in (1, len(replay.moves) // 2, len(replay.moves)):
        game = replay.at(number)
        for measure, values in game.omniscient.measures().items():
            for entity, value in values.items():
                assert frame[f"{measure}.{entity}" if entity else measure][number] == value
        move = replay.moves[number - 1]
        assert frame["option"][number] == (None if isinstance(move, TakenBack) else str(move))


def test_a_replay_with_decisions_taken_back_has_them() -> None:
    replay = replay_log(PLAYED / "playimperial" / "u000-standard-3p.json")
    assert any(isinstance(move, TakenBack) for move in replay.moves)


def test_there_are_no_other_positions() -> None:
    replay = replay_log("imperial:quickstart")
    for number in (-1, 113):
        with pytest.raises(IndexError, match="the log has 112"):
            replay.at(number)
