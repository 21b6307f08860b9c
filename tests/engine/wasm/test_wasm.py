"""Agreement of WebAssembly with the interpreter and Python at the limits of numbers, steps and games."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from agreement import agree, outcome, take_back
from folders import GAMES
from programs import with_rules
from wasm_machine import wasm_machine

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, Machines
from rulespec.engine.game.option import Option
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import WasmOutcomes, play_in_wasm
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.program import WasmProgram
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

BACKENDS: tuple[Backend, ...] = ("wasm", "python")


def wasm(machines: list[WasmBackend], steps: int = MAX_STEPS) -> Machines:
    """Creates wasm machines, and keeps them for inspection."""

    def make(ruleset: typed.Ruleset, seats: int, options: Mapping[str, str]) -> WasmBackend:
        machines.append(wasm_machine(WasmProgram(lower(ruleset, seats, options), steps=steps)))
        return machines[-1]

    return make


def compare(ruleset: typed.Ruleset, seed: int, plies: int) -> None:
    """Plays a game in wasm and on the interpreter, step by step, and undoes it."""
    fast, plain = Game(ruleset, ["ann", "bob"], backend=wasm([])), Game(ruleset, ["ann", "bob"], backend="interpreter")
    take_back(fast, agree(fast, plain, random.Random(seed).randrange, plies))


def outcomes(ruleset: typed.Ruleset, players: list[int], games: int, **how: int) -> None:
    """Compares the outcomes of games by seed."""
    plan = GamePlan.of(ruleset.ref, ruleset, players, 3, cap=how.get("cap", 5_000))
    python = [Outcome.of(plan.play(ruleset, number)) for number in range(games)]
    assert list(play_in_wasm(plan, ruleset, range(games), how.get("jobs", 1))) == python


def test_threads_give_the_same_games_in_their_order() -> None:
    outcomes(load_ruleset(str(GAMES / "gallery/nim")), [2], 600, jobs=2)


@pytest.mark.parametrize("players", [[2], pytest.param([2, 3], marks=pytest.mark.proof)])
def test_games_are_given_up_where_python_gives_them_up(players: list[int]) -> None:
    outcomes(load_ruleset(str(GAMES / "tutorial")), players, 3 * len(players), cap=40)


@pytest.mark.parametrize(
    "statement", ["set n to 7 / n", "pay 1 from chest to bank", "set few to 4 + n", "set n to huge() * huge()"]
)
@pytest.mark.sampled(1)
def test_faults_are_those_of_python(statement: str) -> None:
    rules = f"""
def huge() -> int: 999999999999999
procedure play():
    for p in player:
        decide act by p:
            option wrong:
                set m to m + 1
                {statement}
            option right:
                set m to m + 1
"""
    ruleset = with_rules(rules)
    outcomes(ruleset, [2], 12)
    machines: list[WasmBackend] = []
    fast, plain = Game(ruleset, ["ann", "bob"], backend=wasm(machines)), Game(ruleset, ["ann", "bob"])
    agree(fast, plain, lambda options: 0, 4)
    assert machines[0].given_back


@pytest.mark.parametrize("number", ["999999999999999", "-999999999999999", "5 - 999999999999999", "0 - 1"])
@pytest.mark.sampled(1)
def test_numbers_at_the_bounds(number: str) -> None:
    rules = f"""
def most() -> int: {number}
procedure play():
    set n to most()
    for p in player:
        decide act by p:
            option a(t in town):
                set m to sum(n * 2 + x.tax for x in town) - n * 8
                set t.mark to max(n, m) / 3 + n % 7 + abs(n) / 2
            option b(k in 0 .. 2):
                set n to n * k + sum(n for x in town) - 4 * n
