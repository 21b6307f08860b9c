"""The verdict of a `rulespec why` answer, derived from its JSON as documented."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

LOGIC = {"and", "or", "not", "all", "any", "implies", "if", "call", "once"}
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda one, many: one in many,
}


def verdict(answer: dict[str, Any], negated: dict[str, Any] | None = None) -> str:
    """The verdict on an option, optionally with one leaf negated."""
    truths = [truth(node, negated) for node in answer.get("conditions", [])]
    return "refused" if False in truths else "?" if "?" in truths else "legal"


def truth(node: dict[str, Any], negated: dict[str, Any] | None = None) -> Any:
    """The truth value of a node, or `?`."""
    if node is negated:
        return not node["value"]
    if node["value"] == "?":
        return "?"
    parts = node.get("parts", [])
    if node["op"] not in LOGIC or not parts:
        return compared(node, parts)
    truths = [truth(part, negated) for part in parts]
    if node["op"] == "not":
        return not truths[0]
    if node["op"] == "implies":
        return not truths[0] or (len(truths) > 1 and truths[1])
    return any(truths) if node["op"] in ("or", "any") else all(truths)


def compared(node: dict[str, Any], parts: list[dict[str, Any]]) -> Any:
    """The truth value of a leaf: comparisons of numbers and set membership are evaluated from the values."""
    values = [part["value"] for part in parts]
    if node["op"] in COMPARED and len(values) == 2 and None not in values and "?" not in values:
        return COMPARED[node["op"]](*values) if comparable(node["op"], values) else node["value"]
    return node["value"]


def comparable(op: str, values: list[Any]) -> bool:
    """Whether the values suffice for a comparison: the order of entities differs from that of their names."""
    if op in ("==", "!="):
        return not any(isinstance(value, list) for value in values)
    return isinstance(values[1], list) if op == "in" else all(isinstance(value, int) for value in values)


def leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The leaves that determine a node's truth value."""
    parts = node.get("parts", [])
    if node["op"] not in LOGIC or not parts:
        yield node
    else:
        for part in parts:
            yield from leaves(part)


def pivots(answer: dict[str, Any]) -> tuple[int, int]:
    """The number of leaves in an answer, and of those whose negation changes the verdict."""
    nodes = [leaf for node in answer.get("conditions", []) for leaf in leaves(node)]
    turned = [leaf for leaf in nodes if verdict(answer, leaf) not in ("?", answer["verdict"])]
    return len(nodes), len(turned)
