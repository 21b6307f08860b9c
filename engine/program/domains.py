"""Domains of parameters and loops: the members of a set, a range of numbers, subsets, bags and paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NoReturn

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import MAX_LISTED, MAX_VALUES
from rulespec.language.bags import BITS, counts
from rulespec.language.paths import MAX_PATHS, PathForm, TooManyPathsError, listed, longest, trail
from rulespec.language.several import MAX_SEVERAL, bags, is_bag, is_subset, picked, subsets, ways


def members(mask: int, start: int) -> Iterator[int]:
    """The members of a set in cyclic order, beginning at `start`."""
    ahead = mask >> start << start
    for part in (ahead, mask & ~ahead):
        while part:
            low = part & -part
            yield low.bit_length() - 1
            part ^= low


Place = tuple[int, int, int]
"""A parameter, as decision number, option number and parameter number."""


def numbers(p: ir.Program, at: Place, low: int, high: int) -> range:
    """The domain of a numeric parameter, from `low` to `high` inclusive.

    Raises:
        ProgramFaultError: if there are more than `MAX_VALUES`.
    """
    if high - low >= MAX_VALUES:
        name, option, span = _named(p, at)
        many = f"{high - low + 1:,} numbers, more than {MAX_VALUES:,}"
        raise ProgramFaultError(-1, f"the parameter {name} of {option} ranges over {many}", span=span)
    return range(low, high + 1)


class Several(Iterable[int]):
    """The domain of a set or bag parameter, in the order of `language.several`.

    Args:
        source: the set or bag to choose from.
        least: the minimum number of members or pieces.
        most: the maximum number of members or pieces.
        bag: whether the values are bags.
    """

    def __init__(self, source: int, least: int, most: int, *, bag: bool) -> None:
        self._of = source, least, most
        self._bag = bag

    @property
    def number(self) -> int:
        """The total number of values; `len` counts only those listed."""
        return ways([room for _, room in self._piles], *self._of[1:])

    @property
    def _piles(self) -> list[tuple[int, int]]:
        source = self._of[0]
        return counts(source) if self._bag else [(member, 1) for member in members(source, 0)]

    def __len__(self) -> int:
        return self.number

    def picked(self, number: int) -> int:
        """The set or bag at an index in the domain."""
        piles = self._piles
        chosen = picked([room for _, room in piles], *self._of[1:], number)
        bits = BITS if self._bag else 1
        return sum(of_it << bits * member for of_it, (member, _) in zip(chosen, piles, strict=True))

    def __iter__(self) -> Iterator[int]:
        return bags(*self._of) if self._bag else subsets(*self._of)

    def __contains__(self, chosen: object) -> bool:
        return isinstance(chosen, int) and (is_bag if self._bag else is_subset)(chosen, *self._of)


def several(p: ir.Program, at: Place, source: int, least: int, most: int) -> Several:
    """The domain of a set or bag parameter.

    Raises:
        UnlistedError: if the domain has more than `MAX_SEVERAL` values.
    """
    param = p.decisions[at[0]].choices[at[1]].params[at[2]]
    result = Several(source, least, most, bag=param.is_bag)
    if (number := result.number) > MAX_SEVERAL:
        raise UnlistedError(p, at, number)
    return result


class _Some(Several):
    """The first values of a set or bag parameter, for a search for a legal one."""

    def __init__(self, p: ir.Program, at: Place, source: int, least: int, most: int) -> None:
        super().__init__(source, least, most, bag=p.decisions[at[0]].choices[at[1]].params[at[2]].is_bag)
        self._at = p, at

    def __len__(self) -> int:
        return min(self.number, MAX_SEVERAL)

    def __iter__(self) -> Iterator[int]:
        yield from islice(super().__iter__(), MAX_SEVERAL)
        if (number := self.number) > MAX_SEVERAL:
            raise UnlistedError(*self._at, number)


def some_of_several(p: ir.Program, at: Place, source: int, least: int, most: int) -> Several:
    """The domain of a set or bag parameter, for finding any legal value.

    If there are more than `MAX_SEVERAL` values, iteration raises UnlistedError after that many.
    """
    return _Some(p, at, source, least, most)


class Paths(list[int]):
    """The listed paths of a path parameter, with the number of prefixes visited to find them."""

    def __init__(self, results: list[int], looked: int) -> None:
        super().__init__(results)
        self._looked = looked

    def __len__(self) -> int:
        return self._looked


def paths(p: ir.Program, at: Place, ways: PathForm) -> Paths:
    """The domain of a path parameter; each path is listed before its extensions.

    Raises:
        UnlistedError: if there are more than `MAX_PATHS` prefixes.
    """
    results, looked = listed(ways)
    if looked > MAX_PATHS:
        raise UnlistedError(p, at, looked)
    return Paths(results, looked)


class UnlistedError(ProgramFaultError):
    """Raised for a parameter with too many possible sets, bags or paths to list.

    Attributes:
        at: the parameter.
        number: the number of sets or bags; for paths, one more than the number visited.
    """

    def __init__(self, p: ir.Program, at: Place, number: int) -> None:
        name, option, span = _named(p, at)
        param = p.decisions[at[0]].choices[at[1]].params[at[2]]
        what = f"{number:,} {'bags' if param.is_bag else 'sets'}"
        most = f"{MAX_SEVERAL:,}"
        if param.walk is not None:
            what, most = f"more than {MAX_PATHS:,} paths", f"{MAX_PATHS:,}"
        message = f"{name} of {option} has {what}, but at most {most} are listed"
        super().__init__(-1, message, span=span)
        self.at = at
        self.number = number


def too_many(p: ir.Program, at: Place) -> NoReturn:
    """Raises the fault for options that take too many steps to list; `at` is the parameter enumerated last."""
    name, option, span = _named(p, at)
    steps = f"listing the options takes more than {MAX_LISTED:,} steps; the last parameter is {name} of {option}"
    raise ProgramFaultError(-1, f"parameters of options have too many values: {steps}", span=span)


def _named(p: ir.Program, at: Place) -> tuple[str, str, Span]:
    """The names of a parameter and its option for messages, and the parameter's span."""
    decision, choice, number = at
    d = p.decisions[decision]
    param = d.choices[choice].params[number]
    return f"`{param.name}`", f"`{d.name}.{d.choices[choice].name}`", param.span


