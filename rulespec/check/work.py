"""Bounds on the steps of an expression: calls of definitions multiply, and so do sets in sets."""

from __future__ import annotations

from math import prod

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.typed.seats import size
from rulespec.typed.traversal import (
    definition_expressions,
    expressions,
    head_expressions,
    parts,
    statement_expressions,
    walk,
)
from rulespec.types import MAX_ONCE_STEPS, Type

MAX_WORK = 10**7
"""Steps of evaluating one expression, estimated from the sizes of the kinds."""
MAX_LISTING_WORK = 10**12
"""Steps of all conditions of a decision's options for all their arguments; at play, those taken are counted."""
MAX_INVARIANT_WORK = 10**7
"""Steps of all invariants together."""
MAX_START_WORK = 3 * 10**6
"""Steps of all start values with every number of players."""
MAX_CHECK_WORK = 10**6
"""Steps of all checks of facts, for all entities."""


def check_work(c: Context) -> None:
    """Reports each expression that may take too many steps. Rules must not be recursive."""
    work = _Work(c.declarations)
    # Called definitions come first: those that call one that takes too long are not reported as well.
    for definition in _by_depth(c.rules):
        if not _check(c, work.of_definition(definition), f"the definition `{definition.name}`", definition.span):
            return
    for guard in c.rules.guards.values():
        for e in head_expressions(guard.head):
            _check(c, work.of(e), "this", e.span)
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            for e in statement_expressions(s):
                _check(c, work.of(e), "this", e.span)
            steps = 0
            for option in s.options if isinstance(s, typed.Decide) else ():
                steps += work.of_listing(option)
                if not _check(c, steps, f"listing the option `{option.name}`", option.span, MAX_LISTING_WORK):
                    break
    total = 0
    for times, value in _starts(c.declarations, work):
        total += times * work.of(value)
        if not _check(c, total, "the start values, with every number of players,", value.span, MAX_START_WORK):
            break
    total = 0
    for check in c.declarations.checks:
        total += work.size(check.var.type) * sum(work.of(e) for e in (check.where, check.that) if e is not None)
        if not _check(c, total, "the checks of all entities together", check.span, MAX_CHECK_WORK):
            break
    for invariant in c.rules.invariants.values():
        total += work.of(invariant.condition)
        name = f"the invariant `{invariant.name}`, with those before it,"
        if not _check(c, total, name, invariant.span, MAX_INVARIANT_WORK):
            break


def _check(c: Context, steps: int, name: str, span: Span, most: int = MAX_WORK) -> bool:
    if steps > most:
        help_ = "let definitions call one another once, or name a value with `let` instead of working it out twice"
        c.report.error("RS411", f"{name} may take more than {most:,} steps", span, help=help_)
    return steps <= most


