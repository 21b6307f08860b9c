"""The intermediate form: cells, expressions, blocks. First-order, finite, all whole numbers; it could be C.

A game state is one list of integers. Cell 0 holds the block in which the game waits (a block that ends in `Decide` or
`End`), cell 1 the ending (0 while the game goes on, else the ending's number + 1), cell 2 the winners as a bit mask
(-1: the best score). Then come state, accounts, piece counts, and the locals of every procedure, each with its place;
a procedure that may call itself says how deep, and has rows for as many frames.

Truth values are 0 and 1, an entity is its index in its kind, none is -1, a set is a bit mask; orders are in `orders`.
A number that is none is `NO_NUMBER`.
"""

from __future__ import annotations

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.program.cells import CellName as CellName
from rulespec.engine.program.cells import Owner as Owner
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.records import Brief
from rulespec.types import Type

PC, ENDING, WINNERS = 0, 1, 2
END = 1
"""The block in which a game ends of itself. No procedure comes back to block 0, where games begin."""

# --- expressions ---------------------------------------------------------------------------


class Expr(Brief, Struct, frozen=True, gc=False):
    pass


class Const(Expr, frozen=True):
    value: int


class Cell(Expr, frozen=True):
    """The cell `base + index`; `size` cells belong to `base`."""

    base: int
    index: Expr
    size: int


class Local(Expr, frozen=True):
    """A variable bound inside an expression, or a parameter of an option or a definition."""

    slot: int


class Row(Expr, frozen=True):
    """A look-up in `Program.arrays[array]`."""

    array: int
    index: Expr


class Lookup(Expr, frozen=True):
    """A look-up in `Program.tables[table]`; a missing row is a fault at `site`."""

    table: int
    key: Expr
    site: int


class Op(Expr, frozen=True):
    """An operator on numbers (`rulespec.language.operators`). `site` is where a fault is reported."""

    op: str
    args: tuple[Expr, ...]
    site: int = 0


class Logic(Expr, frozen=True):
    """`and`, `or`, `??` (the first that is not none; `?number` for numbers), left to right with short circuit."""

    op: str
    args: tuple[Expr, ...]


class If(Expr, frozen=True):
    condition: Expr
    then: Expr
    other: Expr


class Fold(Expr, frozen=True):
    """`op` (count sum min max any all first set union) over the members of `source` in `slot`.

    Cyclic order from `start` where given (only `first`). `body` is the value (sum, min, max, union), the demand (all)
    or the mapped member (set); `default` the value of min and max without members.
    """

    op: str
    slot: int
    source: Expr
    start: Expr | None
    where: Expr | None
    body: Expr | None
    default: Expr | None


class Closure(Expr, frozen=True):
    """The least set that holds `start` and, with each member in `slot`, the set `step`."""

    slot: int
    start: Expr
    step: Expr


class Spread(Expr, frozen=True):
    """Least sums of costs over the ways from a set.

    Starts from the members of `start`, whose sum is 0: the open one with the least sum, the first among equals, is
    settled and put into `slot`; then for each member of `near` in `to` for which `where` holds, in order, the `cost` of
    the step is computed. A negative cost is a fault at `below`. A member with a smaller sum is reopened.

    With a `limit`: the set of all whose sum is not above it. With `until`: the sum of the first one settled, in `to`,
    for whom it holds, and `default` if there is none; a sum of more than 15 digits is a fault at `above`.
    `size` is the number of entities there are. `counted`: `near` counts the steps of all that is evaluated for whom is
    settled, so that a machine that counts nothing has none of them to count (see `count_work`).
    """

    slot: int
    to: int
    start: Expr
    limit: Expr | None
    until: Expr | None
    near: Expr
    where: Expr | None
    cost: Expr
    default: Expr | None
    below: int
    above: int
    size: int
    counted: bool = False


class PathSearch(Expr, frozen=True):
    """The paths that a parameter may be; no expression has one as a part.

    `slot` holds the path; the slots after it its last stop, a next stop, the count that is left, and for each of `uses`
    the set of entities used so far. A path begins at a member of `start` and continues with the members of `onward`. A
    step counts `cost`, all of them at most `within`, and uses an entity of each of `uses`; where `of_stops` is set that
    is one of the next stop, so the first stop uses one as well. `whole`: only paths without a further step count.
    `size` is the number of entities of the kind.
    """

    slot: int
    start: Expr
    within: Expr
    onward: Expr
    cost: Expr
    uses: tuple[Expr, ...]
    of_stops: tuple[bool, ...]
    whole: bool
    size: int

    @property
    def at(self) -> int:
        """The slot of the last stop."""
        return self.slot + 1

    @property
    def to(self) -> int:
        """The slot of a next stop."""
        return self.slot + 2

    @property
    def left(self) -> int:
        """The slot of what may still be counted."""
        return self.slot + 3

    @property
    def used(self) -> range:
        """The slots of what has been used."""
        return range(self.slot + 4, self.slot + 4 + len(self.uses))


