"""Syntax trees converted to flat JSON values and back.

A packed tree has `spans` (relative to the start of the text), `texts`, `numbers`, the class names of its `nodes`, and
the `steps` of a stack machine. A step >= 0 pushes a constant, span, text or number; -1, n replaces the top n entries by
a tuple; -2, -3, … replace the fields of a node with the node.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.syntax.origin import Origin, Place

_CONSTANTS = (None, False, True)
_NODES = {node.__name__: node for node in ast.NODES}


class PackedTree(Struct, frozen=True, gc=False):
    """A syntax tree in packed form; the module docstring describes its fields."""

    spans: list[Place]
    texts: list[str]
    numbers: list[int]
    nodes: list[str]
    steps: list[int]


def pack(tree: Any, origin: Origin) -> PackedTree:
    """Packs the tree of a text that starts at `origin`, for JSON."""
    order = _steps(tree)
    tables: dict[type, dict[Any, int]] = {Span: {}, str: {}, int: {}}
    for step in order:
        if (table := tables.get(type(step))) is not None:
            table.setdefault(step, len(table))
    begins = dict(zip(tables, accumulate(map(len, tables.values()), initial=len(_CONSTANTS)), strict=False))
    nodes: dict[str, int] = {}
    steps: list[int] = []
    for step in order:
        kind = type(step)
        if kind is _Tuple:
            steps += (-1, step.size)
        elif isinstance(step, type):
            steps.append(-2 - nodes.setdefault(step.__name__, len(nodes)))
        elif kind in tables:
            steps.append(begins[kind] + tables[kind][step])
        else:
            steps.append(_CONSTANTS.index(step))
    spans = [origin.relative(span) for span in tables[Span]]
    return PackedTree(spans, list(tables[str]), list(tables[int]), list(nodes), steps)


def unpack(packed: PackedTree, origin: Origin) -> Any:
    """The tree packed by `pack`, for a text that starts at `origin`."""
    nodes = [_NODES[name] for name in packed.nodes]
    leaves = [*_CONSTANTS, *origin.all_at(packed.spans), *packed.texts, *packed.numbers]
    makers = [(node, -len(node.__struct_fields__)) for node in nodes]
    stack: list[Any] = []
    push = stack.append
    steps = iter(packed.steps)
    for step in steps:
        if step >= 0:
            push(leaves[step])
        elif step == -1:
            first = len(stack) - next(steps)
            value = tuple(stack[first:])
            del stack[first:]
            push(value)
        else:
            make, first = makers[-2 - step]
            parts = stack[first:]
            del stack[first:]
            push(make(*parts))
    return stack[0]


class _Tuple(Struct):
    size: int


def _steps(tree: Any) -> list[Any]:
    """A tree in postorder: spans and values, and after its parts the class of each node or the size of each tuple."""
    steps: list[Any] = []
    parts = [tree]
    while parts:  # in reverse order
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
