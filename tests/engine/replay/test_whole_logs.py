"""A native log replayed in one call of the module: game, history and all messages equal those of a replay by lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from folders import GAMES, SHIPPED

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.diagnostics.report import Report
from rulespec.engine.game import machines
from rulespec.engine.game.fingerprint import fingerprint
from rulespec.engine.game.game import Game
from rulespec.engine.game.late_history import LateHistory
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import Option, Refusal
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.end_line import end_json
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, read_log_text
from rulespec.engine.logs.native import LogEntry, LogHeader, entry_json, is_native, parse_log
from rulespec.engine.logs.recorded import apply_recorded
from rulespec.engine.program.draws import Draws
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.on_demand import OnDemandBackend
from rulespec.engine.replay import whole_log
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult, named_ruleset, replay_native
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.load import load_ruleset

DECISIONS = 40
SLOW = {"chess"}
"""Rulesets for which the module lists a decision more slowly than Python tests one option."""
Lines = list[dict[str, Any]]
OWN = sorted(
    path
    for path in GAMES.glob("**/logs/**/*.jsonl*")
    if path.name.endswith((".jsonl", ".jsonl.gz")) and is_native(read_log_text(path, path.name, MAX_NATIVE_BYTES)[0])
)


def recorded(ref: str, seed: int = 3, decisions: int = DECISIONS) -> Lines:
    """The lines of a random game with a limited number of decisions."""
    ruleset, draws = load_ruleset(ref), Draws(seed)
    game = Game(ruleset, seat_names(min(ruleset.players), ruleset.seats))
    while not game.is_over and game.ply < decisions:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    return [LogHeader.of(game).to_json(), *map(entry_json, game.history), *end_json(game)]


def replayed(lines: Lines, backend: Backend) -> tuple[ReplayResult, list[str]]:
    """The replay of a log, and its diagnostics."""
    log, report = parse_log("".join(json.dumps(line) + "\n" for line in lines), "a.jsonl"), Report()
    result = replay_native(log, load_ruleset(log.header.ruleset), backend=backend, report=report)
    return result, [str(d) for d in report.diagnostics]


def is_whole(result: ReplayResult) -> bool:
    """Whether a log was replayed in one call."""
    return isinstance(result.game.omniscient.numbers, LateHistory)


def summary(result: ReplayResult) -> dict[str, Any]:
    """The complete information of a replay: about the log's end, then about its decisions."""
    game, end = result.game, result.other_end
    about = {"ply": game.ply, "hash": game.hash, "json": result.to_json(), "end": None if end is None else str(end)}
    about |= {"asked": game.decision, "legal": [*map(str, game.legal_options)], "text": str(game)}
    about |= {"print": fingerprint(game), "places": [*result.places], "moves": [*map(str, result.moves)]}
    return about | {"by": [move.by for move in game.history], "same": result.moves == game.history}


def undone(game: Game) -> list[str]:
    """The hashes of a game's positions, from last to first."""
    results = [game.hash]
    while game.ply:
        game.undo()
        results.append(game.hash)
    return results


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
@pytest.mark.sampled(2)
def test_a_log_in_one_call_is_the_log_line_by_line(folder: Path) -> None:
    lines = recorded(str(folder))
    (one, said), (other, too) = replayed(lines, "wasm"), replayed(lines, "python")
    assert is_whole(one) and not is_whole(other)
    copy = one.game.copy()
    assert summary(one) == summary(other) and said == too == []
    assert undone(copy) == undone(other.game.copy()) == undone(one.game)


def test_only_the_end_is_worked_out_until_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []

    def noted(game: Game, entry: LogEntry) -> Option | Refusal:
        taken.append(entry.option)
        return apply_recorded(game, entry)

    monkeypatch.setattr(whole_log, "apply_recorded", noted)
    lines = recorded("imperial")
    result, _ = replayed(lines, "wasm")
    assert is_whole(result) and len(result.moves) == result.game.ply == DECISIONS
    assert result.game.hash == replayed(lines, "python")[0].game.hash and result.game.result is None
    assert taken == []
    option = result.game.legal_options[0]
    result.game.apply(option)
    assert [str(move) for move in result.game.history] == [*taken, str(option)]
    assert len(taken) == DECISIONS == len(result.moves) == len([*result.moves])


def swapped(lines: Lines) -> Lines:
    return [*lines[:9], lines[12], *lines[9:12], *lines[13:]]


def of_nobody(lines: Lines) -> Lines:
    return [*lines[:9], lines[9] | {"by": "nobody"}, *lines[10:]]


def of_another(lines: Lines) -> Lines:
    seats = [*lines[0]["seats"]]
    return [*lines[:9], lines[9] | {"by": seats[seats.index(lines[9]["by"]) - 1]}, *lines[10:]]


