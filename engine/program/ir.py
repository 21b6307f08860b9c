"""The intermediate representation: cells, expressions and blocks. It is first-order, finite and close to C, with
integers only.

A game state is one list of integers. Cell 0 holds the block where the game waits (a block that ends in `Ask` or
`End`), cell 1 the ending (0 until the game ends, then the ending's number + 1), cell 2 the winners as a bit mask (-1 if
the best score wins). Then come state, accounts, piece counts, and the locals of every procedure, each in a separate
cell; a recursive procedure also has a depth, and a row of frames for each local.

Truth values are 0 and 1. An entity is its index in its kind, and -1 stands for no entity. A set is a bit mask; for
orders see `orders`. If an optional number is none, it is stored as `NO_NUMBER`.
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
"""The block in which a game ends if the main procedure returns. No procedure returns to block 0, where games begin."""

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
    """An operator on numbers (`rulespec.language.operators`), which faults at `site`."""

    op: str
    args: tuple[Expr, ...]
    site: int = 0


class Logic(Expr, frozen=True):
    """A short-circuit operator: `and`, `or`, or `??` (`?number` if the operands are numbers), which yields the first
    operand that is not none.
    """

    op: str
    args: tuple[Expr, ...]


class If(Expr, frozen=True):
    condition: Expr
    then: Expr
    other: Expr


class Fold(Expr, frozen=True):
    """A fold over the members of `source`, each bound to `slot`; `op` is count, sum, min, max, any, all, first, set or
    union.

    The order is cyclic from `start`, if given (only with `first`). `body` is the value (sum, min, max, union), the
    condition (all) or the mapped member (set); `default` is the value of min and max for an empty set.
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

    Dijkstra's algorithm from the members of `start`, with cost 0: the open member with the minimum cost (the first one
    if there are several) is settled and stored in `slot`; then each member of `near` is stored in `to`, in order, and
    if it satisfies `where`, the `cost` of the step is computed. A negative cost is a fault at `below`. A member for
    which a smaller cost is found is opened again.

    With `limit`, the value is the set of all members within this cost. With `until`, it is the cost of the first
    settled member (in `to`) that satisfies this condition, or `default`; a cost of more than 15 digits is a fault at
    `above`. `size` is the number of entities. If `counted`, `near` already counts the steps of everything evaluated per
    settled member, for machines that do not count steps (see `count_work`).
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
    """The domain of a path parameter, or the result of a search over paths.

    `slot` holds the path; the slots after it hold its last stop, a next stop, the remaining cost, and for each of
    `uses` the set of entities used so far. A path begins at a member of `start` and continues with the members of
    `onward`. A step costs `cost`, and a path costs at most `within`. Each of `uses` gives the entities that a step uses
    up; with `of_stops`, these belong to the next stop, so the first stop uses up entities as well. `whole` restricts
    the domain to maximal paths. `size` is the number of entities of the kind; `use_kinds` names the kinds of `uses`.

    `finds` names the search, and is empty for a parameter. `trail` finds the set of all stops, including the first
    ones, and ends once it has found all of `reachable`. `longest` finds the maximum `worth` of the paths in `slot` that
    satisfy `where`, or `default`. Too many path prefixes are a fault at `site`. `steps` is the number of steps counted
    per visited prefix, which replaces a bound in the surrounding expression (set by `count_work`).
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
        """The slots of the sets of used entities."""
        return range(self.slot + 4, self.slot + 4 + len(self.uses))


class Ranked(Expr, frozen=True):
    """A ranking of the members of `source` in `slot` by `keys`, compared lexicographically.

    `op` selects the value. `first` is the member with the least keys, or -1; ties are broken by cyclic order
    from `start`. `best` is the set of members with the greatest keys. `order` is an ascending order of all members,
    stable for equal or absent keys, in which each member has `bits` bits.
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
    """The value of `body` after a hypothetical call, which opens no decision, does not end the game, and is then rolled
    back.

    `block` is the procedure's first block, `back` is the cell of its return address, and `params` are the cells of its
    parameters. More than `MAX_ONCE_STEPS` steps are a fault at `site`. If `counted`, the actual steps are counted
    instead of a bound in the surrounding expression (set by `count_work`).
    """

    block: int
    back: int
    params: tuple[int, ...]
    args: tuple[Expr, ...]
    body: Expr
    site: int
    counted: bool = False


