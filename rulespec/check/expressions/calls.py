"""Calls: definitions, procedures and built-in functions, track and board methods, `value once f(…)` with its
hypothetical call, and `told(value, "reason")`.
"""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions import foreign
from rulespec.check.expressions.boards import infer_side, infer_to, of_boards
from rulespec.check.expressions.builtins import infer_builtin
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.lookups import infer_links, link_of
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.suggestions import counted, nearest
from rulespec.language.builtins import BUILTINS
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, Ent, Num, Type


def infer_call(x: ExpressionContext, e: ast.CallExpr, env: Env) -> typed.Expr:
    """Types a call to a definition or a built-in function."""
    name = e.name.text
    builtin = BUILTINS.get(name)
    if builtin is not None and (builtin.reserved or not _is_declared(x, name)):
        return infer_builtin(x, builtin, e, env)
    if name == "original" and env.original:
        name = env.original
    definition = x.rules.definitions.get(name)
    if definition is None:
        if name in x.rules.procedures and x.rules.procedures[name].result is not None:
            message = f"`{e.name.text}` is a procedure, so its value cannot be part of a larger expression"
            help_ = f"in a procedure, store the value first: `let x = {e.name.text}(…)`; a `def` cannot call procedures"
            declared = Label(x.rules.procedures[name].span, "declared here")
            return x.bad("RS261", message, e.name.span, notes=(declared,), help=help_)
        if name in x.rules.procedures:
            return x.bad("RS229", f"`{name}` is a procedure that returns no value", e.name.span)
        places: dict[str, Span | None] = {d.name: d.span for d in x.rules.definitions.values()}
        places |= {p.name: p.span for p in x.rules.procedures.values() if p.result is not None}
        hint, notes = nearest(name, places | dict.fromkeys(BUILTINS))
        if not nearest(name, places)[0]:
            hint = foreign.CALLS.get(name, hint)
        return x.bad("RS221", f"no definition is called `{name}`", e.name.span, notes=notes, help=hint)
    x.decls.used.add(f"def {name}")
    x.decls.refer(e.name.span, definition)
    args = arguments(x, e, [p.type for p in definition.params], env, definition.span, definition.params)
    return typed.Call(definition.result, e.span, definition, args)


def infer_procedure(
    x: ExpressionContext, e: ast.CallStmt | ast.Once, env: Env, others: tuple[str, ...] = ()
) -> tuple[typed.Procedure, tuple[typed.Expr, ...]] | None:
    """The called procedure with its typed arguments; if it is unknown, reports an error and returns None.

    `others` are candidates for "did you mean".
    """
    name = env.original if e.name.text == "original" and env.original else e.name.text
    procedure = x.rules.procedures.get(name)
    if procedure is None:
        what = ""
        if name in x.rules.definitions:
            what = f"use its value, `let x = {e.name.text}(…)`: calling a definition changes nothing"
        places: dict[str, Span | None] = {p.name: p.span for p in x.rules.procedures.values()}
        hint, notes = nearest(name, places | dict.fromkeys(others))
        help_ = what or hint or foreign.PROCEDURES.get(name, "")
        x.error("RS221", f"no procedure is called `{name}`", e.name.span, notes=notes, help=help_)
        for arg in e.args:
            x.infer(arg, env)
        return None
    x.decls.used.add(f"procedure {name}")
    x.decls.refer(e.name.span, procedure)
    if procedure.result is not None:
        notes = (Label(procedure.result_span or procedure.span, f"its value is declared as {procedure.result}"),)
        help_ = f"use the value: `let x = {e.name.text}(…)`, or `set … to {e.name.text}(…)`"
        x.error("RS262", f"the value of `{e.name.text}` is unused", e.name.span, notes=notes, help=help_)
    return procedure, arguments(x, e, [p.type for p in procedure.params], env, procedure.span, procedure.params)


def _is_declared(x: ExpressionContext, name: str) -> bool:
    """Whether the ruleset has a definition or a procedure with this name, which hides the built-in function."""
    return name in x.rules.definitions or name in x.rules.procedures


def infer_method(x: ExpressionContext, e: ast.TrackCall, env: Env) -> typed.Expr:
    """Types `track.steps(…)`, `track.ahead(…)`, `track.space(…)`, `space.to(…)` on a board, `link.at(…)` and such."""
    d = x.decls
    if (link := link_of(x, e.track, env)) is not None:
        return infer_links(x, e, link, env)
    if e.name.text == "to" and not (isinstance(e.track, ast.Ref) and e.track.name in d.tracks):
        return infer_to(x, e, env)
    if e.name.text == "side" and not (isinstance(e.track, ast.Ref) and e.track.name in d.tracks):
        return infer_side(x, e, env)
    if isinstance(e.track, ast.Ref) and e.track.name not in env.vars:
        for board in d.boards.values():
            if board.direction == e.track.name:
                d.refer(e.track.span, d.kinds[board.direction])
                return _infer_turn(x, e, board, env)
    if not isinstance(e.track, ast.Ref) or e.track.name not in d.tracks:
        word = e.track.name if isinstance(e.track, ast.Ref) else ""
        hint, notes = nearest(word, {t.name: t.span for t in d.tracks.values()})
        hint = foreign.MEMBERS.get(e.name.text, hint)
        if e.name.text in ("ahead", "back", "steps") and d.boards:
            hint = foreign.TURNS
        elif not hint and isinstance(owner := x.infer(e.track, env).type, Ent):
            hint = of_boards(d, owner.kind, e.name.text)
        return x.bad("RS229", f"only a track has `.{e.name.text}(…)`", e.track.span, notes=notes, help=hint)
    track = d.tracks[e.track.name]
    d.used.add(track.name)
    d.refer(e.track.span, track)
    space = Ent(track.kind)
    signatures: dict[str, tuple[list[Type], Type]] = (
        {"steps": ([space, space], INT), "ahead": ([space, INT], space)}
        if track.ring
        else {"space": ([Num(track.unit)], space)}
    )
    if e.name.text not in signatures:
        what = "ring" if track.ring else "line"
        return x.bad(
            "RS225",
            f"a {what} has no `{e.name.text}`",
            e.name.span,
            notes=(Label(track.span, f"`{track.name}` is a {what}"),),
            help="write `steps(a, b)` or `ahead(a, k)`" if track.ring else "write `space(v)`",
        )
    types, result = signatures[e.name.text]
    args = arguments(x, _method(e, track.name), types, env, track.unit_span)
    return typed.TrackOp(result, e.span, e.name.text, track, args)


