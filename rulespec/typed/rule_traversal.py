"""Traversal of typed rules: expressions with their parts, and statements with their expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rulespec.typed import nodes as typed


def expressions(root: typed.Expr) -> Iterator[typed.Expr]:
    """An expression and all its subexpressions."""
    stack = [root]
    while stack:
        e = stack.pop()
        yield e
        stack.extend(parts(e))


_PARTS: dict[type[typed.Expr], Callable[..., list[typed.Expr]]] = {
    typed.Op: lambda e: list(e.args),
    typed.Call: lambda e: list(e.args),
    typed.TrackOp: lambda e: list(e.args),
    typed.BoardOp: lambda e: list(e.args),
    typed.LinkBetween: lambda e: list(e.ends),
    typed.Field: lambda e: [e.owner] if e.owner is not None else [],
    typed.Fact: lambda e: [e.owner],
    typed.PieceCount: lambda e: [*e.ids, *([e.index] if e.index is not None else [])],
    typed.PlaceValue: lambda e: [e.index] if e.index is not None else [],
    typed.Room: lambda e: [e.place],
    typed.RoomTogether: lambda e: [e.index] if e.index is not None else [],
    typed.TableRow: lambda e: list(e.keys),
    typed.ProductEntity: lambda e: list(e.parts),
    typed.Choice: lambda e: [e.condition, e.then, e.other],
    typed.IfSome: lambda e: [e.value, e.then, e.other],
    typed.Cases: lambda e: [e.subject, *arms(e)],
    typed.Each: lambda e: [*_of_binder(e.binder), *(x for x in (e.body, e.default) if x is not None)],
    typed.Reach: lambda e: [e.start, e.step],
    typed.Ways: lambda e: [e.start, *_of_binder(e.near), *(x for x in (e.cost, e.bound, e.default) if x is not None)],
    typed.PathDomain: lambda e: [e.start, *_of_binder(e.near), *e.uses, e.cost, e.within],
    typed.PathQuery: lambda e: [e.paths, *(x for x in (e.where, e.worth, e.default) if x is not None)],
    typed.Along: lambda e: [e.path, *(x for x in (e.where, e.body) if x is not None)],
    typed.OverSubsets: lambda e: [e.source, *(x for x in (e.where, e.body, e.default) if x is not None)],
    typed.Once: lambda e: [*e.args, e.value],
}


def arms(e: typed.Cases) -> list[typed.Expr]:
    """The values of the cases of a `match`, ending with the `else` value."""
    return [*(value for _, value in e.cases), *([e.other] if e.other is not None else [])]


def parts(e: typed.Expr) -> list[typed.Expr]:
    """The direct subexpressions of an expression."""
    of = _PARTS.get(type(e))
    return of(e) if of is not None else []


def _of_binder(b: typed.Binder) -> list[typed.Expr]:
    return [b.source, *(x for x in (b.start, b.where) if x is not None), *b.keys]


def definition_expressions(definition: typed.Definition) -> list[typed.Expr]:
    """The direct expressions of a definition: the values of its `let` statements and its body."""
    return [*(value for _, value in definition.lets), *([definition.body] if definition.body is not None else [])]


def walk(block: typed.Block) -> Iterator[typed.Stmt]:
    """All statements of a block, including nested ones."""
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
        elif isinstance(s, typed.CallProcedure) and s.then is not None:
            stack.append(s.then)
        elif isinstance(s, typed.Decide):
            for o in s.options:
                stack.extend(reversed(o.body))
            stack.extend(reversed(s.otherwise.body if s.otherwise is not None else ()))


def statement_expressions(s: typed.Stmt) -> list[typed.Expr]:
    """The direct expressions of a statement, without those of nested statements."""
    if isinstance(s, typed.LetTable):
        secrecy = s.table.private
        return [s.value, *([secrecy.to] if secrecy is not None else [])]
    if isinstance(s, typed.Let | typed.Assign | typed.Return):
        target = [s.target] if isinstance(s, typed.Assign) else []
        return [*target, s.value]
    if isinstance(s, typed.Transfer):
        return [s.amount, s.source, s.target]
    if isinstance(s, typed.Put):
        return [s.token, s.place]
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
        results = [e for e in (s.by, s.lead) if e is not None]
        if s.each is not None:
            results += _of_binder(s.each)
        for o in s.options:
            for p in o.params:
                to = p.private.to if p.private is not None else None
                results += [e for e in (*p.domain, p.where, to) if e is not None]
            results += [e for e in (o.by, o.weight) if e is not None]
            results += head_expressions(o.head)
        return results
    return []


def secrecies(declarations: typed.Declarations, rules: typed.Rules | None = None) -> Iterator[typed.Secrecy]:
    """The viewers declared by each `private:` in the declarations and by each `private` local table in the rules."""
    fields = [*declarations.fields.values(), *(f for k in declarations.kinds.values() for f in k.state.values())]
    places = [place for piece in declarations.pieces.values() for place in piece.places.values()]
    places += [place for kind in declarations.kinds.values() for place in kind.places.values()]
    fields += tables_of(rules) if rules is not None else []
    results = [*(field.private for field in fields), *(place.private for place in places)]
    yield from (secrecy for secrecy in results if secrecy is not None)


def tables_of(rules: typed.Rules) -> Iterator[typed.FieldDecl]:
    """The local tables of all procedures."""
    for procedure in rules.procedures.values():
        yield from (s.table for s in walk(procedure.body) if isinstance(s, typed.LetTable))


def private_params(rules: typed.Rules) -> Iterator[typed.OptionParam]:
    """The option parameters with private arguments."""
    for procedure in rules.procedures.values():
        for s in walk(procedure.body):
            for option in s.options if isinstance(s, typed.Decide) else ():
                yield from (param for param in option.params if may_be_hidden(param))


def may_hide(ruleset: typed.Ruleset) -> bool:
    """Whether games of a ruleset have hidden information under at least some settings."""
    bodies = [statement for procedure in ruleset.rules.procedures.values() for statement in walk(procedure.body)]
    together = any(isinstance(s, typed.Decide) and s.form == "together" for s in bodies)
    return together or any(secrecies(ruleset.declarations, ruleset.rules)) or any(private_params(ruleset.rules))


def may_be_hidden(param: typed.OptionParam) -> bool:
    """Whether an argument may be hidden from some seats."""
    p = param.private
    return p is not None and (p.like is None or p.like.decl.private is not None)


def called(procedures: Iterable[typed.Procedure]) -> dict[typed.Procedure, None]:
    """The given procedures and all procedures that they call, directly or indirectly."""
    results: dict[typed.Procedure, None] = {}
    todo = list(procedures)
    while todo:
        procedure = todo.pop()
        if procedure not in results:
            results[procedure] = None
            todo += callees(procedure)
    return results


def callees(procedure: typed.Procedure) -> list[typed.Procedure]:
    """The procedures that a procedure calls, in statement order; one that is called twice is listed twice."""
    return [s.procedure for s in walk(procedure.body) if isinstance(s, typed.CallProcedure)]


def rings(rules: typed.Rules) -> dict[typed.Procedure, dict[typed.Procedure, None]]:
    """The recursive procedures, each with all procedures on its cycles; at least one of those declares a depth."""
    results: dict[typed.Procedure, dict[typed.Procedure, None]] = {}
    for p in rules.procedures.values():
        if p.deep is not None and p not in results:
            ring = {q: None for q in called(callees(p)) if q is p or p in called(callees(q))}
            results |= dict.fromkeys(ring, ring)
    return results


def suppositions(rules: typed.Rules) -> list[typed.Once]:
    """Every `once` in the rules."""
    return [e for group in expressions_by_rule(rules) for e in group if type(e) is typed.Once]


def head_expressions(head: Iterable[typed.HeadPart]) -> list[typed.Expr]:
    """The direct expressions of a head, without those of its guards."""
    results: list[typed.Expr] = []
    for part in head:
        if isinstance(part, typed.Let):
            results.append(part.value)
        elif isinstance(part, typed.Requirement):
            results.append(part.condition)
        elif isinstance(part, typed.Cost):
            results += [part.amount, part.source, *([part.target] if part.target is not None else [])]
        else:
            results += part.args
    return results


def head_parts(rules: typed.Rules) -> Iterator[typed.HeadPart]:
    """The parts of all heads, including those of guards."""
    for procedure in rules.procedures.values():
        for s in walk(procedure.body):
            for option in s.options if isinstance(s, typed.Decide) else ():
                yield from option.head
    for guard in rules.guards.values():
        yield from guard.head


def expressions_by_rule(rules: typed.Rules) -> Iterator[list[typed.Expr]]:
    """All expressions, grouped by rule."""
    for roots in (*map(definition_expressions, rules.definitions.values()), *_roots(rules)):
        yield [e for r in roots for e in expressions(r)]


def definitions_of_checks(ruleset: typed.Ruleset) -> set[typed.Definition]:
    """The definitions called, directly or indirectly, by `checks:` of facts but by neither the rules nor the set-up."""
    d = ruleset.declarations
    checks = [e for c in d.checks for e in (c.where, c.that) if e is not None]
    starts = [f.start for f in d.fields.values() if f.start is not None]
    set_up = [*starts, *(p.value for p in d.placements)]
    return _definitions_in(checks) - _definitions_in([*set_up, *(e for each in _roots(ruleset.rules) for e in each)])


def _roots(rules: typed.Rules) -> Iterator[list[typed.Expr]]:
    """The expressions of each rule that is not a definition, without their parts."""
    for procedure in rules.procedures.values():
        yield [r for s in walk(procedure.body) for r in statement_expressions(s)]
    for guard in rules.guards.values():
        yield head_expressions(guard.head)
    for invariant in rules.invariants.values():
        yield [invariant.condition]
    if rules.scoring is not None:
        by = [e for t in rules.scoring.tiebreaks for e in (t.source, t.key, t.value) if e is not None]
        yield [rules.scoring.score, *by]


def _definitions_in(roots: Iterable[typed.Expr]) -> set[typed.Definition]:
    """The definitions called by some expressions, directly or indirectly."""
    results: set[typed.Definition] = set()
    todo = list(roots)
    while todo:
        for e in expressions(todo.pop()):
            if isinstance(e, typed.Call) and e.definition not in results:
                results.add(e.definition)
                todo += definition_expressions(e.definition)
    return results
