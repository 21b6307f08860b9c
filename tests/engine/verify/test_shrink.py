"""A game that shows a mistake is made as short as it can be, within bounds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from folders import RULESETS

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.logs.native import LogHeader, parse_log
from rulespec.engine.replay.replay import replay_native
from rulespec.engine.verify.shrink import FailingGame, Move, leave_out, replayed, shortest
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

NIM = RULESETS / "nim"
WRONG = Diagnostic("RS712", Severity.ERROR, "it is wrong", None)


@cache
def nim() -> typed.Ruleset:
    return load_ruleset(str(NIM))


def played(*texts: str) -> Game:
    game = Game(nim(), ["A", "B"])
    for text in texts:
        game.apply(game.parse(text))
    return game


# --- leaving out ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "needed, length",
    [({0}, 20), ({19}, 20), ({3, 11}, 20), ({0, 1, 2}, 3), (set(), 20), ({5}, 6), (set(range(20)), 20)],
)
def test_what_is_not_needed_is_left_out(needed: set[int], length: int) -> None:
    moves = list(range(length))
    tried: list[list[int]] = []

    def again(fewer: list[int]) -> list[int] | None:
        tried.append(fewer)
        return fewer if needed <= set(fewer) else None

    while len(shorter := leave_out(moves, again)) < len(moves):
        moves = shorter
    # A single move is not left out: that nothing at all is needed is seen before the first one.
    assert moves == sorted(needed) or (not needed and len(moves) == 1)
    assert len(tried) < 20 * length


def test_what_comes_of_it_may_be_shorter_than_what_was_tried() -> None:
    assert leave_out(list(range(100)), lambda fewer: fewer[:3] if len(fewer) > 3 else None) == [50, 51, 52]


# --- games ------------------------------------------------------------------------------------------------------------


def counting(wanted: int) -> Callable[[Sequence[Move], int], tuple[list[Move], Diagnostic] | None]:
    """A game is wrong as soon as so many stones are taken."""

    def run(moves: Sequence[Move], more: int) -> tuple[list[Move], Diagnostic] | None:
        game, result = Game(nim(), ["A", "B"]), list[Move]()
        for move in [*moves, *[None] * more]:
            if game.is_over:
                return None
            option = next(iter(every_option(game))) if move is None else move
            assert isinstance(option, Option)
            if not game.is_legal(option):
                continue
            game.apply(option)
            result.append(option)
            if sum(o.args[0] for o in game.history) >= wanted:
                return result, WRONG
        return None

    return run


def test_a_game_is_made_shorter() -> None:
    game = played("take(1)", "take(1)", "take(3)", "take(1)", "take(3)")
    result = shortest(nim(), LogHeader.of(game), game.history, WRONG, counting(6))
    assert [str(m) for m in result.moves] == ["take(3)", "take(3)"]
    assert result.changed == ("stone hand[B]: 0 → 3", "stone heap: 6 → 3")


def test_the_bounds_hold() -> None:
    game = played("take(1)", "take(1)", "take(1)", "take(1)")
    calls = 0

    def run(moves: Sequence[Move], more: int) -> None:
        nonlocal calls
        calls += 1

    shortest(nim(), LogHeader.of(game), game.history, WRONG, run, tries=3)
    assert calls == 3
    result = shortest(nim(), LogHeader.of(game), game.history, WRONG, run, tries=0)
    assert calls == 3
    assert list(result.moves) == game.history


def test_a_game_that_is_wrong_from_the_start() -> None:
    result = shortest(nim(), LogHeader.of(played()), [], WRONG, counting(1))
    assert (result.moves, result.changed) == ((), ())
    assert result.story() == ["before the first decision"]


# --- reports ----------------------------------------------------------------------------------------------------------


def test_the_log_is_a_native_log() -> None:
    game = played("take(1)", "take(2)")
    moves: tuple[Move, ...] = (*game.history, TakenBack(1), game.history[1])
    log = parse_log(FailingGame(LogHeader.of(game), moves, WRONG, ()).log(), "game.jsonl")
    result = replay_native(log, nim())
    assert result.divergence is None
    assert result.moves == list(moves)
    assert json.loads(log.text.splitlines()[3]) == {"undo": 1}


def test_the_story_says_who_did_what_and_what_has_changed() -> None:
    game = played("take(1)", "take(2)")
    moves: tuple[Move, ...] = (*game.history, TakenBack(2))
    changed = replayed(nim(), LogHeader.of(game), moves).changed
    failing = FailingGame(LogHeader.of(game), moves, WRONG, changed)
    assert failing.story() == [
        "A: take(1)",
        "B: take(2)",
        "taken back: 2",
        "    stone hand[A]: 1 → 0",
        "    stone hand[B]: 2 → 0",
        "    stone heap: 6 → 9",
    ]


def test_a_long_story_is_cut() -> None:
    game = played(*["take(1)"] * 9)
    failing = FailingGame(LogHeader.of(game), tuple(game.history * 2), WRONG, tuple(f"x{i}: 0 → 1" for i in range(20)))
    lines = failing.story()
    assert lines[0] == "… 6 before"
    assert lines[-1] == "    … and 8 more"
    assert len(lines) == 26
