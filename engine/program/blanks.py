"""Blanks: placeholders for cell values on which a run must not depend."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Never, cast

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
`BlankError`, unless public knowledge answers it.

No two cells share a blank, because Python containers compare by identity before equality.
"""


@lru_cache(64)
def _token(places: frozenset[int]) -> Any:
    """The class of blanks for tokens that are in one of some places: comparisons with the same answer for all."""

    def answering(compare: Callable[[int, int], bool]) -> Callable[[object, object], bool]:
        def answer(_: object, other: object) -> bool:
            if type(other) is int and len(answers := {compare(place, other) for place in places}) == 1:
                return answers.pop()
            raise BlankError

        return answer

    comparisons = {f"__{name}__": answering(getattr(operator, name)) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
    return type("_Token", (_Blank,), {"__slots__": (), **comparisons, "__hash__": _refuse})


class PublicSum(NamedTuple):
    """A public sum of unknown cells.

    Attributes:
        cells: the cells.
        number: their sum.
    """

    cells: frozenset[int]
    number: int


class UnknownSet(NamedTuple):
    """A set some of whose members are unknown.

    Attributes:
        known: the known members, as bits.
        among: the possible unknown members, as bits.
        number: the number of unknown members; None if it is not public.
    """

    known: int
    among: int
    number: int | None


NO_SET = UnknownSet(0, -1, None)
"""A set about which nothing is known."""


def _summand(total: PublicSum, cells: frozenset[int], more: int) -> Any:
    result = _Summand()
    _set_summand(result, (total, cells, more))
    return result


def _summed(one: object, other: object) -> object:
    """The sum of an unknown pile and a number, or another pile: a number once the sum of all is public."""
    total, cells, more = _summand_of(one)
    if type(other) is int:
        more += other
    elif type(other) is _Summand and _summand_of(other)[0] is total and cells.isdisjoint(_summand_of(other)[1]):
        cells, more = cells | _summand_of(other)[1], more + _summand_of(other)[2]
    else:
        return _Blank()
    return total.number + more if cells == total.cells else _summand(total, cells, more)


def _reduced(one: object, other: object) -> object:
    """An unknown pile less a number."""
    return _summed(one, -other) if type(other) is int else _Blank()


_SUMMAND = {"__add__": _summed, "__radd__": _summed, "__sub__": _reduced}
_Summand: Any = type("_Summand", (_Blank,), {"__slots__": ("data",), **_SUMMAND})
"""The content of an unknown cell whose sum with others is public."""
_summand_of, _set_summand = _Summand.data.__get__, _Summand.data.__set__


def _set(of: UnknownSet) -> Any:
    result = _Set()
    _put_set(result, of)
    return result


def _exchanged(one: object, bit: object) -> object:
    """An unknown set with a known member added or removed."""
    of = _set_of(one)
    if type(bit) is not int or of.number is None or bit & of.among:
        return _set(NO_SET)
    return _set(of._replace(known=of.known ^ bit))


def _size(one: object) -> int:
    """The number of members of a set."""
    of = _set_of(one)
    if of.number is None:
        raise BlankError
    return int(of.known.bit_count() + of.number)


def _asked_of_set(one: object, name: str) -> object:
    if name != "bit_count":
        raise BlankError
    size = _size(one)
    return lambda: size


def _is_empty(one: object, other: object) -> bool:
    """Whether a set is empty, asked as a comparison with 0."""
    if type(other) is not int or other:
        raise BlankError
    return not _size(one)


def _has_members(one: object) -> bool:
    return _size(one) > 0


def _is_not_empty(one: object, other: object) -> bool:
    return not _is_empty(one, other)


_SETS = {
    "__xor__": _exchanged,
    "__getattribute__": _asked_of_set,
    "__eq__": _is_empty,
    "__ne__": _is_not_empty,
    "__bool__": _has_members,
    "__hash__": _refuse,
}
_Set: Any = type("_Set", (_Blank,), {"__slots__": ("data",), **_SETS})
"""The content of a cell with an unknown set: its number of members may be public."""
_set_of, _put_set = _Set.data.__get__, _Set.data.__set__


class Unknown(NamedTuple):
    """The cells unknown to a seat, with its public knowledge of them.

    Attributes:
        cells: the cells.
        within: cell that holds the place of a token → the places where the seat may not see a token.
    """

    cells: frozenset[int]
    within: Mapping[int, frozenset[int]]


def blanked(
    state: State, unknown: Unknown, totals: Iterable[PublicSum] = (), sets: Mapping[int, UnknownSet] | None = None
) -> State:
    """A copy of a state with blanks in some cells.

    Args:
        state: the original.
        unknown: the cells to blank.
        totals: public sums of some of them.
        sets: further cells to blank, which hold sets: cell → what is known about the set.
    """
    result, within = list(state), unknown.within
    for at in unknown.cells:
        result[at] = cast(int, _token(within[at])() if at in within else _Blank())
    for total in totals:
        for at in total.cells:
            result[at] = _summand(total, frozenset([at]), 0)
    for at, of in (sets or {}).items():
        result[at] = _set(of)
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
