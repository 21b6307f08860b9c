"""Mutation tests of a ruleset: the share of rule changes detected by its scenarios and recorded games.

    python -m bench.rule_mutants imperial --count 500 --seed 1 --out build/mutants/imperial.jsonl

A mutant is one small change of the rules that the checker accepts (see `mutate_typed`). It is killed if a scenario
fails, or if a recorded game becomes illegal, has a different result, breaks an invariant or causes a fault. Invariants
are tests of the rules, and are not changed. Only tests that run the changed place are tried, the most specific ones
first. If the reference has overlays, only their rules are changed. With `--heir`, a surviving mutant is also tried in
the rulesets that extend this one, by their tests.

A mutant whose program is the same is equivalent, and does not count. Programs are compared for the fewest and the most
seats with each value of each setting, one setting at a time, and for the seats and settings of the tests. `--only`
shows one mutant and tries every test.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from bench.limit import at_most
from bench.mutate_typed import Mutant, Mutator
from bench.rule_tests import Test, suite
from bench.typed_tree import planted
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.seating import check_settings
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program import ir
from rulespec.engine.program.interpreter import Interpreter
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed
from rulespec.typed.settings import values_to_try

LIMIT = 10
"""The time limit for a test of a mutant, in processor seconds; it is five times the test's usual time if that is
longer.
"""
FIRST = 30
"""The number of scenarios tried before the recorded games, which take longer but detect more."""
VERDICTS = ("killed", "timeout", "survived", "crashed", "equivalent")
_NOWHERE = Span("", 1, 1, 1, 1)
Setting = tuple[int, tuple[tuple[str, str], ...]]
"""A number of seats, and the values of all settings."""
Meaning = tuple[object, ...]


def meaning(p: ir.Program) -> Meaning:
    """The parts of a program that determine play, without texts for people."""
    decisions = [replace(d, choices=tuple(_bare_choice(c) for c in d.choices)) for d in p.decisions]
    return p.blocks, p.functions, p.arrays, p.tables, decisions, p.scoring, p.start


def _bare_choice(c: ir.Choice) -> ir.Choice:
    params = tuple(replace(p, where=_bare(p.where) if p.where is not None else None, text="") for p in c.params)
    return replace(c, params=params, requires=tuple(_bare(r) for r in c.requires))


def _bare(c: ir.Condition) -> ir.Condition:
    return ir.Condition(c.expr, c.reason, "", (), _NOWHERE, c.lets)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a mutant: its verdict, the number of tests at its place, the killing test, and the reason."""

    number: int
    mutant: Mutant
    verdict: str
    tests: int = 0
    by: str = ""
    why: str = ""

    def record(self) -> dict[str, object]:
        """The outcome as a report line."""
        m = self.mutant
        return {
            "number": self.number,
            "place": str(m.span),
            "rule": f"{m.root.kind} {m.root.name}",
            "operator": m.operator,
            "before": m.before,
            "after": m.after,
            "verdict": self.verdict,
            "tests": self.tests,
            "by": self.by,
            "why": self.why,
        }


def _change(m: Mutant) -> tuple[str, str, str, str]:
    return str(m.span), m.operator, m.before, m.after


