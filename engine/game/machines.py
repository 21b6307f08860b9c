"""Machines that run games, memoised by ruleset, number of seats and settings."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from msgspec.structs import replace

from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.faults import too_deep
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.machine import Machine
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.passes.pipeline import Pass
    from rulespec.engine.python.backend import PythonBackend
    from rulespec.engine.wasm.program import WasmProgram

Backend = Literal["auto", "python", "interpreter", "wasm"]
"""The machine that runs the rules; `auto` starts with Python and changes to wasm once compiling pays off."""
Machines = Callable[[typed.Ruleset, int, Mapping[str, str]], Machine]
"""A factory of machines from a ruleset, a number of seats and the values of all settings."""

MEMO_SIZE = 64
"""Capacity of a memo; the least recently used entries are dropped first. The logs of one site come from 60 tables: 12
modes with 2 to 6 players.
"""


WORTH_IT = 60
"""Break-even: games per configuration before compiling a wasm module pays."""
ON_DEMAND = 10_000
"""Break-even: the number of decisions in a table's logs up to which a machine that generates code on demand replays
them, if wasm comes next.

A decision of a native log of a large game takes 27 µs on demand, 23 in Python with all passes and 5 in wasm, and one of
a foreign log 35, 29 and 18. Setting up wasm takes 0.23 s or more, so it pays for its set-up after some 10,000
decisions.
"""
ON_DEMAND_IN_PYTHON = 20_000
"""The same if Python with all passes comes next, which takes 0.13 s to set up."""
SMALL = 100
"""Maximum number of blocks for which the passes pay within one game; shipped programs have up to 63 or at least 279."""

T = TypeVar("T")


class MachineMemo(Generic[T]):
    """A memo of the `MEMO_SIZE` most recently used programs or machines; building one takes longer than many games.

    A program contains source places, reasons and texts, so equal rules with different texts or in another folder have
    different programs.

    Args:
        make: the factory of the entries.
    """

    def __init__(self, make: Callable[[typed.Ruleset, int, Mapping[str, str]], T]) -> None:
        self._make = make
        self._entries: OrderedDict[tuple[object, ...], T] = OrderedDict()

    def __call__(self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> T:
        """The entry for a ruleset, a number of seats and the values of all settings."""
        texts = (ruleset.sources_hash, *ruleset.sources)
        key = (ruleset.hash, ruleset.ref, texts, seats, tuple(sorted(settings.items())))
        result = self._entries.pop(key, None) or self._make(ruleset, seats, settings)
        self._entries[key] = result  # now the most recently used
        if len(self._entries) > MEMO_SIZE:
            self._entries.popitem(last=False)
        return result


lowered = MachineMemo(lower)
"""The program of a ruleset for a number of seats and the values of all settings."""


def machine(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], backend: Backend | Machines) -> Machine:
    """The machine for a ruleset, a number of seats and all settings; memoised for named backends.

    Raises:
        ValueError: if there is no such backend.
    """
    if not callable(backend) and backend not in _MACHINES:
        raise ValueError(
            f"there is no backend `{backend}`; the backends are {', '.join(f'`{name}`' for name in _MACHINES)}"
        )
    make = backend if callable(backend) else _MACHINES[backend]
    try:
        return make(ruleset, seats, settings)
    except (RecursionError, SyntaxError, MemoryError):  # Python's own limits, which are beyond the checker's
        raise too_deep() from None


def quick_machine(
    ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], passes: Sequence[Pass] = ()
) -> Machine:
    """A machine for a few games: fully optimised (in 10 to 30 ms) only if the program is small.

    The code of larger programs is generated on demand, after the given passes.
    """
    program = lowered(ruleset, seats, settings)
    if len(program.blocks) <= SMALL:
        return _python_made(ruleset, seats, settings)
    if ruleset.rules.suppositions:  # code for hypothetical calls includes all callees
        from rulespec.engine.python.backend import PythonBackend
        from rulespec.engine.python.features import ALL_FEATURES

        return PythonBackend(program, passes, replace(ALL_FEATURES, occupancy=False))
    from rulespec.engine.python.code_memo import code_memo
    from rulespec.engine.python.on_demand import OnDemandBackend

    return OnDemandBackend(program, passes=passes, codes=code_memo(ruleset.ref))


def first_machine(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    """A machine for the first decisions of a game: ready immediately, but slow."""
    return Interpreter(lowered(ruleset, seats, settings))


def _python(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> PythonBackend:
    from rulespec.engine.python.backend import PythonBackend  # lazily: checking a ruleset needs no passes
    from rulespec.engine.python.code_memo import code_memo

    return PythonBackend(lowered(ruleset, seats, settings), codes=code_memo(ruleset.ref, "whole programs"))


_python_made = MachineMemo(_python)


def _wasm(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    from rulespec.engine.wasm.backend import WasmBackend  # lazily: it needs an extra

    return WasmBackend(wasm_program(ruleset, seats, settings), lambda: _python_made(ruleset, seats, settings))


class _Table:
    """Usage of a table: games begun by `auto`, whether wasm is available, and decisions replayed from logs."""

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
    """The machine for many games of a table: wasm, or Python without wasm."""
    table = _tables(ruleset, seats, settings)
    if table.wasm:
        from rulespec.engine.wasm.compiler import NoWasmError
        from rulespec.engine.wasm.engine import NoWasmtimeError

        try:
            return _MACHINES["wasm"](ruleset, seats, settings)
        except (NoWasmtimeError, NoWasmError):
            table.wasm = False
    return _MACHINES["python"](ruleset, seats, settings)


def _quick_for_logs(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    from rulespec.engine.passes.pipeline import of_definitions

    return quick_machine(ruleset, seats, settings, (of_definitions,))


_quick = MachineMemo(_quick_for_logs)


def for_log(backend: Backend, decisions: int) -> Machines:
    """The factory of a machine for replaying a log, chosen by the number of decisions replayed so far at the log's
    table.

    Args:
        backend: the machine to use once a table has so many decisions that compiling on demand no longer pays:
            `python`, or `auto` for wasm if it is available.
        decisions: the approximate number of decisions in this log.
    """

    def make(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
        table = _tables(ruleset, seats, settings)
        table.replayed += decisions
        table.begun += 1
        if table.replayed > (ON_DEMAND_IN_PYTHON if backend == "python" else ON_DEMAND):
            make_other = _fastest if backend == "auto" else _MACHINES[backend]
            return make_other(ruleset, seats, settings)
        return _quick(ruleset, seats, settings)

    return make


def _wasm_program(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> WasmProgram:
    from rulespec.engine.wasm.program import WasmProgram

    return WasmProgram(lowered(ruleset, seats, settings))


wasm_program = MachineMemo(_wasm_program)
"""The wasm program of a ruleset for a number of seats and the values of all settings."""

_MACHINES: dict[Backend, Machines] = {
    "python": _python_made,
    "interpreter": MachineMemo(first_machine),
    "wasm": MachineMemo(_wasm),
    "auto": _auto,
}
