"""The intermediate form: cells, expressions, blocks. First-order, finite, all integers; it could be C.

A game state is one list of integers. Cell 0 holds the block where the game waits (a block that ends in `Decide` or
`End`), cell 1 the ending (0 until the game ends, then the ending's number + 1), cell 2 the winners as a bit mask (-1:
the best score). Then come state, accounts, piece counts, and the locals of every procedure, each in its own cell; a
recursive procedure has a depth, and rows for that many frames.

Truth values are 0 and 1, an entity is its index in its kind, none is -1, a set is a bit mask; for orders see `orders`.
The number for none is `NO_NUMBER`.
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
    """The cell `base + index`, within the `size` cells from `base`."""

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
    """An operator on numbers (`rulespec.language.operators`); faults are reported at `site`."""

    op: str
    args: tuple[Expr, ...]
    site: int = 0


class Logic(Expr, frozen=True):
    """`and`, `or`, `??` (the first that is not none; `?number` for numbers): left to right, short-circuiting."""

    op: str
    args: tuple[Expr, ...]


class If(Expr, frozen=True):
    condition: Expr
    then: Expr
    other: Expr


class Fold(Expr, frozen=True):
    """`op` (count sum min max any all first set union) over the members of `source` in `slot`.

    In cyclic order from `start`, if given (only `first`). `body` is the value (sum, min, max, union), the condition
    (all) or the mapped member (set); `default` is the value of min and max for an empty set.
    """

    op: str
    slot: int
    source: Expr
    start: Expr | None
    where: Expr | None
    body: Expr | None
    default: Expr | None


class Closure(Expr, frozen=True):
    """The least set that contains `start` and, for each member in `slot`, the set `step`."""

    slot: int
    start: Expr
    step: Expr


class Spread(Expr, frozen=True):
    """Minimum path costs from a set.

    Dijkstra's algorithm from the members of `start`, with cost 0: the open member of minimum cost, the first among
    equals, is settled and put into `slot`; then for each member of `near` in `to` that satisfies `where`, in order, the
    `cost` of the step is computed. A negative cost is a fault at `below`. A member that gets a smaller cost is
    reopened.

    With `limit`: the set of all members within this cost. With `until`: the cost of the first settled member, in `to`,
    that satisfies it, or `default`; a cost of more than 15 digits is a fault at `above`.
    `size` is the number of entities. `counted`: `near` counts the steps of everything evaluated per settled member, so
    that a machine without step counting has none to count (see `count_work`).
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
    """The possible paths of a parameter, or the result of a search among paths.

    `slot` holds the path; the slots after it hold its last stop, a next stop, the remaining cost, and for each of
    `uses` the set of entities used so far. A path begins at a member of `start` and continues with the members of
    `onward`. A step costs `cost`, in total at most `within`, and uses an entity of each of `uses`; with `of_stops`, the
    entity belongs to the next stop, so the first stop uses one as well. `whole`: only maximal paths. `size` is the
    number of entities of the kind; `use_kinds` are the names of the kinds of `uses`.

    `finds` is empty for a parameter. `trail`: the set of all stops, including the first ones; the search ends with the
    last of `reachable`. `longest`: the maximum `worth` of the paths in `slot` that satisfy `where`; without one,
    `default`. Too many path prefixes are a fault at `site`. `steps`: counted for each visited prefix, instead of by the
    surrounding expression (made by `count_work`).
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
    use_kinds: tuple[str, ...] = ()
    finds: str = ""
    reachable: Expr | None = None
    where: Expr | None = None
    worth: Expr | None = None
    default: Expr | None = None
    site: int = 0
    steps: int = 0

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
        """The slot of the remaining cost."""
        return self.slot + 3

    @property
    def used(self) -> range:
        """The slots of the sets already used."""
        return range(self.slot + 4, self.slot + 4 + len(self.uses))


class Ranked(Expr, frozen=True):
    """The members of `source` in `slot`, ranked by `keys`, the first key first.

    `first`: the member with the least keys, or -1; among equals, the first in cyclic order from `start`. `best`: the
    set of all with the greatest keys. `order`: all of them as an ascending order, stable for equal or absent keys;
    `bits` is the width of a member in it.
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
    parameters. More than `MAX_ONCE_STEPS` steps are a fault at `site`. `counted`: its actual steps are counted, instead
    of their bound by the surrounding expression (made by `count_work`).
    """

    block: int
    back: int
    params: tuple[int, ...]
    args: tuple[Expr, ...]
    body: Expr
    site: int
    counted: bool = False


class Positive(Expr, frozen=True):
    """The set of all i < `count` whose cell `base + index + i * stride` is positive (made by passes).

    `size` is the number of cells from `base`.
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
    """The set of all i with `Program.arrays[array][i]` equal to `value` (made by passes)."""

    array: int
    value: Expr


