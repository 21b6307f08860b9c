"""The legal options of a position, as a sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from rulespec.engine.game.notation import GameNotation
from rulespec.engine.game.option import Option, OptionKind, UnlistedOptionsError
from rulespec.engine.game.position import Position, Step
from rulespec.engine.program.machine import Listed
from rulespec.errors import RulespecError


class StaleOptionsError(RulespecError, RuntimeError):
    """Raised when listed options are used after the game has moved on from their position."""


class LegalOptions(Sequence[Option]):
    """The legal options of the decider, or the out-of-turn options of other seats.

    Options are listed lazily: `option in options` tests one option, `bool(options)` looks for the first, iteration
    lists them one by one, and `len(options)` and `options[i]` list and store them all. Decisions taken during an
    iteration must be undone before it continues.

    Args:
        position: the position of the game.
        words: the notation of the game.
        interrupts: whether to list the out-of-turn options.
    """

    __slots__ = ("_all", "_interrupts", "_kinds", "_objects", "_position", "_stamp", "_who", "_words")

    def __init__(self, position: Position, words: GameNotation, interrupts: bool = False) -> None:
        self._position = position
        self._words = words
        self._interrupts = interrupts
        self._kinds = words.kinds[position.asked]
        self._stamp = position.stamp
        self._all: list[Listed] | None = None
        self._objects: Sequence[Option] | None = None  # as objects, from a machine that lists all at once
        self._who = -1  # the deciding seat, once all are listed

    @property
    def interruptible(self) -> bool:
        """Whether the open decision has out-of-turn options, legal or not."""
        return self._words.interruptible[self._position.asked]

    @property
    def unlisted(self) -> int:
        """The number of possible sets or bags for a parameter if there are too many to list, otherwise 0.

        For paths, the number is one more than the number of paths visited.
        """
        position = self._position
        choices = position.program.decisions[position.asked].choices if position.asked >= 0 else ()
        if all(not param.is_composite for choice in choices for param in choice.params):
            return 0
        try:
            len(self)
        except UnlistedOptionsError as error:
            return error.number
        return 0

    def _listed(self) -> list[Listed]:
        """All options, as numbers."""
        self._check()
        if self._interrupts:
            self._all = list(self._position.listed(interrupts=True))
        else:
            self._who, self._all = self._position.own()
        return self._all

    def _check(self) -> None:
        if self._position.stamp != self._stamp:
            raise self._stale()

    @staticmethod
    def _stale() -> StaleOptionsError:
        return StaleOptionsError(
            "the game has moved on since these options were listed; read `game.legal_options` again"
        )

    def _option(self, listed: Listed) -> Option:
        choice, args, who = listed
        if not self._interrupts:
            who = self._who
        return Option(self._kinds[choice], args, self._words.labels.seats[who] if who >= 0 else None, self._stamp)

    def __len__(self) -> int:
        return len(self._listed() if self._all is None else self._all)

    @overload
    def __getitem__(self, index: int) -> Option: ...
    @overload
    def __getitem__(self, index: slice) -> list[Option]: ...
    def __getitem__(self, index: int | slice) -> Option | list[Option]:
        listed = self._listed() if self._all is None else self._all
        if isinstance(index, slice):
            return [self._option(one) for one in listed[index]]
        return self._option(listed[index])

    def __iter__(self) -> Iterator[Option]:
        # Evaluated at the first step, because `list` calls `len` after it has the iterator.
        if self._all is not None:
            yield from map(self._option, self._all)
            return
        self._check()
        position, number = self._position, 0
        if not self._interrupts and self._kinds:
            self._who = position.decider()
        (ply, last), stamp, again = _reached(position), position.stamp, True
        while again:
            state, again = position.state, False
            for one in islice(position.listed(interrupts=self._interrupts), number, None):
                yield self._option(one)
                number += 1
                if position.stamp != stamp:
                    place, step = _reached(position)
                    if place != ply or step is not last:
                        raise self._stale()
                    stamp = position.stamp
                    if position.state is not state:  # copied on write: listing restarts from the new state
                        again = True
                        break

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __contains__(self, option: object) -> bool:
        if not isinstance(option, Option) or option.interrupt != self._interrupts:
            return False
        self._check()
        kind = option.kind
        if self._position.asked < 0 or not offers(self._kinds, kind):
            return False
        return self._position.is_legal(kind.choice, option.args)

    def __repr__(self) -> str:
        shown = [str(one) for one, _ in zip(self, range(6), strict=False)]
        return f"<LegalOptions: {', '.join([*shown[:5], *['…'] * (len(shown) > 5)]) or 'none'}>"


class OptionsAtOnce(LegalOptions):
    """The legal options of the decider, from a machine that always lists all of them in one call.

    Equal legal options are the same object, even in different positions.
    """

    __slots__ = ()

    def _options(self) -> Sequence[Option] | None:
        """All options; None if they can only be listed one by one."""
        if self._objects is not None or self._all is not None:
            return self._objects
        position = self._position
        if position.stamp != self._stamp:
            self._check()
        if not self._kinds or (result := position.listing()) is None:
            return None
        product = self._words.lists.get(result)
        if product is None:
            product = self._words.lists.options_of(result, position.own()[1])
        self._objects = position.offered = product
        return product

    def __len__(self) -> int:
        result = self._options() if self._objects is None else self._objects
        return super().__len__() if result is None else len(result)

    @overload
    def __getitem__(self, index: int) -> Option: ...
    @overload
    def __getitem__(self, index: slice) -> list[Option]: ...
    def __getitem__(self, index: int | slice) -> Option | list[Option]:
        result = self._options() if self._objects is None else self._objects
        if result is None:
            return super().__getitem__(index)
        return list(result[index]) if isinstance(index, slice) else result[index]

    def __iter__(self) -> Iterator[Option]:
        result = self._options()
        return super().__iter__() if result is None else iter(result)


def _reached(position: Position) -> tuple[int, Step | None]:
    """The number of decisions so far and the last one; unchanged by decisions that are taken and undone."""
    steps = position.steps
    return len(steps), steps[-1] if steps else None


def offers(kinds: Sequence[OptionKind], kind: OptionKind) -> bool:
    """Whether a decision with these option kinds has an option of the given kind."""
    if kind.choice >= len(kinds):
        return False
    place = kinds[kind.choice]
    return place is kind or (place.decision, place.name) == (kind.decision, kind.name)
