"""The builder of syntax trees for names, types and expressions."""

# ruff: noqa: D102 - a method has the name of its grammar rule, and a docstring would only repeat it

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import failure
from rulespec.syntax import ast
from rulespec.syntax.automaton import Token
from rulespec.syntax.origin import Origin

MAX_DIGITS = 15
"""Maximum number of digits of a number in rules."""


class ExpressionBuilder:
    """A builder of `ast` nodes for a text that starts at `origin`.

    It has a method for each grammar rule for names, types and expressions; the method is called with the place of a
    node and its children.
    """

    origin: Origin

    # names and texts
    def name(self, span: Span, c: list[Any]) -> ast.Name:
        return ast.Name(str(c[0]), span)

    def doc(self, span: Span, c: list[Any]) -> ast.Text:
        return ast.Text(" ".join(str(t)[1:-1] for t in c), span)

    def _text(self, token: Token | None, span: Span) -> ast.Text:
        if token is None:
            return ast.Text("", span)
        return ast.Text(str(token)[1:-1], self.origin.at(*token.place))

    def _int(self, token: Token) -> int:
        if len(token) > MAX_DIGITS:
            raise failure("RS134", f"a number has at most {MAX_DIGITS} digits", self.origin.at(*token.place))
        return int(token)

    # types
    def type_name(self, span: Span, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("plain", c[0], 0, 0, span)

    def type_optional(self, span: Span, c: list[Any]) -> ast.TypeRef:
        name = ast.Name(str(c[0]), self.origin.at(*c[0].place))
        return ast.TypeRef("optional", name, 0, 0, span)

    def type_set(self, span: Span, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("set", c[0], 0, 0, span)

    def type_range(self, span: Span, c: list[Any]) -> ast.TypeRef:
        name = ast.Name(str(c[0]), self.origin.at(*c[0].place))
        return ast.TypeRef("range", name, c[1], c[2], span)

    def type_optional_range(self, span: Span, c: list[Any]) -> ast.TypeRef:
        name = ast.Name(str(c[0]), self.origin.at(*c[0].place))
        return ast.TypeRef("optional range", name, c[1], c[2], span)

    def bound(self, span: Span, c: list[Any]) -> int:
        return self._int(c[0])

    def bound_below(self, span: Span, c: list[Any]) -> int:
        return -self._int(c[0])

    def type_order(self, span: Span, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("order", c[1], 0, 0, span)

    def type_bag(self, span: Span, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("bag", c[1], 0, 0, span)

    def type_path(self, span: Span, c: list[Any]) -> ast.TypeRef:
        return ast.TypeRef("path", c[1], 0, 0, span)

    # expressions
    def number(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Number(span, self._int(c[0]), None)

    def unit_number(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Number(span, self._int(c[0]), c[1])

    def true(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Truth(span, True)

    def false(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Truth(span, False)

    def none(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Nothing(span)

    def name_ref(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Ref(span, c[0].text)

    def attribute(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Attribute(span, c[0], c[1])

    def index(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Index(span, c[0], c[1])

    def track_call(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.TrackCall(span, c[0], c[1], c[2])

    def chain(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Chain(span, c[0], c[1], c[2] if len(c) > 2 else None)

    def cases(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Cases(span, c[0], tuple(c[1:-1]), c[-1])

    def arm(self, span: Span, c: list[Any]) -> tuple[tuple[ast.Expr, ...], ast.Expr]:
        return (tuple(c[:-1]), c[-1])

    def args(self, span: Span, c: list[Any]) -> tuple[ast.Expr, ...]:
        return tuple(c)

    def call(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(span, c[0], c[1] or ())

    def minmax(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(span, ast.Name(str(c[0]), self.origin.at(*c[0].place)), c[1])

    def count_set(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(span, ast.Name("count", span), (c[0],))

    def first_set(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(span, ast.Name("first", span), (c[0],))

    def the_set(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.CallExpr(span, ast.Name("the", self.origin.at(*c[0].place)), (c[1],))

    def the_each(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._each(span, "the", c[1])

    def _binary(self, span: Span, op: str, left: ast.Expr, right: ast.Expr) -> ast.Expr:
        return ast.Binary(span, op, left, right)

    def binary(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._binary(span, str(c[1]), c[0], c[2])

    compare = binary

    def in_op(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._binary(span, "in", c[0], c[1])

    def not_in_op(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._binary(span, "not in", c[0], c[1])

    def union_op(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._binary(span, "|", c[0], c[1])

    def inter_op(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._binary(span, "&", c[0], c[1])

    def coalesce(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._binary(span, "??", c[0], c[1])

    def _chain(self, op: str, span: Span, c: list[Any]) -> ast.Expr:
        result: ast.Expr = c[0]
        for right in c[1:]:
            span = Span(
                result.span.file, result.span.line, result.span.column, right.span.end_line, right.span.end_column
            )
            result = ast.Binary(span, op, result, right)
        return result

    def or_expr(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._chain("or", span, c)

    def and_expr(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._chain("and", span, c)

    def _unary(self, span: Span, op: str, c: list[Any]) -> ast.Expr:
        return ast.Unary(span, op, c[0])

    def not_op(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._unary(span, "not", c)

    def negate(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._unary(span, "-", c)

    def is_none(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._unary(span, "is none", c)

    def is_some(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._unary(span, "is some", c)

    def some_as(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.SomeAs(span, c[0], c[1])

    def if_expr(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Choice(span, c[1], c[0], c[2])

    def once(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Once(span, c[0], c[1], c[2] or ())

    def told(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Told(span, c[1], self._text(c[2], span))

    def empty_set(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.SetLiteral(span, ())

    def set_literal(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.SetLiteral(span, c[0])

    def binder(self, span: Span, c: list[Any]) -> ast.Binder:
        name, source, order, start, where = c
        return ast.Binder(name, source, order or "", start, where, span)

    def steps_binder(self, span: Span, c: list[Any]) -> ast.Binder:
        name, then, source, where = c
        return ast.Binder(name, source, "", None, where, span, then=then)

    def binders(self, span: Span, c: list[Any]) -> tuple[ast.Binder, ...]:
        return tuple(c)

    def order(self, span: Span, c: list[Any]) -> str:
        return str(c[0])

    def _each(
        self, span: Span, op: str, binder: ast.Binder, body: Any = None, default: ast.Expr | None = None
    ) -> ast.Expr:
        return ast.Each(span, op, binder, body, default)

    def _nested(
        self, span: Span, op: str, binders: tuple[ast.Binder, ...], body: Any = None, around: str = ""
    ) -> ast.Each:
        """Nested nodes for an operator over several binders; outer ones use the operator `around`, if given."""
        *outer, last = binders
        for binder in reversed(outer):
            body = ast.Each(last.span.to(span), op, last, body, None)
            op, last = around or op, binder
        return ast.Each(span, op, last, body, None)

    def set_filter(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._each(span, "set", c[0])

    def set_map(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._nested(span, "set", c[1], c[0], around="union")

    def by_keys(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._each(span, "order", self.keyed(c[0], c[1]))

    def in_order(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.InOrder(span, c[0] or ())

    def count_each(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._nested(span, "count", c[0], around="sum")

    def sum_each(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._nested(span, "sum", c[1], c[0])

    def union_each(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._nested(span, "union", c[1], c[0])

    def minmax_each(self, span: Span, c: list[Any]) -> ast.Expr:
        result = self._nested(span, str(c[0]), c[2], c[1])
        return replace(result, default=c[3])

    def any_each(self, span: Span, c: list[Any]) -> ast.Expr:
        *outer, last = c[0]
        if c[1] is not None:  # written like `all(x in s: c)`
            where = c[1] if last.where is None else ast.Binary(c[1].span, "and", last.where, c[1])
            last = replace(last, where=where)
        return self._any(span, (*outer, last))

    def all_each(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._nested(span, "all", c[0], c[1])

    def _any(self, span: Span, binders: tuple[ast.Binder, ...]) -> ast.Expr:
        """Nested nodes for `any` over several binders."""
        *outer, last = binders
        for binder in reversed(outer):
            result = ast.Each(last.span.to(span), "any", last, None, None)
            where = result if binder.where is None else ast.Binary(span, "and", binder.where, result)
            last = replace(binder, where=where)
        return ast.Each(span, "any", last, None, None)

    def keyed(self, binder: ast.Binder, keys: tuple[ast.Expr, ...] | None) -> ast.Binder:
        """The binder with the keys added, if there are any."""
        return replace(binder, keys=keys, span=binder.span.to(keys[-1].span)) if keys else binder

    def first_each(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._each(span, "first", self.keyed(c[0], c[1]))

    def best_each(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._each(span, "best", self.keyed(c[1], c[2]))

    def reach(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Reach(span, c[0], c[1], c[2])

    def reach_within(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Ways(span, "reach", c[0], c[1], c[2], c[3], c[4], None)

    def cheapest(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Ways(span, "cheapest", c[1], c[2], c[3], c[4], c[5], c[6])

    def path_binder(self, span: Span, c: list[Any]) -> ast.Binder:
        name, source, where = c
        return ast.Binder(name, source, "", None, where, span)

    def use_any(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Unary(span, "any of", c[0])

    def path_uses(self, span: Span, c: list[Any]) -> tuple[ast.Expr, ...]:
        return tuple(c)

    def path(self, span: Span, c: list[Any], *, whole: bool = False) -> ast.Expr:
        form, name, start, near, uses, counts, bound = c
        return ast.Path(span, str(form), name, start, near, uses or (), counts, bound, whole)

    def whole_path(self, span: Span, c: list[Any]) -> ast.Expr:
        return self.path(span, c, whole=True)

    def trail(self, span: Span, c: list[Any]) -> ast.Expr:
        return self.path(span, c)

    def longest(self, span: Span, c: list[Any]) -> ast.Expr:
        return self._each(span, "longest", c[1], c[2], c[3])

    def ray(self, span: Span, c: list[Any]) -> ast.Expr:
        return ast.Ray(span, c[1], c[2], c[3])
