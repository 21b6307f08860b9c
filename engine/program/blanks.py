"""Blanks: cells of a state without a value, for runs that must not depend on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Never, cast

from rulespec.engine.program.journal import State
from rulespec.engine.program.limits import MAX_NUMBER


class BlankError(Exception):
    """A cell without a value was read."""


def _refuse(*_: object, **__: object) -> Never:
    raise BlankError


def _moved(_: object, __: object) -> object:
    """A sum with a blank: another blank."""
    return _Blank()


def _is_beyond(_: object, other: object) -> bool:
    """Whether a blank is beyond a number, asked only of the largest ones: a value in a cell never is."""
    if isinstance(other, int) and abs(other) >= MAX_NUMBER:
        return False
    raise BlankError


_PLAIN = {"__class__", "__doc__", "__init__", "__init_subclass__", "__new__", "__subclasshook__"}
_USES = {name for kind in (int, tuple) for name in dir(kind)} - _PLAIN
"""The ways to use a value: all that a number or a sequence can do, comparisons, truth and attributes among them."""
_SUMS = dict.fromkeys(("__add__", "__radd__", "__sub__", "__rsub__"), _moved)
_BOUNDS = {"__gt__": _is_beyond}
_Blank: Any = type("_Blank", (), {"__slots__": (), **dict.fromkeys(_USES, _refuse), **_SUMS, **_BOUNDS})
"""The content of a cell without a value. It can be moved from cell to cell, and be paid into: then it is another one.
Every other use raises `BlankError`.

No two cells share one: Python takes an object to be equal to itself without asking it.
"""


def blanked(state: State, cells: Iterable[int]) -> State:
    """A copy of a state with some cells blanked."""
    result = list(state)
    for at in cells:
        result[at] = cast(int, _Blank())
    return result


def is_blank(value: object) -> bool:
    """Whether a cell's content marks it as blank."""
    return type(value) is _Blank


def filled(blind: State, state: State, cells: Collection[int], written: Iterable[int]) -> frozenset[int]:
    """Fills blank cells from the original after a run; returns the filled cells.

    Args:
        blind: a copy of the original with some blank cells; changed in place.
        state: the original.
        cells: the blanked cells.
        written: the cells written by the run.

    Raises:
        BlankError: if the run has blanked another cell.
    """
    left = frozenset(at for at in cells if is_blank(blind[at]))
    for at in left:
        blind[at] = state[at]
    if any(is_blank(blind[at]) for at in written):
        raise BlankError
    return left
