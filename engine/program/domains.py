"""Domains of parameters and loops: the members of a set, the numbers of a range."""

from __future__ import annotations

from collections.abc import Iterator

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


def numbers(low: int, high: int) -> range:
    """The numbers from `low` to `high`, both included.

    Raises:
        ProgramFaultError: if there are more than `MAX_VALUES`.
    """
    if high - low >= MAX_VALUES:
        raise ProgramFaultError(-1, f"a parameter ranges over more than {MAX_VALUES:,} numbers")
    return range(low, high + 1)


def too_many() -> None:
    """Reports parameters that range over so much that listing the options takes too long."""
    message = f"parameters of options range over too much: more than {MAX_LISTED:,} steps to list them"
    raise ProgramFaultError(-1, message)
