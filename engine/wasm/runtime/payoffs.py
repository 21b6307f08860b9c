"""The deciding team's payoff at the end of a playout, in units of 2^-30; see `rulespec.engine.search.payoffs`.

A team has six numbers: the set of its seats, the factor that converts a sum to a mean in a common unit, and four
results of a playout (points, value, whether the team has won, and share).
"""

from rulespec.engine.wasm.runtime.intrinsics import load, store
from rulespec.engine.wasm.runtime.program import RANK, RANK_PARTS, RESULT, RESULTS, SEATS, STATE, ranks, worth
from rulespec.engine.wasm.runtime.registers import (
    FORM,
    JUDGED,
    POWERS,
    SHIFT,
    STAKE,
    TEAMS,
    TEAMS_END,
    UNIT,
)


def odds(behind: int) -> int:
    """The odds of a team that trails the leader by `behind`."""
    behind = behind >> load(SHIFT)
    most = 8 * load(UNIT)
    if behind > most:
        behind = most
    exponent = behind * 4454275 // load(UNIT)
    if exponent >> 20 > 62:
        return 0
    part = exponent & 1048575
    power = load(load(POWERS) + 8 * (part >> 10)) * load(load(POWERS) + 8192 + 8 * (part & 1023)) >> 30
    return power >> (exponent >> 20)


def against(ahead: int) -> int:
    """The share of a team compared with one other team, which it leads by `ahead`, or trails if `ahead` is negative."""
    if ahead < 0:
        rest = odds(0 - ahead)
        return rest * 1073741824 // (1073741824 + rest)
    return 1152921504606846976 // (1073741824 + odds(ahead))


def mean(at: int, size: int, team: int) -> int:
    """The mean of a team's numbers in the common unit; `at` is the address of the first seat's number, `size` the
    stride.
    """
    seats = load(team)
    total = 0
    while seats != 0:
        if seats & 1:
            total = total + load(at)
        at = at + size
        seats = seats >> 1
    return total * load(team + 8)


def packed_rank(rank: int, to: int) -> int:
    """Writes the numbers of a seat's rank without gaps, lists included; returns the end address."""
    store(to, load(rank))
    rank = rank + 8
    to = to + 8
    part = RANK_PARTS + 8
    while part <= RANK_PARTS + 8 * load(RANK_PARTS):
        most = load(part)
        count = 1
        if most > 0:
            count = load(rank)
            rank = rank + 8
        else:
            most = 1
        at = 0
        while at < count:
            store(to, load(rank + 8 * at))
            to = to + 8
            at = at + 1
        rank = rank + 8 * most
        part = part + 8
    return to


def compared(one: int, end: int, other: int, other_end: int) -> int:
    """The comparison of two packed ranks: 1, 0 or -1."""
    while one < end and other < other_end:
        if load(one) != load(other):
            return 1 if load(one) > load(other) else -1
        one = one + 8
        other = other + 8
    if one < end:
        return 1
    return -1 if other < other_end else 0


def leaders(rank: int) -> int:
    """The set of leading seats, by points and tiebreaks; `rank` is the address of the first seat's rank."""
    result = 0
    best = RESULTS + RESULT
    best_end = best
    seat = 0
    while RANK > 0 and seat < SEATS:
        own = RESULTS + 2 * RESULT
        end = packed_rank(rank, own)
        order = 1
        if seat > 0:
            order = compared(own, end, best, best_end)
        if order > 0:
            result = 0
            best_end = packed_rank(rank, best)
        if order >= 0:
            result = result | 1 << seat
        rank = rank + 8 * RANK
        seat = seat + 1
    return result


