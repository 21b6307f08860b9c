"""The legal options of a position, as a sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from rulespec.engine.game.option import Option, OptionKind
from rulespec.engine.game.position import Position
from rulespec.engine.program.machine import Listed
from rulespec.errors import RulespecError


class StaleOptionsError(RulespecError, RuntimeError):
    """Options were listed after the game had moved on from the position for which they were asked."""


class LegalOptions(Sequence[Option]):
    """The legal options of the decider, or those that others have out of turn.

    Nothing is listed before it is needed: `option in options` tests one, truth looks for the first, iteration lists one
    by one, `len(options)` and `options[i]` list all and remember them.

    Args:
        position: where the game stands.
        kinds: the kinds of options of the open decision, by the number of the choice.
        seats: the names of the players.
        interrupts: whether these are the options out of turn.
    """

    __slots__ = ("_all", "_interrupts", "_kinds", "_position", "_seats", "_stamp", "_who")

    def __init__(
        self, position: Position, kinds: Sequence[OptionKind], seats: Sequence[str], interrupts: bool = False
    ) -> None:
        self._position = position
        self._kinds = kinds
        self._seats = seats
        self._interrupts = interrupts
        self._stamp = position.stamp
        self._all: list[Listed] | None = None
        self._who = -1  # the seat that decides, once all are listed

    def _listed(self) -> list[Listed]:
        """All of them, as numbers."""
        self._check()
        if self._interrupts:
            self._all = list(self._position.listed(interrupts=True))
        else:
            self._who, self._all = self._position.own()
        return self._all

    def _check(self) -> None:
        if self._position.stamp != self._stamp:
            raise StaleOptionsError(
                "the game has moved on since these options were asked for; ask `game.legal_options` again"
            )

    def _option(self, listed: Listed) -> Option:
        choice, args, who = listed
        if not self._interrupts:
            who = self._who
        return Option(self._kinds[choice], args, self._seats[who] if who >= 0 else None, self._stamp)

    def _options(self) -> list[Option]:
        """All of them, which have been listed."""
        assert self._all is not None
        if self._interrupts:
            return [self._option(one) for one in self._all]
        kinds, stamp, by = self._kinds, self._stamp, self._seats[self._who] if self._who >= 0 else None
        return [Option(kinds[choice], args, by, stamp) for choice, args, _ in self._all]

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
        if self._all is None and self._position.machine.at_once:
            self._listed()
        return self._one_by_one() if self._all is None else iter(self._options())

    def _one_by_one(self) -> Iterator[Option]:
        # What is known is looked up at the first step: `list` asks for the number when it has the iterator already.
        if self._all is not None:
            yield from self._options()
            return
        self._check()
        if not self._interrupts and self._kinds:
            self._who = self._position.decider()
        yield from map(self._option, self._position.listed(interrupts=self._interrupts))

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


def offers(kinds: Sequence[OptionKind], kind: OptionKind) -> bool:
    """Whether an option of this kind is one of a decision's, whose kinds are given."""
    if kind.choice >= len(kinds):
        return False
    here = kinds[kind.choice]
    return here is kind or (here.decision, here.name) == (kind.decision, kind.name)
