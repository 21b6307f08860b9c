"""The verdict of an answer of `rulespec why`, from its JSON alone: the way in which its documentation describes it."""

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
    """The verdict on an option, with one leaf taken for its opposite."""
    truths = [truth(node, negated) for node in answer.get("conditions", [])]
    return "refused" if False in truths else "?" if "?" in truths else "legal"


def truth(node: dict[str, Any], negated: dict[str, Any] | None = None) -> Any:
    """The truth of a node, or `?`."""
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
    """The truth of a leaf: of numbers that are compared, and of members of sets, by their values."""
    values = [part["value"] for part in parts]
    if node["op"] in COMPARED and len(values) == 2 and None not in values and "?" not in values:
        return COMPARED[node["op"]](*values) if comparable(node["op"], values) else node["value"]
    return node["value"]


def comparable(op: str, values: list[Any]) -> bool:
    """Whether the values say enough: entities have an order that their names do not have."""
    if op in ("==", "!="):
        return not any(isinstance(value, list) for value in values)
    return isinstance(values[1], list) if op == "in" else all(isinstance(value, int) for value in values)


def leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The leaves that the truth of a node follows from."""
    parts = node.get("parts", [])
    if node["op"] not in LOGIC or not parts:
        yield node
    else:
        for part in parts:
            yield from leaves(part)


def pivots(answer: dict[str, Any]) -> tuple[int, int]:
    """The leaves of an answer, and those of them whose opposite turns the verdict."""
    nodes = [leaf for node in answer.get("conditions", []) for leaf in leaves(node)]
    turned = [leaf for leaf in nodes if verdict(answer, leaf) not in ("?", answer["verdict"])]
    return len(nodes), len(turned)
