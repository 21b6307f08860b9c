"""Nodes of an explanation: an expression, its value in the position, and the parts that determine it.

If `op` is in `LOGIC`, the truth of a node follows from its parts; any other truth value is a leaf, even if it has an
explanation. Nodes in `because` explain the selection of the parts: a set, an argument, a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.secrets import UNKNOWN

LOGIC = frozenset({"and", "or", "not", "all", "any", "implies", "if", "call", "once"})
"""The operations whose truth follows from their parts."""


class ReasonNode(Struct):
    """An expression with its value.

    Attributes:
        op: the operation that computes the value from the parts, or the source of the value.
        text: the source text of the expression.
        type: the name of its type.
        span: the place of the expression.
        value: the value in the form of `Labels.plain`; `UNKNOWN` from the first hidden cell on.
        parts: the parts that determine the value, up to the last one evaluated.
        because: the nodes that explain the selection of the parts.
        name: the member that a variable denotes, or the name of the cell read.
        reason: for a condition, the reason that the rules give.
        number: the value as a number; 0 if it is unknown.
    """

    op: str
    text: str
    type: str
    span: Span | None
    value: Any = UNKNOWN
    parts: list[ReasonNode] = []
    because: list[ReasonNode] = []
    name: str = ""
    reason: str = ""
    number: int = 0

    @property
    def known(self) -> bool:
        """Whether the value is known; no entity can have the name `UNKNOWN`."""
        return bool(self.value != UNKNOWN)

    def leaves(self) -> Iterator[ReasonNode]:
        """The leaf nodes that determine the node's truth."""
        if self.op not in LOGIC or not self.parts:
            yield self
            return
        for part in self.parts:
            yield from part.leaves()


Place = Callable[[Span | None], dict[str, Any]]
"""A function that returns the JSON keys for a place in the sources; empty for None."""


def to_json(node: ReasonNode, place: Place) -> dict[str, Any]:
    """A node as plain data, as printed by `rulespec why --format json`."""
    result: dict[str, Any] = {"op": node.op, "text": node.text, "value": node.value}
    if node.name:
        result["name"] = node.name
    if node.reason:
        result["reason"] = node.reason
    result |= place(node.span)
    for key, nodes in (("parts", node.parts), ("because", node.because)):
        if nodes:
            result[key] = [to_json(each, place) for each in nodes]
    return result


def folded(node: ReasonNode) -> ReasonNode:
    """A node reduced to its decisive parts: negating any remaining leaf would change the node's truth.

    If a value is unknown, everything that was evaluated remains.
    """
    op, parts, because = node.op, node.parts, node.because
    if node.op == "implies" and node.value is True:
        op, parts, because = ("not", parts, because) if len(parts) == 1 else ("and", parts[1:], [*because, parts[0]])
    elif node.known and node.op in LOGIC:
        parts = _deciding(node)
    return ReasonNode(
        op,
        node.text,
        node.type,
        node.span,
        node.value,
        [folded(part) for part in parts if not _is_idle(part)],
        [folded(each) for each in because if each.op != "literal" and (each.op != "name" or each.name)],
        node.name,
        node.reason,
        node.number,
    )


def _is_idle(part: ReasonNode) -> bool:
    """Whether a part carries no information: a literal, or a member excluded from an operation over a set."""
    return part.op == "literal" or (part.op == "member" and part.value in (None, False))


def _deciding(node: ReasonNode) -> list[ReasonNode]:
    """The decisive parts of a logical node: the first one if a single part suffices, otherwise all."""
    if node.op in ("or", "any") and node.value:
        return [part for part in node.parts if part.value is True][:1]
    if node.op in ("and", "all") and not node.value:
        return [part for part in node.parts if part.value is False][:1]
    return node.parts
