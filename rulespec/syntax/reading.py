"""A text that a syntax tree is compared with: see `as_written.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import filterfalse
from typing import Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.syntax.origin import Origin
from rulespec.syntax.printed import PLACED, PRINTED, REASONED, in_brackets
from rulespec.syntax.shapes import HEADS, NOT_WORDS, SHAPES, Step

_WORD = re.compile(r'(?:#[^\n]*|->|("[^"\n]*"|[A-Za-z][A-Za-z0-9_]*|[0-9]+|[-{\[\0]))[ \n().,:=<>+*/%|&?!}\]]*')
_BRACKET = re.compile(r'"[^"\n]*"|#[^\n]*|[()\[\]{}]')
_COMMENT = re.compile(r"#[^\n]*")
_INDENT = re.compile(" *")
_ENDS = re.compile(r"(?![A-Za-z0-9_]|[ \n]*[(?])")
"""After what is printed: no more of its last word, and no sign that no word follows."""
_CLOSES = re.compile(r"[ \n]*(?:,[ \n]*)?\)")
_CALLED = re.compile(r" *\(|[ \n]*\([ \n]*\)")
"""After a name: it is called, and no constant or variable. (The body of a definition may begin with a bracket.)"""
_CLOSING = {")": "(", "]": "[", "}": "{"}
_LEFT_OVER = NOT_WORDS | {""}
_TAKEN = "\0"
"""Stands for what is printed in a row of words: no text has it."""


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


_ELSEWHERE = frozenset([tuple, ast.Param, ast.OptionParam, ast.Tiebreak])
"""Nodes without a place of their own."""


class OtherTreeError(Exception):
    """A tree is not that of its text."""


Special = Mapping[type, Callable[["Reading", Any], None]]
"""Functions that compare nodes with more to them than a row of parts."""


def _pairs(text: str) -> dict[int, int]:
    """Offset of each bracket → offset of the one that goes with it."""
    pairs: dict[int, int] = {}
    open_: list[tuple[str, int]] = []
    for result in _BRACKET.finditer(text):
        sign = result[0]
        if sign in "([{":
            open_.append((sign, result.start()))
        elif sign in _CLOSING:
            opening, begin = open_.pop()
            if opening != _CLOSING[sign]:
                raise OtherTreeError
            pairs[begin], pairs[result.start()] = result.start(), begin
    if open_:
        raise OtherTreeError
    return pairs


class Reading:
    """A comparison of a text with its tree, up to a place.

    Attributes:
        text: the text.
        at: where what has been compared ends.
        read: the words that have been taken; one sign for each part that is as it is printed.
    """

    def __init__(self, text: str, origin: Origin, special: Special) -> None:
        self._special = special
        self.text = text
        self.at = 0
        self.read: list[str] = []
        # A place of line l and column c is at `_line[l] + c`; columns of the first line count from that of the text.
        self._line = [-(10**9)] * origin.line
        begin = -1
        for line in text.split("\n"):
            self._line.append(begin)
            begin += len(line) + 1
        self._first = origin.line
        self._line[origin.line] -= origin.column - 1
        self._ends = [0]
        self._begins: list[int] = []

    @cached_property
    def pairs(self) -> dict[int, int]:
        """Offset of each bracket → offset of the one that goes with it."""
        return _pairs(self.text)

    def is_whole(self) -> bool:
        """Whether all words, numbers and texts have been taken, but for those that belong to no node."""
        begins = [*self._begins, len(self.text)]
        rest = _TAKEN.join([self.text[end:begin] for end, begin in zip(self._ends, begins, strict=True)])
        if "pairs" not in self.__dict__:
            _pairs(rest)  # they are closed
        return [*filterfalse(_LEFT_OVER.__contains__, _WORD.findall(rest))] == [
            *filterfalse(_LEFT_OVER.__contains__, self.read)
        ]

    # places

    def start(self, node: Any) -> int:
        """The start of a part of the tree, as a place in the text."""
        span = node.span if type(node) not in _ELSEWHERE else _span(node)
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
        """Skips a closing bracket."""
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
            if kind is ast.Ref and _CALLED.match(self.text, self.at):
                raise OtherTreeError
        elif kind in PRINTED and self._is_printed(node):
            pass
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
                    self.arguments(())
                continue
            if how == "block":
                self.block(part, self.column(node))
            elif how == "args":
                self.arguments(part)
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

    def _is_printed(self, node: Any) -> bool:
        """Whether a part is as it is printed; then it is taken, and its reason with it."""
        at, kind = self.start(node), type(node)
        before = self.text[at - 1 : at]
        if before.isalnum() or before == "_":
            return False
        try:
            written = PRINTED[kind](node)
            if kind in PLACED and self.end(node) != at + len(written):
                return False
            if not self._take(written, at):
                return False
        except KeyError:
            return False
        if kind in REASONED and node.reason.text:
            if self._gap(node.reason):
                raise OtherTreeError
            self.visit(node.reason)
        return True

    def _take(self, written: str, at: int) -> bool:
        """Takes what is printed, if it stands somewhere, with no more after it."""
        end = at + len(written)
        if at < self.at or not self.text.startswith(written, at) or not _ENDS.match(self.text, end):
            return False
        self._begins.append(at)
        self._ends.append(end)
        self.read.append(_TAKEN)
        self.at = end
        return True

    def _are_at(self, parts: Sequence[Any], begin: int, end: int) -> bool:
        """Whether the places of parts say that the first begins, and the last ends, somewhere."""
        if not parts:
            return True
        first, last = parts[0], parts[-1]
        return self.start(first) == begin and (type(last) not in PLACED or self.end(last) == end)

    def _gap(self, following: Any) -> str:
        """The text before a part, without blanks and comments."""
        gap = self.text[self.at : self.start(following)].strip(" \n")
        return _COMMENT.sub("", gap).strip(" \n") if "#" in gap else gap

    def arguments(self, parts: Sequence[Any]) -> None:
        """Compares what is in round brackets, after a name; if all parts are as printed, the next bracket closes."""
        if not parts or type(parts[0]) not in REASONED:
            try:
                written = in_brackets(parts)
                if self._are_at(parts, self.at + 1, self.at + len(written) - 1) and self._take(written, self.at):
                    return
            except KeyError:
                pass
        begin = self.text.index("(", self.at)
        if self.text[self.at : begin].strip(" \n"):
            raise OtherTreeError
        self.at = begin + 1
        plain = self.listed(parts)
        result = _CLOSES.match(self.text, self.at) if plain else None
        if result is not None:
            self.at = result.end()
        else:
            self.closed(self.pairs[begin])

    def listed(self, parts: Iterable[Any]) -> bool:
        """Compares parts with a comma between each and the next; whether all are as printed, without brackets."""
        plain, before = True, ""
        for part in parts:
            gap = self._gap(part)
            plain = plain and gap == before
            if before and gap.strip("() \n") != ",":
                raise OtherTreeError
            before = ","
            plain = plain and type(part) in PRINTED and self._is_printed(part)
            if not plain:
                self.visit(part)
        return plain

    def column(self, node: Any) -> int:
        """The indentation of the line in which a part begins, plus one."""
        line = _span(node).line
        begin = self._line[line] + 1 if line != self._first else 0
        indent = _INDENT.match(self.text, begin)
        return indent.end() - begin + 1 if indent is not None else 0

    def block(self, parts: Sequence[Any], column: int) -> None:
        """Compares what stands in lines of the same indentation, which is more than that around it."""
        first = None
        for part in parts:
            place = self.column(part)
            if first is None:
                first = place
                beside = "\n" not in _COMMENT.sub("", self.text[self.at : self.start(part)])
                if not (place > column or (beside and len(parts) == 1 and place == column)):
                    raise OtherTreeError
            elif place != first or "\n" not in self.text[self.at : self.start(part)]:
                raise OtherTreeError
            if type(part) is ast.Name:
                self.read.append("include")
            self.visit(part)

    def keyword(self, word: str, before: int, column: int) -> None:
        """A word at the beginning of a line, indented like the statement that it goes on with."""
        results = list(re.finditer(rf"\b{word}\b", self.text[self.at : before]))
        if len(results) != 1:
            raise OtherTreeError
        self.read.append(word)
        at = self.at + results[0].start()
        line = self.text.rfind("\n", 0, at) + 1
        if at - line + 1 != column or self.text[line:at].strip():
            raise OtherTreeError
        self.at = at + len(word)
