"""Verdicts on rules where the truth is known: false alarms under equal rules, and power under planted differences.

    python bench/verdicts.py                 # random Imperial, 4 players; a few minutes

Games are drawn from a pool with replacement, so that a run has independent pairs without limit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import median

from rulespec.engine.playtest.compared_numbers import length, margin, most
from rulespec.engine.playtest.evidence import Evidence
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import play_in_wasm
from rulespec.load import load_ruleset

POOL = 10_000
RUNS, PAIRS, LOOK = 400, 2_000, 20
PLANTED = 100
ONLY_ALARMS = 1e-6
"""A difference so small that it always matters, so that no run ends with "no difference that matters"."""

Numbers = Sequence[float]


def pool(seed: int, overlay: str = "") -> list[Outcome]:
    """Random games of Imperial with or without an overlay, reproducible by seed."""
    ruleset = load_ruleset("imperial" + overlay)
    plan = replace(GamePlan.of("imperial" + overlay, ruleset, [4], seed), backend="wasm")
    return list(play_in_wasm(plan, ruleset, range(POOL)))


def won(seat: str, outcome: Outcome) -> float:
    """The share of a win that belongs to a seat."""
    return 1 / len(outcome.winners) if seat in outcome.winners else 0.0


def last(outcome: Outcome) -> float:
    """The points of the last seat."""
    return min(outcome.scores.values(), default=0)


def shared(outcome: Outcome) -> float:
    """Whether the win is shared."""
    return len(outcome.winners) > 1


NINE: tuple[Callable[[Outcome], float | None], ...] = (
    *(length, margin, most, last, shared),
    *(partial(won, seat) for seat in "ABCD"),
)


def numbers(outcomes: Sequence[Outcome]) -> list[Numbers]:
    """The nine numbers measured for each game."""
    return [[number(outcome) or 0.0 for number in NINE] for outcome in outcomes]


def run(pairs: Iterator[tuple[Numbers, Numbers]], questions: Sequence[int]) -> list[tuple[int, str, int | None]]:
    """For each question, the number of pairs before its verdict (0 if there is none), the verdict, and the number of
    pairs needed.
    """
    level = 1 - 0.05 / len(questions)
    evidence = [Evidence() for _ in questions]
    verdicts: list[tuple[int, str, int | None]] = [(0, "", None)] * len(questions)
    for pair in range(1, PAIRS + 1):
        one, other = next(pairs)
        for at, question in enumerate(questions):
            evidence[at].add(one[question], other[question])
        if pair % LOOK:
            continue
        for at, each in enumerate(evidence):
            answer = each.answer(level, ONLY_ALARMS)
            first, verdict, _ = verdicts[at]
            if not first and answer.verdict in ("more", "less"):
                first, verdict = pair, answer.verdict
            verdicts[at] = first, verdict, answer.needed
    return verdicts


def apart(games: Sequence[Numbers], rng: random.Random) -> Iterator[tuple[Numbers, Numbers]]:
    """Pairs of independent games under equal rules."""
    while True:
        yield rng.choice(games), rng.choice(games)


def paired(one: Sequence[Numbers], other: Sequence[Numbers], rng: random.Random) -> Iterator[tuple[Numbers, Numbers]]:
    """Pairs of corresponding games under two rules."""
    while True:
        at = rng.randrange(len(one))
        yield one[at], other[at]


def main() -> None:
    """Prints both tables."""
    base = numbers(pool(1))
    alarms = sum(any(first for first, *_ in run(apart(base, random.Random(n)), range(9))) for n in range(RUNS))
    print(f"equal rules: {alarms} of {RUNS} comparisons of nine questions have a verdict, looked at every {LOOK} pairs")
    for overlay, title in (("+./bench/factory_at_4.yaml", "factories at 4"),):
        rule = numbers(pool(1, overlay))
        runs = [run(paired(rule, base, random.Random(n)), range(3)) for n in range(PLANTED)]
        truth = [sum(r[q] - b[q] for r, b in zip(rule, base, strict=True)) / POOL for q in range(3)]
        for question, name in enumerate(("length", "margin", "winner's points")):
            results = [each[question] for each in runs]
            decided = sorted(first for first, *_ in results if first)
            wrong = sum(first > 0 and (verdict == "more") != (truth[question] > 0) for first, verdict, _ in results)
            asked = [needed or first for first, _, needed in results if needed or first]
            half = f"{decided[PLANTED // 2 - 1]}" if len(decided) >= PLANTED / 2 else f"more than {PAIRS}"
            print(f"{title}, {name}: truth {truth[question]:+.1f}; {len(decided)} of {PLANTED} runs decided, ", end="")
            print(f"{wrong} of them wrong; half of the runs after {half} pairs; they ask for {median(asked):.0f}")


if __name__ == "__main__":
    main()
