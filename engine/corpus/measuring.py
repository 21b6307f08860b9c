"""Measures of many positions at once: they are worked out natively, as values of positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from rulespec.engine.corpus.rows import Reading, readings
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.search.search import Search
from rulespec.typed import nodes as typed


def value_of(measure: str) -> str:
    """The name of a measure as a value: no ruleset calls a value so."""
    return f"measure {measure}"


def with_measures(ruleset: typed.Ruleset) -> typed.Ruleset:
    """A ruleset whose measures are values, too. Its reference names another program, not other games."""
    declarations = ruleset.declarations
    values = {**declarations.values}
    for m in declarations.measures.values():
        name = value_of(m.name)
        values[name] = typed.PositionValue(name, m.title, m.doc, m.var, m.value, m.span, 1, 1)
    return replace(ruleset, ref=f"{ruleset.ref} with measures", declarations=replace(declarations, values=values))


def measured(search: Search, rows: NDArray[np.int64], decisions: Sequence[int]) -> list[tuple[Reading, ...]]:
    """The measures of positions after so many decisions each.

    Args:
        search: a search of a ruleset `with_measures`.
        rows: the positions.
        decisions: the numbers of decisions before them.
    """
    table = search.game(rows[0])
    names = table.omniscient.labels.names
    values = {value.name: value for value in search.program.values}
    columns: list[tuple[str, str]] = []
    parts = []
    try:
        for measure in table.ruleset.declarations.measures.values():
            entities = names[measure.kind] if measure.kind else ("",)
            columns += [(measure.name, entity) for entity in entities]
            parts.append(search.measured(rows, values[value_of(measure.name)])[:, : len(entities)])
    except RulesetFaultError:  # what has no number in some position is left out there
        return [
            readings(search.game(row).omniscient.measures(), at, {}) for row, at in zip(rows, decisions, strict=True)
        ]
    numbers = np.concatenate(parts, axis=1).tolist() if parts else [[] for _ in rows]
    return [
        tuple([Reading(at, *column, number) for column, number in zip(columns, own, strict=True)])
        for at, own in zip(decisions, numbers, strict=True)
    ]
