"""A tree of options, grown by playing random games: the equivalent of `rulespec.engine.search.option_tree` in wasm.

A node has six numbers: its seat, its visits, its first and last option, the maximum number of options to try, and the
number of options listed at once. An option of a node has eight numbers: the next option, the first option that looks
the same, the child node, how often it was legal, its visits, its seat's total share, the value of the next position (-1
if unknown), and the address of its proven payoffs, or 0. They are followed by the option as listed, with its seat.
"""

from rulespec.engine.wasm.runtime.arithmetic import added
from rulespec.engine.wasm.runtime.draws import drawn, seed, word
from rulespec.engine.wasm.runtime.games import decision, own_again, played, take
from rulespec.engine.wasm.runtime.intrinsics import copy, exported, fill, load, store, trap
from rulespec.engine.wasm.runtime.journal import undo
from rulespec.engine.wasm.runtime.payoffs import noted, payoff, says, team_of
from rulespec.engine.wasm.runtime.program import (
    OPTIONS_BASE,
    RESULTS,
    ROW,
    SAMES,
    SEATS,
    STATE,
    STATE_END,
    STRIDE,
    TAKES,
    weight,
    who,
)
from rulespec.engine.wasm.runtime.registers import (
    ANSWERS,
    BUDGET,
    CODES,
    CURIOUS,
    DRAWN,
    HIDES,
    JOURNAL,
    JUDGED,
    KNOWN,
    NEXT,
    OPTIONS,
    OUT,
    OWN_SEAT,
    PAUSED,
    PLY,
    RARE,
    ROWS,
    SILENT,
    TEAMS,
    TEAMS_END,
    TREE,
    TREE_END,
    TREE_KEY,
    TREE_TOP,
    WAY,
    WAY_END,
    WAY_TOP,
)
from rulespec.engine.wasm.runtime.replay import named
from rulespec.engine.wasm.runtime.search import restored, returned, snapshot


def room(size: int) -> int:
    """The address of `size` zeroed bytes."""
    result = load(TREE_TOP)
    if result + size > load(TREE_END):
        trap()
    fill(result, 0, size)
    store(TREE_TOP, result + size)
    return result


def drawn_next() -> int:
    """Increments the tree's counter of random draws, and returns it."""
    store(DRAWN, load(DRAWN) + 1)
    return load(DRAWN)


# --- options -------------------------------------------------------------------------------


def is_same(one: int, other: int) -> int:
    """Whether two options have the same code."""
    if load(SAMES + 8 * load(one)) != load(SAMES + 8 * load(other)) or load(one + 8) != load(other + 8):
        return 0
    at = 16
    end = 16 + 8 * load(TAKES + STRIDE * load(one) + 8)
    while at < end:
        if load(one + at) != load(other + at):
            return 0
        at = at + 8
    return 1


def seen_column(one: int, column: int) -> int:
    """A number in an option's code, as seen by the root's seat; -1 if it is hidden."""
    number = load(SAMES + 8 * load(one))
    if load(one + 8) != load(OWN_SEAT) and load(load(HIDES) + 8 * number) >> column & 1:
        return -1
    if column == 0:
        return number
    return load(one + 8 * column) if column < 2 + load(TAKES + STRIDE * load(one) + 8) else 0


def looks_same(one: int, other: int) -> int:
    """Whether two options look the same to the root's seat."""
    column = 0
    while column < STRIDE // 8:
        if seen_column(one, column) != seen_column(other, column):
            return 0
        column = column + 1
    return 1


def group_of(node: int, own: int) -> int:
    """The first option of a node that looks the same as a new option; if there is none, the new option itself."""
    edge = load(node + 16)
    while edge != 0:
        if looks_same(edge + 64, own + 64):
            return edge
        edge = load(edge)
    return own


def edge_of(node: int, one: int) -> int:
    """The option of a node with the code of a listed option; 0 if there is none."""
    edge = load(node + 16)
    while edge != 0:
        if is_same(edge + 64, one):
            return edge
        edge = load(edge)
    return 0


def edge_made(node: int, one: int) -> int:
    """Adds a listed option to a node."""
    edge = room(64 + STRIDE)
    copy(edge + 64, one, STRIDE)
    store(edge + 8, group_of(node, edge) if load(load(HIDES) + 8 * load(SAMES + 8 * load(one))) != 0 else edge)
    store(edge + 48, -2)
    if load(node + 16) == 0:
        store(node + 16, edge)
    else:
        store(load(node + 24), edge)
    store(node + 24, edge)
    return edge


def known_again(node: int) -> int:
    """Lists the known options of a fully visible position again; returns their number."""
    to = load(ANSWERS)
    edge = load(node + 16)
    while edge != 0:
        store(to, edge)
        to = to + 8
        edge = load(edge)
    return load(node + 40)


