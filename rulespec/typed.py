"""The typed form of a ruleset: every name resolved, every expression with its type, nothing left to guess.

This is what the checker makes and the engine lowers. It depends neither on the number of seats nor on options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rulespec.ast import OptionGroup
from rulespec.diagnostics import Span
from rulespec.rule_ids import ListedRule
from rulespec.types import Type

# --- declarations --------------------------------------------------------------------------


@dataclass(slots=True)
class Unit:
    name: str
    span: Span


@dataclass(slots=True)
class Entity:
    name: str
    title: str
    span: Span
    doc: str = ""


@dataclass(slots=True)
class FactDecl:
    """A fact of a kind; `values` holds one number per entity (an index, a truth value, a bit mask, -1 for none).

    `type_span` is where its type is written, if it is.
    """

    name: str
    type: Type
    span: Span
    values: list[int] = field(default_factory=list)
    type_span: Span | None = None


@dataclass(eq=False, slots=True)
class FieldDecl:
    """A state field or an account, of every entity of `kind` or of the game as a whole (kind "").

    `private` is the name of the option that hides it from other players, "true" if it is always hidden, or "";
    `type_span` is where its type or unit is written.
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
    private: str = ""
    type_span: Span | None = None


@dataclass(eq=False, slots=True)
class Kind:
    """A kind of entities. The players' kind has no entities of its own: one per seat, when a game begins."""

    name: str
    span: Span
    entities: list[Entity] = field(default_factory=list)
    facts: dict[str, FactDecl] = field(default_factory=dict)
    state: dict[str, FieldDecl] = field(default_factory=dict)
    product: tuple[str, ...] = ()
    is_player: bool = False
    implicit: bool = False
    doc: str = ""
    index: dict[str, int] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class PlaceDecl:
    name: str
    index: str
    span: Span


@dataclass(eq=False, slots=True)
class PieceDecl:
    """A type of pieces: one pile of counts for each tuple of `each` entities, spread over places."""

    name: str
    each: tuple[str, ...]
    places: dict[str, PlaceDecl]
    span: Span


@dataclass(eq=False, slots=True)
class TableDecl:
    name: str
    keys: tuple[Type, ...]
    value: Type
    rows: dict[tuple[int, ...], int]
    span: Span
    key_span: Span
    value_span: Span


@dataclass(eq=False, slots=True)
class TrackDecl:
    """A ring (`upto` is empty) or a line of spaces, which are the entities of `kind`."""

    name: str
    kind: str
    ring: bool
    unit: str
    upto: list[int]
    span: Span
    unit_span: Span


@dataclass(eq=False, slots=True)
class ConstantDecl:
    name: str
    type: Type
    value: int
    span: Span


@dataclass(eq=False, slots=True)
class OptionDecl:
    """A switch of the ruleset; `values` is None for a bool."""

    name: str
    values: tuple[str, ...] | None
    default: str
    doc: str
    span: Span


@dataclass(eq=False, slots=True)
class Placement:
    """A start value from the set-up file: `keys` say what it is for, an entity or a variable that is each of a kind."""

    target: FieldDecl | tuple[PieceDecl, PlaceDecl]
    keys: tuple[int | Var, ...]
    value: Expr
    players: int | None
    span: Span


# --- expressions ---------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Var:
    """A local, a parameter or a bound variable."""

    name: str
    type: Type
    span: Span
    reads: int = 0


@dataclass(frozen=True, slots=True)
class Expr:
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Lit(Expr):
    """A number, truth value (0, 1), entity (its index), none (-1) or set (a bit mask)."""

    value: int


@dataclass(frozen=True, slots=True)
class Seats(Expr):
    """The number of seats."""


@dataclass(frozen=True, slots=True)
class OptionValue(Expr):
    option: OptionDecl


@dataclass(frozen=True, slots=True)
class Local(Expr):
    var: Var


@dataclass(frozen=True, slots=True)
class Field(Expr):
    """State or an account, of an entity or (owner None) of the game."""

    decl: FieldDecl
    owner: Expr | None


@dataclass(frozen=True, slots=True)
class Fact(Expr):
    decl: FactDecl
    owner: Expr


@dataclass(frozen=True, slots=True)
class PieceCount(Expr):
    piece: PieceDecl
    ids: tuple[Expr, ...]
    place: PlaceDecl
    index: Expr | None


