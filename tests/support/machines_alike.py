"""The machines under comparison, and games of each beside the interpreter."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import NamedTuple

import pytest
from agreement import agree, outcome, take_back
from batch_machine import BatchMachine
from wasm_machine import wasm_machine

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.pipeline import PASSES, Pass, of_definitions
from rulespec.engine.program import ir
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.program.long_values import counting
from rulespec.engine.program.machine import Machine
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.code_memo import CodeMemo
from rulespec.engine.python.features import ALL_FEATURES, Features
from rulespec.engine.python.on_demand import OnDemandBackend
from rulespec.engine.wasm.program import WasmProgram
from rulespec.typed import nodes as typed


class Parts(NamedTuple):
    """The configuration of a machine: its passes, its features, and its step limit."""

    passes: tuple[Pass, ...] = PASSES
    features: Features = ALL_FEATURES
    steps: int = MAX_STEPS


WHOLE = Parts()
_codes = CodeMemo()
MAKERS: dict[str, Callable[[ir.Program, Parts], Machine]] = {
    "python": lambda p, parts: PythonBackend(p, parts.passes, parts.features, parts.steps),
    "on_demand": lambda p, parts: OnDemandBackend(
        p, parts.features, parts.steps, passes=(of_definitions,) if parts.passes else (), codes=_codes
    ),
    "wasm": lambda p, parts: wasm_machine(WasmProgram(p, parts.passes, parts.steps)),
    "batch": lambda p, parts: BatchMachine(WasmProgram(p, parts.passes, parts.steps)),
}
"""The machines compared with the interpreter, which runs the program as lowered.

They are Python generated as a whole and function by function, and WebAssembly called for each decision and used as in a
batch.
"""
needs_wasm = pytest.mark.skipif(not find_spec("wasmtime"), reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
MACHINES = [pytest.param(name, marks=needs_wasm) if name in ("wasm", "batch") else name for name in MAKERS]


class Table(NamedTuple):
    """A ruleset, a number of seats, and settings."""

    ruleset: typed.Ruleset
    seats: int
    settings: Mapping[str, str | int] = MappingProxyType({})

    def game(self, backend: Backend | Callable[[ir.Program], Machine]) -> Game:
        """A game on a given machine, or on a backend by name."""
        machines = backend if isinstance(backend, str) else lambda r, n, o: backend(lower(r, n, o))
        return Game(self.ruleset, [f"P{i}" for i in range(self.seats)], dict(self.settings), machines)


class Length(NamedTuple):
    """The maximum number of decisions in a game, and the interval of full comparisons."""

    plies: int
    every: int = 1


def beside_the_interpreter(
    name: str, table: Table, length: Length, rng: random.Random, parts: Parts = WHOLE, *, sound: bool = False
) -> None:
    """Plays a game on a machine and on the interpreter, comparing them throughout, and undoes it.

    Args:
        name: the name of the machine.
        table: the table of the game.
        length: the length of the game.
        rng: the source of random decisions.
        parts: the configuration of the machine.
        sound: whether all invariants must hold, and wasm may not fall back to Python.
    """
    fast = table.game(lambda p: MAKERS[name](p, parts))
    plain = table.game(lambda p: Interpreter(p, steps=parts.steps))
    start = fast.copy()
    with counting() as counted:
        hashes = agree(fast, plain, rng.randrange, length.plies, sound=sound, every=length.every)
    assert not counted["python"] or not sound
    seat = rng.choice((None, *fast.seats))
    assert outcome(lambda: fast.view(seat)) == outcome(lambda: plain.view(seat))
    take_back(fast, hashes)
    assert outcome(lambda: list(every_option(fast))) == outcome(lambda: list(every_option(start)))
    assert not hashes or start.hash == hashes[0]


def long_games(name: str, table: Table, games: int, plies: int, rng: random.Random) -> None:
    """Plays long games on a machine and on a slower one, with an option out of turn in one of fifty decisions."""
    fast = table.game(lambda p: MAKERS[name](p, WHOLE))
    plain = table.game("python" if name in ("wasm", "batch") else "interpreter")
    for _ in range(games):
        agree(restarted(fast), restarted(plain), rng.randrange, plies, sound=True, every=50)


def some_settings(ruleset: typed.Ruleset, rng: random.Random) -> dict[str, str]:
    """A random value for each setting."""
    results = {}
    for key, one in ruleset.settings.items():
        names = one.values or (("true", "false") if one.bounds is None else (one.default, *map(str, one.bounds)))
        results[key] = rng.choice(names)
    return results
