"""Formatter of rules files: changes spaces, blank lines and indentation, but not tokens or line breaks.

Aligned reasons and comments stay aligned.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby

from lark import Token

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import failure
from rulespec.syntax.choice_nodes import same
from rulespec.syntax.parser import parse_with_tokens

INDENT = 4
REASON_GAP = 4  # spaces between the longest condition of a block and the reasons
LONG_CONDITION = 60  # a longer one does not move the column of its block: its reason follows after one space
COMMENT_GAP = 2
MAX_GAP = 24  # a wider gap is an accident, not a column

_OPEN = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_CLOSE = set(_OPEN.values())
_CALLED = {
    *("NAME", "MINMAX", "COUNT", "SUM", "UNION", "ANY", "ALL", "FIRST", "BEST", "CHEAPEST"),
    *("LONGEST", "PATH", "RAY", "REACH", "THE", "TOLD", "TRAIL"),
}
_BLOCKS = {"_NL", "_INDENT", "_DEDENT"}


def format_rules(text: str, file: str) -> str:
    """Formats a rules file in the standard layout.

    Args:
        text: the content of the file.
        file: its name in diagnostics.

    Raises:
        DiagnosticsError: RS131 … RS135 if it is invalid; RS136 if the result would have a different tree.
    """
    text = text.replace("\r\n", "\n")
    before, tokens = parse_with_tokens(text, file)
    lines = _lines(text, tokens)
    _indent(lines)
    _space(lines)
    _align_reasons(lines)
    result = "".join(f"{line}\n" for line in _separate(lines))
    if result == text:
        return result
    comments = [line.comment for line in lines if line.comment]
    after, tokens = parse_with_tokens(result, file)
    if not same(before, after) or comments != [line.comment for line in _lines(result, tokens) if line.comment]:
        message = "formatting would change the meaning of this file, so it stays as it is"
        raise failure("RS136", message, Span(file, 1, 1, 1, 2))
    return result


@dataclass(slots=True)
class _Line:
    """One line of the file: its content, position and layout.

    `level` is its block depth, `column` the original column of its first token. `opener` is the line with the innermost
    open bracket; for a line that closes brackets, the line that opened the last of them. `indent` and `code` are the
    new layout.
    """

    tokens: list[Token] = field(default_factory=list)
    comment: str = ""
    comment_column: int = 0
    level: int = 0
    column: int = 0
    opener: _Line | None = None
    indent: int = 0
    code: str = ""

    @property
    def is_item(self) -> bool:
        """Whether a top-level item starts on this line."""
        return bool(self.tokens) and self.level == 0 and self.opener is None


def _lines(text: str, tokens: list[Token]) -> list[_Line]:
    """The lines of a valid file, with their tokens, comments, blocks and brackets."""
    lines = [_Line() for _ in range(text.count("\n") + 1)]
    level = 0
    brackets: list[_Line] = []
    for token in tokens:
        if token.type in _BLOCKS:
            level += (token.type == "_INDENT") - (token.type == "_DEDENT")
            continue
        assert token.line is not None and token.column is not None
        line = lines[token.line - 1]
        if not line.tokens:
            line.level, line.column = level, token.column - 1
        line.tokens.append(token)
        if brackets and (len(line.tokens) == 1 or all(t.type in _CLOSE for t in line.tokens)):
            line.opener = brackets[-1]
        if token.type in _OPEN:
            brackets.append(line)
        elif token.type in _CLOSE:
            brackets.pop()
    for line, written in zip(lines, text.split("\n"), strict=True):
        end = (line.tokens[-1].end_column or 1) - 1 if line.tokens else 0
        line.comment = written[end:].strip(" ")
        line.comment_column = len(written) - len(written[end:].lstrip(" "))
    return lines


def _indent(lines: list[_Line]) -> None:
    """Indents code by its block or bracket, and comments by their original block."""
    columns = [0]  # of the blocks around the last line of code
    for line, following in zip(lines, _following(lines), strict=True):
        if line.opener is not None:
            line.indent = line.opener.indent + (0 if line.tokens[0].type in _CLOSE else INDENT)
        elif line.tokens:
            line.indent = INDENT * line.level
            columns[line.level :] = [line.column]
        elif line.comment:
            if following is not None and following.opener is not None:
                line.level, line.indent = len(columns), following.opener.indent + INDENT
            else:
                line.level = _comment_level(line, columns, following.level if following is not None else 0)
                line.indent = INDENT * line.level


def _following(lines: list[_Line]) -> list[_Line | None]:
    """The next line with code after each line."""
    result: list[_Line | None] = []
    last = None
    for line in reversed(lines):
        result.append(last)
        last = line if line.tokens else last
    return result[::-1]


def _comment_level(line: _Line, columns: list[int], following: int) -> int:
    """The block depth of a comment between two lines of code."""
    if following >= len(columns):
        return following
    fitting = [level for level in range(following, len(columns)) if columns[level] <= line.comment_column]
    return fitting[-1] if fitting else following


def _space(lines: list[_Line]) -> None:
    for line in lines:
        parts: list[str] = []
        for position, token in enumerate(line.tokens):
            if position and _blank(line.tokens, position):
                parts.append(" ")
            parts.append(str(token))
        line.code = "".join(parts)


def _blank(tokens: list[Token], position: int) -> bool:
    """Whether a space precedes a token within a line."""
    before, token = tokens[position - 1], tokens[position]
    if before.type in _OPEN or before.type in ("DOT", "MINUS", "_CHAIN"):
        return False
    if token.type in _CLOSE or token.type in ("COMMA", "COLON", "DOT", "QMARK", "_CHAIN"):
        return False
    if token.type == "LSQB":  # an index, unless it starts an order, `to [a, b]`
        return before.type not in ("NAME", "RPAR", "RSQB")
    if token.type == "LPAR":
        return before.type not in _CALLED
    if ".." in (token, before):  # spaces only in ranges of options, `in 0 .. n`, not in types, `int 0..6`
        types = [each.type for each in tokens[: position if token == ".." else position - 1] if each.type != "MINUS"]
        return not (types[-1:] == ["INT"] and types[-2:-1] in (["NAME"], ["QMARK"]))
    return True


def _align_reasons(lines: list[_Line]) -> None:
    """Aligns the reasons of consecutive `require` and `cost` lines, unless already aligned."""
    for requires, block in groupby(lines, key=_has_reason):
        if requires:
            _align(list(block))


def _has_reason(line: _Line) -> bool:
    tokens = line.tokens
    return (
        bool(tokens) and tokens[0].type in ("REQUIRE", "COST") and line.opener is None and tokens[-1].type == "STRING"
    )


def _align(block: list[_Line]) -> None:
    reasons = [str(line.tokens[-1]) for line in block]
    widths = [len(line.code) - len(reason) - 1 for line, reason in zip(block, reasons, strict=True)]
    results = [(line.tokens[-1].column or 1) - 1 - line.column for line in block]
    short = [w for w in widths if w <= LONG_CONDITION]
    column = _column(widths, results)
    if column is None:
        column = max(short) + (REASON_GAP if len(block) > 1 else 1) if short else 0
    for line, width, reason in zip(block, widths, reasons, strict=True):
        line.code = line.code[:width].ljust(max(width + 1, column)) + reason


def _column(widths: list[int], columns: list[int]) -> int | None:
    """The common column of the reasons in a block; None if there is none, or it is too far to the right."""
    column = min(Counter(columns).most_common(), key=lambda c: (-c[1], c[0]))[0]
    ahead = [w for w in widths if w < column]
    if not ahead or column - max(ahead) > MAX_GAP:
        return None
    fits = all(
        (at == column and width < column) or (at == width + 1 and width >= column - 1 and width > LONG_CONDITION)
        for width, at in zip(widths, columns, strict=True)
    )
    return column if fits else None


def _separate(lines: list[_Line]) -> list[str]:
    """The lines as text: one blank line between items, none between an item and its comments, never two in a row."""
    result: list[str] = []
    removes = False  # whether the previous line removes a rule: such lines may be adjacent
    own_comments = 0  # top-level comments without a blank line at the end of `result`
    for line in lines:
        if not line.tokens and not line.comment:
            if result and result[-1]:
                result.append("")
            own_comments = 0
            continue
        if line.is_item and not (removes and line.tokens[0].type == "REMOVE"):
            at = len(result) - own_comments
            if at and result[at - 1]:
                result.insert(at, "")
        removes = line.is_item and line.tokens[0].type == "REMOVE"
        own_comments = own_comments + 1 if not line.tokens and line.level == 0 else 0
        result.append(" " * line.indent + line.code + _trailing(line))
    while result and not result[-1]:
        result.pop()
    return result


def _trailing(line: _Line) -> str:
    """The comment of a line, with the spaces before it."""
    if not line.tokens or not line.comment:
        return line.comment
    gap = line.comment_column - (line.tokens[-1].end_column or 1) + 1
    return " " * (gap if COMMENT_GAP <= gap <= MAX_GAP else COMMENT_GAP) + line.comment
