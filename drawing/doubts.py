"""Checks of a map with unreadable facts: a mistake is reported only if it holds for every possible value.

A fact with an error still has some value, and checks of its neighbours would otherwise depend on that value.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.engine.verify.verified_facts import failed_checks
from rulespec.overlays.blame import Layers
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import size
from rulespec.types import Bool, Ent, SetOf, Type

_SAME = 20
"""The number of trials in which all unknown facts have the same value."""
_MIXED = 20
"""The number of trials in which each unknown fact has a different value."""
_ONE_WAY = "RS230"
"""The code of a link missing at its other end, which leaves no value unknown."""
_NUMBERS = (0, 1, 2, 10, -1)

_Doubt = tuple[typed.FactDecl, int, list[int]]
"""A fact, the entity for which it is unknown, and its possible values."""


def certain_failures(d: typed.Declarations, layers: Layers, errors: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The checks that fail whatever the values of the faulty facts are.

    Args:
        d: the declarations; their facts are changed temporarily and then restored.
        layers: as in `failed_checks`.
        errors: the errors in the facts.
    """
    results = list(failed_checks(d, layers))
    doubts = list(_doubts(d, errors)) if results else []
    written = [fact.values[entity] for fact, entity, _ in doubts]
    for values in _trials([possible for _, _, possible in doubts]):
        if not results:
            break
        _set(doubts, values)
        try:
            still = {one.message for one in failed_checks(d, layers)}
        finally:
            _set(doubts, written)
        results = [one for one in results if one.message in still]
    return results


def _set(doubts: Iterable[_Doubt], values: Iterable[int]) -> None:
    for (fact, entity, _), value in zip(doubts, values, strict=True):
        fact.values[entity] = value


def _doubts(d: typed.Declarations, errors: Iterable[Diagnostic]) -> Iterator[_Doubt]:
    notes = [(one.span, one.message) for one in errors if one.span is not None and one.code != _ONE_WAY]
    for kind in d.kinds.values():
        for fact in kind.facts.values():
            for entity in range(len(fact.values)):
                written = fact.places.get(entity)
                place = written or (kind.entities[entity].span if entity < len(kind.entities) else kind.span)
                within = [text for span, text in notes if _lies_in(span, place)]
                if any(written is not None or f"`{fact.name}`" in text for text in within):
                    yield fact, entity, _possible(d, fact.type, fact.values[entity])


def _lies_in(span: Span, place: Span) -> bool:
    begins = (place.line, place.column) <= (span.line, span.column)
    return span.file == place.file and begins and (span.end_line, span.end_column) <= (place.end_line, place.end_column)


def _possible(d: typed.Declarations, type_: Type, written: int) -> list[int]:
    if isinstance(type_, Bool):
        return [0, 1]
    if isinstance(type_, Ent):
        return [*range(size(d.kinds, type_.kind, d.max_players)), *([-1] if type_.optional else [])]
    if isinstance(type_, SetOf):
        members = size(d.kinds, type_.kind, d.max_players)
        return [written, *(written | 1 << member for member in range(members)), (1 << members) - 1]
    return [written, *_NUMBERS]


def _trials(possible: list[list[int]]) -> Iterator[list[int]]:
    """Combinations of values for the facts: equal ones first, up to a limit, then mixed ones."""
    if not possible:
        return
    for number in range(min(max(map(len, possible)), _SAME)):
        yield [values[number % len(values)] for values in possible]
    rng = random.Random(0)
    for _ in range(_MIXED):
        yield [rng.choice(values) for values in possible]
