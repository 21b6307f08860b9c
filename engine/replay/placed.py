"""The moves of a game under other rules, with their recorded counterparts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.logs.recorded import RecordedDecision
from rulespec.engine.replay.answers import InsertedAnswer

MAX_AHEAD = 8
"""The number of recorded decisions searched for the counterpart of one that is asked earlier or later."""


class Placed(Struct, frozen=True):
    """A move of the game under the other rules.

    Attributes:
        move: the decision, or the undo.
        source: the index of its recorded counterpart; None if it was inserted.
    """

    move: Option | TakenBack
    source: int | None


class PlacedMoves:
    """The moves of the game under the other rules, in order.

    A decision that is inserted at one place and skipped at a nearby place counts as moved.

    Args:
        recorded: the recorded moves, with the names of the other rules.

    Attributes:
        list: the moves.
        legal: the number of recorded decisions among them.
        skipped: the number of skipped recorded decisions.
        ahead: the indices of recorded moves placed early.
        in_order: whether the record has undos, in which case no decision may move.
    """

    def __init__(self, recorded: Sequence[RecordedDecision | TakenBack]) -> None:
        self._recorded = recorded
        self.list: list[Placed] = []
        self.legal = self.skipped = 0
        self.ahead: set[int] = set()
        self.in_order = any(isinstance(move, TakenBack) for move in recorded)
        self._answers: dict[
            int, InsertedAnswer | None
        ] = {}  # index in `list` → inserted answer, or None without an alternative
        self._put_in: list[tuple[int, int]] = []  # the insertions: index of the recorded move, and in `list`
        self._gone: list[int] = []  # the skipped recorded decisions

    @property
    def forced(self) -> int:
        """The number of inserted decisions that have no alternative."""
        return sum(answer is None and self.list[at].source is None for at, answer in self._answers.items())

    @property
    def answers(self) -> tuple[InsertedAnswer, ...]:
        """The inserted answers."""
        return tuple([a for at, a in self._answers.items() if a is not None and self.list[at].source is None])

    def take(self, option: Option, number: int) -> None:
        """Adds a recorded decision."""
        self.list.append(Placed(option, number))
        self.legal += 1

    def take_back(self, back: TakenBack, number: int) -> None:
        """Adds an undo."""
        self.list.append(Placed(back, number))

    def put_in(self, option: Option, answer: InsertedAnswer | None, number: int) -> None:
        """Adds a decision inserted before a recorded move; `answer` is None if it has no alternative."""
        for at in self._gone:
            if at + MAX_AHEAD > number and self._is(option, at):
                self._gone.remove(at)
                self.skipped -= 1
                self.take(option, at)
                return
        self._put_in.append((number, len(self.list)))
        self._answers[len(self.list)] = answer
        self.list.append(Placed(option, None))

    def is_level(self, number: int) -> bool:
        """Whether no recorded move from this index on is placed early."""
        return not any(at >= number for at in self.ahead)

    def moved(self, number: int) -> bool:
        """Matches a recorded decision with an earlier insertion; returns False if no insertion matches."""
        self._put_in = [(since, at) for since, at in self._put_in if since + MAX_AHEAD > number]
        for since, at in self._put_in:
            option = self.list[at].move
            if isinstance(option, Option) and self._is(option, number):
                self._put_in.remove((since, at))
                self.list[at] = Placed(option, number)
                self.legal += 1
                self.ahead.add(number)
                return True
        return False

    def pass_over(self, number: int) -> None:
        """Counts a skipped recorded decision."""
        if not self.moved(number):
            self.skipped += 1
            self._gone.append(number)

    def _is(self, option: Option, number: int) -> bool:
        """Whether a decision equals a recorded one."""
        own = RecordedDecision(option.decision, option.by, str(option))
        return not self.in_order and self._recorded[number] == own