def judge(row: int) -> None:
    """Records each team's points, its value in a cut-off game, and whether it has won."""
    status = load(row)
    by_value = load(FORM) == 1 and status != 0
    won = load(row + 24)
    if by_value:
        won = 0
    else:
        if status != 0 or won < 0:
            won = leaders(row + 32)
    values = row + RESULT - 8 * SEATS
    if by_value:
        worth(values, load(JUDGED))
    team = load(TEAMS)
    while team < load(TEAMS_END):
        store(team + 16, 0)
        if RANK > 0 and not by_value:
            store(team + 16, mean(row + 32, 8 * RANK, team))
        if by_value:
            store(team + 24, mean(values, 8, team))
        store(team + 32, (won & load(team)) != 0)
        team = team + 48


def total(field: int) -> int:
    """The sum of a field over all teams."""
    result = 0
    team = load(TEAMS)
    while team < load(TEAMS_END):
        result = result + load(team + field)
        team = team + 48
    return result


def differs(field: int) -> int:
    """Whether a field differs between teams."""
    first = load(load(TEAMS) + field)
    team = load(TEAMS) + 48
    while team < load(TEAMS_END):
        if load(team + field) != first:
            return 1
        team = team + 48
    return 0


def payoff(own: int, ended: int) -> int:
    """The share of a team."""
    teams = (load(TEAMS_END) - load(TEAMS)) // 48
    if load(FORM) == 2:
        away = teams * load(own + 16) - total(16)
        stake = load(STAKE)
        if away > stake:
            away = stake
        if away < 0 - stake:
            away = 0 - stake
        return (away + stake >> load(SHIFT)) * 1073741824 // load(UNIT)
    if ended or load(FORM) == 0:
        if teams == 1 and ended == 0:
            return 536870912
        count = total(32)
        if count > 0:
            return 1073741824 // count if load(own + 32) else 0
        return 0 if teams == 1 else 1073741824 // teams
    if teams == 1:
        return against(load(own + 24))
    best = load(own + 24)
    team = load(TEAMS)
    while team < load(TEAMS_END):
        if load(team + 24) > best:
            best = load(team + 24)
        team = team + 48
    every = 0
    team = load(TEAMS)
    while team < load(TEAMS_END):
        every = every + odds(best - load(team + 24))
        team = team + 48
    return odds(best - load(own + 24)) * 1073741824 // every


def place(own: int, ended: int) -> int:
    """The fraction of its rivals that a team has beaten."""
    beaten = 0
    by_value = load(FORM) == 1 and ended == 0
    team = load(TEAMS)
    while team < load(TEAMS_END):
        if team != own:
            if by_value:
                beaten = beaten + against(load(own + 24) - load(team + 24))
            else:
                order = load(own + 32) - load(team + 32)
                if order == 0:
                    order = (load(own + 16) > load(team + 16)) - (load(own + 16) < load(team + 16))
                beaten = beaten + (order + 1) * 536870912
        team = team + 48
    teams = (load(TEAMS_END) - load(TEAMS)) // 48
    return 2 * beaten // (teams * (teams - 1))


def aim(own: int, ended: int, share: int) -> int:
    """The share that a team aims for; with three or more teams, a fifth of the share depends on the team's rank."""
    if load(FORM) == 2 or load(TEAMS_END) - load(TEAMS) < 144:
        return share
    return (4 * share + place(own, ended)) // 5


def says(ended: int) -> int:
    """Whether the shares tell the teams apart."""
    if ended:
        return 1
    if load(FORM) == 2:
        return differs(16)
    if load(FORM) == 0:
        return differs(32)
    if load(TEAMS_END) - load(TEAMS) == 48:
        return 1
    return differs(24)


def noted(row: int, status: int) -> None:
    """Writes the result of a playout: its status, the ending, the ranks of the seats, and the results of each team."""
    store(row, status)
    store(row + 24, load(STATE + 16))
    if status == 0 or load(FORM) != 1:
        ranks(row + 32)
    judge(row)


def team_of(seat: int) -> int:
    """The address of the team of a seat."""
    team = load(TEAMS)
    while load(team) >> seat & 1 == 0:
        team = team + 48
    return team
