"""How much work an expression may be: definitions that call one another twice multiply, and loops in loops do."""

from __future__ import annotations

from math import prod

from rulespec.check.termination import expressions, parts, statement_expressions, walk
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.typed import nodes as typed
from rulespec.types import Type

MAX_WORK = 10**7
"""Steps that evaluating one expression may take at the very most, estimated from the sizes of the kinds."""
MAX_LISTING_WORK = 10**9
"""The same of all conditions of an option, for all its arguments; most conditions settle it long before."""
MAX_START_WORK = 3 * 10**6
"""The same of all start values, with every number of players."""


def check_work(declarations: typed.Declarations, rules: typed.Rules, report: Report) -> None:
    """Reports each definition and each other expression whose work may get out of hand. Rules must not be recursive."""
    known: dict[typed.Definition, int] = {}

    def size(kind: str) -> int:
        found = declarations.kinds[kind]
        return declarations.max_players if found.is_player else len(found.entities)

    def work(e: typed.Expr) -> int:
        if isinstance(e, typed.Each):
            b = e.binder
            inner = sum(work(x) for x in (b.where, e.body) if x is not None)
            outer = sum(work(x) for x in (b.source, b.start, e.default) if x is not None)
            return 1 + outer + members(b.source) * (1 + inner)
        if isinstance(e, typed.Reach):
            return 1 + work(e.start) + of_kind(e.var.type) * (1 + work(e.step))
        called = of(e.definition) if isinstance(e, typed.Call) else 0
        return 1 + called + sum(work(x) for x in parts(e))

    def members(source: typed.Expr) -> int:
        """The most members that a set can have."""
        most = of_kind(source.type)
        if isinstance(source, typed.Lit):
            return source.value.bit_count()
        if isinstance(source, typed.Fact):
            return min(most, max((value.bit_count() for value in source.decl.values), default=0))
        if isinstance(source, typed.Op) and source.op == "set":
            return min(most, len(source.args))
        if isinstance(source, typed.Op) and source.op in ("&", "|", "diff"):
            sizes = [members(part) for part in source.args]
            return sizes[0] if source.op == "diff" else min(sizes) if source.op == "&" else min(most, sum(sizes))
        if isinstance(source, typed.Each) and source.op == "set":
            return min(most, members(source.binder.source))
        if isinstance(source, typed.Call) and source.definition.body is not None:
            return members(source.definition.body)
        return most

    def of_kind(type_: Type) -> int:
        kind = getattr(type_, "kind", "")
        return size(kind) if kind in declarations.kinds else 1

    def listing(option: typed.OptionDef) -> int:
        """Going through all arguments of an option. Numbers are not known here: the engine counts them."""
        steps, times = 1, 1
        for param in option.params:
            steps += times * sum(work(e) for e in (param.low, param.high) if e is not None)
            times *= members(param.low) if param.high is None else 1
            steps += times * (work(param.where) if param.where is not None else 1)
        return steps + times * sum(work(r.condition) for r in option.requires)

    def of(definition: typed.Definition) -> int:
        if definition not in known:
            found = [value for _, value in definition.lets]
            found += [definition.body] if definition.body is not None else []
            known[definition] = sum(work(e) for e in found)
        return known[definition]

    def check(amount: int, name: str, span: Span, most: int = MAX_WORK) -> bool:
        if amount > most:
            help_ = "let definitions call one another once, or keep a value in `let` instead of asking for it again"
            report.error("RS411", f"{name} may take more than {most:,} steps", span, help=help_)
        return amount <= most

    # Those that others call come first, and then those that call them need not be told.
    for definition in _by_depth(rules):
        if not check(of(definition), f"the definition `{definition.name}`", definition.span):
            return
    for procedure in rules.procedures.values():
        for s in walk(procedure.body):
            for e in statement_expressions(s):
                check(work(e), "this", e.span)
            for option in s.options if isinstance(s, typed.Decide) else ():
                check(listing(option), f"listing the option `{option.name}`", option.span, MAX_LISTING_WORK)
    total = 0
    games = declarations.max_players - declarations.min_players + 1
    fields = [*declarations.fields.values(), *(f for k in declarations.kinds.values() for f in k.state.values())]
    starts = [(games, field.start) for field in fields if field.start is not None]
    for placement in declarations.placements:
        each = [of_kind(key.type) for key in placement.keys if isinstance(key, typed.Var)]
        starts.append((prod(each) * (games if placement.players is None else 1), placement.value))
    for times, value in starts:
        total += times * work(value)
        if not check(total, "the start values, with every number of players,", value.span, MAX_START_WORK):
            break
    for invariant in rules.invariants.values():
        check(work(invariant.condition), f"the invariant `{invariant.name}`", invariant.span)


def _by_depth(rules: typed.Rules) -> list[typed.Definition]:
    """The definitions, those that others call before the others."""
    depth: dict[typed.Definition, int] = {}

    def of(definition: typed.Definition) -> int:
        if definition not in depth:
            found = [value for _, value in definition.lets]
            found += [definition.body] if definition.body is not None else []
            called = [e.definition for root in found for e in expressions(root) if isinstance(e, typed.Call)]
            depth[definition] = 1 + max((of(d) for d in called), default=0)
        return depth[definition]

    return sorted(rules.definitions.values(), key=of)
