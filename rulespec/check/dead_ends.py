"""Decisions where a game may get stuck, from `dead_ends` in `game.yaml`."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import entries, get, text
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk


def check_dead_ends(c: Context) -> None:
    """Reads the declared dead ends; each must be the name of a decision."""
    declared = list(entries(get(c.source.root, "game", "dead_ends")))
    if not declared:
        return
    statements = (s for procedure in c.rules.procedures.values() for s in walk(procedure.body))
    decisions = {s.name: s.span for s in statements if isinstance(s, typed.Decide)}
    for name, place, reason in declared:
        if name in decisions:
            c.declarations.dead_ends[name] = text(reason)
        else:
            hint, notes = nearest(name, decisions)
            message = f"`{name}` cannot be a dead end: there is no such decision"
            c.report.error("RS720", message, place.span, notes=notes, help=hint)
