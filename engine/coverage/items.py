"""Coverage items: the definitions, procedures, options, conditions and branches of a typed ruleset.

An item is identified by its kind and its place in the source. Rulesets that share files therefore share items, and
items are independent of the number of seats and of the settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, get_args

from rulespec.diagnostics.diagnostic import Span
from rulespec.rule_ids import cited
from rulespec.syntax.ast import OptionDef, OptionGroup
from rulespec.syntax.shared import members
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definitions_of_checks, head_expressions
from rulespec.types import Ent

Kind = Literal[
    "definition", "procedure", "decision", "option", "range", "require", "branch", "invariant", "scoring", "statement"
]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class CoverageItem:
    """A coverable unit of the rules.

    Attributes:
        kind: the kind of item; `range` stands for an option parameter with a reason for its domain, and `branch` for an
            `if`, a `match`, a loop or a conditional expression.
        span: the place of the item, or of its head if it is a definition or a procedure.
        name: the name, or a text that identifies the item.
        outcomes: the possible outcomes, all of which tests should reach.
        rules: the rule ids cited by the docstring or the reason.
        places: the places of the outcomes, if these differ from `span`.
        lines: the lines that the item occupies.
        inside: the enclosing outcome; the item cannot run unless it is reached.
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
    """An outcome of an item."""

    item: CoverageItem
    outcome: str


RUN = ("run",)
TESTED = ("holds", "fails")
OPTION = ("legal", "taken")
TURN, OVER = "a turn", "its end"
ELSE = "else"


