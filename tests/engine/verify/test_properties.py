"""Properties of all games, tested on random and recorded games; planted mistakes are found, each with a short game."""

from __future__ import annotations

import json
import random
import tempfile
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cases import small, write
from click.testing import CliRunner
from folders import RULESETS
from jsonschema import Draft202012Validator

import rulespec.engine.logs.native
import rulespec.engine.logs.saved_game
from rulespec.cli.main import cli
from rulespec.diagnostics.report import Report
from rulespec.engine.game import machines
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Machines
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.simulate.checked_playouts import simulate
from rulespec.engine.verify.audit import first_broken
from rulespec.engine.verify.properties import PROPERTIES
from rulespec.engine.verify.random_games import random_games, shorter_playout
from rulespec.engine.verify.shrink import FailingGame
from rulespec.engine.verify.trial import Trial
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed

SEEDS = """\
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 3}
units: [points]
start: play
settings:
  long: {default: false, doc: "as long as can be"}
--- kinds.yaml
kinds:
  player:
    state: {seeds: {type: int 0..40}}
  colour: {entities: {red: {}, blue: {}, green: {}}}
state: {last: {type: colour?}}
"""
TURNS = """\
procedure play():
    repeat at most 12 if long else 6:
        for p in player:
            decide turn by p:
                option sow(n in 1 .. 3):
                    set p.seeds to p.seeds + n
                option paint(c in colour where c != last):
                    set last to c
    end game as done

scoring p in player:
    score p.seeds
"""


@cache
def ruleset(name: str) -> typed.Ruleset:
    return load_ruleset(str(RULESETS / name))


def found_in(ruleset_: typed.Ruleset, games: int = 40, **more: Any) -> list[FailingGame]:
    low, high = ruleset_.players
    result = (f for _, f in random_games(ruleset_, range(low, high + 1), games, 4, **more) if f is not None)
    return list(islice(result, 3))


def best(failures: list[FailingGame]) -> FailingGame:
    """The shortest of several games that show the same mistake."""
    assert failures
    return min(failures, key=lambda f: len(f.moves))


# --- sound rulesets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nim", "nim+tall", "wager", "errands"])
@pytest.mark.sampled(1)
def test_nothing_is_found_where_nothing_is_wrong(name: str) -> None:
    assert found_in(ruleset(name), 12) == []


@pytest.mark.parametrize("tried", PROPERTIES, ids=lambda p: p.name)
def test_every_property_is_tried_at_every_position(tried: Any) -> None:
    rng, trial = random.Random(5), Trial(ruleset("errands"), ["A", "B"])
    assert trial.begin() is None
    while True:
        assert tried.check(trial) is None
        if trial.game.is_over:
            break
        if trial.game.ply > 3 and rng.random() < 0.1:
            assert trial.make(TakenBack(2)) is None
        else:
            assert trial.make(rng.choice(list(every_option(trial.game)))) is None
    assert trial.game.ply > 10


@pytest.mark.proof  # 0.7 s
def test_the_seed_decides_and_the_numbers_of_players_take_turns() -> None:
    def games(seed: int) -> list[tuple[int, str, list[str]]]:
        tried = random_games(ruleset("errands"), [2, 3], 6, seed)
        return [(len(t.game.seats), str(t.header.settings), list(map(str, t.moves))) for t, _ in tried]

    assert games(3) == games(3) != games(4)
    assert [players for players, _, _ in games(3)] == [2, 3, 2, 3, 2, 3]
    assert len({options for _, options, _ in games(3)}) > 1
    assert any("TakenBack" in move for _, _, moves in games(3) for move in moves)


# --- what rules get wrong ---------------------------------------------------------------------------------------------


@pytest.mark.proof  # 0.2 s
def test_a_broken_invariant_comes_with_the_decision_and_what_it_changed(tmp_path: Path) -> None:
    rules = TURNS + "\ninvariant few:\n    sum(p.seeds for p in player) < 4\n"
    failing = best(found_in(small(tmp_path / "small", rules + SEEDS)))
    assert (failing.wrong.code, failing.wrong.span and failing.wrong.span.file.endswith("play.rules")) == (
        "RS712",
        True,
    )
    assert len(failing.moves) == 2
    assert failing.story()[-1] == f"    B seeds: 0 → {str(failing.moves[1])[4]}"


