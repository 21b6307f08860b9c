"""The schedule for testing an option's conditions while its arguments are listed, shared by all emitters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.engine.program.traversal import Binding, Facts, at_hand, changed, free
from rulespec.language.operators import OPERATORS

Named = tuple[dict[int, ir.Expr], ir.Expr]
"""A condition with its bindings: slot → value, then the expression."""

_OFTEN = 2
"""The number of evaluations from which a value is worth a variable."""


class OptionTests(Struct, frozen=True):
    """The schedule of an option's conditions: each is tested once its parameters are bound.

    Attributes:
        wheres: for each parameter, the condition on it, tested as soon as it is bound.
        tests: for each number of bound parameters from 0, the conditions tested at that point.
        depths: for each condition outside parameters, the number of parameters bound at its test.
        faults: for each parameter, whether its domain may fault.
    """

    wheres: list[ir.Expr | None]
    tests: list[list[Named]]
    depths: tuple[int, ...]
    faults: list[bool]


def option_tests(c: ir.Choice, facts: Facts) -> OptionTests:
    """The schedule that tests each condition as early as possible, but not before a preceding one that may fault.

    If steps are counted, this is the schedule of the program as first lowered (`Choice.depths`).
    """
    slots = [param.slot for param in c.params]
    may_fault = facts.may_fault
    tests: list[list[Named]] = [[] for _ in range(len(slots) + 1)]
    pure = True
    faults = [len(param.domain) > 1 or may_fault(param.low) for param in c.params]  # ranges may have too many values
    wheres = [param.where.expr if param.where is not None else None for param in c.params]
    late = [d + 1 for d, e in enumerate(wheres) if e is not None and may_fault(e)]
    earliest = max([0, *late, *(d for d, may in enumerate(faults) if may)])
    depths: list[int] = []
    for (lets, e), needed in zip(_all_conditions(c), needs(c), strict=True):
        pure = pure and not any(map(may_fault, (*lets.values(), e)))
        depth = len(slots)
        if pure:  # as soon as its parameters are bound
            depth = next(d for d in range(earliest, len(slots) + 1) if needed <= set(slots[:d]))
        depths.append(depth)
    latest = 0
    for depth, named in zip(c.depths if c.depths is not None else depths, _all_conditions(c), strict=True):
        if _says_something(named):
            tests[depth].append(named if depth >= latest else _before_others(named, c))
            latest = max(latest, depth)
    return OptionTests(wheres, tests, tuple(depths), faults)


def _before_others(named: Named, c: ir.Choice) -> Named:
    """A condition made safe for a test before earlier conditions, which may guard against none."""
    lets, e = named
    sure = frozenset(param.slot for param in c.params if param.none is None) - lets.keys()
    return {slot: unguarded(value, sure) for slot, value in lets.items()}, unguarded(e, sure)


def unguarded(e: ir.Expr, sure: Collection[int]) -> ir.Expr:
    """An expression that is safe without its guards: where an operand is none, operators yield an empty set or false.

    Args:
        e: the expression.
        sure: slots that are never none, besides those bound by folds.
    """
    if isinstance(e, ir.Fold | ir.Ranked):
        sure = {*sure, e.slot}
    e = changed(e, lambda part: unguarded(part, sure))
    of_none = OPERATORS[e.op].of_none if isinstance(e, ir.Op) else ""
    if not isinstance(e, ir.Op) or not of_none or isinstance(e.args[0], ir.Const):
        return e
    return e if isinstance(e.args[0], ir.Local) and e.args[0].slot in sure else replace(e, op=of_none)


def conditions(c: ir.Choice) -> list[Named]:
    """The non-trivial conditions of an option outside its parameters, each with its bindings."""
    return [named for named in _all_conditions(c) if _says_something(named)]


def _all_conditions(c: ir.Choice) -> list[Named]:
    """All conditions of an option outside its parameters, including trivial ones and the positive weight."""
    weight = [] if c.weight is None else [ir.Op(">", (c.weight, ir.Const(0)))]
    return [*((dict(r.lets), r.expr) for r in c.requires), *(({}, e) for e in weight)]


def _says_something(named: Named) -> bool:
    lets, e = named
    return bool(lets) or e != ir.Const(1)


def needs(c: ir.Choice) -> list[frozenset[int]]:
    """For each condition, the slots it reads, directly or through a `let`."""
    named: dict[int, frozenset[int]] = {param.slot: frozenset((param.slot,)) for param in c.params}
    results = []
    for lets, e in _all_conditions(c):
        for slot, value in lets.items():
            named[slot] = frozenset().union(*(named[x] for x in free(value)))
        needed = frozenset[int]().union(*(named[x] for x in free(e) & set(named)), *(named[slot] for slot in lets))
        named |= dict.fromkeys(lets, needed)  # bindings become visible after their condition
        results.append(needed)
    return results


def same_for_all(d: ir.Decision, choices: Iterable[ir.Choice], facts: Facts) -> list[ir.Expr]:
    """The calls and loops that a listing would repeat, although they depend only on the state, which does not change
    meanwhile: they are tested for every argument, or occur several times.

    If steps are counted, values that count their own steps are excluded.
    """
    results: dict[ir.Expr, int] = {}
    for c in choices:
        asked = [e for q in c.params for e in q.domain]
        asked += [q.where.expr for q in c.params if q.where is not None]
        asked += [e for lets, test in conditions(c) for e in (*lets.values(), test)]
        first = len(c.params[0].domain) if c.params else len(asked)
        for number, e in enumerate(asked):
            for part in _values_of_state(e, facts):
                results[part] = results.get(part, 0) + (1 if number < first else _OFTEN)
    return [e for e, times in results.items() if times >= _OFTEN and not (d.counted and facts.counts(e))]


def _values_of_state(e: ir.Expr, facts: Facts) -> Iterator[ir.Expr]:
    is_value = isinstance(e, ir.Call | Binding) and not (isinstance(e, ir.PathSearch) and not e.finds)
    if is_value and not free(e) and facts.reads_state(e):
        yield e
        return
    for part in at_hand(e):
        yield from _values_of_state(part, facts)