class Held(Expr, frozen=True):
    """The set of all i < `count` for which `Program.arrays[array]` maps cell `base + i` to `value` (made by passes)."""

    base: int
    count: int
    array: int
    value: Expr


class Function(Brief, Struct, frozen=True, gc=False):
    """A definition: parameters in the slots 0 … n-1, `lets` as (slot, value), then a value.

    `steps`: the steps counted on a call, once `lets` are known; None if its callers count them (made by `count_work`).
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
    """Assigns a cell; a value outside `low` … `high` is a fault at `site`, except none with `none`."""

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
    """Zeroes a finished procedure's locals, or an option's arguments after use, so that equal positions are equal."""

    base: int
    size: int


# --- how a block ends ----------------------------------------------------------------------


class Exit(Brief, Struct, frozen=True, gc=False):
    pass


class Goto(Exit, frozen=True):
    block: int


class Branch(Exit, frozen=True):
    """A condition.

    `within`: an upper bound for the loop members that satisfy it, implied by the condition: a machine that tests every
    member may ignore it.
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

    The cell `back` of the procedure holds the return address; for its `usual` call it stays zero.
    """

    block: int
    after: int
    back: int
    usual: bool


class Return(Exit, frozen=True):
    """Returns to the block in a cell, or after the `usual` call if the cell is zero."""

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
    """A displayed value: its source text, and its type: a kind's name, "int", "bool", or "set kind".

    `after` is the name of a procedure that must run before, and `args` are its arguments.
    """

    text: str
    type: str
    expr: Expr
    after: str = ""
    args: tuple[Shown, ...] = ()


class Condition(Brief, Struct, frozen=True, gc=False):
    """A condition, with the reason and the values to show when it fails.

    `lets` are slots with values, evaluated before it in order; later conditions of the same option read them, too.
    """

    expr: Expr
    reason: str
    text: str
    shown: tuple[Shown, ...]
    span: Span
    lets: tuple[tuple[int, Expr], ...] = ()


class Param(Brief, Struct, frozen=True, gc=False):
    """A parameter: the members of a set, or the numbers `low` … `high`; first in `slot`, in `cell` once chosen.

    If `type` ends in `?`, none is the last value. `steps` is the cost of each value when the options are listed; 0 if
    not counted. With `tested`, it includes the test of the value, so that no value may be skipped before. Both are made
    by `count_work`. `private`: besides the decider, only the seats in the set `to` see the value, which is then in its
    slot. `alike`: among alike tokens, the first one with a legal option represents all. If `low` is a `PathSearch`, the
    value is a path. `several`: the value is a set of members of `low`, or a bag of its pieces if `type` is a bag; the
    two numbers are its minimum and maximum size.
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
        """The expressions for its possible values, in evaluation order."""
        return [self.low, *([self.high] if self.high is not None else []), *(self.several or ())]

    @property
    def walk(self) -> PathSearch | None:
        """Its possible paths; None if it is not a path."""
        return self.low if isinstance(self.low, PathSearch) and not self.low.finds else None

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
        """The number for none; None if none is not a value."""
        return none_of(self.type)


