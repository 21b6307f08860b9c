"""The typed form of a ruleset: resolved names, and expressions with types.

The checker creates it and the engine lowers it. It depends neither on the number of seats nor on settings.

The module exceeds 500 lines because the nodes refer to one another: the start value of a field is an expression, and an
expression may read a field.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.file_places import FilePlace
from rulespec.records import Brief
from rulespec.rule_ids import ListedRule
from rulespec.syntax.ast import OptionGroup
from rulespec.types import Ent, Type

# --- declarations --------------------------------------------------------------------------


class Unit(Brief, Struct):
    name: str
    span: Span


class Entity(Brief, Struct):
    """An entity of a kind; `position` is its place in drawings, with x to the right and y down."""

    name: str
    title: str
    span: Span
    doc: str = ""
    position: tuple[int, int] | None = None


class FactDecl(Brief, Struct):
    """A fact of a kind.

    Attributes:
        values: one number per entity: an index, a truth value, a bit mask, or -1 for none.
        places: the places of the values that come from files, by entity.
        type_span: the place of its type, if it is declared in a file.
    """

    name: str
    type: Type
    span: Span
    values: list[int] = []
    type_span: Span | None = None
    places: dict[int, Span] = {}


class Secrecy(Brief, Struct, frozen=True, eq=False):
    """The viewers of a private value.

    Attributes:
        at: the variables available in `to` and `open`: the entities of a field, or of a pile and its place.
        to: the set of seats that see it.
        open: the condition under which it is public.
        counted: whether the number of its members is public.
    """

    at: tuple[Var, ...]
    to: Expr
    open: Expr | None
    counted: bool
    span: Span


class FieldDecl(Brief, Struct, eq=False):
    """A state field or an account, either of every entity of `kind` or, if `kind` is "", of the game.

    Attributes:
        private: its viewers; None means public.
        type_span: the place of its type or unit.
        at: the variable for the entity in `start`; None if all entities have the same start value.
        local: whether it is a local table: a variable with a value for each entity of `kind`.
    """

    name: str
    kind: str
    type: Type
    span: Span
    low: int | None = None
    high: int | None = None
    start: Expr | None = None
    account: bool = False
    unlimited: bool = False
    private: Secrecy | None = None
    type_span: Span | None = None
    at: Var | None = None
    local: bool = False


class Kind(Brief, Struct, eq=False):
    """A kind of entities.

    Attributes:
        product: the kinds that it combines, with one entity for each combination.
        by_seat: whether the number of its entities depends on the number of seats (`rulespec.typed.seat_kinds`).
        places: the places of its tokens, if its entities are tokens.
        number: the number of tokens for each combination of the `product` kinds, except the last one, which is the
            counter; 0 if there is no counter.
        alike: the place of `alike: true`, if numbered tokens differ only in place and state.
        sum_of: for a kind of token places, the declared places; a place has one entity per index.
    """

    name: str
    span: Span
    entities: list[Entity] = []
    facts: dict[str, FactDecl] = {}
    state: dict[str, FieldDecl] = {}
    product: tuple[str, ...] = ()
    is_player: bool = False
    by_seat: bool = False
    implicit: bool = False
    doc: str = ""
    index: dict[str, int] = {}
    places: dict[str, PlaceDecl] = {}
    number: int = 0
    alike: Span | None = None
    sum_of: tuple[PlaceDecl, ...] = ()

    @property
    def nameless(self) -> bool:
        """Whether the kind has no name in rules, because it was generated for tokens, their places or their numbers."""
        return "." in self.name


class PlaceDecl(Brief, Struct, eq=False):
    """A place of pieces or tokens, one for each entity of `index`, or a single one if `index` is "".

    Attributes:
        fresh: whether an arriving token is reset to its start state.
        at_most: the capacity in tokens; `var` stands for the index entity in it.
        private: the viewers of its content; None means public.
    """

    name: str
    index: str
    span: Span
    fresh: bool = False
    at_most: Expr | None = None
    var: Var | None = None
    private: Secrecy | None = None


class PieceDecl(Brief, Struct, eq=False):
    """A piece type, with one pile for each combination of `each` entities; a pile counts the pieces in each place."""

    name: str
    each: tuple[str, ...]
    places: dict[str, PlaceDecl]
    span: Span


class CapacityDecl(Brief, Struct, eq=False):
    """A capacity shared by several places, for the pieces and tokens of all owners.

    Attributes:
        name: its own name, or `pile.place`.
        index: the kind whose entities each have this capacity; "" for a single capacity.
        of: the places, each with its piece type or token kind.
        at_most: the capacity in pieces and tokens; `var` stands for the index entity in it.
    """

    name: str
    index: str
    span: Span
    of: tuple[tuple[PieceDecl | Kind, PlaceDecl], ...]
    at_most: Expr | None = None
    var: Var | None = None


class TableDecl(Brief, Struct, eq=False):
    """A lookup table, with the value and the place of each row by its keys."""

    name: str
    keys: tuple[Type, ...]
    value: Type
    rows: dict[tuple[int, ...], int]
    span: Span
    key_span: Span
    value_span: Span
    places: dict[tuple[int, ...], Span] = {}


class TrackDecl(Brief, Struct, eq=False):
    """A track whose spaces are the entities of `kind`: a ring (`upto` is empty) or a line."""

    name: str
    kind: str
    ring: bool
    unit: str
    upto: list[int]
    span: Span
    unit_span: Span


class LinkDecl(Brief, Struct, eq=False):
    """A link kind; each entity of `kind` links two entities of `region`.

    Attributes:
        at: the links at each region.
        out: for each region, the links declared with it as their first end.
        into: for each region, the links declared with it as their second end.
        parallel: the first set of several links from one region to another; empty if there is none.
    """

    kind: str
    region: str
    two_way: bool
    at: FactDecl
    out: FactDecl
    into: FactDecl
    parallel: int = 0

    def between(self, a: int, b: int) -> int:
        """The set of links from one region to another."""
        result = self.out.values[a] & self.into.values[b]
        if self.two_way:
            result |= self.out.values[b] & self.into.values[a]
        return result


Step = tuple[int, int]
"""An offset along the two axes of a board."""


class BoardDecl(Brief, Struct, eq=False):
    """A regular board with the entities of `kind` as spaces.

    Attributes:
        direction: the kind of its directions; "" if it has none.
        spaces: the coordinates of each space; artificial ones for lines and hexes.
        steps: the step of each direction.
        form: `grid`, `line` or `hexes`.
        sides: the kind of its sides; "" if it has none.
        side_of: for each space, its side in each direction; neighbours share a side.
        corners: the kind of its corners; "" if it has none.
        corner_of: for each space, its corners, clockwise: from the north of a hex, from the north-east of a square.
    """

    kind: str
    direction: str
    span: Span
    form: str
    spaces: list[Step] = []
    steps: list[Step] = []
    at: dict[Step, int] = {}
    sides: str = ""
    side_of: list[list[int]] = []
    corners: str = ""
    corner_of: list[list[int]] = []

    @property
    def longest(self) -> int:
        """An upper bound on the number of spaces in one direction."""
        sizes = (len({space[axis] for space in self.spaces}) for axis in (0, 1))
        return max(sizes)

    def to(self, space: int, step: Step, times: int = 1) -> int:
        """The space reached from a given space by repeating a step; -1 off the board."""
        x, y = self.spaces[space]
        return self.at.get((x + times * step[0], y + times * step[1]), -1)


class ConstantDecl(Brief, Struct, eq=False):
    name: str
    type: Type
    value: int
    span: Span


class SettingDecl(Brief, Struct, eq=False):
    """A setting (`settings:` in game.yaml), which each table of players chooses.

    Attributes:
        values: the names of an enumeration; None for a bool or a number.
        bounds: the minimum and maximum of a number.
    """

    name: str
    type: Type
    values: tuple[str, ...] | None
    default: str
    doc: str
    span: Span
    bounds: tuple[int, int] | None = None


class Check(Brief, Struct, frozen=True):
    """A condition on facts, tested for each entity of `var` that satisfies `where` (for all of them if it is None)."""

    name: str
    var: Var
    where: Expr | None
    that: Expr
    text: str
    help: str
    span: Span


class Measure(Brief, Struct, frozen=True):
    """A measured number, either of the game (`var` is None) or of each entity of a kind, bound to `var`."""

    name: str
    title: str
    doc: str
    var: Var | None
    value: Expr
    span: Span

    @property
    def kind(self) -> str:
        """The kind of the measured entities; empty for the game."""
        return self.var.type.kind if self.var is not None and isinstance(self.var.type, Ent) else ""


class PositionValue(Measure, frozen=True):
    """The worth of a position to each player, or to all players together (`var` is None).

    `decides` is the difference that nearly decides a game, and `horizon` the number of decisions after which a playout
    is cut off. A position value never affects a game.
    """

    decides: int
    horizon: int


class FormerNames(Brief, Struct, frozen=True):
    """The current names of renamed declarations, by former name.

    Attributes:
        decisions: current names by former name.
        options: current names by the decision's current name and the option's former name.
        entities: current names by kind and former name.
        settings: current names by former name.
    """

    decisions: dict[str, str]
    options: dict[tuple[str, str], str]
    entities: dict[tuple[str, str], str]
    settings: dict[str, str]


class Question(Brief, Struct, frozen=True):
    """A number about a finished game that may depend on the rules under test, for playtests.

    `asks` is `length`, `margin`, `wins`, `ending`, `uses`, a question about the lead, or the name of a measure; `of`
    gives its subject: the name of an entity, ending or option, `winner`, `most`, `least`, `all`, or "". A difference
    below `matters` is negligible.
    """

    name: str
    title: str
    doc: str
    asks: str
    of: str
    matters: int
    span: Span


class Placement(Brief, Struct, eq=False):
    """A start value in the set-up; each key is an entity, or a variable for all entities of a kind."""

    target: FieldDecl | tuple[PieceDecl, PlaceDecl]
    keys: tuple[int | Var, ...]
    value: Expr
    players: int | None
    span: Span


# --- expressions ---------------------------------------------------------------------------


class Var(Brief, Struct, eq=False):
    """A local variable, a parameter or a bound variable; `value` is a local's initial value.

    `table` is set for a local table, which has one value per entity of a kind, read as `used[h]`.
    """

    name: str
    type: Type
    span: Span
    reads: int = 0
    value: Expr | None = None
    table: FieldDecl | None = None


class Expr(Brief, Struct, frozen=True):
    type: Type
    span: Span


class Lit(Expr, frozen=True):
    """A number, truth value (0, 1), entity (its index), none (-1) or set (a bit mask)."""

    value: int


class Seats(Expr, frozen=True):
    """The number of seats in a game."""


class SettingValue(Expr, frozen=True):
    setting: SettingDecl


class Local(Expr, frozen=True):
    var: Var


class Field(Expr, frozen=True):
    """A state field or an account, either of an entity or, if `owner` is None, of the game."""

    decl: FieldDecl
    owner: Expr | None


class Fact(Expr, frozen=True):
    decl: FactDecl
    owner: Expr


class PieceCount(Expr, frozen=True):
    piece: PieceDecl
    ids: tuple[Expr, ...]
    place: PlaceDecl
    index: Expr | None


class PlaceValue(Expr, frozen=True):
    """A token place, as a value."""

    kind: Kind
    place: PlaceDecl
    index: Expr | None


class Room(Expr, frozen=True):
    """The remaining capacity of a place, in tokens."""

    place: PlaceValue


class RoomTogether(Expr, frozen=True):
    """The remaining shared capacity of places, in pieces and tokens."""

    capacity: CapacityDecl
    index: Expr | None


class TableRow(Expr, frozen=True):
    table: TableDecl
    keys: tuple[Expr, ...]


class ProductEntity(Expr, frozen=True):
    """The entity of a product kind that consists of the given parts."""

    kind: Kind
    parts: tuple[Expr, ...]


class KindSet(Expr, frozen=True):
    """All entities of a kind."""

    kind: Kind


class Call(Expr, frozen=True):
    definition: Definition
    args: tuple[Expr, ...]


class Op(Expr, frozen=True):
    """An operator or a built-in function: one in `rulespec.language.operators`, or one that exists only in rules.

    The latter are `and`, `or`, `??`, `some`, `index`, `first`, `previous`, `set` (of its members) and `order` (of a
    set, in kind order).
    """

    op: str
    args: tuple[Expr, ...]


class TrackOp(Expr, frozen=True):
    """A track operation: `steps` or `ahead` on a ring, `space` on a line."""

    op: str
    track: TrackDecl
    args: tuple[Expr, ...]


class Result(Expr, frozen=True):
    """The value returned by the procedure that was called last."""

    procedure: Procedure


class BoardOp(Expr, frozen=True):
    """A board query with a space, a direction, and an argument that depends on `op`.

    `to` takes an optional number of steps and returns the space there, or none. `ray` takes an optional set of stops
    and returns all spaces in that direction, up to and including the first stop. `side` takes no argument and returns
    the side in that direction. `back` takes only a direction and returns the opposite one.
    """

    op: str
    board: BoardDecl
    args: tuple[Expr, ...]


class LinkBetween(Expr, frozen=True):
    """The link from the first of two regions to the second, or none; if the type is a set, all such links."""

    link: LinkDecl
    ends: tuple[Expr, ...]


class Choice(Expr, frozen=True):
    condition: Expr
    then: Expr
    other: Expr


class IfSome(Expr, frozen=True):
    """A test of an optional value: evaluates `then` with the value bound to `var` or, if it is none, `other` without
    `var`.

    `a?.b` is such a test, with an unnamed variable and with none as `other`.
    """

    var: Var
    value: Expr
    then: Expr
    other: Expr


class Cases(Expr, frozen=True):
    """A selection by the entity `subject`; each of `cases` contains the indices of its entities and its value.

    `other` is None if the cases are exhaustive; `places` are the places of the cases.
    """

    subject: Expr
    cases: tuple[tuple[tuple[int, ...], Expr], ...]
    other: Expr | None
    places: tuple[Span, ...]


class Binder(Brief, Struct, frozen=True):
    """A variable that iterates over a set: in kind order, in cyclic order from or after `start`, or sorted by keys.

    `keys` are numbers, or values represented by numbers; they sort in ascending order, or descending for `best`.
    """

    var: Var
    source: Expr
    order: str
    start: Expr | None
    where: Expr | None
    keys: tuple[Expr, ...] = ()


class Each(Expr, frozen=True):
    op: str
    binder: Binder
    body: Expr | None
    default: Expr | None


class Reach(Expr, frozen=True):
    var: Var
    start: Expr
    step: Expr


class Ways(Expr, frozen=True):
    """Minimum path costs: `reach` returns the members within `bound`; `cheapest` returns the minimum that satisfies it.

    `var` is the start of a step, and the variable of `near` is its end; the `bound` of `cheapest` can use only the end.
    """

    op: str
    var: Var
    start: Expr
    near: Binder
    cost: Expr
    bound: Expr
    default: Expr | None


class PathDomain(Expr, frozen=True):
    """The possible paths of a parameter or a search.

    A step leads from `var` to the variable of `near`; `so_far` is the path before the step or, after all steps,
    the chosen path. The values of `uses` must not repeat; an operator `any of` uses one member of its set. `cost` is
    the cost of a step, and `within` the maximum total. If `whole`, only maximal paths count.
    """

    so_far: Var
    var: Var
    start: Expr
    near: Binder
    uses: tuple[Expr, ...]
    cost: Expr
    within: Expr
    whole: bool


class PathQuery(Expr, frozen=True):
    """A query over paths: `trail` returns the set of all stops; `longest` returns the maximum `worth` of the paths that
    satisfy `where`.
    """

    op: str
    paths: PathDomain
    where: Expr | None = None
    worth: Expr | None = None
    default: Expr | None = None


class Along(Expr, frozen=True):
    """An operator over the steps of a path, each from `var` to `then`."""

    op: str
    path: Expr
    var: Var
    then: Var
    where: Expr | None
    body: Expr | None


class OverSubsets(Expr, frozen=True):
    """An operator over the subsets of a set, each bound to `var`."""

    op: str
    source: Expr
    var: Var
    where: Expr | None
    body: Expr | None
    default: Expr | None


class Once(Expr, frozen=True):
    """The `value` after a hypothetical call, which offers no decision and cannot end the game; `call` is its place."""

    value: Expr
    procedure: Procedure
    args: tuple[Expr, ...]
    call: Span


# --- statements ----------------------------------------------------------------------------


class Stmt(Brief, Struct, frozen=True):
    span: Span


Block = tuple[Stmt, ...]


class Let(Stmt, frozen=True):
    var: Var
    value: Expr


class LetTable(Stmt, frozen=True):
    """A local table; `value` is the initial value of the entry for the entity in `key`."""

    table: FieldDecl
    key: Var
    value: Expr


class Assign(Stmt, frozen=True):
    target: Local | Field
    value: Expr


class Transfer(Stmt, frozen=True):
    """`pay` and `move`: a transfer between two accounts, or between two places of one pile."""

    amount: Expr
    source: Field | PieceCount
    target: Field | PieceCount


class Put(Stmt, frozen=True):
    """`move t to place`: moves a token."""

    kind: Kind
    token: Expr
    place: Expr


class CallProcedure(Stmt, frozen=True):
    """A procedure call; `then` is the `let`, `set` or `return` that uses its return value, if any."""

    procedure: Procedure
    args: tuple[Expr, ...]
    then: Let | Assign | Return | None = None


class Return(Stmt, frozen=True):
    """`return` with a value."""

    value: Expr


class EndGame(Stmt, frozen=True):
    ending: str
    winners: Expr | None


class Jump(Stmt, frozen=True):
    """A jump: `leave`, `continue`, `ask again`, `return`, `pass turn` (continues `turns`) or `withdraw` (in drafts)."""

    word: str


class Remark(Stmt, frozen=True):
    """The docstring of a block inside a body; it does nothing."""

    doc: str


class If(Stmt, frozen=True):
    branches: tuple[tuple[Expr | None, Block], ...]


class Match(Stmt, frozen=True):
    """A `match` statement, which selects a case by the entity `subject`.

    Attributes:
        cases: for each case, the indices of its entities, and its block.
        other: None if the cases are exhaustive.
        places: the places of the cases.
    """

    subject: Expr
    cases: tuple[tuple[tuple[int, ...], Block], ...]
    other: Block | None
    places: tuple[Span, ...]


class For(Stmt, frozen=True):
    binder: Binder
    body: Block


class Repeat(Stmt, frozen=True):
    """A loop.

    Attributes:
        limit: the maximum number of iterations.
        body: its block.
        head: the number of generated statements at the start of the block, for `turns` and for `for` along a path.
        word: its keyword.
        asks: for `turns`, whether at least one player is known to have a turn.
        draws: whether it draws the members of an order that is shuffled.
    """

    limit: Expr | None
    body: Block
    head: int = 0
    asks: bool = False
    word: str = "repeat"
    draws: bool = False


class Privacy(Brief, Struct, frozen=True):
    """The viewers of an argument besides the decider: the set `to`, or nobody.

    If `like` is set, the argument has the same viewers as that field, possibly everybody.
    """

    to: Expr | None
    span: Span
    like: Field | None = None


class OptionParam(Brief, Struct, frozen=True):
    """A parameter of an option, whose values are the members of `low` or, if `high` is set, the numbers `low` … `high`.

    If the type of `var` is optional, none is an additional value, exempt from `where`. `private` restricts the viewers
    of its value. With `several`, its value is a set of members of `low`, or a bag of its pieces, and the two numbers of
    `several` are the minimum and maximum size. If `low` is a `PathDomain`, its value is a path.
    """

    var: Var
    low: Expr
    high: Expr | None
    where: Expr | None
    reason: str
    span: Span
    private: Privacy | None = None
    several: tuple[Expr, Expr] | None = None

    @property
    def domain(self) -> list[Expr]:
        """The expressions that determine the parameter's possible values, in evaluation order."""
        return [self.low, *([self.high] if self.high is not None else []), *(self.several or ())]


