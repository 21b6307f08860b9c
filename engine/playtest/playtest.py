"""A playtest: bots of different strengths play under each rule and without it, with one error budget for all
questions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from warnings import warn

from msgspec import Struct

from rulespec.engine.bots.match import MatchStanding, between, match
from rulespec.engine.bots.sides import PlanSide, play_sides
from rulespec.engine.playtest.compared_numbers import asked
from rulespec.engine.playtest.rule_trial import RuleTrial
from rulespec.engine.simulate.checked_playouts import Playout
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import ALL

RANDOM = "random"
_LEAST, _ENOUGH, _LONG = 2, 2.0, 10.0
"""The number of pairs in a forecast, the seconds that they should take, and those after which one pair suffices."""
_MAIN, _LADDER = 0.6, 0.1
"""The shares of the time for the bots that give the answers and for the ladder; the other bots divide the rest."""


class ComparedRule(Struct, frozen=True):
    """A version of the game to be compared: without the rule, or under it.

    Attributes:
        name: the name of the rule.
        ruleset: the ruleset of the games.
        plan: the plan of the games; its bots are ignored.
        seat: the only seat under the rule; empty means all seats.
    """

    name: str
    ruleset: typed.Ruleset
    plan: GamePlan
    seat: str = ""


class PlaytestLimits(Struct, frozen=True):
    """The limits that stop a playtest even if its questions are not answered.

    Attributes:
        pairs: the maximum number of pairs for each strength, in order; the last value also applies to all further
            strengths. Empty means unlimited.
        seconds: the maximum total time in seconds; None means unlimited.
        games: the maximum number of games for each match of the ladder, in the same form as `pairs`; 0 means no match.
        jobs: the number of processes.
        cluster: `dask:ADDRESS` or `ray:ADDRESS`; empty means no cluster.
        out: the folder for recorded games; None means that games are not recorded.
    """

    pairs: tuple[int, ...] = ()
    seconds: float | None = None
    games: tuple[int, ...] = (100,)
    jobs: int = 1
    cluster: str = ""
    out: Path | None = None


class Strength(Struct, frozen=True):
    """The bots of one strength, with a trial for each rule."""

    bots: tuple[str, ...]
    trials: list[RuleTrial]

    @property
    def name(self) -> str:
        """The names of the bots."""
        return ", ".join(dict.fromkeys(self.bots))

    @property
    def pairs(self) -> int:
        """The number of pairs played."""
        return self.trials[0].pairs


Heard = Callable[[tuple[str, ...], list[RuleTrial]], None]
"""A function called after each pair, with the bots and their trials."""


class Playtest:
    """A playtest run.

    Args:
        base: the game without a rule.
        rules: the rules to test.
        strengths: the bots of each strength, which rotate over the seats; the first strength gives the answers, and the
            results of the others are reported beside them.
        limits: the limits that stop the run.
        heard: a function called after each pair.
        warned: a function called with the message that bots cannot compare positions.
        clock: a function that returns the seconds since some moment.

    Attributes:
        base, rules, limits: the arguments.
        stopped: whether Ctrl-C has stopped the run; answers are valid at any time.
    """

    def __init__(
        self,
        base: ComparedRule,
        rules: Sequence[ComparedRule],
        strengths: Sequence[tuple[str, ...]],
        limits: PlaytestLimits,
        heard: Heard = lambda bots, trials: None,
        warned: Callable[[str], None] = warn,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.base = base
        self.rules = tuple(rules)
        self.limits = limits
        self._strengths = tuple(strengths)
        self._of_bots: dict[tuple[str, ...], list[PlanSide]] = {}
        self.stopped = False
        self._heard = heard
        self._warned = warned
        self._clock = clock

    def times(self, bots: tuple[str, ...]) -> tuple[float, ...]:
        """The times of the first pairs, in seconds. A pair is one game without the rules, and one under each of them.

        The time excludes the set-up of the bots. At least two pairs are played, and more until they have taken
        `_ENOUGH` seconds in total, but none beyond the limit of pairs or after `_LONG` seconds. Games played at once
        share their time. `play` reuses these games.
        """
        sides, clock = self._sides(bots), self._clock
        for side in sides:
            side.set_up()
        at_once, most = sides[0].at_once, self.limits.pairs[0] if self.limits.pairs else None
        times, total = list[float](), 0.0
        while total < _LONG and (len(times) < _LEAST or total < _ENOUGH):
            first = at_once * len(times)
            numbers = range(first, first + at_once if most is None else min(first + at_once, most))
            if not numbers:
                break
            started = clock()
            for side in sides:
                side.known.update({number: side.outcome(number) for number in numbers})
            taken = clock() - started
            times.append(taken / len(numbers))
            total += taken
        return tuple(times)

    def games(self, games: int) -> Iterator[tuple[int, int, Playout]]:
        """The first games of the bots that give the answers, each preceded by the number of its rule (0 for none) and
        its own number.
        """
        for at, side in enumerate(self._sides(self._strengths[0])):
            for number in range(games):
                yield at, number, side.playout(number)

    def play(self) -> list[Strength]:
        """Plays the games of all strengths."""
        limits = self.limits
        results = []
        for at, bots in enumerate(self._strengths):
            pairs = limits.pairs[min(at, len(limits.pairs) - 1)] if limits.pairs else None
            part = _MAIN if at == 0 else (1 - _MAIN - _LADDER) / (len(self._strengths) - 1)
            seconds = None if limits.seconds is None else limits.seconds * (part if len(self._strengths) > 1 else 1)
            results.append(Strength(bots, self._trials(bots, pairs, seconds)))
            if self.stopped:
                break
        return results

    def ladder(self) -> list[MatchStanding]:
        """The matches of each strength against the next, each played until it has a verdict; empty if all players win
        together.
        """
        results: list[MatchStanding] = []
        names = [bots[0] for bots in self._strengths] if self.base.ruleset.declarations.teams != ALL else []
        names = [] if self.stopped else names
        limits = self.limits
        for at, (one, other) in enumerate(pairwise(names)):
            games = limits.games[min(at, len(limits.games) - 1)]
            end = None if limits.seconds is None else self._clock() + limits.seconds * _LADDER / (len(names) - 1)
            path = None if limits.out is None else limits.out / f"match-{at + 1}.jsonl"
            side = PlanSide(between(self.base.plan, one, other), self.base.ruleset, path, self._warned)
            with closing(match(side, games, limits.jobs, limits.cluster)) as standings:
                for number, standing in enumerate(standings):
                    results[at:] = [standing]
                    if end is not None and self._clock() > end and number:
                        break
        return results

    def _trials(self, bots: tuple[str, ...], pairs: int | None, seconds: float | None) -> list[RuleTrial]:
        """The trials of all rules by these bots."""
        trials: list[RuleTrial] = []
        end = None if seconds is None else self._clock() + seconds
        sides, limits = self._sides(bots), self.limits
        with closing(play_sides(sides, pairs, limits.jobs, limits.cluster)) as games:
            try:
                for without, *under in games:
                    self._count(trials, without, under)
                    self._heard(bots, trials)
                    if all(trial.settled for trial in trials) or (end is not None and self._clock() > end):
                        break
            except KeyboardInterrupt:
                self.stopped = True
                if not trials:
                    raise
        return trials

    def _count(self, trials: list[RuleTrial], without: Outcome, under: Sequence[Outcome]) -> None:
        """Counts a game without the rules, and the games under them; the first call creates the trials."""
        if not trials:
            seats, rules = self.base.plan.seats(0), len(self.rules)
            trials += (RuleTrial(asked(rule.ruleset, seats, without, rules, rule.seat), seats) for rule in self.rules)
        for trial, outcome in zip(trials, under, strict=True):
            trial.add(without, outcome)

    def _sides(self, bots: tuple[str, ...]) -> list[PlanSide]:
        """The sides of pairs, without a rule first; the same objects for the same bots."""
        if bots not in self._of_bots:
            out, name = self.limits.out, "_".join(bots).replace(":", "-")
            self._of_bots[bots] = results = []
            for at, rule in enumerate((self.base, *self.rules)):
                path = None if out is None else out / name / (f"rule-{at}.jsonl" if at else "base.jsonl")
                results.append(PlanSide(playing(rule.plan, bots), rule.ruleset, path, self._warned))
        return self._of_bots[bots]


def playing(plan: GamePlan, bots: tuple[str, ...]) -> GamePlan:
    """The plan, modified so that these bots play and details are recorded."""
    bots = () if set(bots) == {RANDOM} else bots
    plan = replace(plan, bots=bots, rotated=len(set(bots)) > 1, details=True)
    return replace(plan, backend="wasm") if bots else plan
