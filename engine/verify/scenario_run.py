"""The run of a scenario, which takes decisions in a game and compares the results with the expectations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import Node, Scalar, Sequence
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, Machines
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import usual_seats
from rulespec.engine.game.state_json import scores
from rulespec.engine.verify.option_names import unknown_option, unreadable
from rulespec.engine.verify.scenario import Scenario, ScenarioStep, items, pairs
from rulespec.typed import nodes as typed

_NUMBER = re.compile(r"-? *[0-9]+ +([A-Za-z_][A-Za-z0-9_]*)")
_MAX_JOINED = 12  # the maximum number of options in a message


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed expectation.

    Attributes:
        scenario: the scenario.
        backend: the backend that ran it.
        span: the place of the expectation.
        what: the key of the expectation, such as `options` or `when`.
        expected: the expected value; "" if the actual value is explanation enough, or if the scenario could not
            continue.
        actual: the actual value, or the fault.
    """

    scenario: Scenario
    backend: Backend | Machines
    span: Span
    what: str
    expected: str
    actual: str

    @property
    def diagnostic(self) -> Diagnostic:
        """The failure as a diagnostic with its place."""
        expected = f", expected {self.expected}" if self.expected else ""
        message = f"{self.scenario.id}: {self.what} is {self.actual}{expected}"
        code = "RS812"
        if self.what in _CODES:
            message, code = f"{self.scenario.id}: {self.actual}", _CODES[self.what]
        notes = (Label(self.scenario.span, self.scenario.title),)
        return Diagnostic(code, Severity.ERROR, message, self.span, notes=notes)


_CODES = {
    "given": "RS813",
    "when": "RS814",
    "fault": "RS814",
    "expression": "RS815",
    "option": "RS719",
    "invariants": "RS816",
    "stuck": "RS711",
}


def run_scenario(
    ruleset: typed.Ruleset, scenario: Scenario, backend: Backend | Machines = "python"
) -> tuple[Failure, ...]:
    """Runs a scenario.

    Returns:
        The failures; empty if the scenario passes. An illegal decision ends the run.
    """
    run = _Run(ruleset, scenario, backend)
    run.run()
    return tuple(run.failures)


class ScenarioPlace(NamedTuple):
    """A text in a scenario, and the game at the point where it applies.

    Attributes:
        key: `when` for the next decision; otherwise the expectation: `legal`, `illegal` or `values`.
        text: an option or an expression; under `when`, without the seat.
        span: the place of the text.
    """

    game: Game
    key: str
    text: str
    span: Span


def scenario_place(ruleset: typed.Ruleset, scenario: Scenario, line: int, column: int) -> ScenarioPlace | None:
    """The text at a line and column of a scenario, from 1; None if there is none, or the scenario fails earlier."""
    run = _Run(ruleset, scenario, "python")
    wanted = [
        (step, key, text)
        for step in scenario.steps
        for key, text in _texts(step)
        if text.span.line == line and text.span.column <= column < text.span.end_column
    ]
    if not wanted:
        return None
    last, key, text = wanted[0]
    try:
        game = run.start()
        for step in scenario.steps[: scenario.steps.index(last) + 1]:
            for taken in step.when:
                if taken is text:
                    return ScenarioPlace(game, key, text.text.partition(":")[2].strip(), text.span)
                run.take(game, taken)
    except (_Stop, RulesetFaultError):
        return None
    return ScenarioPlace(game, key, text.text, text.span)


def _texts(step: ScenarioStep) -> Iterator[tuple[str, Scalar]]:
    """The options and expressions of a step, each with its key."""
    yield from (("when", text) for text in step.when)
    for key, node in step.then:
        if key.text in ("legal", "illegal", "values"):
            yield from ((key.text, item) for item in items(node) if isinstance(item, Scalar))
            yield from ((key.text, name) for name, _ in pairs(node))


class _Stop(Exception):  # noqa: N818 - it ends a walk, and is no error
    """The signal that the scenario cannot continue."""