def searched(walk: ir.PathSearch, slots: list[int], evaluate: Callable[[ir.Expr], int]) -> int:
    """The result of a search over paths; the arguments are those of `ways_of`.

    Raises:
        ProgramFaultError: if the search visits too many path prefixes.
    """
    ways = ways_of(walk, slots, evaluate)
    try:
        if walk.reachable is not None:
            return trail(ways, evaluate(walk.reachable))
        assert walk.worth is not None and walk.default is not None
        where, worth_of = walk.where, walk.worth

        def worth(path: int) -> int | None:
            slots[walk.slot] = path
            return evaluate(worth_of) if where is None or evaluate(where) else None

        result = longest(ways, worth)
    except TooManyPathsError:
        raise ProgramFaultError(walk.site) from None
    return evaluate(walk.default) if result is None else result


def ways_of(walk: ir.PathSearch, slots: list[int], evaluate: Callable[[ir.Expr], int]) -> PathForm:
    """The search space of a parameter's paths.

    Args:
        walk: the domain of the parameter.
        slots: the slots, which hold the preceding arguments; the slots bound by the walk are overwritten.
        evaluate: a function that returns the value of an expression with these slots.
    """
    known = (walk.slot, walk.at, walk.left, *walk.used)

    def onward(*way: int) -> int:
        for slot, value in zip(known, way, strict=True):
            slots[slot] = value
        return evaluate(walk.onward)

    def step(to: int, *way: int) -> list[int]:
        for slot, value in zip((walk.to, *known), (to, *way), strict=True):
            slots[slot] = value
        begun = way[0] == 0
        asked = zip(walk.uses, walk.of_stops, strict=True)
        uses = [0 if begun and not of_stops else evaluate(e) for e, of_stops in asked]
        return [0 if begun else evaluate(walk.cost), *uses]

    return PathForm(walk.size, evaluate(walk.start), evaluate(walk.within), walk.of_stops, walk.whole, onward, step)
