"""`turns … until all pass`: whose turn it is, when it ends, and who is out, under both backends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import split, write
from worlds import listed, take

from rulespec.engine.coverage.trace import Coverage
from rulespec.engine.game.game import Game
from rulespec.engine.simulate.checked_playouts import play_out
from rulespec.load import load_ruleset
from rulespec.syntax.format import format_rules

RULES = """
procedure play():
    {turns}:
        set last to p
        decide act by p:
            option go(n in 1 .. 3):
                set total to total + n
            option leave_it:
                leave
            option stop: pass turn
    decide over by last:
        option fine: pass
--- kinds.yaml
kinds:
  player: {{state: {{cash: {{type: int, start: 2}}}}}}
state: {{last: {{type: player, start: first(player)}}, total: {{type: int}}}}
"""
Make = Callable[..., Game]


@pytest.fixture(params=["python", "interpreter"])
def turns(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes a game of four whose first procedure takes turns."""

    def make(head: str, text: str = RULES, seats: int = 4) -> Game:
        files = split(text.format(turns=head) if text is RULES else text, "rules/play.rules")
        return Game(load_ruleset(str(write(tmp_path / "g", files))), list("ABCD"[:seats]), None, request.param)

    return make


def played(game: Game, choices: str) -> str:
    """The seats that are asked in turn, while they pass (`.`), act (`1`), or leave (`!`); `=` where the turns end."""
    asked = ""
    for choice in choices:
        decision = game.decision
        if decision is None or decision.name != "act":
            break
        asked += str(decision.by)
        take(game, {".": "stop", "1": "go(1)", "!": "leave_it"}[choice])
    return asked + ("=" if game.decision is None or game.decision.name != "act" else "")


ENDS = {
    "turns p in player until all pass": ("....", "ABCD="),
    "turns p in player from last until all pass": ("1....", "ABCDA="),
    "turns p in player after last until all pass": ("....", "BCDA="),
    "turns p in player until all but 1 pass": ("1...", "ABCD="),
    "turns p in player until all but 3 pass": (".", "A="),
    "turns p in player until all but 9 pass": (".", "="),
    "turns p in player until all but total - 2 pass": ("....", "ABCD="),
    "turns p in player until all pass drops": ("1.1..1.", "ABCDACC="),
    "turns p in player until all but 1 pass drops": ("11..1.", "ABCDAB="),
    "turns p in player until all but 2 pass drops": ("1..", "ABC="),
    "turns p in player until all pass at most 3": ("....", "ABC="),
    "turns p in player until all pass at most total": ("....", "="),
    "turns p in {q in player where q.index > 1} until all pass": ("1..", "CDC="),
    "turns p in {q in player where q.index > 8} until all pass": ("..", "="),
    "turns p in {q in player by -q.index} until all pass": ("1....", "DCBAD="),
    "turns p in {q in player by -q.index} until all pass drops": ("1.1.1..", "DCBADBD="),
    "turns p in player where p.cash > 5 until all pass": ("..", "="),
    "turns p in player where p.index != 1 until all pass": ("1...", "ACDA="),
    "turns p in player where p.index != 1 or total == 0 until all pass drops": ("11.1..", "ACDACA="),
}
"""The head, what everybody does in turn, and who is asked."""


@pytest.mark.parametrize("head", ENDS)
def test_turns_go_round_until_those_named_have_passed(turns: Make, head: str) -> None:
    choices, asked = ENDS[head]
    game = turns(head)
    before = game.hash
    assert played(game, choices) == asked
    for _ in game.history:
        game.undo()
    assert game.hash == before


def test_who_acts_wakes_the_others_unless_they_are_out(turns: Make) -> None:
    assert played(turns("turns p in player until all pass"), "...1....") == "ABCDABCD="
    assert played(turns("turns p in player until all pass drops"), "...1.") == "ABCDD="


def test_leave_ends_the_turns_at_once(turns: Make) -> None:
    game = turns("turns p in player until all pass")
    assert played(game, "1!") == "AB="
    assert game.omniscient.value("last") == "B"


WITHIN = """
procedure play():
    turns p in player until all pass drops:
        set last to p
        repeat:
            for k in lamp:
                decide act by p:
                    option go(n in 1 .. 3):
                        continue
                    option leave_it:
                        leave
                    option stop:
                        pass turn
            set total to total + 1
            if total == 2:
                leave
        set total to total + 10
    decide over by last:
        option fine: pass
--- kinds.yaml
kinds:
  player: {}
  lamp: {entities: {red: {}, green: {}}}
state: {last: {type: player, start: first(player)}, total: {type: int}}
"""


