"""Errors of the rules parser as diagnostics: place, cause and fix."""

from __future__ import annotations

import re

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.indenter import DedentError

from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.syntax.origin import Origin

_STATEMENTS = [
    "let",
    "set",
    "pay",
    "move",
    "end",
    "require",
    "leave",
    "again",
    "return",
    "pass",
    "if",
    "elif",
    "else",
    "match",
    "case",
    "for",
    "repeat",
    "decide",
    "chance",
    "option",
    "include",
    "def",
    "procedure",
    "invariant",
    "scoring",
    "options",
    "replace",
    "wrap",
    "remove",
    "score",
    "tiebreak",
]


_SHOWN = {
    "_NL": "the end of the line",
    "_INDENT": "an indented block",
    "_DEDENT": "the end of the block",
    "NAME": "a name",
    "INT": "a number",
    "STRING": "a text in quotes",
    "COLON": "`:`",
    "$END": "the end of the text",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "DOT": "`.`",
    "EQUAL": "`=`",
}


def _shown(token_type: str, token: str) -> str:
    return _SHOWN.get(token_type, f"`{token.strip()[:40]}`")


def syntax_error(error: Exception, text: str, origin: Origin) -> DiagnosticsError:
    """The diagnostic for an error of the parser: RS131 … RS133."""
    if isinstance(error, DedentError):
        line, begin = _bad_indent(text)
        return failure(
            "RS133",
            "this line is indented like no block before it",
            origin.at(line, 1, line, 2),
            "indent every block of the same depth by the same number of spaces",
            (Label(origin.at(begin, 1, begin, 2), "the block before it begins here"),) if begin else (),
        )
    if isinstance(error, UnexpectedCharacters):
        char = text.split("\n")[error.line - 1][error.column - 1 : error.column]
        hint = next((help_ for signs, help_ in _FOREIGN_SIGNS.items() if char in signs), "")
        return failure(
            "RS132",
            f"the character `{char}` cannot stand here",
            origin.at(error.line, error.column, error.line, error.column + 1),
            hint,
        )
    assert isinstance(error, UnexpectedToken)
    token = error.token
    expected = set(error.accepts or error.expected)
    span = origin.span(token) if token.line is not None else origin.at(1, 1, 1, 2)
    if token.type == "_NL":
        span = origin.at(token.line or 1, token.column or 1, token.line or 1, (token.column or 1) + 1)
    hint = ""
    if token.type == "NAME":
        words = [w for w in _STATEMENTS if w.upper() in expected]
        hint = did_you_mean(str(token), words) if words else ""
    before = text.split("\n")[span.line - origin.line][: (token.column or 1) - 1].split()
    if not hint and expected == {"LPAR"} and len(before) == 1:  # a word that is no statement, taken for a call
        hint = did_you_mean(before[0], _STATEMENTS)
    if "COLON" in expected and token.type == "_NL":
        hint = "a head line ends with `:`"
    elif token.type == "_INDENT":
        hint = "this line is indented more than the one before it, which opens no block"
    elif token.type == "EQUAL":
        hint = "compare with `==`; assign with `set … to …`"
    elif not hint and len(expected) <= 6:
        names = sorted(_shown(t, t.lower()) for t in expected if not t.startswith("__"))
        hint = "expected " + " or ".join(names) if names else ""
    if not hint.startswith("did you mean"):
        rest = text.split("\n")[span.line - origin.line][(token.column or 1) - 1 :]
        hint = _habit(token, before, rest, expected) or hint
    open_ = _open_bracket(text, span.line - origin.line + 1, token.column or 1)
    notes = (Label(origin.at(*open_, open_[0], open_[1] + 1), "this bracket is open"),) if open_ else ()
    return failure("RS131", f"{_shown(token.type, str(token))} cannot stand here", span, hint, notes)


_FOREIGN_SIGNS = {
    '"': 'a text ends on the line it begins on: "…"',
    "\u201c\u201d\u201e\u2018\u2019\u201a«»'`": 'texts stand in straight quotes: "…"',
    "!": "write `not`; unequal is `!=`",
    ";": "a statement ends where its line ends",
}
_COMPARING = frozenset(["==", "!=", "<", "<=", ">", ">="])


def _habit(token: Token, before: list[str], rest: str, expected: set[str]) -> str:
    """The hint for a habit from another language; "" if it is none.

    Args:
        token: the token in error.
        before: the words before it on its line.
        rest: the line from the token on.
        expected: the names of the tokens that are allowed there.
    """
    if token == "if" and before[-1:] == ["else"]:
        return "write `elif`"
    if rest.startswith(("//", "/*", "--")):
        return "a comment begins with `#`"
    if token in _COMPARING:
        return "put two comparisons together with `and`"
    if expected == {"LPAR"} and re.match(r"[\w.\[\]]*\s?[-+*/]?=(?!=)", rest):
        return "assign with `set … to …`"
    if token == ":" and before[:1] == ["def"]:
        return "a definition says the type of its value: `-> bool:`"
    return ""


def _open_bracket(text: str, line: int, column: int) -> tuple[int, int] | None:
    """The place of the innermost open bracket at a place, if it is on an earlier line."""
    opened: list[tuple[int, int]] = []
    for number, content in enumerate(text.split("\n")[:line], 1):
        end = column - 1 if number == line else len(content)
        for found in _BRACKET.finditer(content, 0, end):
            if found.group() in ("(", "[", "{"):
                opened.append((number, found.start() + 1))
            elif found.group() in (")", "]", "}") and opened:
                opened.pop()
    return opened[-1] if opened and opened[-1][0] < line else None


_BRACKET = re.compile(r'"[^"]*"|#.*|[()\[\]{}]')


def _bad_indent(text: str) -> tuple[int, int]:
    """The first line with an indentation of no block before it; the first line of the block it leaves, or 0."""
    stack = [0]
    first = [0]
    begin = 0
    brackets = 0
    for number, line in enumerate(text.split("\n"), 1):
        body = re.sub(r'"[^"]*"|#.*', "", line)
        if brackets == 0 and body.strip():
            width = len(line) - len(line.lstrip(" "))
            if width > stack[-1]:
                stack.append(width)
                first.append(number)
            while width < stack[-1]:
                stack.pop()
                begin = first.pop()
            if width != stack[-1]:
                return number, begin
        brackets += sum(body.count(c) for c in "([{") - sum(body.count(c) for c in ")]}")
    return 1, 0
