"""Random playouts: games in which everybody decides at random, and the rules are watched while they do."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, check_seats, check_settings, seat_names
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.position_check import asked, broken, invariant_of, no_option
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.typed import nodes as typed

CAP = 5_000
"""Decisions after which a playout is given up."""

INTERRUPT_RATE = 1 / 50
"""How often somebody uses a right to act out of turn, where there is one."""


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
    found: Sequence[Option] = game.legal_options
    if rng.random() < interrupt_rate:
        own = list(found)  # first, as it stands in the rules: one of them may be what is at fault
        found = list(game.interrupts) or own
    count = len(found)
    if not count:
        return None
    share = rng.random()
    option = found[int(share * count)]
    if option.by is not None:
        return option
    weights = [game.position.weight(option.kind.choice, option.args) for option in found]
    at = share * sum(weights)
    for option, weight in zip(found, weights, strict=True):
        at -= weight
        if at < 0:
            return option
    return found[-1]


def play_out(
    ruleset: typed.Ruleset,
    seats: Sequence[str],
    seed: int,
    number: int,
    *,
    settings: Mapping[str, str | bool] | None = None,
    backend: Backend = "python",
    cap: int = CAP,
    interrupt_rate: float = INTERRUPT_RATE,
) -> Playout:
    """Plays one random game, and checks all invariants after every decision.

    The game depends on the ruleset, the seats, the settings, the seed and the number alone.
    """
    rng = random.Random(f"{seed}:{number}")
    game = Game(ruleset, seats, settings, backend)
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
    except RulesetFaultError as fault:
        failure = PlayoutFailure("fault", str(fault), fault.diagnostic, option)
        return Playout(number, game, None, {}, (), failure)
    if result is None:
        return Playout(number, game, None, {}, (), failure)
    return Playout(number, game, result.ending, result.scores, tuple(result.winners), None)


def _broken(game: Game) -> PlayoutFailure | None:
    found = game.broken_invariants()
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
    settings: Mapping[str, str | bool] | None = None,
    backend: Backend = "python",
    cap: int = CAP,
) -> Iterator[Playout]:
    """Plays random games, one after the other; their numbers of players go round through `players`."""
    for number in range(games):
        seats = seat_names(players[number % len(players)])
        yield play_out(ruleset, seats, seed, number, settings=settings, backend=backend, cap=cap)


# --- many games -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plan:
    """Which games are played: all that game number n depends on. Plain data, which can be sent to other processes.

    Attributes:
        reference: by which the ruleset can be loaded.
        ruleset: its reference by ids.
        ruleset_hash: the hash of its content.
        players: numbers of players; the games go round through them.
        seed: the seed of chance.
        cap: decisions after which a game is given up.
        settings: all settings of the ruleset, with their values.
        backend: what runs the rules; it makes no difference to the games.
    """

    reference: str
    ruleset: str
    ruleset_hash: str
    players: tuple[int, ...]
    seed: int
    cap: int
    settings: dict[str, str]
    backend: Backend

    @classmethod
    def of(
        cls,
        reference: str,
        ruleset: typed.Ruleset,
        players: Sequence[int],
        seed: int,
        *,
        settings: Mapping[str, str | bool] | None = None,
        backend: Backend = "python",
        cap: int = CAP,
    ) -> Plan:
        """The plan to play a ruleset that has been loaded.

        Raises:
            DiagnosticsError: if the numbers of players or the settings do not fit it.
        """
        values = check_settings(ruleset, settings or {})
        for number in players:
            check_seats(ruleset, seat_names(number))
        return cls(reference, ruleset.ref, ruleset.hash, tuple(players), seed, cap, values, backend)

    def seats(self, number: int) -> tuple[str, ...]:
        """The seats of a game."""
        return seat_names(self.players[number % len(self.players)])

    def play(self, ruleset: typed.Ruleset, number: int) -> Playout:
        """Plays one game, always the same; `ruleset` is the one that the plan is for."""
        return play_out(
            ruleset, self.seats(number), self.seed, number, settings=self.settings, backend=self.backend, cap=self.cap
        )


@dataclass(frozen=True, slots=True)
class Mistake:
    """What went wrong in a game, as texts.

    `kind` is `invariant`, `fault` or `no_option`; `detail` says which; `code` is that of the diagnostic, and `place` is
    where in the rules that is, from the folder of the ruleset on: `nim/rules/play.rules:13:5`; "" if nowhere. Two games
    with the same code and place show the same mistake.
    """

    kind: str
    detail: str
    code: str
    place: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one game: plain data, the same wherever it was played.

    `game` is its number; `ended` the ending, None if it was given up or failed; `scores` has the points by seat.
    """

    game: int
    players: int
    decisions: int
    ended: str | None
    winners: tuple[str, ...]
    scores: dict[str, int]
    failure: Mistake | None

    @classmethod
    def of(cls, playout: Playout) -> Outcome:
        """What came of a playout."""
        mistake, failure, game = None, playout.failure, playout.game
        if failure is not None:
            place = _place(game.ruleset, failure.wrong.span)
            detail = f"{place}: {failure.wrong.message}" if failure.kind == "fault" and place else failure.detail
            mistake = Mistake(failure.kind, detail, failure.wrong.code, place)
        seats = len(game.seats)
        return cls(playout.number, seats, playout.decisions, playout.ending, playout.winners, playout.scores, mistake)

    def to_json(self) -> dict[str, Any]:
        """The outcome as an object of `playouts` in simulate.schema.json."""
        return asdict(self)