def options_of(node: int) -> int:
    """Lists the options of the position at a node as addresses in the tree, at `ANSWERS`; returns their number."""
    if load(KNOWN) and load(node + 40) > 0:
        return known_again(node)
    number = decision()
    if number < 0:
        return 0
    store(OPTIONS, OPTIONS_BASE)
    own_again(number)
    count = (load(OPTIONS) - OPTIONS_BASE) // STRIDE
    by = who(number)
    store(node, by)
    store(node + 40, count)
    cursor = load(node + 16)
    k = 0
    while k < count:
        one = OPTIONS_BASE + STRIDE * k
        store(one + 8, by)
        edge = 0
        if cursor != 0:  # usually all are listed in the same order
            if is_same(cursor + 64, one):
                edge = cursor
        if edge == 0:
            edge = edge_of(node, one)
        if edge == 0:
            edge = edge_made(node, one)
        cursor = load(edge)
        store(load(ANSWERS) + 8 * k, edge)
        k = k + 1
    if by >= 0:
        compared_first(count, team_of(by))
    return count


def compared_first(count: int, team: int) -> None:
    """Evaluates the position after each new option for a team, if a value is declared and there are many options."""
    k = 0
    while k < count:
        edge = load(load(ANSWERS) + 8 * k)
        if load(edge + 48) == -2:
            store(edge + 48, -1)
            if load(JUDGED) >= 0 and count > 4:
                mark = load(JOURNAL)
                take(OPTIONS_BASE + STRIDE * k)
                noted(RESULTS, decision() >= 0)
                store(edge + 48, payoff(team, decision() < 0))
                undo(mark)
        k = k + 1


# --- ways down -----------------------------------------------------------------------------


def bound(edge: int, seat: int) -> int:
    """The upper confidence bound of an option's payoff to a seat; the next position's value counts as one visit."""
    proven = load(edge + 56)
    if proven != 0:
        share = load(proven + 8 * seat)
        return 2 * share if share == 1073741824 else share
    visits = load(edge + 32)
    won = load(edge + 40)
    if load(edge + 48) >= 0:
        visits = visits + 1
        won = won + load(edge + 48)
    return won // visits + (load(load(CURIOUS) + 8 * load(edge + 24)) * load(load(RARE) + 8 * visits) >> 30)


def is_new(edge: int) -> int:
    """Whether nothing is known about an option."""
    return load(edge + 32) == 0 and load(edge + 48) < 0 and load(edge + 56) == 0


def most_tried(node: int) -> int:
    """The maximum number of options to try at a node: four times the square root of its visits, at least two."""
    most = load(node + 32)
    if most < 2:
        most = 2
    while (most + 1) * (most + 1) <= 16 * load(node + 8):
        most = most + 1
    store(node + 32, most)
    return most


def chosen_edge(node: int, count: int) -> int:
    """Selects the option to try, counts the try, and returns the option's index."""
    tried = 0
    new = 0
    k = 0
    while k < count:
        edge = load(load(ANSWERS) + 8 * k)
        store(edge + 24, load(edge + 24) + 1)
        tried = tried + (load(edge + 32) > 0)
        new = new + is_new(edge)
        k = k + 1
    most = most_tried(node)
    wide = count <= most or tried < most
    left = 0
    if wide and new > 0:
        left = drawn(2 * drawn_next(), new)
    else:
        new = 0
    chosen = 0
    highest = -1
    k = 0
    while k < count:
        edge = load(load(ANSWERS) + 8 * k)
        if new > 0:
            if is_new(edge):
                if left == 0:
                    chosen = k
                left = left - 1
        else:
            if load(edge + 32) > 0 or (wide and not is_new(edge)):
                of_edge = bound(edge, load(node))
                if of_edge > highest:
                    highest = of_edge
                    chosen = k
        k = k + 1
    edge = load(load(ANSWERS) + 8 * chosen)
    store(edge + 32, load(edge + 32) + 1)
    return chosen


def weighted_edge(count: int) -> int:
    """The index of a chance option, drawn by weight."""
    total_weight = 0
    k = 0
    while k < count:
        total_weight = added(total_weight, weight(0, load(load(ANSWERS) + 8 * k) + 64))
        k = k + 1
    left = drawn(drawn_next(), total_weight)
    k = 0
    while k < count:
        left = left - weight(0, load(load(ANSWERS) + 8 * k) + 64)
        if left < 0:
            return k
        k = k + 1
    return count - 1


