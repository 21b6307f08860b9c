"""Words that stand in the place of a seat are no names of seats, wherever seats are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import GAME, write
from commands import spoken
from folders import ROOT

from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset
from rulespec.typed.reserved import IN_LANGUAGES, MEANS, reserved

WORDS = ["public", "table", "Public", "TABLE", "öffentlich", "Öffentlich", "Tisch", "público", "Mesa"]
HIDDEN = [
    "\uff50\uff55\uff42\uff4c\uff49\uff43",
    "pub\u200blic",
    "ta\u00adble",
    "publi\u0301c",
    "\U0001d42d\U0001d41a\U0001d41b\U0001d425\U0001d41e",
    "tab le",
]
FREE = ["Ann", "publican", "tables", "Tabletop", "Mesada", "pub", "alles", "Public Bob", "chance"]


@pytest.mark.parametrize("name", WORDS + HIDDEN)
def test_no_seat_is_called_like_a_view(name: str) -> None:
    for seats in ([name, "Bob"], ["Ann", name]):
        with pytest.raises(DiagnosticsError, match="cannot be the name of a seat") as error:
            Game(load_ruleset("kuhn_poker"), seats)
        assert error.value.diagnostics[0].code == "RS708"


@pytest.mark.parametrize("name", FREE)
def test_other_names_are_free(name: str) -> None:
    assert Game(load_ruleset("kuhn_poker"), [name, "Bob"]).seats == (name, "Bob")


def test_every_language_has_its_words() -> None:
    languages = {path.stem for path in (ROOT / "engine" / "words" / "languages").glob("*.json")}
    assert set(IN_LANGUAGES) == languages
    assert all(reserved(text) == word for words in IN_LANGUAGES.values() for word, text in words.items())
    assert all(set(words) == set(MEANS) for words in IN_LANGUAGES.values())


@pytest.mark.parametrize("name", ["public", " Table", "Tisch"])
def test_play_writes_no_game_of_such_a_seat(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    assert run(["play", "kuhn_poker", "--names", f"{name},Bob", "--log", str(log)]) == 2
    assert "RS708" in capsys.readouterr().err and not log.exists()


@pytest.mark.parametrize(
    "command",
    [
        ["replay", "@"],
        ["replay", "@", "--moves", "--for", "public"],
        ["log", "@", "--for", "public"],
        ["view", "@", "--out", "x.html"],
        ["view", "@", "--for", "table", "--out", "x.html"],
        ["draw", "@", "--for", "public", "--out", "x.svg"],
        ["identify", "@"],
        ["perft", "kuhn_poker", "--from", "@", "--depth", "1"],
        ["play", "kuhn_poker", "--players", "2", "--log", "@"],
    ],
)
def test_no_log_names_such_a_seat(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "log.jsonl"
    header = {"rulespec_log": 2, "ruleset": "kuhn_poker", "seats": ["table", "public"], "settings": {}}
    deals = [{"decision": "deal", "by": None, "option": f"deal({card})"} for card in ("queen", "king")]
    log.write_text("".join(json.dumps(line) + "\n" for line in (header, *deals)), "utf-8")
    assert run([str(log) if arg == "@" else arg for arg in command]) == 2
    out = capsys.readouterr()
    assert "RS708" in out.err and "queen" not in out.out + out.err and "king" not in out.out + out.err
    assert not list(tmp_path.glob("x.*"))


RULES = "procedure play():\n    decide go by first(player):\n        option on: pass\n    end game\n"


def test_rules_and_scenarios_name_no_such_seat(tmp_path: Path) -> None:
    game = GAME.replace("kind: player", "kind: player, seats: [ann, table]")
    named = write(
        tmp_path / "named", {"game.yaml": game, "kinds.yaml": "kinds: {player: {}}\n", "rules/a.rules": RULES}
    )
    code, told = spoken("validate", named)
    assert code == 1 and "RS708" in told and "game.yaml" in told
    scenario = "scenarios:\n  - {id: a.01, title: A, seats: [Ann, Public], then: {decision: go}}\n"
    files = {
        "game.yaml": GAME,
        "kinds.yaml": "kinds: {player: {}}\n",
        "rules/a.rules": RULES,
        "scenarios/a.yaml": scenario,
    }
    code, told = spoken("test", write(tmp_path / "plain", files))
    assert code == 1 and "`Public` cannot be the name of a seat" in told


def test_a_player_of_a_foreign_log_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "games" / "imperial" / "logs" / "playimperial" / "c002-standard-4p.json").read_text("utf-8")
    (tmp_path / "log.json").write_text(text.replace('"Henry"', '"Table"'), "utf-8")
    assert run(["replay", str(tmp_path / "log.json")]) == 2
    assert "`Table` cannot be the name of a seat" in capsys.readouterr().err
