"""Decisions intended to repeat without limit, listed under `endless` in `rules.yaml`."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.documents.text_files import display, is_present
from rulespec.documents.yaml_nodes import Scalar, Sequence, get
from rulespec.documents.yaml_reader import read_yaml
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk


def endless_decisions(ruleset: typed.Ruleset) -> frozenset[str]:
    """The names of the decisions at which turns may loop forever."""
    return frozenset(name.text for folder in range(len(ruleset.folders)) for name in _listed(ruleset, folder))


def idle_entries(ruleset: typed.Ruleset) -> list[Diagnostic]:
    """Warnings about entries of the ruleset's own list that name no decision; none if overlays may remove it."""
    if ruleset.overlays:
        return []
    known = _asked(ruleset)
    help_ = "remove it, or name a decision of the rules"
    return [
        Diagnostic(
            "RS713", Severity.WARNING, f"`endless` names `{n.text}`, which is not a decision", n.span, help=help_
        )
        for n in _listed(ruleset, 0)
        if n.text not in known
    ]


def _asked(ruleset: typed.Ruleset) -> set[str]:
    statements = (s for procedure in ruleset.rules.procedures.values() for s in walk(procedure.body))
    return {s.name for s in statements if isinstance(s, typed.Decide)}


def _listed(ruleset: typed.Ruleset, number: int) -> Iterator[Scalar]:
    path = ruleset.folders[number] / "rules.yaml"
    if not is_present(path):
        return
    result = get(read_yaml(path, display(path)), "endless")
    for item in result.items if isinstance(result, Sequence) else ():
        if isinstance(name := get(item, "decision"), Scalar):
            yield name
