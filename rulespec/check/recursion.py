"""Recursive rules without a declared depth, useless depth declarations, and definitions and guards nested too deep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import (
    called,
    definition_expressions,
    expressions,
    head_expressions,
    parts,
    rings,
    statement_expressions,
    walk,
)

MAX_DEPTH = 150
"""Maximum depth of expressions along a chain of definitions."""


class _Rule(Struct):
    """A definition, a procedure or a guard.

    Attributes:
        name: its name.
        span: the place of its declaration.
        calls: the first call of each rule that it calls, by the key of that rule.
        levels: the depth of its own expressions; 0 for a procedure never called by `once`, 1 for a guard.
        depth: the depth including all callees; None until computed.
    """

    name: str
    span: Span
    calls: dict[str, Span]
    levels: int = 0
    depth: int | None = None


def check_recursion(c: Context) -> None:
    """Reports directly or indirectly recursive rules, and definitions that are nested too deep.

    A procedure under `once` counts as called by the enclosing rule. A statement may call any procedure with a declared
    depth, so every valid cycle of calls contains such a procedure.
    """
    rules = _call_graph(c.rules)
    seen: set[str] = set()
    for root in rules:
        if root not in seen:
            _follow(root, rules, seen, c)
    if c.report.ok:  # otherwise a call may lack a typed form
        _check_depths(c)


def _follow(root: str, rules: dict[str, _Rule], seen: set[str], c: Context) -> None:
    """Follows the calls from a rule in depth-first order; reports cycles and computes depths."""
    seen.add(root)
    trail: list[tuple[str, Iterator[tuple[str, Span]]]] = [(root, iter(rules[root].calls.items()))]
    while trail:
        key, rest = trail[-1]
        step = next(rest, None)
        if step is None:
            _measure(rules[key], rules, c)
            trail.pop()
            continue
        callee, span = step
        if callee not in rules:
            continue
        if callee not in seen:
            seen.add(callee)
            trail.append((callee, iter(rules[callee].calls.items())))
        elif rules[callee].depth is None:  # it is on the current trail
            keys = [k for k, _ in trail]
            ring = " → ".join(rules[k].name for k in [*keys[keys.index(callee) :], callee])
            c.report.error(
                "RS401",
                f"rules cannot call themselves: {ring}",
                span,
                notes=[Label(rules[callee].span, "declared here")],
                help=_way_out(c, [key.partition(" ")[0] for key in keys[keys.index(callee) :]], rules[callee].name),
            )


def _way_out(c: Context, kinds: list[str], name: str) -> str:
    """The help for a cycle of rules of the given kinds that starts at the rule `name`."""
    procedure = c.rules.procedures.get(name)
    if procedure is not None and procedure.deep is not None:
        return "describe the result by a definition: `once` cannot run a procedure that calls itself"
    if set(kinds) == {"procedure"}:
        return f"declare a depth, `procedure {name}(…) at most 12 deep:`, or use a `for` or a `repeat`"
    return "use `for` over a set, `reach(x from s: t)` along links, or a decision in a `repeat:`"


def _check_depths(c: Context) -> None:
    """Warns of procedures with a declared depth that are not recursive."""
    in_rings = rings(c.rules)
    for p in c.rules.procedures.values():
        if p.deep_span is not None and p not in in_rings:
            message = f"`{p.name.partition(' ')[0]}` never calls itself, directly or through others"
            help_ = "remove `at most … deep`, or make the procedure call itself"
            c.report.warning("RS419", message, p.deep_span, help=help_)


def _measure(rule: _Rule, rules: dict[str, _Rule], c: Context) -> None:
    """Sets the depth of a rule after its callees; in a chain of definitions, reports the first that is too deep."""
    below = [rules[key].depth or 0 for key in rule.calls if key in rules and rule.levels]
    rule.depth = rule.levels + max(below, default=0)
    if rule.levels and rule.depth > MAX_DEPTH and all(depth <= MAX_DEPTH for depth in below):
        what = "guards" if rule.name in c.rules.guards else "definitions"
        help_ = f"shorten the chain of {what}"
        c.report.error("RS410", f"the {what} called by this one are nested too deep", rule.span, help=help_)


def _call_graph(rules: typed.Rules) -> dict[str, _Rule]:
    """The rules by unique key: a definition and a procedure with the same name are two rules."""
    graph: dict[str, _Rule] = {}
    asked = called([e.procedure for e in rules.suppositions])
    for d in rules.definitions.values():
        roots = definition_expressions(d)
        graph[f"def {d.name}"] = _Rule(d.name, d.span, _calls(roots), _levels(roots))
    for p in rules.procedures.values():
        statements = list(walk(p.body))
        roots = [e for s in statements for e in statement_expressions(s)] if asked else []
        calls = _calls(roots)
        for s in statements:
            if isinstance(s, typed.CallProcedure) and s.procedure.deep is None:
                calls.setdefault(f"procedure {s.procedure.name}", s.span)
        supposes = any(type(e) is typed.Once for root in roots for e in expressions(root))
        levels = 1 + _levels(roots) if supposes or p in asked else 0
        graph[f"procedure {p.name}"] = _Rule(p.name, p.span, calls, levels)
    for g in rules.guards.values():
        roots = head_expressions(g.head)
        calls = _calls(roots)
        for part in g.head:
            if isinstance(part, typed.Needs):
                calls.setdefault(f"guard {part.guard.name}", part.span)
        graph[f"guard {g.name}"] = _Rule(g.name, g.span, calls, 1 + _levels(roots))
    return graph


def _calls(roots: list[typed.Expr]) -> dict[str, Span]:
    """The rules called by expressions, by key, each with the place of the first call."""
    calls: dict[str, Span] = {}
    for root in roots:
        for e in expressions(root):
            if isinstance(e, typed.Call):
                calls.setdefault(f"def {e.definition.name}", e.span)
            elif isinstance(e, typed.Once):
                calls.setdefault(f"procedure {e.procedure.name}", e.call)
    return calls


def _levels(level: list[typed.Expr]) -> int:
    """The nesting depth of expressions."""
    depth = 0
    while level:
        depth += 1
        level = [part for e in level for part in parts(e)]
    return depth


def check_quiet(c: Context) -> None:
    """Reports each `once` whose procedure may offer a decision or end the game."""
    refuse_loud([e for group in c.expressions_by_rule for e in group if type(e) is typed.Once], c.report)


def refuse_loud(expressions: Sequence[typed.Once], report: Report) -> None:
    """Reports each `once` whose procedure, directly or indirectly, may offer a decision, end the game or recurse."""
    for e in expressions:
        procedures = called([e.procedure])
        loud = (s for p in procedures for s in walk(p.body) if isinstance(s, typed.Decide | typed.EndGame))
        deep = next((p for p in procedures if p.deep is not None), None)
        if (s := next(loud, None)) is not None:
            does = "may end the game" if isinstance(s, typed.EndGame) else "may offer a decision"
            does = "may roll" if isinstance(s, typed.Decide) and s.form == "chance" else does
            message = f"`once` cannot run `{e.procedure.name}`, which {does}"
            help_ = "call a procedure that has no decision, chance or `end game`, and calls no procedure with one"
            report.error("RS321", message, e.call, notes=[Label(s.span, f"{does} here")], help=help_)
        elif deep is not None:
            message = f"`once` cannot run a procedure that may call itself, such as `{deep.name}`"
            help_ = "call a procedure that neither declares `at most … deep` nor calls one that does"
            notes = [Label(deep.deep_span or deep.span, "its depth is declared here")]
            report.error("RS421", message, e.call, notes=notes, help=help_)
