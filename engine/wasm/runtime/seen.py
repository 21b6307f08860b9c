"""Observations of positions by a seat, and games continued along its observations.

An observed decision is stored like an option, with `OPEN` in every hidden column, followed by a digest of the seat's
view of the next position. The decision of a continued game is also stored like an option, with `OPEN` in every column
to be drawn, followed by three numbers: the weights of the option taken, of all options that match the observed
decision, and of all options.
"""

from rulespec.engine.wasm.runtime.arithmetic import added
from rulespec.engine.wasm.runtime.draws import drawn, mixed, seed
from rulespec.engine.wasm.runtime.games import decision, others, own, own_again, take
from rulespec.engine.wasm.runtime.intrinsics import exported, leading, load, store
from rulespec.engine.wasm.runtime.program import (
    COUNTS,
    COUNTS_END,
    JOURNAL_BASE,
    OPEN,
    OPTIONS_BASE,
    QUESTIONS,
    ROW,
    SAMES,
    SIGHT_OF,
    SIGHT_WEIGHTS,
    SIGHTS,
    SIGHTS_END,
    STATE,
    STRIDE,
    SUMS,
    SUMS_END,
    TAKES,
    TELLING,
    WEIGHED,
    sees,
    weight,
    who,
)
from rulespec.engine.wasm.runtime.registers import (
    ANSWERS,
    BUDGET,
    EACH,
    FIRST,
    GAME,
    IDLE_SIZE,
    JOURNAL,
    OPTIONS,
    OUT,
    PAUSED,
    PLY,
    ROWS,
    SEED,
)
from rulespec.engine.wasm.runtime.search import restored, saved


def at_place(entry: int) -> int:
    """The number of tokens at a place: the number of an entry's cells that hold the number of the place."""
    cell = load(entry + 8)
    end = cell + 8 * load(entry + 16)
    value = load(entry + 24)
    total = 0
    while cell < end:
        total = total + (load(cell) == value)
        cell = cell + 8
    return total


def pieces_of(entry: int) -> int:
    """The number of private pieces: the sum of an entry's cells."""
    left = load(entry + 8)
    total = 0
    at = entry + 16
    while left > 0:
        total = total + load(load(at))
        at = at + 8
        left = left - 1
    return total


def length_of(entry: int) -> int:
    """The length of an order; the entry contains its first word, its number of words and its member width."""
    word = load(entry + 16)
    while word > 0:
        word = word - 1
        value = load(load(entry + 8) + 8 * word)
        if value != 0:
            return (64 * word + 64 - leading(value) + load(entry + 24) - 1) // load(entry + 24)
    return 0


def public_count(entry: int) -> int:
    """The public count described by an entry: of tokens at a place, of pieces, or of the members of an order."""
    if load(entry) == 1:
        return at_place(entry)
    if load(entry) == 2:
        return pieces_of(entry)
    return length_of(entry)


def options_seen(number: int, by: int, seat: int) -> int:
    """A digest of the options that a seat has at a decision."""
    total = 0
    store(OPTIONS, OPTIONS_BASE)
    if by == seat:
        own(number)
    first = load(OPTIONS)
    others(number)
    last = load(OPTIONS)
    one = OPTIONS_BASE
    while one < last:
        if one < first or load(one + 8) == seat:
            total = mixed(total + load(SAMES + 8 * load(one)))
            at = 16
            end = 16 + 8 * load(TAKES + STRIDE * load(one) + 8)
            while at < end:
                total = mixed(total + load(one + at))
                at = at + 8
        one = one + STRIDE
    store(OPTIONS, OPTIONS_BASE)
    store(IDLE_SIZE, 0)
    return total