def test_rules_at_fault_come_with_the_decision_that_shows_it(tmp_path: Path) -> None:
    rules = TURNS.replace("p.seeds + n", "p.seeds + 12 / (p.seeds - 3) + n")
    failing = best(found_in(small(tmp_path / "small", rules + SEEDS)))
    assert failing.wrong.code == "RS703"
    assert failing.changed == ()
    log = tmp_path / "log.jsonl"
    log.write_text(failing.log(), "utf-8")
    result = replay_log(log, rules=str(tmp_path / "small"))
    assert result.divergence is not None
    assert result.divergence.index == len(failing.moves) - 1
    assert "at fault" in result.divergence.refusal.reason


def test_a_decision_without_an_option_is_found(tmp_path: Path) -> None:
    rules = TURNS.replace("    repeat", "    set last to red\n    repeat").replace(
        "set p.seeds to p.seeds + n", "require last != blue\n                    set p.seeds to p.seeds + n"
    )
    rules = rules.replace("where c != last", "where last != blue")
    failing = best(found_in(small(tmp_path / "small", rules + SEEDS)))
    assert failing.wrong.code == "RS711"
    assert [str(m) for m in failing.moves] == ["paint(blue)"]


def test_rules_that_are_wrong_from_the_start(tmp_path: Path) -> None:
    rules = TURNS + "\ninvariant some:\n    sum(p.seeds for p in player) > 0\n"
    failing = best(found_in(small(tmp_path / "small", rules + SEEDS), 1))
    assert (failing.wrong.code, failing.moves) == ("RS712", ())


def test_a_playout_is_made_shorter(tmp_path: Path) -> None:
    rules = TURNS + "\ninvariant few:\n    all(p in player: p.seeds < 8)\n"
    broken = small(tmp_path / "small", rules + SEEDS)
    playout = next(p for p in simulate(broken, [2], 50, 1) if p.failure is not None)
    failing = shorter_playout(playout)
    assert failing.wrong.code == "RS712"
    assert len(failing.moves) == 5  # three by the final owner of eight, two by the other
    faulty = small(tmp_path / "faulty", TURNS.replace("p.seeds + n", "p.seeds + 12 / (p.seeds - 3) + n") + SEEDS)
    playout = next(p for p in simulate(faulty, [2], 50, 1) if p.failure is not None)
    assert shorter_playout(playout).wrong.code == "RS703"
    assert len(playout.log()) == playout.decisions + 3  # includes its end, and the option that caused the fault


# --- what the program gets wrong --------------------------------------------------------------------------------------


def other_rules(old: str, new: str) -> Machines:
    """A backend that runs other rules than requested."""

    @cache
    def machine(seats: int, misere: str) -> Interpreter:
        with tempfile.TemporaryDirectory() as folder:
            path = write(Path(folder) / "nim", {}, base=RULESETS / "nim") / "rules" / "play.rules"
            rules = path.read_text("utf-8")
            assert old in rules
            path.write_text(rules.replace(old, new), "utf-8")
            return Interpreter(lower(load_ruleset(str(path.parent.parent)), seats, {"misere": misere}))

    return lambda _, seats, options: machine(seats, options["misere"])


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("if stone.heap == 0:", "if stone.heap == 0 or stone.heap == 5:", "backends: the state differ"),
        ("n <= stone.heap ", "n <= stone.heap and (stone.heap != 5 or n < 3) ", "backends: the options differ"),
        ("n <= stone.heap ", "n <= stone.heap or stone.heap == 5 ", ""),
        (
            "hand[p] for p in player) +",
            "hand[p] for p in player) + stone.heap / 5 +",
            "backends: the invariants differ",
        ),
    ],
)
@pytest.mark.sampled(1)
def test_a_backend_that_is_wrong_is_found(old: str, new: str, message: str) -> None:
    result = found_in(ruleset("nim"), backends=("python", other_rules(old, new)))
    if not message:
        assert result == []  # the same rules, phrased differently
        return
    failing = best(result)
    assert failing.wrong.code == "RS903"
    assert failing.wrong.message.startswith(message)
    if "invariants" not in message:
        assert len(failing.moves) == 2
        assert sum(m.args[0] for m in failing.moves if isinstance(m, Option)) == 4


