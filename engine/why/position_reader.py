"""Access to a position for one reader: the state without hidden values, and the origins of its program."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.program.cells import State
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.why.move_effects import ChangedCell
from rulespec.engine.why.reason_nodes import ReasonNode
from rulespec.engine.why.traced_program import Owner, origins, owners
from rulespec.engine.why.tracer import Tracer
from rulespec.typed import nodes as typed

T = TypeVar("T")


class Answer(Struct):
    """The answer to a question about a position.

    Attributes:
        question: `option`, `value`, `asked`, `not asked`, `nothing`, `effects`, `end` or `invariant`; in a nested
            answer, its topic.
        subject: the option, expression, seat, name or statement in question.
        verdict: `legal` or `refused`, a value, the seats asked, or a truth value; `?` if it depends on hidden
            information.
        reason: the reason given by the rules.
        rules: the rule ids that the reason cites.
        owner: the procedure or guard, and the option, that contain a statement.
        span: the place of the subject.
        conditions: traces, in evaluation order.
        changes: the changes made by a statement.
        answers: nested answers, such as one per statement.
    """

    question: str
    subject: str
    verdict: Any
    reason: str = ""
    rules: tuple[str, ...] = ()
    owner: str = ""
    span: Span | None = None
    conditions: list[ReasonNode] = []
    changes: tuple[ChangedCell, ...] = ()
    answers: list[Answer] = []


class Reader:
    """The readable part of a game's position.

    Args:
        game: the game.
        seat: the reader: None is the public, and `OMNISCIENT` sees everything.

    Attributes:
        ruleset: the ruleset to whose nodes the origins refer.
        origins: the statements behind the program's instructions.
        program: the program with origins, which has the same cells as the game's.
        texts: file → text, for the rules and other expressions.
    """

    def __init__(self, game: Game, seat: str | None) -> None:
        self.game = game
        self.seat = seat
        self.origins = origins(game.ruleset, len(game.seats), game.settings)
        self.ruleset = self.origins.ruleset
        self.program = self.origins.lowering.p
        self.labels = game.omniscient.labels
        self.texts = {**self.ruleset.sources}

    def guard(self, game: Game) -> Callable[[State], State]:
        """A function that copies states; in the copies, cells hidden in the position of `game` stay unreadable."""
        if self.seat == OMNISCIENT or not game.omniscient.secretive:
            return lambda state: list(state)
        viewer = PUBLIC if self.seat is None else game.seats.index(self.seat)
        return game.omniscient.visibility.guarded(game.omniscient.numbers.state, viewer).like

    def cells(self, game: Game) -> State:
        """The cells of a game at the table; hidden ones cannot be read."""
        return self.guard(game)(game.omniscient.numbers.state[: len(self.program.cells)])

    @cached_property
    def state(self) -> State:
        """The cells of the position; hidden ones cannot be read."""
        return self.cells(self.game)

    def tracer(self, state: State | None = None) -> Tracer:
        """The tracer for a state, by default for the state of the position."""
        return Tracer(self.origins.lowering, self.labels, self.texts, self.state if state is None else state)

    @cached_property
    def _owners(self) -> dict[int, Owner]:
        return owners(self.ruleset.rules)

    def doc(self, of: typed.Stmt | typed.Cost) -> str:
        """The docstrings of the enclosing rule, option and blocks of a statement, joined."""
        owner = self._owners.get(id(of))
        if owner is None:
            return ""
        option = "" if owner.option is None else owner.option.doc
        return " ".join(filter(None, (owner.rule.doc, option, *owner.remarks)))

    def owner(self, of: typed.Stmt | typed.Cost) -> str:
        """The name of the enclosing rule of a statement, such as `turn, option sell`."""
        owner = self._owners.get(id(of))
        if owner is None:
            return ""
        return owner.rule.name if owner.option is None else f"{owner.rule.name}, option {owner.option.name}"

    def alone(self, work: Callable[[], T]) -> T:
        """Calls `work` and returns its result; program faults are raised as errors of the ruleset.

        Raises:
            RulesetFaultError: if the rules fault.
        """
        try:
            return work()
        except ProgramFaultError as fault:
            raise self.game.omniscient.fault(fault, self.program) from None
