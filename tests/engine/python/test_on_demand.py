"""A machine for one game makes each function when it is called first, and no other."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from folders import GAMES

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game import machines
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import quick_machine
from rulespec.engine.game.numbered import every_option
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.pipeline import of_definitions
from rulespec.engine.program import ir
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.code_memo import CodeMemo
from rulespec.engine.python.on_demand import OnDemandBackend
from rulespec.engine.replay import replay
from rulespec.engine.replay.replay import ReplayRequest, replay_log
from rulespec.load import load_ruleset

LOG = GAMES / "imperial" / "logs" / "quickstart.jsonl"
FOREIGN = GAMES / "imperial" / "logs" / "playimperial" / "c000-standard-2p.json"


def functions(machine: OnDemandBackend) -> list[str]:
    """The names of the functions that have been written."""
    return re.findall(r"^def (\w+)", machine.source, re.MULTILINE)


def test_nothing_is_written_before_it_is_called() -> None:
    machine = OnDemandBackend(lower(load_ruleset("tutorial"), 2, {}), codes=CodeMemo())
    assert not functions(machine)


def test_each_function_is_written_once() -> None:
    machine = OnDemandBackend(lower(load_ruleset("tutorial"), 2, {}), codes=CodeMemo())
    for _ in range(2):
        game = Game(load_ruleset("tutorial"), ["ann", "bob"], backend=lambda *_: machine)
        for _ in range(20):
            if not game.is_over:
                game.apply(game.legal_options[0])
    written = functions(machine)
    assert len(written) == len(set(written))
    whole = PythonBackend(machine.p, (), machine._writer.features)
    assert 0 < len(written) < len(functions(whole))  # type: ignore[arg-type]


def test_sets_are_maintained_only_if_passes_find_them() -> None:
    program = lower(load_ruleset("imperial"), 4, {})
    alone = OnDemandBackend(program, codes=CodeMemo())
    often = OnDemandBackend(program, passes=(of_definitions,), codes=CodeMemo())
    assert len(alone.start()) == len(program.cells) < len(often.start())


def test_python_takes_over_from_code_on_demand_later_than_wasm(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ReplayRequest(FOREIGN, backend="python")
    monkeypatch.setattr(machines, "ON_DEMAND", 0)
    assert isinstance(request.replay().game.omniscient.numbers.machine, OnDemandBackend)
    monkeypatch.setattr(machines, "ON_DEMAND_IN_PYTHON", 0)
    assert type(request.replay().game.omniscient.numbers.machine) is PythonBackend


@pytest.mark.parametrize("log", [LOG, FOREIGN], ids=lambda path: path.stem)
@pytest.mark.sampled(1)
def test_a_log_replayed_once_ends_as_any_other(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "ON_DEMAND", 0)
    single, often = ReplayRequest(log, single_use=True).replay(), replay_log(log)
    assert isinstance(single.game.omniscient.numbers.machine, OnDemandBackend)
    assert not isinstance(often.game.omniscient.numbers.machine, OnDemandBackend)
    assert single.game.hash == often.game.hash and single.moves == often.moves


@pytest.mark.proof  # 0.5 s
def test_interrupts_are_made_on_demand() -> None:
    ruleset, names, dice = load_ruleset("imperial"), ["a", "b", "c", "d"], random.Random(1)
    quick, other = Game(ruleset, names, backend=quick_machine), Game(ruleset, names)
    taken = set()
    while not other.is_over and other.ply < 1500:
        option = dice.choice(list(every_option(other)))
        taken.add(option.interrupt)
        other.apply(option)
        quick.apply(quick.parse(str(option), option.by))
    assert taken == {True, False} and quick.hash == other.hash


def test_steps_that_count_by_the_size_of_sets_are_written_on_demand() -> None:
    log = GAMES / "rails_1889" / "logs" / "kinds-3.jsonl"
    single = ReplayRequest(log, single_use=True, backend=quick_machine).replay()
    machine = single.game.omniscient.numbers.machine
    assert isinstance(machine, OnDemandBackend) and isinstance(machine._exact, OnDemandBackend)
    assert (single.divergence, single.other_end) == (None, None)
    assert 0 < len(functions(machine._exact)) < len(machine.p.blocks) / 4


def test_a_long_log_has_a_machine_with_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MAX_ONCE", 10)
    assert type(ReplayRequest(LOG, single_use=True).replay().game.omniscient.numbers.machine) is PythonBackend


def test_a_backend_that_was_asked_for_is_used() -> None:
    asked = ReplayRequest(LOG, single_use=True, backend="interpreter", until=1).replay().game.omniscient.numbers.machine
    assert not isinstance(asked, PythonBackend)


def test_what_python_cannot_compile_is_an_error_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(load_ruleset("tutorial"), ["ann", "bob"], backend=quick_machine)
    machine = game.omniscient.numbers.machine
    assert isinstance(machine, OnDemandBackend)
    option, before = game.legal_options[0], game.omniscient.numbers.cells

    def too_deep(*_: object) -> None:
        raise SyntaxError("too many statically nested blocks")

    monkeypatch.setattr(machine, "_define", too_deep)
    with pytest.raises(DiagnosticsError, match="RS410"):
        game.apply(option)
    assert game.omniscient.numbers.cells == before and game.ply == 0


def test_rules_that_suppose_what_would_be_are_written_as_a_whole() -> None:
    ruleset = load_ruleset(str(GAMES / "gallery" / "chess"))
    assert type(quick_machine(ruleset, 2, {})) is PythonBackend
    assert any(isinstance(b.exit, ir.Ask) for b in quick_machine(ruleset, 2, {}).p.blocks)


@pytest.mark.parametrize("ref, passes", [("chess", True), ("nim", True), ("imperial", False), ("tetrarchia", False)])
@pytest.mark.sampled(2)
def test_small_programs_get_passes_even_for_one_game(ref: str, passes: bool) -> None:
    machine = quick_machine(load_ruleset(ref), 2, {name: s.default for name, s in load_ruleset(ref).settings.items()})
    assert isinstance(machine, OnDemandBackend) is not passes
