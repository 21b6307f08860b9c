"""Domains of parameters and loops: the members of a set, the numbers of a range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import MAX_LISTED, MAX_VALUES


def members(mask: int, start: int) -> Iterator[int]:
    """The members of a set in cyclic order from `start` on."""
    ahead = mask >> start << start
    for part in (ahead, mask & ~ahead):
        while part:
            low = part & -part
            yield low.bit_length() - 1
            part ^= low


Place = tuple[int, int, int]
"""A parameter: the number of its decision, of its option there, and its own."""


def numbers(p: ir.Program, at: Place, low: int, high: int) -> range:
    """The numbers that a parameter ranges over: from `low` to `high`, both included.

    Raises:
        ProgramFaultError: if there are more than `MAX_VALUES`.
    """
    if high - low >= MAX_VALUES:
        name, option, span = _named(p, at)
        many = f"{high - low + 1:,} numbers, and may range over {MAX_VALUES:,}"
        raise ProgramFaultError(-1, f"the parameter {name} of {option} ranges over {many}", span=span)
    return range(low, high + 1)


def too_many(p: ir.Program, at: Place) -> NoReturn:
    """Reports options that take too many steps to list; `at` is the last parameter enumerated."""
    name, option, span = _named(p, at)
    steps = f"with {name} of {option} it takes more than {MAX_LISTED:,} steps to list the options"
    raise ProgramFaultError(-1, f"parameters of options range over too much: {steps}", span=span)


def _named(p: ir.Program, at: Place) -> tuple[str, str, Span]:
    """A parameter and its option by their names in messages, with its place."""
    decision, choice, number = at
    d = p.decisions[decision]
    param = d.choices[choice].params[number]
    return f"`{param.name}`", f"`{d.name}.{d.choices[choice].name}`", param.span
