"""Games that end because a loop of the rules has run out are a warning, with the line and the share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import small
from commands import invoke

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.verify import combinations, play_check
from rulespec.engine.wasm.engine import NoWasmtimeError

GAME = 'id: small\ntitle: Small\nversion: "1.0"\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n'
TURN = """\
procedure turn(p: player):
    decide turn by p:
        option go_on(n in 1 .. 19):
            pass
        option give_up:
            end game as given_up
"""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_check, "STEPS", 10_000_000)


def warned(folder: Path, rules: str) -> list[Diagnostic]:
    ruleset = small(folder / "small", f"{rules}--- game.yaml\n{GAME}")
    return [d for d in play_check.play_check(ruleset).diagnostics if d.code == "RS730"]


IN_A_LOOP = f"procedure play():\n    repeat at most 4:\n        for p in player:\n            turn(p)\n{TURN}"
IN_A_CALL = f"""\
procedure play():
    rounds()
    for p in player:
        repeat at most 2:
            pass
procedure rounds():
    repeat at most 4:
        for p in player:
            repeat at most 1:
                turn(p)
{TURN}"""
LEFT = """\
procedure play():
    repeat at most 2 + 2:
        decide turn by first(player):
            option go_on(n in 1 .. 9):
                pass
            option give_up:
                leave
"""
RETURNED = LEFT.replace("leave", "return")
BY_CHANCE = """\
procedure play():
    repeat at most 6:
        roll again(n in 1 .. 20)
        if n == 20:
            end game as over
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "rules, line", [(IN_A_LOOP, 2), (IN_A_CALL, 7), (LEFT, 2), (RETURNED, 2), (BY_CHANCE, 2)], ids=range(5)
)
def test_a_bound_that_ends_games_has_its_line_and_its_share(rules: str, line: int, tmp_path: Path) -> None:
    (wrong,) = warned(tmp_path, rules)
    assert wrong.span is not None and (Path(wrong.span.file).name, wrong.span.line) == ("play.rules", line)
    assert wrong.severity is Severity.WARNING and "of 20 games" in wrong.message and "with 2 players" in wrong.help


@pytest.mark.parametrize(
    "rules",
    [
        IN_A_LOOP.replace(TURN, f"    end game as last_round\n{TURN}"),  # said by the rules
        IN_A_LOOP.replace("at most 4", "at most 400"),  # never met
        IN_A_LOOP.replace("end game as given_up", "pass"),  # the only end
        f"procedure play():\n    for p in player:\n        repeat at most 2:\n            turn(p)\n{TURN}",
        f"procedure play():\n    for p in player:\n        turn(p)\n    repeat at most 2:\n        pass\n{TURN}",
    ],
    ids=range(5),
)
@pytest.mark.sampled(3)
def test_other_ends_are_none(rules: str, tmp_path: Path) -> None:
    assert warned(tmp_path, rules) == []


def test_it_is_the_same_without_wasm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wasmtime")
    wasm = warned(tmp_path, IN_A_CALL)

    def none(*_: object) -> None:
        raise NoWasmtimeError("there is none")

    monkeypatch.setattr(combinations, "WasmOutcomes", none)
    assert warned(tmp_path, IN_A_CALL) == wasm


def test_the_command_says_it_in_json(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", f"{IN_A_LOOP}--- game.yaml\n{GAME}")
    code, out, _ = invoke("validate", tmp_path / "small", "--format", "json")
    (wrong,) = json.loads(out)["rulesets"][0]["diagnostics"]
    assert code == 0 and wrong["code"] == "RS730" and wrong["span"]["line"] == 2 and ruleset.ref