@dataclass(frozen=True, slots=True)
class TableRow(Expr):
    table: TableDecl
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ProductEntity(Expr):
    """The entity of a product kind that is made of the given ones."""

    kind: Kind
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class KindSet(Expr):
    """All entities of a kind."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Call(Expr):
    definition: Definition
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Op(Expr):
    """An operator or built-in.

    neg not + - * / % == != < <= > >= and or in | & diff ?? none some min max abs count set index next
    """

    op: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class TrackOp(Expr):
    """`steps` and `ahead` on a ring, `space` on a line."""

    op: str
    track: TrackDecl
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Choice(Expr):
    condition: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class Binder:
    """A variable that runs over a set, in kind order or in cyclic order from or after `start`."""

    var: Var
    source: Expr
    order: str
    start: Expr | None
    where: Expr | None


@dataclass(frozen=True, slots=True)
class Each(Expr):
    op: str
    binder: Binder
    body: Expr | None
    default: Expr | None


@dataclass(frozen=True, slots=True)
class Reach(Expr):
    var: Var
    start: Expr
    step: Expr


# --- statements ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stmt:
    span: Span


Block = tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Let(Stmt):
    var: Var
    value: Expr


@dataclass(frozen=True, slots=True)
class Assign(Stmt):
    target: Local | Field
    value: Expr


@dataclass(frozen=True, slots=True)
class Transfer(Stmt):
    """`pay` and `move`: the same thing between two accounts, or between two places of one pile."""

    amount: Expr
    source: Field | PieceCount
    target: Field | PieceCount


@dataclass(frozen=True, slots=True)
class CallProcedure(Stmt):
    procedure: Procedure
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class EndGame(Stmt):
    ending: str
    winners: Expr | None


@dataclass(frozen=True, slots=True)
class Jump(Stmt):
    word: str


@dataclass(frozen=True, slots=True)
class If(Stmt):
    branches: tuple[tuple[Expr | None, Block], ...]


@dataclass(frozen=True, slots=True)
class Match(Stmt):
    """`cases` maps sets of entity indices to blocks; `other` is None if the cases are exhaustive.

    `places` are where the cases are written.
    """

    subject: Expr
    cases: tuple[tuple[tuple[int, ...], Block], ...]
    other: Block | None
    places: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class For(Stmt):
    binder: Binder
    body: Block


@dataclass(frozen=True, slots=True)
class Repeat(Stmt):
    limit: Expr | None
    body: Block


@dataclass(frozen=True, slots=True)
class OptionParam:
    """A parameter of an option: a set (`high` None) or the numbers `low` … `high`."""

    var: Var
    low: Expr
    high: Expr | None
    where: Expr | None
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Requirement:
    condition: Expr
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class OptionDef:
    name: str
    params: tuple[OptionParam, ...]
    by: Expr | None
    weight: Expr | None
    requires: tuple[Requirement, ...]
    body: Block
    doc: str
    span: Span


@dataclass(frozen=True, slots=True)
class Decide(Stmt):
    """`form` is decide, chance or together."""

    form: str
    name: str
    by: Expr | None
    each: Binder | None
    doc: str
    options: tuple[OptionDef, ...]


# --- rules ---------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Definition:
    name: str
    params: tuple[Var, ...]
    result: Type
    doc: str
    span: Span
    result_span: Span
    lets: tuple[tuple[Var, Expr], ...] = ()
    body: Expr | None = None


@dataclass(eq=False, slots=True)
class Procedure:
    name: str
    params: tuple[Var, ...]
    doc: str
    span: Span
    body: Block = ()


@dataclass(frozen=True, slots=True)
class Invariant:
    name: str
    doc: str
    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Tiebreak:
    """A value, or (var, source, key): the values for the members of source, those with the highest key first."""

    var: Var | None
    source: Expr | None
    key: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Scoring:
    var: Var
    score: Expr
    tiebreaks: tuple[Tiebreak, ...]
    doc: str
    span: Span


Declared = Unit | Kind | Entity | FactDecl | FieldDecl | PieceDecl | PlaceDecl | TableDecl | TrackDecl | ConstantDecl
Named = Declared | OptionDecl | Var | Definition | Procedure | OptionGroup
"""What a name in a ruleset may stand for."""


@dataclass(eq=False, slots=True)
class Declarations:
    """Everything that has a name, but no rule."""

    units: dict[str, Span] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    fields: dict[str, FieldDecl] = field(default_factory=dict)
    pieces: dict[str, PieceDecl] = field(default_factory=dict)
    tables: dict[str, TableDecl] = field(default_factory=dict)
    tracks: dict[str, TrackDecl] = field(default_factory=dict)
    constants: dict[str, ConstantDecl] = field(default_factory=dict)
    options: dict[str, OptionDecl] = field(default_factory=dict)
    placements: list[Placement] = field(default_factory=list)
    entities: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    player_kind: str = ""
    min_players: int = 1
    max_players: int = 1
    used: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    """Names whose declaration has been reported: what mentions them is not reported too."""
    references: dict[Span, Named] = field(default_factory=dict)
    """What the names in the files stand for, by the place of the name; for editors."""

    def refer(self, span: Span, named: Named) -> None:
        """Notes what a name stands for. Of options that several decisions include the first one counts."""
        self.references.setdefault(span, named)

    def add_entity(self, kind: Kind, entity: Entity) -> None:
        """Adds an entity to its kind and to the names that rules may write."""
        kind.index[entity.name] = len(kind.entities)
        self.entities.setdefault(entity.name, []).append((kind.name, len(kind.entities)))
        kind.entities.append(entity)


@dataclass(eq=False, slots=True)
class Rules:
    definitions: dict[str, Definition] = field(default_factory=dict)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    invariants: dict[str, Invariant] = field(default_factory=dict)
    scoring: Scoring | None = None


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A checked ruleset. Immutable by convention: nothing changes it once the checker has returned it.

    `hash` is that of its content (files and overlays, in order); `sources` maps file names to their text; `listed` are
    the rules of its `rules.yaml` by id; `homes` maps the overlays that the reference named by their path to the folder
    they lie in.
    """

    id: str
    ref: str
    title: str
    version: str
    hash: str
    start: str
    declarations: Declarations
    rules: Rules
    folders: tuple[Path, ...]
    sources: Mapping[str, str]
    listed: Mapping[str, ListedRule]
    overlays: tuple[str, ...]
    offered: tuple[str, ...]
    homes: Mapping[str, Path]

    @property
    def options(self) -> dict[str, OptionDecl]:
        """What a table may switch."""
        return self.declarations.options

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kinds of entities by name."""
        return self.declarations.kinds

    @property
    def players(self) -> tuple[int, int]:
        """Least and greatest number of seats."""
        return (self.declarations.min_players, self.declarations.max_players)
