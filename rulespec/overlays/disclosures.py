"""Declared disclosures of private values, from a `rules.yaml`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.yaml_nodes import Node, Sequence, get, text
from rulespec.records import Brief


class Disclosure(Brief, Struct, frozen=True):
    """A deliberate disclosure: a file, a text on the line, and the reason."""

    at: str
    text: str
    reason: str
    span: Span


def listed_disclosures(node: Node | None) -> Iterator[Disclosure]:
    """The entries under `told`."""
    result = get(node, "told")
    for item in result.items if isinstance(result, Sequence) else ():
        at, line, reason = (text(get(item, key)) for key in ("at", "text", "reason"))
        yield Disclosure(at, line, reason, item.span)
