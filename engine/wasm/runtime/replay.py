"""Replay of recorded decisions.

A recorded decision is stored like an option in the buffer: the option's number, the acting seat (-1 for any seat) and
the arguments. `ANSWERS` has two addresses per game: the address of its next decision, and the end address of its
decisions.
"""

from rulespec.engine.wasm.runtime.games import decision, others, own_again, take
from rulespec.engine.wasm.runtime.hashes import grown, plus, whole_hash
from rulespec.engine.wasm.runtime.intrinsics import exported, load, store
from rulespec.engine.wasm.runtime.program import (
    JOURNAL_BASE,
    OPTIONS_BASE,
    RESULTS,
    ROW,
    SAMES,
    SEATS,
    STRIDE,
    TAKES,
    who,
    worth,
)
from rulespec.engine.wasm.runtime.registers import ANSWERS, BUDGET, GAME, HASH, JOURNAL, OPTIONS, PAUSED, ROWS
from rulespec.engine.wasm.runtime.search import restored, saved


def named(one: int, first: int, last: int) -> int:
    """The address of the listed option that matches a recorded decision; 0 if there is none."""
    number = load(one)
    while first < last:
        if load(SAMES + 8 * load(first)) == number:
            size = 16 + 8 * load(TAKES + STRIDE * load(first) + 8)
            at = 16
            while at < size and load(first + at) == load(one + at):
                at = at + 8
            if at >= size:
                return first
        first = first + STRIDE
    return 0


def legal(one: int) -> int:
    """The address of the legal option that matches a recorded decision and its seat; 0 if there is none."""
    number = decision()
    if number < 0 or load(one) < 0:
        return 0
    store(OPTIONS, OPTIONS_BASE)
    own_again(number)
    option = named(one, OPTIONS_BASE, load(OPTIONS))
    if option == 0:
        last = load(OPTIONS)
        others(number)
        option = named(one, last, load(OPTIONS))
        if option == 0:
            return 0
    actor = load(option + 8)
    if actor < 0:
        actor = who(number)
    by = load(one + 8)
    if by >= 0 and by != actor:
        return 0
    return option


def most(which: int) -> int:
    """The value of the position to the seat with the highest value."""
    worth(RESULTS, which)
    result = load(RESULTS)
    at = 8
    while at < 8 * SEATS:
        if load(RESULTS + at) > result:
            result = load(RESULTS + at)
        at = at + 8
    return result


@exported
def replay(count: int, hashed: int, which: int) -> None:
    """Takes the decisions of each game, up to the first one that is not legal.

    If `hashed` is 1, replaces each decision's seat with the hash after the decision; if 2, with the position's value to
    the seat with the highest value. If interrupted, another call resumes.
    """
    while load(GAME) < count:
        number = load(GAME)
        place = load(ANSWERS) + 16 * number
        if load(PAUSED) == 0:
            restored(load(ROWS) + ROW * number)
            if hashed == 1:
                store(HASH, whole_hash())
            store(PAUSED, 1)
        one = load(place)
        end = load(place + 8)
        while one < end:
            store(JOURNAL, JOURNAL_BASE)
            option = legal(one)
            if option == 0:
                break
            take(option)
            if hashed == 2:
                store(one + 8, most(which))
            if hashed == 1:
                store(HASH, plus(load(HASH), grown(JOURNAL_BASE)))
                store(one + 8, load(HASH))
            one = one + STRIDE
            store(place, one)
            if load(BUDGET) < 0 and one < end:
                return
        saved(load(ROWS) + ROW * number)
        store(PAUSED, 0)
        store(GAME, number + 1)
