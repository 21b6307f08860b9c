"""Shortcut for texts that need no parser, as most in YAML: a name, a chain of names, an amount, a plain type.

Building such a tree is faster than reading it from the on-disk cache.
"""

from __future__ import annotations

import re

from rulespec.syntax import ast
from rulespec.syntax.keywords import WORDS
from rulespec.syntax.origin import Origin

_NAME = "[A-Za-z][A-Za-z0-9_]*"
_CHAIN = re.compile(rf"{_NAME}(?:\.{_NAME}){{0,2}}")
_AMOUNT = re.compile(rf"([0-9]{{1,15}})(?: ({_NAME}))?")
_TYPE = re.compile(rf"(set )?({_NAME})(\?)?")


def simple_expr(text: str, origin: Origin) -> ast.Expr | None:
    """The tree of a chain of names or an amount; None for any other expression."""
    if _CHAIN.fullmatch(text):
        first, *following = text.split(".")
        if first in WORDS or not WORDS.isdisjoint(following):
            return None
        end = 1 + len(first)
        tree: ast.Expr = ast.Ref(origin.at(1, 1, 1, end), first)
        for name in following:
            begin, end = end + 1, end + 1 + len(name)
            tree = ast.Attribute(origin.at(1, 1, 1, end), tree, ast.Name(name, origin.at(1, begin, 1, end)))
        return tree
    result = _AMOUNT.fullmatch(text)
    if result is None or result[2] in WORDS:
        return None
    end = 1 + len(text)
    unit = ast.Name(result[2], origin.at(1, 1 + result.start(2), 1, end)) if result[2] is not None else None
    return ast.Number(origin.at(1, 1, 1, end), int(result[1]), unit)


def simple_type(text: str, origin: Origin) -> ast.TypeRef | None:
    """The tree of a type such as `money`, `region?` or `set region`; None for any other type."""
    result = _TYPE.fullmatch(text)
    if result is None or result[2] in _TYPE_WORDS or (result[1] and result[3]):
        return None
    name = ast.Name(result[2], origin.at(1, 1 + result.start(2), 1, 1 + result.end(2)))
    form = "set" if result[1] else "optional" if result[3] else "plain"
    return ast.TypeRef(form, name, 0, 0, origin.at(1, 1, 1, 1 + len(text)))


_TYPE_WORDS = WORDS - {"bool", "int"}
