"""`rulespec ask` and `play --step`: scripted input, also such as nobody would type."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import spoken
from folders import RULESETS

from rulespec.cli.ask import MAX_LINE, Completer
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")

SHORT = RULESETS / "nim" / "logs" / "short.jsonl"

NIM = {
    "stone.heap": "4",
    "sum(stone.hand[p] for p in player)": "5",
    "stone.heap == 4 and misere": "false",
    "{p in player where stone.hand[p] > 2}": "{Ann}",
    "1 + 2 * 3": "7",
    "Ann": "Ann",
    "why take(4)": "take(4): refused — NIM-03: one to three stones",
    "why take(3)": "take(3): legal",
    "why stone.heap": "stone.heap: 4",
    "why": "turn: Ann",
    "o": "  take(3)",
    "options": "  take(1)",
    "e": "move n of stone from heap to hand[p]",
    "effects": "stone.hand[Bob]: 0 → 2",
    "?": "STATEMENT",
    "help": "take back the last statement or option",
    "u": "there is nothing to take back",
    "move 1 of stone from heap to hand[Ann]": "stone.heap: 4 → 3",
    "for p in player: move 1 of stone from heap to hand[p]": "stone.hand[Ann]: 3 → 4",
    "if stone.heap > 2: move 2 of stone from heap to hand[Bob]": "stone.hand[Bob]: 2 → 4",
    "if stone.heap > 9: move 2 of stone from heap to hand[Bob]": "nothing has changed",
    "let n = 3": "nothing has changed",
    "do take(3)": "3 decisions",
    "do take(9)": "take(9) is not legal: NIM-03",
    "do sleep": "RS873",
    "do": "RS873",
    "": "",
    "   ": "",
    "wy": "RS221",
    "1 / 0": "RS310",
    "count(": "RS131",
    ")": "RS131",
    "\x00": "RS",
    "\x1b[2J": "RS13",
    "stone.heap; stone.heap": "RS13",
    "move 99 of stone from heap to hand[Ann]": "RS703",
    "move 0 - 1 of stone from heap to hand[Ann]": "RS703",
    "set stone.heap to 3": "RS304",
    "pay 3 from Ann to Bob": "RS3",
    "end game as last_stone won by {Ann}": "RS874",
    "turn(Ann)": "RS874",
    "play()": "RS874",
    "turn(nobody)": "RS221",
    "decide nap by Ann: pass": "RS13",
    "roll nap(n in 1 .. 6)": "RS874",
    "require stone.heap > 9": "RS406",
    "leave": "RS",
    "ask again": "RS",
    "return": "nothing has changed",
    "return 3": "RS",
    "repeat: pass": "RS",
    "repeat at most 10000000: move 0 of stone from heap to hand[Ann]": "RS704",
    "for a in 1 .. 5: pass": "RS",
    "procedure x(): pass": "RS13",
    "invariant x: true": "RS",
    "(" * 300 + "1" + ")" * 300: "RS135",
    "1" * (MAX_LINE + 1): "RS874",
    "9" * 40: "RS134",
    "sum(sum(sum(1 for a in player) for b in player) for c in player)": "8",
    "quit ": "",
}
"""Input at the position after two moves, and what is in the answer to it."""


@pytest.mark.parametrize("number", range(len(NIM)))
@pytest.mark.sampled(20)
def test_an_input_is_answered(number: int) -> None:
    text, expected = [*NIM.items()][number]
    before = SHORT.read_bytes()
    code, out = spoken("ask", f"{SHORT}@2", stdin=f"{text}\nstone.hand[Ann] >= 0\n")
    assert code == 0 and expected in out, out
    assert "Traceback" not in out and "RS901" not in out
    if text.strip() != "quit":
        assert out.rstrip().endswith(">") and "true" in out.splitlines()[-2:][0] + out.splitlines()[-1]
    assert SHORT.read_bytes() == before


def test_there_are_sixty_inputs() -> None:
    assert len(NIM) >= 60


def test_a_statement_of_several_lines_ends_with_an_empty_one() -> None:
    text = "for p in player:\n  if stone.hand[p] > 2:\n    move 1 of stone from heap to hand[p]\n\nstone.heap\n"
    code, out = spoken("ask", f"{SHORT}@2", stdin=text)
    assert code == 0 and "stone.hand[Ann]: 3 → 4" in out and "> stone.heap\n3" in out, out


def test_statements_and_options_are_taken_back_one_by_one() -> None:
    text = "do take(1)\nmove 1 of stone from heap to hand[Ann]\nstone.heap\nu\nstone.heap\nu\nstone.heap\nu\n"
    code, out = spoken("ask", f"{SHORT}@2", stdin=text)
    values = [line for line in out.splitlines() if line.strip().isdigit()]
    assert code == 0 and values == ["2", "3", "4"] and "nothing to take back" in out


def test_secrets_stay_secret_at_the_prompt() -> None:
    text = "A.cash / 1 money\nset round to A.cash / 1 money\ndo roll(star)\no\nwhy A.cash / 1 money > 3\n"
    code, out = spoken("ask", "wager", "--players", "2", stdin=text)
    assert code == 0 and "4" not in out.replace("RS874", "") and out.count("RS874") == 2
    code, out = spoken("ask", "wager", "--players", "2", "--omniscient", stdin=text)
    assert code == 0 and "4" in out and "round: 1 → " not in out  # it takes 0 to 3


def test_names_are_completed_by_the_language_server() -> None:
    ruleset = load_ruleset(str(RULESETS / "nim"))
    completer = Completer(Game(ruleset, ["Ann", "Bob"]))
    assert completer.words("sto") == ["stone", "stones", "stones_stay"] or "stone" in completer.words("sto")
    assert completer.words("stone.h") == ["hand", "heap"]
    assert completer.complete("st", 0) is not None and completer.complete("st", 999) is None


def test_a_step_shows_each_statement(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    code, out = spoken(
        "play", "nim", "--players", "2", "--seed", "1", "--log", log, "--step", stdin="take(4)\n1\n\n2\noff\n1\nq\n"
    )
    assert code == 0
    assert "take(4): refused" in out and "1 .. most (n = 4): fails" in out
    assert "Ann: take(1)" in out or "A: take(1)" in out
    assert out.count("move n of stone from heap to hand[p]") == 2  # off before the third
    assert len(log.read_text("utf-8").splitlines()) >= 4