@pytest.mark.proof  # 0.8 s
def test_wasm_code_is_compared_too_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    assert found_in(ruleset("nim")) == []
    other = other_rules("if stone.heap == 0:", "if stone.heap == 0 or stone.heap == 5:")
    monkeypatch.setitem(machines._MACHINES, "wasm", other)
    failing = best(found_in(ruleset("nim")))
    assert failing.wrong.message.startswith("backends: the state differ")


def test_an_option_that_is_legal_and_not_listed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    legal = Game.is_legal
    monkeypatch.setattr(Game, "is_legal", lambda game, option: legal(game, option) or str(option) == "take(4)")
    failing = best(found_in(ruleset("nim")))
    assert failing.wrong.message == "options: `take(4)` is legal, but not listed"
    assert failing.moves == ()


def forgetful_undo(game: Game) -> Option | None:
    return game.omniscient.numbers.last


def shallow_clone(game: Game) -> Game:
    twin = object.__new__(Game)
    twin.__dict__.update(game.__dict__)
    return twin


def without_undo(writer: LogWriter, move: Option | TakenBack) -> None:
    if isinstance(move, Option):
        writer._write(rulespec.engine.logs.native.entry_json(move))


def without_the_last(saved: Any, *moves: Option | TakenBack) -> None:
    saved._append(
        [rulespec.engine.logs.saved_game._line(rulespec.engine.logs.native.entry_json(move)) for move in moves[:-1]]
    )


@pytest.mark.parametrize(
    "target, fault, property_, most",
    [
        ("rulespec.engine.game.game.Game.undo", forgetful_undo, "undo", 0),
        ("rulespec.engine.game.game.Game.copy", shallow_clone, "clone", 0),
        ("rulespec.engine.logs.log_file.LogWriter.add", without_undo, "log", 2),
        ("rulespec.engine.logs.saved_game.SavedGame.add", without_the_last, "resume", 1),
    ],
)
@pytest.mark.sampled(2)
def test_an_engine_that_is_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, target: str, fault: Any, property_: str, most: int
) -> None:
    monkeypatch.setattr(target, fault)
    results = [f for f in found_in(ruleset("nim")) if f.wrong.message.startswith(f"{property_}: ")]
    failing = best(results)
    assert failing.wrong.code == "RS903"
    assert len(failing.moves) <= most


# --- the command ------------------------------------------------------------------------------------------------------


