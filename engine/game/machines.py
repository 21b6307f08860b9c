"""The machines that run games: one for each ruleset, number of seats and choice of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.machine import Machine
from rulespec.typed import nodes as typed

Backend = Literal["python", "interpreter"]
Machines = Callable[[typed.Ruleset, int, Mapping[str, str]], Machine]
"""Makes a machine for a ruleset, a number of seats and the values of all settings."""

_MEMO_LIMIT = 64
_machines: dict[tuple[object, ...], Machine] = {}


def machine(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], backend: Backend | Machines) -> Machine:
    """The machine for a ruleset, a number of seats and the values of all settings, from the memo if it has a name."""
    if callable(backend):
        return _made(backend, ruleset, seats, settings)
    key = (ruleset.hash, ruleset.ref, seats, tuple(sorted(settings.items())), backend)
    if key not in _machines:
        if len(_machines) > _MEMO_LIMIT:
            _machines.clear()
        _machines[key] = _made(_MACHINES[backend], ruleset, seats, settings)
    return _machines[key]


def quick_machine(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    """A machine for a single game, without passes: they take longer than they save there."""
    from rulespec.engine.python.backend import PythonBackend

    return PythonBackend(lower(ruleset, seats, settings), passes=())


def first_machine(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    """A machine for the first decisions of a game: it is made at once, and slow."""
    return Interpreter(lower(ruleset, seats, settings))


def _python(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    from rulespec.engine.python.backend import PythonBackend  # lazily: who only checks a ruleset needs no passes

    return PythonBackend(lower(ruleset, seats, settings))


_MACHINES: dict[Backend, Machines] = {
    "python": _python,
    "interpreter": first_machine,
}


def _made(make: Machines, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    try:
        return make(ruleset, seats, settings)
    except (RecursionError, SyntaxError, MemoryError):  # Python's own bounds, after those of the checker
        help_ = "split expressions with `let`, and let fewer definitions call one another in a row"
        raise DiagnosticsError(
            (Diagnostic("RS410", Severity.ERROR, "the rules nest too deep", None, help=help_),)
        ) from None
