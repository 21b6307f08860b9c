"""YAML trees: nodes with places, the values of plain scalars, common queries, and file limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Label, Span, shown
from rulespec.diagnostics.report import Report
from rulespec.documents.text_files import MAX_BYTES
from rulespec.records import Brief


class FileLimits(Struct, frozen=True):
    """Limits for a file: size in bytes, nesting depth, number of parser events."""

    size: int = MAX_BYTES
    depth: int = 64
    events: int = 60_000


DEFAULT_LIMITS = FileLimits()
"""The default limits of a file."""


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
    """A mapping, in file order: from the text of each key to the key's node and the value's node."""

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
    """The keys of a mapping with their places and values; empty for other nodes."""
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
    """The scalars in a list; a single scalar counts as a list of one."""
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


UNIQUE_LISTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "game": (("overlays",), ("replaces",)),
    "overlay": (("includes",), ("replaces",), ("remove",)),
    "dialect": (("undo", "checkpoints"), ("undo", "keeps")),
}
"""The paths of lists without repetition, by schema name. (`uniqueItems` of JSON Schema takes quadratic time.)"""


def report_repeated(root: Node, schema: str, report: Report) -> None:
    """Reports each repeated name in a list, with a note at the first (RS218)."""
    for keys in UNIQUE_LISTS.get(schema, ()):
        first: dict[str, Scalar] = {}
        for word in words(get(root, *keys)):
            if word.text in first:
                notes = [Label(first[word.text].span, "first here")]
                message = f"`{word.text}` occurs twice in `{'.'.join(keys)}`"
                report.error(
                    "RS218", message, word.span, notes=notes, help="remove one of the two, or correct its name"
                )
            first.setdefault(word.text, word)


class Trap(NamedTuple):
    """Ambiguous unquoted text, with the fields of its diagnostic."""

    code: str
    message: str
    help: str


_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DIGITS = 15  # longer numbers lose precision in readers that use floating point
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF)"
    r"|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?)|\.(?:nan|NaN|NAN)"
)
_TIME = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-9]+)+(?:\.[0-9_]*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s]\s*[0-9].*)?")
_NUMERIC_START = frozenset("+-.0123456789")
_EXACT: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_DISPUTED = {"yes": "true", "no": "false", "on": "true", "off": "false", "true": "true", "false": "false"}


def plain_value(text: str) -> str | int | bool | Trap | None:
    """The value of unquoted text, or a trap if YAML 1.1 and YAML 1.2 readers disagree on it."""
    if text in _EXACT:
        return _EXACT[text]
    if text[0] in _NUMERIC_START:
        return _numeric(text)
    if len(text) > len("false"):
        return text
    word = text.lower()
    if word == "null":
        hint = f'quote it (`"{text}"`) if it is text, or write `null`'
        return Trap("RS121", f"{shown(text)} is null to some YAML readers and text to others", hint)
    if (meant := _DISPUTED.get(word)) is not None:
        hint = f'quote it (`"{text}"`) if it is text, or write `{meant}`'
        return Trap("RS121", f"{shown(text)} is {meant} to some YAML readers and text to others", hint)
    return text


def plain_key(text: str) -> str | Trap:
    """The key in unquoted text: words are always text, numbers must be in canonical form."""
    if text in {"", "~"}:
        return Trap("RS118", "a key is missing before the `:`", "write a key before the `:`")
    if text[0] in _NUMERIC_START and isinstance(trap := _numeric(text), Trap):
        return trap
    return text


def _numeric(text: str) -> str | int | Trap:
    if _INTEGER.fullmatch(text):
        if len(text.lstrip("-")) <= _DIGITS:
            return int(text)
        return Trap("RS122", f"{shown(text)} has more than {_DIGITS} digits", "quote it if it is text")
    if _NUMBER.fullmatch(text):
        hint = f'quote it (`"{text[:60]}"`) if it is text; otherwise write a whole decimal number, such as `12` or `-3`'
        return Trap("RS122", f"{shown(text)} is a number in a form that is not allowed", hint)
    if _TIME.fullmatch(text):
        return Trap("RS123", f"{shown(text)} is a base-60 number to some YAML readers", f'quote it: `"{text[:60]}"`')
    if _DATE.fullmatch(text):
        return Trap("RS123", f"{shown(text)} is a date to some YAML readers", f'quote it: `"{text[:60]}"`')
    return text
