"""Two games under different rules at the same position, with the same shared state and the same question."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option, legal_option
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.state_json import scores
from rulespec.engine.logs.recorded import RecordedDecision
from rulespec.engine.replay.correspondence import Differences, SharedState, Translation

MAX_OPTIONS = 2_000
"""The maximum number of options to list; beyond it, each listed option is tested in the other game."""
_MAX_CELLS = 4
"""The maximum number of differing cells in a text."""


class DecisionName(NamedTuple):
    """The identity of an open decision: its current name, its seat number (-1 for chance) and the set of other
    deciders.
    """

    name: str
    by: int
    among: int


class Listed(Struct, frozen=True):
    """The options of a position.

    Attributes:
        both: the options legal in both games, each as a pair of options.
        illegal: the options of the first game that are illegal in the other.
        legal: the options of the other game that are illegal in the first.
        odds: whether the odds of chance differ.
    """

    both: list[tuple[Option, Option]]
    illegal: list[Option]
    legal: list[Option]
    odds: bool = False


class OptionEffect(Struct, frozen=True):
    """A difference between the games after the same option.

    Attributes:
        sort: the names of the fields and questions involved, without owners or values; equal for similar differences.
        lines: the difference in words.
        stands: whether both games have taken the option; False if one of them faulted instead.
        span: the place of the fault in the current rules; None if there was no fault.
    """

    sort: tuple[str, ...]
    lines: tuple[str, ...]
    stands: bool = True
    span: Span | None = None


class Pair:
    """Two games side by side.

    Args:
        one: a game under the first rules.
        other: a game under the other rules, with the same seats, at the same position.
    """

    def __init__(self, one: Game, other: Game) -> None:
        self.one, self.other = one, other
        self.translation = Translation(one, other)
        self.shared = SharedState(one, other, self.translation.entities)
        self._alike = _alike(one, other)
        self._before: Differences = {}
        self._table = hash((*one.seats, *one.settings.values()))

    def copy(self) -> Pair:
        """An independent pair at the same position."""
        twin = object.__new__(Pair)
        twin.__dict__.update(self.__dict__)
        twin.one, twin.other = self.one.copy(), self.other.copy()
        return twin

    # --- positions -----------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """A hash of the first game's position; within a process, equal states of equal tables have the same hash."""
        return hash((self.one.hash, self._table))

    def differing(self) -> Differences:
        """The shared cells that differ."""
        return self.shared.differing(self.one.omniscient.numbers.state, self.other.omniscient.numbers.state)

    def question(self) -> tuple[DecisionName | None, DecisionName | None]:
        """The open decision of each game; None if the game is over."""
        return _question(self.one, self.translation), _question(self.other, None)

    def align(self) -> bool:
        """Gives the other game the shared state of the first; returns False if that is impossible or the questions
        differ.

        Cells that only one game has, such as variables, are unchanged.
        """
        mine, theirs = self.question()
        values = self.shared.carried(self.differing(), self.one.omniscient.numbers.state)
        if mine != theirs or values is None:
            return False
        if values:
            self.other.omniscient.put(values)
        self._before = self.differing()
        return True

    # --- options -------------------------------------------------------------------------------

    def listed(self) -> Listed:
        """The options of both games, in the order of the first.

        Raises:
            RulesetFaultError: if the rules of either game fault.
        """
        mine, theirs = (list(islice(every_option(game), MAX_OPTIONS + 1)) for game in (self.one, self.other))
        if len(mine) > MAX_OPTIONS or len(theirs) > MAX_OPTIONS:
            tried = [(option, self.counterpart(option)) for option in mine[:MAX_OPTIONS]]
            both = [(option, there) for option, there in tried if there is not None]
            return Listed(both, [option for option, there in tried if there is None], [])
        there = {self._key(option, theirs=True): option for option in theirs}
        both, illegal = [], []
        for option in mine:
            same = there.pop(self._key(option), None)
            if same is None:
                illegal.append(option)
            else:
                both.append((option, same))
        odds = not illegal and not there and self._odds_differ(both)
        return Listed(both, illegal, list(there.values()), odds)

    def counterpart(self, option: Option) -> Option | None:
        """The other game's counterpart of an option of the first game; None if it is illegal in the other game."""
        recorded = self.translation.decision(option)
        try:
            there = self.other.parse(recorded.option, recorded.by, recorded.decision)
        except ValueError:
            return None
        return legal_option(self.other, there.kind.choice, there.args)

    def _key(self, option: Option, *, theirs: bool = False) -> object:
        """A key of an option, equal for counterparts in both games."""
        if self._alike:
            return option.kind.name, option.args, option.by
        if theirs:
            return RecordedDecision(option.decision, option.by, str(option))
        return self.translation.decision(option)

    def _odds_differ(self, both: list[tuple[Option, Option]]) -> bool:
        """Whether the chance options have other odds."""
        mine, theirs = self.one.omniscient.numbers, self.other.omniscient.numbers
        if len(both) < 2 or mine.decider() >= 0:
            return False
        pairs = [(mine.weight(a.kind.choice, a.args), theirs.weight(b.kind.choice, b.args)) for a, b in both]
        of_one, of_other = (sum(pair[i] for pair in pairs) for i in (0, 1))
        return any(a * of_other != b * of_one for a, b in pairs)

    # --- decisions -----------------------------------------------------------------------------

    def take(self, mine: Option, theirs: Option) -> OptionEffect | None:
        """Takes an option in both games, and compares them.

        Raises:
            RulesetFaultError: if the rules of both games fault; the games are then unchanged.
        """
        try:
            self.one.apply(mine)
        except RulesetFaultError:
            self.other.apply(theirs)
            self.other.undo()
            return OptionEffect(("fault",), ("the rules were at fault before, but are not now",), stands=False)
        try:
            self.other.apply(theirs)
        except RulesetFaultError as fault:
            self.one.undo()
            return _fault(fault)
        try:
            return self.compared()
        except RulesetFaultError as fault:
            effect = _fault(fault)
        try:
            _ = _question(self.one, self.translation), self.one.result
        finally:
            self.undo()
        return effect

    def undo(self) -> None:
        """Undoes the last option in both games."""
        self.one.undo()
        self.other.undo()

    def compared(self) -> OptionEffect | None:
        """The difference between the games; None if they are equal, or differed in the same way before."""
        mine, theirs = self.question()
        differing = self.differing()
        new = [at for at in differing if differing[at] != self._before.get(at)]
        lines, sort = [], []
        if mine != theirs:
            lines.append(f"{_asked(self.one, mine)}; now {_asked(self.other, theirs)}")
            sort += ["question", mine.name if mine else "", theirs.name if theirs else ""]
        elif mine is None and (one := self.one.result) != (other := self.other.result):
            assert one is not None
            assert other is not None
            lines.append(f"the end is {_end(self.one)}; now {_end(self.other)}")
            sort += ["end", one.ending, other.ending]
        for at in new[:_MAX_CELLS]:
            before, after = self.shared.texts(at, self._state(self.one), self._state(self.other))
            lines.append(f"`{self.shared.name(at)}` is {before}; now {after}")
        if len(new) > _MAX_CELLS:
            lines.append(f"and {len(new) - _MAX_CELLS} more fields")
        sort += sorted({self.shared.sort(at) for at in new})
        return OptionEffect(tuple(sort), tuple(lines)) if lines else None

    def points(self) -> OptionEffect | None:
        """The difference between the seats' points in the two games; None if they are equal."""
        mine, theirs = scores(self.one), scores(self.other)
        lines = tuple(
            f"the points of {seat} are {mine.get(seat, '-')}; now {theirs.get(seat, '-')}"
            for seat in self.one.seats
            if mine.get(seat) != theirs.get(seat)
        )
        return OptionEffect(("points",), lines[:_MAX_CELLS]) if lines else None

    @staticmethod
    def _state(game: Game) -> list[int]:
        return list(game.omniscient.numbers.state)


