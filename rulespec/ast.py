"""Syntax trees of the rules language, as parsed: names not yet resolved, nothing typed."""

from __future__ import annotations

from dataclasses import dataclass

from rulespec.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written, with its place."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A docstring or a reason; empty where none was written."""

    text: str
    span: Span


# --- expressions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expr:
    """Base of all expressions; `depth` bounds the recursion of every later pass."""

    span: Span


@dataclass(frozen=True, slots=True)
class Number(Expr):
    value: int
    unit: Name | None


@dataclass(frozen=True, slots=True)
class Truth(Expr):
    value: bool


@dataclass(frozen=True, slots=True)
class Nothing(Expr):
    """`none`."""


@dataclass(frozen=True, slots=True)
class Ref(Expr):
    name: str


@dataclass(frozen=True, slots=True)
class Attribute(Expr):
    target: Expr
    name: Name


@dataclass(frozen=True, slots=True)
class Index(Expr):
    target: Expr
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class CallExpr(Expr):
    name: Name
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class TrackCall(Expr):
    """`track.steps(a, b)`, `track.ahead(a, k)`, `track.space(v)`."""

    track: Expr
    name: Name
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """`-a`, `not a`, `a is none`, `a is some`."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """Arithmetic, set operators, comparisons, `and`, `or`, `in`, `not in`, `??`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Choice(Expr):
    """`then if condition else other`."""

    condition: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class Binder:
    """`name in source [from|after start] [where condition]`."""

    name: Name
    source: Expr
    order: str
    start: Expr | None
    where: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class SetLiteral(Expr):
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Each(Expr):
    """`count`, `sum`, `min`, `max`, `any`, `all`, `first`, `union` and set comprehensions (`set`) over a binder."""

    op: str
    binder: Binder
    body: Expr | None
    default: Expr | None


@dataclass(frozen=True, slots=True)
class Reach(Expr):
    name: Name
    start: Expr
    step: Expr


# --- types ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as written; `form` is plain, optional, set or range."""

    form: str
    name: Name
    low: int
    high: int
    span: Span


# --- statements ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stmt:
    span: Span


@dataclass(frozen=True, slots=True)
class Let(Stmt):
    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Assign(Stmt):
    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Pay(Stmt):
    amount: Expr
    source: Expr
    target: Expr


@dataclass(frozen=True, slots=True)
class Move(Stmt):
    amount: Expr
    pile: Expr
    source: Expr
    target: Expr


@dataclass(frozen=True, slots=True)
class CallStmt(Stmt):
    name: Name
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class EndGame(Stmt):
    ending: Name | None
    winners: Expr | None


@dataclass(frozen=True, slots=True)
class Require(Stmt):
    condition: Expr
    reason: Text


@dataclass(frozen=True, slots=True)
class Jump(Stmt):
    """`leave`, `again`, `return` or `pass`."""

    word: str


@dataclass(frozen=True, slots=True)
class If(Stmt):
    """Branches in order; the last one has no condition if there is an `else`."""

    branches: tuple[tuple[Expr | None, tuple[Stmt, ...]], ...]


@dataclass(frozen=True, slots=True)
class Match(Stmt):
    subject: Expr
    cases: tuple[tuple[tuple[Expr, ...], tuple[Stmt, ...]], ...]
    other: tuple[Stmt, ...] | None


@dataclass(frozen=True, slots=True)
class For(Stmt):
    binder: Binder
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Repeat(Stmt):
    limit: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class OptionParam:
    name: Name
    low: Expr
    high: Expr | None
    where: Expr | None
    reason: Text


@dataclass(frozen=True, slots=True)
class OptionDef:
    name: Name
    params: tuple[OptionParam, ...]
    by: Expr | None
    weight: Expr | None
    doc: Text
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Decide(Stmt):
    """`decide`, `chance` or `decide … together`, told apart by `form`."""

    form: str
    name: Name
    by: Expr | None
    each: Binder | None
    doc: Text
    options: tuple[OptionDef | Name, ...]


# --- items of a rules file -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Param:
    name: Name
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Item:
    """Base of what stands at the top of a rules file; `modifier` is "", "replace" or "wrap"."""

    modifier: str
    name: Name
    doc: Text
    span: Span


@dataclass(frozen=True, slots=True)
class Def(Item):
    params: tuple[Param, ...]
    result: TypeRef
    lets: tuple[Let, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Procedure(Item):
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Invariant(Item):
    condition: Expr


@dataclass(frozen=True, slots=True)
class Tiebreak:
    name: Name | None
    source: Expr | None
    key: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Scoring(Item):
    """`name` is the player variable's kind; `var` the variable."""

    var: Name
    score: Expr
    tiebreaks: tuple[Tiebreak, ...]


@dataclass(frozen=True, slots=True)
class OptionGroup(Item):
    options: tuple[OptionDef, ...]


@dataclass(frozen=True, slots=True)
class Extend(Item):
    """Options for the decisions called `name`, wherever they are taken."""

    options: tuple[OptionDef | Name, ...]


@dataclass(frozen=True, slots=True)
class Remove(Item):
    kind: str
