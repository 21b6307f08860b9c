"""Decisions by any of several: one of them leads, and who speaks is in the log, under both backends."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from cases import split, write
from worlds import Play, take

from rulespec.cli.main import run
from rulespec.engine.game.game import seat_options
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.logs.native import entry_json, read_log

JOINT = """
procedure play():
    for e in office:
        repeat at most 2:
            decide action by any of {p in player where e in p.offices} lead augustus(e):
                "J-01: either of them."
                option spend(k in 1 .. 3):
                    require k <= e.purse "J-02: no more than there is"
                    set e.purse to e.purse - k
                option stop:
                    pass
                option object(q in player where e not in q.offices) by q:
                    set objections to objections + 1
                    ask again
        choose heir(p in player) by any of {p in player where e in p.offices}
        set e.held by_last to p
    end game
def augustus(e: office) -> player:
    the(p in player where p.index == lead_of[e] + moved)
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 3, max: 3}
start: play
--- kinds.yaml
kinds:
  office:
    state: {purse: {type: int, start: 4}, held: {type: player?}}
    entities: {east: {}, west: {}}
  player:
    facts: {offices: set office}
    seats: [{offices: [east]}, {offices: [east, west]}, {offices: [west]}]
state: {objections: {type: int}, moved: {type: int}}
--- tables.yaml
tables:
  lead_of: {key: office, value: int, rows: {east: 1, west: 2}}
""".replace("set e.held by_last to p", "set e.held to p")


def test_any_of_several_may_decide_and_one_leads(play: Play) -> None:
    game = play(JOINT, "A B C")
    decision = game.decision
    assert decision is not None
    assert (decision.by, decision.among) == ("B", ("A", "B"))
    assert {option.by for option in game.legal_options} == {"B"}
    assert [str(o) for o in seat_options(game, "A")] == ["spend(1)", "spend(2)", "spend(3)", "stop"]
    assert {o.by for o in seat_options(game, "A")} == {"A"}
    assert [str(o) for o in seat_options(game, "C")] == ["object(C)"]
    with pytest.raises(ValueError, match=r"`stop` is for A or B to do, not for C"):
        game.parse("stop", "C")


def test_who_speaks_is_in_the_log_and_not_in_the_position(play: Play) -> None:
    one, other = play(JOINT, "A B C"), play(JOINT, "A B C")
    one.apply(one.parse("spend(3)", "A"))
    other.apply(other.parse("spend(3)"))
    assert one.hash == other.hash
    assert [game.history[0].by for game in (one, other)] == ["A", "B"]
    assert str(one.why_not(one.parse("spend(2)", "A"))).startswith("J-02")
    one.apply(one.parse("object(C)", "C"))
    one.apply(one.parse("stop", "B"))
    assert one.undo().by == "B"
    again = play(JOINT, "A B C")
    for line in map(entry_json, one.history):
        again.apply(again.parse(line["option"], line["by"], line["decision"]))
    assert [option.by for option in again.history] == ["A", "C"]
    assert again.hash == one.hash


def test_without_a_lead_the_first_of_them_leads(play: Play) -> None:
    game = take(play(JOINT, "A B C"), "stop", "stop")
    decision = game.decision
    assert decision is not None
    assert (decision.name, decision.by, decision.among) == ("heir", "A", ("A", "B"))
    game.apply(game.parse("heir(C)", "B"))
    assert game.omniscient.value("east.held") == "C"


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("lead augustus(e)", "lead the(p in player where p.index == 2)", "the lead must be one of the players who may"),
        ("e in p.offices} lead augustus(e)", "e not in p.offices and p.index < 2}", "nobody may take this decision"),
    ],
)
def test_somebody_must_lead_who_may_decide(play: Play, old: str, new: str, message: str) -> None:
    game = play(JOINT.replace(old, new).replace("procedure play():", "procedure play():\n    set moved to 0"), "A B C")
    with pytest.raises(RulesetFaultError, match=message):
        _ = game.decision


@pytest.fixture
def offices(tmp_path: Path) -> Path:
    files = split(JOINT, "rules/play.rules")
    files["scenarios/joint.yaml"] = """
    scenarios:
      - id: a_sister_speaks
        title: Who speaks.
        rules: [J-01]
        seats: [A, B, C]
        when: ["A: spend(3)", "C: object(C)", "B: stop"]
        then: {values: {east.purse: 1, objections: 1}, decision: heir, by: A}
      - id: who_may_not
        title: Who speaks.
        rules: [J-01]
        seats: [A, B, C]
        when: ["C: stop"]
    """
    return write(tmp_path / "offices", files)


def test_scenarios_say_who_speaks(offices: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", str(offices)]) == 1
    note = capsys.readouterr()
    assert "`stop` is for A or B to do, not for C" in note.out + note.err
    assert "1 of 2" in note.out or "1 failed" in note.out, note.out


def test_a_person_at_the_terminal_says_who_speaks(
    offices: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "game.jsonl"
    monkeypatch.setattr("sys.stdin", io.StringIO("A: spend(1)\nB: 4\nq\n"))
    assert run(["play", str(offices), "--players", "3", "--bots", "1", "--log", str(log)]) == 0
    assert "B (or A): action" in capsys.readouterr().out
    assert [(entry.by, entry.option) for entry in read_log(log).entries] == [("A", "spend(1)"), ("B", "stop")]
    assert run(["replay", str(log), "--rules", str(offices)]) == 0
