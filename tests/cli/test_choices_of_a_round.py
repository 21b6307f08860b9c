"""`play` where all choose together: whoever is ready may be first, and may change it until the last has chosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rulespec.cli.main import cli
from rulespec.engine.logs.native import read_log
from rulespec.engine.replay.replay import replay_native
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


def play(*typed: str, log: Path | None = None, bots: int = 0, ref: str = "wager") -> str:
    saved = [] if log is None else ["--log", str(log)]
    args = ["play", ref, "--players", "3", "--names", "Ann,Bob,Cid", "--seed", "1", "--bots", str(bots), *saved]
    result = CliRunner().invoke(cli, args, input="".join(f"{line}\n" for line in typed))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def decisions(log: Path) -> list[str]:
    """The decisions of a log that stand."""
    assert replay_native(read_log(log), load_ruleset("wager")).divergence is None
    results: list[str] = []
    for line in map(json.loads, log.read_text("utf-8").splitlines()[1:]):
        if "undo" in line:
            del results[-line["undo"] :]
        elif "decision" in line:
            results.append(f"{line['by']} {line['option']}")
    return results


def test_whoever_is_ready_chooses_first(tmp_path: Path) -> None:
    out = play("Cid: bid(1)", "Bob: bid(2)", "bid(3)", "q", log=tmp_path / "log")
    assert "Ann: bidding (secret until all have chosen; chosen so far: Cid)" in out
    assert "Ann: bidding (secret until all have chosen; chosen so far: Bob, Cid)" in out
    assert decisions(tmp_path / "log")[1:4] == ["Ann bid(3)", "Bob bid(2)", "Cid bid(1)"]


def test_what_is_chosen_is_shown_to_nobody_else() -> None:
    out = play("Cid: bid(1)", "p", "s", "bid(3)", "p", "q")
    assert out.count("bid: 1") == out.count("    2  bid: 1") + 1  # in the lists of options, and as Cid chooses
    assert "chosen: Cid: bid: 1" in out and "Ann has chosen" in out


def test_a_choice_is_changed_until_the_last_has_chosen(tmp_path: Path) -> None:
    log = tmp_path / "log"
    out = play("Bob: bid(1)", "Bob: bid(2)", "bid(3)", "Ann: bid(0)", "Bob: bid(4)", "bid(1)", "q", log=log)
    assert decisions(log)[1:4] == ["Ann bid(0)", "Bob bid(4)", "Cid bid(1)"]
    assert "chosen: Ann: bid: 0" in out


def test_who_comes_again_after_a_change_keeps_the_salt(tmp_path: Path) -> None:
    """Others may have seen the seal of Bob's choice, which he has not changed."""
    log = tmp_path / "log"
    play("Bob: bid(2)", "bid(3)", "Ann: bid(0)", "q", log=log)
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    salts = {by: [line["salt"] for line in lines if line.get("by") == by] for by in ("Ann", "Bob")}
    assert len(set(salts["Bob"])) == 1 < len(salts["Bob"]) and len(set(salts["Ann"])) == 2


def test_a_choice_is_taken_back(tmp_path: Path) -> None:
    log = tmp_path / "log"
    out = play("Cid: bid(1)", "Cid: u", "Cid: u", "bid(3)", "Ann: u", "q", log=log)
    assert "the choice of Cid is taken back" in out and "Cid has not chosen" in out
    assert decisions(log) == ["None roll(sun)"]
    assert "chosen so far" not in out.rpartition("the choice of Ann is taken back")[2]


def test_whoever_speaks_is_told_why_not() -> None:
    out = play("Bob: bid(9)", "Bob: bid(x)", "Bob: o", "Bob: 77", "Bob: bid: 2", "q")
    assert "not legal: WAG-03: not more than one has" in out
    assert "chosen: Bob: bid: 2" in out and "2  bid(2)" in out
    assert "Traceback" not in out


def test_to_take_back_goes_past_a_round() -> None:
    """An early choice belongs to the round that is left."""
    out = play("bid(1)", "bid(1)", "bid(0)", "Cid: bid(0)", "u", "u", "u", "bid(2)", "q")
    assert out.count("taken back: ") == 3
    after = out.rpartition("taken back: ")[2]
    assert "chosen so far" not in after.partition("Bob: bidding")[0]


def test_who_has_seen_the_others_choices_knows_them() -> None:
    out = play("bid(1)", "bid(2)", "bid(4)", "u", "q")
    after = out.rpartition("taken back: 1 decision")[2]
    assert "Cid learned from it: Ann: bid(1); Bob: bid(2)" in after
    assert "Ann learned from it: Bob: bid(2); Cid: bid(4)" in after


FORCED = {
    "game.yaml": "id: forced\ntitle: Forced\nversion: '1.0'\nplayers: {kind: player, min: 2, max: 4}\nstart: play\n",
    "kinds.yaml": "kinds: {player: {state: {vote: {type: int}}}}\n",
    "rules/play.rules": """procedure play():
    repeat at most 2:
        decide voting together by p in player:
            option vote(k in 0 .. p.index):
                set p.vote to k
    end game
""",
}


def test_who_has_one_option_is_not_asked(tmp_path: Path) -> None:
    for name, text in FORCED.items():
        path = tmp_path / "forced" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    out = play("vote(1)", "u", "u", "vote(1)", "vote(2)", "Cid: vote(2)", "vote(1)", ref=str(tmp_path / "forced"))
    assert "Ann>" not in out and out.count("Bob>") == 5 and "The game is over" in out
    assert out.count("taken back: 1 decision") == 1 and out.count("there is nothing to take back") == 1
