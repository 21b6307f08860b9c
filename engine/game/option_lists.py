"""Cache of option lists; in most games, the same lists recur."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulespec.engine.game.option import Option, OptionKind
from rulespec.engine.program.machine import Listed, Listing

_MOST = 50_000
"""Capacity of the cache: lists plus the options in them, and separately option objects."""
_LONG = 500
"""Break-even: options of a list beyond which testing an option again is faster than finding it."""


class _Options(dict[Listed, Option]):
    """Option objects of a decision for a seat, shared by all lists.

    Args:
        kinds: the option kinds of the decision, by choice.
        by: the seat; None for chance.
    """

    def __init__(self, kinds: Sequence[OptionKind], by: str | None) -> None:
        self._kinds, self._by = kinds, by

    def __missing__(self, listed: Listed) -> Option:
        result = self[listed] = Option(self._kinds[listed[0]], listed[1], self._by)
        return result


class OptionLists(dict[Listing, Sequence[Option]]):
    """A cache of option objects by listing, for all games of the same rules and players.

    Args:
        kinds: the kinds of options, by decision and choice.
        seats: names of the players.
    """

    def __init__(self, kinds: Sequence[Sequence[OptionKind]], seats: Sequence[str]) -> None:
        self._kinds, self._seats = kinds, seats
        self._options: dict[tuple[int, int], _Options] = {}
        self._size = 0

    def options_of(self, listing: Listing, listed: Iterable[Listed]) -> Sequence[Option]:
        """The option objects for a machine's listing, from the cache if possible."""
        decision, who, _ = listing
        if self._size > _MOST:
            self.clear()
            self._size = 0
            if sum(map(len, self._options.values())) > _MOST:
                self._options.clear()
        options = self._options.get((decision, who))
        if options is None:
            by = self._seats[who] if who >= 0 else None
            options = self._options[decision, who] = _Options(self._kinds[decision], by)
        results = self[listing] = list(map(options.__getitem__, listed))
        self._size += 1 + len(results)
        return results


def among(options: Sequence[Option], option: Option) -> bool:
    """Whether a list contains this very object; False for long lists, which take too long to search."""
    if len(options) > _LONG:
        return False
    for one in options:  # noqa: SIM110 - by far the fastest way
        if one is option:
            return True
    return False