class Requirement(Brief, Struct, frozen=True):
    condition: Expr
    reason: str
    span: Span


class Cost(Brief, Struct, frozen=True):
    """A required amount, paid before the body begins; without a target it is subtracted.

    If the amount is a bag, `each` is the variable for the entity whose pieces are paid; it ranges over the whole kind.
    """

    amount: Expr
    source: Field | PieceCount
    target: Field | PieceCount | None
    reason: str
    span: Span
    each: Var | None = None


class Needs(Brief, Struct, frozen=True):
    """The head of a guard applied to arguments."""

    guard: Guard
    args: tuple[Expr, ...]
    span: Span


HeadPart = Let | Requirement | Cost | Needs
"""A part of an option's head: a condition, or an effect before the body begins."""


class OptionDef(Brief, Struct, frozen=True):
    name: str
    params: tuple[OptionParam, ...]
    by: Expr | None
    weight: Expr | None
    head: tuple[HeadPart, ...]
    body: Block
    doc: str
    span: Span


class Otherwise(Brief, Struct, frozen=True):
    """The body that runs instead of the decision if the decider has no legal option."""

    body: Block
    span: Span


class Decide(Stmt, frozen=True):
    """A decision; `form` is decide, chance or together.

    `by` is a player, or a set whose members may all decide; then `lead` is the default decider, or None for the first
    member. With `draws`, the parameters of its only option are variables in the following statements. For a decision in
    a draft, `draft` is the variable that records whether anything is planned.
    """

    form: str
    name: str
    by: Expr | None
    each: Binder | None
    doc: str
    options: tuple[OptionDef, ...]
    draws: bool = False
    lead: Expr | None = None
    otherwise: Otherwise | None = None
    draft: Var | None = None


