"""The interface to a program: the addresses, numbers and functions that the compiler emits.

The values in this module are placeholders, so that the modules can be imported; tests replace them.
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
"""Per cell, the list of the sets that have a member only while the cell is positive, or 0."""
HOUSES = 0
"""Per cell that holds a place, the list of the sets of entities at each place; otherwise 0."""
WORDS = 0
"""Words per row."""
STRIDE = 16
"""Bytes per option: its number, its seat, its arguments."""
JOURNAL_BASE = 0
"""The address of the journal; an entry is address, old value, new value."""
JOURNAL_END = 0
"""The address at and after which a journal entry no longer fits."""
OPTIONS_BASE = 0
"""The address of the first option."""
OPTIONS_END = 0
"""The last address with room for an option."""
MAX_OPTIONS = 0
"""The maximum number of options of a decision."""
MAX_SEVERAL = 0
"""The maximum number of sets or bags listed for a parameter."""
PILES = 48
"""The offset of the piles in the area of a parameter's sets or bags."""
FEW = 0
"""The bound for small changes: the sum of a full journal of them, each times a 32-bit number, fits into 64 bits."""
STEPS = 0
"""The step limit from one decision to the next."""
UNBOUNDED = 0
"""The step budget that applies while no steps are counted."""
MAIN = 0
"""The first block."""
ASKED = 0
"""Per block, the number of its decision, or -1."""
FUNCTIONS = 0
"""Per block, the number of its function."""
ENTRIES = 0
"""Per block, the number of its entry point in its function."""
OTHERWISE = 0
"""Per block, the block that follows if its decision has no option."""
RETURNS = 0
"""Per block, the address of the cell with its procedure's return target, or 0."""
USUAL = 0
"""Per block, its procedure's usual return target, which applies if the cell in `RETURNS` is 0."""
SAVED_CALLS = 0
"""Per block to which a recursive call returns, the call's frames: the counter, and the row of return targets."""
DEPTHS = 0
"""The number of recursive procedures, then for each the counter for a walk, and the cell that holds its depth."""
TAKES = 0
"""Per option, its block (-1 - block if arguments are read from the option), the number of arguments, and the address of
their cells.
"""
SAMES = 0
"""Per option, the first option with the same name."""
WEIGHED = 0
"""Per decision, whether its options have weights, in chance or playouts; otherwise all weights are 1."""
RESULT = 32
"""Bytes per result of a game, which has a status, the number of decisions, the ending, the winners, the ranks and the
values.
"""
SEATS = 0
"""The number of seats."""
RESULTS = 0
"""The buffer for the results of a batch."""
RANK = 0
"""The number of values in a seat's rank."""
RANK_PARTS = 0
"""The parts of a rank after the points: their number, then for each part 0 if it is a number, or the maximum length if
it is a list.
"""
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
"""Pairs for the words of wide cells: the offset in the row of a position, and the address in the state."""
MOVED_END = 0
"""The address after `MOVED`."""
VALUES_READ = 0
"""Per value, the parts of a row that it reads, as a list of start and end addresses; those of points (-1) come last."""
OPEN = -9223372036854775807
"""The placeholder for a number hidden from a seat; no number of a position is this small."""
UNSEEN = 0
"""Per cell, whether it is hidden from the viewer."""
SIGHTS = 0
"""Per word of a named cell, the address of its entry in `UNSEEN`, and the address of the word."""
SIGHTS_END = 0
"""The address after `SIGHTS`."""
SIGHT_WEIGHTS = 0
"""Per word in `SIGHTS`, three numbers: its weight, the address of the weights of a hidden token's possible places or 0,
and a table of viewers or 0.

If the value of the cell determines its viewers, the table gives for each value the set of seats from which the cell is
hidden. The host writes all these numbers.
"""
SIGHT_OF = 0
"""Per word of the state, the address of its entry in `SIGHT_WEIGHTS`; 0 if visibility depends on more than values."""
COUNTS = 0
"""The addresses of the public counts of private values. Each is a list that starts with its form.

Form 1 counts tokens at a place, and has the first cell, the number of cells and the place. Form 2 is a sum, and has the
number of cells and their addresses. Form 3 is the length of an order, and has its first word, the number of words and
the bits of a member.
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
"""Per decision, whether its options may reveal private information."""


def _absent() -> NoReturn:
    """Raises an error outside a program; tests in Python replace the functions below."""
    trap()


def go(function: int, entry: int) -> int:
    """Runs a function from an entry; returns the next block, -1 at the end of the game, or -2 - block at a decision."""
    _absent()


def who(number: int) -> int:
    """The deciding seat; -1 if chance decides."""
    _absent()


def list_own(number: int) -> None:
    """Appends the options of a decision's decider."""
    _absent()


def list_others(number: int) -> None:
    """Appends the options of other seats at a decision."""
    _absent()


def weight(number: int, option: int) -> int:
    """The weight of a listed option at a chance decision or in a playout; emitted code reuses the first parameter as a
    variable.
    """
    _absent()


def holds(number: int, members: int) -> int:
    """Whether an invariant holds for the given members."""
    _absent()


def ranks(row: int) -> None:
    """Writes the points and tiebreaks of all seats into the row at an address."""
    _absent()


def worth(to: int, which: int) -> None:
    """Writes the value of the position to each seat, by value number; -1 means points."""
    _absent()


def sees(seat: int) -> None:
    """Marks the private cells hidden from a seat."""
    _absent()
