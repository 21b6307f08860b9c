"""Answers to questions missing from a record, found by comparison with the recorded game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice
from typing import Any

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import IllegalOptionError, Option, RulesetFaultError, TakenBack
from rulespec.engine.logs.recorded import RecordedDecision
from rulespec.engine.replay.correspondence import Differences, SharedState

_MAX_TRIED = 600
"""Maximum number of options tried to answer consecutive questions."""
_MAX_OPTIONS = 60
"""Maximum number of options tried per question."""


class InsertedAnswer(Struct, frozen=True):
    """An answer inserted at a decision that is missing from the record.

    Attributes:
        index: the number of recorded decisions before the answer.
        decision: the name of the question.
        by: the seat asked; None if chance was asked.
        option: the option chosen.
        why: `state` if the answer leads to the recorded state, `usual` if it is the usual answer of the rules.
    """

    index: int
    decision: str
    by: str | None
    option: str
    why: str

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data; see under.schema.json."""
        return {"index": self.index, "decision": self.decision, "by": self.by, "option": self.option, "why": self.why}


class Answers:
    """A search for answers to questions that only the other rules ask, by replaying the recorded game alongside.

    Once other rules have changed a game, it stays different, for example in what a player owns. An answer is therefore
    right if, after it, the games differ no more than they did before the last recorded decision. If none is right, the
    best answer is the one after which the games differ least, provided that everything equal at the question stays
    equal; with `strict`, no answer is inserted.

    Args:
        record: the recorded game, at its start.
        game: the game under other rules, at its start.
        renamed: recorded name → name under the other rules, for entities that are renamed.
        usual: whether to insert the usual answer declared by the other rules if the state does not determine the
            answer.
        strict: whether to insert only right answers.
    """

    def __init__(
        self, record: Game, game: Game, renamed: Mapping[str, str], *, usual: bool = False, strict: bool = False
    ) -> None:
        self._record, self._game = record, game
        self._shared = SharedState(record, game, renamed)
        self._named: Mapping[str, str] = game.ruleset.declarations.usual
        self._usual = self._named if usual else {}
        self._strict = strict
        self._before = self._differing()
        self.taken: list[tuple[Option, InsertedAnswer]] = []
        """The inserted answers that the caller has not yet collected."""

    def _differing(self) -> Differences:
        return self._shared.differing(self._record.omniscient.numbers.state, self._game.omniscient.numbers.state)

    @property
    def is_over(self) -> bool:
        """Whether the recorded game is over."""
        return self._record.is_over

    def in_step(self) -> bool:
        """Whether the games differ no more than at the last comparison."""
        return self._differing().items() <= self._before.items()

    def in_step_after(self, moves: Sequence[Option]) -> bool:
        """Whether the other game is ahead of the recorded one, but these next moves let the recorded one catch up."""
        if not moves or self.in_step():
            return False
        taken = 0
        try:
            for move in moves:
                self._record.apply(move)
                taken += 1
                if self.in_step():
                    return True
            return False
        finally:
            for _ in range(taken):
                self._record.undo()

    def changes(self, move: Option) -> bool:
        """Whether a move changes the shared state of the recorded game."""
        before = self._shared.of_one(self._record.omniscient.numbers.state)
        self._record.apply(move)
        try:
            return self._shared.of_one(self._record.omniscient.numbers.state) != before
        finally:
            self._record.undo()

    def follow(self, move: Option | TakenBack) -> None:
        """Applies a move to the recorded game."""
        if isinstance(move, TakenBack):
            self._record.omniscient.take_back(move)
        else:
            self._record.apply(move)

    def compare(self) -> bool:
        """Records the differences between the games, which are now in step; returns whether there are any."""
        self._before = self._differing()
        return bool(self._before)

    def differences(self) -> list[str]:
        """The names of the shared cells that differed at the last comparison."""
        return [self._shared.name(at) for at in sorted(self._before)]

    def put_in(self, index: int, is_there: Callable[[], bool]) -> bool:
        """Inserts answers until the record can continue; if it finds none, inserts nothing and returns False.

        Args:
            index: the number of recorded decisions before the answers.
            is_there: a function that tests whether the game has reached a point from which the record can continue.
        """
        path = self._by_state(is_there)
        for option in path or ():
            self._put_in(index, option, "state")
        return path is not None

    def put_usual_in(self, index: int) -> bool:
        """Inserts the usual answer to the open question; returns False if there is none or it is illegal."""
        decision = self._game.decision
        text = self._usual.get(decision.name) if decision is not None else None
        if decision is None or text is None:
            return False
        try:
            self._put_in(index, self._game.parse(text, decision.by, decision.name), "usual")
        except (IllegalOptionError, ValueError):
            return False
        return True

    def is_usual(self, move: RecordedDecision) -> bool:
        """Whether a recorded decision is the usual answer; always False unless usual answers are inserted."""
        return self._usual.get(move.decision) == move.option

    def _put_in(self, index: int, option: Option, why: str) -> None:
        taken = self._game.apply(option)
        self.taken.append((taken, InsertedAnswer(index, taken.decision, taken.by, str(taken), why)))

    def _by_state(self, is_there: Callable[[], bool]) -> Sequence[Option] | None:
        """The answers that lead to the recorded shared state; None if there are none.

        A best-first search, by the number of cells that differ.
        """
        begin, number = self._look((), is_there), 0
        right, allowed = self._before.items(), self._before.keys() | begin.differing.keys()
        waiting, best = [(0, 0, begin)], None
        while waiting and number < _MAX_TRIED:
            _, _, seen = heappop(waiting)
            for option in seen.options:
                number += 1
                then = self._look((*seen.path, option), is_there)
                if not then.is_there:
                    heappush(waiting, (len(then.differing), number, then))
                elif then.differing.items() <= right:
                    return then.path
                elif self._strict or not then.differing.keys() <= allowed:
                    continue
                elif best is None or len(then.differing) < len(best.differing):
                    best = then
        return best.path if best is not None else None

    def _look(self, path: tuple[Option, ...], is_there: Callable[[], bool]) -> _Seen:
        """The position after some answers, which are undone again."""
        game, taken = self._game, 0
        try:
            for option in path:
                game.apply(option)
                taken += 1
            there = is_there()
            options = () if there or game.is_over else tuple(islice(self._usual_first(), _MAX_OPTIONS))
            return _Seen(path, self._differing(), there, options)
        except RulesetFaultError:
            return _Seen(path, {}, False, ())
        finally:
            for _ in range(taken):
                game.undo()

    def _usual_first(self) -> Iterator[Option]:
        """The options of the open decision, usual ones first."""
        decision = self._game.decision
        usual = self._named.get(decision.name) if decision is not None else None
        options = self._game.legal_options
        if usual is not None:
            yield from (option for option in options if option.name == usual)
        yield from (option for option in options if option.name != usual)


class _Seen(Struct, frozen=True):
    """A position after some answers: the shared cells that differ, whether the record continues, and the options."""

    path: tuple[Option, ...]
    differing: Differences
    is_there: bool
    options: tuple[Option, ...]
