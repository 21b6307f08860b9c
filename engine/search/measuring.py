"""Measures of many positions at once, computed like position values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from rulespec.engine.game.game import Game
from rulespec.engine.game.measured import Measures
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.search.search import Search
from rulespec.typed import nodes as typed


def value_of(measure: str) -> str:
    """The name of the value that stands for a measure, distinct from all declared values."""
    return f"measure {measure}"


def with_measures(ruleset: typed.Ruleset) -> typed.Ruleset:
    """A ruleset with its measures as additional values; its reference is different, but its games are the same.

    The additional values have `decides` 0, so they never determine a leader.
    """
    declarations = ruleset.declarations
    values = {**declarations.values}
    for m in declarations.measures.values():
        name = value_of(m.name)
        values[name] = typed.PositionValue(name, m.title, m.doc, m.var, m.value, m.span, 0, 0)
    return replace(ruleset, ref=f"{ruleset.ref} with measures", declarations=replace(declarations, values=values))


class RowMeasures:
    """Measures of positions given as rows.

    Args:
        search: a search of a ruleset `with_measures`.
    """

    def __init__(self, search: Search) -> None:
        self._search = search
        table = search.table
        names = table.omniscient.labels.names
        values = {value.name: value for value in search.program.values}
        self._columns = [
            (m.name, names[m.kind] if m.kind else ("",), values[value_of(m.name)])
            for m in table.ruleset.declarations.measures.values()
        ]

    def noted(self, game: Game) -> list[int]:
        """The row of a position, to be measured later."""
        return self._search.form.row(game.omniscient.numbers.cells)

    def measures(self, notes: Sequence[list[int]]) -> list[Measures]:
        """The measures of positions noted by `noted`."""
        return self.of(np.array(notes, np.int64).reshape(len(notes), self._search.columns))

    def of(self, rows: NDArray[np.int64]) -> list[Measures]:
        """The measures of positions: measure → entity → number; None if the number does not exist."""
        results: list[Measures] = [{} for _ in rows]
        try:
            for measure, entities, value in self._columns:
                for result, numbers in zip(results, self._search.measured(rows, value).tolist(), strict=True):
                    result[measure] = dict(zip(entities, numbers, strict=False))
        except RulesetFaultError:  # a measure without a number in some position is left out there
            return [self._search.game(row).omniscient.measures() for row in rows]
        return results