def _place(ruleset: typed.Ruleset, span: Span | None) -> str:
    """A place, said in the same way in whatever folder the program runs."""
    if span is None:
        return ""
    path = Path(span.file).resolve()
    above = next((f.parent for f in map(Path.resolve, ruleset.folders) if path.is_relative_to(f)), path.parent)
    return f"{path.relative_to(above).as_posix()}:{span.line}:{span.column}"


class Totals:
    """What many games come to. It takes little memory, however many they are.

    Attributes:
        failures: how many games failed.
        failed: the first few of them.
        mistakes: the first few different mistakes, each with the first game that shows it.
    """

    KEPT = 5

    def __init__(self) -> None:
        self.lengths = Counter[int]()
        self.endings = Counter[str]()
        self.capped = 0
        self.failures = 0
        self.failed: list[Outcome] = []
        self.mistakes: dict[tuple[str, str], int] = {}
        self.games = Counter[str]()
        self.wins: dict[str, float] = {}
        self.points: dict[str, tuple[int, int]] = {}  # how often the seat had points, and how many in all

    def add(self, outcome: Outcome) -> None:
        """Counts a game in."""
        self.lengths[outcome.decisions] += 1
        if outcome.failure is not None:
            self._fail(outcome, outcome.failure)
        elif outcome.ended is None:
            self.capped += 1
        else:
            self.endings[outcome.ended] += 1
            for seat in seat_names(outcome.players):
                self.games[seat] += 1
                share = 1 / len(outcome.winners) if seat in outcome.winners else 0.0
                self.wins[seat] = self.wins.get(seat, 0.0) + share
            for seat, points in outcome.scores.items():
                times, sum_ = self.points.get(seat, (0, 0))
                self.points[seat] = times + 1, sum_ + points

    def _fail(self, outcome: Outcome, mistake: Mistake) -> None:
        self.failures += 1
        if len(self.failed) < self.KEPT:
            self.failed.append(outcome)
        if len(self.mistakes) < self.KEPT:
            self.mistakes.setdefault((mistake.code, mistake.place), outcome.game)

    def to_json(self) -> dict[str, Any]:
        """The totals as plain data; see simulate.schema.json. Wins are shared between several winners."""
        n, total = self.lengths.total(), sum(length * games for length, games in self.lengths.items())
        return {
            "games": n,
            "decisions": {
                "total": total,
                "least": min(self.lengths, default=0),
                "median": _median(self.lengths),
                "mean": round(total / n, 2) if n else 0,
                "most": max(self.lengths, default=0),
            },
            "endings": dict(sorted(self.endings.items())),
            "capped": self.capped,
            "seats": {
                seat: {
                    "games": games,
                    "wins": round(self.wins[seat], 4),
                    "mean_score": self._mean_score(seat),
                }
                for seat, games in sorted(self.games.items())
            },
            "failures": self.failures,
        }

    def _mean_score(self, seat: str) -> float | None:
        times, total = self.points.get(seat, (0, 0))
        return round(total / times, 2) if times else None


def _median(counts: Counter[int]) -> float:
    """The median of numbers of which each is there so many times; 0 if there is none."""
    middle, seen, below = counts.total() / 2, 0, 0
    for value, times in sorted(counts.items()):
        if seen == middle:  # an even number of them, and the middle lies between two values
            return (below + value) / 2
        seen, below = seen + times, value
        if seen > middle:
            return value
    return below
