"""Foreign logs read in wasm: entries lead to options by functions that look cells up in the memory of the module."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from damaged_logs import damaged
from recorded_games import ALL, IMPOSSIBLE, dialect, name_of, ruleset

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects import finders
from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import ForeignLog, parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.game import machines
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, machine
from rulespec.engine.program.machine import Machine
from rulespec.engine.replay.replay import ReplayRequest
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.load import load_ruleset


@pytest.fixture(autouse=True)
def from_the_first_entry_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finders, "MADE_AFTER", 0)
    monkeypatch.setattr(finders, "MADE_AT_ONCE", 0)


def opened(log: ForeignLog, backend: Backend) -> Importer:
    ref = dialect().ruleset_for(log.entries[0])
    assert ref is not None
    game = Game(ruleset(ref), *seats_and_settings(dialect(), log, ruleset(ref)), backend)
    return Importer(game, dialect(), log)


def outcome(importer: Importer, *, watched: bool) -> tuple[Any, ...]:
    """The results of an import; `watched`: somebody looks at the game after each entry."""
    game = importer.game
    steps: list[tuple[int, str]] = []
    stop = importer.run(step=(lambda entry: steps.append((entry, game.hash))) if watched else None)
    moves = [(str(move), getattr(move, "by", None)) for move in importer.moves]
    cells = game.omniscient.numbers.cells
    while game.ply:
        game.undo()
    return stop, moves, importer.entries, importer.ignored, steps, cells, game.omniscient.numbers.cells


def logs(path: Path) -> Iterator[ForeignLog]:
    yield parse_foreign(path.read_text("utf-8"), "log")
    rng = random.Random(path.stem)
    for _ in range(3):
        with suppress(DiagnosticsError):
            yield parse_foreign(damaged(path.read_text("utf-8"), rng), "log")


@pytest.mark.parametrize("path", [*ALL[::2], *IMPOSSIBLE], ids=name_of)
@pytest.mark.sampled(1)
def test_logs_whole_and_damaged_are_read_as_by_python(path: Path) -> None:
    for log in logs(path):
        for watched in (True, False):
            with suppress(DiagnosticsError):
                wanted = outcome(opened(log, "python"), watched=watched)
                result = opened(log, "wasm")
                assert outcome(result, watched=watched) == wanted
                assert isinstance(result.game.omniscient.numbers.machine, WasmBackend)


@pytest.mark.proof  # 0.6 s
def test_the_state_is_not_copied_from_the_memory_while_a_log_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    catch_up = WasmBackend.catch_up

    def counted(self: WasmBackend, state: list[int]) -> None:
        looked.append(state)
        catch_up(self, state)

    monkeypatch.setattr(WasmBackend, "catch_up", counted)
    importer = opened(parse_foreign(ALL[0].read_text("utf-8"), "log"), "wasm")
    importer.run()
    assert 0 < len(looked) < len(importer.moves) / 2


# --- the choice of what runs the rules -------------------------------------------------------


@pytest.fixture
def nothing_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "_tables", machines.MachineMemo(machines._Table))


def machine_of(backend: Backend) -> Machine:
    return machine(load_ruleset("nim"), 2, {}, backend)


@pytest.mark.usefixtures("nothing_begun")
def test_wasm_code_is_made_once_it_pays() -> None:
    results = [type(machine_of("auto")).__name__ for _ in range(machines.WORTH_IT + 2)]
    assert results == ["PythonBackend"] * machines.WORTH_IT + ["WasmBackend"] * 2
    wasm = machine_of("auto")
    assert isinstance(wasm, WasmBackend)
    assert wasm.fallback is machine_of("python")


@pytest.mark.usefixtures("nothing_begun")
def test_where_it_cannot_be_made_python_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def none(*_: object) -> WasmBackend:
        tried.append(1)
        raise NoWasmtimeError

    monkeypatch.setitem(machines._MACHINES, "wasm", none)
    assert {type(machine_of("auto")).__name__ for _ in range(machines.WORTH_IT + 9)} == {"PythonBackend"}
    assert tried == [1]


@pytest.mark.proof  # 0.5 s
@pytest.mark.usefixtures("nothing_begun")
def test_many_logs_are_replayed_in_wasm(monkeypatch: pytest.MonkeyPatch) -> None:
    path = next(p for p in ALL if p.stem == "c000-standard-2p")
    entries = len(ReplayRequest(path, load=lambda _: ruleset()).replay().moves)
    monkeypatch.setattr(machines, "_tables", machines.MachineMemo(machines._Table))
    monkeypatch.setattr(machines, "ON_DEMAND", 5 * entries // 2)
    results = [ReplayRequest(path, load=lambda _: ruleset()).replay() for _ in range(4)]
    assert [isinstance(r.game.omniscient.numbers.machine, WasmBackend) for r in results] == [False, False, True, True]
    assert len({(r.game.hash, len(r.moves), r.divergence) for r in results}) == 1
