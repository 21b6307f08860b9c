"""The games that can be played, and the names of their sample logs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cases import write
from folders import GAMES
from jsonschema import Draft202012Validator

from rulespec.cli.main import run
from rulespec.engine.logs.samples import samples
from rulespec.load import load_ruleset
from rulespec.references import known_rulesets
from rulespec.schemas import load_schema

PLAY = """procedure play():
    for p in player:
        decide turn by p:
            option go:
                pass
"""
QUICKSTART = GAMES / "imperial" / "logs" / "quickstart.jsonl"


def test_all_games_are_listed_with_a_recorded_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = {line.split()[0]: line for line in lines[1 : lines.index("")]}
    assert set(listed) == set(known_rulesets())
    assert listed["imperial"].split() == ["imperial", "Imperial", "2", "to", "6", "imperial:quickstart"]
    assert listed["chess"].split()[-2:] == ["2", "chess:mate"]


def test_the_list_loads_no_ruleset(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulespec.load.load_ruleset", lambda *_: pytest.fail("loaded"))
    assert run(["games"]) == 0


@pytest.mark.proof
def test_the_list_says_what_the_rulesets_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games"]) == 0
    listed = capsys.readouterr().out
    for name in known_rulesets():
        ruleset = load_ruleset(name)
        low, high = ruleset.players
        players = str(low) if low == high else f"{low} to {high}"
        assert re.search(rf"^{name} +{re.escape(ruleset.title)} +{players}( |$)", listed, re.MULTILINE), name


BASE = {
    "game.yaml": 'id: base\ntitle: Base\nversion: "1"\nstart: play\nplayers: {kind: player, min: 2, max: 4}\n',
    "rules/a.rules": PLAY,
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "lines, players",
    [
        ("extends: base", "2 to 4"),
        ("extends: base\nplayers: {max: 3}", "2 to 3"),
        ("extends: base\nplayers: {min: 4}", "4"),
        ("extends: base\nreplaces: [game.players]\nplayers: {kind: player, min: 3}", "3"),
        ("extends: base+more", "2 to 6"),
        ("extends: base+includes", "2 to 6"),
        ("extends: base+other", "2 to 4"),
        ("start: play\nplayers: {kind: player, seats: [ann, bob]}", "2"),
    ],
)
def test_players_come_from_what_a_ruleset_extends(
    lines: str, players: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"base/{name}": text for name, text in BASE.items()}
    files["base/variants/more.yaml"] = (
        "id: more\ntitle: More\nversion: '1'\nfor: base\nchanges: {game.players.max: 6}\n"
    )
    files["base/variants/includes.yaml"] = "id: includes\ntitle: I\nversion: '1'\nfor: base\nincludes: [more]\n"
    files["base/variants/other.yaml"] = (
        "id: other\ntitle: Other\nversion: '1'\nfor: base\nchanges: {game.title: Other}\n"
    )
    files["mine/game.yaml"] = f'id: mine\ntitle: Mine\nversion: "1"\n{lines}\n'
    if "extends" not in lines:
        files["mine/rules/a.rules"] = PLAY
    write(tmp_path, files)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    assert run(["games"]) == 0
    assert re.search(rf"^mine +Mine +{players} *$", capsys.readouterr().out, re.MULTILINE)
    low, high = load_ruleset(str(tmp_path / "mine")).players
    assert players == (str(low) if low == high else f"{low} to {high}")


@pytest.mark.parametrize(
    "text",
    [
        "id: [",
        "[]",
        "id: torn\ntitle: Torn\nextends: nowhere",
        "id: torn\ntitle: Torn\nextends: torn",
        "id: torn\ntitle: Torn\nplayers: {min: 3, max: 2}",
        "id: torn\ntitle: Torn\nplayers: {min: 99}",
        f"id: torn\ntitle: {'x' * 3_000}",
    ],
)
def test_what_cannot_be_listed_has_mistakes(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"torn/game.yaml": text})
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    assert run(["games"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^torn +\(has errors\) *$", out, re.MULTILINE) and "imperial:quickstart" in out


def test_a_game_has_overlays_settings_and_recorded_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games", "imperial"]) == 0
    out = capsys.readouterr().out
    for text in (
        "Imperial 3.0 · imperial · 2 to 6 players",
        "  first_edition        1st edition (2006)",
        "settings (for example --set set_up=experienced):",
        "recorded games (for example rulespec view imperial:quickstart --out game.html):",
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
    assert "torn " in (out := capsys.readouterr().out) and "(has errors)" in out
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
    assert "copy the log elsewhere first" in capsys.readouterr().err
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
