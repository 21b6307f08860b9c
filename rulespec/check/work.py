"""How much work an expression may be: definitions that call one another twice multiply, and loops in loops do."""

from __future__ import annotations

from rulespec import typed
from rulespec.check.flow import expressions, parts, statement_expressions, walk
from rulespec.diagnostics import Report, Span
from rulespec.types import Type

MAX_WORK = 10**9
"""Steps that evaluating one expression may take at the very most, estimated from the sizes of the kinds."""


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
        if isinstance(source, typed.Lit):
            return source.value.bit_count()
        if isinstance(source, typed.Op) and source.op == "set":
            return len(source.args)
        return of_kind(source.type)

    def of_kind(type_: Type) -> int:
        kind = getattr(type_, "kind", "")
        return size(kind) if kind in declarations.kinds else 1

    def of(definition: typed.Definition) -> int:
        if definition not in known:
            found = [value for _, value in definition.lets]
            found += [definition.body] if definition.body is not None else []
            known[definition] = sum(work(e) for e in found)
        return known[definition]

    def check(amount: int, name: str, span: Span) -> bool:
        if amount > MAX_WORK:
            help_ = "let definitions call one another once, or keep a value in `let` instead of asking for it again"
            report.error("RS411", f"{name} may take more than {MAX_WORK:,} steps", span, help=help_)
        return amount <= MAX_WORK

    # Those that others call come first, and then those that call them need not be told.
    for definition in _by_depth(rules):
        if not check(of(definition), f"the definition `{definition.name}`", definition.span):
            return
    for procedure in rules.procedures.values():
        for s in walk(procedure.body):
            for e in statement_expressions(s):
                check(work(e), "this", e.span)
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
