"""A text that a syntax tree is compared with: see `as_written.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.syntax.origin import Origin
from rulespec.syntax.shapes import HEADS, NOT_WORDS, SHAPES, Step

_WORD = re.compile(r'#[^\n]*|->|("[^"\n]*"|[A-Za-z][A-Za-z0-9_]*|[0-9]+|[-{\[])')
_BRACKET = re.compile(r'"[^"\n]*"|#[^\n]*|[()\[\]{}]')
_COMMENT = re.compile(r"#[^\n]*")
_OPENING, _CLOSING = "([{", ")]}"
_LEFT_OVER = NOT_WORDS | {""}


def _span(node: Any) -> Span:
    """The place of a part; of several, that of the first."""
    kind = type(node)
    if kind is tuple:
        return _span(node[0])
    if kind is ast.Param or kind is ast.OptionParam:
        return node.name.span  # type: ignore[no-any-return]
    if kind is ast.Tiebreak:
        return (node.name or node.value).span  # type: ignore[no-any-return]
    return node.span  # type: ignore[no-any-return]


class OtherTreeError(Exception):
    """A tree is not that of its text."""


Special = Mapping[type, Callable[["Reading", Any], None]]
"""Functions that compare nodes with more to them than a row of parts."""


class Reading:
    """A text, as far as a tree has been compared with it.

    Attributes:
        text: the text.
        at: where what has been compared ends.
        pairs: where a bracket opens → where it closes, and the other way round.
        read: the words that have been taken.
    """

    def __init__(self, text: str, origin: Origin, special: Special) -> None:
        self._special = special
        self.text = text
        self.at = 0
        self.pairs: dict[int, int] = {}
        self.read: list[str] = []
        # A place of line l and column c is at `_line[l] + c`; columns of the first line count from that of the text.
        self._line = [-(10**9)] * origin.line
        self._columns = [0] * origin.line
        begin = -1
        for line in text.split("\n"):
            self._line.append(begin)
            self._columns.append(len(line) - len(line.lstrip(" ")) + 1)
            begin += len(line) + 1
        self._line[origin.line] -= origin.column - 1
        self._scan()

    def _scan(self) -> None:
        open_: list[int] = []
        for found in _BRACKET.finditer(self.text):
            sign = found[0]
            if sign in _OPENING:
                open_.append(found.start())
            elif sign in _CLOSING:
                begin, end = open_.pop(), found.start()
                self.pairs[begin], self.pairs[end] = end, begin

    def is_whole(self) -> bool:
        """Whether all words, numbers and texts have been taken, but for those that belong to no node."""
        written = [word for word in _WORD.findall(self.text) if word not in _LEFT_OVER]
        return written == [word for word in self.read if word not in _LEFT_OVER]

    # places

    def start(self, node: Any) -> int:
        """The place where a part of the tree begins."""
        span = _span(node)
        return self._line[span.line] + span.column

    def end(self, node: Any) -> int:
        """The place where a part of the tree ends."""
        span: Span = node.span
        return self._line[span.end_line] + span.end_column

    # words

    def word(self, at: int, word: str) -> None:
        """Takes a word that has to stand somewhere."""
        if at < self.at or not self.text.startswith(word, at):
            raise OtherTreeError
        self.read.append(word)
        self.at = at + len(word)

    def between(self, word: str, at: int) -> None:
        """A word that belongs to no part, but has to stand before the next one."""
        if word not in self.text[self.at : at]:
            raise OtherTreeError
        if word.isalpha():
            self.read.append(word)

    def opened(self, bracket: str, at: int = -1) -> int:
        """Takes a bracket, by default the next sign; returns where it closes."""
        if at < 0:
            at = self.at
        if self.text[at] != bracket:
            while self.text[at] in " \n":
                at += 1
            if self.text[at] != bracket:
                raise OtherTreeError
        self.at = at + 1
        if bracket != "(":
            self.read.append(bracket)
        return self.pairs[at]

    def closed(self, close: int) -> None:
        """Goes behind a bracket that closes."""
        if self.at > close:
            raise OtherTreeError
        self.at = close + 1

    # parts

    def visit(self, node: Any) -> None:
        """Compares a part of the tree."""
        kind = type(node)
        if kind is ast.Ref or kind is ast.Name:
            word = node.name if kind is ast.Ref else node.text
            at = self._line[node.span.line] + node.span.column
            if at < self.at or not self.text.startswith(word, at):
                raise OtherTreeError
            self.read.append(word)
            self.at = at + len(word)
        elif (special := self._special.get(kind)) is not None:
            special(self, node)
        else:
            head = HEADS.get(kind)
            if head is not None:
                self.word(self.start(node), head)
            self.steps(node, SHAPES[kind])

    def steps(self, node: Any, steps: Sequence[Step]) -> None:
        """Compares the parts of a node, in the order in which they are written."""
        for name, word, how in steps:
            part = getattr(node, name)
            if part is None or part == ():
                if how == "args":
                    self.closed(self.opened("("))
                continue
            if how == "block":
                self.block(part, self.column(node))
            elif how == "args":
                close = self.opened("(")
                for each in part:
                    self.visit(each)
                self.closed(close)
            elif type(part) is tuple:
                if word:
                    self.between(word, self.start(part))
                for each in part:
                    self.visit(each)
            elif word:
                self.between(word, self.start(part))
                self.visit(part)
            else:
                self.visit(part)

    def column(self, node: Any) -> int:
        """The indentation of the line in which a part begins, and one more."""
        return self._columns[_span(node).line]

    def block(self, parts: Sequence[Any], column: int) -> None:
        """Compares what stands in lines of the same indentation, which is more than that around it."""
        first = None
        for part in parts:
            here = self.column(part)
            if first is None:
                first = here
                beside = "\n" not in _COMMENT.sub("", self.text[self.at : self.start(part)])
                if not (here > column or (beside and len(parts) == 1 and here == column)):
                    raise OtherTreeError
            elif here != first or "\n" not in self.text[self.at : self.start(part)]:
                raise OtherTreeError
            if type(part) is ast.Name:
                self.read.append("include")
            self.visit(part)

    def keyword(self, word: str, before: int, column: int) -> None:
        """A word at the beginning of a line, indented like the statement that it goes on with."""
        found = list(re.finditer(rf"\b{word}\b", self.text[self.at : before]))
        if len(found) != 1:
            raise OtherTreeError
        self.read.append(word)
        at = self.at + found[0].start()
        line = self.text.rfind("\n", 0, at) + 1
        if at - line + 1 != column or self.text[line:at].strip():
            raise OtherTreeError
        self.at = at + len(word)
