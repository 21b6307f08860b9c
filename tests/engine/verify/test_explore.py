"""Exploration: faults in rules are found with a short game that shows each, and sound rules have none."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases import small, split, write
from click.testing import CliRunner, Result
from folders import RULESETS

from rulespec.cli.main import cli
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.verify import explore as exploring
from rulespec.engine.verify.explore import Exploration, explore
from rulespec.engine.verify.position_graph import endless_decisions, idle_entries
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

ONE = """\
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
units: [money, points]
start: play
"""


@cache
def ruleset(name: str) -> typed.Ruleset:
    return load_ruleset(str(RULESETS / name))


def explored(folder: Path, rules: str, decisions: int = 2_000) -> Exploration:
    return explore(small(folder / "small", rules + ONE), decisions)


def codes(exploration: Exploration) -> list[str]:
    return [d.code for d in exploration.diagnostics()]


def moves(exploration: Exploration) -> list[str]:
    (finding,) = exploration.findings
    return [str(move) for move in finding.moves]


def run_explore(*args: str) -> Result:
    return CliRunner().invoke(cli, ["explore", *args])


# --- sound rules ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nim", "nim+tall", "wager", "errands"])
@pytest.mark.sampled(1)
def test_nothing_is_wrong_with_the_rulesets_of_the_tests(name: str) -> None:
    result = explore(ruleset(name), 5_000)
    assert codes(result) == []
    assert 0 < result.decisions <= 5_000


@pytest.mark.proof  # 0.3 s
def test_a_small_game_is_seen_whole() -> None:
    result = explore(ruleset("nim"), 10_000)
    assert result.complete == [2, 3, 4]
    assert result.unseen == []


def test_the_same_bound_gives_the_same_result() -> None:
    assert explore(ruleset("errands"), 1_000) == explore(ruleset("errands"), 1_000)


def test_progress_adds_up() -> None:
    steps: list[int] = []
    result = explore(ruleset("wager"), 1_234, steps.append)
    assert sum(steps) == result.decisions


# --- what is found ----------------------------------------------------------------------------------------------------

FAULT = """\
procedure play():
    repeat at most 6:
        for p in player:
            decide turn by p:
                option earn:
                    pay 2 from bank to p.cash
                option spend(n in 1 money .. 3):
                    require p.cash > 0
                    pay n from p.cash to bank
--- kinds.yaml
kinds: {player: {state: {cash: {account: money}}}}
accounts: {bank: {account: money, unlimited: true}}
"""


def test_a_fault_is_found_with_the_shortest_game(tmp_path: Path) -> None:
    result = explored(tmp_path, FAULT)
    assert codes(result) == ["RS703"]
    assert moves(result) == ["earn", "earn", "spend(3)"]
    assert result.findings[0].shortest
    assert "with 2 players: A: earn · B: earn · A: spend(3)" in result.findings[0].diagnostic.help


NO_OPTION = """\
procedure play():
    repeat at most 3:
        for p in player:
            decide turn by p:
                option take(n in 1 .. 2):
                    require left >= n
                    set left to left - n
                option shout by next(p):
                    ask again
--- kinds.yaml
state: {left: {type: int 0..4, start: 4}}
"""


def test_a_decision_without_a_legal_option_is_found(tmp_path: Path) -> None:
    result = explored(tmp_path, NO_OPTION)
    assert codes(result) == ["RS711"]
    assert moves(result) == ["take(2)", "take(2)"]  # options out of turn do not help a decider without options


DEEP = """\
procedure play():
    repeat at most 300:
        for p in player:
            decide turn by p:
                option wait(n in 1 .. 9):
                    set waited to waited + n
                option grow:
                    set size to size + 1
        if waited > 3000:
            end game
invariant small_enough:
    "It stays small."
    size < 8
--- kinds.yaml
state: {size: {type: int}, waited: {type: int}}
"""


def test_a_long_game_that_breaks_an_invariant_is_made_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring._Explorer, "_breadth", lambda self, seats, budget: False)
    result = explored(tmp_path, DEEP, 3_000)
    assert codes(result) == ["RS712"]
    assert moves(result) == ["grow"] * 8
    assert result.decisions <= 3_000 + 100
    assert str(result.findings[0].diagnostic.span).endswith("rules/play.rules:11:11")


TOGGLE = """\
procedure play():
    for p in player:
        decide turn by p:
            option paint:
                set red to not red
                ask again
            option done:
                pass
--- kinds.yaml
state: {red: {type: bool}}
"""


@pytest.mark.parametrize("breadth", [True, False])
def test_turns_without_end_are_found(breadth: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not breadth:
        monkeypatch.setattr(exploring._Explorer, "_breadth", lambda self, seats, budget: False)
    result = explored(tmp_path, TOGGLE)
    assert codes(result) == ["RS713"]
    assert moves(result) == ["paint", "paint"]
    assert result.findings[0].loop == 2


LISTED = (
    "--- rules.yaml\nrules: [{{id: ABC-01, text: One.}}]\nendless: [{{decision: {0}, reason: they may think again}}]\n"
)
OTHER_LOOP = """\
procedure play():
    for p in player:
        decide turn by p:
            option paint:
                set red to not red
                ask again
            option done:
                look(p)

procedure look(p: player):
    decide window by p:
        option open:
            set red to not red
            ask again
        option shut:
            pass
