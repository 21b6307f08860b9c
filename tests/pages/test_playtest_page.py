"""The page on a playtest: made of the report alone, static, and legible on a phone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import invoke
from jsonschema import Draft202012Validator

from rulespec.engine.playtest.sentence import number
from rulespec.pages.playtest_page import page
from rulespec.pages.playtest_plots import forest
from rulespec.schemas import load_schema

RULE = 'id: more\ntitle: More\nfor: nim\nversion: "1.0"\nchanges: {constants.most: 5}\n'


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    rule = tmp_path_factory.mktemp("rule") / "more.yaml"
    rule.write_text(RULE)
    nim = Path(__file__).parents[1] / "rulesets" / "nim"
    args = ("--players", 3, "--bots", "greedy", "--beside", "random", "--pairs", 60, "--ladder", 40, "--format", "json")
    code, text, err = invoke("playtest", nim, f"+{rule}", nim, *args)
    assert code == 0, err
    result: dict[str, Any] = json.loads(text)
    return result


@pytest.mark.proof  # 0.7 s
def test_the_report_has_the_form_that_its_schema_says(report: dict[str, Any]) -> None:
    Draft202012Validator(load_schema("playtest")).validate(report)


def test_the_page_has_the_figures_of_the_report_and_asks_for_nothing(report: dict[str, Any]) -> None:
    text = page(report)
    plain = re.sub(r"<[^>]+>", "", text).replace("&nbsp;", " ")
    for rule in report["rules"]:
        assert rule["sentence"].replace("'", "&#x27;") in text
        for strength in rule["strengths"]:
            for answer in strength["answers"]:
                assert number(answer["difference"], answer["share"], "+") in plain
    assert all(f"{each['one']} against {each['other']}" in plain for each in report["ladder"])
    assert report["command"] in plain and report["base"]["ruleset_hash"] in plain
    assert not re.search(r"<script|https?://|url\(|@import|src=", text)


def test_texts_of_rules_are_no_markup(report: dict[str, Any]) -> None:
    wild = "<b onclick='x'>&\""
    rules = [rule | {"name": wild, "sentence": wild} for rule in report["rules"]]
    text = page(report | {"command": wild, "rules": rules})
    assert "<b onclick" not in text


def test_few_games_make_a_page_all_the_same(report: dict[str, Any]) -> None:
    empty: dict[str, Any] = {
        "games": 0,
        "decisions": 0,
        "lengths": {},
        "endings": {},
        "points": [],
        "wins": {},
        "options": {},
    }
    empty |= {"lead_by": "", "lead": {}}
    few = {"low": None, "high": None, "verdict": "undecided", "says": "undecided: at least 40 pairs", "needed": None}
    rule = report["rules"][0]
    strengths = [
        each
        | {"answers": [a | few for a in each["answers"]], "bands": [[] for _ in each["bands"]], "figures": [empty] * 2}
        for each in rule["strengths"]
    ]
    assert "Too few games." in page(report | {"rules": [rule | {"strengths": strengths}], "ladder": []})


def test_labels_of_bounds_leave_the_number_of_pairs_to_the_table() -> None:
    wide = {"title": "Wins of Austria-Hungary and Great Britain", "says": "undecided: about 2,400 pairs", "matters": 1}
    assert "Great Britain: undecided</text>" in forest([wide | {"low": -1.0, "difference": 0.0, "high": 1.0}])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(report: dict[str, Any], scheme: str, tmp_path: Path, browser: Any) -> None:
    tried = [{"values": [n, 10 * n], "games": 200 // n, "mean": 250.0 + n, "half": None} for n in range(1, 13)]
    target = {"title": "Length", "share": False, "wanted": 250, "seed": 1, "points": 144, "games": 900, "tried": tried}
    target["paths"] = ["constants.victory_power_of_the_end", "settings.starting_money"]
    games = [{"rule": at, "number": n, "page": f"logs/{at}-{n}.html"} for at in range(3) for n in range(10)]
    recorded = report["rules"][0]["strengths"][0]["figures"][0]
    whole = report | {"target": target, "games": games, "recorded": recorded}
    (tmp_path / "page.html").write_text(page(whole), "utf-8")
    tab = browser.new_page(viewport={"width": 393, "height": 850}, color_scheme=scheme)
    tab.goto((tmp_path / "page.html").as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") == 393
    small = "[...document.querySelectorAll('svg text')].map(t => t.getBoundingClientRect().height)"
    assert min(tab.evaluate(small)) >= 10
    tab.close()


@pytest.mark.usefixtures("known_rulesets")
@pytest.mark.proof
def test_a_game_is_opened_from_the_page_and_stepped_through(tmp_path: Path, browser: Any) -> None:
    where = ("--logs", tmp_path / "logs", "--page", tmp_path / "page.html")
    args = ("--players", 2, "--bots", "random", "--beside", "", "--pairs", 1, "--ladder", 0)
    assert invoke("playtest", "nim", "nim+tall", *args, *where)[0] == 0
    tab = browser.new_page()
    tab.goto((tmp_path / "page.html").as_uri())
    tab.click("a[href$='rule-1-0.html']")
    tab.wait_for_url("**/logs/rule-1-0.html")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_url("**/rule-1-0.html#1")
    tab.close()
