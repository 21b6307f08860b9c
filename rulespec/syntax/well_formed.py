"""Constraints of the grammar on nodes beyond the types of their fields. A tree from the disk must keep to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from rulespec.syntax import ast

_ARITHMETIC = ("+", "-", "*", "/", "%", "|", "&", "??")
_TESTS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or")
_BINARY = frozenset(_ARITHMETIC + _TESTS)
_FILTERS = frozenset(["count", "any", "first", "best", "the", "order"])
_ORDERED = frozenset(["first", "best", "order"])
_RANGED = ("range", "optional range")
_PLAIN = ("plain", "optional", "set", "order")
_OVER_BODIES = frozenset(["sum", "union", "all"])


def _calls(e: ast.CallExpr) -> bool:
    """The functions of the language have arguments, and some have one."""
    match e.name.text:
        case "min" | "max":
            return bool(e.args)
        case "next" | "count" | "first" | "the":
            return len(e.args) == 1
    return True


def _each(e: ast.Each) -> bool:
    if (e.op in ("best", "order") and not e.binder.keys) or (e.op not in _ORDERED and e.binder.keys):
        return False
    if e.op in ("min", "max"):
        return e.body is not None
    if e.default is not None:
        return False
    return e.op == "set" or (e.op in _FILTERS and e.body is None) or (e.op in _OVER_BODIES and e.body is not None)


def _binder(b: ast.Binder) -> bool:
    return (b.start is None) == (b.order == "") and b.order in ("", "from", "after")


def _pairs(parts: Any) -> bool:
    """Whether branches or cases each have two parts, of which the second one is a block."""
    return len(parts) > 0 and all(len(pair) == 2 and _is_listed(pair[1], ast.Stmt) for pair in parts)


def _if(s: ast.If) -> bool:
    if not _pairs(s.branches):
        return False
    *before, last = [isinstance(condition, ast.Expr) for condition, _ in s.branches]
    return all(before) and (last or (s.branches[-1][0] is None and len(before) > 0))


def _match(s: ast.Match) -> bool:
    return _pairs(s.cases) and s.other != () and all(_is_listed(values, ast.Expr) for values, _ in s.cases)


def _is_listed(parts: Any, base: type[Struct]) -> bool:
    return type(parts) is tuple and len(parts) > 0 and all(isinstance(part, base) for part in parts)


def _decide(s: ast.Decide) -> bool:
    forms = {"decide": (True, False), "together": (False, True), "chance": (False, False)}
    keys = s.each.keys if s.each is not None else ()
    if s.otherwise is not None and (s.form != "decide" or not s.otherwise.body):
        return False
    return bool(s.options) and not keys and forms.get(s.form) == (s.by is not None, s.each is not None)


def _item(item: ast.Item) -> bool:
    return item.modifier in ("", "replace", "wrap")


def _guard(item: ast.Guard) -> bool:
    return _item(item) and len(item.head) > 0 and all(isinstance(part, ast.HEAD_PARTS) for part in item.head)


def _remove(item: ast.Remove) -> bool:
    return item.modifier == "" and item.kind in ("def", "procedure", "guard", "invariant", "options", "scoring")


def _edit(e: ast.Edit) -> bool:
    if e.word == "add":
        return e.at is None and e.value is None and len(e.body) == 1 and isinstance(e.body[0], ast.HEAD_PARTS)
    if e.at is None or (isinstance(e.at, ast.Stmt) and not isinstance(e.at, ast.NAMED)):
        return False
    if e.word == "replace":
        return (e.value is None) == (len(e.body) > 0)
    return e.value is None and e.word in ("remove", "before", "after") and (e.word == "remove") == (e.body == ())


def _change(item: ast.Change) -> bool:
    kinds = ("def", "procedure", "guard", "invariant", "options", "scoring", "option")
    of_option = (item.kind == "option") == (item.of is not None)
    return item.modifier == "" and item.kind in kinds and of_option and len(item.edits) > 0


def _tiebreak(t: ast.Tiebreak) -> bool:
    return (t.name is None) == (t.source is None) == (t.key is None)


WELL_FORMED: dict[type[Struct], Callable[[Any], bool]] = {
    ast.TypeRef: lambda t: t.form in _RANGED or (t.form in _PLAIN and t.low == t.high == 0),
    ast.Index: lambda e: len(e.keys) > 0,
    ast.TrackCall: lambda e: len(e.args) > 0,
    ast.CallExpr: _calls,
    ast.Unary: lambda e: e.op in ("-", "not", "is none", "is some"),
    ast.Binary: lambda e: e.op in _BINARY,
    ast.Each: _each,
    ast.Binder: _binder,
    ast.Ways: lambda e: not e.near.keys and (e.op == "cheapest" or (e.op == "reach" and e.default is None)),
    ast.Cost: lambda s: s.pile is None or s.target is not None,
    ast.Jump: lambda s: s.word in ("leave", "again", "ask again", "continue", "return", "pass"),
    ast.If: _if,
    ast.Rearrange: lambda s: s.word in ("add", "take", "shuffle") and (s.member is None) == (s.word == "shuffle"),
    ast.Match: _match,
    ast.For: lambda s: len(s.body) > 0,
    ast.Repeat: lambda s: len(s.body) > 0,
    ast.Decide: _decide,
    ast.Draw: lambda s: len(s.params) > 0 and (s.by is None or s.weight is None),
    ast.OptionDef: lambda o: len(o.body) > 0,
    ast.Shared: lambda s: len(s.options) > 0 and (len(s.params) > 0 or s.condition is not None),
    ast.Def: lambda d: _item(d) and (d.at_most is None or (type(d.at_most) is ast.Number and d.at_most.unit is None)),
    ast.Procedure: lambda item: (_item(item) or item.modifier == "hook") and len(item.body) > 0,
    ast.Guard: _guard,
    ast.Invariant: _item,
    ast.Tiebreak: _tiebreak,
    ast.Scoring: _item,
    ast.OptionGroup: lambda item: _item(item) and len(item.options) > 0,
    ast.Extend: lambda item: item.modifier == "" and len(item.options) > 0,
    ast.Remove: _remove,
    ast.Edit: _edit,
    ast.Change: _change,
}
"""For each node of which there is something to say: whether it could have been written."""