"""
    ruleset = with_rules(rules)
    for seed in range(6):
        compare(ruleset, seed, 6)


AT_THE_BOUNDS = [
    "n * n",
    "n * most()",
    "n * 1000 - n * 999",
    "n * 0 + m",
    "(n - most()) * most()",
    "(n + n + n + n) / 4",
    "(n * 8 + n) % 7 + (0 - n) % (0 - 7)",
    "n / (0 - 1)",
    "n / 3 * 3 + n % 3",
    "sum(n for t in town) - 3 * n",
    "sum(n * 999 for t in town) / 1000",
    "sum(sum(sum(n for t in town) for u in town) for v in town) / 999",
    "sum(n * t.tax for t in town) / 100",
    "max(n * 900, 0 - n * 900) / 1000",
    "abs(n * 990) / 1000 + abs(0 - n)",
    "min(n * t.tax for t in town, else 0) / 10",
    "twice(twice(twice(n))) / 8",
    "twice(twice(twice(twice(twice(twice(twice(twice(twice(twice(n)))))))))) / 1024",
    "(n if n * 500 > m * 500 else m) * 1",
    "count(t in town where t.tax * n > n * 8)",
]


@pytest.mark.parametrize(
    "number", ["999999999999999", "0 - 999999999999999", "31622777", "3037000500", "1000000000000"]
)
@pytest.mark.sampled(1)
def test_sums_and_products_at_the_bounds(number: str) -> None:
    """The number or the fault is the same, however large intermediate results become."""
    options = "".join(
        f"            option o{i}:\n                set m to {e}\n            option p{i}:\n"
        f"                set n to 0 - most()\n                set m to {e}\n"
        for i, e in enumerate(AT_THE_BOUNDS)
    )
    rules = f"def most() -> int: {number}\ndef twice(k: int) -> int: k + k\n"
    rules += f"procedure play():\n    set n to most()\n    for p in player:\n        decide act by p:\n{options}"
    ruleset = with_rules(rules)
    fast, plain = (Game(ruleset, ["ann", "bob"], backend=backend) for backend in ("wasm", "interpreter"))
    sound = 0
    for one, other in zip(list(fast.legal_options), list(plain.legal_options), strict=True):
        result = outcome(lambda: fast.apply(one))  # noqa: B023
        assert result == outcome(lambda: plain.apply(other)), one.name  # noqa: B023
        assert fast.omniscient.numbers.cells == plain.omniscient.numbers.cells, one.name
        if isinstance(result, Option):
            sound += 1
            fast.undo()
            plain.undo()
    assert 10 < sound < 2 * len(AT_THE_BOUNDS) or number == "1000000000000"


def test_what_never_comes_to_a_decision_is_told_as_python_tells_it() -> None:
    rules = """
procedure play():
    decide act by first(player):
        option long:
            repeat at most 1000:
                repeat at most 1000:
                    repeat at most 1000:
                        set n to n + 1
        option short:
            set n to n + 1
"""
    ruleset = with_rules(rules)
    machines: list[WasmBackend] = []
    fast = Game(ruleset, ["ann", "bob"], backend=wasm(machines, 4_000))
    plain = Game(ruleset, ["ann", "bob"], backend=lambda r, n, o: Interpreter(lower(r, n, o), steps=4_000))
    agree(fast, plain, lambda options: 0, 2)
    assert machines[0].given_back


@pytest.mark.proof
def test_steps_of_finding_out_whether_something_is_legal_count() -> None:
    rules = """
procedure play():
    repeat at most 100:
        decide act by first(player):
            option a(k in 1 .. 99000):
                require k * n > 99000 * 3
                set n to 1
            otherwise:
                set n to n % 2
    end game
"""
    ruleset = with_rules(rules)
    fast, plain = (Game(ruleset, ["ann", "bob"], backend=backend) for backend in BACKENDS)
    result = outcome(lambda: fast.is_over)
    assert result == outcome(lambda: plain.is_over)
    assert "RS704" in str(result)


LONG = """
procedure play():
    for p in player:
        repeat at most 12:
            turn(p)
procedure turn(p: player):
    decide act by p:
        option long(t in town):
            repeat at most 340:
                repeat at most 340:
                    set n to n + 1
                    set m to n % 7
            set n to t.tax
        option wrong:
            require few > 2
            set n to 7 / (n - n)
        option short(t in town, x in town, k in 1 .. 5):
            set n to n + t.tax + k
            set few to n % 4
    chance rest:
        option sun weight 1 + n % 3:
            set n to n + 1
        option rain:
            set m to m + 1
"""
"""Rules with a decision that changes more cells than the wasm journal can hold."""


@pytest.mark.parametrize("fault", [False, True])
@pytest.mark.proof
def test_python_takes_single_decisions_of_a_game(fault: bool) -> None:
    """Games continue in wasm with the same random numbers; a game with a fault is finished by Python."""
    ruleset = with_rules(LONG if fault else LONG.replace("few > 2", "few > 3"))
    plan = GamePlan.of(ruleset.ref, ruleset, [2], 5)
    python = [Outcome.of(plan.play(ruleset, number)) for number in range(20)]
    in_wasm = WasmOutcomes(plan, ruleset)
    assert in_wasm.of(range(20)) == python
    (games,) = in_wasm.games.values()
    assert games.given_back > 5
    assert any(outcome.failure for outcome in python) == fault
    whole = [played.how for played in games.play(plan.seed, range(20), plan.cap)]
    assert whole.count("trapped") == sum(outcome.failure is not None for outcome in python)


def test_what_a_parameter_ranges_over_is_found_before_conditions_fail() -> None:
    """A fault in the domain is reported whatever the values of the conditions."""
    rules = """
procedure play():
    decide act by first(player):
        option never(t in {oak, elm} if 7 / n > 0 else {ash}):
            require n > 1
            set n to n + 1
        option other:
            set n to n + 1
"""
    compare(with_rules(rules), 1, 3)
