"""The functions that the generated source calls."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import compress
from operator import ne
from typing import Any

from rulespec.engine.program.cells import Journal, State, restore
from rulespec.engine.program.domains import members
from rulespec.engine.program.faults import ProgramFaultError, below_nothing, too_full, too_much
from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.language.operators import OPERATORS
from rulespec.language.orders import packed
from rulespec.language.paths import PathForm, TooManyPathsError, is_path, longest, trail
from rulespec.language.several import is_bag, is_subset

_MEMO_LIMIT = 50_000
_TUPLES_LIMIT = 10_000
_MEMO_MEMBERS = 4_000_000
"""The maximum total number of members in a memo of sets."""


def check_all(*columns: tuple[list[int], int, int, int]) -> None:
    """Checks columns of numbers row by row, and raises the fault for the first number out of bounds. A column is a
    tuple of its numbers, their lower and upper bound, and the fault site.
    """
    for row in zip(*(column for column, _, _, _ in columns), strict=True):
        for number, (_, low, high, site) in zip(row, columns, strict=True):
            if not low <= number <= high:
                outside(number, site)


def divide(a: int, b: int, site: int) -> int:
    """Floor division; a zero divisor is a fault at `site`."""
    if b == 0:
        raise ProgramFaultError(site)
    return a // b


def modulo(a: int, b: int, site: int) -> int:
    """The remainder of `divide`."""
    if b == 0:
        raise ProgramFaultError(site)
    return a % b


def product(a: int, b: int, site: int) -> int:
    """A product; exceeding the limit for numbers is a fault."""
    value = a * b
    if not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise ProgramFaultError(site)
    return value


def fitting(value: int, site: int) -> int:
    """Returns `value`; if it exceeds the limit for numbers, the rules fault at `site`."""
    if not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise ProgramFaultError(site)
    return value


def held(member: int, mask: int) -> int:
    """Whether an optional value is a member of a set."""
    return mask >> member & 1 if member >= 0 else 0


def lowest(mask: int) -> int:
    """The first member of a set; -1 if the set is empty."""
    return (mask & -mask).bit_length() - 1


def the(mask: int, site: int) -> int:
    """The only member of a set; any other set is a fault."""
    if not mask or mask & mask - 1:
        raise ProgramFaultError(site, mask=mask)
    return mask.bit_length() - 1


def lookup(table: dict[int, int], key: int, site: int) -> int:
    """A row of a table; a missing row is a fault."""
    if key not in table:
        raise ProgramFaultError(site)
    return table[key]


def beyond(site: int) -> None:
    """Raises the fault for a number of more than 15 digits."""
    raise ProgramFaultError(site)


def trail_of(ways: PathForm, reachable: int, site: int) -> int:
    """The set of all stops of the paths; too many path prefixes are a fault."""
    try:
        return trail(ways, reachable)
    except TooManyPathsError:
        raise ProgramFaultError(site) from None


def longest_of(ways: PathForm, worth: Callable[[int], int | None], site: int) -> int | None:
    """The maximum value of the paths; too many path prefixes are a fault."""
    try:
        return longest(ways, worth)
    except TooManyPathsError:
        raise ProgramFaultError(site) from None


def holders(cells: Sequence[int], array: Sequence[int], value: int) -> int:
    """The indices of the cells whose content an array maps to a value, as a set."""
    return sum(1 << i for i, cell in enumerate(cells) if array[cell] == value)


def house(s: State, u: Journal, at: int, value: int, sets: Sequence[tuple[int, int, Sequence[int]]]) -> None:
    """Writes a cell and updates the sets derived from it. Each family of sets is a tuple: the cell of its first set,
    the bit for this cell, and the array that maps the cell's value to the number of a set.
    """
    before = s[at]
    if before == value:
        return
    u += at, before
    s[at] = value
    for first, bit, array in sets:
        for held in (first + array[before], first + array[value]):
            u += held, s[held]
            s[held] ^= bit


def outside(value: int, site: int) -> None:
    """Raises the fault for a value that does not fit its cell."""
    raise ProgramFaultError(site, f"it would be {value}")


def refuse(site: int) -> None:
    """Raises the fault for a violated condition."""
    raise ProgramFaultError(site)


class Memo(dict[Any, Any]):
    """The memo of a function: a mapping from keys to values, which is filled on demand and cleared when it has `limit`
    values.
    """

    def __init__(self, value: Callable[[Any], Any], limit: int = _MEMO_LIMIT) -> None:
        super().__init__()
        self._value = value
        self._limit = limit

    def __missing__(self, key: Any) -> Any:
        if len(self) >= self._limit:
            self.clear()
        result = self[key] = self._value(key)
        return result


def ordered_members(mask: int) -> tuple[int, ...]:
    """The members of a set, in order."""
    results = []
    while mask:
        low = mask & -mask
        results.append(low.bit_length() - 1)
        mask ^= low
    return tuple(results)


def positive_members(cells: tuple[int, ...]) -> int:
    """The set of the indices of positive values."""
    result, bit = 0, 1
    for value in cells:
        if value > 0:
            result |= bit
        bit <<= 1
    return result


def memo_of(function: Callable[..., int], params: int) -> Memo:
    """The memo of a generated function that does not read the state; the key is the argument, or a tuple of several
    arguments.
    """
    if params == 1:
        return Memo(lambda key: function(None, key))
    return Memo(lambda key: function(None, *key))


def counting_memo_of(function: Callable[..., int], params: int, left: list[int]) -> Memo:
    """The memo of a function that counts steps in `left`; each value is stored with the steps it took."""

    def value(key: Any) -> tuple[int, int]:
        before = left[0]
        result = function(None, key) if params == 1 else function(None, *key)
        steps, left[0] = before - left[0], before
        return result, steps

    return Memo(value)


def array_names(member_arrays: Iterable[int], inverse_arrays: Iterable[int], names: dict[str, Any]) -> None:
    """Adds arrays derived from other arrays: tuples of members for arrays of sets, and indices by value, as sets and
    tuples.
    """
    for i in member_arrays:
        if f"M{i}" not in names:
            names[f"M{i}"] = tuple(ordered_members(mask) for mask in names[f"A{i}"])
    for i in inverse_arrays:
        if f"I{i}" not in names:
            array = names[f"A{i}"]
            inverse = {value: sum(1 << k for k, v in enumerate(array) if v == value) for value in set(array)}
            names[f"I{i}"] = inverse
            names[f"J{i}"] = {value: ordered_members(mask) for value, mask in inverse.items()}


def runtime_names(largest: int) -> dict[str, Any]:
    """The names available to all generated source, which has access to no other built-in functions.

    Args:
        largest: the maximum size of a set, which bounds the number of memoised sets.
    """
    sets = _MEMO_MEMBERS // max(largest, 1)
    return {
        **{name: each.meaning for name, each in OPERATORS.items()},
        "divide": divide,
        "modulo": modulo,
        "product": product,
        "fitting": fitting,
        "packed": packed,
        "below_nothing": below_nothing,
        "beyond": beyond,
        "heappop": heappop,
        "heappush": heappush,
        "lowest": lowest,
        "held": held,
        "is_bag": is_bag,
        "is_path": is_path,
        "ways": PathForm,
        "trail_of": trail_of,
        "longest_of": longest_of,
        "is_subset": is_subset,
        "the": the,
        "lookup": lookup,
        "too_much": too_much,
        "too_full": too_full,
        "outside": outside,
        "refuse": refuse,
        "holders": holders,
        "house": house,
        "check_all": check_all,
        "bits": Memo(ordered_members, min(_MEMO_LIMIT, sets)),
        "around": Memo(lambda key: tuple(members(*key)), min(_TUPLES_LIMIT, sets)),
        "positive": Memo(positive_members, min(_TUPLES_LIMIT, sets)),
        "bisect_left": bisect_left,
        "compress": compress,
        "ne": ne,
        "restore": restore,
        "__builtins__": {
            "bool": bool,
            "dict": dict,
            "tuple": tuple,
            "range": range,
            "map": map,
            "BaseException": BaseException,
            "len": len,
            "sum": sum,
        },
    }
