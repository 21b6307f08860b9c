"""Printer for parts of a syntax tree: prints on one line, without redundant brackets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rulespec.syntax import ast

_PRECEDENCE = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<=", ">=", "<", ">", "in", "not in"), 4),
    "|": 5,
    "??": 5,
    "&": 6,
    **dict.fromkeys("+-", 7),
    **dict.fromkeys("*/%", 8),
}
"""The precedence of each binary operator."""
ATOM, COMPARED = 10, 4
"""The precedences of names and calls, and of comparisons."""
_UNARY = {"not": 3, "-": 9}
LEFT_TO_RIGHT = frozenset(_PRECEDENCE)
BINDS = _PRECEDENCE | {"is": COMPARED, "not": 3, "if": 1, "else": 0, "once": 0}
"""The operators with two operands of one kind, and the precedence of each operator."""
_BINDING = frozenset(["any", "count", "first", "the"])
"""Names shared by a function and an operator: the brackets after them may contain a binder."""


def printed(node: Any) -> str:
    """The text of a node on one line.

    Raises:
        KeyError: for a node kind that needs several lines.
    """
    return node.name if type(node) is ast.Ref else _PRINTED[type(node)](node)


def _in_brackets(parts: Iterable[Any]) -> str:
    """Arguments in round brackets."""
    return f"({', '.join([printed(part) for part in parts])})"


def precedence(node: Any) -> int:
    """The precedence of an expression as an operand."""
    kind = type(node)
    if kind is ast.Binary:
        return _PRECEDENCE[node.op]
    if kind is ast.Unary:
        return _UNARY.get(node.op, COMPARED)
    return -1 if kind is ast.Once else 0 if kind is ast.Choice else ATOM


def _within(node: ast.Each) -> bool:
    """Whether a node was made for a further binder of the operator around it."""
    return (node.span.line, node.span.column) == (node.binder.span.line, node.binder.span.column)


def _begins_binder(parts: Iterable[Any]) -> bool:
    """Whether the first of the parts begins like a binder, `name in …`, and would be parsed as one where binders are
    allowed.
    """
    node: Any = next(iter(parts), None)
    while type(node) in (ast.Binary, ast.Choice):
        if type(node) is ast.Binary and node.op == "in" and type(node.left) is ast.Ref:
            return True
        node = node.left if type(node) is ast.Binary else node.then
    return False


def _may_bind(node: ast.CallExpr | ast.SetLiteral) -> bool:
    """Whether the printed text of this call or set would be parsed as an operator over a binder."""
    if type(node) is ast.CallExpr:
        return node.name.text in _BINDING and _begins_binder(node.args)
    return type(node) is ast.SetLiteral and _begins_binder(node.items)


def _bound(node: Any, least: int) -> str:
    """The text of a node, in brackets if its precedence is below `least`."""
    if type(node) is ast.Each and _within(node):
        raise KeyError
    return printed(node) if precedence(node) >= least else f"({printed(node)})"


def _number(node: ast.Number) -> str:
    return f"{node.value}" if node.unit is None else f"{node.value} {node.unit.text}"


def _binary(node: ast.Binary) -> str:
    op, left, right = node.op, node.left, node.right
    p = _PRECEDENCE[op]
    before = left.name if type(left) is ast.Ref else _bound(left, p + (p == COMPARED))
    return f"{before} {op} {right.name if type(right) is ast.Ref else _bound(right, p + 1)}"


def _unary(node: ast.Unary) -> str:
    if node.op == "-":
        return f"-{_bound(node.operand, 9)}"
    if node.op == "any of":
        return f"any of {_bound(node.operand, 0)}"
    if node.op == "not":
        return f"not {_bound(node.operand, 3)}"
    return f"{_bound(node.operand, COMPARED + 1)} {node.op}"


def _attribute(node: ast.Attribute) -> str:
    target = node.target
    if type(target) is ast.Ref:
        return f"{target.name}.{node.name.text}"
    return f"{_bound(target, ATOM)}.{node.name.text}"


def _chain(node: ast.Chain) -> str:
    called = "" if node.args is None else _in_brackets(node.args)
    return f"{_bound(node.target, ATOM)}?.{node.name.text}{called}"


def _index(node: ast.Index) -> str:
    return f"{_bound(node.target, ATOM)}[{', '.join([printed(key) for key in node.keys])}]"


def _call(node: ast.CallExpr) -> str:
    if _may_bind(node):
        raise KeyError
    return node.name.text + _in_brackets(node.args)


def _set(node: ast.SetLiteral) -> str:
    if _may_bind(node):
        raise KeyError
    return f"{{{', '.join([printed(item) for item in node.items])}}}"


def _order(node: ast.InOrder) -> str:
    return f"[{', '.join([printed(item) for item in node.items])}]"


def _each(node: ast.Each) -> str:
    op, body = node.op, node.body
    inside = _binder(node.binder)
    if op == "longest" and body is not None:
        inside = f"{inside} worth {_bound(body, 0)}"
    elif body is not None:
        of = _bound(body, 0)
        inside = f"{inside}: {of}" if op == "all" else f"{of} for {inside}"
    if node.default is not None:
        inside = f"{inside}, else {printed(node.default)}"
    return f"{{{inside}}}" if op in ("set", "order") else f"{op}({inside})"


def _binder(node: ast.Binder) -> str:
    text = f"{node.name.text} in {printed(node.source)}"
    if node.then is not None:
        text = f"{node.name.text} to {node.then.text} in {printed(node.source)}"
    if node.start is not None:
        text = f"{text} {node.order} {printed(node.start)}"
    if node.where is not None:
        text = f"{text} where {_bound(node.where, 0)}"
    if node.keys:
        text = f"{text} by {', '.join([printed(key) for key in node.keys])}"
    return text


def _path(node: ast.Path) -> str:
    text = f"{node.name.text} from {_bound(node.start, 0)} to {_binder(node.near)}"
    if node.uses:
        text = f"{text} once {', '.join([_bound(use, 0) for use in node.uses])}"
    if node.counts is not None:
        text = f"{text} counts {_bound(node.counts, 0)}"
    return f"{node.form}({text} within {_bound(node.bound, 0)}{' until none' if node.whole else ''})"


def _type(node: ast.TypeRef) -> str:
    form, name = node.form, node.name.text
    if form == "plain":
        return name
    if form in ("set", "order", "bag", "path"):
        return f"{form} {name}"
    optional = "?" if "optional" in form else ""
    return f"{name}{optional} {node.low}..{node.high}" if "range" in form else name + optional


def _pay(node: ast.Pay) -> str:
    return f"pay {printed(node.amount)} from {printed(node.source)} to {printed(node.target)}"


def _move(node: ast.Move) -> str:
    pile, source, target = printed(node.pile), printed(node.source), printed(node.target)
    return f"move {printed(node.amount)} of {pile} from {source} to {target}"


def _table(node: ast.LetTable) -> str:
    if node.private is not None:
        raise KeyError
    return f"let {node.name.text}[{node.key.text} in {printed(node.source)}] = {printed(node.value)}"


def _option_param(node: ast.OptionParam) -> str:
    if node.none or node.private is not None:
        raise KeyError
    numbers = " .. ".join(map(printed, node.several))
    text = f"{node.name.text} in {numbers and f'choose {numbers} of '}{printed(node.low)}"
    if node.high is not None:
        text = f"{text}..{printed(node.high)}"
    return text if node.where is None else f"{text} where {printed(node.where)}"


_PRINTED: dict[type, Callable[[Any], str]] = {
    ast.Ref: lambda node: node.name,
    ast.Number: _number,
    ast.Truth: lambda node: "true" if node.value else "false",
    ast.Nothing: lambda _: "none",
    ast.Binary: _binary,
    ast.Unary: _unary,
    ast.Attribute: _attribute,
    ast.Chain: _chain,
    ast.Index: _index,
    ast.CallExpr: _call,
    ast.SetLiteral: _set,
    ast.InOrder: _order,
    ast.Each: _each,
    ast.Binder: _binder,
    ast.Path: _path,
    ast.TypeRef: _type,
    ast.Param: lambda node: f"{node.name.text}: {_type(node.type)}",
    ast.OptionParam: _option_param,
    ast.Let: lambda node: f"let {node.name.text} = {printed(node.value)}",
    ast.LetTable: _table,
    ast.Assign: lambda node: f"set {printed(node.target)} to {printed(node.value)}",
    ast.Pay: _pay,
    ast.Move: _move,
    ast.Put: lambda node: f"move {printed(node.token)} to {printed(node.place)}",
    ast.CallStmt: lambda node: node.name.text + _in_brackets(node.args),
    ast.Require: lambda node: f"require {printed(node.condition)}",
    ast.Return: lambda node: f"return {printed(node.value)}",
    ast.Needs: lambda node: f"needs {node.name.text}{_in_brackets(node.args)}",
}
"""The printer of each node class; the reason of a demand or an argument is omitted."""
