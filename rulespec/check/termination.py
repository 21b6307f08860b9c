"""What always ends: no recursion, and no loop without a bound or a decision in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.typed import nodes as typed

MAX_DEPTH = 150
"""Levels of expressions on the longest way through definitions that call one another."""


def check_recursion(rules: typed.Rules, report: Report) -> None:
    """Reports each rule that ends up calling itself, and definitions that nest too deep."""
    calls: dict[str, dict[str, Span]] = {}
    spans: dict[str, Span] = {}
    for d in rules.definitions.values():
        spans[f"def {d.name}"] = d.span
        calls[f"def {d.name}"] = {}
        for e in [*(v for _, v in d.lets), *([d.body] if d.body else [])]:
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
                depth[name] = _levels(rules, name) + max((depth.get(c, 0) for c in calls[name]), default=0)
                if depth[name] > MAX_DEPTH and all(depth.get(c, 0) <= MAX_DEPTH for c in calls[name]):
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
    level = [*(v for _, v in d.lets), *([d.body] if d.body else [])]
    depth = 0
    while level:
        depth += 1
        level = [part for e in level for part in parts(e)]
    return depth


def _calls_in(root: typed.Expr, found: dict[str, Span]) -> None:
    for e in expressions(root):
        if isinstance(e, typed.Call):
            found.setdefault(f"def {e.definition.name}", e.span)


def expressions(root: typed.Expr) -> Iterator[typed.Expr]:
    """An expression and all its parts."""
    stack = [root]
    while stack:
        e = stack.pop()
        yield e
        stack.extend(parts(e))


_PARTS: dict[type[typed.Expr], Callable[..., list[typed.Expr]]] = {
    typed.Op: lambda e: list(e.args),
    typed.Call: lambda e: list(e.args),
    typed.TrackOp: lambda e: list(e.args),
    typed.Field: lambda e: [e.owner] if e.owner is not None else [],
    typed.Fact: lambda e: [e.owner],
    typed.PieceCount: lambda e: [*e.ids, *([e.index] if e.index is not None else [])],
    typed.TableRow: lambda e: list(e.keys),
    typed.ProductEntity: lambda e: list(e.parts),
    typed.Choice: lambda e: [e.condition, e.then, e.other],
    typed.Each: lambda e: [*_of_binder(e.binder), *(x for x in (e.body, e.default) if x is not None)],
    typed.Reach: lambda e: [e.start, e.step],
}


def parts(e: typed.Expr) -> list[typed.Expr]:
    """The expressions that an expression is directly made of."""
    of = _PARTS.get(type(e))
    return of(e) if of is not None else []


def _of_binder(b: typed.Binder) -> list[typed.Expr]:
    return [b.source, *(x for x in (b.start, b.where) if x is not None)]


def walk(block: typed.Block) -> Iterator[typed.Stmt]:
    """All statements of a block, however deep."""
    stack = list(reversed(block))
    while stack:
        s = stack.pop()
        yield s
        if isinstance(s, typed.If):
            for _, body in s.branches:
                stack.extend(reversed(body))
        elif isinstance(s, typed.Match):
            for _, body in s.cases:
                stack.extend(reversed(body))
            stack.extend(reversed(s.other or ()))
        elif isinstance(s, typed.For | typed.Repeat):
            stack.extend(reversed(s.body))
        elif isinstance(s, typed.Decide):
            for o in s.options:
                stack.extend(reversed(o.body))


def statement_expressions(s: typed.Stmt) -> list[typed.Expr]:
    """The expressions a statement is directly made of (not those of the statements in it)."""
    if isinstance(s, typed.Let | typed.Assign):
        target = [s.target] if isinstance(s, typed.Assign) else []
        return [*target, s.value]
    if isinstance(s, typed.Transfer):
        return [s.amount, s.source, s.target]
    if isinstance(s, typed.CallProcedure):
        return list(s.args)
    if isinstance(s, typed.EndGame):
        return [s.winners] if s.winners is not None else []
    if isinstance(s, typed.If):
        return [c for c, _ in s.branches if c is not None]
    if isinstance(s, typed.Match):
        return [s.subject]
    if isinstance(s, typed.For):
        return _of_binder(s.binder)
    if isinstance(s, typed.Repeat):
        return [s.limit] if s.limit is not None else []
    if isinstance(s, typed.Decide):
        found = [e for e in (s.by,) if e is not None]
        if s.each is not None:
            found += _of_binder(s.each)
        for o in s.options:
            for p in o.params:
                found += [e for e in (p.low, p.high, p.where) if e is not None]
            found += [e for e in (o.by, o.weight) if e is not None]
            found += [r.condition for r in o.requires]
        return found
    return []


def check_loops(rules: typed.Rules, report: Report) -> None:
    """Reports each `repeat:` that can go round without a decision."""
    asks: dict[typed.Procedure, bool] = {}

    def always_asks(p: typed.Procedure) -> bool:
        if p not in asks:
            asks[p] = False  # a recursion, reported elsewhere
            asks[p] = not _quiet(p.body, always_asks) & {"next", "return"}
        return asks[p]

    for p in rules.procedures.values():
        for s in walk(p.body):
            if isinstance(s, typed.Repeat) and s.limit is None and _quiet(s.body, always_asks) & {"next", "again"}:
                report.error(
                    "RS402",
                    "this loop can go round without a decision, and then never ends",
                    s.span,
                    help="bound it: `repeat at most …:`; or let every way through it meet a `decide` or `leave`",
                )


def _quiet(block: typed.Block, always_asks: object) -> set[str]:
    """The ways out of a block that no decision lies on: next (its end), leave, again, return."""
    assert callable(always_asks)
    out: set[str] = set()
    for s in block:
        if isinstance(s, typed.Jump):
            word = s.word.split()[0]
            return out if s.word == "again decide" else out | {word}
        if isinstance(s, typed.EndGame) or (isinstance(s, typed.Decide) and s.form != "together"):
            return out
        if isinstance(s, typed.CallProcedure) and always_asks(s.procedure):
            return out
        ways: set[str] = {"next"}
        if isinstance(s, typed.If):
            ways = set().union(*(_quiet(b, always_asks) for _, b in s.branches))
            if s.branches[-1][0] is not None:
                ways |= {"next"}
        elif isinstance(s, typed.Match):
            ways = set().union(*(_quiet(b, always_asks) for _, b in s.cases), _quiet(s.other or (), always_asks))
        elif isinstance(s, typed.For | typed.Repeat):
            inner = _quiet(s.body, always_asks)
            ways = inner & {"return"}
            if isinstance(s, typed.For) or s.limit is not None or "leave" in inner:
                ways |= {"next"}
        out |= ways - {"next"}
        if "next" not in ways:
            return out
    return out | {"next"}
