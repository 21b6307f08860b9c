"""Tables of procedures: variables with a value for each member of a kind, `let used[h in hex] = {}`."""

from __future__ import annotations

from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.seers import seers
from rulespec.check.scope import Env
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import nearest
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, Bad, Ent, Maybe, Num, Order, SetOf, Type, never_none, or_none, settled


def type_table(
    c: StatementContext, s: ast.LetTable, env: Env, place: StatementPlace, following: tuple[ast.Stmt, ...]
) -> Outcome:
    """Types a table; `following` are the statements of its block after it, which may say what it holds."""
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
    elif _is_open(table.type):
        table.type = var.type = _settled(c, s, table.type, _held(c, var, following, env, place))
    if s.private is not None and kind is not None:
        to = seers(x, s.private.to, env.bind(key)) if s.private.to is not None else typed.Lit(SetOf(ANY), s.span, 0)
        table.private = typed.Secrecy((key,), to, None, False, s.private.span)
    if table.type == BAD:
        return None, env.bind(var), True
    value = x.expect(value, table.type, f"what `{s.name.text}` begins with")
    return typed.LetTable(s.span, table, key, value), env.bind(var), True


def _kind_of(c: StatementContext, s: ast.LetTable, env: Env) -> typed.Kind | None:
    """The kind of whose members each has a value."""
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
        help_ = f"write `{s.name.text}[{s.key.text} in KIND]`; a product of kinds is one, too"
        c.x.error("RS329", "a table has a value for each member of a kind", s.source.span, help=help_)
    return None


def _is_open(type_: Type) -> bool:
    """Whether the kind of a type is open: that of `{}` or of none."""
    return isinstance(type_, Ent | SetOf | Order) and type_.kind == ANY


def _held(
    c: StatementContext, var: typed.Var, following: tuple[ast.Stmt, ...], env: Env, place: StatementPlace
) -> list[Type]:
    """The types of the values that the following statements put into a table: they are typed on trial."""
    if c.tried is not None:  # within another trial: each table is tried once
        return []
    x, types = c.x, list[Type]()
    report, disputes, seen, understood = x.report, x.disputes, dict(c.options_seen), c.understood
    references, reads = dict(x.decls.references), {v: v.reads for v in (*env.vars.values(), var)}
    x.report, x.disputes, c.tried = Report(), [], {id(var.table): types}
    c.block(following, env.bind(var), place)
    x.report, x.disputes, c.tried, c.understood = report, disputes, None, understood
    c.options_seen.clear()
    c.options_seen.update(seen)
    x.decls.references.clear()
    x.decls.references.update(references)
    for v, before in reads.items():
        v.reads = before
    return types


def _settled(c: StatementContext, s: ast.LetTable, begun: Type, held: list[Type]) -> Type:
    """The type of a table that begins with `{}` or none, by the values that it holds later."""
    forms = (Order, SetOf) if isinstance(begun, SetOf) else (Ent, Num, Maybe)
    for form in forms:
        for type_ in held:
            if isinstance(type_, form) and not _is_open(type_):
                return settled(or_none(never_none(type_)))
    help_ = f"put something into it, `set {s.name.text}[…] to …`, or begin with a value of that kind"
    c.x.error("RS301", "the kind of these values is unknown", s.value.span, help=help_)
    return BAD


def unknown_table(c: StatementContext, s: ast.Assign, env: Env) -> bool:
    """Whether an entry of something unknown is set; reports it."""
    name = s.target.target.name if isinstance(s.target, ast.Index) and isinstance(s.target.target, ast.Ref) else ""
    d = c.x.decls
    known = (env.vars, d.fields, d.constants, d.settings, d.kinds, d.tables, d.pieces, d.tracks, d.entities)
    if not name or any(name in names for names in (*known, d.places, d.links, d.capacities)) or name in d.broken:
        return False
    hint, notes = nearest(name, {var.name: var.span for var in env.vars.values() if var.table is not None})
    help_ = hint or f"a table of the procedure is made with `let {name}[x in KIND] = …`"
    c.x.error("RS221", f"nothing is called `{name}` here", s.target.span, notes=notes, help=help_)
    c.x.infer(s.value, env)
    return True


def note_held(c: StatementContext, target: typed.Expr, type_: Type) -> None:
    """Notes the type of a value that is put into a table on trial."""
    if c.tried is not None and isinstance(target, typed.Field) and id(target.decl) in c.tried:
        c.tried[id(target.decl)].append(type_)