def unheard_of(lines: Lines) -> Lines:
    return [*lines[:9], lines[9] | {"option": "fly(moon)"}, *lines[10:]]


def in_another_decision(lines: Lines) -> Lines:
    return [*lines[:9], lines[9] | {"decision": "nothing"}, *lines[10:]]


def unnamed(lines: Lines) -> Lines:
    return [*lines[:9], lines[9] | {"decision": ""}, *lines[10:]]


def with_another_end(lines: Lines) -> Lines:
    return [*lines[:-1], {"end": lines[-1]["end"] | {"fingerprint": "0" * 32}}]


def with_an_end_within(lines: Lines) -> Lines:
    return [*lines[:9], lines[-1], *lines[9:-1]]


def taken_back(lines: Lines) -> Lines:
    return [*lines[:9], {"undo": 2}, *lines[7:]]


def salted(lines: Lines) -> Lines:
    return [*lines[:9], lines[9] | {"salt": "0123456789abcdef" * 2}, *lines[10:]]


def empty(lines: Lines) -> Lines:
    return lines[:1]


def without_an_end(lines: Lines) -> Lines:
    return lines[:-1]


@pytest.mark.parametrize(
    "damage, whole",
    [
        *((damage, False) for damage in (swapped, of_nobody, of_another, unheard_of, in_another_decision, unnamed)),
        *((damage, False) for damage in (with_an_end_within, taken_back, salted, empty)),
        *((damage, True) for damage in (with_another_end, without_an_end)),
    ],
)
def test_what_does_not_fit_is_said_as_line_by_line(damage: Callable[[Lines], Lines], whole: bool) -> None:
    lines = damage(recorded("imperial"))
    (one, said), (other, too) = replayed(lines, "wasm"), replayed(lines, "python")
    assert is_whole(one) is whole
    assert summary(one) == summary(other) and said == too


def test_a_log_whose_decisions_have_too_many_options_goes_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_log, "_tables", machines.MachineMemo(whole_log._Table))
    monkeypatch.setattr(whole_log, "_STEPS", 1)
    lines = recorded("imperial")
    first, second = replayed(lines, "wasm")[0], replayed(lines, "wasm")[0]
    assert not is_whole(first) and not is_whole(second)
    assert summary(first) == summary(second) == summary(replayed(lines, "python")[0])


def test_two_logs_after_one_another_with_other_names() -> None:
    lines = recorded("imperial")
    names = {seat: f"{seat} again" for seat in lines[0]["seats"]}
    for each in (lines, [lines[0] | {"seats": names}, *lines[1:]], lines):
        one, other = replayed(each, "wasm")[0], replayed(each, "python")[0]
        assert is_whole(one) and summary(one) == summary(other)


@pytest.mark.parametrize("path", OWN, ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.proof  # some minutes for all shipped logs
def test_positions_of_shipped_logs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_log, "_tables", machines.MachineMemo(whole_log._Table))
    text, _ = read_log_text(path, path.name, MAX_NATIVE_BYTES)
    log = parse_log(text, path.name)
    ruleset = named_ruleset(log)
    one, other = replay_native(log, ruleset, backend="wasm"), replay_native(log, ruleset, backend="python")
    table = whole_log._tables(ruleset, len(one.game.seats), one.game.settings)
    assert not table.is_slow or ruleset.id in SLOW
    assert is_whole(one) is not (table.is_slow or any(entry.back or entry.salt for entry in log.entries))
    assert summary(one) == summary(other)
    for length in range(1, len(log.entries), max(1, len(log.entries) // 8)):
        part = type(log)(log.file, log.header, log.entries[:length], log.text)
        game = replay_native(part, ruleset, backend="wasm").game
        assert fingerprint(game) == fingerprint(other.at(length))


def test_the_machine_of_a_log_by_the_decisions_of_its_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = recorded("imperial")
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    monkeypatch.setattr(machines, "_tables", machines.MachineMemo(machines._Table))
    monkeypatch.setattr(machines, "ON_DEMAND", 2 * DECISIONS)
    monkeypatch.setattr(machines, "ON_DEMAND_IN_PYTHON", 6 * DECISIONS)
    results = [ReplayRequest(path, load=load_ruleset).replay() for _ in range(5)]
    kinds = [type(result.game.omniscient.numbers.machine) for result in results]
    assert kinds == [OnDemandBackend, OnDemandBackend, WasmBackend, WasmBackend, WasmBackend]
    assert [is_whole(result) for result in results] == [False, False, True, True, True]
    machines._tables(results[0].game.ruleset, len(results[0].game.seats), results[0].game.settings).wasm = False
    results += [ReplayRequest(path, load=load_ruleset, backend=of).replay() for of in ("auto", "python")]
    assert [type(result.game.omniscient.numbers.machine) for result in results[5:]] == [PythonBackend] * 2
    assert len({(result.game.hash, result.game.ply) for result in results}) == 1
