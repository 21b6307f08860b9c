"""`match`: the entities named by its cases, and its value as an expression."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.origins import added
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, Bool, Ent, Num, Type, unify


class CaseNames(Struct):
    """The entities named by the cases of a `match`.

    Attributes:
        kind: the kind of the subject.
        seen: the first expression that names each entity, by the entity's index.
        understood: whether all cases are valid.
    """

    kind: typed.Kind
    seen: dict[int, ast.Expr] = {}
    understood: bool = True


def subject_of(x: ExpressionContext, e: ast.Expr, env: Env) -> tuple[typed.Expr, CaseNames | None]:
    """Types the subject of a `match` and creates a record for its cases; if the subject is not an entity, reports it
    and returns no record.
    """
    subject = x.infer(e, env)
    if isinstance(subject.type, Ent) and not subject.type.optional and subject.type.kind != ANY:
        return subject, CaseNames(x.decls.kinds[subject.type.kind])
    if subject.type != BAD:
        help_ = "write `if … elif … else`" if isinstance(subject.type, Num | Bool) else ""
        if isinstance(subject.type, Ent) and subject.type.optional:
            help_ = "check it first: `if x is some:`"
        x.wrong(subject, "the subject of `match` must be an entity", help_)
    return subject, None


def entities(x: ExpressionContext, values: Iterable[ast.Expr], named: CaseNames, env: Env) -> tuple[int, ...]:
    """The indices of the entities named by a case."""
    results: list[int] = []
    for e in values:
        if isinstance(e, ast.Binary) and e.op in ("or", "|"):
            x.error("RS301", "a case must name an entity", e.span, help="separate entities by commas: `case a, b:`")
            named.understood = False
            continue
        value = x.check(e, env, Ent(named.kind.name), "a case")
        if not isinstance(value, typed.Lit):
            x.error("RS301", "a case must name an entity", e.span, help="use `if` for anything that is not constant")
            named.understood = False
        elif value.type == BAD:
            named.understood = False
        else:
            if value.value in named.seen:
                notes = (Label(named.seen[value.value].span, "first listed here"),)
                x.error("RS409", "this case is listed twice", e.span, notes=notes)
            named.seen[value.value] = e
            results.append(value.value)
    return tuple(results)


def check_all_named(x: ExpressionContext, span: Span, named: CaseNames, *, has_else: bool) -> None:
    """Reports entities without a case, and an unreachable `else`."""
    kind = named.kind
    missing = [entity.name for i, entity in enumerate(kind.entities) if i not in named.seen]
    nameless = kind.by_seat and len(kind.entities) < x.decls.max_players
    if has_else:
        if not missing and not nameless:
            x.report.warning("RS404", "every entity has a case, so `else` is never reached", span)
    elif named.understood and (missing or nameless):
        names = ", ".join(f"`{m}`" for m in missing[:6]) + (" …" if len(missing) > 6 else "")
        names = names or "seats without a name"
        added_ = added([kind.entities[kind.index[m]] for m in missing], kind)
        notes = (Label(kind.span, "the kind is declared here"), *added_)
        help_ = "add the missing cases, or `else:`"
        files = {kind.entities[kind.index[m]].span.file for m in missing} - {kind.span.file}
        if any(file.rpartition(".")[0] != span.file.rpartition(".")[0] for file in files):
            help_ = "replace this item in the overlay with one that names all cases or has `else:`"
        x.error("RS403", f"`match` has no case for {names}", span, notes=notes, help=help_)


def places(cases: Sequence[tuple[tuple[ast.Expr, ...], object]]) -> tuple[Span, ...]:
    """The places of the cases in a `match`."""
    return tuple(values[0].span.to(values[-1].span) for values, _ in cases)


def infer_cases(x: ExpressionContext, e: ast.Cases, env: Env, want: Type | None) -> typed.Expr:
    """Types `match` as an expression, whose values must all have the same type."""
    subject, named = subject_of(x, e.subject, env)
    if named is None:
        for value in (*(value for _, value in e.cases), *([e.other] if e.other is not None else [])):
            x.infer(value, env, want)
        return typed.Lit(BAD, e.span, 0)
    cases: list[tuple[tuple[int, ...], typed.Expr]] = []
    values: list[typed.Expr] = []
    for entities_, written in e.cases:
        indices = entities(x, entities_, named, env)
        values.append(x.infer(written, env, want or (values[0].type if values else None)))
        cases.append((indices, values[-1]))
    check_all_named(x, e.span, named, has_else=e.other is not None)
    if e.other is not None:
        values.append(x.infer(e.other, env, want or values[0].type))
    common = _common(x, values)
    if common is None or not named.understood:
        return typed.Lit(BAD, e.span, 0)
    fitted = [x.fitted(value, common) for value in values]
    pairs = tuple((indices, value) for (indices, _), value in zip(cases, fitted, strict=False))
    return typed.Cases(common, e.span, subject, pairs, fitted[-1] if e.other is not None else None, places(e.cases))


def _common(x: ExpressionContext, values: Sequence[typed.Expr]) -> Type | None:
    """The common type of the values of a `match`; if there is none, reports an error and returns None."""
    common: Type | None = values[0].type
    for value in values[1:]:
        before = common
        common = unify(before, value.type) if before is not None else None
        if common is None:
            message = f"all values of a `match` must have the same type, but these are {before} and {value.type}"
            notes = (Label(values[0].span, str(before)), *x.declared(value))
            x.error("RS301", message, value.span, str(value.type), notes)
            return None
    return common
