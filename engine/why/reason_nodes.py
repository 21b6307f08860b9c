"""Nodes of a reason: an expression, its value where the game stood, and the parts that the value follows from.

The truth of a node follows from its parts alone where `op` is one of `LOGIC`; every other truth value is a leaf of the
verdict, whatever explains it. Nodes beside the parts explain the choice of the parts: a set, an argument, a name.
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
        op: the operation that makes the value from the parts, or its source.
        text: the expression as written.
        type: the name of the type of its value.
        span: its place.
        value: as `Labels.plain` has it; `UNKNOWN` from the first hidden cell on.
        parts: the parts that the value follows from, up to the last that was evaluated.
        because: the nodes that explain the choice of the parts.
        name: the member that a variable stands for, or the name of the cell that is read.
        reason: the reason that the rules give, of a condition.
        number: the value as a number; 0 if it is not known.
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
        """Whether it has a value: an entity has no name of this kind."""
        return bool(self.value != UNKNOWN)

    def leaves(self) -> Iterator[ReasonNode]:
        """The truth values that the truth of the node follows from."""
        if self.op not in LOGIC or not self.parts:
            yield self
            return
        for part in self.parts:
            yield from part.leaves()


Overlay = Callable[[Span], str]
"""The title of the overlay that a place is in; "" for the ruleset itself."""


def to_json(node: ReasonNode, overlay: Overlay) -> dict[str, Any]:
    """The object of a node in the output of `rulespec why --format json`."""
    result: dict[str, Any] = {"op": node.op, "text": node.text, "value": node.value}
    if node.name:
        result["name"] = node.name
    if node.reason:
        result["reason"] = node.reason
    result |= place(node.span, overlay)
    for key, nodes in (("parts", node.parts), ("because", node.because)):
        if nodes:
            result[key] = [to_json(each, overlay) for each in nodes]
    return result


def place(span: Span | None, overlay: Overlay) -> dict[str, Any]:
    """The keys for the place of something in the sources."""
    if span is None:
        return {}
    title = overlay(span)
    return {"file": span.file, "line": span.line, "column": span.column, **({"overlay": title} if title else {})}


def folded(node: ReasonNode) -> ReasonNode:
    """A node with the parts alone that decide: to negate any leaf that is left turns the truth of the node.

    Where something is unknown, everything evaluated stays.
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
