"""Scenarios: given a position, when these decisions are taken, then this holds. See docs/scenarios.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.nodes import Mapping, Node, Scalar, Sequence
from rulespec.documents.reader import read_yaml
from rulespec.documents.text_files import files_inside
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, Machines
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.view import scores
from rulespec.typed import nodes as typed

DEFAULT_SEATS = ("A", "B")
_LISTED = 12  # how many options a message names


@dataclass(frozen=True, slots=True)
class Step:
    """Decisions that are taken, and what holds after them; every text has its place."""

    when: tuple[Scalar, ...]
    then: tuple[tuple[Scalar, Node], ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario as it was read. `span` is the place of its id; `rules` and `ruling` are what it proves.

    `also` are the overlays under which it holds too.
    """

    id: str
    title: str
    span: Span
    rules: tuple[str, ...]
    ruling: tuple[str, ...]
    also: tuple[Scalar, ...]
    source: str
    seats: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    start: Scalar | None
    given: tuple[tuple[Scalar, Scalar], ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """What did not hold. `span` is the place of the expectation; `what` is its key, such as `options` or `when`.

    `expected` may be empty, where something went wrong of itself.
    """

    scenario: Scenario
    backend: Backend | Machines
    span: Span
    what: str
    expected: str
    found: str

    @property
    def diagnostic(self) -> Diagnostic:
        """The failure as a diagnostic with its place."""
        wanted = f", expected {self.expected}" if self.expected else ""
        message = f"{self.scenario.id}: {self.what} is {self.found}{wanted}"
        code = "RS812"
        if self.what in _UNFIT:
            message, code = f"{self.scenario.id}: {self.found}", _UNFIT[self.what]
        notes = (Label(self.scenario.span, self.scenario.title),)
        return Diagnostic(code, Severity.ERROR, message, self.span, notes=notes)


_UNFIT = {"given": "RS813", "when": "RS814", "fault": "RS814", "expression": "RS815", "invariants": "RS816"}


def suite_scenarios(ruleset: typed.Ruleset, report: Report, display: Callable[[Path], str] = str) -> Iterator[Scenario]:
    """The scenarios that a reference is tested by.

    Those directly in `scenarios/` of its folder, with overlays only where each of these is in the scenario's `also`, as
    overlays change what holds; then those in `scenarios/<overlay>/`, looked for beside an overlay that is named
    by its path. Those of a ruleset that it extends speak of that ruleset's map and tables.

    Args:
        ruleset: the ruleset, with the overlays of the reference.
        report: takes what is wrong with the files.
        display: the name of a file in diagnostics.
    """
    known = sorted({path.stem for f in ruleset.folders for path in (f / "variants").glob("*.yaml")})
    for path in files_inside(ruleset.folders[0], "scenarios/*.yaml"):
        for scenario in load_scenarios(path, report, display(path)):
            for overlay in scenario.also:
                if overlay.text not in known:
                    message = f"{scenario.id}: there is no overlay `{overlay.text}`"
                    report.error("RS502", message, overlay.span, help=did_you_mean(overlay.text, known))
            if set(ruleset.overlays) <= {overlay.text for overlay in scenario.also}:
                yield scenario
    for name in ruleset.overlays:
        home = ruleset.homes.get(name, ruleset.folders[0])
        for path in files_inside(home, f"scenarios/{name}/*.yaml"):
            yield from load_scenarios(path, report, display(path))


def load_scenarios(path: Path, report: Report, display: str | None = None) -> tuple[Scenario, ...]:
    """Reads and checks a scenario file.

    Args:
        path: the file.
        report: takes what is wrong with it; the scenarios are empty then.
        display: its name in diagnostics.
    """
    from rulespec.documents.schema_check import check_schema
    from rulespec.schemas import load_schema

    before = report.errors
    try:
        node = read_yaml(path, display or str(path))
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
        return ()
    check_schema(node, load_schema("scenarios"), report, what="scenario file")
    if report.errors > before:
        return ()
    found = tuple(_scenario(item) for item in _items(_get(node, "scenarios")))
    first: dict[str, Scenario] = {}
    for scenario in found:
        if scenario.id in first:
            notes = (Label(first[scenario.id].span, "first here"),)
            message = f"there are two scenarios `{scenario.id}`"
            report.error("RS811", message, scenario.span, "again here", notes, help="give one another id")
        first.setdefault(scenario.id, scenario)
    return found


def run_scenario(
    ruleset: typed.Ruleset, scenario: Scenario, backend: Backend | Machines = "python"
) -> tuple[Failure, ...]:
    """Plays a scenario through.

    Returns:
        What did not hold; empty if the scenario passes. A decision that cannot be taken ends it.
    """
    run = _Run(ruleset, scenario, backend)
    run.play()
    return tuple(run.failures)


# --- reading ---------------------------------------------------------------------------------


def _get(node: Node | None, key: str) -> Node | None:
    return node.entries[key][1] if isinstance(node, Mapping) and key in node.entries else None


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Sequence) else []


