"""Whether a syntax tree is that of its text: each name, number and text at its place, and nothing left out or moved.

For trees that come from the disk, and may be anybody's. A tree is gone through in the order in which it is written. Its
names, numbers, texts and words have to be those of the text, one after the other; between them are only words and signs
that belong there. Brackets close where they have to, operators bind as the grammar says, and what is in a block is
indented alike. That takes a fraction of the time of parsing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.syntax.origin import Origin
from rulespec.syntax.shapes import HEADS, NOT_WORDS, PRECEDENCE, SHAPES, Step

_WORD = re.compile(r'#[^\n]*|->|("[^"\n]*"|[A-Za-z][A-Za-z0-9_]*|[0-9]+|[-{\[])')
_BRACKET = re.compile(r'"[^"\n]*"|#[^\n]*|[()\[\]{}]')
_TEXT = re.compile(r'"([^"\n]*)"|#[^\n]*')
_COMMENT = re.compile(r"#[^\n]*")
_IS = re.compile(r"[)\s]*is\s+(none|some)\b")
_DIGITS = re.compile(r"[0-9]+")
_OPENING, _CLOSING = "([{", ")]}"
_BRACKETED = "( \n"
_ATOM, _COMPARED = 10, 4
_COUNTED = {"-": "-", "not in": "not"}
"""Operators that have a word which other operators are, too."""
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


class _OtherError(Exception):
    """A tree is not that of its text."""


def as_written(tree: Any, text: str, origin: Origin) -> bool:
    """Whether a tree is that of a text that begins at `origin`."""
    try:
        reading = _Reading(text, origin)
        if type(tree) is tuple:
            reading.block(tree, 0)
        else:
            reading.visit(tree)
        return reading.is_whole()
    except (_OtherError, IndexError, KeyError, AttributeError, TypeError, ValueError):
        return False


class _Reading:
    """A text, as far as a tree has been compared with it.

    Attributes:
        text: the text.
        at: where what has been compared ends.
        pairs: where a bracket opens → where it closes, and the other way round.
        read: the words that have been taken.
    """

    def __init__(self, text: str, origin: Origin) -> None:
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
        """Where a part of the tree begins."""
        span = _span(node)
        return self._line[span.line] + span.column

    def end(self, node: Any) -> int:
        """Where a part of the tree ends."""
        span: Span = node.span
        return self._line[span.end_line] + span.end_column

    # words

    def word(self, at: int, word: str) -> None:
        """Takes a word that has to stand somewhere."""
        if at < self.at or not self.text.startswith(word, at):
            raise _OtherError
        self.read.append(word)
        self.at = at + len(word)

    def between(self, word: str, at: int) -> None:
        """A word that belongs to no part, but has to stand before the next one."""
        if word not in self.text[self.at : at]:
            raise _OtherError
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
                raise _OtherError
        self.at = at + 1
        if bracket != "(":
            self.read.append(bracket)
        return self.pairs[at]

    def closed(self, close: int) -> None:
        """Goes behind a bracket that closes."""
        if self.at > close:
            raise _OtherError
        self.at = close + 1

    # parts

    def visit(self, node: Any) -> None:
        """Compares a part of the tree."""
        kind = type(node)
        if kind is ast.Ref or kind is ast.Name:
            word = node.name if kind is ast.Ref else node.text
            at = self._line[node.span.line] + node.span.column
            if at < self.at or not self.text.startswith(word, at):
                raise _OtherError
            self.read.append(word)
            self.at = at + len(word)
        elif (special := _SPECIAL.get(kind)) is not None:
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
        """How far the line is indented in which a part begins, and one more."""
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
                    raise _OtherError
            elif here != first or "\n" not in self.text[self.at : self.start(part)]:
                raise _OtherError
            if type(part) is ast.Name:
                self.read.append("include")
            self.visit(part)

    def keyword(self, word: str, before: int, column: int) -> None:
        """A word at the beginning of a line, indented like the statement that it goes on with."""
        found = list(re.finditer(rf"\b{word}\b", self.text[self.at : before]))
        if len(found) != 1:
            raise _OtherError
        self.read.append(word)
        at = self.at + found[0].start()
        line = self.text.rfind("\n", 0, at) + 1
        if at - line + 1 != column or self.text[line:at].strip():
            raise _OtherError
        self.at = at + len(word)


# --- parts that have more to them -------------------------------------------------------------------------------------


def _text(r: _Reading, node: ast.Text) -> None:
    if not node.text:
        return
    begin, end = r.start(node), r.end(node)
    whole = f'"{node.text}"'
    if end - begin == len(whole):  # one text, as nearly all are
        r.word(begin, whole)
        return
    found = [m for m in _TEXT.finditer(r.text, begin, end) if m[1] is not None]
    if " ".join(m[1] for m in found) != node.text:
        raise _OtherError
    for each in found:
        r.word(each.start(), each[0])


def _number(r: _Reading, node: ast.Number) -> None:
    _digits(r, r.start(node), node.value)
    if node.unit is not None:
        r.visit(node.unit)


def _digits(r: _Reading, at: int, value: int) -> None:
    found = _DIGITS.match(r.text, at)
    if not found or int(found[0]) != value:
        raise _OtherError
    r.word(at, found[0])


def _truth(r: _Reading, node: ast.Truth) -> None:
    r.word(r.start(node), "true" if node.value else "false")


def _nothing(r: _Reading, node: ast.Nothing) -> None:
    r.word(r.start(node), "none")


def _type(r: _Reading, node: ast.TypeRef) -> None:
    if node.form in ("set", "order"):
        r.word(r.start(node), node.form)
    r.visit(node.name)
    written = r.text[r.at : r.end(node)]
    if not written and node.form in ("plain", "set", "order"):
        return
    optional, ranged = written.lstrip().startswith("?"), ".." in written
    if (optional, ranged) != ("optional" in node.form, "range" in node.form):
        raise _OtherError
    if ranged:
        found = re.fullmatch(r"[?\s]*(-?)\s*(\d+)\s*\.\.\s*(-?)\s*(\d+)\s*", written)
        if not found or (node.low, node.high) != (int(found[1] + found[2]), int(found[3] + found[4])):
            raise _OtherError
        r.read += [part for part in found.groups() if part]
        r.at += found.end(4)


def _precedence(node: Any) -> int:
    kind = type(node)
    if kind is ast.Binary:
        return PRECEDENCE[node.op]
    if kind is ast.Unary:
        return {"not": 3, "-": 9}.get(node.op, _COMPARED)
    return -1 if kind is ast.Once else 0 if kind is ast.Choice else _ATOM


def _chained(node: Any) -> bool:
    """Whether the place of a node goes from its first part to its last, without brackets around them."""
    return type(node) is ast.Binary and node.op in ("and", "or")


def _left(r: _Reading, node: Any, gap: str, least: int) -> None:
    """Brackets behind a part: they are there if it binds less, and have been opened just before it."""
    count = gap.count(")")
    if (_precedence(node) < least and not count) or (count and not _chained(node) and not _opens(r, node, gap)):
        raise _OtherError


def _opens(r: _Reading, node: Any, gap: str) -> bool:
    begin, end = r.start(node), r.end(node)
    closing = [end + i for i, c in enumerate(gap) if c == ")"]
    return all(not r.text[r.pairs[at] : begin].strip(_BRACKETED) and r.pairs[at] < begin for at in closing)


def _right(r: _Reading, node: Any, gap: str, least: int) -> None:
    """Brackets before a part: they are there if it binds less, and close just behind it."""
    begin = r.start(node)
    opening = [begin - len(gap) + i for i, c in enumerate(gap) if c == "("]
    if _precedence(node) < least and not opening:
        raise _OtherError
    if not _chained(node) and any(
        r.pairs[at] < r.end(node) - 1 or r.text[r.end(node) : r.pairs[at]].strip(") \n") for at in opening
    ):
        raise _OtherError


def _gap(r: _Reading, left: Any, right: Any, word: str) -> tuple[str, str]:
    """What is written between two parts: before the word that has to be there, and behind it."""
    written = r.text[r.end(left) : r.start(right)]
    before, found, behind = written.partition(word.split(" ")[0])
    if " " in word:
        _, more, behind = behind.partition(word.split(" ")[1])
        found = found and more
    rest = before + behind
    if not found or (_COMMENT.sub("", rest) if "#" in rest else rest).strip("() \n"):
        raise _OtherError
    return before, behind


def _binary(r: _Reading, node: ast.Binary) -> None:
    p = PRECEDENCE[node.op]
    if _goes_on(node):
        r.visit(node.left)
        r.between("for", r.start(node.right.binder))
        _each_inside(r, node.right)
        return
    left, right = node.left, node.right
    if r.text[r.end(left) : r.start(right)] == f" {node.op} ":  # as nearly all are
        if _precedence(left) < p + (p == _COMPARED) or _precedence(right) <= p:
            raise _OtherError
        r.visit(left)
        if node.op in _COUNTED:
            r.read.append(_COUNTED[node.op])
        r.visit(right)
        return
    before, behind = _gap(r, left, right, node.op)
    r.visit(left)
    if node.op in _COUNTED:
        r.read.append(_COUNTED[node.op])
    _left(r, left, before, p + (p == _COMPARED))
    _right(r, right, behind, p + 1)
    r.visit(right)


def _unary(r: _Reading, node: ast.Unary) -> None:
    if node.op in ("is none", "is some"):
        r.visit(node.operand)
        found = _IS.match(r.text, r.end(node.operand))
        if not found or found[1] != node.op[3:]:
            raise _OtherError
        _left(r, node.operand, r.text[r.end(node.operand) : found.start(1)], _COMPARED + 1)
        r.word(found.start(1), found[1])
        return
    begin = r.start(node)
    if node.op == "not":
        r.word(begin, "not")
    else:
        r.word(begin, "-")
    gap = r.text[begin + len(node.op) : r.start(node.operand)]
    if gap.strip(_BRACKETED):
        raise _OtherError
    _right(r, node.operand, gap, _precedence(node))
    r.visit(node.operand)


def _choice(r: _Reading, node: ast.Choice) -> None:
    before, behind = _gap(r, node.then, node.condition, "if")
    r.visit(node.then)
    _left(r, node.then, before, 1)
    _right(r, node.condition, behind, 1)
    before, behind = _gap(r, node.condition, node.other, "else")
    r.visit(node.condition)
    _left(r, node.condition, before, 1)
    _right(r, node.other, behind, 0)
    r.visit(node.other)


def _postfix(r: _Reading, target: Any, following: int, sign: str) -> None:
    """What has something behind it: `target.name`, `target[key]`."""
    gap = r.text[r.end(target) : following]
    if gap == sign and _precedence(target) == _ATOM:  # as nearly all are
        r.visit(target)
        return
    before, found, behind = gap.partition(sign)
    if not found or before.strip(") \n") or behind.strip():
        raise _OtherError
    r.visit(target)
    _left(r, target, before, _ATOM)


def _attribute(r: _Reading, node: ast.Attribute) -> None:
    _postfix(r, node.target, r.start(node.name), ".")
    r.visit(node.name)


def _track_call(r: _Reading, node: ast.TrackCall) -> None:
    _postfix(r, node.track, r.start(node.name), ".")
    r.visit(node.name)
    _arguments(r, node.args)


def _index(r: _Reading, node: ast.Index) -> None:
    at = r.text.index("[", r.end(node.target))
    _postfix(r, node.target, at + 1, "[")
    close = r.opened("[", at)
    for key in node.keys:
        r.visit(key)
    r.closed(close)


def _arguments(r: _Reading, args: Sequence[Any]) -> None:
    close = r.opened("(")
    for arg in args:
        r.visit(arg)
    r.closed(close)


def _call(r: _Reading, node: ast.CallExpr) -> None:
    r.visit(node.name)
    _arguments(r, node.args)


def _list(r: _Reading, node: Any) -> None:
    close = r.opened("{" if type(node) is ast.SetLiteral else "[", r.start(node))
    for item in node.items:
        r.visit(item)
    r.closed(close)


def _within(node: ast.Each) -> bool:
    """Whether an operator stands for a further binder of the one around it."""
    return (node.span.line, node.span.column) == (node.binder.span.line, node.binder.span.column)


def _goes_on(node: Any) -> bool:
    """Whether a condition of a binder has in it that of the next one: `any` over several."""
    return type(node) is ast.Binary and type(node.right) is ast.Each and _within(node.right)


def _each(r: _Reading, node: ast.Each) -> None:
    binders, body = [node.binder], node.body
    inner = node
    while type(body) is ast.Each and _within(body):
        binders.append(body.binder)
        inner, body = body, body.body
    around = {"count": "sum", "set": "union"}.get(inner.op, inner.op)
    each: Any = node
    while each is not inner:
        if each.op != around or (each is not node and each.default is not None):
            raise _OtherError
        each = each.body
    begin = r.start(node)
    if inner.op in ("set", "order"):
        close = r.opened("{", begin)
    else:
        r.word(begin, inner.op)
        close = r.opened("(")
    if body is not None and inner.op != "all":
        r.visit(body)
        r.between("for", r.start(binders[0]))
    for number, binder in enumerate(binders):
        if number:
            r.between("for", r.start(binder))
        r.visit(binder)
    if body is not None and inner.op == "all":
        r.between(":", r.start(body))
        r.visit(body)
    if node.default is not None:
        r.between("else", r.start(node.default))
        r.visit(node.default)
    r.closed(close)


def _each_inside(r: _Reading, node: ast.Each) -> None:
    """`any` for a further binder."""
    if node.op != "any" or node.body is not None or node.default is not None:
        raise _OtherError
    r.visit(node.binder)


def _binder(r: _Reading, node: ast.Binder) -> None:
    r.visit(node.name)
    r.between("in", r.start(node.source))
    r.visit(node.source)
    if node.start is not None:
        r.between(node.order, r.start(node.start))
        r.visit(node.start)
    if (where := node.where) is not None:
        if type(where) is ast.Each and _within(where):
            r.between("for", r.start(where.binder))
            _each_inside(r, where)
        else:
            r.between("where", r.start(where.left if _goes_on(where) else where))
            r.visit(where)
    if node.keys:
        r.between("by", r.start(node.keys))
        for key in node.keys:
            r.visit(key)


def _if(r: _Reading, node: ast.If) -> None:
    column, begin = r.column(node), r.start(node)
    at = begin - r.text.rfind("\n", 0, begin)
    if at != column:
        raise _OtherError
    for number, (condition, body) in enumerate(node.branches):
        before = r.start(body) if condition is None else r.start(condition)
        r.keyword("else" if condition is None else "elif" if number else "if", before, column)
        if condition is not None:
            r.visit(condition)
        r.block(body, column)


def _match(r: _Reading, node: ast.Match) -> None:
    column = r.column(node)
    r.word(r.start(node), "match")
    r.visit(node.subject)
    inner = 0
    for values, body in node.cases:
        inner = inner or r.column(values)
        r.keyword("case", r.start(values), inner)
        for value in values:
            r.visit(value)
        r.block(body, inner)
    if node.other is not None:
        r.keyword("else", r.start(node.other), inner)
        r.block(node.other, inner)
    if inner <= column:
        raise _OtherError


def _jump(r: _Reading, node: ast.Jump) -> None:
    for word in node.word.split(" "):
        at = r.start(node) if r.at <= r.start(node) else r.text.index(word, r.at)
        r.word(at, word)


def _rearrange(r: _Reading, node: ast.Rearrange) -> None:
    r.word(r.start(node), node.word)
    if node.member is not None:
        r.visit(node.member)
        r.between("to" if node.word == "add" else "from", r.start(node.target))
    r.visit(node.target)


def _decide(r: _Reading, node: ast.Decide) -> None:
    r.word(r.start(node), "chance" if node.form == "chance" else "decide")
    r.visit(node.name)
    if node.each is not None:
        r.word(r.text.index("together", r.at), "together")
    for part in (node.by, node.each):
        if part is not None:
            r.between("by", r.start(part))
            r.visit(part)
    _text(r, node.doc)
    r.block(node.options, r.column(node))
    if node.otherwise is not None:
        r.visit(node.otherwise)


def _draw(r: _Reading, node: ast.Draw) -> None:
    r.word(r.start(node), "roll" if node.by is None else "choose")
    r.visit(node.name)
    _arguments(r, node.params)
    r.steps(node, (("by", "by", ""), ("weight", "weight", "")))


def _option_param(r: _Reading, node: ast.OptionParam) -> None:
    r.steps(node, (("name", "", ""), ("low", "in", ""), ("high", "..", "")))
    if node.none:
        at = r.text.index("none", r.at)
        if r.text[r.at : at].strip(") \n") != "or":
            raise _OtherError
        r.word(at, "none")
    r.steps(node, (("where", "where", ""), ("reason", "", ""), ("private", "", "")))


def _option(r: _Reading, node: ast.OptionDef) -> None:
    r.word(r.start(node), "option")
    r.visit(node.name)
    if node.params:
        _arguments(r, node.params)
    r.steps(node, (("by", "by", ""), ("weight", "weight", ""), ("doc", "", "")))
    r.block(node.body, r.column(node))


def _shared(r: _Reading, node: ast.Shared) -> None:
    r.word(r.start(node), "with" if node.params else "when")
    for param in node.params:
        r.visit(param)
    if node.condition is not None and node.params:
        r.between("when", r.start(node.condition))
    r.steps(node, (("condition", "", ""), ("reason", "", "")))
    r.block(node.options, r.column(node))


def _item(r: _Reading, node: Any) -> None:
    if node.modifier:
        r.word(r.start(node), node.modifier)
    word = HEADS[type(node)]
    at = r.start(node) if not node.modifier else r.text.index(word, r.at)
    if r.text[r.at : at].strip() and node.modifier:
        raise _OtherError
    r.word(at, word)
    r.steps(node, SHAPES[type(node)])


def _remove(r: _Reading, node: ast.Remove) -> None:
    r.word(r.start(node), "remove")
    r.word(r.text.index(node.kind, r.at), node.kind)
    r.visit(node.name)
    if node.doc.text:
        raise _OtherError


def _tiebreak(r: _Reading, node: ast.Tiebreak) -> None:
    r.between("tiebreak", r.start(node))
    r.steps(node, (("name", "for", ""), ("source", "in", ""), ("key", "by", ""), ("value", "", "")))


def _end(r: _Reading, node: ast.EndGame) -> None:
    r.word(r.start(node), "end")
    r.word(r.text.index("game", r.at), "game")
    r.steps(node, (("ending", "as", ""),))
    if node.winners is not None:
        r.between("won", r.start(node.winners))
        r.steps(node, (("winners", "by", ""),))


def _repeat(r: _Reading, node: ast.Repeat) -> None:
    r.word(r.start(node), "repeat")
    if node.limit is not None:
        r.between("at", r.start(node.limit))
        r.steps(node, (("limit", "most", ""),))
    r.block(node.body, r.column(node))


def _any_of(r: _Reading, node: ast.AnyOf) -> None:
    r.word(r.start(node), "any")
    r.steps(node, (("source", "of", ""), ("lead", "lead", "")))


def _called_with(word: str) -> Callable[[_Reading, Any], None]:
    def visit(r: _Reading, node: Any) -> None:
        r.word(r.start(node), getattr(node, "op", word) if type(node) is ast.Ways else word)
        close = r.opened("(")
        r.steps(node, SHAPES[type(node)])
        if type(node) is ast.Ways:
            r.between("within" if node.op == "reach" else "until", r.start(node.bound))
            r.visit(node.bound)
            r.steps(node, (("default", "else", ""),))
        r.closed(close)

    return visit


_SPECIAL: dict[type, Callable[[_Reading, Any], None]] = {
    ast.Text: _text,
    ast.Number: _number,
    ast.Truth: _truth,
    ast.Nothing: _nothing,
    ast.TypeRef: _type,
    ast.Binary: _binary,
    ast.Unary: _unary,
    ast.Choice: _choice,
    ast.Attribute: _attribute,
    ast.TrackCall: _track_call,
    ast.Index: _index,
    ast.CallExpr: _call,
    ast.SetLiteral: _list,
    ast.InOrder: _list,
    ast.Each: _each,
    ast.Binder: _binder,
    ast.Reach: _called_with("reach"),
    ast.Ways: _called_with(""),
    ast.Ray: _called_with("ray"),
    ast.Told: _called_with("told"),
    ast.If: _if,
    ast.Match: _match,
    ast.Jump: _jump,
    ast.EndGame: _end,
    ast.Repeat: _repeat,
    ast.Rearrange: _rearrange,
    ast.Decide: _decide,
    ast.Draw: _draw,
    ast.OptionParam: _option_param,
    ast.OptionDef: _option,
    ast.Shared: _shared,
    ast.Def: _item,
    ast.Procedure: _item,
    ast.Guard: _item,
    ast.Invariant: _item,
    ast.Scoring: _item,
    ast.OptionGroup: _item,
    ast.Extend: _item,
    ast.Remove: _remove,
    ast.Tiebreak: _tiebreak,
    ast.AnyOf: _any_of,
}
