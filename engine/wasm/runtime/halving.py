"""Comparison of options in rounds, each of which plays random games after every option; see
`rulespec.engine.search.comparing`.

Each option has four numbers at `OUT`: whether it remains, the sum of its seat's aims, the sum of its shares, and the
number of its playouts. These numbers are followed by snapshots of the positions after the options, one per particle. If
the snapshots do not fit, for example with hundreds of options in a large game, the numbers are followed instead by a
snapshot of each particle, then by the places of the changes that each option makes in each particle, then by these
changes, each as an address and the new value.
"""

from rulespec.engine.wasm.runtime.draws import seed
from rulespec.engine.wasm.runtime.games import played, take
from rulespec.engine.wasm.runtime.intrinsics import exported, fill, load, store, trap
from rulespec.engine.wasm.runtime.journal import undo
from rulespec.engine.wasm.runtime.payoffs import aim, noted, payoff, says
from rulespec.engine.wasm.runtime.program import JOURNAL_BASE, OPTIONS_BASE, RESULTS, ROW, STATE, STATE_END, STRIDE
from rulespec.engine.wasm.runtime.registers import (
    ALREADY,
    CODES,
    GAME,
    JOURNAL,
    KEYS,
    LEFT_OVER,
    NEXT,
    OUT,
    OUT_END,
    OWN_TEAM,
    PAUSED,
    ROWS,
    SILENT,
)
from rulespec.engine.wasm.runtime.replay import named
from rulespec.engine.wasm.runtime.search import listed, restored, returned, snapshot


def option_of(k: int, size: int) -> int:
    """The address of a listed option, by its index among the requested options."""
    if load(CODES) == 0:
        if k >= size:
            trap()
        return OPTIONS_BASE + STRIDE * k
    code = load(CODES) + STRIDE * k
    option = 0
    if k < size:  # usually all are listed in the same order
        option = named(code, OPTIONS_BASE + STRIDE * k, OPTIONS_BASE + STRIDE * k + STRIDE)
    if option == 0:
        option = named(code, OPTIONS_BASE, OPTIONS_BASE + STRIDE * size)
    if option == 0:
        trap()
    return option


def snapshot_at(number: int, count: int) -> int:
    """The address of the snapshot of a particle after an option or, if these do not fit, of the particle itself."""
    return load(OUT) + 32 * count + (STATE_END - STATE) * number


def roomy(count: int, particles: int) -> int:
    """Whether there is room for snapshots of the positions after all options."""
    return snapshot_at(count * particles, count) <= load(OUT_END)


def changes_of(particle: int, k: int, particles: int, count: int) -> int:
    """The address of a pair of addresses: the start and the end of the changes that an option makes in a particle."""
    return snapshot_at(particles, count) + 16 * (particles * k + particle)


def changes_copied(end: int) -> int:
    """Copies the changes in the journal to an address; returns the end of the copy."""
    at = JOURNAL_BASE
    while at < load(JOURNAL):
        if end + 16 > load(OUT_END):
            trap()
        store(end, load(at))
        store(end + 8, load(at + 16))
        end = end + 16
        at = at + 24
    return end


def returned_after(k: int, particle: int, particles: int, count: int) -> None:
    """Restores the position after an option in a particle."""
    if roomy(count, particles):
        returned(snapshot_at(particles * k + particle, count))
    else:
        returned(snapshot_at(particle, count))
        place = changes_of(particle, k, particles, count)
        at = load(place)
        end = load(place + 8)
        while at < end:
            store(load(at), load(at + 8))
            at = at + 16


def followed(count: int, particles: int) -> None:
    """Takes a snapshot of the position after each option in each particle, or records the changes that the option
    makes.
    """
    end = changes_of(0, count, particles, count)
    particle = 0
    while particle < particles:
        restored(load(ROWS) + ROW * particle)
        if roomy(count, particles) == 0:
            snapshot(snapshot_at(particle, count))
        size = listed(0)
        k = 0
        while k < count:
            take(option_of(k, size))
            if roomy(count, particles):
                snapshot(snapshot_at(particles * k + particle, count))
            else:
                place = changes_of(particle, k, particles, count)
                store(place, end)
                end = changes_copied(end)
                store(place + 8, end)
            undo(JOURNAL_BASE)
            k = k + 1
        particle = particle + 1


def left_out(count: int) -> None:
    """Drops the worse half of the options; among equal options, the later ones are dropped."""
    rest = (load(LEFT_OVER) + 1) // 2
    k = 0
    while k < count:
        own = load(OUT) + 32 * k
        better = 0
        if load(own) != 0:
            at = 0
            while at < count:
                other = load(OUT) + 32 * at
                if load(other) != 0:
                    if load(other + 8) > load(own + 8) or (load(other + 8) == load(own + 8) and at < k):
                        better = better + 1
                at = at + 1
        if better >= rest:
            store(own, 2)
        k = k + 1
    k = 0
    while k < count:
        own = load(OUT) + 32 * k
        store(own, load(own) == 1)
        k = k + 1
    store(LEFT_OVER, rest)


def playout(number: int, cap: int) -> int:
    """Plays a random game with the round's seed and judges it; returns whether the game was interrupted."""
    if load(PAUSED) == 0:
        seed(load(load(KEYS) + 8 * load(NEXT) - 8), number)
    status = played(cap, 0, 1)
    store(PAUSED, status == 4)
    if status == 4:
        return 1
    noted(RESULTS, status)
    return 0


def counted(own: int) -> None:
    """Adds the result of a playout to the totals of an option."""
    ended = load(RESULTS) == 0
    share = payoff(load(OWN_TEAM), ended)
    store(own + 8, load(own + 8) + aim(load(OWN_TEAM), ended, share))
    store(own + 16, load(own + 16) + share)
    store(own + 24, load(own + 24) + 1)
    if says(ended) == 0:
        store(SILENT, load(SILENT) + 1)


def begun(count: int, particles: int) -> None:
    """Starts a comparison."""
    followed(count, particles)
    fill(load(OUT), 0, 32 * count)
    k = 0
    while k < count:
        store(load(OUT) + 32 * k, 1)
        k = k + 1
    store(LEFT_OVER, count)
    store(ALREADY, 0)
    store(SILENT, 0)
    store(GAME, 0)
    store(NEXT, 1)


@exported
def halve(count: int, particles: int, playouts: int, rounds: int, cap: int) -> int:
    """Compares options; returns whether it was interrupted, in which case another call resumes.

    After each round the worse half is dropped; all remaining options have the same number of playouts. In a round,
    playout n of an option uses the same draws as playout n of the others, and the particles are used in turn.
    """
    if load(NEXT) == 0:
        begun(count, particles)
    while load(NEXT) <= rounds:
        each = playouts // (rounds * load(LEFT_OVER))
        if each == 0:
            each = 1
        while load(GAME) < count * each:
            k = load(GAME) // each
            number = load(GAME) % each
            own = load(OUT) + 32 * k
            if load(own) == 0:
                store(GAME, load(GAME) + each)
            else:
                particle = (load(ALREADY) + number) % particles
                if load(PAUSED) == 0:
                    returned_after(k, particle, particles, count)
                if playout(number, cap):
                    return 1
                counted(own)
                store(GAME, load(GAME) + 1)
        store(ALREADY, load(ALREADY) + each)
        left_out(count)
        store(GAME, 0)
        store(NEXT, load(NEXT) + 1)
    return 0
