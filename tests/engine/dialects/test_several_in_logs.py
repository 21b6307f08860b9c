"""Sets, bags and paths of options in foreign logs: read from lists and from numbers by names, without listing."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from folders import TESTS

from rulespec.diagnostics.report import Report
from rulespec.engine.dialects.several_names import is_these, one_each, these, written
from rulespec.engine.game.game import Game
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult
from rulespec.load import load_ruleset

NAMES = ("ash", "birch", "cedar", "elm")


@pytest.mark.parametrize(
    "type_, field, value",
    [
        ("set tree", ["cedar", "ash"], 0b101),
        ("set tree", [], 0),
        ("set tree", ["ash", "ash"], None),
        ("set tree", ["ash", "oak"], None),
        ("set tree", {"ash": 1}, None),
        ("bag tree", ["birch", "ash", "birch"], 0x201),
        ("bag tree", {"birch": 2, "ash": 1, "elm": 0}, 0x201),
        ("bag tree", "cedar", 0x10000),
        ("bag tree", ["birch", "oak"], None),
        ("bag tree", {"birch": -1}, None),
        ("bag tree", {"birch": True}, None),
        ("bag tree", {"birch": 256}, None),
        ("bag tree", [["ash"]], None),
        ("path tree", ["elm", "ash", "elm"], 0x040104),
        ("path tree", ["oak"], None),
        ("path tree", ["ash"] * 65, None),
        ("path tree", "ash", None),
        ("path tree", None, None),
    ],
)
def test_a_value_of_a_log_names_several(type_: str, field: Any, value: int | None) -> None:
    assert these(type_, field, NAMES) == value
    if value is not None:
        assert is_these(type_, NAMES)(field, value)
        assert not is_these(type_, NAMES)(field, value ^ (1 << 8 if type_ != "set tree" else 2))
        assert these(type_, written(type_, value, NAMES), NAMES) == value


def test_one_name_of_several_is_left_to_the_options() -> None:
    assert one_each(NAMES)
    assert not one_each(("ash", "ash"))
    assert is_these("bag tree", ("ash", "ash"))(["ash", "ash"], 0x101)
    assert is_these("set tree", ("ash", "ash"))(["ash", "ash"], 0b11)
    assert not is_these("set tree", ("ash", "ash"))(["ash"], 0b11)
    assert is_these("set tree", NAMES)("ash", 0b11)  # any member of a set will do


def replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: str, log: Any) -> tuple[ReplayResult, Report]:
    home = tmp_path / site / "dialects"
    home.mkdir(parents=True, exist_ok=True)
    file = Path(shutil.copy(TESTS / "fixtures" / "sites" / site / f"{site}.yaml", home))
    monkeypatch.setattr("rulespec.engine.replay.replay.dialects", lambda rules: [file])
    path, report = tmp_path / "game.json", Report()
    path.write_text(json.dumps(log), encoding="utf-8")
    return ReplayRequest(path, report=report).replay(), report


def played(game: Game, seed: int, most: int) -> Game:
    """Plays a random game, for some decisions at most."""
    chance = random.Random(seed)
    while not game.is_over and game.ply < most:
        game.apply(chance.choice(list(game.legal_options)))
    return game


def cards(lot: str) -> list[str]:
    """The cards in a bag, as `{2 estate, curse}` names them."""
    named = [each.split() for each in lot.strip("{}").split(", ") if each]
    return [words[-1] for words in named for _ in range(int(words[0]) if len(words) > 1 else 1)]


def history_of_cards(game: Game, numbers: bool) -> list[dict[str, Any]]:
    """A game of Dominion as a site has it: bags as lists, or as numbers by names."""
    types = {"play_card": "plays", "no_more": "stops", "reveal_moat": "moat", "let_it_be": "lets", "scrap": "scraps"}
    types |= {"take_card": "gains", "buy": "buys", "done": "done", "throne": "throne", "militia": "hit"}
    history: list[dict[str, Any]] = []
    for option in game.history:
        name, text = option.name, str(option).partition("(")[2].removesuffix(")")
        lot = cards(text)[::-1]
        if name == "drawn":
            if history and history[-1]["do"] == "draws":
                history[-1]["cards"].append(text)
            else:
                history.append({"do": "draws", "cards": [text]})
        elif name == "cellar":
            history[-1]["away"] = lot
        else:
            entry: dict[str, Any] = {"do": types[name], "who": option.by}
            if text:
                hit = {"away": dict(Counter(lot)) if numbers else lot}
                entry |= hit if name == "militia" else {"card": None if text == "none" else text}
            history.append(entry)
    return history


@pytest.mark.parametrize("numbers", [False, True], ids=["lists", "numbers"])
def test_bags_of_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, numbers: bool) -> None:
    games = (played(Game(load_ruleset("dominion"), ["Ann", "Bob"]), seed, 500) for seed in range(9))
    game = next(game for game in games if any(option.name == "militia" for option in game.history))
    assert any(option.name == "cellar" for option in game.history)
    log: dict[str, Any] = {"site": "cardtown", "people": ["Ann", "Bob"], "history": history_of_cards(game, numbers)}
    result, report = replay(tmp_path, monkeypatch, "cardtown", log)
    assert result.divergence is None, result.divergence
    assert [str(option) for option in result.game.history] == [str(option) for option in game.history]
    assert report.diagnostics == ()
    bag = next(i for i, entry in enumerate(log["history"]) if entry.get("away") and entry["do"] == "hit")
    log["history"][bag]["away"] = ["province"] * 2
    wrong, _ = replay(tmp_path, monkeypatch, "cardtown", log)
    assert wrong.divergence is not None


def test_paths_of_squares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = (played(Game(load_ruleset("draughts"), ["Ann", "Bob"]), seed, 60) for seed in range(40))
    game = next(game for game in games if any(str(option).count(",") > 1 for option in game.history))
    moves: list[dict[str, Any]] = []
    for option in game.history:
        stops = str(option).partition("(")[2].strip("[])").upper().split(", ")
        jump = {"type": "jump", "stops": stops}
        moves.append(jump if option.name == "jump" else {"type": "go", "from": stops[0], "to": stops[1]})
    log: dict[str, Any] = {"club": "jumpers", "people": ["Ann", "Bob"], "moves": moves}
    result, report = replay(tmp_path, monkeypatch, "jumpers", log)
    assert result.divergence is None, result.divergence
    assert [str(option) for option in result.game.history] == [str(option) for option in game.history]
    assert report.diagnostics == ()