def words_seen(seat: int) -> int:
    """The weighted sum of the words visible to a seat.

    For hidden tokens, the weights of their places are added, so that the sum changes with their counts.
    """
    sees(seat)
    total = 0
    at = SIGHTS
    one = SIGHT_WEIGHTS
    while at < SIGHTS_END:
        if load(load(at)) == 0:
            total = total + load(load(at + 8)) * load(one)
        elif load(one + 8) == 0:
            total = total + OPEN * load(one)
        else:
            total = total + load(load(one + 8) + 8 * load(load(at + 8)))
        at = at + 16
        one = one + 24
    return total


def word_seen(one: int, value: int, seat: int) -> int:
    """The contribution of a cell to `words_seen`, if its value alone determines whether the seat sees it."""
    hidden = load(one + 16)
    if hidden == 0 or (load(hidden + 8 * value) >> seat & 1) == 0:
        return value * load(one)
    if load(one + 8) == 0:
        return OPEN * load(one)
    return load(load(one + 8) + 8 * value)


def words_changed(seat: int) -> int:
    """The change in `words_seen` due to the journal."""
    total = 0
    entry = JOURNAL_BASE
    while entry < load(JOURNAL):
        one = load(SIGHT_OF + load(entry) - STATE)
        if one != 0:
            total = total + word_seen(one, load(entry + 16), seat) - word_seen(one, load(entry + 8), seat)
        entry = entry + 24
    return total


@exported
def seen_by(seat: int) -> int:
    """A digest of a seat's view of the position."""
    return digest(words_seen(seat), seat)


def digest(total: int, seat: int) -> int:
    """A digest of the result of `words_seen` and of everything else visible to the seat."""
    at = SUMS
    while at < SUMS_END:
        total = mixed(total + public_count(load(at)))
        at = at + 8
    number = decision()
    if number < 0:
        return mixed(total + load(STATE + 8))
    by = who(number)
    total = mixed(mixed(total + load(QUESTIONS + 8 * number)) + by)
    if load(TELLING + 8 * number) != 0:
        total = mixed(total + options_seen(number, by, seat))
    return total


@exported
def sighted(count: int, seat: int) -> None:
    """Writes a digest of a seat's view of each row."""
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        store(load(ANSWERS) + 8 * number, seen_by(seat))
        store(GAME, number + 1)


@exported
def observed(count: int, seat: int) -> None:
    """Writes a seat's view of each row: cell words, with `OPEN` for hidden ones, and counts."""
    size = (SIGHTS_END - SIGHTS) // 16 + (COUNTS_END - COUNTS) // 8
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        sees(seat)
        to = load(OUT) + 8 * size * number
        at = SIGHTS
        while at < SIGHTS_END:
            store(to, load(load(at + 8)) if load(load(at)) == 0 else OPEN)
            to = to + 8
            at = at + 16
        at = COUNTS
        while at < COUNTS_END:
            store(to, public_count(load(at)))
            to = to + 8
            at = at + 8
        store(GAME, number + 1)


def of_kind(option: int, code: int, by: int) -> int:
    """Whether a listed option matches the kind and the seat in a code, ignoring those that the code leaves open."""
    if load(code) != OPEN and load(SAMES + 8 * load(option)) != load(code):
        return 0
    actor = load(option + 8)
    if actor < 0:
        actor = by
    return load(code + 8) == OPEN or actor == load(code + 8)


def arguments_fit(option: int, code: int, end: int) -> int:
    """Whether a listed option's arguments, up to an offset, match the visible ones of a code."""
    at = 16
    while at < end:
        if load(code + at) != OPEN and load(option + at) != load(code + at):
            return 0
        at = at + 8
    return 1


def fits(option: int, code: int, by: int) -> int:
    """Whether a listed option matches the visible parts of a code."""
    end = 16 + 8 * load(TAKES + STRIDE * load(option) + 8)
    return of_kind(option, code, by) and arguments_fit(option, code, end)


def taken_down(option: int, one: int, by: int) -> None:
    """Overwrites a recorded decision with the code of an option."""
    store(one, load(SAMES + 8 * load(option)))
    actor = load(option + 8)
    store(one + 8, by if actor < 0 else actor)
    end = 16 + 8 * load(TAKES + STRIDE * load(option) + 8)
    at = 16
    while at < STRIDE:
        store(one + at, load(option + at) if at < end else 0)
        at = at + 8