def test_a_turn_is_passed_out_of_all_loops_in_it(turns: Make) -> None:
    game = turns("", WITHIN, 2)
    assert played(game, "1.") == "AA"
    assert game.omniscient.value("total") == "0"
    assert played(game, "!!") == "BB"
    assert game.omniscient.value("total") == "12"
    assert played(game, ".") == "B="


NESTED = """
procedure play():
    turns p in player until all pass:
        turns q in player after p until all pass drops:
            set last to q
            decide act by q:
                option go(n in 1 .. 3):
                    set total to total + n
                option leave_it: leave
                option stop: pass turn
        if total > 1:
            pass turn
    decide over by last:
        option fine: pass
--- kinds.yaml
kinds: {player: {}}
state: {last: {type: player, start: first(player)}, total: {type: int}}
"""


def test_a_pass_belongs_to_the_innermost_turns(turns: Make) -> None:
    assert played(turns("", NESTED, 3), "..1.1.........") == "BCAACABCABCBCA="


UNABLE = """
procedure play():
    turns p in player until all pass:
        set last to p
        decide act by p:
            option go(n in 1 .. 3 where n <= p.cash):
                set p.cash to p.cash - n
{otherwise}
    decide over by last:
        option fine: pass
--- kinds.yaml
kinds:
  player: {{state: {{cash: {{type: int, start: 2 if total == 0 else 0}}}}}}
state: {{last: {{type: player, start: first(player)}}, total: {{type: int}}}}
"""


def test_who_can_do_nothing_passes_only_if_the_form_says_so(turns: Make) -> None:
    says = UNABLE.format(otherwise="            otherwise: pass turn")
    assert played(turns("", says, 2), "1111") == "ABAB="
    stuck = turns("", UNABLE.format(otherwise="            option stop(n in 7 .. p.cash): pass turn"), 2)
    assert played(stuck, "1111") == "ABAB"
    assert not listed(stuck)


def test_all_machines_play_the_same_games(tmp_path: Path) -> None:
    path = str(write(tmp_path / "g", split(NESTED, "rules/play.rules")))
    ruleset = load_ruleset(path)
    ends = []
    for backend in ("interpreter", "python", "wasm"):
        games = [play_out(Game(ruleset, list("ABC"), None, backend), 5, number).game for number in range(6)]
        ends.append([([str(o) for o in game.history], game.hash) for game in games])
    assert ends[0] == ends[1] == ends[2]


def test_coverage_counts_the_turns_and_nothing_that_no_file_has(tmp_path: Path) -> None:
    text = RULES.format(turns="turns p in player where p.cash > 1 until all pass at most 9")
    tracer = Coverage().trace(load_ruleset(str(write(tmp_path / "g", split(text, "rules/play.rules")))))
    branches = [item.name for item in tracer.items.all if item.kind == "branch"]
    assert branches == ["turns"]
    assert {item.name for item in tracer.items.all if item.kind == "statement"} == {"let", "set", "leave"}


OVERLAY = """
change procedure play: replace p.cash > 1 with p.index > 0
change option go of act: require n < 3 "HSE-1: two at most"
extend decision act:
    option out: pass turn
"""


def test_overlays_change_turns_and_pass_them(tmp_path: Path) -> None:
    text = RULES.format(turns="turns p in player where p.cash > 1 until all pass")
    head = 'id: b\ntitle: B\nfor: small\nversion: "1"\n'
    files = split(f"{text}\n--- variants/b.yaml\n{head}\n--- variants/b.rules{OVERLAY}", "rules/play.rules")
    game = Game(load_ruleset(f"{write(tmp_path / 'g', files)}+b"), list("ABC"))
    assert listed(game) == ["go(1)", "go(2)", "leave_it", "stop", "out"]
    asked = ""
    for option in ("out", "go(2)", "out", "stop"):
        asked += str(game.decision and game.decision.by)
        take(game, option)
    assert asked == "BCBC" and game.decision is not None and game.decision.name == "over"


def test_the_formatter_keeps_them() -> None:
    loose = (
        "procedure a():\n  turns   p in player from  q until all but 1+n pass   drops at most 3 :\n    pass   turn\n"
    )
    assert format_rules(loose, "a.rules") == (
        "procedure a():\n    turns p in player from q until all but 1 + n pass drops at most 3:\n        pass turn\n"
    )