def run(*args: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, [str(a) for a in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_random_games_of_the_command() -> None:
    code, out, _ = run("test", RULESETS / "nim", "--random", "5", "--players", "2-3", "--seed", "4")
    assert code == 0
    assert "5 random games" in out
    code, out, _ = run("test", RULESETS / "nim", "--random", "5", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("test")).validate(data)
    assert (data["random"]["games"], data["random"]["failed"], data["random"]["failures"]) == (5, 0, [])


@pytest.mark.proof
def test_a_mistake_is_told_once_with_the_shortest_game(tmp_path: Path) -> None:
    small(tmp_path / "small", TURNS + "\ninvariant few:\n    all(p in player: p.seeds < 8)\n" + SEEDS)
    folder = tmp_path / "failed"
    code, out, _ = run("test", tmp_path / "small", "--random", "8", "--failures", folder)
    assert code == 1
    assert out.count("error[RS712]") == 1
    assert "the shortest game found, played by A, B" in out
    (log,) = folder.glob("*.jsonl")
    assert f"rulespec replay --check {log}" in out
    assert run("replay", log, "--rules", tmp_path / "small")[0] == 0
    code, out, _ = run("replay", "--check", log, "--rules", tmp_path / "small")
    assert code == 1
    assert "breaks at line 6: the rules can break the invariant `few`" in out
    assert "seeds: " in out

    code, out, _ = run("test", tmp_path / "small", "--random", "8", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("test")).validate(data)
    (failure,) = data["random"]["failures"]
    assert failure["diagnostic"]["code"] == "RS712"
    assert failure["log"] == log.read_text("utf-8").splitlines()

    code, out, _ = run("simulate", tmp_path / "small", "--players", "2", "--games", "20", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("simulate")).validate(data)
    assert [f["diagnostic"]["code"] for f in data["shortest"]] == ["RS712"]


@pytest.mark.parametrize("args", [["--players", "9"], ["--random", "-1"], ["--players", "x"]])
def test_wrong_usage(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from rulespec.cli.main import run as run_

    assert run_(["test", str(RULESETS / "nim"), "--random", "1", *args]) == 2
    assert capsys.readouterr().err


# --- invariants of recorded games -------------------------------------------------------------------------------------


def test_a_recorded_game_is_checked_after_every_decision(tmp_path: Path) -> None:
    broken = small(tmp_path / "small", TURNS + "\ninvariant not_red:\n    last != red\n" + SEEDS)
    game = Game(broken, ["A", "B"])
    for text in ("sow(1)", "paint(red)", "paint(blue)"):
        game.apply(game.parse(text))
    (tmp_path / "small" / "logs").mkdir()
    log = tmp_path / "small" / "logs" / "game.jsonl"
    with LogWriter(log, LogHeader.of(game)) as writer:
        for option in game.history:
            writer.add(option)
    result = replay_log(log, rules=str(tmp_path / "small"))
    assert result.game.omniscient.broken_invariants() == []  # it holds again at the end
    outcome = first_broken(result)
    assert outcome is not None
    assert (outcome.index, outcome.line, outcome.foreign_index, str(outcome.move)) == (1, 3, None, "paint(red)")
    assert outcome.changed == ("last: - → red",)

    code, out, _ = run("replay", "--check", log, "--rules", tmp_path / "small", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("replay")).validate(data)
    assert (code, data["broken"]["index"], data["broken"]["changed"]) == (1, 1, ["last: - → red"])
    code, out, _ = run("replay", "--check", log, log, "--rules", tmp_path / "small")
    assert (code, out.count("breaks at line 3")) == (1, 2)

    code, out, _ = run("test", tmp_path / "small")
    assert code == 1
    assert "error[RS824]: B: paint(red): the rules can break the invariant `not_red`" in out
    assert f"{log}:3:1" in out.replace("--> ", "")


def test_what_is_taken_back_is_checked_too(tmp_path: Path) -> None:
    broken = small(tmp_path / "small", TURNS + "\ninvariant not_red:\n    last != red\n" + SEEDS)
    game = Game(broken, ["A", "B"])
    game.apply(game.parse("paint(red)"))
    with LogWriter(tmp_path / "game.jsonl", LogHeader.of(game)) as writer:
        writer.add(game.history[0])
        writer.add(TakenBack(1))
    result = first_broken(replay_log(tmp_path / "game.jsonl", rules=str(tmp_path / "small"), report=Report()))
    assert result is not None
    assert result.line == 2


def test_a_foreign_log_is_checked_after_every_decision(tmp_path: Path) -> None:
    rules = (RULESETS / "errands" / "rules" / "play.rules").read_text("utf-8")
    no_corn = "\ninvariant no_corn:\n    crate[corn].at[north_gate] == 0\n"
    folder = write(tmp_path / "errands", {"rules/play.rules": rules + no_corn}, base=RULESETS / "errands")
    people = [{"name": "Ann"}, {"name": "Bob"}]
    entries = [
        {"kind": "begin", "data": {"game": "errands", "people": people}},
        {"kind": "go", "data": {"to": "northgate"}},
        {"kind": "cargo", "data": {"crates": [{"what": "C"}]}},
        {"kind": "close"},
        {"kind": "keep"},
    ]
    log = tmp_path / "game.json"
    log.write_text(json.dumps(entries), "utf-8")
    assert first_broken(replay_log(log, rules=str(RULESETS / "errands"))) is None
    result = first_broken(replay_log(log, rules=str(folder)))
    assert result is not None
    assert (result.index, result.line, result.foreign_index, str(result.move)) == (3, None, 2, "lay(corn)")
    code, out, _ = run("replay", "--check", log, "--rules", folder)
    assert code == 1
    assert "breaks at entry 2: the rules can break the invariant `no_corn`" in out
    assert "crate corn at[north_gate]: 0 → 1" in out


@pytest.mark.parametrize(
    "domain", ["path(x from colour to y in colour where y != x within 2)", "choose 1 .. 2 of colour"]
)
def test_no_arbitrary_number_stands_for_a_set_or_a_path(tmp_path: Path, domain: str) -> None:
    rules = TURNS.replace("c in colour where c != last", f"some_of in {domain}").replace(
        "to c\n", "to first(some_of)\n"
    )
    assert found_in(small(tmp_path / "small", rules + SEEDS), 3) == []