def one_of(first: int, last: int, one: int, look: int, by: int, weighed: int) -> int:
    """Draws, by weight, an option that matches an observed decision, and writes the weights; returns its address, or 0
    if there is none.
    """
    total = 0
    alike = 0
    some = 0
    pick = 0
    least = 1
    kind = -1
    actor = 0
    end = 16
    as_seen = 0
    as_taken = 0
    seen = 0
    taken = 0
    option = first
    while option < last:
        if load(option) != kind or load(option + 8) != actor:
            kind = load(option)
            actor = load(option + 8)
            end = 16 + 8 * load(TAKES + STRIDE * kind + 8)
            as_seen = of_kind(option, look, by)
            as_taken = of_kind(option, one, by)
            seen = load(look + 16) if end > 16 else OPEN
            taken = load(one + 16) if end > 16 else OPEN
        argument = load(option + 16)
        size = 1
        if weighed:
            size = weight(0, option)
            total = added(total, size)
        if as_seen and (seen == OPEN or argument == seen) and (end <= 24 or arguments_fit(option, look, end)):
            alike = alike + size
            if as_taken and (taken == OPEN or argument == taken) and (end <= 24 or arguments_fit(option, one, end)):
                some = some + size
                pick = option
                least = size
        option = option + STRIDE
    if not weighed:
        total = (last - first) // STRIDE
    if some > least:
        left = drawn(load(PLY), some)
        pick = first - STRIDE
        while left >= 0:
            pick = pick + STRIDE
            if fits(pick, look, by) and fits(pick, one, by):
                least = 1
                if weighed:
                    least = weight(0, pick)
                left = left - least
    if some > 0:
        taken_down(pick, one, by)
        store(one + STRIDE, least)
        store(one + STRIDE + 8, alike)
        store(one + STRIDE + 16, total)
    return pick


def going_on(one: int, look: int) -> int:
    """The address of the game's next option; 0 if none matches the observed decision."""
    number = decision()
    if number < 0:
        return 0
    store(OPTIONS, OPTIONS_BASE)
    own_again(number)
    by = who(number)
    option = one_of(OPTIONS_BASE, load(OPTIONS), one, look, by, by < 0 and load(WEIGHED + 8 * number))
    if option == 0:
        first = load(OPTIONS)
        others(number)
        option = one_of(first, load(OPTIONS), one, look, 0, 0)
    return option


@exported
def follow(count: int, seat: int) -> None:
    """Continues games along a seat's observations, each up to its first contradiction; the row of a game is then the
    position that it reached.

    `ANSWERS` has three addresses per game: its next decision, the end of its decisions, and the observed decision. If
    interrupted, another call resumes.
    """
    while load(GAME) < count:
        number = load(GAME)
        place = load(ANSWERS) + 24 * number
        if load(PAUSED) == 0:
            restored(load(ROWS) + ROW * number)
            seed(load(SEED), load(FIRST) + load(EACH) * number)
            store(PAUSED, 1)
        one = load(place)
        end = load(place + 8)
        look = load(place + 16)
        total = words_seen(seat)
        while one < end:
            store(JOURNAL, JOURNAL_BASE)
            option = going_on(one, look)
            if option == 0:
                break
            take(option)
            store(PLY, load(PLY) + 1)
            total = total + words_changed(seat) if SIGHT_OF != 0 else words_seen(seat)
            if digest(total, seat) != load(look + STRIDE):
                break
            one = one + STRIDE + 24
            look = look + STRIDE + 8
            store(place, one)
            store(place + 16, look)
            if load(BUDGET) < 0 and one < end:
                return
        saved(load(ROWS) + ROW * number)
        store(PAUSED, 0)
        store(GAME, number + 1)
