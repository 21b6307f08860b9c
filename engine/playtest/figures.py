"""Figures that get no verdict: game lengths, endings, points, options used, and wins by role or seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import Option
from rulespec.engine.playtest.compared_numbers import LEADS, MOST_ROLES
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import Playout
from rulespec.engine.simulate.details import Details, Watch, parted
from rulespec.engine.simulate.game_plans import Outcome

END, CHANCE = "end", "chance"
"""The words that stand for an option after the end of the game, and at a chance decision."""
_RARE = 0.1
_PLACES = 8
"""The maximum number of listed places at which a rule acted, those with the most pairs."""


class Used:
    """Statistics on the use of an option: total uses, games in which it was used, and the sum over these games of the
    number of the decision that first used it.
    """

    def __init__(self) -> None:
        self.times = self.games = self.first = 0
        self.seats = Counter[str]()
        self.roles = Counter[str]()

    def to_json(self, games: int) -> dict[str, Any]:
        """The statistics, averaged over a number of games, as plain data; see playtest.schema.json."""
        return {
            "times": round(self.times / games, 3),
            "games": self.games,
            "first": round(self.first / self.games, 1),
            "seats": {seat: round(times / games, 3) for seat, times in sorted(self.seats.items())},
            "roles": {role: round(times / games, 3) for role, times in self.roles.items()},
        }


class Figures:
    """A collector of game figures, in bounded memory.

    Args:
        seats: the seats; without roles, wins are counted by seat.
    """

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = tuple(seats)
        self.games = 0
        self.lengths = Counter[int]()
        self.endings = Counter[str]()
        self.points: list[list[int]] = []  # first, second … of all games, summed
        self.wins: dict[str, list[float]] = {}
        self.uses: dict[str, Used] = {}
        self.lead_by = ""
        self.leads = {name: [0.0, 0] for name in LEADS}

    def add(self, outcome: Outcome) -> None:
        """Counts a game."""
        self.games += 1
        self.lengths[outcome.decisions] += 1
        if outcome.ended is not None:
            self.endings[outcome.ended] += 1
        for place, points in enumerate(sorted(outcome.scores.values(), reverse=True)):
            if place == len(self.points):
                self.points.append([0, 0])
            self.points[place][0] += points
            self.points[place][1] += 1
        if outcome.details is None:
            return
        share = 1 / max(1, len(outcome.winners))
        for role, seat in (outcome.details.roles or {seat: seat for seat in self._seats}).items():
            sums = self.wins.setdefault(role, [0.0, 0])
            sums[0] += share if seat in outcome.winners else 0.0
            sums[1] += 1
        self._count_uses(outcome.details)
        if outcome.details.lead is not None:
            self.lead_by = outcome.details.lead.by
        for name, number in LEADS.items():
            value = number(outcome)
            self.leads[name][0] += value or 0.0
            self.leads[name][1] += value is not None

    def _count_uses(self, details: Details) -> None:
        """Counts the options used in a game: in total, by seat, and by the seats' initial roles."""
        held: dict[str, list[str]] = {}
        if len(details.roles) <= MOST_ROLES:
            for role, seat in details.roles.items():
                held.setdefault(seat, []).append(role)
        firsts: dict[str, int] = {}
        for use in details.uses:
            of = self.uses.setdefault(use.option, Used())
            of.times += use.times
            of.seats[use.seat] += use.times
            for role in held.get(use.seat, ()):
                of.roles[role] += use.times
            firsts[use.option] = min(use.first, firsts.get(use.option, use.first))
        for option, first in firsts.items():
            self.uses[option].games += 1
            self.uses[option].first += first

    @property
    def decisions(self) -> float:
        """The mean length in decisions."""
        return sum(length * games for length, games in self.lengths.items()) / max(1, self.games)

    def to_json(self) -> dict[str, Any]:
        """The figures as plain data; see playtest.schema.json."""
        games = max(1, self.games)
        return {
            "games": self.games,
            "decisions": round(self.decisions, 2),
            "lengths": {str(length): games for length, games in sorted(self.lengths.items())},
            "endings": dict(sorted(self.endings.items())),
            "points": [round(total / times, 2) for total, times in self.points],
            "wins": {role: {"won": round(won / n, 4), "games": n} for role, (won, n) in sorted(self.wins.items())},
            "lead_by": self.lead_by,
            "lead": {name: round(total / n, 2) for name, (total, n) in self.leads.items() if n},
            "options": {option: used.to_json(games) for option, used in sorted(self.uses.items())},
        }


