"""Whether a YAML tree is that of its text: each key and value at its place, and nothing left out or moved.

For trees that come from the disk, and may be anybody's. The text without what its scalars say, blanks and comments is
a row of signs; the tree says which signs these have to be. In blocks, which have none, what belongs together begins in
one column. Where this cannot be seen at once (in a form that nobody uses), the tree counts as another one, and the text
is parsed again.
"""

from __future__ import annotations

import json
import re

from rulespec.documents.nodes import Mapping, Node, Scalar, Sequence

_COMMENT = re.compile(r"(?<![^ \n])#[^\n]*")
_SIGNS = re.compile(r"[\[\]{},:-]*")
_QUOTES = {"double": '"', "single": "'"}
_MARKS = frozenset("'\"|>{[&*!%@`")
"""They begin what is no plain text."""
_SCALAR = "\0"
"""Stands for a scalar in a row of signs: no text has it."""


class _OtherError(Exception):
    """A tree is not that of its text."""


def as_written(tree: Node, text: str) -> bool:
    """Whether a tree is that of a text."""
    try:
        return _Comparison(text).fits(tree)
    except (_OtherError, IndexError, ValueError):
        return False


class _Comparison:
    """A tree and its text.

    Attributes:
        text: the text.
        scalars: those of the tree, in its order.
        signs: what the tree has instead of them and between them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.scalars: list[Scalar] = []
        self.signs: list[str] = []
        self._begins = [-(10**9)]
        begin = -1
        for line in text.split("\n"):
            self._begins.append(begin)
            begin += len(line) + 1

    def fits(self, tree: Node) -> bool:
        """Whether the tree is that of the text."""
        self._node(tree, 0)
        signs = "".join(self.signs).replace(",}", "}").replace(",]", "]")
        return self._written() == signs

    def _written(self) -> str:
        """The signs of the text, where its scalars are those of the tree."""
        text, begins, known = self.text, self._begins, dict[str, str]()
        results: list[str] = []
        at = 0
        for scalar in self.scalars:
            span = scalar.span
            begin, end = begins[span.line] + span.column, begins[span.end_line] + span.end_column
            written = text[begin:end]
            if scalar.style == "plain":
                if (written != scalar.text and _folded(written) != scalar.text) or written[:1] in _MARKS:
                    raise _OtherError
            elif not _says(written, scalar):
                raise _OtherError
            between = text[at:begin]
            if begin < at:
                raise _OtherError
            results.append(known[between] if between in known else known.setdefault(between, _signs_of(between)))
            at = end
        results.append(_signs_of(text[at:]))
        return _SCALAR.join(results).replace(",}", "}").replace(",]", "]")

    def _node(self, node: Node, column: int) -> None:
        """Takes a node, which stands in a block that begins in a column."""
        if type(node) is Scalar:
            self.scalars.append(node)
            self.signs.append(_SCALAR)
        elif type(node) is Mapping:
            self._mapping(node, column)
        else:
            assert type(node) is Sequence
            self._sequence(node, column)

    def _mapping(self, node: Mapping, column: int) -> None:
        scalars, signs, span = self.scalars, self.signs, node.span
        flow = self.text[self._begins[span.line] + span.column] == "{"
        if flow:
            signs.append("{")
        elif span.column <= column or not node.entries:
            raise _OtherError
        spot, last = span.column, 0
        for key, value in node.entries.values():
            scalars.append(key)
            if not flow:
                place = key.span
                if place.column != spot or place.line <= last or place.end_line != place.line:
                    raise _OtherError
                last = place.line
            if type(value) is Scalar:
                scalars.append(value)
                signs.append("\0:\0,") if flow else signs.append("\0:\0")
            else:
                signs.append("\0:")
                if not flow and value.span.line == last and self._starts(value) not in "{[":
                    raise _OtherError
                self._node(value, spot)
                if flow:
                    signs.append(",")
        if flow:
            signs.append("}")

    def _sequence(self, node: Sequence, column: int) -> None:
        place = node.span.column
        if self._starts(node) == "[":
            self.signs.append("[")
            for item in node.items:
                self._node(item, place)
                self.signs.append(",")
            self.signs.append("]")
            return
        if place < column or not node.items:
            raise _OtherError
        for item in node.items:
            begin = self._begins[item.span.line] + item.span.column
            line = self._begins[item.span.line] + 1
            before = self.text[line:begin].rstrip(" ")
            if not before.endswith("-") or len(before) != place or (type(item) is Scalar and not item.text):
                raise _OtherError
            self.signs.append("-")
            self._node(item, place)

    def _starts(self, node: Node) -> str:
        """The first sign of a node."""
        return self.text[self._begins[node.span.line] + node.span.column]


def _signs_of(text: str) -> str:
    """The signs in what stands between two scalars."""
    signs = _COMMENT.sub("", text).replace(" ", "").replace("\n", "")
    if not _SIGNS.fullmatch(signs):
        raise _OtherError
    return signs


def _says(written: str, scalar: Scalar) -> bool:
    """Whether a quoted text is written so."""
    if scalar.style in ("literal", "folded"):
        return _block_says(written, scalar.text)
    quote = _QUOTES.get(scalar.style, "")
    inner = written[1:-1]
    if not quote or len(written) < 2 or written[0] != quote or written[-1] != quote:
        return False
    if inner == scalar.text and quote not in inner and "\\" not in inner and "\n" not in inner:
        return True
    if "\n" in inner:
        return "\n\n" not in inner.replace(" ", "") and "\\" not in inner and _folded(inner) == scalar.text
    if quote == '"':
        return bool(json.loads(written) == scalar.text)
    return "'" not in inner.replace("''", "") and inner.replace("''", "'") == scalar.text


def _block_says(written: str, text: str) -> bool:
    """Whether a text is written in lines of its own, after `|` or `>`, none of them empty or indented further."""
    head, _, body = written.partition("\n")
    lines = body.rstrip("\n ").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    margin = " " * indent
    if head not in (">", ">-", "|", "|-") or not indent:
        return False
    if any(line[:indent] != margin or line[indent : indent + 1] in ("", " ") or line[-1:] == " " for line in lines):
        return False
    joined = (" " if head[0] == ">" else "\n").join(line[indent:] for line in lines)
    return text == (joined if head.endswith("-") else joined + "\n")


def _folded(text: str) -> str:
    """Several lines, none of them empty, as one."""
    return " ".join(line.strip(" ") for line in text.split("\n"))
