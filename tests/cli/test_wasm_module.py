"""Commands without wasmtime: one that was asked for wasm says so; others play in Python."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest
from folders import GAMES

from rulespec.cli.main import run
from rulespec.engine.game import machines
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.load import load_ruleset

QUICKSTART = str(GAMES / "imperial" / "logs" / "quickstart.jsonl")


@pytest.fixture(autouse=True)
def _without_wasmtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    monkeypatch.setattr(machines, "wasm_program", machines.MachineMemo(machines._wasm_program))
    monkeypatch.setitem(machines._MACHINES, "wasm", machines.MachineMemo(machines._wasm))
    for room, name in (("simulate", "wasm"), ("verify", "wasm_perft"), ("game", "wasm_export")):
        package = import_module(f"rulespec.engine.{room}")
        if hasattr(package, name):  # the package, too, gets its module back
            monkeypatch.setattr(package, name, getattr(package, name))
        monkeypatch.delitem(sys.modules, f"rulespec.engine.{room}.{name}", raising=False)


@pytest.mark.parametrize(
    "command",
    [
        ["simulate", "nim", "--players", "2", "--games", "1", "--backend", "wasm"],
        ["perft", "nim", "--players", "2", "--depth", "1", "--backend", "wasm"],
        ["replay", QUICKSTART, "--backend", "wasm"],
        ["replay", QUICKSTART, "--under", "+no_investor_card", "--backend", "wasm"],
        ["test", "nim", "--backend", "python", "--backend", "wasm"],
        ["export", "nim", "--players", "2", "--wasm", "nowhere.wasm"],
    ],
    ids=lambda command: str(command[0]),
)
def test_a_command_that_needs_it_says_how_to_get_it(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command) == 2
    assert capsys.readouterr().err == "Error: this needs wasmtime: pip install 'rulespec[wasm]'\n"


def test_others_go_on_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "nim", "--players", "2", "--games", "100"]) == 0
    assert "wasm" not in capsys.readouterr().out.split("\n")[0]


def test_many_logs_are_replayed_without_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "_tables", machines.MachineMemo(machines._Table))
    monkeypatch.setattr(machines, "WORTH_IT", 1)
    assert run(["replay", QUICKSTART, QUICKSTART, QUICKSTART]) == 0
    assert capsys.readouterr().out.endswith("3 logs: 3 legal\n")


def test_random_games_are_compared_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", "nim", "--random", "2"]) == 0
    assert "2 random games" in capsys.readouterr().out


def test_a_wasmtime_that_is_not_known_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    wasmtime = pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    program = machines.wasm_program(load_ruleset("nim"), 2, {})
    monkeypatch.delattr(wasmtime.Store, "_context")
    with pytest.raises(NoWasmtimeError, match=r"wasmtime cannot run here: .* no attribute '_context'"):
        program.instance()
