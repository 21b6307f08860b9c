"""`rulespec playtest`: house rules, judged by paired games."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import cast

import pytest
from commands import invoke
from folders import ROOT
from jsonschema import Draft202012Validator

from rulespec.cli.main import run
from rulespec.cli.playtest import _forecast
from rulespec.cli.playtest_target import mattering
from rulespec.engine.playtest.playtest import Playtest
from rulespec.engine.playtest.rule_trial import RuleTrial
from rulespec.schemas import load_schema

pytestmark = pytest.mark.usefixtures("known_rulesets")

RULE = 'id: {id}\ntitle: {id}\nfor: nim\nversion: "1.0"\n{what}\n'
RULES = {
    "more": "changes: {constants.most: 5}",
    "asking": "changes: {constants.most: 5}\nadd: {questions: {time: {asks: length, matters: 1}}}",
    "measuring": "add: {measures.twos: {value: 2}, questions: {two: {asks: twos, matters: 1}}}",
}
GAMES = ("--players", 2, "--bots", "random", "--beside", "", "--ladder", 0)


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, what in RULES.items():
        (tmp_path / f"{name}.yaml").write_text(RULE.format(id=name, what=what))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("rules")
@pytest.mark.proof
def test_a_rule_that_shortens_games_does_so_and_the_same_pairs_say_it_again() -> None:
    args = ("playtest", "nim", "+./asking.yaml", "--players", 2, "--bots", "flat:4", "--beside", "random")
    code, text, err = invoke(*args, "--minutes", 1, "--ladder", 10)
    assert code == 0, err
    assert "a pair of games of flat:4 takes about" in err
    assert "time less by" in text and "flat:4 against random" in text
    again = text.rstrip().splitlines()[-1].split()
    assert again[:3] == ["rulespec", "playtest", "nim"]
    assert invoke(*again[1:])[1] == text


@pytest.mark.parametrize(
    "times, pairs, text",
    [
        ((0.7,), (), "a pair of games of flat:4 takes about 0.7 s (only one was played); no time limit"),
        ((0.5, 1.5), (30,), "takes about 1 s (0.5 s to 1.5 s), and 30 of them at most about 30 s; no time limit"),
        ((12.0, 12.1), (), "takes about 12 s; no time limit"),
        (
            (0.0001, 0.0002),
            (9,),
            "takes about 0.15 ms (0.1 ms to 0.2 ms), and 9 of them at most",
        ),
    ],
)
def test_a_forecast_tells_the_spread_of_its_pairs(times: tuple[float, ...], pairs: tuple[int, ...], text: str) -> None:
    class Timed:
        def times(self, _: tuple[str, ...]) -> tuple[float, ...]:
            return times

    assert text in _forecast(cast(Playtest, Timed()), ("flat:4",), pairs, None, 1)


@pytest.mark.proof  # 1.7 s
@pytest.mark.usefixtures("rules")
def test_the_same_figures_come_from_processes_and_from_records(tmp_path: Path) -> None:
    args = ("playtest", "nim", "+./more.yaml", *GAMES, "--pairs", 60, "--format", "json")
    alone = invoke(*args)[1]
    assert json.loads(alone)["rules"][0]["strengths"][0]["answers"][0]["verdict"] == "less"
    assert invoke(*args, "--jobs", 2)[1] == alone
    assert invoke(*args[:-4], "--pairs", 20, "--out", tmp_path / "out")[0] == 0
    assert invoke(*args, "--out", tmp_path / "out")[1] == alone
    files = sorted(path.name for path in (tmp_path / "out" / "random").iterdir())
    assert files == ["base.jsonl", "rule-1.jsonl"]
    last = tmp_path / "out" / "random" / "base.jsonl"
    last.write_text(last.read_text().replace('"decisions": ', '"decisions": 1'))
    code, _, err = invoke(*args, "--out", tmp_path / "out")
    assert code == 1 and "does not end as recorded when it is played again" in err
    code, _, err = invoke(*args, "--seed", 9, "--out", tmp_path / "out")
    assert code == 1 and "contains other games" in err


def test_equal_games_are_named_as_such() -> None:
    code, text, _ = invoke("playtest", "nim", "nim", *GAMES, "--pairs", 50)
    assert code == 0 and "This rule never acted in 50 games of random." in text and "the rule never acted" in text


@pytest.mark.usefixtures("rules")
def test_endings_options_and_where_the_rule_acted_stand_below_the_answers() -> None:
    code, text, _ = invoke("playtest", "nim", "+./more.yaml", *GAMES, "--pairs", 6)
    assert code == 0
    assert re.search(
        r"^Length +[0-9.]+ +[0-9.]+ +-[0-9.]+ +-[0-9.]+ to \+[0-9.]+ +undecided: about [0-9]+ pairs", text, re.M
    )
    assert re.search(
        r"^The rule acted in [1-6] of 6 pairs, first at the first decision: another turn\.take", text, re.M
    )
    assert re.search(r"^ended by +nim +\+\./more\.yaml", text, re.M) or "ended by" in text
    assert re.search(r"^turn\.take +[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9]+ +[AB] [0-9.]+, [AB] [0-9.]+$", text, re.M)


@pytest.mark.usefixtures("rules")
def test_an_ending_and_the_use_of_an_option_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "asks.yaml").write_text(
        RULE.format(
            id="asks",
            what=(
                "changes: {constants.most: 5}\nadd:\n  questions:\n"
                "    taken: {title: Takes, asks: uses, of: turn.take, matters: 1}\n"
                "    over: {title: Over, asks: ending, of: last_stone, matters: 5}\n"
            ),
        )
    )
    code, text, err = invoke("playtest", "nim", "+./asks.yaml", *GAMES, "--pairs", 45, "--format", "json")
    assert code == 0, err
    takes, over = json.loads(text)["rules"][0]["strengths"][0]["answers"]
    assert takes["verdict"] == "less" and takes["value"] > 1
    assert (over["verdict"], over["share"], over["value"]) == ("equal", True, 1.0)


@pytest.mark.proof  # 0.2 s
@pytest.mark.usefixtures("rules")
def test_mistakes_are_bounded_for_all_rules_together() -> None:
    args = (*GAMES, "--pairs", 45, "--format", "json")
    one, two = (json.loads(invoke("playtest", "nim", *rules, *args)[1])["rules"] for rules in (["nim"], ["nim", "nim"]))
    first, both = (rules[0]["strengths"][0]["answers"][0] for rules in (one, two))
    assert both["high"] > first["high"] > 0


@pytest.mark.proof  # 0.6 s
def test_a_sweep_is_a_rule_for_each_value_but_that_of_the_game(tmp_path: Path) -> None:
    page = tmp_path / "sweep.html"
    args = ("playtest", "nim", "--sweep", "constants.most=2..4", *GAMES, "--pairs", 45)
    code, text, _ = invoke(*args, "--format", "json", "--page", page)
    assert code == 0
    report = json.loads(text)
    Draft202012Validator(load_schema("playtest")).validate(report)
    assert report["sweep"] == {"path": "constants.most", "values": [2, 3, 4], "base": 3}
    lengths = {rule["name"]: rule["strengths"][0]["answers"][0]["difference"] for rule in report["rules"]}
    assert list(lengths) == ["most=2", "most=4"] and lengths["most=2"] > 0 > lengths["most=4"]
    assert "constants.most in nim" in page.read_text("utf-8") and "--sweep constants.most=2..4" in report["command"]
    assert "against 3" in invoke(*args)[1]


@pytest.mark.proof
def test_a_target_is_met_by_the_nearest_values_which_are_then_the_rule(tmp_path: Path) -> None:
    swept = ("--sweep", "constants.stones=7..12", "--sweep", "constants.most=2..3", "--target", "length=3.5")
    args = ("playtest", "nim", *swept, "--target-games", 40, *GAMES, "--pairs", 45, "--out", tmp_path / "out")
    code, text, err = invoke(*args, "--format", "json")
    assert code == 0 and "searching 12 points for length=3.5" in err
    report = json.loads(text)
    Draft202012Validator(load_schema("playtest")).validate(report)
    target = report["target"]
    best = target["tried"][0]
    assert target["paths"] == ["constants.stones", "constants.most"] and len(target["tried"]) == 12
    assert abs(best["mean"] - 3.5) <= min(abs(each["mean"] - 3.5) for each in target["tried"] if each["games"] == 40)
    (rule,) = report["rules"]
    assert rule["name"] == f"stones={best['values'][0]},most={best['values'][1]}"
    assert invoke(*args, "--format", "json")[1] == text  # from the records
    assert invoke(*report["command"].split()[1:-6], *GAMES, "--pairs", 45, "--format", "json")[1] == text
    assert "Length: the target is 3.5; 12 points" in invoke(*args, "--page", tmp_path / "page.html")[1]
    assert "Nearest to Length = 3.5" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.proof
def test_of_many_numbers_those_that_matter_are_found(tmp_path: Path) -> None:
    """Six numbers, of which the heap and the maximum to take determine the length of a game."""
    shutil.copytree(ROOT / "tests" / "rulesets" / "nim", tmp_path / "nim")
    idle = "".join(f", idle_{n}: {n}" for n in range(1, 5))
    tables = tmp_path / "nim" / "tables.yaml"
    tables.write_text(tables.read_text().replace("stones: 9", f"stones: 9{idle}"))
    swept = [w for n in range(1, 5) for w in ("--sweep", f"constants.idle_{n}={n}..{n + 2}")]
    swept += ["--sweep", "constants.stones=6..16", "--sweep", "constants.most=2..5"]
    args = ("playtest", tmp_path / "nim", *swept, "--target", "length=7", "--target-games", 20, *GAMES)
    code, text, err = invoke(*args, "--pairs", 2, "--format", "json")
    assert code == 0, err
    report = json.loads(text)
    Draft202012Validator(load_schema("playtest")).validate(report)
    target = report["target"]
    assert set(target["matter"]) == {"constants.stones", "constants.most"}
    best = target["tried"][0]
    assert best["values"][:4] == [1, 2, 3, 4] and abs(best["mean"] - 7) < 1


@pytest.mark.proof  # 1.1 s
def test_the_game_itself_may_come_nearest() -> None:
    args = ("playtest", "nim", "--sweep", "constants.most=3..9", "--target", "length=4.9", *GAMES)
    code, text, _ = invoke(*args)
    assert code == 0 and "This rule never acted in 1 game of random." in text


@pytest.mark.proof  # 0.4 s
def test_a_number_that_is_a_setting_is_swept(tmp_path: Path) -> None:
    (tmp_path / "short.yaml").write_text(
        RULE.format(id="short", what="add: {game.settings.fewest: {type: int 1..3, default: 1}}")
    )
    (tmp_path / "short.rules").write_text("change option take of turn: require n >= min(fewest, stone.heap)\n")
    args = ("playtest", f"nim+{tmp_path / 'short.yaml'}", *GAMES, "--pairs", 45, "--format", "json")
    report = json.loads(invoke(*args, "--sweep", "settings.fewest=1..3")[1])
    assert [rule["settings"]["fewest"] for rule in report["rules"]] == ["2", "3"]
    assert all(rule["strengths"][0]["answers"][0]["verdict"] == "less" for rule in report["rules"])
    code, _, err = invoke(*args, "--sweep", "settings.fewest=1..4")
    assert code == 2 and "`fewest` must be from 1 to 3" in err


def test_games_are_written_as_logs_for_the_viewer(tmp_path: Path) -> None:
    code, text, _ = invoke("playtest", "nim", "nim+tall", *GAMES, "--pairs", 2, "--logs", tmp_path / "logs")
    assert code == 0, text
    names = {"base-0.jsonl", "base-1.jsonl", "rule-1-0.jsonl", "rule-1-1.jsonl"}
    assert {path.name for path in (tmp_path / "logs").iterdir()} == names
    assert all(invoke("replay", tmp_path / "logs" / name)[0] == 0 for name in names)


def test_the_page_opens_each_game_that_is_written_and_shows_recorded_ones_beside_bots(tmp_path: Path) -> None:
    logs, page = tmp_path / "logs", tmp_path / "pages" / "page.html"
    page.parent.mkdir()
    args = ("playtest", "nim", "nim+tall", *GAMES, "--pairs", 2, "--logs", logs, "--page", page, "--format", "json")
    code, text, err = invoke(*args, "--recorded", ROOT / "tests" / "rulesets" / "nim" / "logs")
    assert code == 0, err
    report = json.loads(text)
    Draft202012Validator(load_schema("playtest")).validate(report)
    written = page.read_text("utf-8")
    links = [each["page"] for each in report["games"]]
    assert links == [f"../logs/{name}.html" for name in ("base-0", "base-1", "rule-1-0", "rule-1-1")]
    for link in links:
        assert f"href='{link}'" in written
        assert "nim" in (page.parent / link).read_text("utf-8")
    recorded = report["recorded"]
    assert recorded["games"] == len(list((ROOT / "tests" / "rulesets" / "nim" / "logs").glob("*.jsonl")))
    assert recorded["options"]["turn.take"]["times"] > 1 and "recorded games" in written
    code, _, err = invoke(*args, "--recorded", tmp_path / "pages")
    assert code == 2 and "--recorded takes 1 to 1,000 games" in err


@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize(
    "more, why",
    [
        (("nim",), "name a rule"),
        (("nim", "--set", "a"), "Invalid value for --set"),
        (("nim", "--set", "a=b"), "has no setting `a`"),
        (("nim", "nimm"), "did you mean `nim`"),
        (("nim", "nim", "--pairs", "x"), "not a list of numbers"),
        (("nim", "nim", "--pairs", "0"), "not a list of numbers from 1 to 99,999,999"),
        (("nim+short",), "if `+short` is the rule, write `rulespec playtest nim +short`"),
        (("nim", "nim", "--beside", "rndom"), "for --beside: there is no bot `rndom`"),
        (("nim", "--sweep", "most=2..4"), "not of the form"),
        (("nim", "--sweep", "constants.mots=2..4"), "did you mean `most`"),
        (("nim", "--sweep", "constants.most=4..2"), "2 to 12 values"),
        (
            ("nim", "--sweep", "constants.most=2..4", "--sweep", "constants.stones=5..9"),
            "only one number can be swept at a time",
        ),
        (("nim", "--sweep", "constants.most=2..4", "--sweep", "constants.most=2..5"), "swept twice"),
        (("nim", "--target", "length=5"), "values of 1 to 12 numbers"),
        (("nim", "nim", "--sweep", "constants.most=2..4", "--target", "length=5"), "takes no other rules"),
        (("nim", "--sweep", "constants.most=2..4", "--target", "length"), "not of the form NUMBER=VALUE"),
        (("nim", "--sweep", "constants.most=2..4", "--target", "depth=5"), "there is no number `depth`"),
        (("nim", "--sweep", "constants.most=2..4", "--cluster", "dask:x:1"), "needs --out FOLDER"),
        (("nim", "nim", "--bots", "flat:0"), "there is no bot `flat:0`"),
        (("nim", "+./measuring.yaml"), "the measure `twos`, which nim does not have"),
    ],
)
def test_wrong_usage_is_reported(more: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["playtest", *more, "--players", "2"]) == 2
    assert why in capsys.readouterr().err


def test_ctrl_c_ends_with_the_answers_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(_: object, bots: tuple[str, ...], trials: list[RuleTrial]) -> None:
        if trials[0].pairs == 45:
            raise KeyboardInterrupt

    monkeypatch.setattr("rulespec.cli.playtest._Progress.__call__", press)
    code, text, err = invoke("playtest", "nim", "nim+tall", *GAMES, "--pairs", 400)
    assert code != 0 and "45 pairs" in text and "results so far" in err


@pytest.mark.proof  # 2.1 s
@pytest.mark.parametrize(
    "players, wins, pairs",
    [
        (3, ["Austria-Hungary and Great Britain", "Italy and Russia", "France and German Empire"], 1),
        pytest.param(6, 6, 3, marks=pytest.mark.proof),
    ],
)
def test_roles_have_titles_and_those_of_one_player_are_one_line(
    players: int, wins: list[str] | int, pairs: int
) -> None:
    others = () if isinstance(wins, list) else ("--beside", "greedy")  # greedy bots take seconds per game
    args = ("--bots", "random", *others, "--ladder", 0, "--pairs", pairs, "--format", "json")
    code, text, err = invoke("playtest", "imperial", "+end_at_20", "--players", players, *args)
    assert code == 0, err
    for strength in json.loads(text)["rules"][0]["strengths"]:
        titles = [each["title"] for each in strength["answers"] if each["question"] == "wins"]
        if isinstance(wins, int):
            assert len(titles) == wins and "Wins of German Empire" in titles
        else:
            assert titles == [f"Wins of {each}" for each in wins]
        assert len(strength["bands"]) == len(strength["answers"])


def test_the_numbers_that_matter_are_named() -> None:
    target = {"paths": ["constants.stones", "settings.most", *("constants.idle",) * 3], "matter": ["settings.most"]}
    assert mattering(target) == "Of the 5 numbers, these matter (strongest first): most."
    assert mattering(target | {"matter": []}).startswith("In these games none of the 5 numbers matters")
