"""Reading the merged YAML tree: small questions that are asked of its nodes everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.documents.reader import Mapping, Node, Scalar, Sequence


def get(node: Node | None, *path: str) -> Node | None:
    """The node at the end of a path of keys, if there is one."""
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
    """The text of a scalar."""
    return node.text if isinstance(node, Scalar) else default


def truth(node: Node | None) -> bool:
    """Whether a scalar is `true`."""
    return isinstance(node, Scalar) and node.value is True


def words(node: Node | None) -> list[Scalar]:
    """The scalars of a list; a single one counts as a list of one."""
    if isinstance(node, Sequence):
        return [i for i in node.items if isinstance(i, Scalar)]
    return [node] if isinstance(node, Scalar) and node.value is not None else []


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones in a bit mask, from low to high."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def integer(node: Node | None, default: int) -> int:
    """The number in a scalar."""
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return default


def content_column(node: Scalar) -> int:
    """The column at which the content of a scalar begins, behind its quote."""
    return node.span.column + (1 if node.style in ("single", "double") else 0)
