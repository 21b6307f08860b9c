"""Nodes of a reason: an expression, its value at the game's position, and the parts that determine it.

If `op` is one of `LOGIC`, the truth of a node follows from its parts; every other truth value is a leaf of the verdict,
however it is explained. Nodes in `because` explain the choice of the parts: a set, an argument, a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.guarded import UNKNOWN

LOGIC = frozenset({"and", "or", "not", "all", "any", "implies", "if", "call", "once"})
"""The operations whose truth follows from their parts."""


class ReasonNode(Struct):
    """An expression with its value.

    Attributes:
        op: the operation that computes the value from the parts, or its source.
        text: the expression as written.
        type: the name of its type.
        span: its place.
        value: as in `Labels.plain`; `UNKNOWN` from the first hidden cell on.
        parts: the parts that determine the value, up to the last one evaluated.
        because: the nodes that explain the choice of the parts.
        name: the member that a variable denotes, or the name of the cell read.
        reason: for a condition, the reason given by the rules.
        number: the value as a number; 0 if unknown.
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
        """Whether it has a value; no entity is named like the marker for unknown."""
        return bool(self.value != UNKNOWN)

    def leaves(self) -> Iterator[ReasonNode]:
        """The truth values that determine the node's truth."""
        if self.op not in LOGIC or not self.parts:
            yield self
            return
        for part in self.parts:
            yield from part.leaves()


Place = Callable[[Span | None], dict[str, Any]]
"""The keys for a place in the sources; none for None."""


def to_json(node: ReasonNode, place: Place) -> dict[str, Any]:
    """The object of a node in the output of `rulespec why --format json`."""
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
    """A node with only the decisive parts: negating any remaining leaf changes the node's truth.

    If something is unknown, everything evaluated stays.
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
    """Whether a part carries no information: a literal, or a member that an operation over a set leaves out."""
    return part.op == "literal" or (part.op == "member" and part.value in (None, False))


def _deciding(node: ReasonNode) -> list[ReasonNode]:
    """The deciding parts of a node of logic: the first one where one would do."""
    if node.op in ("or", "any") and node.value:
        return [part for part in node.parts if part.value is True][:1]
    if node.op in ("and", "all") and not node.value:
        return [part for part in node.parts if part.value is False][:1]
    return node.parts
