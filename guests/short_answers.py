"""Long answers of `why`, shortened for an agent."""

from __future__ import annotations

from typing import Any

from rulespec.documents.json_text import to_json_text

_BELOW = ("answers", "conditions", "parts", "because", "changes")
"""The keys of a reason that contain its subordinate reasons."""


def shortened(answer: dict[str, Any], most: int) -> dict[str, Any]:
    """An answer without its deepest levels, as many as necessary; `omitted` counts the missing reasons below a node.

    Args:
        answer: the answer as plain data, as from `Printer.json`.
        most: the maximum number of characters; only the first level may exceed it.
    """
    if len(to_json_text(answer, plain=True)) <= most:
        return answer
    result, depth = _cut(answer, 0), 0
    while len(to_json_text(deeper := _cut(answer, depth + 1), plain=True)) <= most:
        result, depth = deeper, depth + 1
    return result


def _cut(node: dict[str, Any], depth: int) -> dict[str, Any]:
    """A node with at most `depth` levels below it."""
    below = {key: node[key] for key in _BELOW if key in node}
    if not below:
        return node
    result = {key: value for key, value in node.items() if key not in _BELOW}
    if depth == 0:
        return result | {"omitted": sum(map(len, below.values()))}
    return result | {key: [_cut(each, depth - 1) for each in nodes] for key, nodes in below.items()}
