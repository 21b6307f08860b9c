"""Rules that take too many steps: the interpreter counts them once for a position, however often it is played."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import MachineMemo
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program import interpreter
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.python.backend import PythonBackend

DOUBLED = "".join(f"procedure c{i}():\n    c{i + 1}()\n    c{i + 1}()\n" for i in range(40))
LONG = {
    "calls": (["c0()"], f"{DOUBLED}procedure c40():\n    set n to n + 1\n"),
    "loops": (["repeat at most 900000:", "    set n to 1 + max(n, n * 2 - n)"], ""),
    "nested": (["repeat at most 9000:", "    repeat at most 9000:", "        set n to 1"], ""),
    "wide": (["for p in player:", "    repeat at most 800000:", "        set n to n + 1"], ""),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("steps", [200_000, pytest.param(MAX_STEPS, marks=pytest.mark.proof)])
@pytest.mark.parametrize("name", LONG)
def test_a_position_that_takes_too_long_is_counted_once(
    name: str, steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, more = LONG[name]
    indent = "\n                "
    rules = (
        f"procedure play():\n    decide turn by first(player):\n        option go:{indent}{indent.join(act)}\n{more}"
    )
    game = 'id: small\ntitle: Small\nversion: "1.0"\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n'
    ruleset = small(tmp_path / "small", f"{rules}--- kinds.yaml\nstate: {{n: {{type: int}}}}\n--- game.yaml\n{game}")
    runs, true = [0], interpreter.Interpreter._run

    def counted(*args: object) -> None:
        runs[0] += 1
        true(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(interpreter.Interpreter, "_run", counted)
    memo = MachineMemo(lambda *of: PythonBackend(lower(*of), steps=steps))
    for _ in range(3):
        played = Game(ruleset, ["A", "B"], backend=memo)
        with pytest.raises(RulesetFaultError, match=f"{steps:,} steps"):
            played.apply(next(iter(played.legal_options)))
    assert runs == [1]
