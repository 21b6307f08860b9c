"""The start procedure of a game."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import get, text


def check_start(c: Context) -> None:
    """Finds the start procedure of a game; reports one that is missing, has parameters or returns a value."""
    node = get(c.source.root, "game", "start")
    c.start = name = text(node, "play")
    span = node.span if node is not None else c.source.root.span
    procedure = c.rules.procedures.get(name)
    if procedure is None:
        hint, notes = nearest(name, {p.name: p.span for p in c.rules.procedures.values()})
        c.report.error("RS221", f"no procedure is called `{name}`", span, notes=notes, help=hint)
    elif procedure.params:
        notes = (Label(procedure.span, "declared here"),)
        c.report.error("RS226", f"the game starts with `{name}`, which must take no parameters", span, notes=notes)
    elif procedure.result is not None:
        notes = (Label(procedure.result_span or procedure.span, "declared here"),)
        c.report.error("RS262", f"the game starts with `{name}`, which must not return a value", span, notes=notes)
    if procedure is not None and node is not None:
        c.declarations.refer(span, procedure)