class Ranked(Expr, frozen=True):
    """The members of `source` in `slot` by their `keys`, the first of which counts most.

    `first`: the one with the least keys, -1 if there is none; of equals the one that comes first in cyclic order from
    `start`. `best`: the set of all with the greatest keys. `order`: all of them as an order, the least first,
    those with equal keys, or without any, as they come; `bits` are those of a member in it.
    """

    op: str
    slot: int
    source: Expr
    start: Expr | None
    where: Expr | None
    keys: tuple[Expr, ...]
    bits: int


class Call(Expr, frozen=True):
    function: int
    args: tuple[Expr, ...]


class Suppose(Expr, frozen=True):
    """`body` after a hypothetical call that neither asks nor ends the game; the state is rolled back.

    `block` is the procedure's first block, `back` the cell of its return address, `params` are the cells of its
    parameters. More than `MAX_ONCE_STEPS` steps of it are a fault at `site`. `counted`: its steps are counted when it
    runs, and not at their bound by the expression around it (made by `count_work`).
    """

    block: int
    back: int
    params: tuple[int, ...]
    args: tuple[Expr, ...]
    body: Expr
    site: int
    counted: bool = False


class Positive(Expr, frozen=True):
    """The set of those i < `count` whose cell `base + index + i * stride` is positive (made by passes).

    `size` is the number of cells from `base` on.
    """

    base: int
    index: Expr
    count: int
    stride: int
    size: int


class Total(Expr, frozen=True):
    """The sum of the cells `base + index + i * stride` for all i < `count` (made by passes)."""

    base: int
    index: Expr
    count: int
    stride: int


class Inverse(Expr, frozen=True):
    """The set of those i with `Program.arrays[array][i]` equal to `value` (made by passes)."""

    array: int
    value: Expr


class Held(Expr, frozen=True):
    """The set of those i < `count` for whose cell `base + i` `Program.arrays[array]` gives `value` (made by passes)."""

    base: int
    count: int
    array: int
    value: Expr


class Function(Brief, Struct, frozen=True, gc=False):
    """A definition: parameters in the slots 0 … n-1, `lets` as (slot, value), then a value.

    `steps`: the steps that it counts when it is called, once `lets` are known; None if its callers count them (made by
    `count_work`).
    """

    name: str
    params: int
    lets: tuple[tuple[int, Expr], ...]
    body: Expr
    steps: Expr | None = None


# --- instructions --------------------------------------------------------------------------


class Instruction(Brief, Struct, frozen=True, gc=False):
    pass


class Store(Instruction, frozen=True):
    """Assigns a cell; a value outside `low` … `high` is a fault at `site`; but none may be stored with `none`."""

    target: Cell
    value: Expr
    low: int | None
    high: int | None
    site: int
    none: bool = False


class Transfer(Instruction, frozen=True):
    """Moves `amount` between cells. A negative amount, or more than available (unless unlimited), is a fault."""

    source: Cell
    target: Cell
    amount: Expr
    unlimited: bool
    site: int


class Check(Instruction, frozen=True):
    """A fault at `site` unless the condition holds."""

    condition: Expr
    site: int


class Clear(Instruction, frozen=True):
    """Zeroes a finished procedure's locals, or a taken option's arguments, so that equal positions are equal."""

    base: int
    size: int


# --- how a block ends ----------------------------------------------------------------------


class Exit(Brief, Struct, frozen=True, gc=False):
    pass


class Goto(Exit, frozen=True):
    block: int


class Branch(Exit, frozen=True):
    """A condition.

    `within`: among the members of a loop's set, which are tried one by one, it holds for these at most. It follows from
    the condition: a machine that tests every member may ignore it.
    """

    condition: Expr
    yes: int
    no: int
    within: Expr | None = None


class Switch(Exit, frozen=True):
    value: Expr
    cases: tuple[tuple[int, int], ...]
    other: int


class Enter(Exit, frozen=True):
    """Calls the procedure at a block, with return to the block `after`.

    The cell `back` of the procedure holds the return address, unless this is its `usual` call: then it stays zero.
    """

    block: int
    after: int
    back: int
    usual: bool


class Return(Exit, frozen=True):
    """Returns to the block whose number is in a cell, or to that after the `usual` call if the cell is empty."""

    cell: int
    usual: int


class Ask(Exit, frozen=True):
    """Waits for a decision; without a legal option, continues at `otherwise` if that is a block."""

    decision: int
    otherwise: int | None = None


class End(Exit, frozen=True):
    """The game is over. `ending` indexes `Program.endings`."""

    ending: int
    winners: Expr | None


