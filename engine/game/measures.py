"""The measures of a ruleset, such as points and treasuries, where a game stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rulespec.engine.game.guarded import HiddenError
from rulespec.engine.lower.expressions import Scope
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.journal import State
from rulespec.types import Ent

if TYPE_CHECKING:
    from rulespec.engine.game.closures import Closure
    from rulespec.engine.game.option import Labels
    from rulespec.engine.game.query import Queries

Measures = dict[str, dict[str, int | None]]
"""By measure, the number of each entity that has it; of the whole game under "". None: it is not seen, or has none."""


class Gauge(Struct, frozen=True):
    """A measure as a function of the state; `kind` is the kind that has it, or ""."""

    name: str
    kind: str
    value: Closure


def gauges(queries: Queries) -> tuple[Gauge, ...]:
    """The measures of a ruleset, made once per ruleset, number of seats and settings."""
    found = []
    for measure in queries.ruleset.declarations.measures.values():
        var = measure.var
        scope = Scope().in_slot(var, 0) if var is not None else Scope()
        kind = var.type.kind if var is not None and isinstance(var.type, Ent) else ""
        found.append(Gauge(measure.name, kind, queries.closure(measure.value, scope)))
    return tuple(found)


def measured(queries: Queries, labels: Labels, state: State) -> Measures:
    """The measures of a state; of a guarded one, those that do not depend on what is hidden."""
    found = queries.gauges  # they say how many slots there are
    room = [0] * (queries.program.slots + 1)
    return {
        gauge.name: {
            name: _value(gauge, state, [number, *room])
            for number, name in enumerate(labels.names[gauge.kind] if gauge.kind else ("",))
        }
        for gauge in found
    }


def _value(gauge: Gauge, state: State, slots: list[int]) -> int | None:
    try:
        return gauge.value(state, slots)
    except (HiddenError, ProgramFaultError):
        return None
