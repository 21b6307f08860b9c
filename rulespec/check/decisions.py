"""Lookup of the rules' decisions by name, for references in YAML."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.documents.yaml_nodes import Scalar
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk


def offered(rules: typed.Rules, *, chance: bool = True) -> dict[str, dict[str, typed.OptionDef]]:
    """The decisions by name, optionally including chance, with the options of each by name."""
    results: dict[str, dict[str, typed.OptionDef]] = {}
    for decision in (s for procedure in rules.procedures.values() for s in walk(procedure.body)):
        if isinstance(decision, typed.Decide) and (chance or decision.form != "chance"):
            results.setdefault(decision.name, {}).update({option.name: option for option in decision.options})
    return results


def on_top(c: Context, place: Scalar) -> bool:
    """Whether a place belongs to the top layer."""
    layers = c.source.layers
    top = max(layers.values(), default=0)
    return layers.get(place.span.file, top) == top