class Items:
    """The items of a ruleset, indexed by the `id` of typed nodes, because distinct expressions may be equal."""

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self.kinds = ruleset.kinds
        self.all: dict[CoverageItem, CoverageItem] = {}
        self.tests: dict[int, CoverageItem] = {}
        """Id of a condition → branch."""
        self.somes: dict[int, CoverageItem] = {}
        """Id of a tested optional value → branch."""
        self.matches: dict[int, tuple[CoverageItem, dict[int, str]]] = {}
        """Id of the subject of a `match` → branch, and outcome by value."""
        self.loops: dict[int, CoverageItem] = {}
        """Id of a loop's body → branch."""
        self.statements: dict[int, CoverageItem] = {}
        self.conditions: dict[Span, CoverageItem] = {}
        """Place of a requirement or an invariant → item."""
        self.ranges: dict[Span, CoverageItem] = {}
        """Place of a parameter or of its `where` → item."""
        self.options: dict[Span, CoverageItem] = {}
        self.decisions: dict[Span, CoverageItem] = {}
        self.draws: set[Span] = set()
        """Places of the draws of shuffles, which are no items."""
        self.idle: dict[Span, CoverageItem] = {}
        """Place of an `otherwise` → branch."""
        self.definitions: dict[Span, CoverageItem] = {}
        self.procedures: dict[str, CoverageItem] = {}
        self.scoring: CoverageItem | None = None
        self._groups = _group_rules(ruleset)
        self._inside: Point | None = None
        rules = ruleset.rules
        unplayed = definitions_of_checks(ruleset)
        for d in rules.definitions.values():
            if d in unplayed:
                continue
            self.definitions[d.span] = self._item("definition", d.span, d.name, RUN, d.doc, lines=_lines_of(d))
            with self._within(self.definitions[d.span], "run"):
                self._choices([d.lets, d.body])
        for p in rules.procedures.values():
            self.procedures[p.name] = self._item("procedure", p.span, p.name, RUN, p.doc)
            self._block(p.body, self.procedures[p.name], "run")
        for g in rules.guards.values():
            self._head(g.head, g.name)
        for v in rules.invariants.values():
            lines = [v.span, v.condition.span]
            self.conditions[v.span] = self._item("invariant", v.span, v.name, TESTED[:1], v.doc, lines=lines)
            self._choices([v.condition])
        if rules.scoring is not None:
            s = rules.scoring
            self.scoring = self._item("scoring", s.span, s.var.name, RUN, s.doc, lines=[s.span, s.score.span])
            self._choices([s.score, s.tiebreaks])

    def _item(
        self,
        kind: Kind,
        span: Span,
        name: str,
        outcomes: tuple[str, ...],
        cites: str = "",
        *,
        places: Sequence[Span] = (),
        lines: Sequence[Span] | None = None,
    ) -> CoverageItem:
        """The item with these properties, which is shared by decisions that include the same option."""
        on = [span.line] if lines is None else [n for s in lines for n in range(s.line, s.end_line + 1)]
        item = CoverageItem(
            kind, span, name, outcomes, cited(cites), tuple(places), tuple(sorted(set(on))), self._inside
        )
        return self.all.setdefault(item, item)

    @contextmanager
    def _within(self, item: CoverageItem, outcome: str) -> Iterator[None]:
        before, self._inside = self._inside, Point(item, outcome)
        yield
        self._inside = before

    # --- statements ------------------------------------------------------------------------

    def _block(self, block: typed.Block, item: CoverageItem, outcome: str) -> None:
        """Collects the statements executed for an outcome of an item."""
        with self._within(item, outcome):
            self._statements(block)

    def _statements(self, block: typed.Block) -> None:
        """Collects the statements of a block; those that a `shuffle` is made of are one."""
        shuffles = {s.span: [each for each in block if each.span == s.span] for s in block if _shuffles(s)}
        for s in block:
            if s.span not in shuffles:
                self._statement(s)
            elif s is shuffles[s.span][0]:
                self._shuffle(shuffles[s.span])

    def _shuffle(self, parts: Sequence[typed.Stmt]) -> None:
        """Collects a `shuffle`, made of several statements, as one; its draws are no decision of their own."""
        line = _line_of(parts[0])
        self.statements[id(parts[0])] = self._item("statement", line, "shuffle", RUN, lines=[line])
        self.draws |= {draw.span for s in parts if isinstance(s, typed.Repeat) for draw in s.body}

    def _if(self, branches: Sequence[tuple[typed.Expr | None, typed.Block]], before: CoverageItem | None) -> None:
        if not branches:
            return
        (condition, body), *others = branches
        if condition is None:
            if before is None:  # the block around an `if` that binds a value
                self._statements(body)
            else:
                self._block(body, before, TESTED[1])
            return
        item = self._test(condition, "if" if before is None else "elif")
        self._choices([condition])
        self._block(body, item, TESTED[0])
        with self._within(item, TESTED[1]):
            self._if(others, item)

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
            bounded = s.limit is not None and s.word != "for"  # a loop along a path never reaches its limit
            name, outcomes = s.word, ((TURN, OVER) if bounded else (TURN,))
            self._loop(s.body, head, name, outcomes, s.head)
        elif isinstance(s, typed.Decide):
            self._decide(s)
        else:
            line = _line_of(s)
            cites = s.doc if isinstance(s, typed.Remark) else ""
            self.statements[id(s)] = self._item("statement", line, _word(s), RUN, cites, lines=[line])
            self._choices([s])

    def _test(self, condition: typed.Expr, word: str) -> CoverageItem:
        item = self._item("branch", condition.span, word, TESTED, lines=[condition.span])
        self.tests[id(condition)] = item
        return item

    def _match(self, s: typed.Match) -> None:
        self._choices([s.subject])
        other = None if s.other is None else s.other[0].span if s.other else s.subject.span
        item = self._cases(s, other)
        for outcome, body in zip(item.outcomes, [*(body for _, body in s.cases), s.other], strict=False):
            self._block(body or (), item, outcome)

    def _cases(self, s: typed.Match | typed.Cases, other: Span | None) -> CoverageItem:
        """Collects the branch of a `match`; `other` is the place of its `else`."""
        assert isinstance(s.subject.type, Ent)
        names = self.kinds[s.subject.type.kind].entities
        outcomes: list[str] = []
        by_value: dict[int, str] = {}
        for values, _ in s.cases:
            outcomes.append("case " + ", ".join(names[v].name for v in values))
            by_value |= dict.fromkeys(values, outcomes[-1])
        places = list(s.places)
        if other is not None:
            outcomes.append(ELSE)
            places.append(other)
        lines = [s.subject.span, *s.places]
        item = self._item("branch", s.subject.span, "match", tuple(outcomes), places=places, lines=lines)
        self.matches[id(s.subject)] = (item, by_value)
        return item

    def _loop(self, body: typed.Block, head: Span, name: str, outcomes: tuple[str, ...], first: int = 0) -> None:
        """Collects a loop; statements of its block before `first` are generated and have no source."""
        if body:
            item = self._item("branch", head, name, outcomes)
            self.loops[id(body)] = item
            self._block(body[first:], item, TURN)

    def _decide(self, s: typed.Decide) -> None:
        self.decisions[s.span] = self._item("decision", s.span, s.name, ("asked",), s.doc)
        self._choices([s.by, s.lead, s.each])
        for option in s.options:
            cites = " ".join([option.doc, *self._groups.get(option.span, ())])
            self.options[option.span] = self._item("option", option.span, option.name, OPTION, cites)
            if s.draft is not None and option is s.options[-1]:  # `withdraw`, which is in no file
                break
            self._choices([option.by, option.weight])
            for p in option.params:
                self._choices([*p.domain, p.where])
                if p.reason:
                    name = f"{option.name}({p.var.name})"
                    item = self._item("range", p.span, name, TESTED, p.reason, lines=[p.span])
                    self.ranges[p.span] = item
                    if p.where is not None:
                        self.ranges[p.where.span] = item
            self._head(option.head, option.name)
            self._block(option.body, self.options[option.span], OPTION[1])
        if s.otherwise is not None:
            span = s.otherwise.span
            self.idle[span] = self._item("branch", span, "otherwise", RUN)
            self._block(s.otherwise.body, self.idle[span], RUN[0])

    def _head(self, head: Sequence[typed.HeadPart], name: str) -> None:
        """Collects the requirements and costs of a head, and the conditionals in all its parts."""
        for part in head:
            self._choices(head_expressions([part]))
            if isinstance(part, typed.Requirement | typed.Cost):
                word = "require" if isinstance(part, typed.Requirement) else "cost"
                item = self._item("require", part.span, f"{name}: {word}", TESTED, part.reason, lines=[part.span])
                self.conditions[part.span] = item

    # --- expressions -----------------------------------------------------------------------

    def _choices(self, parts: Sequence[object]) -> None:
        """Collects the conditional expressions, such as `a if c else b`, in parts without statements."""
        for e in _inside(parts):
            if isinstance(e, typed.Choice):
                self._test(e.condition, "… if … else")
            elif isinstance(e, typed.IfSome) and e.var.name:
                self.somes[id(e.value)] = self._item(
                    "branch", e.value.span, "… if … else", TESTED, lines=[e.value.span]
                )
            elif isinstance(e, typed.Cases):
                self._cases(e, e.other.span if e.other is not None else None)


