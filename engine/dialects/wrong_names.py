"""Check of the names that a dialect translates (kinds, entities and endings) against its rulesets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.words.asked import Decisions
from rulespec.typed import nodes as typed

_STYLES = frozenset({"case", "remove"})
"""Keys beside the names of entities, which say how all other entities are written."""


def wrong_names(dialect: Dialect, rulesets: Sequence[typed.Ruleset]) -> Iterator[Diagnostic]:
    """The diagnostics for translated names that none of a dialect's rulesets has (RS635).

    If the dialect serves more rulesets than those given, nothing is checked, because a name may be theirs.
    """
    if len(rulesets) < len(dialect.rulesets):
        return

    def missing(what: str, name: str, known: Collection[str], place: str) -> Diagnostic:
        message = f"no ruleset of the dialect `{dialect.id}` has the {what} `{name}`"
        help_ = did_you_mean(name, sorted(known)) or "remove it, or name an existing one"
        return Diagnostic("RS635", Severity.ERROR, message, dialect.spans.get(place), help=help_)

    kinds: dict[str, set[str]] = {}
    for ruleset in rulesets:
        for kind in ruleset.declarations.kinds.values():
            kinds.setdefault(kind.name, set()).update(entity.name for entity in kind.entities)
    for kind_name, table in dialect.names.items():
        if kind_name not in kinds:
            yield missing("kind", kind_name, kinds, "names")
            continue
        for name in table:
            if name not in kinds[kind_name] and name not in _STYLES:
                yield missing(kind_name, name, kinds[kind_name], "names")
    result = dialect.result
    if result is not None and result.endings:
        endings = {ending for ruleset in rulesets for ending in Decisions(ruleset).endings}
        for name in result.endings.values():
            if name not in endings:
                yield missing("ending", name, endings, "result")
