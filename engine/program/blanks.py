"""Blanks: cells without a value, for runs that must not depend on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Never, cast

from rulespec.engine.program.journal import State
from rulespec.engine.program.limits import MAX_NUMBER


class BlankError(Exception):
    """Raised on use of a blank's value."""


def _refuse(*_: object, **__: object) -> Never:
    raise BlankError


def _moved(_: object, __: object) -> object:
    """The sum of a blank and a number, which is a new blank."""
    return _Blank()


def _is_beyond(_: object, other: object) -> bool:
    """Whether a blank exceeds a number: False for the bounds of numbers, otherwise an error."""
    if isinstance(other, int) and abs(other) >= MAX_NUMBER:
        return False
    raise BlankError


_PLAIN = {"__class__", "__doc__", "__init__", "__init_subclass__", "__new__", "__subclasshook__"}
_USES = {name for kind in (int, tuple) for name in dir(kind)} - _PLAIN
"""Special methods of numbers and sequences, including comparison, truth and attribute access."""
_SUMS = dict.fromkeys(("__add__", "__radd__", "__sub__", "__rsub__"), _moved)
_BOUNDS = {"__gt__": _is_beyond}
_Blank: Any = type("_Blank", (), {"__slots__": (), **dict.fromkeys(_USES, _refuse), **_SUMS, **_BOUNDS})
"""The content of a cell without a value. It can be copied, and sums with it are new blanks; any other use raises
`BlankError`.

No two cells share a blank, because Python containers compare by identity before equality.
"""


def blanked(state: State, cells: Iterable[int]) -> State:
    """A copy of a state with blanks in the given cells."""
    result = list(state)
    for at in cells:
        result[at] = cast(int, _Blank())
    return result


def is_blank(value: object) -> bool:
    """Whether a cell's content is a blank."""
    return type(value) is _Blank


def filled(blind: State, state: State, cells: Collection[int], written: Iterable[int]) -> frozenset[int]:
    """Replaces the blanks left after a run by the original values; returns the cells replaced.

    Args:
        blind: a copy of the original with blanks, after the run; changed in place.
        state: the original.
        cells: the cells blanked before the run.
        written: the cells written by the run.

    Raises:
        BlankError: if the run copied a blank to another cell.
    """
    left = frozenset(at for at in cells if is_blank(blind[at]))
    for at in left:
        blind[at] = state[at]
    if any(is_blank(blind[at]) for at in written):
        raise BlankError
    return left
