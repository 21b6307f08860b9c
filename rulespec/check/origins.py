"""Origins for notes: why an expression has its type, and which file added entities to a kind."""

from __future__ import annotations

from collections.abc import Iterable

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import arms

_MOST = 3


def origins(expr: typed.Expr, declarations: typed.Declarations) -> tuple[Label, ...]:
    """Labels for at most three declarations that determine an expression's type, directly or through its operands."""
    if isinstance(expr, typed.Local):
        local = Label(expr.var.span, f"`{expr.var.name}` is {expr.type}")
        source = expr.var.value
        return (local, *(origins(source, declarations)[: _MOST - 1] if source and source.type == expr.type else ()))
    results: dict[Span, Label] = {}
    stack = [expr]
    while stack and len(results) < _MOST:
        e = stack.pop(0)
        if e.type != expr.type:
            continue
        span = _origin(e, declarations)
        if span is None:
            stack += _operands(e)
        else:
            results.setdefault(span, Label(span, "declared here" if e is expr else f"this is {e.type}"))
    return tuple(results.values())


def _origin(e: typed.Expr, declarations: typed.Declarations) -> Span | None:
    """The place of the type of the declaration denoted by an expression; None for other expressions."""
    match e:
        case typed.Local():
            return e.var.span
        case typed.Field() | typed.Fact():
            return typed_at(e.decl)
        case typed.TableRow():
            return e.table.value_span
        case typed.Call():
            return e.definition.result_span
    named = declarations.references.get(e.span)  # a folded constant
    return named.span if isinstance(named, typed.ConstantDecl) else None


def typed_at(decl: typed.FieldDecl | typed.FactDecl) -> Span:
    """The place of a field's or fact's type if it is on a different line, as in an overlay; otherwise the declaration's
    place.
    """
    declared, written = decl.span, decl.type_span
    together = written is None or (written.file, written.line) == (declared.file, declared.line)
    return declared if together or written is None else written


def elsewhere(name: str, declarations: typed.Declarations) -> tuple[Label, ...]:
    """Labels for the kinds that do have a fact or field which another kind lacks; at most three."""
    declared = [(k, k.facts.get(name) or k.state.get(name)) for k in declarations.kinds.values()]
    return tuple(Label(d.span, f"`{k.name}` has `{name}`") for k, d in declared if d is not None)[:_MOST]


def _operands(e: typed.Expr) -> list[typed.Expr]:
    """The operands that determine the type of an expression."""
    if isinstance(e, typed.Choice | typed.IfSome):
        return [e.then, e.other]
    if isinstance(e, typed.Cases):
        return arms(e)
    if isinstance(e, typed.Each):
        return [x for x in (e.body, e.default) if x is not None]
    return list(e.args) if isinstance(e, typed.Op) else []


def added(entities: Iterable[typed.Entity], kind: typed.Kind) -> tuple[Label, ...]:
    """Labels for entities declared outside the file of their kind, such as in an overlay; at most three."""
    apart = [e for e in entities if e.span.file != kind.span.file]
    return tuple(Label(e.span, f"`{e.name}` is added here") for e in apart[:_MOST])


def constants_in(span: Span, declarations: typed.Declarations) -> list[typed.ConstantDecl]:
    """The constants named within a span, which a folded expression contains only as values."""
    named = {
        n.span: n for p, n in declarations.references.items() if isinstance(n, typed.ConstantDecl) and inside(p, span)
    }
    return list(named.values())


def constants_at(span: Span, declarations: typed.Declarations) -> tuple[Label, ...]:
    """Labels for at most three constants named within a span."""
    return tuple(map(constant_label, constants_in(span, declarations)[:_MOST]))


def constant_label(constant: typed.ConstantDecl) -> Label:
    """A label for the declaration of a constant, with its value."""
    return Label(constant.span, f"`{constant.name}` is {constant.value}")


def inside(inner: Span, outer: Span) -> bool:
    """Whether one span contains another."""
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return inner.file == outer.file and (inner.line, inner.column) >= (outer.line, outer.column) and ends
