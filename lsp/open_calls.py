"""The call around a position, with the parameters of its target."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rulespec.language.builtins import BUILTINS, Builtin
from rulespec.lsp.describe import explanation, signature
from rulespec.lsp.index import NameIndex
from rulespec.records import Brief
from rulespec.syntax import ast
from rulespec.typed import nodes as typed

_LIMIT = 4_000  # characters before the position that are read
_TOKEN = re.compile(r'"[^"]*(?:"|$)|#[^\n]*|(?P<mark>[()\[\]{},])')
_NAMED = re.compile(r"(?<![.\w])[a-z]\w*(?= *\()")
_CALLED = re.compile(r"\b[A-Za-z]\w*$")


@dataclass(frozen=True, slots=True, repr=False)
class OpenCall(Brief):
    """An unfinished call.

    Attributes:
        label: the name and parameters of the called procedure or definition, on one line.
        params: each parameter, as it appears in the label.
        doc: its docstring.
        active: the index of the parameter at the position, from 0.
    """

    label: str
    params: tuple[str, ...]
    doc: str
    active: int


def call_around(before: str, index: NameIndex) -> OpenCall | None:
    """The innermost unfinished call or option head at a position in a rules file.

    Args:
        before: the text of the document up to the position.
        index: the last valid state of the ruleset.
    """
    opened: list[tuple[str, int, int]] = []  # each bracket with its position, and the number of commas after it
    text = before[-_LIMIT:]
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if mark in ("(", "[", "{"):
            opened.append((mark, token.start(), 0))
        elif mark == "," and opened:
            bracket, start, commas = opened[-1]
            opened[-1] = (bracket, start, commas + 1)
        elif mark is not None and opened:
            opened.pop()
    for bracket, start, commas in reversed(opened):
        called = _CALLED.search(text[:start].rstrip()) if bracket == "(" else None
        if called is not None and (call := _call(called[0], commas, index)) is not None:
            return call
    return None


def builtin_at(line: str, column: int) -> tuple[int, int, Builtin] | None:
    """The built-in function called at a column of a rules line, with the columns of its name.

    Columns count from 1; names after a dot or inside a string are ignored.
    """
    code = _TOKEN.sub(lambda token: token[0] if token["mark"] else " " * len(token[0]), line)
    for name in _NAMED.finditer(code):
        if name.start() < column <= name.end() + 1 and name[0] in BUILTINS:
            return name.start() + 1, name.end() + 1, BUILTINS[name[0]]
    return None


def _call(name: str, active: int, index: NameIndex) -> OpenCall | None:
    rules = index.checked.rules
    rule = rules.definitions.get(name) or rules.procedures.get(name) or rules.guards.get(name)
    if rule is not None:
        params = tuple(f"{p.name}: {p.type}" for p in rule.params)
        return OpenCall(signature(rule, index), params, explanation(rule, index), active)
    if name in BUILTINS:
        f = BUILTINS[name]
        return OpenCall(f.signature, f.written, f.help, min(active, len(f.written) - 1) if f.any_number else active)
    option = next((option for _, option in index.options.values() if option.name.text == name), None)
    if option is None:
        return None
    params = tuple(_param(param, index) for param in option.params)
    return OpenCall(f"option {name}({', '.join(params)})", params, option.doc.text, active)


def _param(param: ast.OptionParam, index: NameIndex) -> str:
    named = index.names.get(param.name.span)
    return signature(named, index) if isinstance(named, typed.Var) else param.name.text