class _Run:
    """A scenario, its game, and the failures so far."""

    def __init__(self, ruleset: typed.Ruleset, scenario: Scenario, backend: Backend | Machines) -> None:
        self.ruleset = ruleset
        self.scenario = scenario
        self.backend = backend
        self.failures: list[Failure] = []
        self.checks: dict[str, Callable[[Game, Node], None]] = {
            "decision": self.decision,
            "by": self.by,
            "options": self.options,
            "legal": self.legal,
            "illegal": self.illegal,
            "absent": self.absent,
            "values": self.values,
            "ended": self.ended,
            "scores": self.scores,
            "winners": self.winners,
        }

    def run(self) -> None:
        try:
            game = self.start()
            # A given position may break an invariant before any decision; the start of the game may not.
            # The interpreter is slow at invariants, as it reads the whole state: it tests them at the end only,
            # and those before the first decision if one is broken then.
            source = any(layer.run or layer.set for layer in self.scenario.layers) or self.scenario.start is not None
            slow = self.backend == "interpreter"
            start = game.copy()
            broken: set[str] | None = set()
            if source:
                broken = None if slow else set(game.omniscient.broken_invariants())
            last = self.scenario.steps[-1] if self.scenario.steps else None
            for step in self.scenario.steps:
                for text in step.when:
                    self.take(game, text)
                for key, wanted in step.then:
                    self.checks[key.text](game, wanted)
                if slow and (step is not last or game.ply == 0):
                    continue
                now = game.omniscient.broken_invariants()
                if broken is None:
                    broken = set(start.omniscient.broken_invariants()) if now else set()
                for name in [n for n in now if n not in broken]:
                    broken.add(name)
                    place = step.when[-1].span if step.when else self.scenario.span
                    self.fail(place, "invariants", f"the invariant does not hold: {name}{self.because(game, name)}")
            self.stuck(game)
        except _Stop:
            return
        except RulesetFaultError as fault:
            self.fail(self.scenario.span, "fault", str(fault))

    def fail(self, span: Span, what: str, actual: str, expected: str = "") -> None:
        self.failures.append(Failure(self.scenario, self.backend, span, what, expected, actual))

    def because(self, game: Game, invariant: str) -> str:
        """The entity for which an invariant fails, as a message suffix."""
        why = game.omniscient.why_broken(invariant.partition(":")[0])
        return f"; {why}" if why else ""

    def stuck(self, game: Game) -> None:
        """Reports a final position without legal options."""
        if game.is_over or game.legal_options.unlisted or any(not option.interrupt for option in every_option(game)):
            return
        step = self.scenario.steps[-1] if self.scenario.steps else None
        place = step.when[-1].span if step is not None and step.when else self.scenario.span
        self.fail(
            place, "stuck", "; ".join([f"nothing is legal at the decision {_open(game)}", *game.omniscient.why_none()])
        )

    def start(self) -> Game:
        """The game at the scenario's initial position."""
        scenario = self.scenario
        place = scenario.start.span if scenario.start is not None else scenario.span
        start = scenario.start.text if scenario.start is not None else None
        try:
            game = Game(
                self.ruleset, scenario.seats or usual_seats(self.ruleset), dict(scenario.settings), self.backend, start
            )
            for layer in scenario.layers:
                for call in layer.run:
                    place = call.span
                    game.omniscient.prepare(call.text)
                supplies = [key.text for key, _ in layer.set if _is_supply(self.ruleset, key.text)]
                for key, value in layer.set:
                    place = key.span
                    game.omniscient.set_value(key.text, _text(value), supplies)
            place = scenario.start.span if scenario.start is not None else scenario.span
            game.omniscient.numbers.begin()
        except DiagnosticsError as error:
            self.reported(error, place, "given")
            raise _Stop from None
        except RulesetFaultError as fault:
            self.fail(place, "given", f"the game cannot begin: {fault}")
            raise _Stop from None
        return game

    def reported(self, error: DiagnosticsError, span: Span, what: str) -> None:
        for diagnostic in error.diagnostics:
            hint = f"; {diagnostic.help}" if diagnostic.help else ""
            self.fail(span, what, diagnostic.message + hint)

    def take(self, game: Game, text: Scalar) -> None:
        """Takes a decision such as `A: draw(2)`."""
        by, _, wanted = (part.strip() for part in text.text.partition(":"))
        try:
            option = game.parse(wanted)
        except ValueError as error:
            place = f" (the open decision: {_open(game)})"
            self.fail(text.span, "when", f"{error}{place}")
            raise _Stop from None
        if (option.by or "chance") != by:
            try:
                option = game.parse(wanted, by)
            except ValueError as error:
                self.fail(text.span, "when", str(error))
                raise _Stop from None
        if (refusal := game.why_not(option)) is not None:
            self.fail(text.span, "when", f"`{wanted}` is not legal: {refusal}")
            raise _Stop
        try:
            game.apply(option)
        except RulesetFaultError as fault:
            self.fail(text.span, "fault", f"`{wanted}` leads to a fault of the rules: {fault}")
            raise _Stop from None

    # --- expectations ------------------------------------------------------------

    def equal(self, node: Node, what: str, actual: str, expected: str) -> None:
        if actual != expected:
            self.fail(node.span, what, actual, expected)

    def decision(self, game: Game, node: Node) -> None:
        decision = game.decision
        self.equal(node, "decision", decision.name if decision else "none", _text(node))

    def by(self, game: Game, node: Node) -> None:
        decision = game.decision
        result = (decision.by or "chance") if decision else "none"
        self.equal(node, "by", result, _text(node))

    def options(self, game: Game, node: Node) -> None:
        own = [option for option in every_option(game) if not option.interrupt]
        if isinstance(node, Sequence):
            wanted = {_plain(_text(item)): item for item in node.items}
            self.same(node, "options", [_plain(str(o)) for o in own], wanted)
            return
        for name, values in pairs(node):
            results = [_plain(", ".join(o.arguments.values())) for o in own if o.name == name.text]
            wanted = {_plain(_text(item)): item for item in items(values)}
            self.same(values, f"options of `{name.text}`", results, wanted)

    def same(self, node: Node, what: str, actual: list[str], wanted: dict[str, Node]) -> None:
        for text in [text for text in wanted if text not in actual]:
            self.fail(wanted[text].span, f"`{text}`", f"not among the {what}")
        more = [text for text in actual if text not in wanted]
        if more:
            self.fail(node.span, f"the list of {what}", f"incomplete: there is also {_joined(more)}")

    def legal(self, game: Game, node: Node) -> None:
        for item in items(node):
            try:
                refusal = game.why_not(game.parse(_text(item)))
            except ValueError as error:
                self.fail(item.span, "legal", f"{error} (the open decision: {_open(game)})", "a legal option")
                continue
            if refusal is not None:
                self.fail(item.span, f"`{_text(item)}`", f"refused: {refusal}", "a legal option")

    def illegal(self, game: Game, node: Node) -> None:
        for item in items(node):
            self.refused(game, item)
        for key, expected in pairs(node):
            try:
                refusal = game.why_not(game.parse(key.text))
            except ValueError as error:
                reason = str(error)
            else:
                if refusal is None:
                    self.fail(key.span, f"`{key.text}`", "legal", f"a refusal: {_text(expected)}")
                    continue
                reason = str(refusal)
            if _text(expected) not in reason:
                self.fail(expected.span, f"the reason for refusing `{key.text}`", reason, _text(expected))

    def refused(self, game: Game, item: Node) -> None:
        """Checks that an option is illegal for any reason; the option may belong to another decision."""
        try:
            refusal = game.why_not(game.parse(_text(item)))
        except ValueError:
            if wrong := unreadable(game, _text(item)):
                self.fail(item.span, "option", wrong)
            return
        if refusal is None:
            self.fail(item.span, f"`{_text(item)}`", "legal", "a refusal")

    def absent(self, game: Game, node: Node) -> None:
        kinds = {kind.name for kind in game.omniscient.option_kinds}
        for item in items(node):
            name = _text(item)
            if name in kinds:
                decision = game.decision
                assert decision is not None
                self.fail(item.span, f"`{name}`", f"an option of `{decision.name}`", "no option here")
            elif wrong := unknown_option(game, name):
                self.fail(item.span, "option", wrong)

    def values(self, game: Game, node: Node) -> None:
        for key, wanted in pairs(node):
            try:
                result = game.omniscient.value(key.text)
            except DiagnosticsError as error:
                self.reported(error, key.span, "expression")
                continue
            except RulesetFaultError as fault:
                self.fail(key.span, "expression", f"`{key.text}` has no value: {fault}")
                continue
            self.equals(game, key, result, wanted)

    def equals(self, game: Game, key: Scalar, actual: str, wanted: Node) -> None:
        """Compares a value with the expected one, which may include the expression's unit."""
        number = _NUMBER.fullmatch(_text(wanted))
        if number is not None:
            try:
                same = game.omniscient.value(f"({key.text}) == ({_text(wanted)})") == "true"
            except DiagnosticsError as error:
                self.reported(error, wanted.span, "expression")
                return
            actual += f" {number[1]}"
        else:
            same = _canonical(actual) == _canonical(_text(wanted))
        if not same:
            self.fail(wanted.span, f"`{key.text}`", actual, _text(wanted))

    def ended(self, game: Game, node: Node) -> None:
        result = game.result
        self.equal(node, "ended", result.ending if result else "none", _text(node))

    def scores(self, game: Game, node: Node) -> None:
        result = scores(game)
        for seat, points in pairs(node):
            score = str(result.get(seat.text, "none"))
            self.equal(points, f"the score of {seat.text}", score, _text(points))

    def winners(self, game: Game, node: Node) -> None:
        result = game.result
        outcome = _joined(sorted(result.winners)) if result else "nobody yet"
        self.equal(node, "winners", outcome, _joined(sorted(_text(item) for item in items(node))))