# --- rules ---------------------------------------------------------------------------------


class Definition(Brief, Struct, eq=False):
    """A definition; `at_most` is the declared maximum size of its value, enforced at run time."""

    name: str
    params: tuple[Var, ...]
    result: Type
    doc: str
    span: Span
    result_span: Span
    lets: tuple[tuple[Var, Expr], ...] = ()
    body: Expr | None = None
    at_most: int | None = None


class Procedure(Brief, Struct, eq=False):
    """A procedure; `result` is the type of its value, or None if it returns nothing.

    `deep` is the declared maximum depth of recursion; without it, recursion is an error.
    """

    name: str
    params: tuple[Var, ...]
    doc: str
    span: Span
    body: Block = ()
    result: Type | None = None
    result_span: Span | None = None
    deep: int | None = None
    deep_span: Span | None = None


class Guard(Brief, Struct, eq=False):
    name: str
    params: tuple[Var, ...]
    doc: str
    span: Span
    head: tuple[HeadPart, ...] = ()


class Invariant(Brief, Struct, frozen=True):
    name: str
    doc: str
    condition: Expr
    span: Span


class Tiebreak(Brief, Struct, frozen=True):
    """A tiebreak: a value or, if `var`, `source` and `key` are given, the values of all members of `source`, by
    descending key.
    """

    var: Var | None
    source: Expr | None
    key: Expr | None
    value: Expr


