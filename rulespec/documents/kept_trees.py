"""YAML trees in the on-disk cache, to avoid reparsing files.

Entries contain the text of each scalar; its value is derived from the text, as in parsing.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
from msgspec import Struct

from rulespec import cache
from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.text_files import read_text
from rulespec.documents.yaml_nodes import (
    DEFAULT_LIMITS,
    FileLimits,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Style,
    Trap,
    plain_key,
    plain_value,
)

_STYLES: tuple[Style, ...] = get_args(Style)
_PLAIN = _STYLES.index("plain")


class _Scalar(Struct, array_like=True, tag=0, gc=False):
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    style: int


class _Sequence(Struct, array_like=True, tag=1):
    line: int
    column: int
    end_line: int
    end_column: int
    items: list[_Node]


class _Mapping(Struct, array_like=True, tag=2):
    line: int
    column: int
    end_line: int
    end_column: int
    keys: list[_Scalar]
    values: list[_Node]


_Node = _Scalar | _Sequence | _Mapping
_DECODER: msgspec.json.Decoder[_Node] = msgspec.json.Decoder(_Node)


def read_kept(path: Path, display: str, limits: FileLimits = DEFAULT_LIMITS) -> Node:
    """Reads a YAML file like `read_yaml`, through the on-disk cache."""
    return parse_kept(read_text(path, display, limits.size), display, limits)


def parse_kept(text: str, display: str, limits: FileLimits = DEFAULT_LIMITS) -> Node:
    """Parses the text of a YAML file like `parse_yaml`, through the on-disk cache."""
    key = cache.key("yaml", f"{limits.depth} {limits.events}", text, rooms=cache.LANGUAGE)
    if (packed := cache.read(key, _DECODER)) is not None:
        return unpack(packed, display)
    from rulespec.documents.yaml_reader import parse_yaml  # importing the parser takes longer than reading the cache

    tree = parse_yaml(text, display, limits)
    if key:
        cache.write(key, pack(tree))
    return tree


def pack(node: Node) -> _Node:
    """The cached form of a tree, without its file name and its values."""
    place = (node.span.line, node.span.column, node.span.end_line, node.span.end_column)
    if isinstance(node, Scalar):
        return _Scalar(*place, node.text, _STYLES.index(node.style))
    if isinstance(node, Sequence):
        return _Sequence(*place, [pack(item) for item in node.items])
    keys = [pack(key) for key, _ in node.entries.values()]
    return _Mapping(*place, keys, [pack(value) for _, value in node.entries.values()])  # type: ignore[arg-type]


def unpack(packed: _Node, file: str) -> Node:
    """The tree packed by `pack`, for a file with this name."""
    return _Unpacking(file).node(packed)


class _Unpacking:
    """Unpacks nodes; the value of each distinct text is computed once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._values: dict[str, str | int | bool | None] = {}
        self._keys: dict[str, str] = {}

    def node(self, n: _Node) -> Node:
        if type(n) is _Scalar:
            return self.scalar(n)
        span = Span(self.file, n.line, n.column, n.end_line, n.end_column)
        if type(n) is _Sequence:
            return Sequence([self.node(item) for item in n.items], span)
        assert type(n) is _Mapping
        entries = {key.text: (self.key(key), self.node(value)) for key, value in zip(n.keys, n.values, strict=True)}
        return Mapping(entries, span)

    def scalar(self, n: _Scalar) -> Scalar:
        text = n.text
        span = Span(self.file, n.line, n.column, n.end_line, n.end_column)
        if n.style != _PLAIN:
            return Scalar(text, text, span, _STYLES[n.style])
        if text not in self._values:
            value = plain_value(text)
            assert not isinstance(value, Trap)
            self._values[text] = value
        return Scalar(self._values[text], text, span)

    def key(self, n: _Scalar) -> Scalar:
        text = n.text
        span = Span(self.file, n.line, n.column, n.end_line, n.end_column)
        if n.style != _PLAIN:
            return Scalar(text, text, span, _STYLES[n.style])
        if text not in self._keys:
            value = plain_key(text)
            assert not isinstance(value, Trap)
            self._keys[text] = value
        return Scalar(self._keys[text], text, span)