--- kinds.yaml
state: {red: {type: bool}}
"""


@pytest.mark.parametrize("breadth", [True, False])
def test_turns_that_are_endless_on_purpose(breadth: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not breadth:
        monkeypatch.setattr(exploring._Explorer, "_breadth", lambda self, seats, budget: False)
    assert codes(explored(tmp_path / "meant", TOGGLE + LISTED.format("turn"))) == []
    other = explored(tmp_path / "other", OTHER_LOOP + LISTED.format("turn"))
    assert codes(other) == ["RS713"]
    assert "after this `window`" in other.findings[0].diagnostic.message
    assert codes(explored(tmp_path / "both", OTHER_LOOP)) == ["RS713"]


def test_a_list_of_endless_decisions_that_names_none(tmp_path: Path) -> None:
    result = explored(tmp_path, TOGGLE + LISTED.format("turm"))
    assert codes(result) == ["RS713", "RS713"]
    assert [d.message for d in result.others] == ["`endless` names `turm`, which is not a decision"]
    assert str(result.others[0].span).endswith("rules.yaml:2:22")


@pytest.mark.proof
def test_what_is_endless_in_a_base_is_so_in_what_extends_it() -> None:
    for ref in ("imperial", "imperial_2030", "imperial+playimperial"):
        assert endless_decisions(load_ruleset(ref)) == {"exchange"}
        assert idle_entries(load_ruleset(ref)) == []


def test_chance_and_acts_out_of_turn_make_no_loop(tmp_path: Path) -> None:
    rules = """\
procedure play():
    for p in player:
        turns(p)

procedure turns(p: player):
    repeat:
        chance coin:
            option heads:
                pass
            option tails:
                end game
        decide turn by p:
            option go:
                pass
            option shout(q in player) by q:
                ask again
"""
    assert codes(explored(tmp_path, rules)) == []


def test_a_position_without_a_way_to_the_end_is_found(tmp_path: Path) -> None:
    rules = """\
procedure play():
    for p in player:
        turns(p)

procedure turns(p: player):
    repeat:
        decide turn by p:
            option close:
                set closed to true
            option win:
                require not closed
                end game
--- kinds.yaml
state: {closed: {type: bool}}
"""
    result = explored(tmp_path, rules)
    assert codes(result) == ["RS713", "RS714"]
    assert [[str(m) for m in f.moves] for f in result.findings] == [["close", "close"], ["close"]]


def test_an_option_that_is_never_offered_is_found(tmp_path: Path) -> None:
    rules = """\
procedure play():
    for p in player:
        decide turn by p:
            option win:
                require left > 3 and left < 2
                end game
            option cheat:
                require cheating
                end game
            option pass_on:
                pass
--- kinds.yaml
state: {left: {type: int, start: 5}}
"""
    result = explore(small(tmp_path / "small", rules + ONE + "settings: {cheating: {default: false}}\n"), 1_000)
    assert codes(result) == ["RS715"]
    assert "the option `win`" in result.others[0].message
    assert result.unseen == ["win"]


def test_what_is_wrong_at_once_needs_no_decisions(tmp_path: Path) -> None:
    rules = """\
procedure play():
    for p in player:
        decide turn by p:
            option go:
                require open
--- kinds.yaml
state: {open: {type: bool}}
"""
    result = explored(tmp_path, rules)
    assert codes(result) == ["RS711"]
    assert moves(result) == []


@pytest.mark.proof
def test_options_of_the_ruleset_are_tried_and_named_where_they_matter(tmp_path: Path) -> None:
    rules = FAULT.replace("require p.cash > 0", "require p.cash >= 3 or (risky and p.cash > 0)")
    options = "settings: {risky: {default: false}, mild: {default: false}}\n"
    rules = rules.replace("repeat at most 6", "repeat at most 2 if mild else 7")
    result = explore(small(tmp_path / "small", rules + ONE + options), 20_000)
    (finding,) = result.findings
    assert finding.diagnostic.code == "RS703"
    assert "and risky=true" in finding.diagnostic.help
    assert "mild" not in finding.diagnostic.help
    assert len(finding.moves) == 3


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_log_shows_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "small", split(DEEP + ONE, "rules/play.rules"))
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    result = run_explore("small", "--decisions", "2000", "--failures", str(tmp_path / "logs"), "--format", "json")
    assert result.exit_code == 1
    (diagnostic,) = json.loads(result.stdout)["rulesets"][0]["diagnostics"]
    path = tmp_path / "logs" / "small-RS712-1.jsonl"
    assert str(path) in diagnostic["help"]
    lines: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line.get("option") for line in lines[1:-1]] == ["grow"] * 8 and "end" in lines[-1]
    assert replay_log(path).divergence is None
    assert "small: explored" in result.stderr


def test_warnings_leave_the_ruleset_sound(tmp_path: Path) -> None:
    write(tmp_path / "small", split(TOGGLE + ONE, "rules/play.rules"))
    result = run_explore(str(tmp_path / "small"), "--decisions", "1000")
    assert result.exit_code == 0
    assert "sound (1 warning)" in result.stdout


@pytest.mark.parametrize("args", [["--decisions", "0"], ["--decisions", "x"], ["--failures"]])
def test_wrong_usage_is_told(args: list[str]) -> None:
    assert run_explore(str(RULESETS / "nim"), *args).exit_code == 2


@pytest.mark.parametrize("args", [["--deep", "2"], ["--deep=x"], ["--deep-log", "logs"], ["--deep", "1", "--fix"]])
def test_the_flag_of_old_names_the_command(args: list[str]) -> None:
    refused = CliRunner().invoke(cli, ["validate", str(RULESETS / "nim"), *args])
    assert refused.exit_code == 2 and "`rulespec explore REF`" in refused.output


def test_a_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    write(tmp_path / "small", split(TOGGLE + ONE, "rules/play.rules"))
    (tmp_path / "file").write_text("")
    result = run_explore(str(tmp_path / "small"), "--decisions", "1000", "--failures", str(tmp_path / "file" / "logs"))
    assert result.exit_code != 0
    assert "cannot be written" in result.stderr
