"""Control statements: calls and their results, jumps, branches, loops, and the end of the game."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.calls import arguments, infer_procedure
from rulespec.check.expressions.cases import check_all_named, entities, places, subject_of
from rulespec.check.expressions.sets import type_binder
from rulespec.check.scope import Env, known_if
from rulespec.check.statements.assignments import type_assign, type_let
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.check.statements.effects import callee
from rulespec.check.statements.loops import type_along
from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Label, Severity
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, RETURNED, SetOf


def type_call(c: StatementContext, s: ast.CallStmt, env: Env, place: StatementPlace) -> Outcome:
    """Types a procedure call."""
    x = c.x
    result = infer_procedure(x, s, env, ("let", "set", "pay", "move", "repeat", "decide"))
    if result is None:
        return None, env, True
    procedure, args = result
    if place.together and c.effects.decides(procedure.name):
        x.error("RS408", "a simultaneous decision cannot lead to another decision", s.span)
    return typed.CallProcedure(s.span, procedure, args), env.forget(c.effects.of_procedure(procedure.name)), True


def enter(
    c: StatementContext,
    call: ast.CallStmt | ast.CallExpr,
    name: str,
    procedure: typed.Procedure,
    env: Env,
    place: StatementPlace,
) -> tuple[typed.Expr, ...]:
    """The typed arguments of a procedure call; records that the procedure is used."""
    x = c.x
    x.decls.used.add(f"procedure {name}")
    x.decls.refer(call.name.span, procedure)
    if place.together and c.effects.decides(name):
        x.error("RS408", "a simultaneous decision cannot lead to another decision", call.span)
    return arguments(x, call, [p.type for p in procedure.params], env, procedure.span, procedure.params)


def _written(procedure: typed.Procedure) -> str:
    """The name of a procedure in the source."""
    return procedure.name.partition(" ")[0]


def type_end(c: StatementContext, s: ast.EndGame, env: Env) -> typed.Stmt:
    """Types `end game`."""
    winners = None
    if s.winners is not None:
        winners = c.x.check(s.winners, env, SetOf(c.x.decls.player_kind), "the winners")
    if s.ending is not None and s.ending.text == RETURNED:
        message = f"the ending `{RETURNED}` is reserved for games whose start procedure returns"
        c.x.error("RS246", message, s.ending.span, help="write `end game as` with another name")
    return typed.EndGame(s.span, s.ending.text if s.ending else "end", winners)


def type_jump(c: StatementContext, s: ast.Jump, place: StatementPlace) -> typed.Stmt | None:
    """Types `leave`, `continue`, `ask again`, `return` and `pass`."""
    word = s.word
    if word == "again":
        word = "ask again" if place.asks else "continue"
    if word == "return" and not place.together and c.procedure.result is not None:
        message = f"`{_written(c.procedure)}` must return a value, but this `return` has none"
        notes = (Label(c.procedure.result_span or c.procedure.span, f"its value is declared as {c.procedure.result}"),)
        c.x.error("RS263", message, s.span, notes=notes, help="write `return e`")
    elif place.together and (word == "return" or not place.in_loop):
        c.x.error("RS408", f"`{s.word}` cannot be used in a simultaneous decision", s.span)
    elif s.word == "again" and not (place.in_loop or place.asks):
        c.x.error("RS407", "`again` is outside any loop or decision", s.span)
    elif word in ("leave", "continue") and not place.in_loop:
        help_ = "write `ask again` to repeat the decision" if word == "continue" and place.asks else ""
        c.x.error("RS407", f"`{word}` is outside any loop", s.span, help=help_)
    elif word == "ask again" and not place.asks:
        help_ = "write `continue` for the next turn of the loop, or `leave` to end it" if place.in_loop else ""
        c.x.error(
            "RS407",
            "`ask again` is outside the options of a decision, or in a loop inside an option",
            s.span,
            help=help_,
        )
    elif s.word == "again":
        message, place_ = (
            f"`again` is an outdated word for `{word}`",
            replace(s.span, end_line=s.span.line, end_column=s.span.column + len(s.word)),
        )
        fix = Fix(place_, word)
        c.x.report.add(Diagnostic("RS245", Severity.WARNING, message, place_, help=f"write `{word}`", fix=fix))
    return typed.Jump(s.span, word)


def type_if(c: StatementContext, s: ast.If, env: Env, place: StatementPlace) -> Outcome:
    """Types `if`."""
    branches: list[tuple[typed.Expr | None, typed.Block]] = []
    ends: list[Env] = []
    rest = env
    for number, (condition, body) in enumerate(s.branches):
        if condition is None:
            block, after, alive = c.inner(body, rest, place)
            branches.append((None, block))
            if alive:
                ends.append(after)
            return typed.If(s.span, tuple(branches)), env.meet(ends), bool(ends)
        if isinstance(condition, ast.SomeAs):
            block, after, alive = c.inner(_named(s, number), rest, place)
            ends += [after] if alive else []
            return typed.If(s.span, (*branches, (None, block))), env.meet(ends), bool(ends)
        test = c.x.condition(condition, rest)
        block, after, alive = c.inner(body, rest.learn(known_if(test, True)), place)
        branches.append((test, block))
        if alive:
            ends.append(after)
        rest = rest.learn(known_if(test, False))
    ends.append(rest)
    return typed.If(s.span, tuple(branches)), env.meet(ends), True


def _named(s: ast.If, number: int) -> tuple[ast.Stmt, ...]:
    """The branches from one that binds its value, as a `let` and an `if` that tests it for none."""
    (condition, body), *others = s.branches[number:]
    assert isinstance(condition, ast.SomeAs)
    name, span = condition.name, condition.span
    test = ast.Unary(span, "is some", ast.Ref(name.span, name.text))
    return ast.Let(span, name, condition.operand), ast.If(s.span, ((test, body), *others))


def type_match(c: StatementContext, s: ast.Match, env: Env, place: StatementPlace) -> Outcome:
    """Types `match`."""
    x = c.x
    subject, named = subject_of(x, s.subject, env)
    if named is None:
        return None, env, True
    cases: list[tuple[tuple[int, ...], typed.Block]] = []
    ends: list[Env] = []
    for values, body in s.cases:
        indices = entities(x, values, named, env)
        block, after, alive = c.inner(body, env, place)
        cases.append((indices, block))
        if alive:
            ends.append(after)
    other = None
    check_all_named(x, s.span, named, has_else=s.other is not None)
    if s.other is not None:
        other, after, alive = c.inner(s.other, env, place)
        if alive:
            ends.append(after)
    return typed.Match(s.span, subject, tuple(cases), other, places(s.cases)), env.meet(ends), bool(ends)


def type_for(c: StatementContext, s: ast.For, env: Env, place: StatementPlace) -> Outcome:
    """Types `for`."""
    env = c.forget(env, s.body)
    if (along := type_along(c, s, env, place)) is not None:
        return along
    binder, inner = type_binder(c.x, s.binder, env, in_order=True)
    inside = replace(place, in_loop=True, asks=False)
    body, _, _ = c.inner(s.body, inner, inside)
    return typed.For(s.span, binder, body), env, True


def type_repeat(c: StatementContext, s: ast.Repeat, env: Env, place: StatementPlace) -> Outcome:
    """Types `repeat`."""
    limit = c.x.check(s.limit, env, INT, "the number of times") if s.limit is not None else None
    env = c.forget(env, s.body)
    inside = replace(place, in_loop=True, asks=False)
    body, _, _ = c.inner(s.body, env, inside)
    return typed.Repeat(s.span, limit, body), env, limit is not None or c.effects.leaves(s.body)


def type_taken(
    c: StatementContext, s: ast.Let | ast.Assign | ast.Return, env: Env, place: StatementPlace
) -> Outcome | None:
    """Types a statement that uses a procedure's value; None for others.

    The procedure runs first, and the left side is evaluated after it returns.
    """
    name = callee(s, env.original)
    procedure = c.x.rules.procedures.get(name)
    if procedure is None or procedure.result is None:
        return None
    assert isinstance(s.value, ast.CallExpr)
    args = enter(c, s.value, name, procedure, env, place)
    env = env.forget(c.effects.of_procedure(name))
    value = typed.Result(procedure.result, s.value.span, procedure)
    if isinstance(s, ast.Let):
        then, env, alive = type_let(c, s, env, value)
    elif isinstance(s, ast.Assign):
        then, env, alive = type_assign(c, s, env, value)
    else:
        then, env, alive = type_return(c, s, env, place, value)
    if then is None:
        c.understood = False
        return None, env, alive
    assert isinstance(then, typed.Let | typed.Assign | typed.Return)
    return typed.CallProcedure(s.span, procedure, args, then), env, alive


def type_return(
    c: StatementContext, s: ast.Return, env: Env, place: StatementPlace, value: typed.Expr | None = None
) -> Outcome:
    """Types `return e`; `value` is the typed call of the procedure whose value it returns, if any."""
    x, procedure = c.x, c.procedure
    if place.together:
        x.error("RS408", "`return` cannot be used in a simultaneous decision", s.span)
    value = value or x.infer(s.value, env, procedure.result)
    name = procedure.name.partition(" ")[0]
    if procedure.result is None:
        type_ = "…" if value.type == BAD else str(value.type)
        help_ = f"declare its type, `procedure {name}(…) -> {type_}:`, or write `return` without a value"
        x.error("RS264", f"`{name}` returns a value here, but declares no result type", s.value.span, help=help_)
        return None, env, False
    value = x.expect(value, procedure.result, f"the value of `{name}`", procedure.result_span)
    return typed.Return(s.span, value), env, False