class Scoring(Brief, Struct, frozen=True):
    var: Var
    score: Expr
    tiebreaks: tuple[Tiebreak, ...]
    doc: str
    span: Span


Declared = Unit | Kind | Entity | FactDecl | FieldDecl | PieceDecl | PlaceDecl | TableDecl | TrackDecl | ConstantDecl
Named = Declared | CapacityDecl | SettingDecl | Measure | Var | Definition | Procedure | Guard | OptionGroup
"""Anything that a name in a ruleset can denote."""


class Declarations(Brief, Struct, eq=False):
    """All declarations except rules."""

    units: dict[str, Span] = {}
    kinds: dict[str, Kind] = {}
    fields: dict[str, FieldDecl] = {}
    pieces: dict[str, PieceDecl] = {}
    capacities: dict[str, CapacityDecl] = {}
    bounds: dict[PlaceDecl, list[CapacityDecl]] = {}
    """The capacities that limit each place."""
    tables: dict[str, TableDecl] = {}
    tracks: dict[str, TrackDecl] = {}
    boards: dict[str, BoardDecl] = {}
    links: dict[str, LinkDecl] = {}
    constants: dict[str, ConstantDecl] = {}
    settings: dict[str, SettingDecl] = {}
    placements: list[Placement] = []
    checks: list[Check] = []
    measures: dict[str, Measure] = {}
    values: dict[str, PositionValue] = {}
    """The position values by name; the first one is the default."""
    stakes: int = 0
    """The maximum difference of a seat's points from the average, if bots play for points; 0 if they play to win."""
    playouts: dict[str, dict[str, int]] = {}
    """The weights of options in playouts, by decision and option; all others have weight 1."""
    questions: dict[str, Question] = {}
    was: FormerNames = field(default_factory=lambda: FormerNames({}, {}, {}, {}))
    """Former names, for migrating recorded games."""
    usual: dict[str, str] = {}
    """The usual answer to each decision, in log notation; used to fill in answers when recorded games are judged."""
    entities: dict[str, list[tuple[str, int]]] = {}
    places: dict[str, list[Kind]] = {}
    """The kinds of tokens that have a place with a given name."""
    dead_ends: dict[str, str] = {}
    """Decisions at which a game may deliberately get stuck, with the reasons."""
    player_kind: str = ""
    min_players: int = 1
    max_players: int = 1
    teams: str = ""
    """The kind of the teams, `all` if all players are one team, or "" if there are none."""
    used: set[str] = set()
    broken: set[str] = set()
    """Names of declarations with a reported error; errors at their uses are not reported as well."""
    references: dict[Span, Named] = {}
    """The declaration denoted by each name in the files, by the place of the name; for editors."""

    def refer(self, span: Span, named: Named) -> None:
        """Records the declaration that a name denotes; if several decisions include an option, the first declaration is
        kept.
        """
        self.references.setdefault(span, named)

    def add_entity(self, kind: Kind, entity: Entity) -> None:
        """Adds an entity to its kind and to the names available in rules."""
        kind.index[entity.name] = len(kind.entities)
        self.entities.setdefault(entity.name, []).append((kind.name, len(kind.entities)))
        kind.entities.append(entity)


