"""A position for one reader: its state without hidden values, and the rules with the places of their statements."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.journal import State
from rulespec.engine.why.move_effects import ChangedCell
from rulespec.engine.why.reason_nodes import ReasonNode
from rulespec.engine.why.traced_program import Owner, origins, owners
from rulespec.engine.why.tracer import Tracer
from rulespec.typed import nodes as typed

T = TypeVar("T")


class Answer(Struct):
    """The answer to a question about a position.

    Attributes:
        question: `option`, `value`, `asked`, `not asked`, `nothing`, `effects`, `end` or `invariant`; in an answer
            within one, its topic.
        subject: the option, the expression, the seat, the name, the statement.
        verdict: `legal` or `refused`, a value, the seats that are asked, whether something holds; `?` if it depends on
            hidden information.
        reason: the reason, in words of the rules.
        rules: the ids of the rules that are cited there.
        owner: the procedure, the guard and the option that a statement is in.
        span: the place of the subject.
        conditions: traces, in the order in which they were evaluated.
        changes: the changes of a statement.
        answers: further answers, such as one for each statement.
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
    """A position where a game stands, as a seat may read it.

    Args:
        game: the game.
        seat: the reader: None for the public; `OMNISCIENT` for everything.

    Attributes:
        ruleset: the rules, whose nodes the origins know.
        origins: the statements of instructions.
        program: the program that knows its origins; it is the game's, cell by cell.
        texts: the texts of the rules and of other expressions, by file.
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
        """The function that copies a state so that values hidden in the position of a game cannot be read from it."""
        if self.seat == OMNISCIENT or not game.omniscient.secretive:
            return lambda state: list(state)
        viewer = PUBLIC if self.seat is None else game.seats.index(self.seat)
        return game.omniscient.visibility.guarded(game.omniscient.numbers.state, viewer).like

    def cells(self, game: Game) -> State:
        """The cells of a game of the table, in which hidden ones cannot be read."""
        return self.guard(game)(game.omniscient.numbers.state[: len(self.program.cells)])

    @cached_property
    def state(self) -> State:
        """The cells of the position."""
        return self.cells(self.game)

    def tracer(self, state: State | None = None) -> Tracer:
        """The tracer of a state; that of the position if it is left out."""
        return Tracer(self.origins.lowering, self.labels, self.texts, self.state if state is None else state)

    @cached_property
    def _owners(self) -> dict[int, Owner]:
        return owners(self.ruleset.rules)

    def doc(self, of: typed.Stmt | typed.Cost) -> str:
        """The docstrings of the rule and of the option that a statement is in."""
        owner = self._owners.get(id(of))
        docs = [] if owner is None else [owner.rule.doc, owner.option.doc if owner.option is not None else ""]
        return " ".join(filter(None, docs))

    def owner(self, of: typed.Stmt | typed.Cost) -> str:
        """The rule that a statement is in, such as `turn, option sell`."""
        owner = self._owners.get(id(of))
        if owner is None:
            return ""
        return owner.rule.name if owner.option is None else f"{owner.rule.name}, option {owner.option.name}"

    def alone(self, work: Callable[[], T]) -> T:
        """The result of some work.

        Raises:
            RulesetFaultError: if the rules are at fault.
        """
        try:
            return work()
        except ProgramFaultError as fault:
            raise self.game.omniscient.fault(fault, self.program) from None
