"""Local tables: variables that have a value for each member of a kind, such as `let used[h in hex] = {}`.

The kind of a table or variable that starts as `{}` or `none` is inferred from later assignments.
"""

from __future__ import annotations

from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.seers import seers
from rulespec.check.scope import Env
from rulespec.check.statements.context import OpenVariable, Outcome, StatementContext, StatementPlace, is_open
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import nearest
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, Bad, Ent, SetOf, Type, settled

Stmts = tuple[ast.Stmt, ...]
_ROUNDS = 8
"""Maximum number of trial runs of one block; one run may infer a type that another variable needs."""


def type_table(c: StatementContext, s: ast.LetTable, env: Env, place: StatementPlace, following: Stmts) -> Outcome:
    """Types a local table; `following` are the later statements of its block, which may determine its type."""
    x = c.x
    new = no_shadow(x, s.name, env)
    kind = _kind_of(c, s, env)
    no_shadow(x, s.key, env)
    key = typed.Var(s.key.text, Ent(kind.name) if kind is not None else BAD, s.key.span)
    x.decls.refer(key.span, key)
    value = x.infer(s.value, env.bind(key))
    table = typed.FieldDecl(s.name.text, kind.name if kind is not None else "", settled(value.type), s.name.span)
    table.local = True
    var = typed.Var(s.name.text, table.type, s.name.span, 0 if new else 1, table=table)
    x.decls.refer(var.span, var)
    if kind is None or isinstance(value.type, Bad):
        table.type = var.type = BAD
    elif is_open(table.type):
        table.type = var.type = _settled(c, s, var, env, place, following)
    if s.private is not None and kind is not None:
        to = seers(x, s.private.to, env.bind(key)) if s.private.to is not None else typed.Lit(SetOf(ANY), s.span, 0)
        table.private = typed.Secrecy((key,), to, None, False, s.private.span)
    if table.type == BAD:
        return None, env.bind(var), True
    value = x.expect(value, table.type, f"the start value of `{s.name.text}`")
    return typed.LetTable(s.span, table, key, value), env.bind(var), True


def type_open_let(c: StatementContext, s: ast.Let, env: Env, place: StatementPlace, following: Stmts) -> Outcome:
    """Types a variable that starts as `{}` or `none`."""
    new = no_shadow(c.x, s.name, env)
    value = c.x.infer(s.value, env)
    var = typed.Var(s.name.text, value.type, s.name.span, 0 if new else 1, value)
    c.x.decls.refer(var.span, var)
    var.type = _settled(c, s, var, env, place, following)
    return typed.Let(s.span, var, c.x.fitted(value, var.type)), env.bind(var), True


def begins_open(s: ast.Stmt) -> bool:
    """Whether a statement declares a variable whose initial value has an open kind."""
    return isinstance(s, ast.Let) and (
        isinstance(s.value, ast.Nothing) or (isinstance(s.value, ast.SetLiteral) and not s.value.items)
    )


def _kind_of(c: StatementContext, s: ast.LetTable, env: Env) -> typed.Kind | None:
    """The kind of a local table's keys; None if an error is reported."""
    kinds = c.x.decls.kinds
    name = s.source.name if isinstance(s.source, ast.Ref) and s.source.name not in env.vars else ""
    if name in kinds:
        c.x.decls.used.add(name)
        c.x.decls.refer(s.source.span, kinds[name])
        return kinds[name]
    source = c.x.infer(s.source, env)
    if isinstance(source.type, SetOf) and source.type.kind in kinds:
        help_ = f"write `{s.name.text}[{s.key.text} in {source.type.kind}]`"
        c.x.error("RS329", "a table has a value for each member of a kind, not of a set", s.source.span, help=help_)
    elif source.type != BAD:
        help_ = f"write `{s.name.text}[{s.key.text} in KIND]`, where KIND may be a product"
        c.x.error("RS329", "a table has a value for each member of a kind", s.source.span, help=help_)
    return None


def _settled(
    c: StatementContext, s: ast.LetTable | ast.Let, var: typed.Var, env: Env, place: StatementPlace, following: Stmts
) -> Type:
    """The type of a variable or table that starts as `{}` or none, inferred from later assignments."""
    span = s.name.span
    if c.tried is not None:
        c.tried[id(var.table or var)] = OpenVariable(span, var.type)
    elif span not in c.open_types:
        _try(c, var, span, env, place, following)
    if (result := c.open_types.get(span)) is not None:
        return result
    if c.tried is not None:
        return var.type
    entry = f"{s.name.text}[…]" if isinstance(s, ast.LetTable) else s.name.text
    help_ = f"assign a value, `set {entry} to …`, or give it a start value of a known kind"
    if isinstance(s, ast.Let) and not isinstance(s.value, ast.Nothing):
        help_ += f"; for a value for each member of a kind, write `let {s.name.text}[x in kind] = 0`"
    c.x.error("RS301", "the kind of this value is unknown", s.value.span, help=help_)
    return BAD


def _try(c: StatementContext, var: typed.Var, span: Span, env: Env, place: StatementPlace, following: Stmts) -> None:
    """Types the following statements in trial runs, until no further types of open variables are inferred.

    Diagnostics and references from these runs are discarded.
    """
    x, begun = c.x, var.type
    before = x.report, x.disputes, dict(c.options_seen), c.understood, dict(x.decls.references)
    reads = {v: v.reads for v in (*env.vars.values(), var)}
    for _ in range(_ROUNDS):
        known = len(c.open_types)
        x.report, x.disputes, c.tried = Report(), [], {id(var.table or var): OpenVariable(span, begun)}
        c.block(following, env.bind(var), place)
        for held in c.tried.values():
            if (result := held.type) is not None:
                c.open_types.setdefault(held.span, result)
        if len(c.open_types) == known:
            break
    c.tried = None
    x.report, x.disputes, options, c.understood, references = before
    c.options_seen.clear()
    c.options_seen.update(options)
    x.decls.references.clear()
    x.decls.references.update(references)
    for v, number in reads.items():
        v.reads = number


def unknown_table(c: StatementContext, s: ast.Assign, env: Env) -> bool:
    """Whether a statement assigns to an entry of an unknown table; if so, reports it."""
    name = s.target.target.name if isinstance(s.target, ast.Index) and isinstance(s.target.target, ast.Ref) else ""
    d = c.x.decls
    known = (env.vars, d.fields, d.constants, d.settings, d.kinds, d.tables, d.pieces, d.tracks, d.entities)
    if not name or any(name in names for names in (*known, d.places, d.links, d.capacities)) or name in d.broken:
        return False
    hint, notes = nearest(name, {var.name: var.span for var in env.vars.values() if var.table is not None})
    help_ = hint or f"declare a table of the procedure with `let {name}[x in KIND] = …`"
    c.x.error("RS221", f"nothing is called `{name}` here", s.target.span, notes=notes, help=help_)
    c.x.infer(s.value, env)
    return True


def note_held(c: StatementContext, target: typed.Expr, type_: Type) -> None:
    """Records the type of a value assigned to a table or variable in a trial run."""
    held = (
        id(target.decl) if isinstance(target, typed.Field) else id(target.var) if isinstance(target, typed.Local) else 0
    )
    if c.tried is not None and held in c.tried:
        c.tried[held].types.append(type_)
