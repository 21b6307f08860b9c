"""Sets of players as explicit lists, with a condition of membership for each player."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rulespec.check.lints.keys import UNKNOWN, Key
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions

_Condition = tuple[typed.Expr, bool]
"""A condition with its required truth value."""
_Viewer = tuple[typed.Expr, tuple[_Condition, ...]]


def viewers(to: typed.Expr | None, key: Callable[[typed.Expr], Key]) -> list[tuple[Key, Key]] | None:
    """The keys of the players in a set, each with the key of its condition, or None if it is unconditional. The result
    is None if they cannot be listed.

    `key` maps an expression to its key.
    """
    listed = _listed(to, ())
    if listed is None:
        return None
    return [(key(player), _condition(conditions, key)) for player, conditions in listed]


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
        player = _equal(e, b.var)
        if player is not None:
            return [(player, (*under, *((other, True) for other in conditions if other is not e)))]
    return None


def _conjuncts(e: typed.Expr) -> Iterator[typed.Expr]:
    if isinstance(e, typed.Op) and e.op == "and":
        for part in e.args:
            yield from _conjuncts(part)
    else:
        yield e


def _equal(e: typed.Expr, var: typed.Var) -> typed.Expr | None:
    """The value that a variable must have for a condition to be true."""
    if not isinstance(e, typed.Op) or e.op != "==":
        return None
    for one, other in (e.args, e.args[::-1]):
        if isinstance(one, typed.Local) and one.var is var:
            named = any(isinstance(part, typed.Local) and part.var is var for part in expressions(other))
            return None if named else other
    return None
