"""Links as entities: all links at a region, and the link between two regions."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import Ent, SetOf


def link_of(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.LinkDecl | None:
    """The links denoted by the name of their kind; None for other expressions."""
    if not isinstance(e, ast.Ref) or e.name in env.vars or e.name not in x.decls.links:
        return None
    x.decls.used.add(e.name)
    x.decls.refer(e.span, x.decls.kinds[e.name])
    return x.decls.links[e.name]


def infer_at(x: ExpressionContext, e: ast.TrackCall, link: typed.LinkDecl, env: Env) -> typed.Expr:
    """Types `line.at(r)`: the links at a region, in either direction."""
    notes = (Label(link.at.span, f"`{link.kind}` is declared here"),)
    if e.name.text != "at":
        message, help_ = f"a kind of links has no `{e.name.text}`", f"the links at a region are `{link.kind}.at(r)`"
        return x.bad("RS225", message, e.name.span, notes=notes, help=help_)
    if len(e.args) != 1:
        return x.bad("RS226", f"`at` takes 1 argument, not {len(e.args)}", e.span, notes=notes)
    region = x.check(e.args[0], env, Ent(link.region), "where the links are", link.at.span)
    if isinstance(region, typed.Lit) and region.type == Ent(link.region):
        return typed.Lit(SetOf(link.kind), e.span, link.at.values[region.value])
    return typed.Fact(SetOf(link.kind), e.span, link.at, region)


def infer_between(x: ExpressionContext, e: ast.Index, link: typed.LinkDecl, env: Env) -> typed.Expr:
    """Types `line[a, b]`: the link between two regions, if any."""
    if len(e.keys) != 2:
        notes = (Label(link.at.span, f"`{link.kind}` is declared here"),)
        message = f"`{link.kind}` takes the two ends of a link in brackets, not {len(e.keys)} values"
        return x.bad("RS226", message, e.span, notes=notes, help=f"the links at a region are `{link.kind}.at(r)`")
    a, b = (x.check(key, env, Ent(link.region), "the end of a link", link.at.span) for key in e.keys)
    if isinstance(a, typed.Lit) and isinstance(b, typed.Lit) and a.type == b.type == Ent(link.region):
        result = link.between(a.value, b.value)
        return typed.Lit(Ent(link.kind, result < 0), e.span, result)
    return typed.LinkBetween(Ent(link.kind, True), e.span, link, (a, b))
