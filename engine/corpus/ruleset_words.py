"""Words of a ruleset as plain data: its title, the unit of its scores, and its measures."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from rulespec.typed import nodes as typed
from rulespec.types import Num


class NamedMeasure(Struct, frozen=True):
    """The description of a measure: its name, title and unit, and its kind ("" for the game)."""

    measure: str
    title: str
    unit: str
    of: str


def measures_of(ruleset: typed.Ruleset) -> tuple[NamedMeasure, ...]:
    """The measures of a ruleset, sorted by name."""
    measures = ruleset.declarations.measures.values()
    return tuple(NamedMeasure(m.name, m.title, _unit(m.value), m.kind) for m in sorted(measures, key=lambda m: m.name))


def ruleset_words(ruleset: typed.Ruleset) -> dict[str, Any]:
    """The title of a ruleset, the unit of its scores, and its measures, as plain data."""
    return {"title": ruleset.title, "unit": score_unit(ruleset), "measures": msgspec.to_builtins(measures_of(ruleset))}


def score_unit(ruleset: typed.Ruleset) -> str:
    """The unit of the scores; empty if they are plain numbers, or if the ruleset has no scores."""
    scoring = ruleset.rules.scoring
    return _unit(scoring.score) if scoring is not None else ""


def _unit(value: typed.Expr) -> str:
    """The unit of a value; empty for plain numbers and truth values."""
    return (value.type.unit or "") if isinstance(value.type, Num) else ""
