"""Figures of games without a verdict: lengths, endings, points, used options, wins by role or seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rulespec.engine.simulate.game_plans import Outcome


class Figures:
    """Figures of games, in little memory.

    Args:
        seats: the seats, whose wins are counted where there are no roles.
    """

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = tuple(seats)
        self.games = 0
        self.lengths = Counter[int]()
        self.endings = Counter[str]()
        self.points: list[list[int]] = []  # first, second … of all games, summed
        self.wins: dict[str, list[float]] = {}
        self.uses: dict[str, list[int]] = {}

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
        for option in {use.option for use in outcome.details.uses}:
            uses = [use for use in outcome.details.uses if use.option == option]
            counts = self.uses.setdefault(option, [0, 0, 0])
            counts[0] += sum(use.times for use in uses)
            counts[1] += 1
            counts[2] += min(use.first for use in uses)

    @property
    def decisions(self) -> float:
        """The mean length."""
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
            "options": {
                option: {"times": round(times / games, 3), "games": n, "first": round(first / n, 1)}
                for option, (times, n, first) in sorted(self.uses.items())
            },
        }
