"""Scopes: the variables at a place in the rules, and the optional values known not to be none."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.typed import nodes as typed
from rulespec.types import Ent, Num, Type, may_be_none

Path = tuple[object, ...]
"""An access path that can be tested for none: a root (a Var, or the name of a global), and names of fields."""


class Env(Struct, frozen=True):
    """The variables in scope, and the paths known not to be none. Immutable: each change creates a new scope."""

    vars: dict[str, typed.Var] = field(default_factory=dict)
    known: frozenset[Path] = frozenset()
    original: str = ""
    """The name of the rule called by `original(…)`, in a rule that wraps another."""
    steps: tuple[typed.Var, ...] = ()
    """The path and the two step variables that are no longer in scope, after the steps of a path."""

    def bind(self, var: typed.Var) -> Env:
        """This scope with an additional variable."""
        return replace(self, vars={**self.vars, var.name: var})

    def learn(self, paths: frozenset[Path]) -> Env:
        """This scope with additional paths known not to be none."""
        return replace(self, known=self.known | paths) if paths else self

    def forget(self, names: frozenset[object]) -> Env:
        """This scope without any knowledge about paths through the given variables, globals and fields."""
        if not names or not self.known:
            return self
        return replace(self, known=frozenset(p for p in self.known if not any(part in names for part in p)))

    def meet(self, ends: list[Env]) -> Env:
        """This scope, with only the knowledge common to all branches that join; unchanged if there are none."""
        if not ends:
            return self
        return replace(self, known=frozenset.intersection(*(e.known for e in ends)))


def path_of(expr: typed.Expr) -> Path | None:
    """The access path of a variable, a global, a field, a fact or a path step; None for other expressions."""
    if isinstance(expr, typed.Local):
        return (expr.var,)
    if isinstance(expr, typed.Field) and expr.owner is None:
        return (expr.decl.name,)
    if isinstance(expr, typed.Field | typed.Fact) and expr.owner is not None:
        owner = path_of(expr.owner)
        name = field_name(expr.decl) if isinstance(expr, typed.Field) else expr.decl.name
        if owner is not None:
            return (*owner, name)
        if isinstance(expr.owner, typed.Lit):
            return (("entity", expr.owner.type, expr.owner.value), name)
    if isinstance(expr, typed.BoardOp) and expr.op == "to":
        parts = [_part(arg) for arg in expr.args]
        return ("to", *(step for part in parts for step in part or ())) if all(parts) else None
    if isinstance(expr, typed.LinkBetween):
        parts = [_part(end) for end in expr.ends]
        return (expr.link.kind, *(step for part in parts for step in part or ())) if all(parts) else None
    return None


def field_name(decl: typed.FieldDecl) -> object:
    """The name of a field in access paths; for a local table, its declaration, since state may have the same name."""
    return decl if decl.local else decl.name


def _part(expr: typed.Expr) -> Path | None:
    """The access path of an expression, which may also be a constant."""
    return (("constant", expr.value),) if isinstance(expr, typed.Lit) else path_of(expr)


def _is_solid(type_: Type) -> bool:
    return isinstance(type_, Ent | Num) and not may_be_none(type_)


def known_if(expr: typed.Expr, truth: bool) -> frozenset[Path]:
    """The paths known not to be none if the expression has the truth value `truth`."""
    if not isinstance(expr, typed.Op):
        return frozenset()
    if expr.op == "not":
        return known_if(expr.args[0], not truth)
    if expr.op == "some" and truth:
        path = path_of(expr.args[0])
        return frozenset([path]) if path else frozenset()
    if expr.op == ("and" if truth else "or"):
        return known_if(expr.args[0], truth) | known_if(expr.args[1], truth)
    if expr.op == ("==" if truth else "!="):
        left, right = expr.args
        results = set()
        for one, other in ((left, right), (right, left)):
            path = path_of(one)
            if path and _is_solid(other.type):
                results.add(path)
        return frozenset(results)
    if expr.op == "in" and truth:
        path = path_of(expr.args[0])
        return frozenset([path]) if path else frozenset()
    return frozenset()
