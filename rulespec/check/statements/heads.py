"""Heads of options and guards: conditions and costs before the body."""

from __future__ import annotations

from rulespec.check.expressions.calls import arguments
from rulespec.check.scope import Env, known_if
from rulespec.check.statements.assignments import pile_ends, type_let, type_move, type_pay
from rulespec.check.statements.context import StatementContext
from rulespec.check.statements.several import amount_of, bag_of, each_pile
from rulespec.check.statements.tables import begins_open
from rulespec.diagnostics.suggestions import nearest
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import Bad, Num

Stmts = tuple[ast.Stmt, ...]


def split(c: StatementContext, body: Stmts) -> tuple[Stmts, Stmts]:
    """Splits the body of an option into its head and the rest.

    A `let` after the last requirement belongs to the body, unless the head contains a payment; in that case it is
    evaluated before the payment. A `let` that binds a procedure's value runs the procedure, so it is never part of a
    head.
    """
    end = next((n for n, s in enumerate(body) if not isinstance(s, ast.HEAD_PARTS) or _carries_out(c, s)), len(body))
    while end and begins_open(body[end - 1]):  # it evaluates nothing
        end -= 1
    if not any(isinstance(s, ast.Cost | ast.Needs) for s in body[:end]):
        while end and isinstance(body[end - 1], ast.Let):
            end -= 1
    return body[:end], body[end:]


def _carries_out(c: StatementContext, s: ast.Stmt) -> bool:
    """Whether a statement is a `let` that binds a procedure's value."""
    if not isinstance(s, ast.Let) or not isinstance(s.value, ast.CallExpr):
        return False
    procedure = c.x.rules.procedures.get(s.value.name.text)
    return procedure is not None and procedure.result is not None


def type_head(c: StatementContext, head: Stmts, env: Env) -> tuple[tuple[typed.HeadPart, ...], Env]:
    """The typed head, and the scope after it."""
    results: list[typed.HeadPart] = []
    for s in head:
        part: typed.HeadPart | None
        if isinstance(s, ast.Let):
            let, env, _ = type_let(c, s, env)
            assert isinstance(let, typed.Let)
            part = let
        elif isinstance(s, ast.Require):
            condition = c.x.condition(s.condition, env)
            env = env.learn(known_if(condition, True))
            part = typed.Requirement(condition, s.reason.text, s.condition.span)
        elif isinstance(s, ast.Cost):
            part = _cost(c, s, env)
        else:
            assert isinstance(s, ast.Needs)
            part = _needs(c, s, env)
        if part is not None:
            results.append(part)
    return tuple(results), env


def type_guard(c: StatementContext, head: Stmts, env: Env) -> tuple[typed.HeadPart, ...]:
    """The typed head of a guard."""
    result, _ = type_head(c, head, env)
    report_unused(c, result)
    return result


def report_unused(c: StatementContext, head: tuple[typed.HeadPart, ...]) -> None:
    """Reports head variables that are read neither in the head nor in the body."""
    for part in head:
        if isinstance(part, typed.Let) and not part.var.reads:
            c.unused(part.var)


def _cost(c: StatementContext, s: ast.Cost, env: Env) -> typed.HeadPart | None:
    span = s.amount.span.to(s.source.span)
    if (bag := bag_of(c.x, s.amount, env)) is not None:
        return _bag(c, s, bag, env)
    if s.target is None:
        return _subtracted(c, s, env)
    if s.pile is not None:
        paid = type_move(c, ast.Move(s.span, s.amount, s.pile, s.source, s.target), env)
    else:
        paid = type_pay(c, ast.Pay(s.span, s.amount, s.source, s.target), env)
    if not isinstance(paid, typed.Transfer):
        return None
    return typed.Cost(paid.amount, paid.source, paid.target, s.reason.text, span)


def _bag(c: StatementContext, s: ast.Cost, bag: typed.Local, env: Env) -> typed.HeadPart | None:
    """Types a cost of a bag of pieces."""
    help_ = f"write `cost {bag.var.name} of pile from place to place`"
    if s.pile is None:
        c.x.error(
            "RS315", "a bag is paid in pieces, so the cost must name a pile", s.amount.span, str(bag.type), help=help_
        )
        return None
    if s.target is None:
        c.x.error("RS251", "a cost in pieces needs a target", s.source.span, help=help_)
        return None
    piles = each_pile(c.x, bag, s.pile, env)
    if piles is None:
        return None
    var, pile, inner = piles
    ends = pile_ends(c, ast.Move(s.span, s.amount, pile, s.source, s.target), pile, inner)
    if ends is None:
        return None
    return typed.Cost(amount_of(bag, var), *ends, s.reason.text, s.amount.span.to(s.source.span), var)


def _subtracted(c: StatementContext, s: ast.Cost, env: Env) -> typed.HeadPart | None:
    """Types a cost without a target, which is subtracted from a number of the state."""
    x = c.x
    source = x.infer(s.source, env)
    if isinstance(source.type, Bad):
        x.infer(s.amount, env)
        return None
    if isinstance(source, typed.PieceCount) or (isinstance(source, typed.Field) and source.decl.account):
        form = "cost … from … to …" if isinstance(source, typed.Field) else "cost … of pile[e] from place to place"
        what = "money" if isinstance(source, typed.Field) else "pieces"
        x.error(
            "RS251", f"a cost in {what} needs a target", s.source.span, notes=x.declared(source), help=f"write `{form}`"
        )
        return None
    if not isinstance(source, typed.Field) or not isinstance(source.type, Num):
        x.error(
            "RS251",
            "a cost must be paid from an account, a place of pieces or a numeric field",
            s.source.span,
            str(source.type),
            x.declared(source),
        )
        return None
    amount = x.check(s.amount, env, source.type, "the cost", source.decl.span)
    return typed.Cost(amount, source, None, s.reason.text, s.amount.span.to(s.source.span))


def _needs(c: StatementContext, s: ast.Needs, env: Env) -> typed.HeadPart | None:
    x = c.x
    guard = x.rules.guards.get(s.name.text)
    if guard is None:
        hint, notes = nearest(s.name.text, {g.name: g.span for g in x.rules.guards.values()})
        if s.name.text in x.rules.definitions:
            hint = f"write `require {s.name.text}(…)` to test a definition"
        x.error("RS221", f"no guard is called `{s.name.text}`", s.name.span, notes=notes, help=hint)
        for arg in s.args:
            x.infer(arg, env)
        return None
    x.decls.used.add(f"guard {guard.name}")
    x.decls.refer(s.name.span, guard)
    call = ast.CallExpr(s.span, s.name, s.args)
    args = arguments(x, call, [p.type for p in guard.params], env, guard.span, guard.params)
    return typed.Needs(guard, args, s.name.span)
