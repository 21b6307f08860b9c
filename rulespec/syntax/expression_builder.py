"""Syntax trees of names, types and expressions, made of Lark's tree."""

# ruff: noqa: D102 - a method has the name of its grammar rule, and a docstring would only repeat it

from __future__ import annotations

from typing import Any

from lark import Token, Transformer_NonRecursive, v_args
from lark.tree import Meta
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import failure
from rulespec.syntax import ast
from rulespec.syntax.origin import Origin

MAX_DIGITS = 15
"""Of a number in rules."""


@v_args(meta=True)
class ExpressionBuilder(Transformer_NonRecursive):  # type: ignore[type-arg]
    """Turns Lark's tree of a text that begins at `origin` into `ast` nodes, bottom-up and without recursion.

    One method for each rule of the grammar, named like it: here those of names, types and expressions.
    """

    origin: Origin

    def __init__(self) -> None:
        super().__init__()
        for name, method in [each for cls in type(self).__mro__ for each in vars(cls).items()]:
            if hasattr(method, "visit_wrapper"):  # Lark wraps a method at each access: here once
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
        name = ast.Name(str(c[0]), self.origin.span(c[0]))
        return ast.TypeRef("optional", name, 0, 0, self.origin.span(meta))

    def type_set(self, meta: Meta, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("set", c[0], 0, 0, self.origin.span(meta))

    def type_range(self, meta: Meta, c: list[Any]) -> ast.TypeRef:
        name = ast.Name(str(c[0]), self.origin.span(c[0]))
        return ast.TypeRef("range", name, c[1], c[2], self.origin.span(meta))

    def type_optional_range(self, meta: Meta, c: list[Any]) -> ast.TypeRef:
        name = ast.Name(str(c[0]), self.origin.span(c[0]))
        return ast.TypeRef("optional range", name, c[1], c[2], self.origin.span(meta))

    def bound(self, meta: Meta, c: list[Any]) -> int:
        return self._int(c[0])

    def bound_below(self, meta: Meta, c: list[Any]) -> int:
        return -self._int(c[0])

    def type_order(self, meta: Meta, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("order", c[1], 0, 0, self.origin.span(meta))

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

    def first_set(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(self.origin.span(meta), ast.Name("first", self.origin.span(meta)), (c[0],))

    def the_set(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(self.origin.span(meta), ast.Name("the", self.origin.span(c[0])), (c[1],))

    def the_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "the", c[1])

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

    def once(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Once(self.origin.span(meta), c[0], c[1], c[2] or ())

    def told(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Told(self.origin.span(meta), c[1], self._text(c[2], meta))

    def empty_set(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.SetLiteral(self.origin.span(meta), ())

    def set_literal(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.SetLiteral(self.origin.span(meta), c[0])

    def binder(self, meta: Meta, c: list[Any]) -> ast.Binder:
        name, source, order, start, where = c
        return ast.Binder(name, source, order or "", start, where, self.origin.span(meta))

    def binders(self, meta: Meta, c: list[Any]) -> tuple[ast.Binder, ...]:
        return tuple(c)

    def order(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    def _each(
        self, meta: Meta, op: str, binder: ast.Binder, body: Any = None, default: ast.Expr | None = None
    ) -> ast.Expr:
        return ast.Each(self.origin.span(meta), op, binder, body, default)

    def _nested(
        self, meta: Meta, op: str, binders: tuple[ast.Binder, ...], body: Any = None, around: str = ""
    ) -> ast.Each:
        """An operator over several binders: one in the other, the outer ones with the operator `around`."""
        span = self.origin.span(meta)
        *outer, last = binders
        for binder in reversed(outer):
            body = ast.Each(last.span.to(span), op, last, body, None)
            op, last = around or op, binder
        return ast.Each(span, op, last, body, None)

    def set_filter(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "set", c[0])

    def set_map(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._nested(meta, "set", c[1], c[0], around="union")

    def by_keys(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "order", self.keyed(c[0], c[1]))

    def in_order(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.InOrder(self.origin.span(meta), c[0] or ())

    def count_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._nested(meta, "count", c[0], around="sum")

    def sum_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._nested(meta, "sum", c[1], c[0])

    def union_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._nested(meta, "union", c[1], c[0])

    def minmax_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        found = self._nested(meta, str(c[0]), c[2], c[1])
        return replace(found, default=c[3])

    def any_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._any(meta, c[0])

    def all_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._nested(meta, "all", c[0], c[1])

    def _any(self, meta: Meta, binders: tuple[ast.Binder, ...]) -> ast.Expr:
        """`any` over several binders: those for whom there is one of the next."""
        span = self.origin.span(meta)
        *outer, last = binders
        for binder in reversed(outer):
            found = ast.Each(last.span.to(span), "any", last, None, None)
            where = found if binder.where is None else ast.Binary(span, "and", binder.where, found)
            last = replace(binder, where=where)
        return ast.Each(span, "any", last, None, None)

    def keyed(self, binder: ast.Binder, keys: tuple[ast.Expr, ...] | None) -> ast.Binder:
        """A binder with the keys behind it, if there are any."""
        return replace(binder, keys=keys, span=binder.span.to(keys[-1].span)) if keys else binder

    def first_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "first", self.keyed(c[0], c[1]))

    def best_each(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return self._each(meta, "best", self.keyed(c[1], c[2]))

    def reach(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Reach(self.origin.span(meta), c[0], c[1], c[2])

    def reach_within(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Ways(self.origin.span(meta), "reach", c[0], c[1], c[2], c[3], c[4], None)

    def cheapest(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Ways(self.origin.span(meta), "cheapest", c[1], c[2], c[3], c[4], c[5], c[6])

    def ray(self, meta: Meta, c: list[Any]) -> ast.Expr:
        return ast.Ray(self.origin.span(meta), c[1], c[2], c[3])
