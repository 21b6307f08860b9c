"""Recorded games under other rules: the first decision that becomes illegal, or the change of the result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from folders import GAMES, RULESETS
from jsonschema import Draft202012Validator
from quiz import played

from rulespec.cli.main import cli
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.replay.judge import judge, judge_file
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema

LOGS = GAMES / "imperial" / "logs"
NIM = str(RULESETS / "nim")
SHORT = RULESETS / "nim" / "logs" / "short.jsonl"
SITE = LOGS / "playimperial"


pytestmark = pytest.mark.usefixtures("known_rulesets")


def run(*args: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["replay", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


# --- the command ------------------------------------------------------------------------------------------------------


def test_command_shows_how_the_result_changes() -> None:
    code, out, _ = run(SHORT, "--under", "+tall")
    assert code == 1
    assert "nim · under nim+tall" in out
    assert out.splitlines()[4:] == [
        "seat      recorded           now",
        "Ann              6             6",
        "Bob              3  won        3",
        "ending  last stone       goes on",
    ]


def test_command_shows_the_first_decision_that_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    tall = played(f"{NIM}+tall", ["take(3)", "take(3)", "take(2)", "take(2)"])
    lines = [{"decision": o.decision, "by": o.by, "option": str(o)} for o in tall.history]
    head = {"rulespec_log": 1, "ruleset": "nim+tall", "seats": ["Ann", "Bob"]}
    log.write_text("".join(json.dumps(line) + "\n" for line in [head, *lines]), "utf-8")
    code, out, _ = run(log, "--under", "nim")
    assert code == 1
    for text in (
        "not legal   after 3 of 4 decisions",
        "action      Bob: take(2) (decision `turn`)",
        "reason      NIM-04: there are not so many stones",
        "rules       NIM-04",
        "stone.heap = 1",
        "open        `turn` by Bob",
        "legal       take(1)",
    ):
        assert text in out


def test_command_for_a_folder(tmp_path: Path) -> None:
    for name, moves in (("a", [3, 3, 2, 2]), ("b", [3, 3, 3, 1]), ("c", [3, 3, 2, 3]), ("d", [1])):
        seats = ["Ann", "Bob"]
        lines: list[dict[str, Any]] = [{"rulespec_log": 1, "ruleset": "nim+tall", "seats": seats}]
        lines += [{"decision": "turn", "by": seats[i % 2], "option": f"take({n})"} for i, n in enumerate(moves)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (tmp_path / "e.json").write_text("{", "utf-8")
    (tmp_path / "notes.md").write_text("no log", "utf-8")
    code, out, _ = run(tmp_path, "--under", "nim")
    assert code == 2
    lines_ = [line.replace(f"{tmp_path}/", "") for line in out.splitlines()]
    legal = "legal, goes on; under the other rules"
    assert lines_[0] == (
        f"a.jsonl: 4 decisions, {legal} not legal after 3 of 4 decisions: NIM-04: there are not so many stones"
    )
    assert lines_[1] == (
        f"b.jsonl: 4 decisions, {legal} legal, ended (last_stone), won by A instead of nobody, "
        "but earlier: after 3 of 4 decisions"
    )
    assert lines_[3] == f"d.jsonl: 1 decision, {legal} legal, goes on"
    assert lines_[4].startswith("e.json: unreadable: ")
    assert lines_[5] == "5 logs: 4 legal, 1 unreadable; 13 legal decisions"
    assert lines_[-4:] == [
        "under the other rules: 2 legal, 1 with other winners, 1 not over, 2 not legal",
        "not legal under the other rules, by the first rule broken:",
        "  logs  rule    reason                                example",
        "     2  NIM-04  NIM-04: there are not so many stones  a.jsonl, decision 4",
    ]
    assert run(*sorted(tmp_path.glob("*.json*")), "--under", "nim") == (code, out, ""), "the same of several logs"
    code, out, _ = run(tmp_path, "--under", "nim", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("corpus")).validate(data)
    assert (code, len(data["logs"])) == (2, 5)
    assert data["totals"]["judged"] == {"legal": 2, "not legal": 2, "open winners": 1, "other winners": 1}
    [cause] = data["totals"]["causes_under"]
    assert (cause["logs"], cause["rules"]) == (2, ["NIM-04"])


@pytest.mark.proof  # 0.9 s
def test_a_log_that_cannot_be_judged_among_others() -> None:
    code, out, _ = run(SHORT, SHORT, "--under", "+nothing")
    assert (code, out.count("cannot be judged: RS502: there is no overlay `nothing`")) == (2, 2)
    code, out, _ = run(SHORT, "--under", "+nothing", "--format", "json")
    Draft202012Validator(load_schema("under")).validate(json.loads(out))
    assert (code, "there is no overlay" in out) == (2, True)


def test_command_for_one_log_as_json() -> None:
    code, out, _ = run(SHORT, "--under", "nim", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("under")).validate(data)
    assert (code, data["under"], data["logs"][0]["winners"]) == (0, "nim", "same")


@pytest.mark.parametrize(
    "args, message",
    [
        ([SHORT, "--under", "nothing"], "there is no ruleset `nothing`"),
        ([SHORT, "--under", "+nothing"], "there is no overlay `nothing`"),
        ([SHORT, "--under", "+"], "no overlay is named after `+`"),
        ([SHORT, "--under", "nim", "--out", "x.txt"], "x.txt names no format"),
        ([SHORT, "--under", "nim", "--until", "1"], "--under cannot be combined with"),
        ([SHORT, "--answer", "usual"], "--answer needs --under"),
        (["nowhere.jsonl", "--under", "nim"], "there is no file"),
    ],
)
def test_wrong_usage(args: list[Any], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    from rulespec.cli.main import run as run_command

    assert run_command(["replay", *map(str, args)]) == 2
    assert message in capsys.readouterr().err


# --- whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.proof
def test_recorded_games_with_cheap_factories() -> None:
    folder = LOGS / "playimperial"
    judgements = [
        judge_file(path, "+cheap_factories") for path in (folder / "c000-standard-2p.json", folder / "quickstart.json")
    ]
    assert [j.difference for j in judgements] == [None, None]
    assert all(j.under.ref == "imperial+playimperial+cheap_factories" for j in judgements)
    assert judgements[0].outcome.scores != judgements[0].recorded.scores


@pytest.mark.proof  # 0.5 s
def test_the_quick_start_game_in_the_first_edition() -> None:
    judgement = judge_file(LOGS / "quickstart.jsonl", "+first_edition")
    difference = judgement.difference
    assert difference is not None
    # The second bond on the back of a flag card is one of 4 there, so its buyer has less to spend.
    assert (difference.index, difference.recorded.option) == (10, "buy(germany_4)")
    assert "IMP-BON-03" in difference.refusal.rules


@pytest.mark.proof
def test_a_recorded_game_with_questions_that_nobody_answered() -> None:
    log = SITE / "c010-no_investor_card-2p.json"
    assert (stop := judge_file(log, "+cheap_factories").difference) is not None
    assert stop.refusal.reason == "the open decision is `investment`, not `rondel`"
    code, out, _ = run(log, "--under", "+cheap_factories", "--answer", "usual")
    assert code == 0
    assert "answered  27 questions `investment` missing from the log: `decline`, which is the usual answer" in out
    code, out, _ = run(log, "--under", "+cheap_factories", "--answer", "usual", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("under")).validate(data)
    [judged] = data["logs"]
    assert {(a["decision"], a["option"], a["why"]) for a in judged["answers"]} == {("investment", "decline", "usual")}
    assert (judged["legal"], judged["decisions"], judged["winners"]) == (515, 515, "same")


@pytest.mark.parametrize("overlay", ["first_edition", "reverse_order", "five_nations", "playimperial", "end_at_30"])
@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=pytest.mark.proof)])
@pytest.mark.sampled(1)
def test_any_game_under_any_rules_comes_to_a_judgement(overlay: str, seeds: int) -> None:
    ruleset = load_ruleset("imperial")
    other = load_ruleset(f"imperial+{overlay}")
    for seed in range(seeds):
        game, draws = Game(ruleset, seat_names(4)), Draws(seed)
        while not game.is_over and game.ply < 300:
            option = choose(game, draws)
            assert option is not None
            game.apply(option)
        judgement = judge("game", game, other)
        stops = judgement.difference is not None or judgement.ends_earlier
        assert (judgement.legal < judgement.decisions) == stops
        Draft202012Validator(load_schema("under")).validate({"under": overlay, "logs": [judgement.to_json()]})


# --- a log of a site that asks other questions ---------------------------------------------------


@pytest.mark.proof  # 0.9 s
@pytest.mark.parametrize("name, legal", [("c006-auction-3p", 15), ("u000-standard-3p", 6)])
def test_questions_that_only_the_other_system_asks_are_passed_over(name: str, legal: int) -> None:
    """The site asks for the order of payments, but not for the opener of the auction, who is determined."""
    judged = judge_file(SITE / f"{name}.json", "imperial")
    assert judged.difference is not None
    assert judged.difference.open in ("armies", "fleets")  # in any order, on the site
    assert judged.skipped == 3
    # The site produces everywhere without a decision.
    assert {(a.decision, a.option.partition("(")[0]) for a in judged.answers} >= {("production", "produce")}
    assert judged.legal > legal
    assert not any(word in judged.difference.refusal.reason for word in ("payment_order", "first_seat"))


def test_an_overlay_that_does_not_go_with_the_logs_own_is_told_in_one_sentence() -> None:
    result = CliRunner().invoke(cli, ["replay", str(SITE / "c006-auction-3p.json"), "--under", "+economy_2030"])
    assert result.exit_code == 2
    assert result.output.count("error[") == 1
    assert (
        "error[RS624]: `+economy_2030` cannot be applied to the log's own rules, `imperial+playimperial`"
        in result.output
    )
    missing = CliRunner().invoke(cli, ["replay", str(SITE / "c006-auction-3p.json"), "--under", "+economy_2031"])
    assert "RS502" in missing.output and "RS624" not in missing.output
