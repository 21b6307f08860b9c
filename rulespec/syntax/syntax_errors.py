"""Parser errors in rules as diagnostics: place, cause and fix."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.indenter import DedentError

from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.syntax.habits import habit
from rulespec.syntax.origin import Origin

_STATEMENTS = [
    "let",
    "set",
    "pay",
    "move",
    "end",
    "require",
    "cost",
    "needs",
    "leave",
    "ask",
    "continue",
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
    "with",
    "when",
    "otherwise",
    "def",
    "procedure",
    "guard",
    "invariant",
    "scoring",
    "options",
    "replace",
    "wrap",
    "hook",
    "remove",
    "score",
    "tiebreak",
]
_ALONE = ("leave", "continue", "return", "pass")


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


_EXPECTED = {
    **_SHOWN,
    "QMARK": "`?`",
    "VBAR": "`|`",
    "AMPERSAND": "`&`",
    "MINUS": "`-`",
    "SIGN": "`+`",
    "MUL": "`*`",
    "COMPARE": "`==`",
    "MINMAX": "`min` or `max`",
    "PATH_OF": "`path`",
    "REMOVABLE": "`def` or `guard` or `invariant` or `options` or `procedure` or `scoring`",
    "_CASES": "`match`",
    "_CHAIN": "`?.`",
    "__ANON_0": "`->`",
    "__ANON_1": "`..`",
    "__ANON_2": "`??`",
}
"""Display names of terminals in "expected …"; any other terminal is shown as the word of its name."""


def _shown(token: Token) -> str:
    return _SHOWN.get(token.type, f"`{token.strip()[:40]}`")


_CONTINUES = re.compile(r" *(?:(?:and|or|in|not in|is|else|if .* else)\b|\?\?|[-+*/%|&<>=!])")
"""A line that continues an expression."""


def expected_as_text(terminals: Iterable[str]) -> str:
    """Terminals of the grammar in terms that authors know, such as "`:` or `by`"."""
    return " or ".join(sorted(_EXPECTED.get(t, f"`{t.lower()}`") for t in terminals))


def syntax_error(error: Exception, text: str, origin: Origin) -> DiagnosticsError:
    """The diagnostic for a parser error: RS131 … RS133."""
    if isinstance(error, DedentError):
        line, begin = _bad_indent(text)
        return failure(
            "RS133",
            "the indentation of this line matches no block before it",
            origin.at(line, 1, line, 2),
            "indent every block of the same depth by the same number of spaces",
            (Label(origin.at(begin, 1, begin, 2), "the block before it begins here"),) if begin else (),
        )
    lines = text.split("\n")
    if isinstance(error, UnexpectedCharacters):
        char = lines[error.line - 1][error.column - 1 : error.column]
        sign = next((help_ for signs, help_ in _FOREIGN_SIGNS.items() if char in signs), "")
        return failure(
            "RS132",
            f"the character `{char}` is not allowed here",
            origin.at(error.line, error.column, error.line, error.column + 1),
            habit(lines, error.line, error.column) or sign,
        )
    assert isinstance(error, UnexpectedToken)
    token = error.token
    line, column = token.line or 1, token.column or 1
    span = origin.span(token) if token.line is not None else origin.at(1, 1, 1, 2)
    if token.type == "_NL":
        span = origin.at(line, column, line, column + 1)
    expected = set(error.accepts or error.expected)
    hint = _way_out(token, expected, lines, line, column)
    open_ = _open_bracket(text, line, column)
    notes = (Label(origin.at(*open_, open_[0], open_[1] + 1), "this bracket is not closed"),) if open_ else ()
    return failure("RS131", f"{_shown(token)} is not allowed here", span, hint, notes)


def _way_out(token: Token, expected: set[str], lines: list[str], line: int, column: int) -> str:
    """The help for an unexpected token."""
    written = lines[line - 1]
    before = written[: column - 1].split()
    if token.type in ("_INDENT", "_NL") and _CONTINUES.match(next((text for text in lines[line:] if text.strip()), "")):
        return "put the whole expression in brackets, so that it may continue on the next line"
    if token.type == "_INDENT":
        return "indent this line like the one before it, which opens no block"
    if token.type == "_NL" and "COLON" in expected:
        return "end the head of the block with `:`"
    if "OPTION" in expected and token.type in _BEFORE_OPTIONS:
        return "move it before the decision, or into the body of an option: only options are allowed here"
    if known := habit(lines, line, column):
        return known
    if token.type == "_DEDENT" and "PASS" in expected:
        return "add statements below the docstring, or `pass`"
    if "IN" in expected and _ANY_OF.search(written[: column - 1]):
        return "name the member: `any(x in s)`"
    hint = ""
    called = expected == {"LPAR"} and len(before) == 1  # an unknown word at the start of a statement, parsed as a call
    if token.type == "NAME":
        words = [w for w in _STATEMENTS if w.upper() in expected]
        hint = did_you_mean(str(token), words) if words else ""
    if not hint and called:
        hint = did_you_mean(before[0], [w for w in _STATEMENTS if (w in _ALONE) == (token.type == "_NL")])
        hint = hint or f"call a procedure with brackets: `{before[0]}(…)`"
    if not hint and token.type == "EQUAL":
        hint = "compare with `==`, or assign with `set … to …`"
    if not hint and 0 < len(expected) <= 6:
        hint = "expected " + expected_as_text(expected)
    return hint


_BEFORE_OPTIONS = frozenset(["LET", "SET", "PAY", "MOVE", "IF", "MATCH", "REPEAT", "ROLL", "CHOOSE"])
"""The statements that people write between the head of a decision and its options."""

_ANY_OF = re.compile(r"\bany\( *\w+ *$")
"""`any(` followed by a set."""

_FOREIGN_SIGNS = {
    '"': 'close the text on the line where it begins: "…"',
    "\u201c\u201d\u201e\u2018\u2019\u201a«»'`": 'use straight quotes: "…"',
    "!": "write `not`, or `!=` for unequal",
    ";": "write each statement on a separate line",
}


def _open_bracket(text: str, line: int, column: int) -> tuple[int, int] | None:
    """The place of the innermost open bracket, if on an earlier line."""
    opened: list[tuple[int, int]] = []
    for number, content in enumerate(text.split("\n")[:line], 1):
        end = column - 1 if number == line else len(content)
        for result in _BRACKET.finditer(content, 0, end):
            if result.group() in ("(", "[", "{"):
                opened.append((number, result.start() + 1))
            elif result.group() in (")", "]", "}") and opened:
                opened.pop()
    return opened[-1] if opened and opened[-1][0] < line else None


_BRACKET = re.compile(r'"[^"]*"|#.*|[()\[\]{}]')


def _bad_indent(text: str) -> tuple[int, int]:
    """The first line whose indentation matches no open block, and the first line of the block that it ends, or 0."""
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