def _inside(part: object) -> Iterator[typed.Expr]:
    """All expressions within a part of the typed ruleset, but not within declarations that it refers to."""
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
    """Place of an option → docstrings of the enclosing groups."""
    results: dict[Span, list[str]] = {}
    groups = {id(n): n for n in ruleset.declarations.references.values() if isinstance(n, OptionGroup)}
    for group in groups.values():
        for option in members(group.options):
            if isinstance(option, OptionDef):
                results.setdefault(option.name.span, []).append(group.doc.text)
    return results


_ON_ORDERS = {"append": "add", "without": "take"}
"""Operators on orders → the statements that assign their values."""
_WORDS: dict[type[typed.Stmt], str] = {
    typed.Let: "let",
    typed.LetTable: "let",
    typed.Assign: "set",
    typed.Put: "move",
    typed.Return: "return",
    typed.EndGame: "end game",
    typed.Remark: "docstring",
}


def _shuffles(s: typed.Stmt) -> bool:
    return isinstance(s, typed.Repeat) and s.draws


def _line_of(s: typed.Stmt) -> Span:
    """The place of a statement without the beginning of the next line, where its span ends."""
    last = max(s.span.line, s.span.end_line - 1)
    return Span(s.span.file, s.span.line, s.span.column, last, s.span.end_column)


def _word(s: typed.Stmt) -> str:
    """The name of a statement: its words in the language."""
    if isinstance(s, typed.Assign) and isinstance(s.value, typed.Op) and s.value.op in _ON_ORDERS:
        return _ON_ORDERS[s.value.op]
    if isinstance(s, typed.CallProcedure):
        return f"call of `{s.procedure.name}`"
    if isinstance(s, typed.Transfer):
        return "pay" if isinstance(s.source, typed.Field) else "move"
    return s.word if isinstance(s, typed.Jump) else _WORDS[type(s)]
