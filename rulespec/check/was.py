"""Former names of renamed declarations, from `was` in `game.yaml`."""

from __future__ import annotations

from collections.abc import Collection

from rulespec.check.context import Context
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.yaml_nodes import Scalar, entries, get
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk


def check_was(c: Context) -> None:
    """Reads the former names for migrating recorded games; they never affect a game."""
    declared = list(entries(get(c.source.root, "game", "was")))
    if not declared:
        return
    d, was = c.declarations, c.declarations.was
    options: dict[str, set[str]] = {}
    for procedure in c.rules.procedures.values():
        for decision in (s for s in walk(procedure.body) if isinstance(s, typed.Decide)):
            options.setdefault(decision.name, set()).update(option.name for option in decision.options)
    entities = {kind.name: {entity.name for entity in kind.entities} for kind in d.kinds.values()}
    layers = c.source.layers
    top = max(layers.values(), default=0)
    for path, place, old in declared:
        if not isinstance(old, Scalar):
            continue
        name, _, part = path.partition(".")
        if part in options.get(name, ()):
            was.options[name, old.text] = part
            today: Collection[str] = options[name]
        elif part in entities.get(name, ()):
            was.entities[name, old.text] = part
            today = entities[name]
        elif path in options:
            was.decisions[old.text] = path
            today = options
        elif path in d.settings:
            was.settings[old.text] = path
            today = d.settings
        else:
            if layers.get(place.span.file, top) == top:
                names = [*options, *d.settings, *(f"{k}.{n}" for k, of in (options | entities).items() for n in of)]
                hint = did_you_mean(path, names) or "write a decision, `decision.option`, `kind.entity` or a setting"
                c.report.error("RS729", f"there is no `{path}` to give a former name", place.span, help=hint)
            continue
        if old.text in today:
            message = f"`{old.text}` is in use, so it cannot be a former name of `{path}`"
            c.report.error("RS729", message, old.span, help="a former name must no longer be in use")
