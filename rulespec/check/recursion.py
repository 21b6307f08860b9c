"""Rules that call themselves, and definitions that nest too deep."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.typed import nodes as typed
from rulespec.typed.traversal import definition_expressions, expressions, parts, walk

MAX_DEPTH = 150
"""Levels of expressions on the longest way through definitions that call one another."""


def check_recursion(c: Context) -> None:
    """Reports each rule that ends up calling itself, and definitions that nest too deep."""
    rules, report = c.rules, c.report
    calls: dict[str, dict[str, Span]] = {}
    spans: dict[str, Span] = {}
    for d in rules.definitions.values():
        spans[f"def {d.name}"] = d.span
        calls[f"def {d.name}"] = {}
        for e in definition_expressions(d):
            _calls_in(e, calls[f"def {d.name}"])
    for p in rules.procedures.values():
        spans[f"procedure {p.name}"] = p.span
        calls[f"procedure {p.name}"] = {}
        for s in walk(p.body):
            if isinstance(s, typed.CallProcedure):
                calls[f"procedure {p.name}"].setdefault(f"procedure {s.procedure.name}", s.span)
    state: dict[str, int] = {}
    depth: dict[str, int] = {}
    for root in calls:
        trail: list[tuple[str, Iterator[tuple[str, Span]]]] = []
        if root in state:
            continue
        state[root] = 1
        trail.append((root, iter(calls[root].items())))
        while trail:
            name, rest = trail[-1]
            step = next(rest, None)
            if step is None:
                state[name] = 2
                depth[name] = _levels(rules, name) + max((depth.get(n, 0) for n in calls[name]), default=0)
                if depth[name] > MAX_DEPTH and all(depth.get(n, 0) <= MAX_DEPTH for n in calls[name]):
                    help_ = "let fewer definitions call one another in a row"
                    report.error("RS410", "the definitions that this one calls nest too deep", spans[name], help=help_)
                trail.pop()
                continue
            callee, span = step
            if state.get(callee) == 1:
                names = [n for n, _ in trail]
                ring = " → ".join(n.split()[1] for n in [*names[names.index(callee) :], callee])
                report.error(
                    "RS401",
                    f"rules cannot call themselves: {ring}",
                    span,
                    notes=[Label(spans[callee], "declared here")],
                    help="walk over a set with `for`, or find what is connected with `reach(x from s: t)`",
                )
            elif callee not in state and callee in calls:
                state[callee] = 1
                trail.append((callee, iter(calls[callee].items())))


def _levels(rules: typed.Rules, name: str) -> int:
    """How deep the expressions of a definition nest."""
    kind, _, key = name.partition(" ")
    if kind != "def":
        return 0
    d = rules.definitions[key]
    level = definition_expressions(d)
    depth = 0
    while level:
        depth += 1
        level = [part for e in level for part in parts(e)]
    return depth


def _calls_in(root: typed.Expr, found: dict[str, Span]) -> None:
    for e in expressions(root):
        if isinstance(e, typed.Call):
            found.setdefault(f"def {e.definition.name}", e.span)
