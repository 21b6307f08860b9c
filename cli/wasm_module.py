"""Errors about an explicitly requested backend that is unusable or was not used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

import click

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.program.handed_back import counting

NAMES = {"wasm": "wasm", "python": "Python", "interpreter": "the interpreter"}
"""The display names of the backends."""


@contextmanager
def wasm_errors() -> Iterator[None]:
    """Converts a missing wasm module or engine into an error of the command."""
    from rulespec.engine.wasm.compiler import NoWasmError  # lazily: most runs need none
    from rulespec.engine.wasm.engine import NoWasmtimeError

    try:
        yield
    except NoWasmtimeError as error:
        raise click.ClickException(str(error)) from None
    except NoWasmError as error:
        not_used(f"there is no wasm module for these rules: {error}")


@contextmanager
def backend_errors(backend: str) -> Iterator[None]:
    """Reports at the end if another backend played instead of the requested one."""
    if backend not in ("wasm", "python"):
        yield
        return
    with counting() as handed, wasm_errors():
        yield
    check_used(backend, handed)


def check_used(backend: str, handed: Mapping[str, int]) -> None:
    """Exits with an error if another backend played instead of the requested one."""
    if handed and backend in ("wasm", "python"):
        others = [f"{NAMES[to]} has played instead, {output.counted(n, 'time')}" for to, n in handed.items()]
        not_used(f"the backend `{backend}` was requested, but {' and '.join(others)}")


def played_by(backend: str, handed: Mapping[str, int]) -> str:
    """The backend that played, and the number of decisions by fallback backends."""
    others = (f"{NAMES[to]} {output.counted(times, 'decision')}" for to, times in handed.items())
    return ", ".join([NAMES[backend], *others])


def not_used(message: str) -> NoReturn:
    """Reports that the requested backend was not used, and exits with code 1."""
    help_ = "without --backend, the fastest suitable machine plays the same games"
    output.show([Diagnostic("RS727", Severity.ERROR, message, None, help=help_)])
    raise click.exceptions.Exit(output.PROBLEMS)
