"""The machines that play the games: one per ruleset, number of seats and choice of settings."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from msgspec.structs import replace

from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.faults import too_deep
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.machine import Machine
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.python.backend import PythonBackend
    from rulespec.engine.wasm.program import WasmProgram

Backend = Literal["auto", "python", "interpreter", "wasm"]
"""The machine that runs the rules; auto: Python, and wasm once enough games of a table are begun for it to pay off."""
Machines = Callable[[typed.Ruleset, int, Mapping[str, str]], Machine]
"""Makes a machine for a ruleset, a number of seats and the values of all settings."""

MEMO_SIZE = 64
"""Programs and machines of a kind that are kept: those that have been asked for last. The logs of one site are of 60
tables: 12 modes with 2 to 6 players."""


WORTH_IT = 60
"""Break-even: games per configuration before compiling a wasm module pays."""
ON_DEMAND = 5_000
"""Decisions of a table up to which its logs are read by a machine whose code is written on demand.

After that they are read in wasm. Python with passes lies between the two, and never pays: of a large game a decision of
a foreign log takes 62 µs on demand, 46 with passes, 33 in wasm, and the machine 0.01 s, 0.25 and 0.4.
"""
SMALL = 100
"""Blocks of a program for which the passes pay within one game; shipped ones have up to 63, or from 279 on."""

T = TypeVar("T")


class MachineMemo(Generic[T]):
    """A memo for programs or machines, as making one takes longer than many games; keeps the last `MEMO_SIZE`.

    A program contains source places, reasons and words, so equal rules with other texts or in another folder have
    another program.

    Args:
        make: the factory.
    """

    def __init__(self, make: Callable[[typed.Ruleset, int, Mapping[str, str]], T]) -> None:
        self._make = make
        self._entries: OrderedDict[tuple[object, ...], T] = OrderedDict()

    def __call__(self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> T:
        """The one for a ruleset, a number of seats and the values of all settings."""
        texts = (ruleset.sources_hash, *ruleset.sources)
        key = (ruleset.hash, ruleset.ref, texts, seats, tuple(sorted(settings.items())))
        result = self._entries.pop(key, None) or self._make(ruleset, seats, settings)
        self._entries[key] = result  # the last one now
        if len(self._entries) > MEMO_SIZE:
            self._entries.popitem(last=False)
        return result


lowered = MachineMemo(lower)
"""The program of a ruleset for a number of seats and the values of all settings."""


def machine(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], backend: Backend | Machines) -> Machine:
    """The machine for a ruleset, a number of seats and all settings; machines of named backends are kept.

    Raises:
        ValueError: if there is no such backend.
    """
    if not callable(backend) and backend not in _MACHINES:
        raise ValueError(f"there is no backend `{backend}`, but {', '.join(f'`{name}`' for name in _MACHINES)}")
    make = backend if callable(backend) else _MACHINES[backend]
    try:
        return make(ruleset, seats, settings)
    except (RecursionError, SyntaxError, MemoryError):  # Python's own bounds, after those of the checker
        raise too_deep() from None


def quick_machine(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    """A machine for a few games: optimised if the program is small (10 to 30 ms), otherwise not."""
    program = lowered(ruleset, seats, settings)
    if len(program.blocks) <= SMALL:
        return _python_made(ruleset, seats, settings)
    if ruleset.rules.suppositions:  # a procedure that is supposed to have run is written with all that it calls
        from rulespec.engine.python.backend import PythonBackend
        from rulespec.engine.python.features import ALL_FEATURES

        return PythonBackend(program, passes=(), features=replace(ALL_FEATURES, occupancy=False))
    from rulespec.engine.python.on_demand import OnDemandBackend

    return OnDemandBackend(program)


def first_machine(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    """A machine for the first decisions of a game: immediately ready, but slow."""
    return Interpreter(lowered(ruleset, seats, settings))


def _python(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> PythonBackend:
    from rulespec.engine.python.backend import PythonBackend  # lazily: who only checks a ruleset needs no passes

    return PythonBackend(lowered(ruleset, seats, settings))


_python_made = MachineMemo(_python)


def _wasm(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    from rulespec.engine.wasm.backend import WasmBackend  # lazily: it needs an extra

    return WasmBackend(wasm_program(ruleset, seats, settings), lambda: _python_made(ruleset, seats, settings))


class _Table:
    """The games of a table that `auto` has begun, whether they can be played in wasm, and the decisions of its logs."""

    def __init__(self, *_: object) -> None:
        self.begun = 0
        self.wasm = True
        self.replayed = 0


_tables = MachineMemo(_Table)


def _auto(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    table = _tables(ruleset, seats, settings)
    table.begun += 1
    if table.begun > WORTH_IT:
        return _fastest(ruleset, seats, settings)
    return _MACHINES["python"](ruleset, seats, settings)


def _fastest(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    """The machine for many games of a table: in wasm, or in Python where there is no wasm."""
    table = _tables(ruleset, seats, settings)
    if table.wasm:
        from rulespec.engine.wasm.compiler import NoWasmError
        from rulespec.engine.wasm.engine import NoWasmtimeError

        try:
            return _MACHINES["wasm"](ruleset, seats, settings)
        except (NoWasmtimeError, NoWasmError):
            table.wasm = False
    return _MACHINES["python"](ruleset, seats, settings)


_quick = MachineMemo(quick_machine)


def for_log(backend: Backend, decisions: int) -> Machines:
    """The machine for one of possibly many logs, chosen by the number of decisions in logs of its table so far.

    Args:
        backend: the machine of a table with more than `ON_DEMAND` decisions: `python`, or `auto` for wasm if available.
        decisions: the approximate number of decisions in this log.
    """

    def make(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
        table = _tables(ruleset, seats, settings)
        table.replayed += decisions
        table.begun += 1
        if table.replayed > ON_DEMAND:
            make_other = _fastest if backend == "auto" else _MACHINES[backend]
            return make_other(ruleset, seats, settings)
        return _quick(ruleset, seats, settings)

    return make


def _wasm_program(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> WasmProgram:
    from rulespec.engine.wasm.program import WasmProgram

    return WasmProgram(lowered(ruleset, seats, settings))


wasm_program = MachineMemo(_wasm_program)
"""The machine code of a ruleset for a number of seats and the values of all settings."""

_MACHINES: dict[Backend, Machines] = {
    "python": _python_made,
    "interpreter": MachineMemo(first_machine),
    "wasm": MachineMemo(_wasm),
    "auto": _auto,
}
