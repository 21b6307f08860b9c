"""YAML trees in the on-disk cache: whoever reads a file again needs no YAML parser.

Entries lie on the disk, so they may be anybody's. Values are not kept: they follow from the text of each scalar, as
when it is parsed. What could not come out of a file within the bounds is no tree, and the file is parsed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import msgspec
from msgspec import Meta, Struct

from rulespec import cache
from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.as_written import as_written
from rulespec.documents.limits import DEFAULT, Limits
from rulespec.documents.nodes import Mapping, Node, Scalar, Sequence, Style
from rulespec.documents.scalars import Trap, plain_key, plain_value
from rulespec.documents.text_files import misleading, read_text

_STYLES: tuple[Style, ...] = get_args(Style)
_PLAIN = _STYLES.index("plain")
_Place = Annotated[int, Meta(ge=1, le=100_000_000)]


class _Scalar(Struct, array_like=True, tag=0, forbid_unknown_fields=True, gc=False):
    line: _Place
    column: _Place
    end_line: _Place
    end_column: _Place
    text: str
    style: Annotated[int, Meta(ge=0, lt=len(_STYLES))]


class _Sequence(Struct, array_like=True, tag=1, forbid_unknown_fields=True):
    line: _Place
    column: _Place
    end_line: _Place
    end_column: _Place
    items: list[_Node]


class _Mapping(Struct, array_like=True, tag=2, forbid_unknown_fields=True):
    line: _Place
    column: _Place
    end_line: _Place
    end_column: _Place
    keys: list[_Scalar]
    values: list[_Node]


_Node = _Scalar | _Sequence | _Mapping
_DECODER: msgspec.json.Decoder[_Node] = msgspec.json.Decoder(_Node)


def read_kept(path: Path, display: str, limits: Limits = DEFAULT) -> Node:
    """Reads a YAML file as `read_yaml` does; its tree comes from the on-disk cache, or goes there."""
    return parse_kept(read_text(path, display, limits.size), display, limits)


def parse_kept(text: str, display: str, limits: Limits = DEFAULT) -> Node:
    """Like `read_kept`, for the text of a file."""
    key = cache.key("yaml", text, rooms=cache.LANGUAGE)
    entry = cache.read_signed(key, _DECODER) if key else None
    if entry is not None and (tree := unpack(entry[0], display, limits)) is not None:
        signed = entry[1]
        if signed or as_written(tree, text):
            return tree
    from rulespec.documents.reader import parse_yaml  # importing the parser takes longer than reading the cache

    tree = parse_yaml(text, display, limits)
    if key:
        cache.write(key, pack(tree), sign=True)
    return tree


def pack(node: Node) -> _Node:
    """A tree without its file and its values."""
    place = (node.span.line, node.span.column, node.span.end_line, node.span.end_column)
    if isinstance(node, Scalar):
        return _Scalar(*place, node.text, _STYLES.index(node.style))
    if isinstance(node, Sequence):
        return _Sequence(*place, [pack(item) for item in node.items])
    keys = [pack(key) for key, _ in node.entries.values()]
    return _Mapping(*place, keys, [pack(value) for _, value in node.entries.values()])  # type: ignore[arg-type]


def unpack(packed: _Node, file: str, limits: Limits = DEFAULT) -> Node | None:
    """The tree of packed data, for a file of this name; None if the data is no tree of a file within the bounds."""
    unpacking = _Unpacking(file, limits)
    try:
        tree = unpacking.node(packed, 0)
    except ValueError:
        return None
    fits = unpacking.events <= limits.events and not misleading("".join(unpacking.texts))
    return tree if fits else None


class _Unpacking:
    """Makes nodes; ValueError for what could not have been parsed."""

    def __init__(self, file: str, limits: Limits) -> None:
        self.file = file
        self.limits = limits
        self.events = 0
        self.texts: list[str] = []
        self._values: dict[str, str | int | bool | None] = {}
        self._keys: dict[str, str] = {}

    def node(self, n: _Node, depth: int) -> Node:
        self.events += 1
        if type(n) is _Scalar:
            return self.scalar(n)
        if depth >= self.limits.depth or self.events > self.limits.events:
            raise ValueError
        span = Span(self.file, n.line, n.column, n.end_line, n.end_column)
        if type(n) is _Sequence:
            return Sequence([self.node(item, depth + 1) for item in n.items], span)
        assert type(n) is _Mapping
        entries = {
            key.text: (self.key(key), self.node(value, depth + 1)) for key, value in zip(n.keys, n.values, strict=True)
        }
        if len(entries) != len(n.keys):
            raise ValueError
        return Mapping(entries, span)

    def scalar(self, n: _Scalar) -> Scalar:
        text = n.text
        self.texts.append(text)
        span = Span(self.file, n.line, n.column, n.end_line, n.end_column)
        if n.style != _PLAIN:
            return Scalar(text, text, span, _STYLES[n.style])
        if text not in self._values:
            value = plain_value(text)
            if isinstance(value, Trap):
                raise ValueError
            self._values[text] = value
        return Scalar(self._values[text], text, span)

    def key(self, n: _Scalar) -> Scalar:
        text = n.text
        self.events += 1
        self.texts.append(text)
        span = Span(self.file, n.line, n.column, n.end_line, n.end_column)
        if n.style != _PLAIN:
            return Scalar(text, text, span, _STYLES[n.style])
        if text not in self._keys:
            value = plain_key(text)
            if isinstance(value, Trap) or text == "<<":
                raise ValueError
            self._keys[text] = value
        return Scalar(self._keys[text], text, span)