def _infer_turn(x: ExpressionContext, e: ast.TrackCall, board: typed.BoardDecl, env: Env) -> typed.Expr:
    """Types `direction.ahead(d, k)`, `direction.steps(d, e)` and `direction.back(d)`."""
    kind = Ent(board.direction)
    x.decls.used.add(board.direction)
    forms: dict[str, tuple[list[Type], Type]] = {
        "ahead": ([kind, INT], kind),
        "steps": ([kind, kind], INT),
        "back": ([kind], kind),
    }
    if e.name.text not in forms:
        help_ = (
            "write `ahead(d, k)` for the direction k turns after d, `steps(d, e)` for the number of turns from d to e, "
            "or `back(d)` for the opposite direction"
        )
        return x.bad("RS225", f"directions have no `{e.name.text}`", e.name.span, help=help_)
    types, result = forms[e.name.text]
    args = arguments(x, _method(e, board.direction), types, env, board.span)
    if e.name.text == "back":
        if alone := [n for n, (dx, dy) in enumerate(board.steps) if (-dx, -dy) not in board.steps]:
            name = x.decls.kinds[board.direction].entities[alone[0]].name
            help_ = "add the opposite direction to the board"
            return x.bad("RS363", f"no direction leads back from `{name}`", e.span, help=help_)
        return typed.BoardOp(result, e.span, "back", board, args)
    ring = typed.TrackDecl(board.direction, board.direction, True, "", [], board.span, board.span)
    return typed.TrackOp(result, e.span, e.name.text, ring, args)


def _method(e: ast.TrackCall, owner: str) -> ast.CallExpr:
    """The call of a method as that of a function, whose name includes the owner."""
    return ast.CallExpr(e.span, replace(e.name, text=f"{owner}.{e.name.text}"), e.args)


def arguments(
    x: ExpressionContext,
    e: ast.CallExpr | ast.CallStmt | ast.Once,
    types: list[Type] | list[Num],
    env: Env,
    declared: Span | None = None,
    params: tuple[typed.Var, ...] = (),
) -> tuple[typed.Expr, ...]:
    """The typed arguments of a call.

    `declared` is the place of the callee's declaration and `params` are its parameters, both for notes.
    """
    if len(e.args) != len(types):
        notes = (Label(declared, "declared here"),) if declared else ()
        wanted = counted(len(types), "argument")
        shown = [f"{p.name}: {t}" for p, t in zip(params, types, strict=True)] if params else map(str, types)
        help_ = f"call it as `{e.name.text}({', '.join(shown)})`"
        x.error("RS226", f"`{e.name.text}` takes {wanted}, not {len(e.args)}", e.span, notes=notes, help=help_)
        for arg in e.args:
            x.infer(arg, env)
        return tuple(typed.Lit(BAD, e.span, 0) for _ in types)
    result = []
    for n, (arg, target) in enumerate(zip(e.args, types, strict=True)):
        asked = params[n].span if params else declared
        result.append(x.check(arg, env, target, f"this argument of `{e.name.text}`", asked))
    return tuple(result)


def infer_once(x: ExpressionContext, e: ast.Once, env: Env, want: Type | None) -> typed.Expr:
    """Types `value once f(…)`; `check_quiet` later checks, once all rules are typed, that `f` has no decisions."""
    result = infer_procedure(x, e, env)
    after = replace(env, known=frozenset(path for path in env.known if isinstance(path[-1], typed.Var)))
    if result is not None and x.assigned is not None:
        after = env.forget(x.assigned(result[0].name))
    value = x.infer(e.value, after, want)
    if result is None:
        return typed.Lit(BAD, e.span, 0)
    procedure, args = result
    return typed.Once(value.type, e.span, value, procedure, args, e.name.span.to(e.span))


def infer_told(x: ExpressionContext, e: ast.Told, env: Env, want: Type | None) -> typed.Expr:
    """Types `told(value, "reason")` as the value itself; the disclosure matters only for leak warnings."""
    if not e.reason.text.strip():
        x.error(
            "RS349", "`told` needs a reason: this one is empty", e.reason.span, help="name the rule that discloses it"
        )
    value = x.infer(e.value, env, want)
    x.rules.told.add(value.span)
    return value