class _Tried:
    """The programs of a mutant, each lowered once."""

    def __init__(self, mutated: typed.Ruleset, known: Mapping[Setting, Meaning]) -> None:
        self.mutated = mutated
        self.known = known
        self._machines: dict[Setting, Interpreter] = {}
        self._differs: dict[Setting, bool] = {}

    def machine(self, _: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Interpreter:
        """The machine that runs a mutant in scenarios, for some seat count and settings.

        It skips invariants, which would take most of a scenario's time; recorded games test them.
        """
        setting = (seats, tuple(sorted(settings.items())))
        if setting not in self._machines:
            self._machines[setting] = Interpreter(replace(lower(self.mutated, seats, settings), invariants=[]))
        return self._machines[setting]

    def differs(self, setting: Setting) -> bool:
        """Whether the program of the mutant differs from that of the unchanged rules."""
        if setting not in self._differs:
            try:
                program = self.machine(self.mutated, setting[0], dict(setting[1])).p
                self._differs[setting] = meaning(program) != self.known[setting]
            except DiagnosticsError:  # rules compute the start of the game
                self._differs[setting] = True
        return self._differs[setting]


class Trial:
    """A ruleset with its tests and its mutants."""

    def __init__(self, ruleset: typed.Ruleset, kept: Path | None = None, files: str = "") -> None:
        self.ruleset = ruleset
        self.kept = kept
        self.mutants = [m for m in Mutator(ruleset).mutants(self.files) if files in m.span.file]

    @cached_property
    def numbers(self) -> dict[tuple[str, str, str, str], int]:
        """The numbers of the mutants, by place and change."""
        return {_change(m): number for number, m in reversed(list(enumerate(self.mutants)))}

    @cached_property
    def tests(self) -> list[Test]:
        """The tests of the ruleset, each of which has been run once."""
        return suite(self.ruleset, self.kept)

    @cached_property
    def files(self) -> frozenset[str]:
        """The files whose rules are changed."""
        base = load_ruleset(self.ruleset.ref.partition("+")[0]) if self.ruleset.overlays else None
        return frozenset(self.ruleset.sources) - frozenset(base.sources if base is not None else ())

    def run(self, number: int, *, all_tests: bool = False) -> Outcome:
        """Runs the tests on a mutant."""
        mutant = self.mutants[number]
        tests = self.tests if all_tests else self.order(mutant)
        known = self.known  # computed before the rules are changed
        with planted(self.ruleset, mutant.edits, str(number)) as mutated:
            tried = _Tried(mutated, known)
            for test in tests:
                if tried.differs((test.seats, test.settings)):
                    verdict, why = self.verdict(test, mutated, tried)
                    if verdict:
                        return Outcome(number, mutant, verdict, len(tests), test.id, why)
            verdict = "survived" if any(tried.differs(setting) for setting in known) else "equivalent"
        return Outcome(number, mutant, verdict, len(tests))

    def run_with(self, heirs: list[Trial], number: int) -> Outcome:
        """Runs the tests on a mutant and, if it is not killed, those of the rulesets that extend this one."""
        outcome = self.run(number)
        for heir in heirs:
            same = heir.numbers.get(_change(outcome.mutant))
            if outcome.verdict in ("survived", "equivalent") and same is not None:
                other = heir.run(same)
                if other.verdict != "equivalent":
                    tests = outcome.tests + other.tests
                    outcome = Outcome(number, outcome.mutant, other.verdict, tests, other.by, other.why)
        return outcome

    def order(self, mutant: Mutant) -> list[Test]:
        """The tests that run the changed code of a mutant, in the order in which they are tried.

        Coverage does not count the heads of guards, so a mutant of a guard is tried by all tests.
        """
        guard = mutant.root.kind == "guard"
        results = [t for t in self.tests if guard or not mutant.anchors.isdisjoint(t.lines)]
        scenarios = sorted((t for t in results if t.log is None), key=lambda t: (len(t.lines), t.id))
        logs = sorted((t for t in results if t.log is not None), key=lambda t: (t.seconds, t.id))
        return [*scenarios[:FIRST], *logs, *scenarios[FIRST:]]

    @staticmethod
    def verdict(test: Test, mutated: typed.Ruleset, tried: _Tried) -> tuple[str, str]:
        """The verdict of a test on a mutant, and its reason; "" if the test passes."""
        try:
            with at_most(max(LIMIT, 5 * test.seconds)):
                why = test.failure(mutated, tried.machine)
        except TimeoutError:
            return "timeout", "it takes too long"
        except Exception as error:  # no rules that the checker accepts may raise this
            return "crashed", f"{type(error).__name__}: {error}"
        return "killed" if why else "", why

    @cached_property
    def known(self) -> dict[Setting, Meaning]:
        """The programs of the unchanged rules, by number of seats and settings."""
        settings = [(t.seats, t.settings) for t in self.tests] + self.settings
        return {(n, chosen): meaning(lower(self.ruleset, n, dict(chosen))) for n, chosen in dict.fromkeys(settings)}

    @cached_property
    def settings(self) -> list[Setting]:
        """The combinations to compare: the fewest and the most seats, with each value of each setting, one setting at a
        time.
        """
        usual = check_settings(self.ruleset, {})
        chosen: list[Mapping[str, str]] = [usual]
        for option in self.ruleset.settings.values():
            values = values_to_try(option)
            chosen += [{**usual, option.name: value} for value in values if value != option.default]
        return [(seats, tuple(sorted(c.items()))) for c in chosen for seats in dict.fromkeys(self.ruleset.players)]


def table(outcomes: list[Outcome], group: Callable[[Outcome], str]) -> str:
    """The verdicts by operator, file or another group; the rate excludes equivalent mutants."""
    groups: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        for name in (group(outcome), "all"):
            groups.setdefault(name, Counter())[outcome.verdict] += 1
    rows = [f"{'':40} {'mutants':>8} " + " ".join(f"{v:>10}" for v in VERDICTS) + "    rate"]
    for name in sorted(groups, key=lambda n: (n == "all", n)):
        n = groups[name]
        tried = n.total() - n["equivalent"]
        rate = (n["killed"] + n["timeout"]) / tried if tried else 1
        rows.append(f"{name:40} {n.total():8} " + " ".join(f"{n[v]:10}" for v in VERDICTS) + f"  {rate:6.1%}")
    return "\n".join(rows)


def main() -> int:
    """Prints the survivors and the tables; returns 1 if the rate is below `--fail-under`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ref", help="the ruleset, with overlays")
    parser.add_argument("--count", type=int, help="try so many that are not equivalent, chosen by chance; else all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="", help="a text that the name of a rules file must contain to be changed")
    parser.add_argument("--heir", action="append", default=[], metavar="REF", help="a ruleset that extends it")
    parser.add_argument("--out", type=Path, help="write each outcome as a line of JSON")
    parser.add_argument("--kept", type=Path, help="a folder that keeps which lines each test runs, for the next time")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="show this mutant alone, and try every test")
    parser.add_argument("--fail-under", type=float, default=0, metavar="PERCENT")
    args = parser.parse_args()
    trial, *heirs = (
        Trial(load_ruleset(ref), args.kept and args.kept / f"{ref}.json", args.files) for ref in (args.ref, *args.heir)
    )
    if args.only is not None:
        outcome = trial.run(args.only, all_tests=True)
        print(json.dumps(outcome.record(), indent=1, ensure_ascii=False))
        return 0
    print(f"{args.ref}: {len(trial.tests)} tests, {len(trial.mutants)} mutants", flush=True)
    numbers = list(range(len(trial.mutants)))
    random.Random(args.seed).shuffle(numbers)
    outcomes: list[Outcome] = []
    tried = 0
    with args.out.open("w", encoding="utf-8") if args.out else contextlib.nullcontext() as lines:
        for number in numbers:
            outcome = trial.run_with(heirs, number)
            outcomes.append(outcome)
            tried += outcome.verdict != "equivalent"
            if outcome.verdict == "survived":
                print(f"#{number} survives {outcome.tests} tests: {outcome.mutant}", flush=True)
            if lines is not None:
                print(json.dumps(outcome.record(), ensure_ascii=False), file=lines, flush=True)
            if tried == args.count:
                break
    print(table(outcomes, lambda o: o.mutant.operator))
    print(table(outcomes, lambda o: o.mutant.span.file))
    killed = sum(o.verdict in ("killed", "timeout") for o in outcomes)
    return 0 if 100 * killed >= args.fail_under * tried else 1


if __name__ == "__main__":
    sys.exit(main())
