"""The choice of the machine for short runs: Python starts, and wasm takes over if enough games are left."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from statistics import fmean

from rulespec.engine.program.long_values import handed_back
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import can_play, play_in_wasm
from rulespec.engine.simulate.workers import play_on_workers
from rulespec.typed import nodes as typed

WORTH_IT = 1.0
"""The remaining CPU time in Python, in seconds, beyond which compiling a module pays."""
LONG = 3.0
"""The minimum duration of a first game, in seconds, for it to be an estimate by itself."""


def worth_changing(seconds: Sequence[float], left: int) -> bool:
    """Whether wasm would finish the remaining games sooner than Python, judging by the time taken so far.

    The time of the first game includes compiling its program. While no other game is finished, that time is therefore
    taken into account only if it is at least `LONG` seconds.
    """
    first, *others = seconds
    if not others and first < LONG:
        return False
    return (fmean(others) if others else first) * left >= WORTH_IT


def play_quickly(
    plan: GamePlan,
    ruleset: typed.Ruleset,
    numbers: range,
    jobs: int,
    changed: Callable[[GamePlan], object],
    clock: Callable[[], float] | None = None,
) -> Generator[Outcome]:
    """Plays games in Python until compiling a wasm module pays for the rest; games already finished are kept.

    Args:
        plan: a plan of random games in Python.
        ruleset: its ruleset.
        numbers: the numbers of the games.
        jobs: the number of processes or threads after the change; -1 means one per core.
        changed: a function called at the change, with the plan of the remaining games.
        clock: a function that returns seconds; None means CPU time.

    Yields:
        The outcomes, in the order of `numbers`; both machines give the same ones.

    Raises:
        ClusterError: if workers cannot be started, or end too early.
    """
    clock = clock or time.process_time
    seconds: list[float] = []
    decisions = 0
    for at, number in enumerate(numbers):
        begun = clock()
        outcome = plan.outcome(ruleset, number)
        seconds.append(clock() - begun)
        decisions += outcome.decisions
        yield outcome
        rest = numbers[at + 1 :]
        if rest and worth_changing(seconds, len(rest)):
            break
    else:
        return
    wasm = replace(plan, backend="wasm")
    if can_play(wasm, ruleset):
        changed(wasm)
        handed_back("python", decisions)
        yield from play_in_wasm(wasm, ruleset, rest, jobs)
    elif jobs == 1:
        yield from (plan.outcome(ruleset, number) for number in rest)
    else:
        yield from play_on_workers(plan, rest, jobs)