class Block(Brief, Struct):
    body: list[Instruction] = []
    exit: Exit | None = None


# --- decisions -----------------------------------------------------------------------------


class Shown(Brief, Struct, frozen=True, gc=False):
    """A value to show to a person: its source text, and its type: a kind's name, "int", "bool", or "set kind".

    `after` is the name of a procedure after which it has this value, and `args` are the arguments of the procedure.
    """

    text: str
    type: str
    expr: Expr
    after: str = ""
    args: tuple[Shown, ...] = ()


class Condition(Brief, Struct, frozen=True, gc=False):
    """A condition, with the reason and the values to show when it fails.

    `lets` are slots and their values, which are evaluated before it, in order; later conditions of the same option read
    them, too.
    """

    expr: Expr
    reason: str
    text: str
    shown: tuple[Shown, ...]
    span: Span
    lets: tuple[tuple[int, Expr], ...] = ()


class Param(Brief, Struct, frozen=True, gc=False):
    """A parameter: the members of a set, or the numbers `low` … `high`; first in `slot`, once chosen in `cell`.

    After these stands none, as the last, if `type` ends in `?`.
    `steps` is the cost of each value when the options are listed; 0 if they are not counted. With `tested`, the test of
    the value is counted, too, so that no value may be left out before. Both are made by `count_work`.
    `private`: besides the decider, only the set `to` of seats sees the value, which is in its slot then.
    `alike`: among alike tokens, the first for which the option is legal stands for all.
    If `low` is a `PathSearch`, the value is a path.
    `several`: the value is a set of members of `low`, or a bag of its pieces if `type` is a bag; these two numbers are
    its least and its greatest size.
    """

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
    steps: int = 0
    tested: bool = False
    private: bool = False
    to: Expr | None = None
    alike: bool = False
    several: tuple[Expr, Expr] | None = None

    @property
    def domain(self) -> list[Expr]:
        """The expressions of the values that it may have, in the order of their evaluation."""
        return [self.low, *([self.high] if self.high is not None else []), *(self.several or ())]

    @property
    def walk(self) -> PathSearch | None:
        """The paths that it may be; None if it is no path."""
        return self.low if isinstance(self.low, PathSearch) else None

    @property
    def is_composite(self) -> bool:
        """Whether the value is a set, a bag or a path."""
        return self.several is not None or self.walk is not None

    @property
    def is_bag(self) -> bool:
        """Whether the value is a bag."""
        return self.type.startswith("bag ")

    @property
    def none(self) -> int | None:
        """The number for the value none; None if it is not a value."""
        return none_of(self.type)


def none_of(type_: str) -> int | None:
    """The number for none, if a parameter of a type may be none."""
    return None if type_[-1:] != "?" else NO_NUMBER if type_ == "int?" else -1


class Choice(Brief, Struct, frozen=True, gc=False):
    """An option of a decision; `by` is its possible actors, if not the decider.

    `depths`: the places where its conditions are tested (see `option_tests`), if fixed. `steps`: the most steps to list
    its arguments, besides those of each value of a parameter. Both are made by `count_work`.
    `weight`: by chance; `policy`: that in playouts, if a seat decides.
    """

    name: str
    params: tuple[Param, ...]
    by: Expr | None
    weight: Expr | None
    requires: tuple[Condition, ...]
    block: int
    doc: str
    span: Span
    depths: tuple[int, ...] | None = None
    steps: int = 0
    policy: int = 1


class Decision(Brief, Struct, frozen=True, gc=False):
    """A decision of the seat `by` (None for chance).

    Where `among` is a set of seats, any of them may take it, and `by` is the one of them who leads.
    Where it is taken together, others choose at the same time, and nobody is shown this choice yet: `held` are the
    cells, seat by seat, that hold the number of the choice + 1, or 0 while the seat has not chosen; `all` is the set of
    the seats that are asked.
    `counted`: listing the options may take so long that all its steps are counted (made by `count_work`).
    """

    name: str
    doc: str
    by: Expr | None
    held: tuple[int, ...]
    choices: tuple[Choice, ...]
    block: int
    span: Span
    among: Expr | None = None
    all: Expr | None = None
    counted: bool = False


class Invariant(Brief, Struct, frozen=True, gc=False):
    """`each`: a slot, and a set of members to test in it (made by passes)."""

    name: str
    condition: Condition
    each: tuple[int, int] | None = None


class Tiebreak(Brief, Struct, frozen=True, gc=False):
    slot: int
    source: Expr | None
    key: Expr | None
    value: Expr


class Scoring(Brief, Struct, frozen=True, gc=False):
    """`score` and `tiebreaks` with the player in slot 0."""

    score: Expr
    tiebreaks: tuple[Tiebreak, ...]


