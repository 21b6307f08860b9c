"""The measures of a game over time, for charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from rulespec.drawing.colours import INK, luminance
from rulespec.engine.game.measured import Measures
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed
from rulespec.types import Ent

MAX_LINES = 60
"""The maximum number of lines in a chart; if there are more entities, those that change most are drawn."""
_PALE, _DARK = 0.5, 0.1  # luminance of colours barely visible on white, and on black


class Line(Struct):
    """A number over time, recorded whenever it changes; None if it is hidden or missing.

    Attributes:
        name: the measured entity.
        colour: the entity's colour on the board, as `#rrggbb`.
        at: the numbers of the moves at which it changes.
        values: the values from those moves on.
    """

    name: str
    colour: str = INK
    at: list[int] = []
    values: list[int | None] = []

    def note(self, moves: int, value: int | None) -> None:
        """Records the value after a number of moves, if it has changed."""
        if not self.at or self.values[-1] != value:
            self.at.append(moves)
            self.values.append(value)


class Curves:
    """The measures of a game over time; call `note` for each position in order.

    Args:
        declared: the measures.
        words: the titles of the measures.
        titles: the titles of the entities of a kind.
        colours: their colours.
    """

    def __init__(
        self,
        declared: dict[str, typed.Measure],
        words: Words,
        titles: Callable[[str], Sequence[str]],
        colours: Callable[[str], Sequence[str]],
    ) -> None:
        self._declared = declared
        self._words = words
        self._titles = titles
        self._colours = colours
        self._lines: dict[str, dict[str, Line]] = {name: {} for name in declared}

    def note(self, moves: int, measures: Measures) -> None:
        """Records the measures after the first `moves` moves."""
        for name, values in measures.items():
            lines = self._lines[name]
            if not lines:
                lines |= zip(values, self._lines_of(self._declared[name]), strict=False)
            for entity, value in values.items():
                lines[entity].note(moves, value)

    def _lines_of(self, measure: typed.Measure) -> list[Line]:
        """The lines of a measure, still without values."""
        type_ = measure.var.type if measure.var is not None else None
        if not isinstance(type_, Ent):
            return [Line(self._words.measure(measure.name))]
        return [Line(*look) for look in zip(self._titles(type_.kind), self._colours(type_.kind), strict=True)]

    def to_json(self) -> list[dict[str, Any]]:
        """The visible measures, each with its lines."""
        results = []
        for name in self._declared:
            lines = [line for line in self._lines[name].values() if line.values != [None]]
            busiest = sorted(lines, key=lambda line: -len(line.at))[:MAX_LINES]
            if busiest:
                shown = [line for line in lines if any(line is each for each in busiest)]
                drawn = [_drawn(line) for line in shown]
                notes = {"title": self._words.measure(name), "doc": self._words.measure_doc(name)}
                results.append({**notes, "lines": drawn})
        return results


def _drawn(line: Line) -> dict[str, Any]:
    """A line for the page's scripts, outlined if its colour is too close to the paper's."""
    light = luminance(line.colour)
    edge = {"pale": True} if light > _PALE else {"dark": True} if light < _DARK else {}
    return {"name": line.name, "colour": line.colour, **edge, "at": line.at, "is": line.values}
