"""Expressions, names, texts and types, compared with how they are written: see `as_written.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rulespec.syntax import ast
from rulespec.syntax.printed import may_bind, within
from rulespec.syntax.reading import OtherTreeError, Reading
from rulespec.syntax.shapes import ATOM, COMPARED, PRECEDENCE, SHAPES, precedence

_TEXT = r'"([^"\n]*)"|#[^\n]*'
_IS = r"[)\s]*is\s+(none|some)\b"
_RANGE = r"(-?) *([0-9]+) *\.\. *(-?) *([0-9]+)"
_DIGITS = r"[0-9]+"
_OPTIONAL = r"[ \n]*\?"
"""Patterns that few texts need: they are compiled on use."""
_BRACKETED = "( \n"
_COUNTED = {"-": "-", "not in": "not"}
"""Operators that have a word which other operators are, too."""


def text_as_written(r: Reading, node: ast.Text) -> None:
    """A docstring, which may be several texts, or a reason."""
    if not node.text:
        return
    begin, end = r.start(node), r.end(node)
    whole = f'"{node.text}"'
    if end - begin == len(whole):  # one text, as nearly all are
        r.word(begin, whole)
        return
    results = [m for m in re.compile(_TEXT).finditer(r.text, begin, end) if m[1] is not None]
    if " ".join(m[1] for m in results) != node.text:
        raise OtherTreeError
    for each in results:
        r.word(each.start(), each[0])


def _number(r: Reading, node: ast.Number) -> None:
    _digits(r, r.start(node), node.value)
    if node.unit is not None:
        r.visit(node.unit)


def _digits(r: Reading, at: int, value: int) -> None:
    result = re.compile(_DIGITS).match(r.text, at)
    if not result or int(result[0]) != value:
        raise OtherTreeError
    r.word(at, result[0])


def _truth(r: Reading, node: ast.Truth) -> None:
    r.word(r.start(node), "true" if node.value else "false")


def _nothing(r: Reading, node: ast.Nothing) -> None:
    r.word(r.start(node), "none")


def _type(r: Reading, node: ast.TypeRef) -> None:
    if node.form in ("set", "order"):
        r.word(r.start(node), node.form)
    r.visit(node.name)
    written = r.text[r.at : r.end(node)]
    if not written and node.form in ("plain", "set", "order"):
        if re.compile(_OPTIONAL).match(r.text, r.at):
            raise OtherTreeError
        return
    optional, ranged = written.lstrip().startswith("?"), ".." in written
    if (optional, ranged) != ("optional" in node.form, "range" in node.form):
        raise OtherTreeError
    if ranged:
        result = re.fullmatch(_RANGE, written.strip("? \n"))
        if not result or (node.low, node.high) != (int(result[1] + result[2]), int(result[3] + result[4])):
            raise OtherTreeError
        r.read += [part for part in result.groups() if part]
        r.at = r.end(node)


def _chained(node: Any) -> bool:
    """Whether the place of a node goes from its first part to its last, without brackets around them."""
    return type(node) is ast.Binary and node.op in ("and", "or")


def _left(r: Reading, node: Any, gap: str, least: int) -> None:
    """Brackets after a part: they are there if it binds less, and have been opened just before it."""
    count = gap.count(")")
    if (precedence(node) < least and not count) or (count and not _chained(node) and not _opens(r, node, gap)):
        raise OtherTreeError


def _opens(r: Reading, node: Any, gap: str) -> bool:
    begin, end = r.start(node), r.end(node)
    closing = [end + i for i, c in enumerate(gap) if c == ")"]
    return all(not r.text[r.pairs[at] : begin].strip(_BRACKETED) and r.pairs[at] < begin for at in closing)


def _right(r: Reading, node: Any, gap: str, least: int) -> None:
    """Brackets before a part: they are there if it binds less, and close just after it."""
    begin = r.start(node)
    opening = [begin - len(gap) + i for i, c in enumerate(gap) if c == "("]
    if precedence(node) < least and not opening:
        raise OtherTreeError
    if not _chained(node) and any(
        r.pairs[at] < r.end(node) - 1 or r.text[r.end(node) : r.pairs[at]].strip(") \n") for at in opening
    ):
        raise OtherTreeError


def _gap(r: Reading, left: Any, right: Any, word: str) -> tuple[str, str]:
    """The text between two parts: before the word that has to be there, and after it."""
    written = r.text[r.end(left) : r.start(right)]
    before, result, behind = written.partition(word.split(" ")[0])
    if " " in word:
        _, more, behind = behind.partition(word.split(" ")[1])
        result = result and more
    rest = before + behind
    if not result or (re.sub(r"#[^\n]*", "", rest) if "#" in rest else rest).strip("() \n"):
        raise OtherTreeError
    return before, behind


def _binary(r: Reading, node: ast.Binary) -> None:
    p = PRECEDENCE[node.op]
    following: Any = node.right
    if _goes_on(node):
        r.visit(node.left)
        r.between("for", r.start(following.binder))
        _each_inside(r, following)
        return
    left, right = node.left, node.right
    if r.text[r.end(left) : r.start(right)] == f" {node.op} ":  # as nearly all are
        if precedence(left) < p + (p == COMPARED) or precedence(right) <= p:
            raise OtherTreeError
        r.visit(left)
        if node.op in _COUNTED:
            r.read.append(_COUNTED[node.op])
        r.visit(right)
        return
    before, behind = _gap(r, left, right, node.op)
    r.visit(left)
    if node.op in _COUNTED:
        r.read.append(_COUNTED[node.op])
    _left(r, left, before, p + (p == COMPARED))
    _right(r, right, behind, p + 1)
    r.visit(right)


def _some_as(r: Reading, node: ast.SomeAs) -> None:
    _unary(r, ast.Unary(node.span, "is some", node.operand))
    r.between("as", r.start(node.name))
    r.visit(node.name)


def _unary(r: Reading, node: ast.Unary) -> None:
    if node.op in ("is none", "is some"):
        r.visit(node.operand)
        result = re.compile(_IS).match(r.text, r.end(node.operand))
        if not result or result[1] != node.op[3:]:
            raise OtherTreeError
        _left(r, node.operand, r.text[r.end(node.operand) : result.start(1)], COMPARED + 1)
        r.word(result.start(1), result[1])
        return
    begin = r.start(node)
    if node.op == "not":
        r.word(begin, "not")
    else:
        r.word(begin, "-")
    gap = r.text[begin + len(node.op) : r.start(node.operand)]
    if gap.strip(_BRACKETED):
        raise OtherTreeError
    _right(r, node.operand, gap, precedence(node))
    r.visit(node.operand)


def _choice(r: Reading, node: ast.Choice) -> None:
    before, behind = _gap(r, node.then, node.condition, "if")
    r.visit(node.then)
    _left(r, node.then, before, 1)
    _right(r, node.condition, behind, 1)
    before, behind = _gap(r, node.condition, node.other, "else")
    r.visit(node.condition)
    _left(r, node.condition, before, 1)
    _right(r, node.other, behind, 0)
    r.visit(node.other)


def _postfix(r: Reading, target: Any, following: int, sign: str) -> None:
    """An expression followed by something: `target.name`, `target[key]`."""
    gap = r.text[r.end(target) : following]
    if gap == sign and precedence(target) == ATOM:  # as nearly all are
        r.visit(target)
        return
    before, result, behind = gap.partition(sign)
    if not result or before.strip(") \n") or behind.strip():
        raise OtherTreeError
    r.visit(target)
    _left(r, target, before, ATOM)


def _attribute(r: Reading, node: ast.Attribute) -> None:
    _postfix(r, node.target, r.start(node.name), ".")
    r.visit(node.name)


def _track_call(r: Reading, node: ast.TrackCall) -> None:
    _postfix(r, node.track, r.start(node.name), ".")
    r.visit(node.name)
    r.arguments(node.args)


def _index(r: Reading, node: ast.Index) -> None:
    at = r.text.index("[", r.end(node.target))
    _postfix(r, node.target, at + 1, "[")
    close = r.opened("[", at)
    r.listed(node.keys)
    r.closed(close)


def _call(r: Reading, node: ast.CallExpr) -> None:
    if may_bind(node):
        raise OtherTreeError
    r.visit(node.name)
    r.arguments(node.args)


def _list(r: Reading, node: Any) -> None:
    if may_bind(node):
        raise OtherTreeError
    close = r.opened("{" if type(node) is ast.SetLiteral else "[", r.start(node))
    r.listed(node.items)
    r.closed(close)


def _goes_on(node: Any) -> bool:
    """Whether a condition of a binder has in it that of the next one: `any` over several."""
    return type(node) is ast.Binary and type(node.right) is ast.Each and within(node.right)


def _each(r: Reading, node: ast.Each) -> None:
    binders, body = [node.binder], node.body
    inner = node
    while type(body) is ast.Each and within(body):
        binders.append(body.binder)
        inner, body = body, body.body
    around = {"count": "sum", "set": "union"}.get(inner.op, inner.op)
    each: Any = node
    while each is not inner:
        if each.op != around or (each is not node and each.default is not None):
            raise OtherTreeError
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


def _each_inside(r: Reading, node: ast.Each) -> None:
    """`any` for a further binder."""
    if node.op != "any" or node.body is not None or node.default is not None:
        raise OtherTreeError
    r.visit(node.binder)


def _binder(r: Reading, node: ast.Binder) -> None:
    r.visit(node.name)
    r.between("in", r.start(node.source))
    r.visit(node.source)
    if node.start is not None:
        r.between(node.order, r.start(node.start))
        r.visit(node.start)
    where: Any = node.where
    if where is not None:
        if type(where) is ast.Each and within(where):
            r.between("for", r.start(where.binder))
            _each_inside(r, where)
        else:
            r.between("where", r.start(where.left if _goes_on(where) else where))
            r.visit(where)
    if node.keys:
        r.between("by", r.start(node.keys))
        r.listed(node.keys)


def _called_with(word: str) -> Callable[[Reading, Any], None]:
    def visit(r: Reading, node: Any) -> None:
        r.word(r.start(node), getattr(node, "op", word) if type(node) is ast.Ways else word)
        close = r.opened("(")
        r.steps(node, SHAPES[type(node)])
        if type(node) is ast.Ways:
            r.between("within" if node.op == "reach" else "until", r.start(node.bound))
            r.visit(node.bound)
            r.steps(node, (("default", "else", ""),))
        r.closed(close)

    return visit


EXPRESSIONS: dict[type, Callable[[Reading, Any], None]] = {
    ast.Text: text_as_written,
    ast.Number: _number,
    ast.Truth: _truth,
    ast.Nothing: _nothing,
    ast.TypeRef: _type,
    ast.Binary: _binary,
    ast.Unary: _unary,
    ast.SomeAs: _some_as,
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
}
"""The function that compares each kind of these."""