class PositionValue(Brief, Struct, frozen=True, gc=False):
    """The value of a position to the seat in slot 0; `shared` values are the same for all seats.

    A measure is computed as one, too: `size` is the number of seats, or other entities, that may be in slot 0.
    `decides` is the difference that nearly decides a game, `horizon` the decisions after which a playout is cut off.
    """

    name: str
    value: Expr
    shared: bool
    decides: int
    horizon: int
    size: int


class Secret(Brief, Struct, frozen=True, gc=False):
    """Neighbouring cells hidden from some seats, one for each tuple of entities.

    `sizes` are the numbers of the entities of each kind. With the entities in slots 0, 1, …,
    `to` is the set of the seats that see the cell, and while `open` holds everybody does. `counted`: everybody sees the
    sum over the `alike` kinds, which are numbered in `sizes`; for cells with places of tokens, the number of tokens in
    each of these `places`.
    """

    cells: range
    sizes: tuple[int, ...]
    to: Expr
    open: Expr | None
    counted: bool
    alike: frozenset[int]
    places: tuple[int, ...] = ()


class Alike(Brief, Struct, frozen=True, gc=False):
    """Tokens of a kind that are alike if their owner and `fields` are equal, unless something names one.

    Attributes:
        number: their number for each owner, side by side.
        fields: the first cells of their place and state.
        named: cells of the state that hold one of them, a set or an order of them.
        live: block → the variables that hold such, and may still be read when a game waits there, or comes back there.
        revealed: those of them that may hold something derived from private state.
    """

    number: int
    fields: tuple[int, ...]
    named: tuple[int, ...]
    live: dict[int, tuple[int, ...]]
    revealed: frozenset[int]


class CallRows(Brief, Struct, frozen=True, gc=False):
    """Rows of cells for the variables of a procedure that may call itself, while such a call is under way.

    Attributes:
        depth: the cell that says how many frames are kept; that of the latest call is the last one.
        size: the most frames that are kept.
        rows: a variable, or the cell that says where the procedure returns to → its row of `size` cells.
        afters: the blocks where such calls come back, which begin by taking the variables out of their rows.
    """

    depth: int
    size: int
    rows: dict[int, int]
    afters: frozenset[int]


class Aside(Brief, Struct, frozen=True, gc=False):
    """An expression that no rule asks for, over `params` numbers in its first slots: words and pages ask for it."""

    params: int
    value: Expr


class Program(Brief, Struct):
    """A ruleset for a number of seats and the values of its settings."""

    seats: int
    blocks: list[Block] = []
    functions: list[Function] = []
    arrays: list[tuple[int, ...]] = []
    tables: list[dict[int, int]] = []
    decisions: list[Decision] = []
    invariants: list[Invariant] = []
    scoring: Scoring | None = None
    values: tuple[PositionValue, ...] = ()
    stakes: int = 0
    """The most points by which a seat ends above or below the average, if bots play for points; 0: they play to win."""
    asides: tuple[Aside, ...] = ()
    endings: list[str] = []
    sites: list[tuple[Span, str]] = []
    members: dict[int, tuple[str, ...]] = {}
    """A site where a set may be at fault → the names of its possible members."""
    start: list[int] = []
    """The state before the first block has run."""
    cells: list[CellName] = []
    declared: list[int] = []
    """The cells of the state in the order of the declarations, in which people read them."""
    tokens: dict[int, int] = {}
    """The first cell with the place of tokens of a kind → the array of the places, each of which is itself."""
    few: dict[int, int] = {}
    """The first cell of other state that is one of a few entities → the array of these, each itself, and none."""
    rows: set[int] = set()
    """The cells of tables and frames of procedures: variables that are found by an index, and stay in their cells."""
    alike: dict[str, Alike] = {}
    """Kind → its tokens, if they are alike."""
    secrets: list[Secret] = []
    entries: dict[str, tuple[int, tuple[int, ...]]] = {}
    """Procedure → its first block and the cells of its parameters: a game may start there."""
    frames: dict[int, CallRows] = {}
    """The first block of a procedure that may call itself → where it keeps its variables."""
    main: int = 0
    sizes: dict[str, int] = {}
    """Kind → the number of its entities in this game."""
    known: dict[int, dict[str, tuple[Type, Expr]]] = {}
    """Decision → the variables of the rules where it is asked: type and value by name. Only words read them."""
    slots: int = 0
    """The number of expression slots that suffice for all but definitions, which have their own."""

    def arguments(self) -> dict[int, tuple[int, ...]]:
        """Option block → the cells of its parameters, which are zero until it is taken."""
        return {c.block: tuple([q.cell for q in c.params]) for d in self.decisions for c in d.choices}

    def asked(self) -> dict[int, int]:
        """The blocks in which a game waits, each with the number of its decision."""
        return {i: b.exit.decision for i, b in enumerate(self.blocks) if isinstance(b.exit, Ask)}
