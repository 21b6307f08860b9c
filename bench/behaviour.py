"""The share of mutants of shipped rules that `rulespec diff --play` detects, and the processor time for each.

    python -m bench.behaviour nim backgammon imperial --count 40 --seed 1

A mutant is one small random change of the rules (see `rule_mutants`). Only mutants that change reachable play count:
those detected by a short comparison, a scenario or a recorded game of the ruleset. `compare` starts from the beginning
of a game only, unless `--recorded` adds the recorded games.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from bench.mutate_typed import Mutant
from bench.rule_mutants import Trial
from bench.typed_tree import planted
from rulespec.cli.diff_play import recorded_games
from rulespec.engine.behaviour.compare import DECISIONS, SECONDS, compare
from rulespec.engine.behaviour.comparison_report import Comparison
from rulespec.engine.behaviour.walks import Effort
from rulespec.load import load_ruleset

FEW = 1_500
"""The number of decisions in the first, short comparison."""


class Tried(NamedTuple):
    """A mutant that changes reachable play: its comparison, the processor time, and the test that detected it.

    A mutant that the short comparison detects is not tested.
    """

    mutant: Mutant
    result: Comparison
    seconds: float
    by: str


def tried(trial: Trial, count: int, seed: int, decisions: int, *, recorded: bool) -> Iterator[Tried]:
    """Mutants that change reachable play, each compared with its ruleset; if a short comparison detects one, it is the
    only one.
    """
    numbers = list(range(len(trial.mutants)))
    random.Random(seed).shuffle(numbers)
    for number in numbers:
        if not count:
            return
        mutant, by = trial.mutants[number], ""
        result, seconds = _compared(trial, number, min(FEW, decisions), recorded=recorded)
        if not result.groups:
            outcome = trial.run(number)
            if outcome.verdict != "killed":
                continue
            by = outcome.by
            result, seconds = _compared(trial, number, decisions, recorded=recorded)
        count -= 1
        yield Tried(mutant, result, seconds, by)


def _compared(trial: Trial, number: int, decisions: int, *, recorded: bool) -> tuple[Comparison, float]:
    began = time.process_time()
    old = load_ruleset(trial.ruleset.ref)
    games = recorded_games(old) if recorded else []
    with planted(trial.ruleset, trial.mutants[number].edits, str(number)) as mutated:
        result = compare(old, mutated, Effort(decisions, SECONDS), games)
    return result, time.process_time() - began


def main() -> int:
    """Prints a line for each mutant, and the share detected."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("refs", nargs="+", help="the rulesets")
    parser.add_argument("--count", type=int, default=40, help="mutants of all rulesets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decisions", type=int, default=DECISIONS)
    parser.add_argument("--recorded", action="store_true", help="compare in the recorded games, too")
    args = parser.parse_args()
    found = number = 0
    longest = 0.0
    for at, ref in enumerate(args.refs):
        share = args.count // len(args.refs) + (at < args.count % len(args.refs))
        trial = Trial(load_ruleset(ref))
        for each in tried(trial, share, args.seed, args.decisions, recorded=args.recorded):
            number, longest = number + 1, max(longest, each.seconds)
            found += bool(each.result.groups)
            said = "; ".join(f"{g.rule.name} {g.kind} x{g.positions}" for g in each.result.groups[:3]) or "NOT FOUND"
            test = f", by {each.by}" if each.by else ""
            print(f"{ref} {each.mutant} [{each.mutant.root.name}{test}]: {said}; {each.seconds:.1f} s")
            sys.stdout.flush()
    print(f"{found} of {number} found, {longest:.1f} s of processor time at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
