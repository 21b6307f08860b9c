"""Mutants of shipped rules that `rulespec diff --play` finds: the share, and the processor time for each.

    python -m bench.behaviour nim backgammon imperial --count 40 --seed 1

A mutant is one small change of the rules (see `rule_mutants`). Those count that a scenario or a recorded game of the
ruleset notices, which `compare` is not given: it walks from the start alone, unless `--recorded` gives it the logs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator

from bench.rule_mutants import Outcome, Trial
from bench.typed_tree import planted
from rulespec.cli.diff_play import recorded_games
from rulespec.engine.behaviour.compare import DECISIONS, SECONDS, compare
from rulespec.engine.behaviour.comparison_report import Comparison
from rulespec.engine.behaviour.walks import Effort
from rulespec.load import load_ruleset

FEW = 1_500
"""Decisions that are tried first."""


def noticed(trial: Trial, count: int, seed: int) -> Iterator[Outcome]:
    """Mutants that a test of the ruleset notices, chosen by chance."""
    numbers = list(range(len(trial.mutants)))
    random.Random(seed).shuffle(numbers)
    for number in numbers:
        if not count:
            return
        outcome = trial.run(number)
        if outcome.verdict == "killed":
            count -= 1
            yield outcome


def compared(trial: Trial, outcome: Outcome, decisions: int, *, recorded: bool) -> tuple[Comparison, float]:
    """The comparison of a ruleset with its mutant, and the processor time; with fewer decisions, if they suffice."""
    for tried in dict.fromkeys((min(FEW, decisions), decisions)):
        result, seconds = _compared(trial, outcome, tried, recorded=recorded)
        if result.groups:
            break
    return result, seconds


def _compared(trial: Trial, outcome: Outcome, decisions: int, *, recorded: bool) -> tuple[Comparison, float]:
    began = time.process_time()
    old = load_ruleset(trial.ruleset.ref)
    games = recorded_games(old) if recorded else []
    with planted(trial.ruleset, outcome.mutant.edits, str(outcome.number)) as mutated:
        result = compare(old, mutated, Effort(decisions, SECONDS), games)
    return result, time.process_time() - began


def main() -> int:
    """Prints a line for each mutant, and the share that is found."""
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
        for outcome in noticed(trial, share, args.seed):
            result, seconds = compared(trial, outcome, args.decisions, recorded=args.recorded)
            number, longest = number + 1, max(longest, seconds)
            found += bool(result.groups)
            said = "; ".join(f"{g.rule.name} {g.kind} x{g.positions}" for g in result.groups[:3]) or "NOT FOUND"
            print(f"{ref} {outcome.mutant} [{outcome.mutant.root.name}, by {outcome.by}]: {said}; {seconds:.1f} s")
            sys.stdout.flush()
    print(f"{found} of {number} found, {longest:.1f} s of processor time at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
