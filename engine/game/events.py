"""A seat's view of a game's history: the visible part of each decision, and the seat's memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from rulespec.engine.game.option import Option
from rulespec.engine.game.position import Position, Seen, Step
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.game.visibility import Observation, Visibility, digest
from rulespec.engine.program.cells import State, restore

HIDDEN = "?"
"""Placeholder for a hidden value."""


@lru_cache(1000)
def _shared(seers: tuple[int, ...]) -> tuple[int, ...]:
    """An interned copy of a tuple that most decisions of all games share."""
    return seers


class Event(Struct, frozen=True):
    """A past decision as seen by a seat.

    Attributes:
        decision: the name of the decision.
        by: the seat that took it; None if chance took it.
        option: the option with its arguments, where `?` stands for a hidden one; None while a simultaneous decision
            hides its choices.
    """

    decision: str
    by: str | None
    option: str | None

    def __str__(self) -> str:
        return f"{self.by or 'chance'}: {self.option or 'has chosen'}"


class Events:
    """The decisions of a game as seen by a seat (or `PUBLIC`).

    Args:
        visibility: the visibility rules.
        position: the position of the game.
        seats: the names of the players.
        seat: the viewer.
    """

    def __init__(self, visibility: Visibility, position: Position, seats: Sequence[str], seat: int) -> None:
        self.visibility = visibility
        self.position = position
        self.seats = seats
        self.seat = seat
        self._wanted = (1 << len(seats)) - 1 if seat == PUBLIC else 1 << seat

    def history(self, since: int = 0) -> tuple[Event, ...]:
        """The events from index `since` on; choices of an incomplete round are hidden."""
        steps = self.position.steps
        self._see(since)
        open_ = len(steps) - self.visibility.chosen(self.position.state, self.position.asked).bit_count()
        return tuple(self._event(step, shown=number < open_) for number, step in enumerate(steps[since:], since))

    def _see(self, since: int) -> None:
        """Records the viewers of the decisions from index `since` on, without memory."""
        steps = self.position.steps
        if all(step.seen is not None for step in steps[since:]):
            return
        state = list(self.position.state)
        for step in reversed(steps[since:]):
            restore(state, step.journal)
            if step.seen is None:
                step.seen = self._seen(state, step.option)

    def _seen(self, state: State, option: Option) -> Seen:
        """The visibility of a decision taken in a state."""
        return Seen(_shared(self.visibility.seers(state, self._actor(option), option)))

    def memory(self) -> bytes:
        """A digest of everything that the seat has observed; digests are equal if and only if the observations are
        equal.
        """
        return self._remember()

    def memories(self) -> list[bytes]:
        """The seat's memory before the first decision and after each decision."""
        self._remember()
        return [self._first(), *(self._memory(step) for step in self.position.steps)]

    def _first(self) -> bytes:
        """The digest of the seat's view before the first decision."""
        state = list(self.position.state)
        for step in reversed(self.position.steps):
            restore(state, step.journal)
        return digest(self.visibility.of(state, self.seat))

    def _remember(self) -> bytes:
        """Records the seat's memory after each decision; returns the present one.

        Earlier observations are reconstructed from the journals, so a game without viewers stores nothing.
        """
        steps = self.position.steps
        known = len(steps)
        while known and not self._known(steps[known - 1]):
            known -= 1
        if known == len(steps) and known:
            return self._memory(steps[-1])
        state = list(self.position.state)
        observations: list[Observation] = [self.visibility.of(state, self.seat)]
        for step in reversed(steps[known:]):
            restore(state, step.journal)
            observations.append(self.visibility.of(state, self.seat))
            if step.seen is None:
                step.seen = self._seen(state, step.option)
        observations.reverse()
        memory = self._memory(steps[known - 1]) if known else digest(observations[0])
        for number, (before, after) in enumerate(pairwise(observations), known):
            memory = digest((memory, self._disclosed(number, before, after), after.seen, after.options))
            seen = steps[number].seen
            assert seen is not None
            if seen.memories is None:
                seen.memories = {}
            seen.memories[self.seat] = memory
        return memory

    def _known(self, step: Step) -> bool:
        return step.seen is not None and self.seat in (step.seen.memories or ())

    def _memory(self, step: Step) -> bytes:
        assert step.seen is not None and step.seen.memories is not None
        return step.seen.memories[self.seat]

    def _disclosed(self, number: int, before: Observation, after: Observation) -> list[Event]:
        """The events that a decision discloses to a seat; the last choice of a round discloses all of the round."""
        steps = self.position.steps
        others = before.chosen.bit_count()
        if after.asked == before.asked and after.chosen.bit_count() > others:
            return [self._event(steps[number], shown=False)]
        return [self._event(step, shown=True) for step in steps[number - others : number + 1]]

    def _event(self, step: Step, *, shown: bool) -> Event:
        option, seen = step.option, step.seen
        assert seen is not None
        if not shown and self._actor(option) != self.seat:
            return Event(option.decision, option.by, None)
        values = zip(option.arguments.values(), seen.seers, strict=True)
        args = ", ".join(text if seers & self._wanted == self._wanted else HIDDEN for text, seers in values)
        return Event(option.decision, option.by, f"{option.name}({args})" if args else option.name)

    def _actor(self, option: Option) -> int:
        return self.seats.index(option.by) if option.by is not None else -1
