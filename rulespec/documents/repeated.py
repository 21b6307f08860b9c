"""Repeated names in lists: the repetition has no effect, and usually another name was meant."""

from __future__ import annotations

from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import Node, Scalar, get, words

UNIQUE_LISTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "game": (("overlays",), ("replaces",)),
    "overlay": (("includes",), ("replaces",), ("remove",)),
    "dialect": (("undo", "checkpoints"), ("undo", "keeps")),
}
"""The paths of lists without repetition, by schema name. (`uniqueItems` of JSON Schema takes quadratic time.)"""


def report_repeated(root: Node, schema: str, report: Report) -> None:
    """Reports each repeated name in a list, with a note at the first (RS218)."""
    for keys in UNIQUE_LISTS.get(schema, ()):
        first: dict[str, Scalar] = {}
        for word in words(get(root, *keys)):
            if word.text in first:
                notes = [Label(first[word.text].span, "the first one")]
                message = f"`{word.text}` occurs twice in `{'.'.join(keys)}`"
                report.error("RS218", message, word.span, notes=notes, help="name it once, or correct the second name")
            first.setdefault(word.text, word)
