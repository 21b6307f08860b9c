"""Text to syntax tree: .rules files, and single expressions and types written in YAML scalars."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, ClassVar

from lark import Lark, Token, Transformer_NonRecursive, UnexpectedInput, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError
from lark.indenter import DedentError, Indenter
from lark.tree import Meta

from rulespec import ast
from rulespec.diagnostics import Diagnostic, Label, RulespecError, Severity, Span, did_you_mean
from rulespec.parse_table import parser

MAX_DEPTH = 60
"""Deepest nesting of brackets, blocks and operators; later passes recurse over the tree."""
MAX_DIGITS = 15

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


class Blocks(Indenter):
    """Turns the indentation of lines into blocks."""

    NL_type = "_NL"
    OPEN_PAREN_types: ClassVar[list[str]] = ["LPAR", "LSQB", "LBRACE"]
    CLOSE_PAREN_types: ClassVar[list[str]] = ["RPAR", "RSQB", "RBRACE"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8


@cache
def _lark() -> Lark:
    return parser(Blocks())


class _Origin:
    """Where a text begins: rules files at 1:1, YAML scalars wherever they stand."""

    def __init__(self, file: str, line: int = 1, column: int = 1) -> None:
        self.file = file
        self.line = line
        self.column = column

    def span(self, meta: Meta | Token) -> Span:
        if getattr(meta, "line", None) is None:  # an empty rule has no position
            return Span(self.file, self.line, self.column, self.line, self.column + 1)
        end_line = meta.end_line or meta.line
        end_column = meta.end_column or meta.column
        assert meta.line is not None and meta.column is not None and end_line is not None and end_column is not None
        return self.at(meta.line, meta.column, end_line, end_column)

    def at(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        first = self.column - 1
        return Span(
            self.file,
            line + self.line - 1,
            column + (first if line == 1 else 0),
            end_line + self.line - 1,
            end_column + (first if end_line == 1 else 0),
        )


def _fail(code: str, message: str, span: Span, hint: str = "", notes: tuple[Label, ...] = ()) -> RulespecError:
    return RulespecError((Diagnostic(code, Severity.ERROR, message, span, notes=notes, help=hint),))


@v_args(meta=True)
class _Builder(Transformer_NonRecursive):  # type: ignore[type-arg]
    """Turns Lark's tree into `ast` nodes, bottom-up and without recursion."""

    def __init__(self, origin: _Origin) -> None:
        super().__init__()
        self.origin = origin

    # names and texts
    def name(self, meta: Meta, c: list[Any]) -> ast.Name:
        return ast.Name(str(c[0]), self.origin.span(meta))

    def doc(self, meta: Meta, c: list[Any]) -> ast.Text:
        return ast.Text(" ".join(str(t)[1:-1] for t in c), self.origin.span(meta))

    def _text(self, token: Token | None, meta: Meta) -> ast.Text:
        if token is None:
            return ast.Text("", self.origin.span(meta))
        return ast.Text(str(token)[1:-1], self.origin.span(token))

    def _int(self, token: Token) -> int:
        if len(token) > MAX_DIGITS:
            raise _fail("RS134", f"a number has at most {MAX_DIGITS} digits", self.origin.span(token))
        return int(token)

    # types
    def type_name(self, meta: Meta, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("plain", c[0], 0, 0, self.origin.span(meta))

    def type_optional(self, meta: Meta, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("optional", c[0], 0, 0, self.origin.span(meta))

    def type_set(self, meta: Meta, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("set", c[0], 0, 0, self.origin.span(meta))

    def type_range(self, meta: Meta, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("range", c[0], self._int(c[1]), self._int(c[2]), self.origin.span(meta))

    # expressions
    def number(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Number(self.origin.span(meta), self._int(c[0]), None)

    def unit_number(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Number(self.origin.span(meta), self._int(c[0]), c[1])

    def true(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Truth(self.origin.span(meta), True)

    def false(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Truth(self.origin.span(meta), False)

    def none(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Nothing(self.origin.span(meta))

    def name_ref(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Ref(self.origin.span(meta), c[0].text)

    def attribute(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Attribute(self.origin.span(meta), c[0], c[1])

    def index(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Index(self.origin.span(meta), c[0], c[1])

    def track_call(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.TrackCall(self.origin.span(meta), c[0], c[1], c[2])

    def args(self, meta: Meta, c: list[Any]) -> tuple[ast.Expr, ...]:
        return tuple(c)

    def call(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(self.origin.span(meta), c[0], c[1] or ())

    def minmax(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(self.origin.span(meta), ast.Name(str(c[0]), self.origin.span(c[0])), c[1])

    def next_of(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(self.origin.span(meta), ast.Name("next", self.origin.span(meta)), (c[0],))

    def count_set(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(self.origin.span(meta), ast.Name("count", self.origin.span(meta)), (c[0],))

    def _binary(self, meta: Meta, op: str, left: ast.Expr, right: ast.Expr) -> ast.Expr:
        return ast.Binary(self.origin.span(meta), op, left, right)

    def binary(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._binary(meta, str(c[1]), c[0], c[2])

    compare = binary

    def in_op(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._binary(meta, "in", c[0], c[1])

    def not_in_op(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._binary(meta, "not in", c[0], c[1])

    def union_op(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._binary(meta, "|", c[0], c[1])

    def inter_op(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._binary(meta, "&", c[0], c[1])

    def coalesce(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._binary(meta, "??", c[0], c[1])

    def _chain(self, op: str, meta: Meta, c: list[Any]) -> ast.Expr:
        result: ast.Expr = c[0]
        for right in c[1:]:
            span = Span(
                result.span.file, result.span.line, result.span.column, right.span.end_line, right.span.end_column
            )
            result = ast.Binary(span, op, result, right)
        return result

    def or_expr(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._chain("or", meta, c)

    def and_expr(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._chain("and", meta, c)

    def _unary(self, meta: Meta, op: str, c: list[Any]) -> ast.Expr:
        return ast.Unary(self.origin.span(meta), op, c[0])

    def not_op(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._unary(meta, "not", c)

    def negate(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._unary(meta, "-", c)

    def is_none(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._unary(meta, "is none", c)

    def is_some(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._unary(meta, "is some", c)

    def if_expr(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Choice(self.origin.span(meta), c[1], c[0], c[2])

    def empty_set(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.SetLiteral(self.origin.span(meta), ())

    def set_literal(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.SetLiteral(self.origin.span(meta), c[0])

    def binder(self, meta: Meta, c: list[Any]) -> ast.Binder:
        name, source, order, start, where = c
        return ast.Binder(name, source, order or "", start, where, self.origin.span(meta))

    def order(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    def _each(
        self, meta: Meta, op: str, binder: ast.Binder, body: Any = None, default: ast.Expr | None = None
    ) -> ast.Expr:
        return ast.Each(self.origin.span(meta), op, binder, body, default)

    def set_filter(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "set", c[0])

    def set_map(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "set", c[1], c[0])

    def count_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "count", c[0])

    def sum_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "sum", c[1], c[0])

    def union_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "union", c[1], c[0])

    def minmax_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, str(c[0]), c[2], c[1], c[3])

    def any_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "any", c[0])

    def all_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "all", c[0], c[1])

    def first_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "first", c[0])

    def reach(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Reach(self.origin.span(meta), c[0], c[1], c[2])

    # statements
    def let_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Let(self.origin.span(meta), c[0], c[1])

    def set_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Assign(self.origin.span(meta), c[0], c[1])

    def pay_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Pay(self.origin.span(meta), c[0], c[1], c[2])

    def move_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        amount, pile, source, target = (x for x in c if not isinstance(x, Token))
        return ast.Move(self.origin.span(meta), amount, pile, source, target)

    def call_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.CallStmt(self.origin.span(meta), c[0], c[1] or ())

    def end_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.EndGame(self.origin.span(meta), c[0], c[1])

    def require_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Require(self.origin.span(meta), c[0], self._text(c[1], meta))

    def leave_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "leave")

    def again_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "again")

    def return_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "return")

    def pass_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "pass")

    def block(self, meta: Meta, c: list[Any]) -> tuple[ast.Stmt, ...]:
        return tuple(c)

    def if_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        branches: list[tuple[ast.Expr | None, tuple[ast.Stmt, ...]]] = [(c[0], c[1]), *c[2:-1]]
        if c[-1] is not None:
            branches.append((None, c[-1]))
        return ast.If(self.origin.span(meta), tuple(branches))

    def elif_part(self, meta: Meta, c: list[Any]) -> tuple[ast.Expr, tuple[ast.Stmt, ...]]:
        return (c[0], c[1])

    def match_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Match(self.origin.span(meta), c[0], tuple(c[1:-1]), c[-1])

    def case_part(self, meta: Meta, c: list[Any]) -> tuple[tuple[ast.Expr, ...], tuple[ast.Stmt, ...]]:
        return (tuple(c[:-1]), c[-1])

    def for_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.For(self.origin.span(meta), c[0], c[1])

    def repeat_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Repeat(self.origin.span(meta), c[0], c[1])

    def _doc_and_rest(self, meta: Meta, c: list[Any]) -> tuple[ast.Text, tuple[Any, ...]]:
        """Splits an optional docstring (None where missing, absent in one-line bodies) from what follows it."""
        rest = list(c)
        doc = self._text(None, meta)
        if rest and (rest[0] is None or isinstance(rest[0], ast.Text)):
            head = rest.pop(0)
            doc = head or doc
        return doc, tuple(rest)

    def decide_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        doc, options = self._doc_and_rest(meta, c[2:])
        return ast.Decide(self.origin.span(meta), "decide", c[0], c[1], None, doc, options)

    def together_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        doc, options = self._doc_and_rest(meta, c[2:])
        return ast.Decide(self.origin.span(meta), "together", c[0], None, c[1], doc, options)

    def chance_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        doc, options = self._doc_and_rest(meta, c[1:])
        return ast.Decide(self.origin.span(meta), "chance", c[0], None, None, doc, options)

    def include(self, meta: Meta, c: list[Any]) -> ast.Name:
        name: ast.Name = c[0]
        return name

    def option(self, meta: Meta, c: list[Any]) -> ast.OptionDef:
        name, params, by, weight = c[:4]
        doc, body = self._doc_and_rest(meta, c[4:])
        return ast.OptionDef(name, params or (), by, weight, doc, body, self.origin.span(meta))

    def option_params(self, meta: Meta, c: list[Any]) -> tuple[ast.OptionParam, ...]:
        return tuple(x for x in c if isinstance(x, ast.OptionParam))

    def option_param(self, meta: Meta, c: list[Any]) -> ast.OptionParam:
        return ast.OptionParam(c[0], c[1], c[2], c[3], self._text(c[4], meta))

    # items
    def modifier(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    def params(self, meta: Meta, c: list[Any]) -> tuple[ast.Param, ...]:
        return tuple(x for x in c if isinstance(x, ast.Param))

    def param(self, meta: Meta, c: list[Any]) -> ast.Param:
        return ast.Param(c[0], c[1])

    def def_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        modifier, name, params, result = c[:4]
        doc, rest = self._doc_and_rest(meta, c[4:])
        return ast.Def(modifier or "", name, doc, self.origin.span(meta), params or (), result, rest[:-1], rest[-1])

    def procedure_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        modifier, name, params = c[:3]
        doc, body = self._doc_and_rest(meta, c[3:])
        return ast.Procedure(modifier or "", name, doc, self.origin.span(meta), params or (), body)

    def invariant_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        doc, rest = self._doc_and_rest(meta, c[2:])
        return ast.Invariant(c[0] or "", c[1], doc, self.origin.span(meta), rest[0])

    def scoring_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        doc, rest = self._doc_and_rest(meta, c[3:])
        return ast.Scoring(c[0] or "", c[2], doc, self.origin.span(meta), c[1], rest[0], rest[1:])

    def tiebreak_value(self, meta: Meta, c: list[Any]) -> ast.Tiebreak:
        return ast.Tiebreak(None, None, None, c[0])

    def tiebreak_each(self, meta: Meta, c: list[Any]) -> ast.Tiebreak:
        return ast.Tiebreak(c[0], c[1], c[2], c[3])

    def group_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        doc, options = self._doc_and_rest(meta, c[2:])
        return ast.OptionGroup(c[0] or "", c[1], doc, self.origin.span(meta), options)

    def extend_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        doc, options = self._doc_and_rest(meta, c[1:])
        return ast.Extend("", c[0], doc, self.origin.span(meta), options)

    def remove_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        return ast.Remove("", c[1], self._text(None, meta), self.origin.span(meta), str(c[0]))

    def rules(self, meta: Meta, c: list[Any]) -> tuple[ast.Item, ...]:
        return tuple(c)


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


def _syntax_error(error: Exception, text: str, origin: _Origin) -> RulespecError:
    if isinstance(error, DedentError):
        line, begin = _bad_indent(text)
        return _fail(
            "RS133",
            "this line is indented like no block before it",
            origin.at(line, 1, line, 2),
            "indent every block of the same depth by the same number of spaces",
            (Label(origin.at(begin, 1, begin, 2), "the block before it begins here"),) if begin else (),
        )
    if isinstance(error, UnexpectedCharacters):
        char = text.split("\n")[error.line - 1][error.column - 1 : error.column]
        hint = next((help_ for signs, help_ in _FOREIGN_SIGNS.items() if char in signs), "")
        return _fail(
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
    return _fail("RS131", f"{_shown(token.type, str(token))} cannot stand here", span, hint, notes)


_FOREIGN_SIGNS = {
    '"': 'a text ends on the line it begins on: "…"',
    "\u201c\u201d\u201e\u2018\u2019\u201a«»'`": 'texts stand in straight quotes: "…"',
    "!": "write `not`; unequal is `!=`",
    ";": "a statement ends where its line ends",
}
_COMPARING = frozenset(["==", "!=", "<", "<=", ">", ">="])


def _habit(token: Token, before: list[str], rest: str, expected: set[str]) -> str:
    """The way out for what people write who know another language.

    Args:
        token: what cannot stand there.
        before: the words before it on its line.
        rest: the line from there on.
        expected: the names of the tokens that could stand there.
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
    """The place of the innermost bracket that is open at a place, if it is on a line before."""
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
    """The first line that goes back to an indentation which no block before it has; the first of the block it leaves.

    The second is 0 if there is none.
    """
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


def _check_depth(text: str, origin: _Origin) -> None:
    """Refuses nesting that would overflow the recursive passes, before anything is built."""
    depth = 0
    quoted = comment = False
    line, column = 1, 0
    for char in text:
        column += 1
        if char == "\n":
            line, column, quoted, comment = line + 1, 0, False, False
            continue
        if comment:
            continue
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char == "#":
            comment = True
        elif char == "\t":
            raise _fail(
                "RS133", "a tab cannot stand in a rules file", origin.at(line, column, line, column + 1), "use spaces"
            )
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth = max(0, depth - 1)
        if depth > MAX_DEPTH:
            raise _fail("RS135", f"brackets nest deeper than {MAX_DEPTH}", origin.at(line, column, line, column + 1))


def _children(node: Any) -> list[Any]:
    if isinstance(node, tuple):
        return list(node)
    if hasattr(node, "__slots__") or hasattr(node, "__dataclass_fields__"):
        return [getattr(node, f) for f in node.__dataclass_fields__ if f not in ("span", "text")]
    return []


def _check_tree(root: Any) -> None:
    """Bounds the depth of the finished tree (long operator chains nest without any bracket)."""
    level = [root]
    depth = 0
    limit = 3 * MAX_DEPTH
    while level:
        depth += 1
        following: list[Any] = []
        for node in level:
            following.extend(c for c in _children(node) if isinstance(c, tuple) or hasattr(c, "__dataclass_fields__"))
        if depth > limit:
            span = next((n.span for n in level if hasattr(n, "span")), None)
            raise RulespecError(
                (
                    Diagnostic(
                        "RS135",
                        Severity.ERROR,
                        "this expression or block nests too deep",
                        span,
                        help="split it with `let`, or move a part into a definition",
                    ),
                )
            )
        level = following


def _parse(text: str, start: str, origin: _Origin) -> Any:
    _check_depth(text, origin)
    try:
        tree = _lark().parse(text, start=start)
        result = _Builder(origin).transform(tree)
    except (UnexpectedInput, DedentError) as error:
        raise _syntax_error(error, text, origin) from None
    except VisitError as error:
        if isinstance(error.orig_exc, RulespecError):
            raise error.orig_exc from None
        raise
    _check_tree(result)
    return result


def parse_rules(text: str, file: str) -> tuple[ast.Item, ...]:
    """Parses a .rules file; raises RulespecError with the place of the first syntax error (RS131 … RS135)."""
    result: tuple[ast.Item, ...] = _parse(text.replace("\r\n", "\n") + "\n", "rules", _Origin(file))
    return result


def parse_expr(text: str, file: str, line: int = 1, column: int = 1) -> ast.Expr:
    """Parses one expression that begins at the given place of a file."""
    result: ast.Expr = _parse(text.strip(), "expr", _Origin(file, line, column))
    return result


def parse_type(text: str, file: str, line: int = 1, column: int = 1) -> ast.TypeRef:
    """Parses one type, such as `money`, `region?`, `set region` or `int 0..6`."""
    result: ast.TypeRef = _parse(text.strip(), "type", _Origin(file, line, column))
    return result
