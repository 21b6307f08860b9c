"""Protection of inputs against overwriting: a typo could otherwise replace a game with something derived from it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import click

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure

OUTPUTS = ("out", "trace", "wasm", "js", "openspiel_trajectory")
"""The parameters of commands that name an output file."""
_OF_RULESETS = (".yaml", ".rules", ".csv")


def guarded(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a command so that it refuses to overwrite its own inputs."""

    @wraps(callback)
    def checked(*args: Any, **kwargs: Any) -> Any:
        refuse_inputs(click.get_current_context().params)
        return callback(*args, **kwargs)

    return checked


def refuse_inputs(params: dict[str, Any]) -> None:
    """Rejects outputs that are also inputs, and duplicate outputs, even if they are given under different names.

    Args:
        params: the parameter values of a command.

    Raises:
        DiagnosticsError: RS126.
    """
    outputs = [(name, Path(params[name])) for name in OUTPUTS if params.get(name) is not None]
    source = (
        [text for name, value in params.items() if name not in OUTPUTS for text in _texts(value)] if outputs else []
    )
    for number, (name, path) in enumerate(outputs):
        for other, before in outputs[:number]:
            if os.path.abspath(before) == os.path.abspath(path) or _same(before, path):  # noqa: PTH100 - links stay
                message = f"--{other} and --{name} name the same file, {shown(str(path))}"
                raise failure("RS126", message, None, "name two different files")
        if any(_reads(Path(text), path) for text in source):
            message = f"--{name} would replace {shown(str(path))}, which this command reads"
            raise failure("RS126", message, None, "name another file")


def _texts(value: Any) -> Iterator[str]:
    """The paths in a parameter, including those in references."""
    from rulespec.references import parts_of

    if isinstance(value, str | Path):
        yield str(value)
        if "+" in str(value):
            yield from parts_of(str(value))
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _texts(each)


def _reads(argument: Path, path: Path) -> bool:
    """Whether a command with this argument reads an existing file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        if argument.is_dir():
            real = Path(os.path.realpath(path))
            return real.suffix in _OF_RULESETS and real.is_relative_to(os.path.realpath(argument))
    except (OSError, ValueError):
        return False
    return _same(argument, path) or (argument.suffix == ".yaml" and _same(argument.with_suffix(".rules"), path))


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False
