"""Syntax trees as flat JSON values, and back.

A packed tree has `values` (texts, numbers, truth values, none), `spans` (relative to the start of the text), the names
of its `nodes`, and `steps` of a stack machine. A step >= 0 pushes one of the spans and values; -1, n replaces the top n
entries by a tuple; -2, -3, … replaces as many entries as a node has fields by that node.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.syntax.origin import Origin

_NODES = {node.__name__: node for node in ast.NODES}


def pack(tree: Any, origin: Origin) -> dict[str, Any]:
    """The tree of a text that begins at `origin` as JSON."""
    spans: dict[Span, int] = {}
    values: dict[tuple[type, Any], int] = {}
    nodes: dict[str, int] = {}
    order = _steps(tree)
    for step in order:
        if type(step) is Span:
            spans.setdefault(step, len(spans))
    steps: list[int] = []
    for step in order:
        if type(step) is Span:
            steps.append(spans[step])
        elif type(step) is _Tuple:
            steps += (-1, step.size)
        elif isinstance(step, type):
            steps.append(-2 - nodes.setdefault(step.__name__, len(nodes)))
        else:
            steps.append(len(spans) + values.setdefault((type(step), step), len(values)))
    return {
        "spans": [origin.relative(span) for span in spans],
        "values": [value for _, value in values],
        "nodes": list(nodes),
        "steps": steps,
    }


def unpack(data: Any, origin: Origin) -> Any:
    """The tree of packed data, for a text that begins at `origin`; None if the data is no packed tree."""
    try:
        leaves = [origin.at(*place) for place in data["spans"]]
        leaves += data["values"]
        nodes = [_NODES[name] for name in data["nodes"]]
        sizes = [len(node.__struct_fields__) for node in nodes]
        stack: list[Any] = []
        steps = iter(data["steps"])
        for step in steps:
            if step >= 0:
                stack.append(leaves[step])
            elif step == -1:
                at = len(stack) - next(steps)
                stack[at:] = [tuple(stack[at:])]
            else:
                at = len(stack) - sizes[-2 - step]
                stack[at:] = [nodes[-2 - step](*stack[at:])]
        (tree,) = stack
        return tree
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError):
        return None


class _Tuple(Struct):
    size: int


def _steps(tree: Any) -> list[Any]:
    """A tree in postorder: spans and values; after its parts the class of a node or the size of a tuple."""
    steps: list[Any] = []
    parts = [tree]
    while parts:  # from the last to the first
        part = parts.pop()
        if type(part) is tuple:
            steps.append(_Tuple(len(part)))
            parts += part
        elif type(part) in ast.NODES:
            steps.append(type(part))
            parts += astuple(part)
        else:
            steps.append(part)
    steps.reverse()
    return steps
