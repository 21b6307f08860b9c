"""Lark's tree of a text, and the syntax tree made of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from lark import Lark, Token, Transformer_NonRecursive, UnexpectedInput, v_args
from lark.exceptions import VisitError
from lark.indenter import DedentError
from lark.tree import Meta

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.syntax import ast
from rulespec.syntax.indentation import Blocks
from rulespec.syntax.origin import Origin
from rulespec.syntax.parse_table import parser
from rulespec.syntax.syntax_errors import syntax_error

MAX_DIGITS = 15


@v_args(meta=True)
class _Builder(Transformer_NonRecursive):  # type: ignore[type-arg]
    """Turns Lark's tree of a text that begins at `origin` into `ast` nodes, bottom-up and without recursion."""

    origin: Origin

    def __init__(self) -> None:
        super().__init__()
        for name, method in vars(_Builder).items():
            if hasattr(method, "visit_wrapper"):  # Lark wraps a method each time it is asked for: here once for all
                setattr(self, name, getattr(self, name))

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
            raise failure("RS134", f"a number has at most {MAX_DIGITS} digits", self.origin.span(token))
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


@cache
def _lark() -> tuple[Lark, Blocks, _Builder]:
    blocks = Blocks()
    return parser(blocks), blocks, _Builder()


def build(text: str, start: str, origin: Origin, tokens: list[Token] | None = None) -> Any:
    """The syntax tree of a text that begins with the rule `start` of the grammar; errors as those of `parse_rules`.

    `tokens` takes the tokens.
    """
    lark, blocks, builder = _lark()
    blocks.seen = tokens
    builder.origin = origin
    try:
        return builder.transform(lark.parse(text, start=start))
    except (UnexpectedInput, DedentError) as error:
        raise syntax_error(error, text, origin) from None
    except VisitError as error:
        if isinstance(error.orig_exc, DiagnosticsError):
            raise error.orig_exc from None
        raise
