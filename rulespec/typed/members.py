"""Sets and orders that are never empty."""

from __future__ import annotations

from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import arms
from rulespec.types import SetOf, may_be_none


def has_members(e: typed.Expr) -> bool:
    """Whether an expression for a set or an order is known to be nonempty: a kind, a literal, or a set built from
    these.
    """
    if isinstance(e, typed.KindSet):
        return e.kind.by_seat or bool(e.kind.entities)
    if isinstance(e, typed.Lit):
        return isinstance(e.type, SetOf) and e.value != 0
    if isinstance(e, typed.Op):
        if e.op in ("members", "order"):
            return has_members(e.args[0])
        if e.op == "append":
            return has_members(e.args[0]) or not may_be_none(e.args[1].type)
        if e.op == "set":  # none is omitted
            return not all(may_be_none(item.type) for item in e.args)
        return e.op == "|" and any(map(has_members, e.args))
    if isinstance(e, typed.Choice | typed.IfSome):
        return has_members(e.then) and has_members(e.other)
    if isinstance(e, typed.Cases):
        return all(map(has_members, arms(e)))
    if isinstance(e, typed.Each) and e.op in ("set", "best", "order"):
        return finds(e.binder) and (e.body is None or not may_be_none(e.body.type))
    return isinstance(e, typed.Reach) and has_members(e.start)


def finds(b: typed.Binder) -> bool:
    """Whether the operator of a binder is known to find a member in every position."""
    return b.where is None and has_members(b.source)
