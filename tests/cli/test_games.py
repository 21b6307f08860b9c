"""The games that can be played, and the names of their sample logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from folders import GAMES
from jsonschema import Draft202012Validator

from rulespec.cli.main import run
from rulespec.engine.logs.samples import samples
from rulespec.references import known_rulesets
from rulespec.schemas import load_schema

QUICKSTART = GAMES / "imperial" / "logs" / "quickstart.jsonl"


def test_all_games_are_listed_with_a_recorded_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = {line.split()[0]: line for line in lines[1 : lines.index("")]}
    assert set(listed) == set(known_rulesets())
    assert listed["imperial"].split() == ["imperial", "Imperial", "2", "to", "6", "imperial:quickstart"]
    assert listed["chess"].split()[-2:] == ["2", "chess:mate"]


def test_a_game_has_overlays_settings_and_recorded_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games", "imperial"]) == 0
    out = capsys.readouterr().out
    for text in (
        "Imperial 3.0 · imperial · 2 to 6 players",
        "  first_edition        1st edition (2006)",
        "settings, as in --set set_up=experienced:",
        "recorded games, as in rulespec view imperial:quickstart --out game.html:",
        " more",
    ):
        assert text in out


@pytest.mark.proof
def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["games", "--format", "json"], ["games", "tetrarchia+el_grande", "--format", "json"]):
        assert run(arguments) == 0
        data = json.loads(capsys.readouterr().out)
        Draft202012Validator(load_schema("games")).validate(data)
    [game] = data["games"]
    assert (game["players"], game["ref"]) == ({"min": 1, "max": 4}, "tetrarchia+el_grande")
    assert "tetrarchia:diarchia/random" in game["logs"]


@pytest.mark.proof
def test_a_game_with_mistakes_is_listed_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "game.yaml").write_text("id: [", "utf-8")
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    assert run(["games"]) == 0
    assert "torn " in (out := capsys.readouterr().out) and "(has mistakes)" in out
    assert run(["games", "--format", "json"]) == 0
    assert "torn" not in {game["ref"] for game in json.loads(capsys.readouterr().out)["games"]}


# --- sample logs ------------------------------------------------------------------------------------------------------


@pytest.mark.proof
def test_a_sample_log_has_a_name_wherever_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["view", "imperial:quickstart", "--out", "game.html"]) == 0
    assert run(["replay", "imperial:playimperial/c002-standard-4p"]) == 0
    assert run(["draw", "imperial:quickstart", "--at", "5", "--out", "board.svg"]) == 0
    assert run(["log", "chess:mate", "--public"]) == 0
    capsys.readouterr()
    assert run(["diff", "imperial:quickstart", "imperial"]) == 2
    assert "quickstart.jsonl` carries no rules" in capsys.readouterr().err


def test_nothing_is_written_beside_a_sample_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["log", "imperial:quickstart", "--bundle-beside"]) == 2
    assert "copy the log first" in capsys.readouterr().err
    assert not (GAMES / "imperial" / "logs" / "rules").exists()


def test_a_file_of_that_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("imperial:quickstart").write_text("{}", "utf-8")
    assert run(["replay", "imperial:quickstart"]) == 2
    assert "imperial:quickstart" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name, message",
    [
        ("imperial:quikstart", "did you mean `quickstart`?"),
        ("imperal:quickstart", "did you mean `imperial`?"),
        ("imperial:../game", "has no sample log"),
        ("c:quickstart", "there is no file"),
        ("c:/games/x.jsonl", "there is no file"),
        ("imperial:", "there is no file"),
    ],
)
def test_other_names_are_reported(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", name]) == 2
    assert message in capsys.readouterr().err


def test_every_log_beside_an_expectation_is_a_sample() -> None:
    for folder in ("imperial", "tetrarchia", "gallery/chess"):
        home = GAMES / folder / "logs"
        known = set(samples(GAMES / folder))
        expected = {p.relative_to(home).as_posix().removesuffix(".expect.yaml") for p in home.rglob("*.expect.yaml")}
        assert expected <= known