def none_of(type_: str) -> int | None:
    """The number for none, if a parameter of a type may be none."""
    return None if type_[-1:] != "?" else NO_NUMBER if type_ == "int?" else -1


class Choice(Brief, Struct, frozen=True, gc=False):
    """An option of a decision; `by` is the set of its possible actors, if not the decider.

    `depths`: where its conditions are tested (see `option_tests`), if fixed. `steps`: the maximum steps of listing its
    arguments, excluding steps per parameter value. Both are made by `count_work`.
    `weight`: its weight in chance; `policy`: its weight in playouts, if a seat decides.
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

    With `among`, a set of seats, any of them may take it, and `by` leads them. In a simultaneous decision, others
    choose at the same time, and no one sees this choice yet: `held` are the cells, by seat, for the number of the
    choice + 1, or 0 before the choice; `all` is the set of participating seats.
    `counted`: listing the options may take so long that all its steps are counted (made by `count_work`).
    `draft`: for a draft, the cell for whether anything is planned; otherwise 0.
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
    draft: int = 0


class Invariant(Brief, Struct, frozen=True, gc=False):
    """`each`: a slot, and the set of members to test in it (made by passes)."""

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

    Measures have the same form: then `size` is the number of seats, or of other entities, for slot 0.
    `decides` is a nearly decisive difference, `horizon` the number of decisions before a playout is cut off.
    """

    name: str
    value: Expr
    shared: bool
    decides: int
    horizon: int
    size: int


class Secret(Brief, Struct, frozen=True, gc=False):
    """Neighbouring cells hidden from some seats, one for each tuple of entities.

    `sizes` are the numbers of entities of each kind. With the entities in slots 0, 1, …, `to` is the set of seats that
    see the cell, which is public while `open` holds. `counted`: the sum over the `alike` kinds, given as indices into
    `sizes`, is public; for cells with places of tokens, the number of tokens in each of these `places`. A
    hidden token is in one of the places `within`.
    """

    cells: range
    sizes: tuple[int, ...]
    to: Expr
    open: Expr | None
    counted: bool
    alike: frozenset[int]
    places: tuple[int, ...] = ()
    within: frozenset[int] = frozenset()


class Alike(Brief, Struct, frozen=True, gc=False):
    """Tokens of a kind that are alike if their owner and `fields` are equal, unless something names one of them.

    Attributes:
        number: the number of adjacent tokens of each owner.
        fields: the first cells of their place and state.
        named: state cells that hold one of them, or a set or order of them.
        live: block → the variables with such a value that may still be read when a game waits or continues there.
        revealed: the live variables that may hold values derived from private state.
    """

    number: int
    fields: tuple[int, ...]
    named: tuple[int, ...]
    live: dict[int, tuple[int, ...]]
    revealed: frozenset[int]


class CallRows(Brief, Struct, frozen=True, gc=False):
    """Rows of cells for the variables of a recursive procedure during recursive calls.

    Attributes:
        depth: the cell with the number of saved frames; the latest call has the last one.
        size: the maximum number of frames.
        rows: cell of a variable or of the return address → its row of `size` cells.
        afters: the return targets of such calls, which begin by restoring the variables.
    """

    depth: int
    size: int
    rows: dict[int, int]
    afters: frozenset[int]


class Aside(Brief, Struct, frozen=True, gc=False):
    """An expression outside the rules, over `params` numbers in its first slots, for words and pages."""

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
    drafts: dict[int, dict[int, int]] = {}
    """The cell `Decision.draft` of each draft → a cell that it may change → that of its value from before."""
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

    def asked_in(self, block: int) -> int:
        """The number of the decision in a block; -1 if there is none."""
        exit_ = self.blocks[block].exit if 0 <= block < len(self.blocks) else None
        return exit_.decision if isinstance(exit_, Ask) else -1

    def asked(self) -> dict[int, int]:
        """The blocks where a game waits, each with its decision number."""
        return {i: b.exit.decision for i, b in enumerate(self.blocks) if isinstance(b.exit, Ask)}
