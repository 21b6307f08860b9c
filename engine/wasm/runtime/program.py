"""The interface to a program: addresses, numbers and functions emitted by the compiler.

The values here are placeholders, so that the modules can be imported; tests replace them.
"""

from typing import NoReturn

from rulespec.engine.wasm.runtime.intrinsics import trap

STATE = 0
"""The first cell, which holds the open block; after it whether the game is over, and the winners."""
STATE_END = 0
"""The address after the last word of the last cell."""
RULES_END = 0
"""The address after the cells of the rules: later ones are added by a machine."""
START = 0
"""The state before the first block has run."""
WEIGHTS = 0
"""For each word of the state its weight in the hash."""
SIGNS = 0
"""For each word of the state whether it has a sign."""
READERS = 0
"""For each word of the state the list of the invariants that read it, or 0."""
MARKS = 0
"""For each word of the state the step that has changed it last."""
CHANGED = 0
"""Room for the changes of a step: triples of the number of a word, the value before, the value after."""
PLACES = 0
"""For each cell the list of the sets that have a member while it is not 0, or 0."""
HOUSES = 0
"""For each cell the list of the sets of those that are at a place, or 0."""
WORDS = 0
"""The words of a row."""
STRIDE = 16
"""The bytes of an option: its number, its seat, its arguments."""
JOURNAL_BASE = 0
"""The first entry of the journal: address, value before, value after."""
JOURNAL_END = 0
"""The address at which there is no room for a further entry."""
OPTIONS_BASE = 0
"""The first option."""
OPTIONS_END = 0
"""The last address at which an option has room."""
MAX_OPTIONS = 0
"""The most options of a decision."""
MAX_SEVERAL = 0
"""The most sets or bags of a parameter."""
PILES = 48
"""The offset of the piles in the area of such a parameter."""
FEW = 0
"""The bound of changes of which all that a journal has fit into 64 bits, each times 32 bits."""
STEPS = 0
"""The most steps from one decision to the next."""
UNBOUNDED = 0
"""More steps than are taken while nothing counts them."""
MAIN = 0
"""The first block."""
ASKED = 0
"""For each block the number of its decision, or -1."""
FUNCTIONS = 0
"""For each block the number of its function."""
ENTRIES = 0
"""For each block the number of its entry into that function."""
OTHERWISE = 0
"""For each block the one that follows if its decision has no option."""
RETURNS = 0
"""For each block the cell with the block where its procedure returns to, or 0."""
USUAL = 0
"""For each block the one where its procedure returns to if that cell is 0."""
SAVED_CALLS = 0
"""For each block where a call of a procedure within itself comes back its frames: the counter, the row of returns."""
DEPTHS = 0
"""The number of procedures that may call themselves; of each the counter for a walk, and the cell with its depth."""
TAKES = 0
"""For each option its block (-1 - block if arguments are read from the option), the count of arguments, their cells."""
SAMES = 0
"""For each option the first one with its name."""
WEIGHED = 0
"""For each decision whether its options have weights, by chance or in playouts; else all have 1."""
RESULT = 32
"""The bytes of the result of a game: status, decisions, ending, winners, ranks, values."""
SEATS = 0
"""The number of the seats."""
RESULTS = 0
"""Room for the results of a batch."""
RANK = 0
"""The numbers of the ranks of a seat."""
RANK_PARTS = 0
"""The parts of these after the points: their number, and for each 0 for one number, or a list's bound."""
SORTED = 0
"""Room for the members that a tiebreak compares."""
INVARIANTS = 0
"""The number of the invariants; one over several words of members counts for each."""
MEMBERS = 0
"""For each invariant the members that are to be tested."""
ALWAYS = 0
"""For each invariant the members that are tested after each decision."""
EVERY = 0
"""For each invariant all members."""
ROW = 0
"""The bytes of a row with a position."""
MOVED = 0
"""Pairs of an offset in such a row and the address of a word of a wide cell."""
MOVED_END = 0
"""The address after them."""
VALUES_READ = 0
"""For each value the parts of a row that it reads, points last (-1): a list of addresses, from each up to the next."""
OPEN = -9223372036854775807
"""In the place of a number hidden from a seat; no number of a position is this small."""
UNSEEN = 0
"""For each cell the note whether it is hidden from the viewer."""
SIGHTS = 0
"""For each word of a cell that has a name: the address of the note that it is not seen, and its own."""
SIGHTS_END = 0
"""The address after them."""
SIGHT_WEIGHTS = 0
"""For each of these its weight, and the address of those of the places where a hidden token may be, or 0.

If the value of the cell decides its viewers, the address of the sets of seats from which it is hidden, by value,
follows; or 0. The host writes them.
"""
SIGHT_OF = 0
"""For each word of the state the address of its entry in `SIGHT_WEIGHTS`, or 0; 0 if more than values decides."""
COUNTS = 0
"""The addresses of the public counts of private things. Each is a list that begins with its form.

1: tokens at a place: the first cell, the number of cells, the place; 2: a sum: the number of cells, their addresses;
3: the length of an order: its first word, the number of words, the bits of a member.
"""
COUNTS_END = 0
"""The address after them."""
SUMS = 0
"""The addresses of those of the forms 2 and 3."""
SUMS_END = 0
"""The address after them."""
QUESTIONS = 0
"""For each decision the first one that asks the same."""
TELLING = 0
"""For each decision whether its options may reveal something private."""


def _absent() -> NoReturn:
    """No program: in Python a test puts functions of its own in the places of these."""
    trap()


def go(function: int, entry: int) -> int:
    """The block after running a function from an entry: -1 at the end, -2 - block at a decision."""
    _absent()


def who(number: int) -> int:
    """The deciding seat; -1 for chance."""
    _absent()


def list_own(number: int) -> None:
    """Appends the options of a decision's decider."""
    _absent()


def list_others(number: int) -> None:
    """Appends the options of other seats at a decision."""
    _absent()


def weight(number: int, option: int) -> int:
    """The weight of a listed option, in chance or playouts. The function reuses its first parameter as a variable."""
    _absent()


def holds(number: int, members: int) -> int:
    """Whether an invariant holds for some members."""
    _absent()


def ranks(row: int) -> None:
    """The points and tiebreaks of all seats, written to a row."""
    _absent()


def worth(to: int, which: int) -> None:
    """The value of the position to each seat, by value number; -1: points."""
    _absent()


def sees(seat: int) -> None:
    """Marks the private cells hidden from a seat."""
    _absent()
