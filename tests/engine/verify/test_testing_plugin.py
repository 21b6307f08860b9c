"""The tests that authors derive: two lines find what is wrong, and show it as a short log."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases import small
from folders import RULESETS
from hypothesis import settings

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.logs.native import parse_log
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.replay.replay import replay_native
from rulespec.load import load_ruleset
from rulespec.testing import DEFAULTS, BrokenGameError, ruleset_tests
from rulespec.typed import nodes as typed

STEADY = settings(DEFAULTS, derandomize=True, database=None)

TestNim = ruleset_tests(str(RULESETS / "nim"), hypothesis=settings(STEADY, max_examples=12))
TestTallNim = ruleset_tests(str(RULESETS / "nim+tall"), hypothesis=settings(STEADY, max_examples=5))
TestWager = ruleset_tests(str(RULESETS / "wager"), hypothesis=settings(STEADY, max_examples=5))
TestErrands = ruleset_tests(str(RULESETS / "errands"), hypothesis=settings(STEADY, max_examples=5))


def outcome(case: type[unittest.TestCase]) -> BaseException | None:
    """The exception that a test ends with."""
    test: Any = case("runTest")
    try:
        test.runTest()
    except (BrokenGameError, DiagnosticsError) as error:
        return error
    return None


def broken(case: type[unittest.TestCase]) -> BrokenGameError:
    result = outcome(case)
    assert isinstance(result, BrokenGameError)
    return result


def of_nim(folder: Path, old: str, new: str) -> str:
    """Nim with a mistake in its rules."""
    shutil.copytree(RULESETS / "nim", folder / "nim")
    path = folder / "nim" / "rules" / "play.rules"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    return str(folder / "nim")


# --- what rules get wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, code, moves",
    [
        ("+ stone.heap == stones", "< 5", "RS712", 2),
        ("require n <= stone.heap ", "require n <= 9 ", "RS703", 4),
        ("require n <= stone.heap ", "require n + 1 < stone.heap ", "RS711", 3),
    ],
)
def test_a_mistake_in_the_rules_is_shown_as_a_short_log(
    tmp_path: Path, old: str, new: str, code: str, moves: int
) -> None:
    ref = of_nim(tmp_path, old, new)
    error = broken(ruleset_tests(ref, hypothesis=STEADY))
    failing, text = error.failing, str(error)
    assert failing.wrong.code == code
    assert len(failing.moves) == moves
    assert f"error[{code}]" in text
    log = text.split("`rulespec replay --check`:\n\n")[1]
    assert log.startswith(failing.log())
    result = replay_native(parse_log(failing.log(), "game.jsonl"), load_ruleset(ref))
    assert (result.divergence is not None) == (code == "RS703")


@pytest.mark.proof
def test_a_mistake_late_in_the_game_is_found(tmp_path: Path) -> None:
    rules = """\
procedure play():
    repeat at most 100:
        for p in player:
            decide turn by p:
                option sow(n in 1 .. 3):
                    set p.seeds to p.seeds + n
                option rest:
                    pass
    end game as done

invariant few:
    all(p in player: p.seeds < 100)
--- kinds.yaml
kinds:
  player:
    state:
      seeds: {type: int 0..400}
"""
    small(tmp_path / "small", rules)
    failing = broken(ruleset_tests(str(tmp_path / "small"), players=[2], hypothesis=STEADY)).failing
    assert failing.wrong.code == "RS712"
    assert 67 <= len(failing.moves) <= 110


def test_a_ruleset_that_is_not_sound_fails_when_the_test_runs(tmp_path: Path) -> None:
    case = ruleset_tests(of_nim(tmp_path, "procedure turn", "procedure tern"), hypothesis=STEADY)
    assert isinstance(outcome(case), DiagnosticsError)


# --- what is tried ----------------------------------------------------------------------------------------------------


@pytest.mark.proof  # 0.3 s
def test_players_and_options_may_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[tuple[int, str]] = set()
    result = Game.__init__

    def noted(game: Game, *args: Any, **named: Any) -> None:
        result(game, *args, **named)
        seen.add((len(game.seats), game.settings["misere"]))

    monkeypatch.setattr(Game, "__init__", noted)
    few = settings(STEADY, max_examples=30, stateful_step_count=2)
    nim = str(RULESETS / "nim")
    assert outcome(ruleset_tests(nim, players=[3], settings={"misere": "true"}, hypothesis=few)) is None
    assert seen == {(3, "true")}
    seen.clear()
    assert outcome(ruleset_tests(nim, hypothesis=few)) is None
    assert {players for players, _ in seen} == {2, 3, 4}
    assert {option for _, option in seen} == {"true", "false"}


# --- what the program gets wrong --------------------------------------------------------------------------------------


@cache
def other_rules(seats: int, misere: str) -> Interpreter:
    """A backend that ends the game when five stones are left."""
    with tempfile.TemporaryDirectory() as folder:
        ref = of_nim(Path(folder), "if stone.heap == 0:", "if stone.heap == 0 or stone.heap == 5:")
        return Interpreter(lower(load_ruleset(ref), seats, {"misere": misere}))


def planted(_: typed.Ruleset, seats: int, options: Mapping[str, str]) -> Interpreter:
    return other_rules(seats, options["misere"])


@pytest.mark.proof  # 0.3 s
def test_backends_that_do_not_agree_are_found() -> None:
    case = ruleset_tests(str(RULESETS / "nim"), backends=("python", planted), hypothesis=STEADY)
    failing = broken(case).failing
    assert failing.wrong.message.startswith("backends: the state differ")
    assert sum(m.args[0] for m in failing.moves if isinstance(m, Option)) == 4
    assert len(failing.moves) == 2


def test_an_undo_that_forgets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "undo", Game.copy)
    failing = broken(ruleset_tests(str(RULESETS / "nim"), hypothesis=STEADY)).failing
    assert failing.wrong.code == "RS903"
    assert failing.wrong.message.startswith("undo: ")
    assert failing.moves == ()


def test_a_clone_that_is_no_copy_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "copy", lambda game: game)
    failing = broken(ruleset_tests(str(RULESETS / "nim"), hypothesis=STEADY)).failing
    assert failing.wrong.message.startswith("clone: ")
    assert failing.moves == ()


# --- under pytest -----------------------------------------------------------------------------------------------------


@pytest.mark.proof  # 2.4 s
def test_two_lines_are_enough(tmp_path: Path) -> None:
    ref = of_nim(tmp_path, "+ stone.heap == stones", "< 5")
    lines = f"from rulespec.testing import ruleset_tests\nTestMine = ruleset_tests({ref!r})\n"
    (tmp_path / "test_mine.py").write_text(lines, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "test_mine.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(RULESETS.parent.parent), "PATH": ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "the rules can break the invariant `stones_stay`" in done.stdout
    assert '{"decision": "turn", "by": "B", "option": "take(' in done.stdout
    assert "1 failed" in done.stdout
