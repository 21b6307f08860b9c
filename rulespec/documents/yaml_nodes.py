"""Nodes of YAML trees with places, and common queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.records import Brief

Style = Literal["plain", "single", "double", "literal", "folded"]


class Scalar(Brief, Struct, frozen=True):
    """A single value. `text` is its content as text, for every type; a key's value is always its text.

    `span` includes the quotes, so the content of a value in style "single" or "double" starts one column later.
    """

    value: str | int | bool | None
    text: str
    span: Span
    style: Style = "plain"


class Sequence(Brief, Struct, frozen=True):
    """A list of values."""

    items: list[Node]
    span: Span


class Mapping(Brief, Struct, frozen=True):
    """A mapping from each key to the key with its place and the value, in file order."""

    entries: dict[str, tuple[Scalar, Node]]
    span: Span


Node = Scalar | Sequence | Mapping


def get(node: Node | None, *path: str) -> Node | None:
    """The node at a path of keys; None if missing."""
    for key in path:
        if not isinstance(node, Mapping) or key not in node.entries:
            return None
        node = node.entries[key][1]
    return node


def entries(node: Node | None) -> Iterator[tuple[str, Scalar, Node]]:
    """The keys of a mapping with their places and values; nothing for anything else."""
    if isinstance(node, Mapping):
        for key, (place, value) in node.entries.items():
            yield key, place, value


def text(node: Node | None, default: str = "") -> str:
    """The text of a scalar; the default for anything else."""
    return node.text if isinstance(node, Scalar) else default


def truth(node: Node | None) -> bool:
    """Whether a scalar is `true`."""
    return isinstance(node, Scalar) and node.value is True


def words(node: Node | None) -> list[Scalar]:
    """The scalars of a list; a single scalar is a list of one."""
    if isinstance(node, Sequence):
        return [i for i in node.items if isinstance(i, Scalar)]
    return [node] if isinstance(node, Scalar) and node.value is not None else []


def bits(mask: int) -> Iterator[int]:
    """The positions of the set bits of a mask, low to high."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def integer(node: Node | None, default: int) -> int:
    """The number in a scalar; the default for anything else."""
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return default


def content_column(node: Scalar) -> int:
    """The column of a scalar's content, after its quote."""
    return node.span.column + (1 if node.style in ("single", "double") else 0)


def count_values(node: Node) -> int:
    """The number of values, keys and collections in a tree."""
    if isinstance(node, Mapping):
        return 1 + sum(1 + count_values(value) for _, value in node.entries.values())
    if isinstance(node, Sequence):
        return 1 + sum(count_values(item) for item in node.items)
    return 1


def to_plain(node: Node) -> Any:
    """The tree as dicts, lists and values, for JSON Schema."""
    # The recursion is as deep as the file, whose depth the reader limits.
    if isinstance(node, Mapping):
        return {key: to_plain(value) for key, (_, value) in node.entries.items()}
    if isinstance(node, Sequence):
        return [to_plain(item) for item in node.items]
    return node.value


def locate(node: Node, path: Iterable[str | int]) -> Node | None:
    """The node at a path of keys and positions; None if missing."""
    for step in path:
        if isinstance(node, Mapping) and str(step) in node.entries:
            node = node.entries[str(step)][1]
        elif isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
        else:
            return None
    return node
