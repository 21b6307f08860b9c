"""The machine of a game, made once a program; the checks of settings and seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.machine import Machine
from rulespec.typed import nodes as typed

Backend = Literal["python", "interpreter"]
Machines = Callable[[typed.Ruleset, int, Mapping[str, str]], Machine]
"""Makes a machine for a ruleset, a number of seats and the values of all settings."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

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


def _python(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    from rulespec.engine.python.backend import PythonBackend  # lazily: who only checks a ruleset needs no passes

    return PythonBackend(lower(ruleset, seats, settings))


_MACHINES: dict[Backend, Machines] = {
    "python": _python,
    "interpreter": lambda ruleset, seats, settings: Interpreter(lower(ruleset, seats, settings)),
}


def _made(make: Machines, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
    try:
        return make(ruleset, seats, settings)
    except (RecursionError, SyntaxError, MemoryError):  # Python's own bounds, after those of the checker
        help_ = "split expressions with `let`, and let fewer definitions call one another in a row"
        raise DiagnosticsError(
            (Diagnostic("RS410", Severity.ERROR, "the rules nest too deep", None, help=help_),)
        ) from None


def check_settings(ruleset: typed.Ruleset, settings: Mapping[str, str | bool]) -> dict[str, str]:
    """Every setting of the ruleset with its value, as text.

    Raises:
        DiagnosticsError: RS705 for a setting that the ruleset does not have, RS706 for a value that it does not take.
    """
    report = Report()
    chosen = {o.name: o.default for o in ruleset.settings.values()}
    for name, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if name not in chosen:
            hint = did_you_mean(name, chosen)
            report.error("RS705", f"`{ruleset.ref}` has no option `{name}`", None, help=hint)
            continue
        values = ruleset.settings[name].values or ("true", "false")
        if text not in values:
            names = ", ".join(values)
            report.error("RS706", f"the option `{name}` is one of {names}, not `{text}`", None)
            continue
        chosen[name] = text
    report.raise_if_errors()
    return chosen


def check_seats(ruleset: typed.Ruleset, seats: tuple[str, ...]) -> None:
    """Checks the number and the names of seats.

    Raises:
        DiagnosticsError: RS707 for a number of seats the ruleset is not for, RS708 for a name no seat can have.
    """
    report = Report()
    low, high = ruleset.players
    if not low <= len(seats) <= high:
        report.error("RS707", f"`{ruleset.ref}` is for {low} to {high} players, not for {len(seats)}", None)
    for seat in seats:
        if not seat or len(seat) > 80 or any(c in seat for c in "(),\n\r\t") or seat != seat.strip():
            help_ = "no brackets, commas or line ends"
            report.error("RS708", f"{seat[:80]!r} cannot be the name of a seat", None, help=help_)
    if len(set(seats)) < len(seats):
        report.error("RS708", "two seats have the same name", None)
    report.raise_if_errors()


def seat_names(number: int) -> tuple[str, ...]:
    """Default names of seats: A, B, C, …"""
    return tuple(_LETTERS[i] if i < len(_LETTERS) else f"P{i + 1}" for i in range(number))
