"""Parser from text to syntax tree: rules files, and single expressions and types in YAML scalars."""

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
from rulespec.syntax.origin import Origin
from rulespec.syntax.simple import simple_expr, simple_type

if TYPE_CHECKING:
    from lark import Token

MAX_DEPTH = 60
"""Maximum nesting depth of brackets, blocks and operators, as later passes recurse over the tree."""
MAX_LEVELS = 180
"""Maximum depth of a tree, as later passes recurse over it; long chains of operators nest without brackets."""
_PACKED = msgspec.json.Decoder(PackedTree)


def parse_rules(text: str, file: str, line: int = 1, *, cached: bool = False) -> tuple[ast.Item, ...]:
    """Parses a .rules file, or a part of one that starts at `line`.

    With `cached` the tree is cached on disk, which pays off for files read by many runs.

    Raises:
        DiagnosticsError: RS131 … RS135, with the place of the first syntax error.
    """
    tree: tuple[ast.Item, ...] = _parse(text.replace("\r\n", "\n") + "\n", "rules", Origin(file, line), cached)
    return tree


def parse_with_tokens(text: str, file: str) -> tuple[tuple[ast.Item, ...], list[Token]]:
    """Parses a .rules file; returns its tree, and Lark's tokens including those for lines and blocks."""
    tokens: list[Token] = []
    tree: tuple[ast.Item, ...] = _parse(text + "\n", "rules", Origin(file), False, tokens)
    return tree, tokens


def parse_expr(text: str, file: str, line: int = 1, column: int = 1, *, cached: bool = False) -> ast.Expr:
    """Parses an expression at the given place of a file; `cached` as for rules."""
    text, origin = text.strip(), Origin(file, line, column)
    tree: ast.Expr = simple_expr(text, origin) or _parse(text, "expr", origin, cached)
    return tree


def parse_type(text: str, file: str, line: int = 1, column: int = 1, *, cached: bool = False) -> ast.TypeRef:
    """Parses a type such as `money`, `region?`, `set region` or `int 0..6`; `cached` as for rules."""
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
