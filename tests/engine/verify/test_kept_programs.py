"""Programs are kept: scenarios with the same players and options share one, and no function is compiled twice."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rulespec.diagnostics.report import Report
from rulespec.engine.game import machines
from rulespec.engine.game.seating import check_settings
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.ir import Program
from rulespec.engine.python import backend, code_memo
from rulespec.engine.verify import suite
from rulespec.engine.verify.scenario_files import suite_scenarios
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed


@pytest.mark.proof
def test_a_suite_makes_each_program_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered: list[tuple[int, str]] = []
    compiled: list[str] = []

    def counted_lower(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Program:
        lowered.append((seats, str(sorted(settings.items()))))
        return lower(ruleset, seats, settings)

    def counted_compile(source: str, file: str, mode: str) -> object:
        compiled.append(source)
        return compile(source, file, mode)

    def interpreter(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Interpreter:
        return Interpreter(machines.lowered(ruleset, seats, settings))

    monkeypatch.setattr(machines, "lowered", machines.MachineMemo(counted_lower))
    monkeypatch.setitem(machines._MACHINES, "interpreter", machines.MachineMemo(interpreter))
    monkeypatch.setattr(suite, "short_games", machines.MachineMemo(machines.quick_machine))
    monkeypatch.setattr(backend, "_memo", code_memo.CodeMemo())
    monkeypatch.setattr(code_memo, "compile", counted_compile, raising=False)
    tutorial = load_ruleset("tutorial")
    cases = list(suite.run_suite(tutorial, ("python", "interpreter"), Report()))
    scenarios = list(suite_scenarios(tutorial, Report()))
    tables = {(len(s.seats), str(sorted(check_settings(tutorial, dict(s.settings)).items()))) for s in scenarios}
    assert len(lowered) == len(set(lowered)) <= len(tables) + sum(case.kind == "log" for case in cases)
    assert len(compiled) == len(set(compiled)) < 200 * len(lowered)  # of more than 400 functions each


def test_what_is_kept_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    results: list[int] = []

    def make(_: typed.Ruleset, seats: int, __: Mapping[str, str]) -> int:
        results.append(seats)
        return seats

    monkeypatch.setattr(machines, "MEMO_SIZE", 2)
    rest, ruleset = machines.MachineMemo(make), load_ruleset("tutorial")
    for seats in (2, 3, 2, 4, 2, 3):
        assert rest(ruleset, seats, {}) == seats
    assert results == [2, 3, 4, 3], "the one that has been asked for last stays"
    monkeypatch.setattr(code_memo, "MAX_SOURCE", 20)
    memo = code_memo.CodeMemo()
    codes = [memo.code(f"a{n} = {n}") for n in (1, 2, 1, 3, 4, 1)]
    assert codes[0] is codes[2] and codes[0] is not codes[5]
