"""What of a ruleset's rules can be run: definitions, procedures, options, conditions, branches; from its typed form.

A unit is known by its kind and its place in the source, so that the units of several rulesets which share files, and of
programs for other numbers of seats and other options, are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from rulespec.diagnostics.diagnostic import Span
from rulespec.rule_ids import cited
from rulespec.syntax.ast import OptionGroup
from rulespec.typed import nodes as typed
from rulespec.types import Ent

Kind = Literal[
    "definition", "procedure", "decision", "option", "range", "require", "branch", "invariant", "scoring", "statement"
]
KINDS: tuple[Kind, ...] = (
    *("definition", "procedure", "decision", "option", "range", "require", "branch", "invariant", "scoring"),
    "statement",
)


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that is run, or is not.

    Attributes:
        kind: `range` is a parameter of an option whose values have a reason; `branch` an `if`, a `match`, a loop or a
            choice within an expression.
        span: its place; of a definition or a procedure that of its head.
        name: its name, and for what has none the words it is known by.
        outcomes: what it can come to, all of which should be seen.
        rules: the ids of rules that its docstring or its reason cites.
        places: where to look for each outcome, if it has a place of its own.
        lines: the lines that it stands on.
        inside: what must have been seen before this can be run.
    """

    kind: Kind
    span: Span
    name: str = field(compare=False)
    outcomes: tuple[str, ...] = field(compare=False)
    rules: tuple[str, ...] = field(compare=False)
    places: tuple[Span, ...] = field(compare=False)
    lines: tuple[int, ...] = field(compare=False)
    inside: Point | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class Point:
    """An outcome of a unit."""

    unit: Unit
    outcome: str


RUN = ("run",)
TESTED = ("holds", "fails")
OPTION = ("legal", "taken")
TURN, OVER = "a turn", "its end"
ELSE = "else"


