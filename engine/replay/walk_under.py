"""Replay of a recorded game under other rules, which may ask different questions in a different order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, takewhile

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, Refusal, RulesetFaultError, TakenBack
from rulespec.engine.logs.recorded import RecordedDecision, apply_recorded
from rulespec.engine.replay.answers import Answers, InsertedAnswer
from rulespec.engine.replay.correspondence import Translation
from rulespec.engine.replay.open_decision import OpenDecision
from rulespec.engine.replay.placed import MAX_AHEAD, Placed, PlacedMoves
from rulespec.engine.replay.recorded_walk import UNDO, RefusedDecision, difference, take_back

MAX_FORCED = 200
"""Maximum length of a run of decisions missing from the record."""
MAX_CHANCES = 50
"""Maximum number of outcomes tried for a chance decision missing from the record."""


class WalkUnder(Struct, frozen=True):
    """The result of applying recorded moves under other rules.

    Attributes:
        decisions: the number of recorded decisions, including those undone later.
        legal: the number of applied decisions.
        forced: the number of inserted decisions at which only one option or outcome lets the record continue.
        answers: the answers at inserted decisions with several such options.
        skipped: the number of recorded decisions that these rules do not ask for.
        lost: the first skipped decision that had changed the shared state; None if there is none.
        difference: the first refused decision; None if none is refused. If it is None although not all decisions are
            legal, the game ended early.
        moves: the moves of the game.
        apart: the number of decisions before the first difference in state, or None if there is none.
        cells: the cells of that difference.
    """

    decisions: int
    legal: int
    forced: int
    answers: tuple[InsertedAnswer, ...]
    skipped: int
    lost: RecordedDecision | None
    difference: RefusedDecision | None
    moves: tuple[Placed, ...]
    apart: int | None
    cells: tuple[str, ...]


def walk_under(
    game: Game, record: Game, moves: Sequence[Option | TakenBack], *, usual: bool = False, strict: bool = False
) -> WalkUnder:
    """Applies recorded moves under other rules, up to the first illegal one or the end; returns the result.

    Args:
        game: a game under the other rules, at its start.
        record: the recorded game, at its start.
        moves: the recorded moves.
        usual: whether to insert usual answers, and skip recorded ones if the rules do not ask for them; see `Answers`.
        strict: whether to insert an answer only if it leads to the recorded state; see `Answers`.
    """
    walker = _Walker(game, record, moves, usual, strict)
    other = walker.run()
    return WalkUnder(
        decisions=sum(isinstance(move, Option) for move in moves),
        legal=walker.placed.legal,
        forced=walker.placed.forced,
        answers=walker.placed.answers,
        skipped=walker.placed.skipped,
        lost=walker.lost,
        difference=other,
        moves=tuple(walker.placed.list),
        apart=walker.apart,
        cells=walker.cells,
    )


class _Walker:
    """The game and its progress; see `WalkUnder`."""

    def __init__(
        self, game: Game, record: Game, moves: Sequence[Option | TakenBack], usual: bool, strict: bool
    ) -> None:
        translation = Translation(record, game)
        self.game, self._recorded = game, moves
        self.moves = [m if isinstance(m, TakenBack) else translation.decision(m) for m in moves]
        self.answers = Answers(record, game, translation.entities, usual=usual, strict=strict)
        self._new, self._usual = translation.new, usual
        self.lost: RecordedDecision | None = None
        self.placed = PlacedMoves(self.moves)
        self.apart: int | None = None
        self.cells: tuple[str, ...] = ()
        self.open = OpenDecision(game)
        self._plies: list[int] = []  # for each decision in force, the ply before it and its insertions
        self._number = 0  # the index of the recorded move
        self._held: list[
            tuple[RecordedDecision, RefusedDecision | None]
        ] = []  # skipped since the games were last in step

    def run(self) -> RefusedDecision | None:
        """Applies the moves; returns the first refused one, or None if none is refused."""
        for number, move in enumerate(self.moves):
            self._number = number
            if isinstance(move, TakenBack):
                if (refusal := self._take_back(number, move)) is not None:
                    return difference(self.game, self.placed.legal, UNDO, refusal)
                continue
            self._plies.append(self.game.ply)
            asked = self.open.as_asked(move)
            self._look_back(number, asked)
            if number not in self.placed.ahead:
                # Before a question that only these rules ask, the game cannot have run ahead of the record.
                if not (is_gone := not self.open.is_one_of(self._new) and self._is_gone(number, asked)):
                    self._go_on(number, asked)
                    if self.open.is_over():
                        self._pass_over(number)
                        break
                    is_gone = self._is_passed_over(number, asked)
                if is_gone:
                    self._hold(number, move, asked)
                    continue
            if (other := self._let_go()) is not None:
                return other
            self._compare(number)
            self.answers.follow(self._recorded[number])
            if number in self.placed.ahead:
                continue
            applied = apply_recorded(self.game, asked)
            if isinstance(applied, Refusal):
                return difference(self.game, self.placed.legal, move, applied)
            self.placed.take(applied, number)
        else:
            if self.answers.is_over and not self.open.is_over():
                self._end()
        if (other := self._let_go()) is not None:
            return other
        if self.answers.is_over == self.open.is_over():
            self._compare(len(self.moves))
        return None

    def _look_back(self, number: int, move: RecordedDecision) -> None:
        """Matches a recorded decision with an earlier insertion, unless it answers the open decision."""
        if number not in self.placed.ahead and not (self.placed.is_level(number) and self.open.is_for(move)):
            self.placed.moved(number)

    def _is_gone(self, number: int, move: RecordedDecision) -> bool:
        """Whether the game has run past a recorded decision, with both in step after it or a few further omitted ones.

        For an open chance decision: whether it lacks the recorded outcome.
        """
        if self.open.is_over():
            return False
        if self.open.is_for(move):
            return move.by is None and move.option.partition("(")[0] not in self.open.options()
        gone: list[Option] = []
        for at, recorded in enumerate(self._recorded[number : number + MAX_AHEAD], number):
            later = self.moves[at]
            if isinstance(recorded, TakenBack) or isinstance(later, TakenBack) or at in self.placed.ahead:
                break
            if self.open.is_for(self.open.as_asked(later)):
                break
            gone.append(recorded)
        return self.answers.in_step_after(gone)

    def _hold(self, number: int, move: RecordedDecision, asked: RecordedDecision) -> None:
        """Skips a recorded decision; if it had an effect, both games must be in step afterwards."""
        is_usual, was = self.answers.is_usual(asked), None
        if move.by is None and not is_usual:
            applied = apply_recorded(self.game, asked)
            was = difference(self.game, self.placed.legal, move, applied) if isinstance(applied, Refusal) else None
        if not is_usual and self._changes(number):
            self._held.append((move, was))
        self.answers.follow(self._recorded[number])
        self.placed.pass_over(number)

    def _let_go(self) -> RefusedDecision | None:
        """Checks that the games agree after skipped decisions; otherwise returns the first refused outcome, if any."""
        held, self._held = self._held, []
        if not held or self.answers.in_step():
            return None
        if self.lost is None:
            self.lost = held[0][0]
        return next((other for _, other in held if other is not None), None)

    def _pass_over(self, number: int) -> None:
        """Skips recorded decisions after the end of the game, up to the first with an effect."""
        for at, move in enumerate(self._recorded[number:], number):
            if isinstance(move, TakenBack):
                return
            if at not in self.placed.ahead:
                changes = self.answers.changes(move)
                self.answers.compare()
                self.answers.follow(move)
                if changes:
                    return
                self.placed.pass_over(at)

    def _take_back(self, number: int, back: TakenBack) -> Refusal | None:
        """Undoes decisions in both games; returns a refusal if that is impossible."""
        before, back_here = self.game.ply, _sayable(self.game, back)
        if (refusal := take_back(self.game, self._plies, back_here)) is not None:
            return refusal
        self.placed.take_back(replace(back_here, decisions=before - self.game.ply), number)
        self.answers.follow(self._recorded[number])
        return None

    def _put_in(self, succeeded: bool) -> bool:
        """Records inserted answers; returns its argument."""
        for option, answer in self.answers.taken:
            self.placed.put_in(option, answer, self._number)
        self.answers.taken.clear()
        return succeeded

    def _compare(self, number: int) -> None:
        """Compares both games unless moves are placed early; records their first difference."""
        if self.placed.is_level(number) and self.answers.compare() and self.apart is None:
            self.apart, self.cells = self.placed.legal, tuple(self.answers.differences())

    def _go_on(self, number: int, move: RecordedDecision) -> None:
        """Inserts decisions missing from the record before a recorded one."""
        if move.decision and move.decision not in self.open.decisions:
            return
        for _ in range(MAX_FORCED):
            self._take_forced(move)
            if self.open.is_over() or self.open.is_legal(move):
                return
            if self._take_ahead(number, in_run=True) or (not self._usual and self._take_ahead(number, in_run=False)):
                continue
            legal = self.placed.legal
            if self._put_in(self.answers.put_in(legal, lambda: self.open.is_legal(move))) or self.open.is_for(move):
                return
            if not self._put_in(self.answers.put_usual_in(legal)):
                return

    def _take_ahead(self, number: int, *, in_run: bool) -> bool:
        """Takes the open decision early if the record has it slightly later; returns whether it did.

        With `in_run`, it must belong to the same run of questions, or follow the last decision taken early.
        Otherwise, the seat's decisions in between must stay legal after it, as when questions have changed places.
        """
        asked = self.game.decision
        if asked is None or self.placed.in_order:
            return False
        after = max(self.placed.ahead, default=-1) + 1
        if (
            in_run
            and number < after < len(self.moves)
            and self.open.is_answered_by(self.moves[after])
            and self._applied_ahead(after)
        ):
            return True
        for at, move in enumerate(self.moves[number : number + MAX_AHEAD], number):
            if isinstance(move, TakenBack) or (move.decision != asked.name if in_run else move.by != asked.by):
                break
            if at == number or at in self.placed.ahead or not self.open.is_answered_by(self.moves[at]):
                continue
            if self._applied_ahead(at, None if in_run else number):
                return True
        return False

    def _applied_ahead(self, at: int, first: int | None = None) -> bool:
        """Takes a recorded decision early if it is legal, and if those from `first` to it stay legal afterwards."""
        move = self.moves[at]
        applied = None if isinstance(move, TakenBack) else apply_recorded(self.game, move)
        if not isinstance(applied, Option):
            return False
        if first is not None and not self.open.are_legal(self.moves[first:at]):
            self.game.undo()
            return False
        self.placed.take(applied, at)
        self.placed.ahead.add(at)
        return True

    def _is_passed_over(self, number: int, move: RecordedDecision) -> bool:
        """Whether to skip a recorded decision: these rules never ask for it, or it had no effect."""
        if move.decision in self.open.decisions:
            if self._is_gone(number, move):
                return True
            return not self.open.is_for(move) and (self.answers.is_usual(move) or not self._changes(number))
        if move.decision:
            return True
        awaited = self._next_known(number)
        return not self.open.is_legal(move) and (awaited is None or self.open.is_for(awaited))

    def _changes(self, number: int) -> bool:
        """Whether a recorded decision changes the shared state."""
        recorded = self._recorded[number]
        return isinstance(recorded, Option) and self.answers.changes(recorded)

    def _end(self) -> None:
        """Inserts decisions missing from the record at the end of a finished game."""
        for _ in range(MAX_FORCED):
            self._take_forced(None)
            if self.open.is_over() or self._put_in(self.answers.put_in(self.placed.legal, lambda: self.game.is_over)):
                return
            if not self._put_in(self.answers.put_usual_in(self.placed.legal)):
                return

    def _next_known(self, number: int) -> RecordedDecision | None:
        """The first decision known to the rules, from a move on; None if there is none before an undo."""
        for move in self.moves[number:]:
            if isinstance(move, TakenBack):
                return None
            if move.decision in self.open.decisions:
                return move
        return None

    def _take_forced(self, recorded: RecordedDecision | None) -> None:
        """Takes decisions without alternatives until the recorded one is open or the game is over."""
        game = self.game
        try:
            for _ in range(MAX_FORCED):
                if game.is_over or (recorded is not None and self.open.is_for(recorded)):
                    break
                decision = game.decision
                most = MAX_CHANCES if decision is not None and decision.by is None else 2
                own = list(islice(takewhile(lambda option: not option.interrupt, every_option(game)), most))
                if len(own) > 1 and most > 2 and recorded is not None:
                    own = [option for option in own if self.open.leads_to(option, recorded)]
                if len(own) != 1:
                    break
                self.placed.put_in(game.apply(own[0]), None, self._number)
        except RulesetFaultError:  # `apply_recorded` finds it, too
            pass


def _sayable(game: Game, back: TakenBack) -> TakenBack:
    """An undo without the state fields unknown to these rules."""
    fields = game.omniscient.fields
    rest = tuple(name for name in back.keep if name in fields)
    return replace(back, keep=rest, set=tuple(pair for pair in back.set if pair[0] in fields))