def planted(particles: int) -> None:
    """Starts a tree: a root without options, and a snapshot of each particle at `OUT`."""
    particle = 0
    while particle < particles:
        restored(load(ROWS) + ROW * particle)
        snapshot(load(OUT) + (STATE_END - STATE) * particle)
        particle = particle + 1
    store(TREE_TOP, load(TREE))
    _ = room(48)


def descended(position: int) -> None:
    """Descends the tree from a snapshot to a new node or to the end of a game."""
    returned(position)
    seed(load(TREE_KEY), 0)
    node = load(TREE)
    way = load(WAY)
    while way < load(WAY_END):
        count = options_of(node)
        if count == 0:
            break
        store(node + 8, load(node + 8) + 1)
        k = weighted_edge(count) if load(node) < 0 else chosen_edge(node, count)
        edge = load(load(ANSWERS) + 8 * k)
        store(way, node)
        store(way + 8, edge if load(node) >= 0 else 0)
        way = way + 16
        take(edge + 64 if load(KNOWN) else OPTIONS_BASE + STRIDE * k)
        first = load(edge + 8)
        node = load(first + 16)
        if node == 0:
            node = room(48)
            store(first + 16, node)
            if count > 1:
                break
    store(WAY_TOP, way)


def won_by_all(ended: int) -> None:
    """Adds the shares of a playout to the options on its path."""
    team = load(TEAMS)
    while team < load(TEAMS_END):
        store(team + 40, payoff(team, ended))
        team = team + 48
    if says(ended) == 0:
        store(SILENT, load(SILENT) + 1)
    way = load(WAY)
    while way < load(WAY_TOP):
        edge = load(way + 8)
        if edge != 0:
            store(edge + 40, load(edge + 40) + load(team_of(load(load(way))) + 40))
        way = way + 16


def proven_of(node: int) -> int:
    """The address of a position's proven payoffs if one option certainly wins everything, or if all options are proven;
    otherwise 0.
    """
    best = 0
    is_open = 0
    edge = load(node + 16)
    while edge != 0:
        proven = load(edge + 56)
        if proven == 0:
            is_open = 1
        else:
            if best == 0:
                best = proven
            if load(proven + 8 * load(node)) > load(best + 8 * load(node)):
                best = proven
        edge = load(edge)
    if best != 0:
        if is_open and load(best + 8 * load(node)) != 1073741824:
            return 0
    return best


def prove() -> None:
    """Records the payoffs proven by the end of a game: for its last option, then for the options before it as long as
    proofs hold.
    """
    proven = room(8 * SEATS)
    seat = 0
    while seat < SEATS:
        store(proven + 8 * seat, load(team_of(seat) + 40))
        seat = seat + 1
    way = load(WAY_TOP)
    while way > load(WAY) and proven != 0:
        way = way - 16
        if load(way + 8) == 0:
            return
        store(load(way + 8) + 56, proven)
        proven = proven_of(load(way))


@exported
def grow(playouts: int, particles: int, cap: int) -> int:
    """Grows a tree by playing random games; returns whether it was interrupted, in which case another call resumes."""
    while load(NEXT) < playouts:
        if load(PAUSED) == 0:
            if load(BUDGET) < 0:
                return 1
            if load(NEXT) == 0:
                planted(particles)
            descended(load(OUT) + (STATE_END - STATE) * (load(NEXT) % particles))
            seed(word(word(load(TREE_KEY), 0), load(NEXT)), 0)
        status = played(cap, 0, 1)
        store(PAUSED, status == 4)
        if status == 4:
            return 1
        noted(RESULTS, status)
        won_by_all(status == 0)
        store(NEXT, load(NEXT) + 1)
        if load(KNOWN):
            if status == 0 and load(PLY) == 0:
                prove()
            if proven_of(load(TREE)) != 0:
                break
    return 0


def written_root(to: int, edge: int) -> None:
    """Writes the visits, total share and proven payoff (-1 if none is proven) of an option at the root."""
    store(to, load(edge + 32))
    store(to + 8, load(edge + 40))
    store(to + 16, -1)
    if load(edge + 56) != 0:
        store(to + 16, load(load(edge + 56) + 8 * load(OWN_SEAT)))


@exported
def of_root(count: int) -> None:
    """Writes the visits, total share and proven payoff of each requested option at the root."""
    k = 0
    edge = load(load(TREE) + 16)
    while k < count:
        to = load(OUT) + 24 * k
        if load(CODES) == 0:
            written_root(to, edge)
            edge = load(edge)
        else:
            fill(to, 0, 16)
            store(to + 16, -1)
            edge = load(load(TREE) + 16)
            while edge != 0:
                if named(load(CODES) + STRIDE * k, edge + 64, edge + 64 + STRIDE):
                    written_root(to, edge)
                edge = load(edge)
        k = k + 1
