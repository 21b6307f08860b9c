"""Syntax trees of the rules language, as parsed: names are unresolved, and nothing is typed."""

from __future__ import annotations

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.records import Brief
from rulespec.syntax.choice_nodes import Cases as Cases
from rulespec.syntax.choice_nodes import Chain as Chain
from rulespec.syntax.choice_nodes import Choice as Choice
from rulespec.syntax.choice_nodes import Expr as Expr
from rulespec.syntax.choice_nodes import Name as Name
from rulespec.syntax.choice_nodes import SomeAs as SomeAs
from rulespec.syntax.choice_nodes import Text as Text

# --- expressions ---------------------------------------------------------------------------


class Number(Expr, frozen=True):
    value: int
    unit: Name | None


class Truth(Expr, frozen=True):
    value: bool


class Nothing(Expr, frozen=True):
    """The literal `none`."""


class Ref(Expr, frozen=True):
    name: str


class Attribute(Expr, frozen=True):
    target: Expr
    name: Name


class Index(Expr, frozen=True):
    target: Expr
    keys: tuple[Expr, ...]


class CallExpr(Expr, frozen=True):
    name: Name
    args: tuple[Expr, ...]


class TrackCall(Expr, frozen=True):
    """A call on a track (`track.steps(a, b)`, `track.ahead(a, k)`, `track.space(v)`) or a board (`space.to(d, k)`)."""

    track: Expr
    name: Name
    args: tuple[Expr, ...]


class Unary(Expr, frozen=True):
    """A unary operation: `-a`, `not a`, `a is none`, `a is some`; `any of a` after `once`."""

    op: str
    operand: Expr


class Binary(Expr, frozen=True):
    """A binary operation: arithmetic, set operators, comparisons, `and`, `or`, `in`, `not in`, `??`."""

    op: str
    left: Expr
    right: Expr


class Once(Expr, frozen=True):
    """`value once name(args)`: the value after a hypothetical call."""

    value: Expr
    name: Name
    args: tuple[Expr, ...]


class Told(Expr, frozen=True):
    """`told(value, "reason")`: a value that may derive from private state, disclosed deliberately."""

    value: Expr
    reason: Text


class Binder(Brief, Struct, frozen=True, gc=False):
    """`name in source [from|after start] [where condition] [by keys]`."""

    name: Name
    source: Expr
    order: str
    start: Expr | None
    where: Expr | None
    span: Span
    keys: tuple[Expr, ...] = ()
    then: Name | None = None


class SetLiteral(Expr, frozen=True):
    items: tuple[Expr, ...]


class InOrder(Expr, frozen=True):
    """`[a, b]`: an order, member by member."""

    items: tuple[Expr, ...]


class Each(Expr, frozen=True):
    """An operator over a binder: a function name, `set` for a set comprehension, or `order` if it has keys."""

    op: str
    binder: Binder
    body: Expr | None
    default: Expr | None


class Reach(Expr, frozen=True):
    name: Name
    start: Expr
    step: Expr


class Ways(Expr, frozen=True):
    """`reach(… within bound)` or `cheapest(… until bound, else default)`."""

    op: str
    name: Name
    start: Expr
    near: Binder
    cost: Expr
    bound: Expr
    default: Expr | None


class Path(Expr, frozen=True):
    """`path(name from start to near [once uses] [counts counts] within bound [until none])`, or `trail(…)`."""

    form: str
    name: Name
    start: Expr
    near: Binder
    uses: tuple[Expr, ...]
    counts: Expr | None
    bound: Expr
    whole: bool


class Ray(Expr, frozen=True):
    """`ray(space, direction [until stops])`."""

    space: Expr
    direction: Expr
    stops: Expr | None


# --- types ---------------------------------------------------------------------------------


class TypeRef(Brief, Struct, frozen=True, gc=False):
    """A type in source form; `form` is plain, optional, set, order, range or optional range."""

    form: str
    name: Name
    low: int
    high: int
    span: Span


# --- statements ----------------------------------------------------------------------------