class Positive(Expr, frozen=True):
    """The set of all i < `count` whose cell `base + index + i * stride` is positive (created by passes).

    `size` is the number of cells from `base`.
    """

    base: int
    index: Expr
    count: int
    stride: int
    size: int


class Total(Expr, frozen=True):
    """The sum of the cells `base + index + i * stride` for all i < `count` (created by passes)."""

    base: int
    index: Expr
    count: int
    stride: int


class Inverse(Expr, frozen=True):
    """The set of all i with `Program.arrays[array][i]` equal to `value` (created by passes)."""

    array: int
    value: Expr


class Held(Expr, frozen=True):
    """The set of all i < `count` whose cell `base + i` maps to `value` in `Program.arrays[array]`. Passes create it."""

    base: int
    count: int
    array: int
    value: Expr


class Function(Brief, Struct, frozen=True, gc=False):
    """A definition, with parameters in the slots 0 … n-1, bindings `lets` as (slot, value), and the value `body`.

    `steps` are counted on each call, after `lets`; None if callers count a bound instead (set by `count_work`).
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
    """An assignment; a value outside `low` … `high` is a fault at `site`, unless it is none and `none` is set."""

    target: Cell
    value: Expr
    low: int | None
    high: int | None
    site: int
    none: bool = False


class Transfer(Instruction, frozen=True):
    """A move of `amount` between cells. A negative amount is a fault, and so is an amount that exceeds a limited
    source.
    """

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
    """An instruction that clears a finished procedure's locals or an option's used arguments, to make positions
    canonical.
    """

    base: int
    size: int


# --- exits of blocks -----------------------------------------------------------------------


class Exit(Brief, Struct, frozen=True, gc=False):
    pass


class Goto(Exit, frozen=True):
    block: int


class Branch(Exit, frozen=True):
    """A conditional jump.

    `within` is a superset of the loop members that satisfy the condition; a machine that tests every member may ignore
    it.
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
    """A call of the procedure at `block`, which returns to the block `after`.

    The procedure's cell `back` holds the return address, which stays zero for the `usual` call.
    """

    block: int
    after: int
    back: int
    usual: bool


class Return(Exit, frozen=True):
    """A return to the block in a cell, or to the target of the `usual` call if the cell is zero."""

    cell: int
    usual: int


class Ask(Exit, frozen=True):
    """A wait for a decision; if no option is legal and `otherwise` is not None, a jump to that block."""

    decision: int
    otherwise: int | None = None


class End(Exit, frozen=True):
    """The end of the game. `ending` is an index into `Program.endings`."""

    ending: int
    winners: Expr | None


class Block(Brief, Struct):
    body: list[Instruction] = []
    exit: Exit | None = None


# --- decisions -----------------------------------------------------------------------------


class Shown(Brief, Struct, frozen=True, gc=False):
    """A displayed value, with its source text and its type: a kind's name, "int", "bool", or "set kind".

    `after` is the name of a procedure that runs before the value is computed, and `args` are its arguments.
    """

    text: str
    type: str
    expr: Expr
    after: str = ""
    args: tuple[Shown, ...] = ()


class Condition(Brief, Struct, frozen=True, gc=False):
    """A condition, with the reason and the values to display when it fails.

    `lets` are pairs of slot and value, evaluated first, in order; later conditions of the option also read the slots.
    """

    expr: Expr
    reason: str
    text: str
    shown: tuple[Shown, ...]
    span: Span
    lets: tuple[tuple[int, Expr], ...] = ()


