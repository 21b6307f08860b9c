"""Parser from text to syntax tree, for rules files, and for single expressions and types in YAML scalars.

Most scalars are a name, a chain of names, an amount or a plain type. Building their trees is faster than reading them
from the on-disk cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import astuple

from rulespec import cache
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import failure
from rulespec.syntax import ast
from rulespec.syntax.ast_json import PackedTree, pack, unpack
from rulespec.syntax.keywords import WORDS
from rulespec.syntax.origin import Origin

if TYPE_CHECKING:
    from lark import Token


MAX_DEPTH = 60
"""Maximum nesting depth of brackets, blocks and operators, as later passes recurse over the tree."""
MAX_LEVELS = 180
"""Maximum depth of a tree, as later passes recurse over it; long chains of operators nest without brackets."""
_PACKED = msgspec.json.Decoder(PackedTree)


def parse_rules(text: str, file: str, line: int = 1, *, cached: bool = False) -> tuple[ast.Item, ...]:
    """Parses a .rules file, or a part of one that starts at `line`.

    If `cached`, the tree is cached on disk, which pays off for files read by many runs.

    Raises:
        DiagnosticsError: RS131 … RS135, with the place of the first syntax error.
    """
    tree: tuple[ast.Item, ...] = _parse(text.replace("\r\n", "\n") + "\n", "rules", Origin(file, line), cached)
    return tree


def parse_with_tokens(text: str, file: str) -> tuple[tuple[ast.Item, ...], list[Token]]:
    """Parses a .rules file; returns its tree and Lark's tokens, including those for lines and blocks."""
    tokens: list[Token] = []
    tree: tuple[ast.Item, ...] = _parse(text + "\n", "rules", Origin(file), False, tokens)
    return tree, tokens


def parse_expr(text: str, file: str, line: int = 1, column: int = 1, *, cached: bool = False) -> ast.Expr:
    """Parses an expression at a given place in a file; for `cached`, see `parse_rules`."""
    text, origin = text.strip(), Origin(file, line, column)
    tree: ast.Expr = simple_expr(text, origin) or _parse(text, "expr", origin, cached)
    return tree


def parse_type(text: str, file: str, line: int = 1, column: int = 1, *, cached: bool = False) -> ast.TypeRef:
    """Parses a type such as `money`, `region?`, `set region` or `int 0..6`; for `cached`, see `parse_rules`."""
    text, origin = text.strip(), Origin(file, line, column)
    tree: ast.TypeRef = simple_type(text, origin) or _parse(text, "type", origin, cached)
    return tree


def _parse(text: str, start: str, origin: Origin, cached: bool, tokens: list[Token] | None = None) -> Any:
    key = cache.key("tree", start, text, rooms=cache.LANGUAGE) if cached else ""
    if (packed := cache.read(key, _PACKED)) is not None:
        return unpack(packed, origin)
    _check_depth(text, origin)
    from rulespec.syntax.tree import build  # lazily: importing Lark takes longer than reading the cache

    tree = build(text, start, origin, tokens)
    _check_tree(tree)
    if key:
        cache.write(key, pack(tree, origin))
    return tree


_MARK = re.compile(r'"[^"\n]*"?|#[^\n]*|[()\[\]{}\t]')
"""Brackets and tabs, and the strings and comments that may contain them."""


def _check_depth(text: str, origin: Origin) -> None:
    """Rejects brackets that are nested too deeply for the recursive passes, before parsing."""
    depth = 0
    for mark in _MARK.finditer(text):
        if mark[0] in ("(", "[", "{"):
            depth += 1
        elif mark[0] in (")", "]", "}"):
            depth = max(0, depth - 1)
        elif mark[0] == "\t":
            raise failure("RS133", "a rules file cannot contain tabs", _place(mark, origin), "use spaces")
        if depth > MAX_DEPTH:
            raise failure("RS135", f"brackets are nested deeper than {MAX_DEPTH}", _place(mark, origin))


def _place(mark: re.Match[str], origin: Origin) -> Span:
    line = mark.string.count("\n", 0, mark.start()) + 1
    column = mark.start() - mark.string.rfind("\n", 0, mark.start())
    return origin.at(line, column, line, column + 1)


def _children(node: Any) -> Iterable[Any]:
    parts = node if type(node) is tuple else astuple(node)
    return [part for part in parts if type(part) is tuple or type(part) in ast.NODES]


def _check_tree(root: Any) -> None:
    """Rejects trees that are too deep for the recursive passes; long chains of operators nest without brackets."""
    level = [root]
    depth = 0
    while level:
        depth += 1
        following: list[Any] = []
        for node in level:
            following.extend(_children(node))
        if depth > MAX_LEVELS:
            span = next((n.span for n in level if hasattr(n, "span")), None)
            hint = "split it with `let`, or move a part into a definition"
            raise failure("RS135", "this expression or block is nested too deep", span, hint)
        level = following


_NAME = "[A-Za-z][A-Za-z0-9_]*"
_CHAIN = re.compile(rf"{_NAME}(?:\.{_NAME}){{0,2}}")
_AMOUNT = re.compile(rf"([0-9]{{1,15}})(?: ({_NAME}))?")
_TYPE = re.compile(rf"(set )?({_NAME})(\?)?")


def simple_expr(text: str, origin: Origin) -> ast.Expr | None:
    """The tree of a chain of names, or of an amount; None for any other expression."""
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