class _Work:
    """The most steps that expressions take, estimated from the sizes of the kinds."""

    def __init__(self, declarations: typed.Declarations) -> None:
        self.decls = declarations
        self._of_definitions: dict[typed.Definition, int] = {}
        self._of_procedures: dict[typed.Procedure, int] = {}
        self._of_guards: dict[typed.Guard, int] = {}

    def of(self, e: typed.Expr) -> int:
        """Steps of evaluating an expression once."""
        if type(e) is typed.Each:  # `type(…) is`, because `isinstance` says no slowly where classes are made in C
            b = e.binder
            inner = sum(self.of(x) for x in (b.where, e.body, *b.keys) if x is not None)
            outer = sum(self.of(x) for x in (b.source, b.start, e.default) if x is not None)
            return 1 + outer + self.members(b.source) * (1 + inner)
        if type(e) is typed.Reach:
            return 1 + self.of(e.start) + self.size(e.var.type) * (1 + self.of(e.step))
        if type(e) is typed.Ways:
            return self._of_ways(e)
        called = self.of_definition(e.definition) if type(e) is typed.Call else 0
        if type(e) is typed.Once:
            called = self.of_procedure(e.procedure)
        return 1 + called + sum(self.of(x) for x in parts(e))

    def _of_ways(self, e: typed.Ways) -> int:
        """Each entity is settled once at most; then the costs of all steps from it are worked out."""
        step = 1 + self.of(e.cost) + (self.of(e.near.where) if e.near.where is not None else 0)
        once, each = (self.of(e.bound), 0) if e.op == "reach" else (0, self.of(e.bound))
        each += self.of(e.near.source) + self.members(e.near.source) * step
        once += self.of(e.default) if e.default is not None else 0
        return 1 + self.of(e.start) + once + self.size(e.var.type) * (1 + each)

    def of_definition(self, definition: typed.Definition) -> int:
        """Steps of calling a definition, without its arguments."""
        if definition not in self._of_definitions:
            self._of_definitions[definition] = sum(self.of(e) for e in definition_expressions(definition))
        return self._of_definitions[definition]

    def of_procedure(self, procedure: typed.Procedure) -> int:
        """Steps of a procedure that `once` runs, which the engine bounds."""
        if procedure not in self._of_procedures:
            self._of_procedures[procedure] = min(MAX_ONCE_STEPS, self._block(procedure.body))
        return self._of_procedures[procedure]

    def _block(self, block: typed.Block) -> int:
        """Steps of statements: of the branches of each the dearest, of a loop all rounds."""
        steps = 0
        for s in block:
            steps += 1 + sum(map(self.of, statement_expressions(s)))
            if isinstance(s, typed.CallProcedure):
                steps += self.of_procedure(s.procedure)
            elif isinstance(s, typed.If):
                steps += max(self._block(body) for _, body in s.branches)
            elif isinstance(s, typed.Match):
                steps += max(self._block(body) for body in (*(body for _, body in s.cases), s.other or ()))
            elif isinstance(s, typed.For):
                where = self.of(s.binder.where) if s.binder.where is not None else 0
                steps += self.members(s.binder.source) * (1 + where + self._block(s.body))
            elif isinstance(s, typed.Repeat):
                times = s.limit.value if isinstance(s.limit, typed.Lit) else MAX_ONCE_STEPS
                steps += times * self._block(s.body)
        return steps

    def of_listing(self, option: typed.OptionDef) -> int:
        """Steps of going through all arguments of an option. Ranges of numbers count once: the engine bounds them."""
        steps, times = 1, 1
        for param in option.params:
            steps += times * sum(self.of(e) for e in (param.low, param.high) if e is not None)
            times *= self.members(param.low) if param.high is None else 1
            steps += times * (self.of(param.where) if param.where is not None else 1)
        return steps + times * self.of_head(option.head)

    def of_head(self, head: tuple[typed.HeadPart, ...]) -> int:
        """Steps of evaluating a head once, with the guards that it needs."""
        steps = sum(self.of(e) for e in head_expressions(head))
        return steps + sum(self.of_guard(part.guard) for part in head if isinstance(part, typed.Needs))

    def of_guard(self, guard: typed.Guard) -> int:
        """Steps of evaluating the head of a guard, without its arguments."""
        if guard not in self._of_guards:
            self._of_guards[guard] = self.of_head(guard.head)
        return self._of_guards[guard]

    def members(self, source: typed.Expr) -> int:
        """The most members that a set can have."""
        most = self.size(source.type)
        if isinstance(source, typed.Lit):
            return source.value.bit_count()
        if isinstance(source, typed.Fact):
            return min(most, max((value.bit_count() for value in source.decl.values), default=0))
        if isinstance(source, typed.BoardOp):
            return source.board.longest
        if isinstance(source, typed.Op) and source.op == "set":
            return min(most, len(source.args))
        if isinstance(source, typed.Op) and source.op in ("&", "|", "diff"):
            sizes = [self.members(part) for part in source.args]
            return sizes[0] if source.op == "diff" else min(sizes) if source.op == "&" else min(most, sum(sizes))
        if isinstance(source, typed.Each) and source.op in ("set", "best"):
            return min(most, self.members(source.binder.source))
        if isinstance(source, typed.Call) and source.definition.body is not None:
            return self.members(source.definition.body)
        return most

    def size(self, type_: Type) -> int:
        """Entities of the kind of a type; 1 if it has none."""
        kind = getattr(type_, "kind", "")
        return size(self.decls.kinds, kind, self.decls.max_players) if kind in self.decls.kinds else 1


def _starts(d: typed.Declarations, work: _Work) -> list[tuple[int, typed.Expr]]:
    """The start values, and how many times each is evaluated for all numbers of players together."""
    games = d.max_players - d.min_players + 1
    fields = [*d.fields.values(), *(f for k in d.kinds.values() for f in k.state.values())]
    starts = [(games, field.start) for field in fields if field.start is not None]
    for placement in d.placements:
        each = [work.size(key.type) for key in placement.keys if isinstance(key, typed.Var)]
        starts.append((prod(each) * (games if placement.players is None else 1), placement.value))
    return starts


def _by_depth(rules: typed.Rules) -> list[typed.Definition]:
    """The definitions; those that others call come before the others."""
    depth: dict[typed.Definition, int] = {}

    def of(definition: typed.Definition) -> int:
        if definition not in depth:
            called = [
                e.definition
                for r in definition_expressions(definition)
                for e in expressions(r)
                if isinstance(e, typed.Call)
            ]
            depth[definition] = 1 + max((of(d) for d in called), default=0)
        return depth[definition]

    return sorted(rules.definitions.values(), key=of)
