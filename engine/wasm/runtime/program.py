"""The interface to a program: addresses, numbers and functions emitted by the compiler.

The values here are placeholders, so that the modules can be imported; tests replace them.
"""

from typing import NoReturn

from rulespec.engine.wasm.runtime.intrinsics import trap

STATE = 0
"""The address of the state: the open block, the flag that the game is over, the winners, and all other cells."""
STATE_END = 0
"""The address after the last word of the last cell."""
RULES_END = 0
"""The address after the cells of the rules, where cells added by a machine begin."""
START = 0
"""The address of the state before the first block."""
WEIGHTS = 0
"""Per word of the state, its weight in the hash."""
SIGNS = 0
"""Per word of the state, whether it is signed."""
READERS = 0
"""Per word of the state, the address of the list of invariants that read it, or 0."""
MARKS = 0
"""Per word of the state, the last step that changed it."""
CHANGED = 0
"""The buffer for the changes of a step: triples of word number, old value, new value."""
PLACES = 0
"""Per cell, the list of the sets with a member that depends on whether the cell is positive, or 0."""
HOUSES = 0
"""Per cell, the list of the sets of entities at a place, or 0."""
WORDS = 0
"""Words per row."""
STRIDE = 16
"""Bytes per option: its number, its seat, its arguments."""
JOURNAL_BASE = 0
"""The address of the journal; an entry is address, old value, new value."""
JOURNAL_END = 0
"""The address from which a journal entry no longer fits."""
OPTIONS_BASE = 0
"""The address of the first option."""
OPTIONS_END = 0
"""The last address with room for an option."""
MAX_OPTIONS = 0
"""The maximum number of options of a decision."""
MAX_SEVERAL = 0
"""The maximum number of sets or bags of a parameter."""
PILES = 48
"""The offset of the piles in the area of a parameter's sets or bags."""
FEW = 0
"""The bound for small changes: a full journal of them, each times a 32-bit number, has a 64-bit sum."""
STEPS = 0
"""The step limit from one decision to the next."""
UNBOUNDED = 0
"""The step budget where no steps are counted."""
MAIN = 0
"""The first block."""
ASKED = 0
"""Per block, the number of its decision, or -1."""
FUNCTIONS = 0
"""Per block, the number of its function."""
ENTRIES = 0
"""Per block, the number of its entry into its function."""
OTHERWISE = 0
"""Per block, the block that follows if its decision has no option."""
RETURNS = 0
"""Per block, the address of the cell with its procedure's return target, or 0."""
USUAL = 0
"""Per block, its procedure's usual return target, for a cell in `RETURNS` that is 0."""
SAVED_CALLS = 0
"""Per block where a recursive call returns, its frames: the counter, and the row of return targets."""
DEPTHS = 0
"""The number of recursive procedures; for each, the counter for a walk, and the cell with its depth."""
TAKES = 0
"""Per option, its block (-1 - block if arguments are read from the option), the argument count, their cells."""
SAMES = 0
"""Per option, the first option with its name."""
WEIGHED = 0
"""Per decision, whether its options have weights, in chance or playouts; otherwise all weights are 1."""
RESULT = 32
"""Bytes per result of a game: status, decisions, ending, winners, ranks, values."""
SEATS = 0
"""The number of seats."""
RESULTS = 0
"""The buffer for the results of a batch."""
RANK = 0
"""The number of values in a seat's rank."""
RANK_PARTS = 0
"""The parts of a rank after the points: their number, and for each part 0 (a number) or a list's bound."""
SORTED = 0
"""The buffer for the members that a tiebreak compares."""
INVARIANTS = 0
"""The number of invariants; one over several words of members counts once per word."""
MEMBERS = 0
"""Per invariant, the members to test."""
ALWAYS = 0
"""Per invariant, the members to test after every decision."""
EVERY = 0
"""Per invariant, all members."""
ROW = 0
"""Bytes per row of a position."""
MOVED = 0
"""Pairs of an offset in a row of a position and the address of a word of a wide cell."""
MOVED_END = 0
"""The address after `MOVED`."""
VALUES_READ = 0
"""Per value, the parts of a row that it reads, points last (-1): a list of address pairs, start and end."""
OPEN = -9223372036854775807
"""The placeholder for a number hidden from a seat; no number of a position is this small."""
UNSEEN = 0
"""Per cell, whether it is hidden from the viewer."""
SIGHTS = 0
"""Per word of a named cell, the address of its entry in `UNSEEN`, and its own address."""
SIGHTS_END = 0
"""The address after `SIGHTS`."""
SIGHT_WEIGHTS = 0
"""Per word in `SIGHTS`, its weight, and the address of the weights of a hidden token's possible places, or 0.

The third number, if the value of the cell determines its viewers, is the address of the sets of seats from which it is
hidden, by value; otherwise 0. The host writes all of them.
"""
SIGHT_OF = 0
"""Per word of the state, the address of its entry in `SIGHT_WEIGHTS`; 0 if visibility depends on more than values."""
COUNTS = 0
"""The addresses of the public counts of private values. Each is a list that starts with its form.

1: tokens at a place: the first cell, the number of cells, the place; 2: a sum: the number of cells, their addresses;
3: the length of an order: its first word, the number of words, the bits of a member.
"""
COUNTS_END = 0
"""The address after `COUNTS`."""
SUMS = 0
"""The addresses of the counts of forms 2 and 3."""
SUMS_END = 0
"""The address after `SUMS`."""
QUESTIONS = 0
"""Per decision, the first decision with the same question."""
TELLING = 0
"""Per decision, whether its options may reveal something private."""


def _absent() -> NoReturn:
    """Raises an error outside a program; tests in Python replace the functions below."""
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
    """Writes the points and tiebreaks of all seats into a row."""
    _absent()


def worth(to: int, which: int) -> None:
    """Writes the value of the position to each seat, by value number; -1 means points."""
    _absent()


def sees(seat: int) -> None:
    """Marks the private cells hidden from a seat."""
    _absent()