def _open(game: Game) -> str:
    decision = game.decision
    return f"`{decision.name}` by {decision.by or 'chance'}" if decision else "nothing: the game is over"


def _plain(text: str) -> str:
    """An option's text without insignificant blanks."""
    return ", ".join(part.strip() for part in text.split(","))


def _canonical(value: str) -> str:
    """A value without blanks, with the members of a set in a fixed order."""
    value = value.replace(" ", "")
    if value.startswith("{") and value.endswith("}"):
        return "{" + ",".join(sorted(value[1:-1].split(","))) + "}"
    return value


def _joined(texts: list[str]) -> str:
    more = ", …" if len(texts) > _MAX_JOINED else ""
    return ", ".join(texts[:_MAX_JOINED]) + more if texts else "nothing"


def _is_supply(ruleset: typed.Ruleset, target: str) -> bool:
    """Whether a target is the first place of its pile, or an unlimited account of the whole game."""
    name, place = target.partition("[")[0].partition(".")[0], target.rpartition(".")[2]
    if (field := ruleset.declarations.fields.get(target)) is not None:
        return field.unlimited
    piece = ruleset.declarations.pieces.get(name)
    return piece is not None and place == next(iter(piece.places))


def _text(value: Node) -> str:
    """A value in the syntax of the rules language."""
    if not isinstance(value, Scalar):
        return ""
    return "none" if value.value is None else value.text
