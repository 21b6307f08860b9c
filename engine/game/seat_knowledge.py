"""A seat's knowledge: the games that it cannot tell from the actual one, and the information from moves about to be
undone.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rulespec.engine.game.events import HIDDEN, Event, Events
from rulespec.engine.game.game import Game, as_shown, hidden_paths, restarted, seen_events
from rulespec.engine.game.option import Option, Result, RulesetFaultError
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.errors import RulespecError

if TYPE_CHECKING:
    from rulespec.engine.game.game import Game


MAX_TRIED = 100_000
"""Maximum number of decisions tried per game."""


class NotFoundError(RulespecError):
    """Raised if the search finds no game with the same observations for a seat."""


def retraced(
    game: Game, seat: str, number: int, rng: random.Random, tried: int = MAX_TRIED, in_all: int | None = None
) -> list[Game]:
    """Games that a seat cannot distinguish from the actual one, because all its observations are the same.

    The search proceeds from the start, decision by decision. For partly hidden decisions it tries the matching
    candidates in random order; the seat's memory must match after each decision, and dead ends are undone. Games are
    drawn independently, so some may be equal. Every indistinguishable game can be found, but its odds differ from those
    in actual play. The result depends only on the seat's observations and `rng`.

    Args:
        game: a game from its usual start.
        seat: the viewer.
        number: the number of games to find.
        rng: the source of everything hidden from the seat.
        tried: the maximum number of decisions to try for each game.
        in_all: the maximum number of decisions to try for all games together; at this limit, fewer games are returned.
            None means `tried` times `number`.

    Raises:
        NotFoundError: if the search reaches a bound without finding a game.
    """
    game = as_shown(game, seat)
    viewer = game.seats.index(seat)
    events = Events(game.omniscient.visibility, game._position, game.seats, viewer)
    history, memories = events.history(), events.memories()
    results: list[Game] = []
    left = tried * number if in_all is None else in_all
    for _ in range(number):
        walk = _Walk(restarted(game), viewer, history, memories, rng, game.result)
        one = walk.run(min(tried, left))
        left -= walk.tried
        if one is None and results and in_all is not None:
            break
        if one is None:
            raise NotFoundError(f"found no game that looks the same to {seat} within {walk.tried:,} decisions")
        results.append(one)
    return results


class _Walk:
    """A depth-first search with an explicit stack; `tried` counts its decisions."""

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
        self.tried = 0
        self.events = Events(game.omniscient.visibility, game._position, game.seats, viewer)

    def run(self, most: int) -> Game | None:
        """The game found; None if there is none within `most` decisions."""
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
            if self.tried >= most:
                return None
            self.tried += 1
            before = game.ply
            try:
                game.apply(option)
                alike = self.events.memory() == self.memories[game.ply]
                if alike and game.is_over:
                    alike = game.result == self.result
                further = self._candidates() if alike and game.ply < len(self.history) else None
            except (RulesetFaultError, ProgramFaultError):  # the rules did not fault in the game itself
                alike, further = False, None
            if further is not None:
                stack.append(further)
            elif alike:
                return game
            elif game.ply > before:
                game.undo()
        return game if not self.history else None

    def _candidates(self) -> Iterator[Option]:
        """The legal options that match the next event."""
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
    """Whether an option matches the visible part of an event."""
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


def learned(game: Game, seat: str, number: int) -> tuple[str, ...]:
    """The facts that a seat learned from the last decisions, but neither knew before nor decided itself.

    These are visible chance outcomes, other seats' visible choices in rounds (including the earlier choices of a round
    that has since closed), and newly revealed values such as `player.Bob.card`. Other seats' decisions outside rounds,
    and consequences of the rules, are not included.

    Args:
        game: the game before the undo; it is not changed.
        seat: the viewer.
        number: the number of decisions to undo.

    Raises:
        IndexError: if the game has fewer decisions.
    """
    past = game.copy()
    for _ in range(number):
        past.undo()
    now, then = as_shown(game, seat), as_shown(past, seat)
    open_ = [set(hidden_paths(now, seat))]
    secret: list[bool] = []
    back = now.copy()
    while back.ply > then.ply:
        back.undo()
        open_.append(set(hidden_paths(back, seat)))
        assert back.decision is not None
        secret.append(back.decision.by is None or back.decision.together)
    events = seen_events(now, seat, then.ply)
    notes = [
        str(event)
        for event, from_outside in zip(events, reversed(secret), strict=True)
        if from_outside and event.by != seat and event.option is not None and _says(event.option)
    ]
    numbers = then.omniscient.numbers
    round_ = then.ply - then.omniscient.visibility.chosen(numbers.state, numbers.asked).bit_count()
    before, after = seen_events(then, seat, round_), seen_events(now, seat, round_)
    opened = [str(seen) for hidden, seen in zip(before, after, strict=False) if hidden != seen]
    shown = {path for path in open_[-1] if not all(path in hidden for hidden in open_)}
    return tuple(dict.fromkeys([*opened, *notes, *sorted(shown)]))


def _says(option: str) -> bool:
    """Whether an option text reveals anything: it has no arguments, or at least one visible argument."""
    _, bracket, arguments = option.partition("(")
    return not bracket or {*arguments.rstrip(")").split(", ")} != {HIDDEN}
