"""Player sets as explicit lists, with a membership condition for each player."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rulespec.check.lints.keys import UNKNOWN, Key, key_of, moved
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions

_Condition = tuple[typed.Expr, bool]
"""A condition with its required truth value."""
_Viewer = tuple[typed.Expr, tuple[_Condition, ...]]


def viewers(to: typed.Expr | None, key: Callable[[typed.Expr], Key]) -> list[tuple[Key, Key]] | None:
    """The players in a set, as pairs of the player's key and the key of the condition (None if unconditional); None if
    the players cannot be listed.

    `key` maps an expression to its key.
    """
    listed = _listed(to, ())
    if listed is None:
        return None
    return [(key(player), _condition(conditions, key)) for player, conditions in listed]


def outsider(to: typed.Expr | None, key: Callable[[typed.Expr], Key]) -> Key:
    """The key of the only player who is not in a set: `{q in player where q != p}`, `player - {p}`, or a definition of
    such a set; None for other sets.
    """
    if isinstance(to, typed.Call):
        if to.definition.lets:
            return None
        inside = outsider(to.definition.body, lambda e: key_of(e, {}))
        args: dict[Key, Key] = {
            ("var", param): key(arg) for param, arg in zip(to.definition.params, to.args, strict=True)
        }
        return moved(inside, args)
    if isinstance(to, typed.Op) and to.op == "diff" and isinstance(to.args[0], typed.KindSet):
        left = to.args[1]
        return key(left.args[0]) if isinstance(left, typed.Op) and left.op == "set" and len(left.args) == 1 else None
    if isinstance(to, typed.Each) and to.op == "set" and to.body is None and to.binder.where is not None:
        player = _compared(to.binder.where, to.binder.var, "!=")
        return key(player) if player is not None and isinstance(to.binder.source, typed.KindSet) else None
    return None


def pairs(e: typed.Expr | None, sign: str) -> Iterator[tuple[typed.Expr, typed.Expr]]:
    """The pairs of expressions that a condition requires to be equal (`sign` is `==`) or different (`!=`)."""
    for one in _conjuncts(e) if e is not None else ():
        if isinstance(one, typed.Op) and one.op == sign:
            yield one.args[0], one.args[1]


def equal_keys(b: typed.Binder, key: Callable[[typed.Expr], Key]) -> dict[Key, Key]:
    """The keys that a binder's condition equates with the member, so that no other member counts."""
    results: dict[Key, Key] = {}
    for one, other in pairs(b.where, "=="):
        for own, outer in ((one, other), (other, one)):
            if _mentions(own, b.var) and not _mentions(outer, b.var) and key(own) and key(outer):
                results[key(own)] = key(outer)
    return results


def _condition(conditions: Sequence[_Condition], key: Callable[[typed.Expr], Key]) -> Key:
    keys: list[Key] = []
    for e, truth in conditions:
        holds = key(e) or UNKNOWN
        keys.append(holds if truth else ("op", "not", holds))
    if not keys:
        return None
    return keys[0] if len(keys) == 1 else ("op", "and", *keys)


def _listed(to: typed.Expr | None, under: tuple[_Condition, ...]) -> list[_Viewer] | None:
    if to is None or (isinstance(to, typed.Lit) and to.value == 0):
        return []
    if isinstance(to, typed.Op) and to.op == "set":
        return [(e, under) for e in to.args]
    if isinstance(to, typed.Op) and to.op == "|":
        return _together(_listed(e, under) for e in to.args)
    if isinstance(to, typed.Choice):
        ways = ((to.then, True), (to.other, False))
        return _together(_listed(e, (*under, (to.condition, truth))) for e, truth in ways)
    if isinstance(to, typed.Each) and to.op == "set" and to.body is None:
        return _chosen(to.binder, under)
    return None


def _together(sets: Iterator[list[_Viewer] | None]) -> list[_Viewer] | None:
    results: list[_Viewer] = []
    for one in sets:
        if one is None:
            return None
        results += one
    return results


def _chosen(b: typed.Binder, under: tuple[_Condition, ...]) -> list[_Viewer] | None:
    """The members of a set that satisfy a condition; for the set of all players, the one named by the condition."""
    conditions = list(_conjuncts(b.where)) if b.where is not None else []
    if not isinstance(b.source, typed.KindSet):
        return _listed(b.source, (*under, *((e, True) for e in conditions)))
    for e in conditions:
        player = _compared(e, b.var, "==")
        if player is not None:
            return [(player, (*under, *((other, True) for other in conditions if other is not e)))]
    return None


def _conjuncts(e: typed.Expr) -> Iterator[typed.Expr]:
    if isinstance(e, typed.Op) and e.op == "and":
        for part in e.args:
            yield from _conjuncts(part)
    else:
        yield e


def _compared(e: typed.Expr, var: typed.Var, sign: str) -> typed.Expr | None:
    """The value with which a condition compares a variable by a sign; None for other conditions."""
    if not isinstance(e, typed.Op) or e.op != sign:
        return None
    for one, other in (e.args, e.args[::-1]):
        if isinstance(one, typed.Local) and one.var is var:
            return None if _mentions(other, var) else other
    return None


def _mentions(e: typed.Expr, var: typed.Var) -> bool:
    """Whether an expression reads a variable."""
    return any(isinstance(part, typed.Local) and part.var is var for part in expressions(e))
