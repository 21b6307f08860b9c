"""Bulk operations for bots: position values, cut-off playouts, and options as codes; see `search`."""

from rulespec.engine.wasm.runtime.draws import seed
from rulespec.engine.wasm.runtime.games import played
from rulespec.engine.wasm.runtime.hashes import whole_hash
from rulespec.engine.wasm.runtime.intrinsics import exported, load, store
from rulespec.engine.wasm.runtime.journal import undo
from rulespec.engine.wasm.runtime.program import (
    JOURNAL_BASE,
    OPTIONS_BASE,
    RESULT,
    RESULTS,
    ROW,
    SAMES,
    SEATS,
    STATE,
    STRIDE,
    TAKES,
    VALUES_READ,
    ranks,
    worth,
)
from rulespec.engine.wasm.runtime.registers import (
    CODED,
    EACH,
    FIRST,
    GAME,
    HASH,
    JOURNAL,
    NEXT,
    OUT,
    OUT_END,
    PAUSED,
    PERIOD,
    PLY,
    ROWS,
    SEED,
    TRAIL,
)
from rulespec.engine.wasm.runtime.search import decider, listed, moved_part, moved_wide, restored


def moved_parts(row: int, part: int) -> None:
    """Copies the cells that a value needs from a row into the state; `part` points to a list of address ranges."""
    undo(JOURNAL_BASE)
    left = load(part)
    while left > 0:
        moved_part(row, load(part + 8), load(part + 16))
        part = part + 16
        left = left - 1
    moved_wide(row)
    store(JOURNAL, JOURNAL_BASE)


@exported
def valued(count: int, which: int, size: int) -> None:
    """Writes the value of each row's position to each seat, or to each entity of another kind."""
    while load(GAME) < count:
        number = load(GAME)
        moved_parts(load(ROWS) + ROW * number, load(VALUES_READ + 8 * which))
        worth(load(OUT) + 8 * size * number, which)
        store(GAME, number + 1)


@exported
def judged(count: int, cap: int, which: int, times: int, skip: int) -> None:
    """Plays `times` random games from each row; after an interruption, another call resumes.

    The record of a cut-off game ends with the value of its last position to each seat.
    """
    while load(GAME) < count:
        number = load(GAME)
        row = RESULTS + RESULT * number
        if load(PAUSED) == 0:
            restored(load(ROWS) + ROW * ((skip + number) // times))
            game = load(FIRST) + load(EACH) * number
            period = load(PERIOD)
            if period != 0:
                game = game % period
            seed(load(SEED), game)
            if load(TRAIL) != 0:
                store(HASH, whole_hash())
        status = played(cap, 0, load(CODED) == 0)
        store(PAUSED, status == 4)
        if status == 4:
            return
        store(row, status)
        store(row + 8, load(PLY))
        store(row + 16, load(STATE + 8))
        store(row + 24, load(STATE + 16))
        ranks(row + 32)
        if status != 0:
            worth(row + RESULT - 8 * SEATS, which)
        store(GAME, number + 1)


@exported
def coded(count: int, out_of_turn: int) -> None:
    """Writes the options of each row as codes: row, option number, seat, arguments."""
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        size = listed(out_of_turn)
        by = -1
        if size > 0:
            by = decider()
        k = load(NEXT)
        while k < size:
            to = load(OUT)
            if to + STRIDE + 8 > load(OUT_END):
                return
            one = OPTIONS_BASE + STRIDE * k
            option = load(one)
            end = 16 + 8 * load(TAKES + STRIDE * option + 8)
            store(to, number)
            store(to + 8, load(SAMES + 8 * option))
            store(to + 16, load(one + 8) if load(one + 8) >= 0 else by)
            at = 16
            while at < STRIDE:
                store(to + 8 + at, load(one + at) if at < end else 0)
                at = at + 8
            store(OUT, to + STRIDE + 8)
            k = k + 1
            store(NEXT, k)
        store(NEXT, 0)
        store(GAME, number + 1)
