"""Basic nodes of syntax trees: base classes, equality regardless of places, and conditional expressions."""

from __future__ import annotations

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.records import Brief


class Name(Brief, Struct, frozen=True, gc=False):
    """A name in source form, with its place."""

    text: str
    span: Span


class Text(Brief, Struct, frozen=True, gc=False):
    """A docstring or a reason; empty if missing."""

    text: str
    span: Span


class Expr(Brief, Struct, frozen=True, gc=False):
    """The base of all expressions; `depth` limits the recursion of every later pass."""

    span: Span


class SomeAs(Expr, frozen=True):
    """`a is some as x`: a condition of `if` or `… if … else …` whose branch binds x to the value of a."""

    operand: Expr
    name: Name


class Chain(Expr, frozen=True):
    """`a?.b` and `a?.to(d)`, whose value is none if a is none; `args` is None if there are no brackets."""

    target: Expr
    name: Name
    args: tuple[Expr, ...] | None


class Choice(Expr, frozen=True):
    """`then if condition else other`."""

    condition: Expr
    then: Expr
    other: Expr


class Cases(Expr, frozen=True):
    """`match subject:` as an expression: the values of its cases and of its `else`."""

    subject: Expr
    cases: tuple[tuple[tuple[Expr, ...], Expr], ...]
    other: Expr | None


def same(a: object, b: object) -> bool:
    """Whether two syntax trees are equal except for their places."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        assert isinstance(b, tuple)
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Struct):
        return all(same(getattr(a, name), getattr(b, name)) for name in a.__struct_fields__ if name != "span")
    return a == b