class Units:
    """The units of a ruleset, and what of the typed ruleset each belongs to (by `id`, as expressions may be equal)."""

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self.kinds = ruleset.kinds
        self.all: dict[Unit, Unit] = {}
        self.tests: dict[int, Unit] = {}
        """The expression whose value says where it goes on → its branch."""
        self.matches: dict[int, tuple[Unit, dict[int, str]]] = {}
        """The expression that is matched → its branch, and the outcome by value."""
        self.loops: dict[int, Unit] = {}
        """The body of a loop → its branch."""
        self.statements: dict[int, Unit] = {}
        self.conditions: dict[Span, Unit] = {}
        """The place of a requirement or an invariant → its unit."""
        self.ranges: dict[Span, Unit] = {}
        """The place of a parameter, and that of its `where` → its unit."""
        self.options: dict[Span, Unit] = {}
        self.decisions: dict[Span, Unit] = {}
        self.definitions: dict[Span, Unit] = {}
        self.procedures: dict[str, Unit] = {}
        self.scoring: Unit | None = None
        self._groups = _group_rules(ruleset)
        self._inside: Point | None = None
        rules = ruleset.rules
        for d in rules.definitions.values():
            self.definitions[d.span] = self._unit("definition", d.span, d.name, RUN, d.doc, lines=_lines_of(d))
            with self._within(self.definitions[d.span], "run"):
                self._choices([d.lets, d.body])
        for p in rules.procedures.values():
            self.procedures[p.name] = self._unit("procedure", p.span, p.name, RUN, p.doc)
            self._block(p.body, self.procedures[p.name], "run")
        for v in rules.invariants.values():
            lines = [v.span, v.condition.span]
            self.conditions[v.span] = self._unit("invariant", v.span, v.name, TESTED[:1], v.doc, lines=lines)
            self._choices([v.condition])
        if rules.scoring is not None:
            s = rules.scoring
            self.scoring = self._unit("scoring", s.span, s.var.name, RUN, s.doc, lines=[s.span, s.score.span])
            self._choices([s.score, s.tiebreaks])

    def _unit(
        self,
        kind: Kind,
        span: Span,
        name: str,
        outcomes: tuple[str, ...],
        cites: str = "",
        *,
        places: Sequence[Span] = (),
        lines: Sequence[Span] | None = None,
    ) -> Unit:
        """A unit; the one that is known already, if an option that several decisions include makes it once more."""
        on = [span.line] if lines is None else [n for s in lines for n in range(s.line, s.end_line + 1)]
        unit = Unit(kind, span, name, outcomes, cited(cites), tuple(places), tuple(sorted(set(on))), self._inside)
        return self.all.setdefault(unit, unit)

    @contextmanager
    def _within(self, unit: Unit, outcome: str) -> Iterator[None]:
        before, self._inside = self._inside, Point(unit, outcome)
        yield
        self._inside = before

    # --- statements ------------------------------------------------------------------------

    def _block(self, block: typed.Block, unit: Unit, outcome: str) -> None:
        """Statements that are run when a unit comes to an outcome."""
        with self._within(unit, outcome):
            for s in block:
                self._statement(s)

    def _if(self, branches: Sequence[tuple[typed.Expr | None, typed.Block]], before: Unit | None) -> None:
        if not branches:
            return
        (condition, body), *others = branches
        if condition is None:
            assert before is not None
            self._block(body, before, TESTED[1])
            return
        unit = self._test(condition, "if" if before is None else "elif")
        self._choices([condition])
        self._block(body, unit, TESTED[0])
        with self._within(unit, TESTED[1]):
            self._if(others, unit)

    def _statement(self, s: typed.Stmt) -> None:
        if isinstance(s, typed.If):
            self._if(s.branches, None)
        elif isinstance(s, typed.Match):
            self._match(s)
        elif isinstance(s, typed.For):
            self._choices([s.binder])
            head = s.binder.var.span.to(s.binder.source.span)
            self._loop(s.body, head, f"for {s.binder.var.name}", (TURN, OVER))
        elif isinstance(s, typed.Repeat):
            self._choices([s.limit])
            head = s.span if s.limit is None else s.limit.span
            self._loop(s.body, head, "repeat", (TURN,) if s.limit is None else (TURN, OVER))
        elif isinstance(s, typed.Decide):
            self._decide(s)
        else:
            first, last = s.span.line, max(s.span.line, s.span.end_line - 1)  # it ends where the next line begins
            line = Span(s.span.file, first, s.span.column, last, s.span.end_column)
            self.statements[id(s)] = self._unit("statement", line, type(s).__name__, RUN, lines=[line])
            self._choices([s])

    def _test(self, condition: typed.Expr, word: str) -> Unit:
        unit = self._unit("branch", condition.span, word, TESTED, lines=[condition.span])
        self.tests[id(condition)] = unit
        return unit

    def _match(self, s: typed.Match) -> None:
        self._choices([s.subject])
        assert isinstance(s.subject.type, Ent)
        names = self.kinds[s.subject.type.kind].entities
        outcomes: list[str] = []
        by_value: dict[int, str] = {}
        for values, _ in s.cases:
            outcomes.append("case " + ", ".join(names[v].name for v in values))
            by_value |= dict.fromkeys(values, outcomes[-1])
        places = list(s.places)
        if s.other is not None:
            outcomes.append(ELSE)
            places.append(s.other[0].span if s.other else s.subject.span)
        lines = [s.subject.span, *s.places]
        unit = self._unit("branch", s.subject.span, "match", tuple(outcomes), places=places, lines=lines)
        self.matches[id(s.subject)] = (unit, by_value)
        for outcome, body in zip(outcomes, [*(body for _, body in s.cases), s.other], strict=False):
            self._block(body or (), unit, outcome)

    def _loop(self, body: typed.Block, head: Span, name: str, outcomes: tuple[str, ...]) -> None:
        if body:
            unit = self._unit("branch", head, name, outcomes)
            self.loops[id(body)] = unit
            self._block(body, unit, TURN)

    def _decide(self, s: typed.Decide) -> None:
        self.decisions[s.span] = self._unit("decision", s.span, s.name, ("asked",), s.doc)
        self._choices([s.by, s.each])
        for option in s.options:
            cites = " ".join([option.doc, *self._groups.get(option.span, ())])
            self.options[option.span] = self._unit("option", option.span, option.name, OPTION, cites)
            self._choices([option.by, option.weight])
            for p in option.params:
                self._choices([p.low, p.high, p.where])
                if p.reason:
                    name = f"{option.name}({p.var.name})"
                    unit = self._unit("range", p.span, name, TESTED, p.reason, lines=[p.span])
                    self.ranges[p.span] = unit
                    if p.where is not None:
                        self.ranges[p.where.span] = unit
            for r in option.requires:
                self._choices([r.condition])
                name = f"{option.name}: require"
                self.conditions[r.span] = self._unit("require", r.span, name, TESTED, r.reason, lines=[r.span])
            self._block(option.body, self.options[option.span], OPTION[1])

    # --- expressions -----------------------------------------------------------------------

    def _choices(self, parts: Sequence[object]) -> None:
        """The `a if c else b` in expressions, and in what holds expressions, but no statements."""
        for e in _inside(parts):
            if isinstance(e, typed.Choice):
                self._test(e.condition, "… if … else")


def _inside(part: object) -> Iterator[typed.Expr]:
    """All expressions that something of the typed form holds, but no declarations."""
    if isinstance(part, typed.Expr):
        yield part
    if isinstance(part, tuple | list):
        for each in part:
            yield from _inside(each)
    elif isinstance(part, typed.Expr | typed.Binder | typed.Stmt | typed.Tiebreak):
        for name in part.__struct_fields__:
            yield from _inside(getattr(part, name))


def _lines_of(d: typed.Definition) -> list[Span]:
    return [d.span, *(value.span for _, value in d.lets), *([d.body.span] if d.body is not None else [])]


def _group_rules(ruleset: typed.Ruleset) -> dict[Span, list[str]]:
    """The place of an option → the docstrings of the groups that it stands in."""
    found: dict[Span, list[str]] = {}
    groups = {id(n): n for n in ruleset.declarations.references.values() if isinstance(n, OptionGroup)}
    for group in groups.values():
        for option in group.options:
            found.setdefault(option.name.span, []).append(group.doc.text)
    return found
