"""Explanations of a position for one reader: options, values, questions, effects, the end, and invariants."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from rulespec.diagnostics.report import failure
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.game.game import Game, as_shown
from rulespec.engine.game.option import Option
from rulespec.engine.game.query import Queries
from rulespec.engine.game.refusal import never, why_not_with, with_arguments
from rulespec.engine.game.secrets import UNKNOWN, HiddenError
from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.why.move_effects import Skipped
from rulespec.engine.why.option_conditions import OptionTrace, listed_instead
from rulespec.engine.why.past import Past
from rulespec.engine.why.position_reader import Answer, Reader
from rulespec.engine.why.tracer import At
from rulespec.rule_ids import cited
from rulespec.typed import nodes as typed

LEGAL, REFUSED = "legal", "refused"


class Why:
    """Explanations of a game's position. The game is not changed.

    Args:
        game: the game.
        seat: the reader: None is the public, and `OMNISCIENT` sees everything.

    Every method raises RulesetFaultError if the rules fault.
    """

    def __init__(self, game: Game, seat: str | None = None) -> None:
        self.game = as_shown(game, seat)
        self._reader = Reader(self.game, seat)
        self._program = self._reader.program
        self._past = Past(self._reader)

    @cached_property
    def _asked(self) -> int:
        """The number of the open decision; -1 when the game is over."""
        return self._program.asked_in(self.game.omniscient.numbers.state[ir.PC])

    def _origin(self, decision: int) -> tuple[typed.Decide, At]:
        origin = self._reader.origins.decisions[decision]
        assert isinstance(origin.of, typed.Decide)
        return origin.of, At(origin.scope)

    def _open(self) -> int:
        """The number of the open decision.

        Raises:
            DiagnosticsError: RS873 if the game is over.
        """
        if self._asked < 0:
            raise failure("RS873", "the game is over: no decision is open", None, "ask for its end: --end")
        return self._asked

    # --- options -----------------------------------------------------------------------------

    def option(self, text: str) -> Answer:
        """The reasons why an option of the open decision is legal or illegal.

        Raises:
            DiagnosticsError: RS873 if the game is over, or the decision has no such option.
        """
        number = self._open()
        try:
            option = self.game.parse(text)
        except ValueError as error:
            raise failure("RS873", str(error), None) from None
        return self.of(option, number)

    def of(self, option: Option, decision: int) -> Answer:
        """The reasons why an option of a decision is legal or illegal."""
        return self._reader.alone(lambda: self._of(decision, option.kind.choice, option.args, self._reader.state))

    def _of(self, decision: int, choice: int, args: tuple[int, ...], state: State) -> Answer:
        s, at = self._origin(decision)
        lowered = self._program.decisions[decision].choices[choice]
        tracer = self._reader.tracer(state)
        conditions = list(OptionTrace(tracer, s.options[choice], lowered, at).conditions(args))
        if all(node.value is True for node in conditions) and any(param.alike for param in lowered.params):
            option = decision, choice, args
            conditions += listed_instead(self._program, self._reader.labels, option, state)
        last = conditions[-1] if conditions else None
        verdict = LEGAL if last is None or last.value is True else REFUSED if last.value is False else UNKNOWN
        reason = last.reason if last is not None and verdict == REFUSED else ""
        subject = with_arguments(self._reader.labels, lowered, args)
        return Answer("option", subject, verdict, reason, cited(reason), span=lowered.span, conditions=conditions)

    def without(self, place: str) -> Answer:
        """The reasons why no legal option of the decider involves an entity, one for each candidate option with its
        arguments.

        Args:
            place: the entity, as `kind.name`.

        Raises:
            DiagnosticsError: RS873 if the game is over.
        """
        number = self._open()
        return self._reader.alone(lambda: self._without(number, place))

    def _without(self, decision: int, place: str) -> Answer:
        kind, _, name = place.partition(".")
        lowered, names = self._program.decisions[decision], self._reader.labels.names.get(kind, ())
        answers: list[Answer] = []
        for k in self._own(decision) if name in names else ():
            for at, param in enumerate(lowered.choices[k].params):
                if param.type.removesuffix("?") == kind:
                    answers += self._with(decision, k, at, list(names).index(name))
        verdict = UNKNOWN if any(each.verdict == UNKNOWN for each in answers) else REFUSED
        return Answer("nothing", f"{lowered.name}, {name}", verdict, span=lowered.span, answers=answers)

    def _with(self, decision: int, choice: int, at: int, arg: int) -> Iterator[Answer]:
        """The reason why an option is refused with one given argument; nothing if it is not."""
        machine, state = Interpreter(self._program), self._reader.state
        lowered, labels = self._program.decisions[decision].choices[choice], self._reader.labels
        try:
            refusal = why_not_with(
                lambda e, known: machine.value(e, state, known), labels, lowered, at, arg, self._program.slots + 1
            )
        except HiddenError:
            yield Answer("option", lowered.name, UNKNOWN, span=lowered.span)
            return
        if refusal is not None:
            yield self._of(decision, choice, refusal[0], state)

    def nothing(self) -> Answer:
        """The reasons why no option of the open decision is legal, with example arguments for each.

        Options that turn out to be legal are listed as such.
        """
        number = self._open()
        return self._reader.alone(lambda: self._nothing(number, self._reader.state))

    def _nothing(self, decision: int, state: State) -> Answer:
        name = self._program.decisions[decision].name
        results = [answer for k in self._own(decision) for answer in self._refusals(decision, k, state)]
        verdicts = {answer.verdict for answer in results}
        verdict = next((v for v in (LEGAL, UNKNOWN, REFUSED) if v in verdicts), REFUSED)
        reason = {LEGAL: "something is legal", REFUSED: "nothing is legal"}.get(verdict, "")
        span = self._program.decisions[decision].span
        return Answer("nothing", name, verdict, reason, span=span, answers=results)

    def _own(self, decision: int) -> list[int]:
        """The choice numbers of the decider's options."""
        return [k for k, c in enumerate(self._program.decisions[decision].choices) if c.by is None]

    def _refusals(self, decision: int, choice: int, state: State) -> Iterator[Answer]:
        """The reasons against an option, each with example arguments; or the first legal arguments."""
        lowered = self._program.decisions[decision].choices[choice]
        machine = Interpreter(self._program)
        slots = self._program.slots + 1
        try:
            for at, args, _ in machine.own(state, decision):
                if at == choice:
                    yield self._of(decision, choice, args, state)
                    return
            reasons = never(lambda e, known: machine.value(e, state, known), self._reader.labels, lowered, slots)
        except HiddenError:
            yield Answer("option", lowered.name, UNKNOWN, span=lowered.span)
            return
        for args, _, number in reasons:
            answer = self._of(decision, choice, args, state)
            if number > 1:
                answer.owner = f"and {number - 1} more"
            yield answer

    # --- questions ---------------------------------------------------------------------------

    def asked(self) -> Answer:
        """The reason why the open decision is asked, and why these seats are asked."""
        number = self._open()
        return self._reader.alone(lambda: self._why_asked(number, self._reader.state))

    def _why_asked(self, decision: int, state: State) -> Answer:
        s, at = self._origin(decision)
        tracer = self._reader.tracer(state)
        conditions = []
        if s.each is not None:
            conditions = [tracer.node(e, at) for e in (s.each.source,)]
        conditions += [tracer.node(e, at) for e in (s.by, s.lead) if e is not None]
        verdict: Any = UNKNOWN
        try:
            who = Interpreter(self._program).decider(state, decision) if not tracer.hidden else None
            verdict = UNKNOWN if who is None else "chance" if who < 0 else self.game.seats[who]
        except HiddenError:
            pass
        rule = self._reader.owner(s)
        return Answer("asked", s.name, verdict, s.doc, cited(s.doc), rule, s.span, conditions)

    def not_asked(self, seat: str) -> Answer:
        """The reason why a seat is not asked: which seat is asked instead, and which decisions the last move skipped.

        Raises:
            DiagnosticsError: RS873 if there is no such seat.
        """
        if seat not in self.game.seats:
            hint = did_you_mean(seat, self.game.seats) or f"the seats are {', '.join(self.game.seats)}"
            raise failure("RS873", f"there is no seat `{seat[:80]}`", None, hint)
        return self._reader.alone(lambda: self._not_asked(seat))

    def _not_asked(self, seat: str) -> Answer:
        skipped = [self._passed_over(each) for each in self._past.record.skipped]
        if self._asked < 0:
            return Answer("not asked", seat, "over", "the game is over", answers=skipped)
        asked = self._why_asked(self._asked, self._reader.state)
        decision = self.game.decision
        assert decision is not None
        if seat in (decision.by, *decision.among):
            asked.reason = f"{seat} is asked"
        return Answer("not asked", seat, asked.verdict, asked.reason, answers=[asked, *skipped])

    def _passed_over(self, skipped: Skipped) -> Answer:
        """The reason why a decision was skipped: the seat that would have been asked, and why nothing was legal."""
        asked = self._why_asked(skipped.decision, skipped.state)
        asked.answers = self._nothing(skipped.decision, skipped.state).answers
        asked.reason = "nothing was legal, so nobody was asked"
        return asked

    def effects(self, of: str = "") -> Answer:
        """The changes made by the last move or by the start of the game, with the statement behind each change and its
        inputs.

        Args:
            of: a filter: a substring of a changed cell's name.
        """
        return self._reader.alone(lambda: self._past.effects(of))

    # --- values, invariants, ends ------------------------------------------------------------

    def value(self, text: str) -> Answer:
        """The value of an expression, with the values of its parts.

        Raises:
            DiagnosticsError: if the expression is incorrect.
        """
        e = Queries(self._reader.ruleset, self.game.seats, self.game.settings).expression(text)
        self._reader.texts[e.span.file] = text
        node = self._reader.alone(lambda: self._reader.tracer().node(e, At()))
        return Answer("value", text, node.value, conditions=[node])

    def invariant(self, name: str) -> Answer:
        """Whether an invariant holds, with the reason.

        Raises:
            DiagnosticsError: RS873 if there is no such invariant.
        """
        invariants = self._reader.ruleset.rules.invariants
        if name not in invariants:
            hint = did_you_mean(name, invariants) or f"the ruleset has {', '.join(invariants) or 'none'}"
            raise failure("RS873", f"there is no invariant `{name[:80]}`", None, hint)
        v = invariants[name]
        node = self._reader.alone(lambda: self._reader.tracer().node(v.condition, At()))
        return Answer("invariant", name, node.value, v.doc, cited(v.doc), span=v.span, conditions=[node])

    def end(self) -> Answer:
        """The end of the game and its winners: the statement that ended it, and each seat's points and tiebreaks.

        Raises:
            DiagnosticsError: RS873 if the game is not over.
        """
        result = self.game.result
        if result is None:
            raise failure("RS873", "the game is not over, so it has no end yet", None)
        answers = self._reader.alone(lambda: [*self._past.ended(), *self._past.points()])
        won = ", ".join(result.winners) or "nobody"
        return Answer("end", result.ending, result.winners, f"won by {won}", answers=answers)
