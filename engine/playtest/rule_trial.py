"""A trial of a rule: the same bots play under the rule and without it until its questions are answered."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.engine.playtest.compared_numbers import SHARE, Asked
from rulespec.engine.playtest.evidence import SAME, Evidence, QuestionAnswer
from rulespec.engine.playtest.figures import Acts, Figures
from rulespec.engine.simulate.game_plans import Outcome
from rulespec.engine.simulate.sequence import FIRST_LOOK


class Answered(Struct, frozen=True):
    """A compared number with its answer."""

    asked: Asked
    answer: QuestionAnswer


class Band(Struct, frozen=True):
    """The difference in a number after N pairs, with its bounds."""

    pairs: int
    difference: float
    low: float
    high: float


class RuleTrial:
    """The evidence on one rule.

    Args:
        asked: the numbers to compare.
        seats: the seats of the games.

    Attributes:
        asked: the numbers to compare.
        pairs: the number of pairs so far, including failed ones.
        equal: the number of pairs with the same decisions and results.
        failed: the number of pairs in which the rules faulted; these are not evidence.
        stuck: the number of failed pairs whose only fault is that no option was legal under the rule.
        capped: the number of abandoned games, under the rule and without it.
        figures: the figures that get no verdict, under the rule and without it.
        acts: the places where the rule first acted.
        bands: for each number, its difference over time.
    """

    BANDS = 200
    """The number of points in a band at which every second point is dropped."""

    def __init__(self, asked: Sequence[Asked], seats: Sequence[str]) -> None:
        self.asked = tuple(asked)
        self.pairs = self.equal = self.failed = self.stuck = 0
        self.capped = [0, 0]
        self.figures = Figures(seats), Figures(seats)
        self.acts = Acts()
        self.bands: list[list[Band]] = [[] for _ in asked]
        self._evidence = [Evidence(each.share) for each in asked]
        questions = [each.question for each in asked]
        self._first = [questions.index(each.question) if each.role else at for at, each in enumerate(asked)]
        self._scales = [[0.0, 0] for _ in asked]
        self._stride = 1

    def add(self, other: Outcome, rule: Outcome) -> None:
        """Adds a pair: the game without the rule, and the game under it."""
        self.pairs += 1
        if other.failure is not None or rule.failure is not None:
            self.failed += 1
            self.stuck += other.failure is None and rule.failure is not None and rule.failure.kind == "no_option"
            return
        if is_same(other, rule):
            self.equal += 1
        else:
            self.acts.add(other, rule)
        for at, outcome in enumerate((rule, other)):
            self.capped[at] += outcome.ended is None
            self.figures[at].add(outcome)
        alike: dict[tuple[int, str | None, str | None], int] = {}
        for at, (asked, first) in enumerate(zip(self.asked, self._first, strict=True)):
            self._first[at] = alike.setdefault((first, _held(asked, rule), _held(asked, other)), at)
        for asked, evidence, scale in zip(self.asked, self._evidence, self._scales, strict=True):
            value, without = asked.number(rule), asked.number(other)
            if value is not None and without is not None:
                evidence.add(value, without)
                scale[0] += asked.scale(other) or 0.0
                scale[1] += 1
        if self.pairs % self._stride == 0:
            self._draw()

    def answers(self) -> list[Answered]:
        """Each compared number with its answer so far."""
        results = []
        for asked, evidence, (total, pairs) in zip(self.asked, self._evidence, self._scales, strict=True):
            matters = asked.matters or SHARE * abs(total) / max(1, pairs)
            results.append(Answered(asked, evidence.answer(asked.level, matters, acted=not self.same)))
        return results

    @property
    def alike(self) -> list[int]:
        """For each number, the index of the first number with the same values in all games, for example if one seat
        holds both roles.
        """
        return self._first if self.pairs > self.failed else list(range(len(self.asked)))

    @property
    def same(self) -> bool:
        """Whether the rule has never acted."""
        return self.pairs > self.failed and self.equal == self.pairs - self.failed

    @property
    def settled(self) -> bool:
        """Whether no more games are needed."""
        if self.same:
            return self.equal >= SAME
        return all(each.answer.settled for each in self.answers())

    def _draw(self) -> None:
        for band, each in zip(self.bands, self.answers(), strict=True):
            a = each.answer
            if a.low is not None and a.high is not None and a.pairs >= FIRST_LOOK:
                band.append(Band(a.pairs, a.difference, a.low, a.high))
        if len(self.bands[0]) >= self.BANDS:
            self._stride *= 2
            for band in self.bands:
                del band[::2]


def distinct(trials: Sequence[RuleTrial]) -> dict[int, str]:
    """The distinct numbers of trials, by index, with their titles; roles held by the same seat are merged."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for at, key in enumerate(zip(*(trial.alike for trial in trials), strict=True)):
        groups.setdefault(key, []).append(at)
    results = {}
    for first, *others in groups.values():
        asked = trials[0].asked
        titles = [asked[first].title, *(asked[at].title.removeprefix(f"{asked[at].of} of ") for at in others)]
        results[first] = " and ".join([part for part in (", ".join(titles[:-1]), titles[-1]) if part])
    return results


def _held(asked: Asked, outcome: Outcome) -> str | None:
    """The seat that held the role of a number."""
    return outcome.details.roles.get(asked.role) if asked.role and outcome.details is not None else None


def is_same(one: Outcome, other: Outcome) -> bool:
    """Whether two games have the same decisions and the same result."""
    if one.details is not None and other.details is not None and one.details.moves != other.details.moves:
        return False
    return (one.decisions, one.ended, one.winners, one.scores) == (
        other.decisions,
        other.ended,
        other.winners,
        other.scores,
    )