def _fault(fault: RulesetFaultError) -> OptionEffect:
    """The effect of an option that is a fault of the new rules."""
    wrong = fault.diagnostic
    return OptionEffect(("fault",), (f"the rules are at fault now: {wrong.message}",), False, wrong.span)


def _alike(one: Game, other: Game) -> bool:
    """Whether options of both games have the same names and numbers."""
    was, names = other.ruleset.declarations.was, (one.omniscient.labels.names, other.omniscient.labels.names)
    if was.decisions or was.options or was.entities or any(names[0][k] != names[1].get(k) for k in names[0]):
        return False
    options = [
        {(d.name, c.name): tuple((q.name, q.type) for q in c.params) for d in p.decisions for c in d.choices}
        for p in (one.omniscient.program, other.omniscient.program)
    ]
    return all(params == options[1].get(name, params) for name, params in options[0].items())


def _question(game: Game, translation: Translation | None) -> DecisionName | None:
    decision, numbers = game.omniscient.asked, game.omniscient.numbers
    if decision is None:
        return None
    name = decision.name if translation is None else translation.question(decision.name)
    return DecisionName(name, numbers.decider(), numbers.deciders())


def _asked(game: Game, question: DecisionName | None) -> str:
    """The question of a game in words."""
    if question is None:
        return f"the game ends: {_end(game)}"
    return f"`{question.name}` is asked of {game.seats[question.by] if question.by >= 0 else 'chance'}"


def _end(game: Game) -> str:
    result = game.result
    assert result is not None
    points = ", ".join(f"{seat} {number}" for seat, number in result.scores.items())
    return f"{result.ending}, won by {', '.join(result.winners) or 'nobody'}" + (f" ({points})" if points else "")