class Stmt(Brief, Struct, frozen=True, gc=False):
    span: Span


class Let(Stmt, frozen=True):
    name: Name
    value: Expr


class LetTable(Stmt, frozen=True):
    """`let name[key in source] = value private to e`: a local table with a value for each member of a kind."""

    name: Name
    key: Name
    source: Expr
    value: Expr
    private: Privacy | None


class Assign(Stmt, frozen=True):
    target: Expr
    value: Expr


class Pay(Stmt, frozen=True):
    amount: Expr
    source: Expr
    target: Expr


class Move(Stmt, frozen=True):
    amount: Expr
    pile: Expr
    source: Expr
    target: Expr


class Put(Stmt, frozen=True):
    """`move token to place`."""

    token: Expr
    place: Expr


class Rearrange(Stmt, frozen=True):
    """`add member to target`, `take member from target` or `shuffle target`."""

    word: str
    member: Expr | None
    target: Expr


class CallStmt(Stmt, frozen=True):
    name: Name
    args: tuple[Expr, ...]


class EndGame(Stmt, frozen=True):
    ending: Name | None
    winners: Expr | None


class Require(Stmt, frozen=True):
    condition: Expr
    reason: Text


class Return(Stmt, frozen=True):
    """`return` with a value."""

    value: Expr


class Cost(Stmt, frozen=True):
    """A payment (`pile` is None) or a move, made before an option's body; without a target it subtracts the amount."""

    amount: Expr
    pile: Expr | None
    source: Expr
    target: Expr | None
    reason: Text


class Needs(Stmt, frozen=True):
    """The requirements of a guard, used in an option."""

    name: Name
    args: tuple[Expr, ...]


HEAD_PARTS = (Let, Require, Cost, Needs)
"""The statements allowed in a guard or in the head of an option."""


class Jump(Stmt, frozen=True):
    """A jump: `leave`, `ask again`, `continue`, `again` (for either of these), `return`, `pass` or `pass turn`."""

    word: str


class Remark(Stmt, frozen=True):
    doc: Text  # of a block inside a body, whose first statement this is


class If(Stmt, frozen=True):
    """`if` with its branches in order; the `else` branch is last and has no condition."""

    branches: tuple[tuple[Expr | None, tuple[Stmt, ...]], ...]


NAMED = (Let, LetTable, Assign, Pay, Move, Put, Rearrange, EndGame, Require, Return, Cost, Needs, Jump)
"""The statements that an edit selects by their text; a call is selected as an expression."""


class Match(Stmt, frozen=True):
    subject: Expr
    cases: tuple[tuple[tuple[Expr, ...], tuple[Stmt, ...]], ...]
    other: tuple[Stmt, ...] | None


class For(Stmt, frozen=True):
    binder: Binder
    body: tuple[Stmt, ...]


class Repeat(Stmt, frozen=True):
    limit: Expr | None
    body: tuple[Stmt, ...]


class Turns(Repeat, frozen=True):
    binder: Binder
    rest: Expr | None
    drops: bool


class Privacy(Brief, Struct, frozen=True, gc=False):
    """`private`: restricts the viewers of an argument to the decider and the set `to`."""

    span: Span
    to: Expr | None


class OptionParam(Brief, Struct, frozen=True, gc=False):
    """`name in low [.. high] [or none] [where where]` or, if `several` is set, `name in choose … of low …`."""

    name: Name
    low: Expr
    high: Expr | None
    where: Expr | None
    reason: Text
    none: bool = False
    private: Privacy | None = None
    several: tuple[Expr, ...] = ()


class OptionDef(Brief, Struct, frozen=True, gc=False):
    name: Name
    params: tuple[OptionParam, ...]
    by: Expr | None
    weight: Expr | None
    doc: Text
    body: tuple[Stmt, ...]
    span: Span


class AnyOf(Brief, Struct, frozen=True, gc=False):
    """`by any of source lead lead`: any player in a set may decide; `lead` is the default decider."""

    span: Span
    source: Expr
    lead: Expr | None