class Param(Brief, Struct, frozen=True, gc=False):
    """A parameter: a member of the set `low`, or a number `low` … `high`.

    Its value is in `slot` while options are listed, and in `cell` once one is chosen. If `type` ends in `?`, none is
    the last value. `steps` is the number of steps counted per listed value, or 0; if `tested`, this includes the test
    of the value, so no value may be skipped before its test (`count_work` sets both), unless `values`, the number of
    values to count, is set as well (by passes that narrow `low`). If `private`, only the decider and the seats in the
    set `to` see the value, which `to` may read in its slot. If `alike`, the first token with a legal option represents
    all interchangeable tokens. If `low` is a `PathSearch`, the value is a path. With `several`, the value is a set of
    members of `low`, or a bag of its pieces if `type` is a bag; the two numbers are its minimum and maximum size.
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
    values: int = 0
    private: bool = False
    to: Expr | None = None
    alike: bool = False
    several: tuple[Expr, Expr] | None = None

    @property
    def domain(self) -> list[Expr]:
        """The expressions that define the possible values, in evaluation order."""
        return [self.low, *([self.high] if self.high is not None else []), *(self.several or ())]

    @property
    def walk(self) -> PathSearch | None:
        """The search for the possible paths; None if the value is not a path."""
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
        """The number that represents none; None if the parameter is not optional."""
        return none_of(self.type)


def none_of(type_: str) -> int | None:
    """The number that represents none in an optional type; None for other types."""
    return None if type_[-1:] != "?" else NO_NUMBER if type_ == "int?" else -1


class Choice(Brief, Struct, frozen=True, gc=False):
    """An option of a decision; `by` is the acting seat of an out-of-turn option, and None for the decider's options.

    `depths` fixes when the conditions are tested (see `option_tests`); `steps` is the step bound for listing the
    arguments, excluding steps per parameter value (both set by `count_work`). `weight` is the weight at a chance
    decision, and `policy` the weight in playouts if a seat decides.
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
    """A decision of the seat `by`; if this is None, chance decides.

    With `among`, any seat in that set may decide; `by` is the first of them. In a simultaneous decision, `all` is the
    set of participating seats, and `held` has a cell for each seat, with the number of its hidden choice + 1, or 0
    before it has chosen. If `counted`, listing the options may take so long that all steps are counted (set by
    `count_work`). `draft` is the cell that flags an open plan, or 0 if the decision is not a draft.
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
    """An invariant; if `each` gives a slot and a set, the condition is tested with each member of the set in that slot.

    Passes set `each`.
    """

    name: str
    condition: Condition
    each: tuple[int, int] | None = None


class Tiebreak(Brief, Struct, frozen=True, gc=False):
    slot: int
    source: Expr | None
    key: Expr | None
    value: Expr


class Scoring(Brief, Struct, frozen=True, gc=False):
    """The scoring of the seat in slot 0: points, then tiebreaks."""

    score: Expr
    tiebreaks: tuple[Tiebreak, ...]


class PositionValue(Brief, Struct, frozen=True, gc=False):
    """The value of a position to the seat in slot 0; `shared` values are the same for all seats.

    Measures have the same form, with `size` as the number of seats or other entities for slot 0. `decides` is a
    difference that nearly decides a game, and `horizon` is the number of decisions after which a playout is cut off.
    """

    name: str
    value: Expr
    shared: bool
    decides: int
    horizon: int
    size: int


class Secret(Brief, Struct, frozen=True, gc=False):
    """Adjacent cells that are hidden from some seats, with one cell per tuple of entities.

    `sizes` gives the number of entities in each kind of the tuples. With the entities in slots 0, 1, …, `to` is the set
    of seats that see the cell; it is public while `open` holds. If `counted`, the sum over the kinds in `alike`, given
    as indices into `sizes`, is public. For cells that hold places of tokens, the number of tokens in each of `places`
    is public, and a hidden token is in one of the places in `within`. `open_spots` contains the number of each public
    place, or the first number if the place has an index.
    """

    cells: range
    sizes: tuple[int, ...]
    to: Expr
    open: Expr | None
    counted: bool
    alike: frozenset[int]
    places: tuple[int, ...] = ()
    within: frozenset[int] = frozenset()
    open_spots: frozenset[int] = frozenset()


class Alike(Brief, Struct, frozen=True, gc=False):
    """A kind whose tokens are alike if they have equal owners and `fields`, and nothing refers to only one of them.

    Attributes:
        number: the number of adjacent tokens per owner.
        fields: for the place and each state field, the first of the tokens' cells.
        named: state cells that hold such a token, or a set or order of them.
        live: block → variables that hold such a value and are live while a game waits, or continues, at the block.
        revealed: the live variables that may hold values derived from private state.
    """

    number: int
    fields: tuple[int, ...]
    named: tuple[int, ...]
    live: dict[int, tuple[int, ...]]
    revealed: frozenset[int]


class CallRows(Brief, Struct, frozen=True, gc=False):
    """The rows of cells that hold the variables of a recursive procedure during its recursive calls.

    Attributes:
        depth: the cell with the number of saved frames; the last frame belongs to the innermost call.
        size: the maximum number of frames.
        rows: cell of a variable or of the return address → first cell of its row of `size` cells.
        afters: the return targets of recursive calls, which begin by restoring the variables.
    """

    depth: int
    size: int
    rows: dict[int, int]
    afters: frozenset[int]


class Aside(Brief, Struct, frozen=True, gc=False):
    """An expression outside the rules, for texts and pages, with `params` numbers in its first slots."""

    params: int
    value: Expr


class Program(Brief, Struct):
    """A lowered ruleset for a number of seats and the values of its settings."""

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
    """Maximum distance of a seat's points from the average, if bots play for points; 0 if they play to win."""
    asides: tuple[Aside, ...] = ()
    endings: list[str] = []
    sites: list[tuple[Span, str]] = []
    members: dict[int, tuple[str, ...]] = {}
    """The names of the possible members of a set, by the set's fault site."""
    start: list[int] = []
    """The state before the first block runs."""
    cells: list[CellName] = []
    declared: list[int] = []
    """The cells of the state in the order of their declaration, which is also the order of display."""
    tokens: dict[int, int] = {}
    """The identity array of the places of a kind's tokens, by the first cell that holds one of these places."""
    few: dict[int, int] = {}
    """The identity array of the few possible entities in other state, and none, by the first cell of the state."""
    rows: set[int] = set()
    """The cells of procedures' tables and frames, which are addressed by an index and so must stay in memory."""
    alike: dict[str, Alike] = {}
    """The conditions under which tokens are alike, for each kind whose tokens can be."""
    secrets: list[Secret] = []
    entries: dict[str, tuple[int, tuple[int, ...]]] = {}
    """The first block of each procedure, and the cells of its return address and parameters."""
    frames: dict[int, CallRows] = {}
    """The rows for the variables of each recursive procedure, by its first block."""
    drafts: dict[int, dict[int, int]] = {}
    """The cells with copies for each draft (by its cell `Decision.draft`), by the cells that the draft may change."""
    main: int = 0
    sizes: dict[str, int] = {}
    """The number of entities of each kind in this game."""
    known: dict[int, dict[str, tuple[Type, Expr]]] = {}
    """The variables of the rules in scope at each decision, as name → type and value; only texts use them."""
    slots: int = 0
    """The number of slots that expressions outside definitions need; definitions have separate slots."""

    def arguments(self) -> dict[int, tuple[int, ...]]:
        """The cells of the parameters of each option, by its block; they are zero until the option is taken."""
        return {c.block: tuple([q.cell for q in c.params]) for d in self.decisions for c in d.choices}

    def asked_in(self, block: int) -> int:
        """The number of the decision for which a block waits; -1 if there is none."""
        exit_ = self.blocks[block].exit if 0 <= block < len(self.blocks) else None
        return exit_.decision if isinstance(exit_, Ask) else -1

    def asked(self) -> dict[int, int]:
        """The blocks where a game waits for a decision, each with the decision's number."""
        return {i: b.exit.decision for i, b in enumerate(self.blocks) if isinstance(b.exit, Ask)}
