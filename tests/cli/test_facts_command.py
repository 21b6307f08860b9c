"""`rulespec facts`: the facts that are of one kind, such as how certain something is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import GAME, split, write
from jsonschema import Draft202012Validator

from rulespec.cli.main import run
from rulespec.schemas import load_schema

ISLES = """
procedure play():
    if any(i in isle where i.size > 1 and i.size_is == known and i.good_is is some):
        end game
--- kinds.yaml
kinds:
  certainty: {entities: {known: {}, guessed: {}, unknown: {title: UNKNOWN}}}
  isle:
    facts: {size: int, size_is: certainty, good_is: certainty?}
    entities:
      north: {size: 3, size_is: known, good_is: guessed}
      south: {size: 2, size_is: guessed}
"""


@pytest.fixture
def isles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "isles", split(ISLES, "rules/play.rules") | {"game.yaml": GAME})


def test_each_fact_has_its_place_and_all_are_counted(isles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["facts", "./isles", "certainty", "--not", "known"]) == 0
    assert capsys.readouterr().out == (
        "isles/kinds.yaml:6  isle.north  good_is  guessed\n"
        "isles/kinds.yaml:7  isle.south  size_is  guessed\n"
        "\n"
        "2 facts of 3; all: 1 known, 2 guessed, 0 UNKNOWN\n"
    )
    assert run(["facts", "./isles", "certainty", "--only", "unknown"]) == 0
    assert capsys.readouterr().out == "0 facts of 3; all: 1 known, 2 guessed, 0 UNKNOWN\n"


def test_without_a_kind_those_that_facts_are_of_are_listed(isles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["facts", "./isles"]) == 0
    assert capsys.readouterr().out.split("\n")[1] == "certainty      3  isle.size_is, isle.good_is"


def test_json_is_as_its_schema_says(isles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["facts", "./isles", "certainty", "--only", "known", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    Draft202012Validator(load_schema("facts")).validate(result)
    assert result["totals"] == {"known": 1, "guessed": 2, "unknown": 0}
    assert [f["entity"] for f in result["facts"]] == ["north"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["certainy"], "did you mean `certainty`?"),
        (["certainty", "--not", "knwon"], "did you mean `known`?"),
        (["certainty", "--only", "x"], "the values are known, guessed, unknown"),
        (["--only", "known"], "need KIND"),
    ],
)
def test_what_is_not_there_is_wrong_usage(
    isles: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["facts", "./isles", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_shipped_rulesets_say_what_is_not_certain(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["facts", "tetrarchia", "certainty", "--only", "unknown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.endswith("unknown") for line in lines[:-2])
    assert len(lines) > 10
