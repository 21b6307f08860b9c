"""Trajectories: a game and back, the schema, and OpenSpiel as their reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from shipped import NAMES, loaded

from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.guests import contract, game_of, trajectory
from rulespec.schemas import load_schema


def played(name: str, seed: int, moves: int = 2_000) -> Game:
    """A random game without decisions out of turn."""
    ruleset = loaded(name)[0]
    game, draws = Game(ruleset, seat_names(ruleset.players[0], ruleset.seats)), Draws(seed)
    while not game.is_over and game.ply < moves:
        option = choose(game, draws, interrupt_rate=0)
        assert option is not None
        game.apply(option)
    return game


def back(game: Game, structs: bool = False) -> dict[str, Any]:
    """The trajectory of a game, which leads to the same game."""
    data: dict[str, Any] = json.loads(json.dumps(trajectory(game, structs=structs)))
    again = game_of(data, contract(game.ruleset, len(game.seats), cap=10_000))
    assert again.history == game.history and again.hash == game.hash
    return data


@pytest.mark.parametrize("name", ["kuhn_poker", "nim", "backgammon"])
def test_a_game_goes_there_and_back(name: str) -> None:
    data = back(played(name, 1, 40), structs=True)
    Draft202012Validator(load_schema("trajectory")).validate(data)
    assert all(each["action"] in each["legal_actions"] for each in data["transitions"])


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_a_hundred_games_go_there_and_back(name: str) -> None:
    for seed in range(100 if name in ("kuhn_poker", "leduc_poker", "liars_dice", "nim", "connect_four") else 3):
        back(played(name, seed, 400))


def test_a_command_writes_the_trajectory_of_a_log(tmp_path: Path, capsys: Any) -> None:
    log, path = tmp_path / "game.jsonl", tmp_path / "game.json"
    write_log(log, played("kuhn_poker", 2))
    assert run(["export", str(log), "--openspiel-trajectory", str(path)]) == 0
    data = json.loads(path.read_text("utf-8"))
    assert all("structs" in each for each in data["transitions"])
    assert run(["export", str(log), "--openspiel-trajectory", str(path), "--no-structs"]) == 0
    assert not any("structs" in each for each in json.loads(path.read_text("utf-8"))["transitions"])
    assert data["header"]["terminal"] and sum(data["header"]["returns"]) == 0
    for words in (
        [],
        ["--wasm", "a", "--openspiel-trajectory", "b"],
        ["--openspiel-trajectory", "b", "--players", "2"],
    ):
        assert run(["export", str(log), *words]) == 2
    assert run(["export", str(log), "--openspiel-trajectory", str(log)]) == 2
    assert "RS126" in capsys.readouterr().err


def test_what_is_no_trajectory_is_refused() -> None:
    game, table = played("kuhn_poker", 1), contract(loaded("kuhn_poker")[0])
    good = trajectory(game, structs=False)
    first = good["transitions"][0]
    for bad in (
        {},
        {"header": 1},
        good | {"transitions": 7},
        good | {"header": {"game_string": "chess()"}},
        good | {"transitions": [first | {"player": 0}]},
        good | {"transitions": [first | {"action": 99}]},
        good | {"transitions": [{}]},
        good | {"transitions": [7]},
        good | {"transitions": [*good["transitions"], first]},
    ):
        with pytest.raises(DiagnosticsError, match="RS743"):
            game_of(bad, table)


def test_a_decision_of_another_seat_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = played("connect_four", 1, 3)
    history = [*game.history[:2], replace(game.history[2], by="B")]
    monkeypatch.setattr(Game, "history", property(lambda self: history if self is game else []))
    with pytest.raises(DiagnosticsError, match="RS742"):
        trajectory(game)


@pytest.mark.proof
@pytest.mark.parametrize("name, games", [("connect_four", 100), ("kuhn_poker", 100), ("leduc_poker", 20), ("nim", 20)])
def test_games_go_through_openspiel_and_back(name: str, games: int) -> None:
    """OpenSpiel reads a game that is written here, plays it, writes it, and it is read here as the same game."""
    pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel: pip install 'rulespec[rl]'")
    from rulespec.guests import load_game

    load_game(name)  # registers the game
    for seed in range(games):
        game = played(name, seed)
        data = trajectory(game, structs=seed == 0)
        read = pyspiel.Trajectory(json.dumps(data))
        states = read.reconstruct_all_states()
        assert len(states) == len(data["transitions"]) + 1
        assert states[-1].play.game.history == game.history and states[-1].play.game.hash == game.hash
        assert list(states[-1].returns()) == data["header"]["returns"] and states[-1].is_terminal()
        for state, each in zip(states[:-1], data["transitions"], strict=True):
            assert state.current_player() == each["player"] and state.legal_actions() == each["legal_actions"]
        for written in (read, pyspiel.Trajectory(states[-1])):
            again = game_of(json.loads(written.to_string()), contract(game.ruleset, len(game.seats)))
            assert again.history == game.history and again.result == game.result


@pytest.mark.proof
def test_openspiel_reads_a_game_in_words_that_is_not_over() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel: pip install 'rulespec[rl]'")
    from rulespec.guests import load_game

    load_game("backgammon")
    game = played("backgammon", 3, 60)
    states = pyspiel.Trajectory(json.dumps(trajectory(game))).reconstruct_all_states()
    assert states[-1].play.game.history == game.history and not states[-1].is_terminal()
