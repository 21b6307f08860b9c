"""Blanks: placeholders in cells on whose values a run must not depend."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, Never, cast

from rulespec.engine.program.cells import State
from rulespec.engine.program.limits import MAX_NUMBER


class BlankError(Exception):
    """Raised when the value of a blank is used."""


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
`BlankError`. Only the blank of a token can be compared with places where no hidden token can be.

No two cells share a blank, because Python containers compare by identity before equality.
"""


def _exchanged(_: object, __: object) -> object:
    """A blank set with a member added or removed: another one."""
    return _Set()


_Set: Any = type("_Set", (_Blank,), {"__slots__": (), "__xor__": _exchanged})
"""The content of a cell with an unknown set."""


@lru_cache(64)
def _within(places: frozenset[int]) -> Any:
    """The class of blanks for tokens that are in one of some places."""

    def is_there(_: object, other: object) -> bool:
        if isinstance(other, int) and other not in places:
            return False
        raise BlankError

    def is_elsewhere(token: object, other: object) -> bool:
        return not is_there(token, other)

    return type("_Token", (_Blank,), {"__slots__": (), "__eq__": is_there, "__ne__": is_elsewhere, "__hash__": _refuse})


def blanked(
    state: State,
    cells: Iterable[int],
    within: Mapping[int, frozenset[int]] | None = None,
    sets: Iterable[int] = (),
) -> State:
    """A copy of a state with blanks in some cells.

    Args:
        state: the original.
        cells: the cells to blank.
        within: for cells that hold places of tokens, the possible values; such a cell compares unequal to all other
            numbers.
        sets: further cells to blank, which hold sets, to which members may be added and from which they may be removed.
    """
    result, known = list(state), within or {}
    for at in cells:
        result[at] = cast(int, _within(known[at])() if at in known else _Blank())
    for at in sets:
        result[at] = cast(int, _Set())
    return result


def is_blank(value: object) -> bool:
    """Whether a cell's content is a blank."""
    return issubclass(type(value), _Blank)


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
