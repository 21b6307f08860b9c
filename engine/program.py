"""The intermediate form: cells, expressions, blocks. First-order, finite, all whole numbers; it could be C.

A game state is one list of integers. Cell 0 holds the block in which the game waits (a block that ends in `Decide` or
`End`), cell 1 the ending (0 while the game goes on, else the ending's number + 1), cell 2 the winners as a bit mask
(-1: the best score). Then come state, accounts, piece counts, and the locals of every procedure: nothing is recursive,
so each has its place.

Truth values are 0 and 1, an entity is its index in its kind, none is -1, a set is a bit mask.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rulespec.diagnostics import Span

PC, ENDING, WINNERS = 0, 1, 2

# --- expressions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expr:
    pass


@dataclass(frozen=True, slots=True)
class Const(Expr):
    value: int


@dataclass(frozen=True, slots=True)
class Cell(Expr):
    """The cell `base + index`; `size` is how many there are from `base` on."""

    base: int
    index: Expr
    size: int


@dataclass(frozen=True, slots=True)
class Local(Expr):
    """A variable bound inside an expression, or a parameter of an option or a definition."""

    slot: int


@dataclass(frozen=True, slots=True)
class Row(Expr):
    """A look-up in `Program.arrays[array]`."""

    array: int
    index: Expr


@dataclass(frozen=True, slots=True)
class Lookup(Expr):
    """A look-up in `Program.tables[table]`; a missing row is a fault at `site`."""

    table: int
    key: Expr
    site: int


@dataclass(frozen=True, slots=True)
class Op(Expr):
    """An operator on numbers. `site` is where a fault (a division by zero) is reported.

    neg not + - * mul / % == != < <= > >= | & diff in in? bit min max abs count pick next
    `in`: element, set; `in?`: the element may be none. `mul`: a product whose size is bounded.
    `pick`: set, start: the first member from start on, cyclic; -1 if the set is empty. `next`: index, size of the kind.
    """

    op: str
    args: tuple[Expr, ...]
    site: int = 0


@dataclass(frozen=True, slots=True)
class Logic(Expr):
    """`and`, `or` and `??` (the first value that is not none), left to right; what decides ends it."""

    op: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class If(Expr):
    condition: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class Fold(Expr):
    """`op` (count sum min max any all first set union) over the members of `source` in `slot`.

    Cyclic order from `start` where given (only `first`). `body` is the value (sum, min, max, union), the demand (all)
    or the mapped member (set); `default` what min and max are without members.
    """

    op: str
    slot: int
    source: Expr
    start: Expr | None
    where: Expr | None
    body: Expr | None
    default: Expr | None


@dataclass(frozen=True, slots=True)
class Closure(Expr):
    """The least set that holds `start` and, with each member in `slot`, the set `step`."""

    slot: int
    start: Expr
    step: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    function: int
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Positive(Expr):
    """The set of those i < `count` for which the cell `base + index + i * stride` is above zero (made by passes)."""

    base: int
    index: Expr
    count: int
    stride: int


@dataclass(frozen=True, slots=True)
class Total(Expr):
    """The sum of the cells `base + index + i * stride` for all i < `count` (made by passes)."""

    base: int
    index: Expr
    count: int
    stride: int


@dataclass(frozen=True, slots=True)
class Inverse(Expr):
    """The set of those i for which `Program.arrays[array][i]` is `value` (made by passes)."""

    array: int
    value: Expr


@dataclass(frozen=True, slots=True)
class Function:
    """A definition: parameters in the slots 0 … n-1, `lets` as (slot, value), then a value."""

    name: str
    params: int
    lets: tuple[tuple[int, Expr], ...]
    body: Expr


# --- instructions --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Instruction:
    pass


@dataclass(frozen=True, slots=True)
class Store(Instruction):
    """Assigns a cell; a value outside `low` … `high` is a fault at `site`."""

    target: Cell
    value: Expr
    low: int | None
    high: int | None
    site: int


@dataclass(frozen=True, slots=True)
class Transfer(Instruction):
    """Moves `amount` between cells. Less than nothing, or more than there is (unless unlimited), is a fault."""

    source: Cell
    target: Cell
    amount: Expr
    unlimited: bool
    site: int


@dataclass(frozen=True, slots=True)
class Clear(Instruction):
    """Zeroes the locals of a procedure that is left, so that equal positions are equal states."""

    base: int
    size: int


# --- how a block ends ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exit:
    pass


@dataclass(frozen=True, slots=True)
class Goto(Exit):
    block: int


@dataclass(frozen=True, slots=True)
class Branch(Exit):
    condition: Expr
    yes: int
    no: int


@dataclass(frozen=True, slots=True)
class Switch(Exit):
    value: Expr
    cases: tuple[tuple[int, int], ...]
    other: int


@dataclass(frozen=True, slots=True)
class Return(Exit):
    """Goes on at the block whose number is in a cell."""

    cell: int


@dataclass(frozen=True, slots=True)
class Ask(Exit):
    """Waits for a decision."""

    decision: int


@dataclass(frozen=True, slots=True)
class End(Exit):
    """The game is over. `ending` indexes `Program.endings`; -1 if a called procedure has just come to its end."""

    ending: int
    winners: Expr | None


@dataclass(slots=True)
class Block:
    body: list[Instruction] = field(default_factory=list)
    exit: Exit | None = None


# --- decisions -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """How to show a value to a person: a kind's name, "int", "bool", or "set kind"; and the text it stands for."""

    text: str
    type: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition with what is told when it fails."""

    expr: Expr
    reason: str
    text: str
    shown: tuple[Shown, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: the members of a set, or the numbers `low` … `high`; first in `slot`, once chosen in `cell`."""

    name: str
    type: str
    slot: int
    cell: int
    low: Expr
    high: Expr | None
    where: Condition | None
    reason: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a decision; `by` is who may take it, if not the decider."""

    name: str
    params: tuple[Param, ...]
    by: Expr | None
    weight: Expr | None
    requires: tuple[Condition, ...]
    block: int
    doc: str
    span: Span


@dataclass(frozen=True, slots=True)
class Decision:
    """`by` is None for chance. `together`: others choose at the same time, so nobody is shown this choice yet."""

    name: str
    doc: str
    by: Expr | None
    together: bool
    choices: tuple[Choice, ...]
    block: int
    span: Span


@dataclass(frozen=True, slots=True)
class Invariant:
    name: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class Tiebreak:
    slot: int
    source: Expr | None
    key: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Scoring:
    """`score` and `tiebreaks` with the player in slot 0."""

    score: Expr
    tiebreaks: tuple[Tiebreak, ...]


@dataclass(frozen=True, slots=True)
class CellName:
    """What a cell is.

    `group` is a kind, "game", "pieces" or "rules" (locals). `owner` names the entity or pile (seats by their numbers),
    `name` the field or the type of pieces; `index` is the place's entity of the kind `index_kind`, if it has one.
    """

    group: str
    owner: str
    name: str
    type: str
    place: str = ""
    index_kind: str = ""
    index: int = -1
    private: str = ""


@dataclass(slots=True)
class Program:
    """What a ruleset becomes for a number of seats and a choice of options."""

    seats: int
    blocks: list[Block] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    arrays: list[tuple[int, ...]] = field(default_factory=list)
    tables: list[dict[int, int]] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    invariants: list[Invariant] = field(default_factory=list)
    scoring: Scoring | None = None
    endings: list[str] = field(default_factory=list)
    sites: list[tuple[Span, str]] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    """The state before the first block has run."""
    cells: list[CellName] = field(default_factory=list)
    entries: dict[str, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    """Procedure → its first block and the cells of its parameters: a game may start there."""
    main: int = 0
    slots: int = 0
    """The number of expression slots that suffice for everything."""