class Acts:
    """The first differences between games under a rule and the paired games without it.

    Attributes:
        plies: number of the first differing decision → number of pairs.
        places: (option taken there under the rule, option taken without it, seat) → number of pairs.
    """

    def __init__(self) -> None:
        self.plies = Counter[int]()
        self.places = Counter[tuple[str, str, str]]()

    def add(self, other: Outcome, rule: Outcome) -> None:
        """Adds a pair of games that differ: one without the rule, and one under it."""
        if other.details is None or rule.details is None:
            return
        ply = parted(rule.details, other.details)
        if ply is None:  # only the result differs
            ply = rule.decisions
        self.plies[ply] += 1
        under, without = (_taken(outcome, ply) for outcome in (rule, other))
        self.places[under[0], without[0], under[1] or without[1]] += 1

    def to_json(self) -> dict[str, Any]:
        """The differences as plain data; see playtest.schema.json."""
        plies = sorted(self.plies.elements())
        return {
            "pairs": len(plies),
            "first": [plies[0], plies[len(plies) // 2], plies[-1]] if plies else [],
            "places": [
                {"value": under, "other": without, "seat": seat, "pairs": pairs}
                for (under, without, seat), pairs in sorted(self.places.items(), key=lambda each: (-each[1], each[0]))
            ][:_PLACES],
        }


def _taken(outcome: Outcome, ply: int) -> tuple[str, str]:
    """The option of a decision, or `END` or `CHANCE` instead, and the seat."""
    if ply >= outcome.decisions:
        return END, ""
    taken = outcome.details.taken(ply) if outcome.details is not None else None
    return taken or (CHANCE, "")


def most_changed(rule: Mapping[str, Any], base: Mapping[str, Any], most: int) -> list[str]:
    """The options whose use differs most, measured by the difference divided by the square root of the sum.

    Args:
        rule: the key `options` of `Figures.to_json` under the rule.
        base: the key `options` without the rule.
        most: the maximum number of options.
    """

    def apart(option: str) -> float:
        one, other = (side[option]["times"] if option in side else 0.0 for side in (rule, base))
        return float(abs(one - other) / sqrt(one + other))

    changed = [option for option in {**base, **rule} if rule.get(option) != base.get(option)]
    return sorted(changed, key=lambda option: (-apart(option), option))[:most]


def ending_shares(rule: Mapping[str, Any], strength: Mapping[str, Any]) -> list[tuple[str, tuple[float, float]]]:
    """The titles of endings, with their shares of the games without a rule and under it; abandoned games come last.

    Args:
        rule: a rule of a report, with the titles; see playtest.schema.json.
        strength: a strength of the rule.
    """
    under, without = strength["figures"]
    sides = [(side["endings"], side["games"] or 1) for side in (without, under)]
    results = []
    for name, title in rule["endings"].items():
        shares = [endings.get(name, 0) / games for endings, games in sides]
        if any(shares):
            results.append((title, (shares[0], shares[1])))
    given_up = [count / games for count, (_, games) in zip(strength["capped"][::-1], sides, strict=True)]
    return [*results, *([("given up", (given_up[0], given_up[1]))] if any(given_up) else [])]


def rate(times: float) -> str:
    """The number of uses per game, as text; rare uses are given with two decimals."""
    return f"{times:,.1f}" if times >= _RARE or not times else f"{times:.2f}"


def users(used: Mapping[str, Any], most: int, seat: str = "") -> str:
    """The users of an option (roles if there are any, otherwise seats) with their uses per game, the most frequent user
    first.

    Args:
        used: an option of `Figures.to_json`.
        most: the maximum number of names.
        seat: the only seat under a rule, in which case seats are named instead of roles.
    """
    of = _users(used, seat)
    named: dict[float, list[str]] = {}  # roles held by one seat have equal numbers
    for name in sorted(of, key=lambda name: -of[name]):
        named.setdefault(of[name], []).append(name)
    texts = [f"{'/'.join(names)} {rate(times)}" for times, names in named.items()]
    return ", ".join(texts[:most]) + (", …" if len(texts) > most else "")


def users_of_both(under: Mapping[str, Any] | None, without: Mapping[str, Any] | None, most: int, seat: str = "") -> str:
    """The users of an option under a rule, in the form of `users`; if the users without the rule differ, these come
    first.

    Args:
        under: the option under the rule; None if nobody used it.
        without: the option without the rule; None if nobody used it.
        most: the maximum number of names on each side.
        seat: the only seat under the rule; empty means all seats.
    """
    if under is None or without is None:
        used = under or without
        return users(used, most, seat) if used is not None else ""
    if set(_users(under, seat)) == set(_users(without, seat)):
        return users(under, most, seat)
    return f"{users(without, most, seat)} → {users(under, most, seat)}"


def _users(used: Mapping[str, Any], seat: str) -> Mapping[str, float]:
    of: Mapping[str, float] = used["seats"] if seat else used["roles"] or used["seats"]
    return of


def recorded_figures(games: Iterable[Game]) -> Figures:
    """The figures computed from finished games."""
    figures = Figures(())
    for number, game in enumerate(games):
        figures.add(_outcome(game, number))
    return figures


def _outcome(game: Game, number: int) -> Outcome:
    """The outcome of a game, with details from replaying its decisions."""
    watch, moves = Watch(), iter(game.history)
    again = restarted(game)

    def decide(_: Game, draws: Draws) -> Option | None:
        return next(moves)

    watched = watch.around(decide)
    while again.ply < game.ply:
        option = watched(again, Draws(0))
        assert option is not None
        again.apply(option)
    result = game.result
    ending, scores, winners = (None, {}, ()) if result is None else (result.ending, result.scores, result.winners)
    playout = Playout(number, again, ending, scores, tuple(winners), None)
    return replace(Outcome.of(playout), details=watch.details(again))
