"""Checks of word files against their ruleset: names must exist, and every hole must be fillable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from rulespec.check.expressions.checker import ExpressionChecker
from rulespec.check.recursion import refuse_loud
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.yaml_nodes import Node, Scalar, content_column, get, words
from rulespec.engine.words.asked import ACTOR, DECIDER, Decisions, help_subjects, reads_state
from rulespec.engine.words.program_words import ENGLISH, program_words
from rulespec.engine.words.template import Hole, holes
from rulespec.engine.words.titles import Expression, Titles, TitleText
from rulespec.syntax.parser import parse_expr
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.types import BAD, Ent, Num, Type, never_none, or_none

MAX_HOLES = 3_000
"""The maximum number of holes with expressions in all texts of a language together."""


class TextCheck:
    """A check of texts against a ruleset."""

    def __init__(self, ruleset: typed.Ruleset, own: Titles, report: Report) -> None:
        self.ruleset = ruleset
        self.d = ruleset.declarations
        self.own = own
        self.report = report
        self._holes = 0
        self._actors: dict[str, Type | None] = {}

    @cached_property
    def decisions(self) -> Decisions:
        """The decisions of the rules."""
        return Decisions(self.ruleset)

    # --- what is named ---------------------------------------------------------------------------

    def fits(self, section: str, name: str, text: TitleText) -> bool:
        """Whether a text's subject exists and all its holes can be filled."""
        if section == "words":  # the schema defines their names
            return self._named(text, program_words(ENGLISH)[name].holes())
        names, what, holes_of = self._sections[section]
        return self.known(name, names(), what, text) and holes_of(name, text)

    def subjects(self, section: str) -> list[str]:
        """The names that may have a text in a section, as written in word files."""
        return list(dict.fromkeys(self._sections[section][0]()))

    @cached_property
    def _sections(self) -> Mapping[str, tuple[Callable[[], Iterable[str]], str, Callable[[str, TitleText], bool]]]:
        """Section → its allowed names, a noun for them, and the check of a text's holes."""
        kinds = [kind for kind in self.d.kinds.values() if not kind.nameless]
        piles: list[typed.PieceDecl | typed.Kind] = [*self.d.pieces.values(), *(kind for kind in kinds if kind.places)]
        return {
            "kinds": (lambda: [k.name for k in kinds], "kind", self._plain),
            "each": (lambda: [k.name for k in kinds if not k.is_player], "kind", self._each),
            "entities": (lambda: [f"{k.name}.{e}" for k in kinds for e in k.index], "entity", self._plain),
            "fields": (self._fields_and_facts, "state field or fact", self._plain),
            "measures": (lambda: self.d.measures, "measure", self._plain),
            "measure_docs": (lambda: self.d.measures, "measure", self._plain),
            "boards": (lambda: ["game", *(k.name for k in kinds), *self._places(piles)], "kind or place", self._plain),
            "pieces": (lambda: self.d.pieces, "type of pieces", lambda n, t: self._named(t, self.d.pieces[n].each)),
            "places": (lambda: self._places(piles), "place", self._place),
            "units": (lambda: self.d.units, "unit", lambda _, t: self._named(t, ["number"])),
            "decisions": (lambda: self.decisions.options, "decision", self._decision),
            "options": (self.decisions.paths, "option", self._option),
            "choices": (self.decisions.paths, "option", self._option),
            "procedures": (lambda: self.ruleset.rules.procedures, "procedure", self._procedure),
            "resumed": (lambda: self.ruleset.rules.procedures, "procedure", self._procedure),
            "endings": (lambda: self.decisions.endings, "ending", self._plain),
            "help": (lambda: help_subjects(self.ruleset, self.decisions), "subject of a help text", self._help),
        }

    @staticmethod
    def _places(piles: list[typed.PieceDecl | typed.Kind]) -> list[str]:
        return [f"{p.name}.{place}" for p in piles for place in p.places]

    def _fields_and_facts(self) -> list[str]:
        facts = [f"{kind.name}.{name}" for kind in self.d.kinds.values() for name in kind.facts]
        return [f"{f.kind}.{f.name}".lstrip(".") for f in self._fields()] + facts

    def _fields(self) -> list[typed.FieldDecl]:
        return [*self.d.fields.values(), *(field for kind in self.d.kinds.values() for field in kind.state.values())]

    def known(self, name: str, names: Iterable[str], what: str, said: TitleText | Expression) -> bool:
        """Whether a name is among the allowed ones; reports an unknown name."""
        there = set(names)
        if name in there:
            return True
        if said.top:
            help_ = did_you_mean(name, sorted(there)) or (f"remove it: there is no such {what}" if there else "")
            span = said.span if isinstance(said, Expression) else said.node.span
            self.report.error("RS531", f"there is no {what} called `{name}`", span, help=help_)
        return False

    def has_state(self, name: str, said: Expression) -> bool:
        """Whether a field, a type of pieces or a place with this name exists."""
        fields = [f"{f.kind}.{f.name}".lstrip(".") for f in self._fields()]
        piles = self._sections["places"][0]()
        return self.known(name, [*fields, *self.d.pieces, *piles], "state", said)

    # --- holes ------------------------------------------------------------------------------------

    @staticmethod
    def _plain(_: str, __: TitleText) -> bool:
        return True

    def _place(self, name: str, text: TitleText) -> bool:
        pile, _, place = name.rpartition(".")
        index = (self.d.pieces[pile] if pile in self.d.pieces else self.d.kinds[pile]).places[place].index
        return self._named(text, [index] if index else [])

    def _named(self, text: TitleText, names: Iterable[str]) -> bool:
        """Whether all holes of a text are among these names."""
        known = list(names)
        wrong = [hole for parts in (text.other, text.one or ()) for hole in holes(parts) if hole.text not in known]
        for hole in wrong if text.top else ():
            self._unknown(hole, text.node, known)
        return not wrong

    def _unknown(self, hole: Hole, node: Node, known: list[str]) -> None:
        help_ = did_you_mean(hole.text, known)
        if not help_:
            names = ", ".join(f"`{n}`" for n in known)
            help_ = f"use one of the holes {names}" if known else "remove it: this text has no holes"
        self.report.error("RS532", f"the hole `{hole.text}` cannot be filled", _place_of(hole, node), help=help_)

    def scope(self, section: str, name: str, span: Span) -> Env:
        """The names available to the holes of a text."""
        if section == "each":
            return Env().bind(_var(name, Ent(name), span))
        if section in ("procedures", "resumed") and name in self.ruleset.rules.procedures:
            env = Env()
            for var in self.ruleset.rules.procedures[name].params:
                env = env.bind(_var(var.name, var.type, var.span))
            return env
        decision, _, option = name.partition(".")
        if section not in ("decisions", "options", "choices") or decision not in self.decisions.options:
            return Env()
        env = self._env(decision, span)
        options = self.decisions.options[decision]
        for param in options[option].params if option in options else ():
            env = env.bind(_var(param.var.name, param.var.type, param.var.span))
        return env

    def _each(self, name: str, text: TitleText) -> bool:
        return self._filled(text, self.scope("each", name, text.node.span))

    def _decision(self, name: str, text: TitleText) -> bool:
        return self._filled(text, self.scope("decisions", name, text.node.span))

    def _option(self, name: str, text: TitleText) -> bool:
        return self._filled(text, self.scope("options", name, text.node.span))

    def _help(self, _: str, text: TitleText) -> bool:
        """Whether a help text only uses constants and facts, as it is displayed at any time."""
        if not self._filled(text, Env()):
            return False
        for rule in words(get(text.node, "rules")) if text.top and self.ruleset.listed else ():
            if rule.text not in self.ruleset.listed:
                help_ = did_you_mean(rule.text, self.ruleset.listed) or "list it in rules.yaml, or name another rule"
                self.report.error("RS585", f"no rule `{rule.text}` is listed", rule.span, help=help_)
        for hole in holes(text.other):
            part = get(text.node, "text") or text.node
            e = self._expression(hole, part, Env(), Report())
            if e is not None and reads_state(e):
                if text.top:
                    message = f"`{hole.text}` changes in the course of a game, but a help text can be read at any time"
                    help_ = "use only constants, facts and settings in a help text"
                    self.report.error("RS532", message, _place_of(hole, part), help=help_)
                return False
        return True

    def _procedure(self, name: str, text: TitleText) -> bool:
        return self._filled(text, self.scope("procedures", name, text.node.span))

    def _env(self, decision: str, span: Span) -> Env:
        """The names that a text about a decision may use."""
        env = self._known(decision, span)
        return env.bind(_var(ACTOR, self.actor_type(decision) or env.vars[DECIDER].type, span))

    def _known(self, decision: str, span: Span) -> Env:
        """The variables known at all decisions with a name, and their deciders."""
        env = Env()
        for name, type_ in self.decisions.known.get(decision, {}).items():
            env = env.bind(_var(name, type_, span))
        return env.bind(_var(DECIDER, or_none(Ent(self.d.player_kind)), span))

    def _filled(self, text: TitleText, env: Env) -> bool:
        """Whether the holes of a text, and its number, are expressions that have a value."""
        result = Report()
        other = get(text.node, "other") or get(text.node, "text") or text.node
        for part, parts in ((other, text.other), (get(text.node, "one"), text.one)):
            for hole in holes(parts or ()):
                assert part is not None
                self._expression(hole, part, env, result)
        if text.count:
            node = get(text.node, "count")
            assert node is not None
            e = self._expression(Hole(text.count), node, env, result)
            if e is not None and not isinstance(e.type, Num):
                result.error(
                    "RS532",
                    f"`{text.count}` is {e.type}, but only a number can choose between singular and plural",
                    node.span,
                )
        if text.top:
            self.report.extend(result.diagnostics)
        return result.ok

    def _expression(self, hole: Hole, node: Node, env: Env, report: Report) -> typed.Expr | None:
        """The typed expression in a hole; None, with a report, if it is invalid."""
        if hole.text in env.vars:
            return typed.Local(env.vars[hole.text].type, env.vars[hole.text].span, env.vars[hole.text])
        self._holes += 1
        span = _place_of(hole, node)
        if self._holes > MAX_HOLES:
            report.error("RS533", f"the words of one language have more than {MAX_HOLES:,} holes", span)
            self.report.extend(report.diagnostics)
            raise DiagnosticsError(self.report.diagnostics)
        result = Report()
        for variables in (env, solid(env)):  # a hole that reads none stays empty
            tried = Report()
            try:
                tree = parse_expr(hole.text, span.file, span.line, span.column, cached=True)
                e = ExpressionChecker(self.d, self.ruleset.rules, tried).infer(tree, variables)
                refuse_loud([part for part in expressions(e) if type(part) is typed.Once], tried)
            except DiagnosticsError as error:
                tried.extend(error.diagnostics)
            if tried.ok and e.type != BAD:
                return e
            result.extend(tried.diagnostics)
        for d in [d for d in result.diagnostics if d.severity.value == "error"][:1]:
            known = [f"`{name}`" for name in env.vars]
            help_ = f"use {', '.join([*known, 'or a name from the rules'])}" if known else "use a name from the rules"
            message = f"the hole `{hole.text}` cannot be filled: {d.message}"
            report.error(
                "RS532",
                message,
                d.span or span,
                help=d.help or help_,
            )
        return None

    # --- who acts ---------------------------------------------------------------------------------

    def all_actors(self) -> list[str]:
        """The decisions at which a seat acts for another entity.

        The expression for all decisions is used only at decisions that have the variables it reads; if no decision has
        them, the expression is reported.
        """
        own = self.own.actors.items()
        named = [n for n, e in own if self.known(n, self.decisions.options, "decision", e) and e.text != "none"]
        results = [n for n in named if self.actor_type(n) is not None]
        if self.own.actor is not None:
            others = [n for n in self.decisions.options if n not in self.own.actors]
            fit = [n for n in others if self.actor_type(n) is not None]
            results += fit
            if others and not fit and self.own.actor.top:
                self._actor(self.own.actor, others[0], self.report)
        return results

    def actor_type(self, decision: str) -> Type | None:
        """The type of the acting entity at a decision, which may be optional; None if only the decider acts."""
        if decision not in self._actors:
            result = Report()
            said = self.own.actors.get(decision, self.own.actor)
            named = said is not None and said.text != "none"
            self._actors[decision] = self._actor(said, decision, result) if named and said is not None else None
            if decision in self.own.actors and said is not None and said.top:
                self.report.extend(result.diagnostics)
        return self._actors[decision]

    def _actor(self, said: Expression, decision: str, report: Report) -> Type | None:
        """The type of an expression for the acting entity; None, with a report, if it names no entity."""
        node = Scalar(said.text, said.text, said.span)
        e = self._expression(Hole(said.text), node, self._known(decision, said.span), report)
        if e is None:
            return None
        if not isinstance(e.type, Ent):
            report.error("RS532", f"`{said.text}` is {e.type}, but the actor must be an entity", said.span)
            return None
        return or_none(e.type)


def solid(env: Env) -> Env:
    """A copy of an environment in which all optional types of variables are replaced by non-optional ones."""
    result = Env()
    for var in env.vars.values():
        result = result.bind(_var(var.name, never_none(var.type), var.span))
    return result


def _var(name: str, type_: Type, span: Span) -> typed.Var:
    return typed.Var(name, type_, span, reads=1)


def _place_of(hole: Hole, node: Node) -> Span:
    """The place of the expression in a hole if its text is one unescaped line, otherwise the place of the text."""
    span = node.span
    if not isinstance(node, Scalar) or span.end_line != span.line or node.style not in ("plain", "single", "double"):
        return span
    column = content_column(node) + hole.at
    return Span(span.file, span.line, column, span.line, column + len(hole.text))
