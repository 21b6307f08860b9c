"""Random playouts: games in which everybody decides at random, and the rules are watched while they do."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from statistics import mean, median
from typing import Any

from engine.begin import Backend
from engine.game import Game
from engine.log import LogHeader, entry_json
from engine.option import Fault, Option
from engine.watch import asked, broken, invariant_of, no_option
from rulespec import typed
from rulespec.diagnostics import Diagnostic

CAP = 5_000
"""Decisions after which a playout is given up."""

INTERRUPT_RATE = 1 / 50
"""How often somebody uses a right to act out of turn, where there is one."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class PlayoutFailure:
    """What went wrong in a playout.

    `kind` is `invariant`, `fault` or `no_option`; `wrong` says it with its place in the rules. `option` is what was
    being taken, if the rules were at fault in that; it has changed nothing.
    """

    kind: str
    detail: str
    wrong: Diagnostic
    option: Option | None = None


@dataclass(frozen=True, slots=True)
class Playout:
    """A playout that is over. `ending` is None if it was given up; `game` still holds all its decisions."""

    number: int
    game: Game
    ending: str | None
    scores: dict[str, int]
    winners: tuple[str, ...]
    failure: PlayoutFailure | None

    @property
    def decisions(self) -> int:
        """How many decisions were taken, chance included."""
        return self.game.ply

    def log(self) -> list[dict[str, Any]]:
        """The playout as the lines of a native log, with the option in which the rules were at fault, if they were."""
        return [LogHeader.of(self.game).to_json(), *map(entry_json, self.moves())]

    def moves(self) -> list[Option]:
        """All decisions, and at the end the one in which the rules were at fault, if they were."""
        last = self.failure.option if self.failure is not None else None
        return self.game.history + ([last] if last is not None else [])


def seat_names(number: int) -> tuple[str, ...]:
    """Names for seats that nobody has named: A, B, C, …"""
    return tuple(_LETTERS[i] if i < len(_LETTERS) else f"P{i + 1}" for i in range(number))


def choose(game: Game, rng: random.Random, interrupt_rate: float = INTERRUPT_RATE) -> Option | None:
    """A random legal option, each of the decider's own equally likely; chance options by their weight.

    Args:
        game: a game that goes on.
        rng: the source of chance.
        interrupt_rate: how likely it is that an option out of turn is taken instead, where one is legal.

    Returns:
        The option; None if none is legal.
    """
    # Only `random()` is promised to give the same numbers in all versions of Python.
    interrupting = rng.random() < interrupt_rate
    listed = game.options
    own = list(listed if interrupting else takewhile(lambda option: not option.interrupt, listed))
    if interrupting:
        others = [option for option in own if option.interrupt]
        own = others or [option for option in own if not option.interrupt]
    if not own:
        return None
    weights = [game.weight(option) for option in own] if own[0].by is None else [1] * len(own)
    at = rng.random() * sum(weights)
    for option, weight in zip(own, weights, strict=True):
        at -= weight
        if at < 0:
            return option
    return own[-1]


def play_out(
    ruleset: typed.Ruleset,
    seats: Sequence[str],
    seed: int,
    number: int,
    *,
    options: Mapping[str, str | bool] | None = None,
    backend: Backend = "python",
    cap: int = CAP,
    interrupt_rate: float = INTERRUPT_RATE,
) -> Playout:
    """Plays one random game, and checks all invariants after every decision.

    The game depends on the ruleset, the seats, the options, the seed and the number alone.
    """
    rng = random.Random(f"{seed}:{number}")
    game = Game(ruleset, seats, options, backend)
    option: Option | None = None
    try:
        failure = _broken(game)
        while failure is None and not game.is_over and game.ply < cap:
            option = choose(game, rng, interrupt_rate)
            if option is None:
                failure = _stuck(game)
                break
            game.apply(option)
            option = None
            failure = _broken(game)
        result = game.result if failure is None else None
    except Fault as fault:
        failure = PlayoutFailure("fault", str(fault), fault.diagnostic, option)
        return Playout(number, game, None, {}, (), failure)
    if result is None:
        return Playout(number, game, None, {}, (), failure)
    return Playout(number, game, result.ending, result.scores, tuple(result.winners), None)


def _broken(game: Game) -> PlayoutFailure | None:
    found = game.check_invariants()
    return PlayoutFailure("invariant", "; ".join(found), broken(invariant_of(game, found[0]))) if found else None


def _stuck(game: Game) -> PlayoutFailure:
    wrong = no_option(game)
    return PlayoutFailure("no_option", f"nothing is legal at the decision `{asked(game).name}`", wrong)


def simulate(
    ruleset: typed.Ruleset,
    players: Sequence[int],
    games: int,
    seed: int,
    *,
    options: Mapping[str, str | bool] | None = None,
    backend: Backend = "python",
    cap: int = CAP,
    play: Callable[..., Playout] = play_out,
) -> Iterator[Playout]:
    """Plays random games, one after the other; their numbers of players go round through `players`."""
    for number in range(games):
        seats = seat_names(players[number % len(players)])
        yield play(ruleset, seats, seed, number, options=options, backend=backend, cap=cap)


class Totals:
    """What many playouts come to."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.endings: dict[str, int] = {}
        self.capped = 0
        self.failures: list[Playout] = []
        self.games: dict[str, int] = {}
        self.wins: dict[str, float] = {}
        self.points: dict[str, list[int]] = {}

    def add(self, playout: Playout) -> None:
        """Counts a playout in."""
        self.lengths.append(playout.decisions)
        if playout.failure is not None:
            self.failures.append(playout)
        elif playout.ending is None:
            self.capped += 1
        else:
            self.endings[playout.ending] = self.endings.get(playout.ending, 0) + 1
            for seat in playout.game.seats:
                self.games[seat] = self.games.get(seat, 0) + 1
                share = 1 / len(playout.winners) if seat in playout.winners else 0.0
                self.wins[seat] = self.wins.get(seat, 0.0) + share
            for seat, points in playout.scores.items():
                self.points.setdefault(seat, []).append(points)

    def to_json(self) -> dict[str, Any]:
        """The totals as plain data; see simulate.schema.json. Wins are shared between several winners."""
        n = self.lengths
        return {
            "games": len(n),
            "decisions": {
                "total": sum(n),
                "least": min(n, default=0),
                "median": median(n) if n else 0,
                "mean": round(mean(n), 2) if n else 0,
                "most": max(n, default=0),
            },
            "endings": dict(sorted(self.endings.items())),
            "capped": self.capped,
            "seats": {
                seat: {
                    "games": games,
                    "wins": round(self.wins[seat], 4),
                    "mean_score": round(mean(self.points[seat]), 2) if self.points.get(seat) else None,
                }
                for seat, games in sorted(self.games.items())
            },
            "failures": len(self.failures),
        }
