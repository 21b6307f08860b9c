"""Long evaluations between decisions, which are left to the interpreter because it counts steps, and statistics on the
calls passed to the interpreter.

Runs and option lists count their own steps. Generated code evaluates everything else without counting; if the sizes of
kinds do not prove that an evaluation is short, the interpreter takes over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct

from rulespec.engine.program import ir
from rulespec.engine.program.alike import secrets_of
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import MAX_VALUE_STEPS

_counters: list[Counter[str]] = []


def handed_back(to: str, times: int = 1) -> None:
    """Counts calls delegated to a fallback machine (`python` or `interpreter`).

    Calls that merely report a fault do not count.
    """
    for counter in _counters:
        counter[to] += times


def note(counts: Mapping[str, int]) -> None:
    """Adds the counts of delegated calls in another process."""
    for to, times in counts.items():
        handed_back(to, times)


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """A context in which calls delegated to fallback machines are counted."""
    result = Counter[str]()
    _counters.append(result)
    try:
        yield result
    finally:
        del _counters[next(i for i, each in enumerate(_counters) if each is result) :]


class LongValues(Struct, frozen=True):
    """Evaluations that may take more than `MAX_VALUE_STEPS` steps, given the sizes of kinds.

    Attributes:
        deciders: the decisions whose decider takes long to compute.
        tests: decision and choice of each option with a long legality test.
        actors: decision and choice of each out-of-turn option whose actor takes long to compute.
        invariants: the long invariants.
        scored: the numbers of long expressions in `scored`.
        asides: the numbers of long asides.
        seen: whether it takes long to compute who sees the cells that tell interchangeable tokens apart.
        secrets: the numbers of the secrets whose viewers take long to compute.
    """

    deciders: frozenset[int]
    tests: frozenset[tuple[int, int]]
    actors: frozenset[tuple[int, int]]
    invariants: frozenset[int]
    scored: frozenset[int]
    asides: frozenset[int]
    seen: bool
    secrets: frozenset[int]


def long_values(p: ir.Program, costs: Costs) -> LongValues:
    """The values of a program that may take too long to evaluate without counting."""

    def long(expressions: Iterable[ir.Expr | None]) -> bool:
        return sum(costs.of(e) for e in expressions if e is not None) > MAX_VALUE_STEPS

    options = [(i, k, c) for i, d in enumerate(p.decisions) for k, c in enumerate(d.choices)]
    secrets = [secret for of in secrets_of(p).values() for secret in of]
    return LongValues(
        frozenset(i for i, d in enumerate(p.decisions) if long([d.by])),
        frozenset((i, k) for i, k, c in options if long(_tests(c))),
        frozenset((i, k) for i, k, c in options if long([c.by])),
        frozenset(i for i, v in enumerate(p.invariants) if long([v.condition.expr])),
        frozenset(i for i, e in enumerate(scored(p)) if long([e])),
        frozenset(i for i, a in enumerate(p.asides) if long([a.value])),
        long([e for secret in secrets for e in (secret.to, secret.open)]),
        frozenset(i for i, secret in enumerate(p.secrets) if long([secret.to, secret.open])),
    )


def scored(p: ir.Program) -> list[ir.Expr]:
    """The scoring expressions, followed by the expressions of position values.

    Slot 0 holds the player, slot 1 the entity that a tiebreak compares.
    """
    values = [value.value for value in p.values]
    if p.scoring is None:
        return values
    ties = [e for t in p.scoring.tiebreaks for e in (t.source, t.key, t.value) if e is not None]
    return [p.scoring.score, *ties, *values]


def _tests(c: ir.Choice) -> list[ir.Expr | None]:
    """The expressions that determine whether an option with given arguments is legal."""
    results: list[ir.Expr | None] = []
    for q in c.params:
        results += [*q.domain, q.where.expr if q.where is not None else None]
    for r in c.requires:
        results += [*(value for _, value in r.lets), r.expr]
    return [*results, c.weight]
