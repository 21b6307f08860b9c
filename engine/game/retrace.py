"""Games indistinguishable for a seat, found by walking through its observations again."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rulespec.engine.game.events import HIDDEN, Event, Events
from rulespec.engine.game.game import restarted
from rulespec.engine.game.option import Option, Result, RulesetFaultError
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.errors import RulespecError

if TYPE_CHECKING:
    from rulespec.engine.game.game import Game

MAX_TRIED = 100_000
"""Decisions that are tried, for one game."""


class NotFoundError(RulespecError):
    """No other game has been found that looks the same to a seat."""


def retraced(game: Game, seat: str, number: int, rng: random.Random, tried: int = MAX_TRIED) -> list[Game]:
    """Several games that the seat cannot tell from this one: its observations are the same from beginning to end.

    The decisions that the seat has seen are walked again from the start. Where it has not seen all of one, those that
    look like it are tried in a random order, and the seat's memory must be the same after each; a dead end is taken
    back. They are drawn one by one, so some may be equal, and every game that looks the same is possible; the odds of
    each are not those of the game. They depend on the seat's observations and on `rng` alone.

    Args:
        game: a game from its own start.
        seat: the viewer.
        number: the number of games to find.
        rng: draws everything hidden from the seat.
        tried: the most decisions to try for each game.

    Raises:
        NotFoundError: if one has not been found within the bound.
    """
    viewer = game.seats.index(seat)
    events = Events(game.omniscient.visibility, game._position, game.seats, viewer)
    history, memories = events.history(), events.memories()
    results = []
    for _ in range(number):
        one = _Walk(restarted(game), viewer, history, memories, rng, game.result).run(tried)
        if one is None:
            raise NotFoundError(f"no game was found that looks the same to {seat}, in {tried:,} decisions")
        results.append(one)
    return results


class _Walk:
    """A search, depth first, with a stack of its own."""

    def __init__(
        self,
        game: Game,
        viewer: int,
        history: tuple[Event, ...],
        memories: list[bytes],
        rng: random.Random,
        result: Result | None,
    ) -> None:
        self.game = game
        self.history = history
        self.memories = memories
        self.rng = rng
        self.result = result
        self.events = Events(game.omniscient.visibility, game._position, game.seats, viewer)

    def run(self, tried: int) -> Game | None:
        game = self.game
        if self.events.memories()[0] != self.memories[0]:
            return None
        stack = [self._candidates()] if self.history else []
        while stack:
            option = next(stack[-1], None)
            if option is None:
                stack.pop()
                if stack:
                    game.undo()
                continue
            tried -= 1
            if tried < 0:
                return None
            before = game.ply
            try:
                game.apply(option)
                alike = self.events.memory() == self.memories[game.ply]
                if alike and game.is_over:
                    alike = game.result == self.result
                further = self._candidates() if alike and game.ply < len(self.history) else None
            except (RulesetFaultError, ProgramFaultError):  # in the game itself the rules were not at fault
                alike, further = False, None
            if further is not None:
                stack.append(further)
            elif alike:
                return game
            elif game.ply > before:
                game.undo()
        return game if not self.history else None

    def _candidates(self) -> Iterator[Option]:
        """The legal options that look like the next event."""
        event, game = self.history[self.game.ply], self.game
        if game.decision is None:
            return iter(())
        if event.option is not None and HIDDEN not in event.option:
            try:
                option = game.parse(event.option, event.by, event.decision)
            except ValueError:
                return iter(())
            return iter([option] if game.is_legal(option) else [])
        own: Iterable[Option] = game.legal_options
        if event.by in game.decision.among:
            own = (replace(option, by=event.by) for option in own)
        results = [option for option in chain(own, game.interrupts) if _looks_like(option, event)]
        self.rng.shuffle(results)
        return iter(results)


def _looks_like(option: Option, event: Event) -> bool:
    """Whether an option may be the partly visible one of an event."""
    if (option.decision, option.by) != (event.decision, event.by):
        return False
    if event.option is None:
        return True
    name, _, rest = event.option.partition("(")
    shown = rest.removesuffix(")").split(", ") if rest else []
    args = list(option.arguments.values())
    return (
        option.name == name
        and len(args) == len(shown)
        and all(seen in (HIDDEN, arg) for seen, arg in zip(shown, args, strict=True))
    )