def _scalars(node: Node | None) -> tuple[Scalar, ...]:
    return tuple(item for item in _items(node) if isinstance(item, Scalar))


def _pairs(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    return tuple(node.entries.values()) if isinstance(node, Mapping) else ()


def _word(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _scenario(node: Node) -> Scenario:
    given, id_ = _get(node, "given"), _get(node, "id")
    start = _get(given, "start")
    assert isinstance(id_, Scalar)
    return Scenario(
        id=id_.text,
        title=_word(_get(node, "title")),
        span=id_.span,
        rules=tuple(s.text for s in _scalars(_get(node, "rules"))),
        ruling=tuple(s.text for s in _scalars(_get(node, "ruling"))),
        also=_scalars(_get(node, "also")),
        source=_word(_get(node, "source")),
        seats=tuple(s.text for s in _scalars(_get(node, "seats"))) or DEFAULT_SEATS,
        options=tuple((k.text, _word(v)) for k, v in _pairs(_get(node, "options"))),
        start=start if isinstance(start, Scalar) else None,
        given=tuple((k, v) for k, v in _pairs(_get(given, "set")) if isinstance(v, Scalar)),
        steps=tuple(
            Step(_scalars(_get(part, "when")), _pairs(_get(part, "then")))
            for part in [node, *_items(_get(node, "steps"))]
        ),
    )


def _text(value: Node) -> str:
    """A value as the rules language writes it."""
    if not isinstance(value, Scalar):
        return ""
    return "none" if value.value is None else value.text


# --- running ---------------------------------------------------------------------------------


class _Stop(Exception):
    """The scenario cannot go on."""


class _Run:
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
            "values": self.values,
            "ended": self.ended,
            "scores": self.scores,
            "winners": self.winners,
        }

    def play(self) -> None:
        try:
            game = self.begun()
            # A given position may break an invariant: then it is not the decisions that did.
            broken = set(game.broken_invariants())
            last = self.scenario.steps[-1] if self.scenario.steps else None
            for step in self.scenario.steps:
                for text in step.when:
                    self.take(game, text)
                for key, wanted in step.then:
                    self.checks[key.text](game, wanted)
                if self.backend == "interpreter" and step is not last:
                    continue  # invariants look at everything, and the interpreter is slow
                for name in [n for n in game.broken_invariants() if n not in broken]:
                    broken.add(name)
                    place = step.when[-1].span if step.when else self.scenario.span
                    self.fail(place, "invariants", f"the invariant does not hold: {name}")
        except _Stop:
            return
        except RulesetFaultError as fault:
            self.fail(self.scenario.span, "fault", str(fault))

    def fail(self, span: Span, what: str, found: str, expected: str = "") -> None:
        self.failures.append(Failure(self.scenario, self.backend, span, what, expected, found))

    def begun(self) -> Game:
        scenario = self.scenario
        place = scenario.start.span if scenario.start is not None else scenario.span
        start = scenario.start.text if scenario.start is not None else None
        try:
            game = Game(self.ruleset, scenario.seats, dict(scenario.options), self.backend, start)
            for key, value in scenario.given:
                place = key.span
                game.set_value(key.text, _text(value))
            place = scenario.start.span if scenario.start is not None else scenario.span
            game.position.begin()
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
        """Takes a decision that is written as in `A: draw(2)`."""
        by, _, wanted = (part.strip() for part in text.text.partition(":"))
        try:
            option = game.parse(wanted)
        except ValueError as error:
            here = f" (open is {_open(game)})"
            self.fail(text.span, "when", f"{error}{here}")
            raise _Stop from None
        if (option.by or "chance") != by:
            self.fail(text.span, "when", f"`{wanted}` is for {option.by or 'chance'} to do, not for {by}")
            raise _Stop
        if (refusal := game.why_not(option)) is not None:
            self.fail(text.span, "when", f"`{wanted}` is not legal: {refusal}")
            raise _Stop
        try:
            game.apply(option)
        except RulesetFaultError as fault:
            self.fail(text.span, "fault", f"`{wanted}` leads to a fault of the rules: {fault}")
            raise _Stop from None

    # --- what may be expected ------------------------------------------------------------

    def equal(self, node: Node, what: str, found: str, expected: str) -> None:
        if found != expected:
            self.fail(node.span, what, found, expected)

    def decision(self, game: Game, node: Node) -> None:
        decision = game.decision
        self.equal(node, "decision", decision.name if decision else "none", _text(node))

    def by(self, game: Game, node: Node) -> None:
        decision = game.decision
        found = (decision.by or "chance") if decision else "none"
        self.equal(node, "by", found, _text(node))

    def options(self, game: Game, node: Node) -> None:
        own = [option for option in every_option(game) if not option.interrupt]
        if isinstance(node, Sequence):
            wanted = {_plain(_text(item)): item for item in node.items}
            self.same(node, "options", [_plain(str(o)) for o in own], wanted)
            return
        for name, values in _pairs(node):
            found = [_plain(", ".join(o.arguments.values())) for o in own if o.name == name.text]
            wanted = {_plain(_text(item)): item for item in _items(values)}
            self.same(values, f"options of `{name.text}`", found, wanted)

    def same(self, node: Node, what: str, found: list[str], wanted: dict[str, Node]) -> None:
        for text in [text for text in wanted if text not in found]:
            self.fail(wanted[text].span, what, "without it", f"`{text}`")
        more = [text for text in found if text not in wanted]
        if more:
            self.fail(node.span, what, f"also {_listed(more)}", "exactly these")

    def legal(self, game: Game, node: Node) -> None:
        for item in _items(node):
            try:
                refusal = game.why_not(game.parse(_text(item)))
            except ValueError as error:
                self.fail(item.span, "legal", f"{error} (open is {_open(game)})", "a legal option")
                continue
            if refusal is not None:
                self.fail(item.span, f"`{_text(item)}`", f"refused: {refusal}", "a legal option")

    def illegal(self, game: Game, node: Node) -> None:
        for key, reason in _pairs(node):
            try:
                refusal = game.why_not(game.parse(key.text))
            except ValueError as error:
                said = str(error)
            else:
                if refusal is None:
                    self.fail(key.span, f"`{key.text}`", "legal", f"a refusal: {_text(reason)}")
                    continue
                said = str(refusal)
            if _text(reason) not in said:
                self.fail(reason.span, f"the reason against `{key.text}`", said, _text(reason))

    def values(self, game: Game, node: Node) -> None:
        for key, wanted in _pairs(node):
            try:
                found = game.value(key.text)
            except DiagnosticsError as error:
                self.reported(error, key.span, "expression")
                continue
            except RulesetFaultError as fault:
                self.fail(key.span, "expression", f"`{key.text}` has no value: {fault}")
                continue
            if _canonical(found) != _canonical(_text(wanted)):
                self.fail(wanted.span, f"`{key.text}`", found, _text(wanted))

    def ended(self, game: Game, node: Node) -> None:
        result = game.result
        self.equal(node, "ended", result.ending if result else "none", _text(node))

    def scores(self, game: Game, node: Node) -> None:
        found = scores(game)
        for seat, points in _pairs(node):
            score = str(found.get(seat.text, "none"))
            self.equal(points, f"the score of {seat.text}", score, _text(points))

    def winners(self, game: Game, node: Node) -> None:
        result = game.result
        found = _listed(sorted(result.winners)) if result else "nobody yet"
        self.equal(node, "winners", found, _listed(sorted(_text(item) for item in _items(node))))


def _open(game: Game) -> str:
    decision = game.decision
    return f"`{decision.name}` by {decision.by or 'chance'}" if decision else "nothing: the game is over"


def _plain(text: str) -> str:
    """An option's text without the blanks that do not matter."""
    return ", ".join(part.strip() for part in text.split(","))


def _canonical(value: str) -> str:
    """A value without blanks, and a set in one order."""
    value = value.replace(" ", "")
    if value.startswith("{") and value.endswith("}"):
        return "{" + ",".join(sorted(value[1:-1].split(","))) + "}"
    return value


def _listed(texts: list[str]) -> str:
    more = ", …" if len(texts) > _LISTED else ""
    return ", ".join(texts[:_LISTED]) + more if texts else "nothing"