class Rules(Brief, Struct, eq=False):
    """The typed rules by name.

    Attributes:
        suppositions: every `once` in the rules, collected after all rules are typed.
        told: the place of the value in each `told(…)`; the typed form of `told` is the value alone.
    """

    definitions: dict[str, Definition] = {}
    procedures: dict[str, Procedure] = {}
    guards: dict[str, Guard] = {}
    invariants: dict[str, Invariant] = {}
    scoring: Scoring | None = None
    suppositions: list[Once] = []
    told: set[Span] = set()


class Ruleset(Brief, Struct, frozen=True):
    """A checked ruleset, immutable by convention after checking.

    Attributes:
        ref: the ids of the ruleset and its overlays, without paths, as shown in logs and reports.
        reference: the reference that loads this ruleset again, with its paths.
        hash: the hash of the meaning (`rulespec.typed.meaning`), equal for rules with identical games.
        sources_hash: the hash of all texts, in the order of files and overlays, including display texts.
        sources: texts of the files by name.
        located: the folder and relative name of each of these files.
        place: the source of the files.
        listed: rules of `rules.yaml` by id.
        layers: the number of each file's layer; overlays have higher numbers.
        titled: for each layer, lowest first, a folder and the relative path of its word file, without extension.
        homes: maps the id of each overlay that the reference names by path to its folder.
    """

    id: str
    ref: str
    reference: str
    title: str
    version: str
    hash: str
    sources_hash: str
    start: str
    declarations: Declarations
    rules: Rules
    folders: tuple[Path, ...]
    sources: Mapping[str, str]
    located: Mapping[str, tuple[Path, str]]
    place: FilePlace
    listed: Mapping[str, ListedRule]
    overlays: tuple[str, ...]
    offered: tuple[str, ...]
    layers: Mapping[str, int]
    titled: tuple[tuple[Path, str], ...]
    homes: Mapping[str, Path]

    def __repr__(self) -> str:
        low, high = self.players
        return f"<Ruleset {self.ref[:120]} {self.version[:40]}, {low} to {high} players>"

    def __deepcopy__(self, _: object) -> Ruleset:
        return self  # it is immutable, and copying a recursive procedure would not terminate

    @property
    def settings(self) -> dict[str, SettingDecl]:
        """The settings by name."""
        return self.declarations.settings

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kinds of entities by name."""
        return self.declarations.kinds

    @property
    def seats(self) -> tuple[str, ...]:
        """The names that the rules give to the first seats; empty if they name none."""
        return tuple(seat.name for seat in self.kinds[self.declarations.player_kind].entities)

    @property
    def players(self) -> tuple[int, int]:
        """The minimum and maximum number of seats."""
        return (self.declarations.min_players, self.declarations.max_players)