class Shared(Brief, Struct, frozen=True, gc=False):
    """Options with shared parameters and conditions: `with …:`, `when …:`."""

    params: tuple[OptionParam, ...]
    condition: Expr | None
    reason: Text
    options: tuple[Member, ...]
    span: Span


Member = OptionDef | Name | Shared
"""A member of a decision: an option, the name of an included group, or options with shared parts."""


class Otherwise(Brief, Struct, frozen=True, gc=False):
    """`otherwise`: the body that runs instead of the decision if the decider has no legal option."""

    body: tuple[Stmt, ...]
    span: Span


class Decide(Stmt, frozen=True):
    """`decide`, `draft`, `chance` or `decide … together`, distinguished by `form`."""

    form: str
    name: Name
    by: Expr | AnyOf | None
    each: Binder | None
    doc: Text
    options: tuple[Member, ...]
    otherwise: Otherwise | None = None


class Draw(Stmt, frozen=True):
    """`roll` (`by` is None) or `choose`: an option whose parameters become locals."""

    name: Name
    params: tuple[OptionParam, ...]
    by: Expr | AnyOf | None
    weight: Expr | None


# --- items of a rules file -----------------------------------------------------------------


class Param(Brief, Struct, frozen=True, gc=False):
    name: Name
    type: TypeRef


class Item(Brief, Struct, frozen=True, gc=False):
    """Base of top-level items of a rules file; `modifier` is "", "replace", "wrap" or "hook"."""

    modifier: str
    name: Name
    doc: Text
    span: Span


class Def(Item, frozen=True):
    """A definition; `at_most` is the declared maximum size of its set."""

    params: tuple[Param, ...]
    result: TypeRef
    at_most: Expr | None
    lets: tuple[Let, ...]
    body: Expr


class Procedure(Item, frozen=True):
    """A procedure; `result` is its return type and `deep` its maximum recursion depth (each None if not declared)."""

    params: tuple[Param, ...]
    result: TypeRef | None
    deep: Expr | None
    body: tuple[Stmt, ...]


class Guard(Item, frozen=True):
    """A named head for options; `head` contains its statements."""

    params: tuple[Param, ...]
    head: tuple[Stmt, ...]


class Invariant(Item, frozen=True):
    condition: Expr


class Tiebreak(Brief, Struct, frozen=True, gc=False):
    name: Name | None
    source: Expr | None
    key: Expr | None
    value: Expr


class Scoring(Item, frozen=True):
    """The scoring; `name` is the kind of the player variable `var`."""

    var: Name
    score: Expr
    tiebreaks: tuple[Tiebreak, ...]


class OptionGroup(Item, frozen=True):
    """A group of options that decisions include; groups cannot be nested."""

    options: tuple[Member, ...]


class Extend(Item, frozen=True):
    """Options added to all decisions named `name`."""

    options: tuple[Member, ...]


class Remove(Item, frozen=True):
    kind: str


class Edit(Brief, Struct, frozen=True, gc=False):
    """One edit of a `change`: "add", "remove", "replace", "before", "after", or "order" of the loops over a variable.

    `at` selects a statement, an expression, or a text that a reason starts with or cites; None removes an option.
    `value` is a replacement expression; `body` contains replacement, inserted or added statements.
    """

    word: str
    at: Stmt | Expr | Text | Binder | None
    value: Expr | None
    body: tuple[Stmt, ...]
    span: Span


class Change(Item, frozen=True):
    """Edits of a rule, or of the options named `name` in the decisions and groups named `of`."""

    kind: str
    of: Name | None
    edits: tuple[Edit, ...]


PARTS = (Extend, Change)
"""The items that edit parts of other rules."""

NODES: frozenset[type[Struct]] = frozenset(
    node for node in vars().values() if isinstance(node, type) and issubclass(node, Struct) and node is not Span
)
"""All node classes. A lookup in this set is faster than `isinstance`, which is slow to reject a Struct."""
