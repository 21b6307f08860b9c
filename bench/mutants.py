"""A mutation run: thousands of edits of the shipped rulesets, each checked for a diagnostic at the place of the damage.

    python -m bench.mutants --count 2400 --seed 1 [--report out.jsonl] [--only NUMBER]

Edits of an overlay are checked with the overlay alone, and together with other compatible overlays. Every mutant is
checked as by `rulespec validate`, in a copy of the games. It must be refused, or have no effect, or be another valid
game, which both backends then play for some decisions. A mutant that breaks a name, a type, a unit, the shape or a
reference must be refused, and the first error or one of its notes must point to a line of the edit. No mutant may cause
an exception, or take more than LIMIT seconds of processor time. `--only` shows one mutant with its diagnostics.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from pathlib import Path

from bench.limit import at_most
from bench.mutate import BREAKING, Mutant, Symbols, sheet
from bench.mutate_rules import RulesMutator
from bench.mutate_yaml import YamlMutator
from bench.whole import whole
from rulespec.cli.validate import check
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.render import render_text
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import Node, get, words
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import check_settings
from rulespec.engine.lower.lowering import lower
from rulespec.load import load_source
from rulespec.lsp.files import EditorFiles
from rulespec.references import known_rulesets
from rulespec.ruleset_files import Files
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.typed.settings import values_to_try

GAMES = Path(__file__).parent.parent / "games"
LIMIT = 5
DECISIONS = 8
"""The maximum number of decisions played with a mutant that is a valid game."""
MAX_OPTIONS = 300


class KeptFiles(Files):
    """Files on disk, with a cache of the texts that are parsed while `learning`."""

    def __init__(self) -> None:
        self.learning = True
        self._trees: dict[tuple[str, str], Node] = {}
        self._items: dict[tuple[str, str], tuple[ast.Item, ...]] = {}
        self._findings: dict[tuple[int, str, bool], tuple[Diagnostic, ...]] = {}

    def yaml(self, path: Path, display: str) -> Node:
        """The tree of a YAML file."""
        key = (display, path.read_text("utf-8"))
        if key in self._trees:
            return self._trees[key]
        node = super().yaml(path, display)
        if self.learning:
            self._trees[key] = node
        return node

    def rules(self, text: str, display: str) -> tuple[ast.Item, ...]:
        """The items of a rules file."""
        if (display, text) in self._items:
            return self._items[display, text]
        items = super().rules(text, display)
        if self.learning:
            self._items[display, text] = items
        return items

    def findings(self, node: Node, schema: str, partial: bool = False) -> tuple[Diagnostic, ...]:
        """The schema errors in the tree of a YAML file; a `partial` file may omit what other files provide."""
        key = (id(node), schema, partial)  # cached trees stay alive, so their ids stay unique
        if key in self._findings:
            return self._findings[key]
        result = super().findings(node, schema, partial)
        if self.learning:
            self._findings[key] = result
        return result


@dataclass(slots=True)
class Outcome:
    """The outcome of a mutant.

    `verdict` is refused, warned (a new warning, no error), unchanged, different or failed. `told` states whether the
    first error or one of its notes is at a site of the edit. `failure` describes an exception, a timeout or a
    disagreement.
    """

    number: int
    ref: str
    mutant: Mutant
    verdict: str = ""
    told: bool = False
    found: tuple[Diagnostic, ...] = ()
    failure: str = ""
    seconds: float = 0.0
    faulted: bool = False


@dataclass
class Bench:
    """A copy of the games in the current folder, and the results for the unedited rulesets."""

    files: KeptFiles = field(default_factory=KeptFiles)
    refs: dict[str, list[str]] = field(default_factory=dict)
    """The references under which the mutants of each file are checked."""
    symbols: dict[str, Symbols] = field(default_factory=dict)

    def learn(self, only: str = "") -> None:
        """Reads all rulesets, or the one named by `only`, with the overlays they offer and combinations of these."""
        editor = EditorFiles()
        folders = {p.parent.name: p.parent for p in sorted(Path("games").rglob("game.yaml"))}
        names = [n for n in known_rulesets() if only in ("", n) and n in folders]
        for name in names:
            game = self.files.yaml(folders[name] / "game.yaml", f"{folders[name]}/game.yaml")
            offers = [word.text for word in words(get(game, "overlays"))]
            single = {f"{name}+{offer}": len(self._texts(f"{name}+{offer}")) for offer in offers}
            for ref in [name, *sorted(single, key=single.__getitem__), self.together(name, offers)]:
                self._learn(ref, editor)
            for path in sorted(folders[name].glob("dialects/*.yaml")):
                self.refs[str(path)] = [name]
        self.files.learning = False

    def together(self, name: str, offers: list[str]) -> str:
        """A ruleset with its overlays added in order, except those that are incompatible with the preceding ones."""
        result = name
        for offer in offers:
            report = Report()
            if check(f"{result}+{offer}", report, self.files) is not None and not report.diagnostics:
                result += f"+{offer}"
        return result

    def _texts(self, ref: str) -> Collection[str]:
        """The texts of a reference's files."""
        return load_source(ref, Report(), self.files).texts

    def _learn(self, ref: str, editor: EditorFiles) -> None:
        """Records the files that no smaller reference has; for several overlays, all files of overlays."""
        several = _several(ref)
        for file in self._texts(ref):
            known = self.refs.setdefault(file, [])
            if ref not in known and (not known or (several and "+" in known[0])):
                known.append(ref)
                self.symbols.setdefault(ref, Symbols(ref, editor))

    def mutants(self, count: int, seed: int) -> list[tuple[str, Mutant]]:
        """A sample of mutants with their references, balanced over files, operators and classes."""
        buckets: dict[tuple[str, str, str, str], list[tuple[str, Mutant]]] = {}
        for ref, m in self.all_mutants:
            buckets.setdefault((m.breaks, m.operator, m.file, ref), []).append((ref, m))
        rng = random.Random(seed)
        turns = sorted(buckets)
        rng.shuffle(turns)
        for key in turns:
            rng.shuffle(buckets[key])
        chosen: list[tuple[str, Mutant]] = []
        while len(chosen) < count and turns:
            chosen += [buckets[key].pop() for key in turns]
            turns = [key for key in turns if buckets[key]]
        return chosen[:count]

    @cached_property
    def all_mutants(self) -> list[tuple[str, Mutant]]:
        """All mutants, each with the reference under which it is checked."""
        results: list[tuple[str, Mutant]] = []
        for file, refs in self.refs.items():
            for ref in refs:
                text = sheet(file, self.symbols[ref])
                mutator = YamlMutator(text) if file.endswith(".yaml") else RulesMutator(text)
                results += [(ref, m) for m in mutator.mutants()]
        return results

    def run(self, number: int, ref: str, mutant: Mutant) -> Outcome:
        """Edits the file, checks the mutant, and restores the file."""
        known = known_program(ref, self.files)
        path = Path(mutant.file)
        text = path.read_text("utf-8")
        path.write_text(text[: mutant.start] + mutant.text + text[mutant.end :], "utf-8")
        outcome = Outcome(number, ref, mutant)
        report, begun = Report(), time.process_time()
        try:
            with at_most(4 * LIMIT):
                ruleset = check(ref, report, self.files)
            outcome.seconds = time.process_time() - begun
            if outcome.seconds > LIMIT:
                outcome.failure = f"{outcome.seconds:.1f} s"
            self._judge(outcome, ruleset, report, known)
        except Exception:  # any exception is a finding
            outcome.verdict, outcome.failure = "failed", traceback.format_exc()
        finally:
            path.write_text(text, "utf-8")
        if outcome.verdict == "unchanged" and mutant.breaks in BREAKING and ref != (alone := self.alone(mutant.file)):
            # Another file overrides the edited part: the mistake must be reported without that file.
            return self.run(number, alone, mutant)
        return outcome

    def alone(self, file: str) -> str:
        """The reference in which no other file overrides a file: that of its overlay alone, or of its ruleset."""
        first = self.refs[file][0]
        return first if "+" in first else next(p.name for p in Path(file).parents if (p / "game.yaml").is_file())

    def _judge(self, outcome: Outcome, ruleset: typed.Ruleset | None, report: Report, known: str) -> None:
        outcome.found = report.diagnostics
        errors = [d for d in outcome.found if d.severity is Severity.ERROR]
        if errors:
            first = next((d for d in errors if d.span is not None), errors[0])  # "too many errors" has no place
            outcome.verdict = "refused"
            spans = [s for s in (first.span, *(n.span for n in first.notes)) if s is not None]
            outcome.told = any((s.file, line) in outcome.mutant.sites for s in spans for line in (s.line, s.end_line))
            return
        if ruleset is None:
            raise ValueError("no ruleset and no error")
        if program(ruleset) == known:
            outcome.verdict = "unchanged"
            return
        outcome.verdict = "warned" if outcome.found else "different"
        with at_most(12 * LIMIT):
            outcome.faulted = play(ruleset, outcome.number)


def program(ruleset: typed.Ruleset) -> str:
    """The program of a ruleset, independent of places in files.

    It is lowered for the fewest players with default settings, and for the most with all settings changed.
    """
    usual = check_settings(ruleset, {})
    other = {n: next((v for v in values_to_try(o) if v != o.default), o.default) for n, o in ruleset.settings.items()}
    shown = [lower(ruleset, *chosen) for chosen in zip(ruleset.players, (usual, other), strict=True)]
    return whole([*shown, sorted(usual.items())], places=False)


@cache
def known_program(ref: str, files: KeptFiles) -> str:
    """The program of an unedited ruleset, cached."""
    ruleset = check(ref, Report(), files)
    assert ruleset is not None
    return program(ruleset)


def play(ruleset: typed.Ruleset, seed: int) -> bool:
    """Plays some decisions with both backends, which must agree, and returns whether the rules caused a fault."""
    rng = random.Random(seed)
    seats = [f"P{i + 1}" for i in range(rng.randint(*ruleset.players))]
    fast, plain = Game(ruleset, seats), Game(ruleset, seats, {}, "interpreter")
    for _ in range(DECISIONS):
        steps: list[object] = []
        for game in (fast, plain):
            try:
                options = [] if game.is_over else list(islice(every_option(game), MAX_OPTIONS))
                broken = game.omniscient.broken_invariants()
                steps.append((game.hash, game.is_over and game.result, [str(o) for o in options], broken))
            except RulesetFaultError as fault:
                steps.append(fault.diagnostic)
        if steps[0] != steps[1]:
            raise ValueError(f"the backends differ: {steps}")
        if isinstance(steps[0], Diagnostic):
            return True
        options = [o for o in options if not o.interrupt]
        if not options:
            return not fast.is_over
        option = rng.choice(options)
        faults = []
        for game in (fast, plain):
            try:
                game.apply(option)
            except RulesetFaultError as fault:
                faults.append(fault.diagnostic)
        if len(faults) == 1:
            raise ValueError(f"only one backend comes to a fault: {faults}")
        if faults:
            return True
    return False


def table(outcomes: list[Outcome]) -> str:
    """The outcomes by class and operator."""
    head = f"{'class':10} {'operator':10} {'count':>6} {'refused':>8} {'told':>6} {'warned':>7} {'unchanged':>10}"
    head += f" {'different':>10} {'failed':>7} {'most s':>7}"
    rows = [head]
    keys = sorted({(o.mutant.breaks, o.mutant.operator) for o in outcomes})
    groups = [(b, op, [o for o in outcomes if (o.mutant.breaks, o.mutant.operator) == (b, op)]) for b, op in keys]
    groups.append(("breaking", "", [o for o in outcomes if o.mutant.breaks in BREAKING]))
    groups.append(("all", "", outcomes))
    for breaks, operator, group in groups:
        n = Counter(o.verdict for o in group)
        note, most = sum(o.told for o in group), max((o.seconds for o in group), default=0)
        failed = sum(bool(o.failure) for o in group)
        rows.append(
            f"{breaks:10} {operator:10} {len(group):6} {n['refused']:8} {note:6} {n['warned']:7} {n['unchanged']:10}"
            f" {n['different']:10} {failed:7} {most:7.2f}"
        )
    return "\n".join(rows)


def show(outcome: Outcome) -> str:
    """A mutant with its diagnostics, in a few lines."""
    m = outcome.mutant
    text = Path(m.file).read_text("utf-8")
    line = text.count("\n", 0, m.start) + 1
    was, now = text[m.start : m.end], m.text
    rows = [f"#{outcome.number} {outcome.ref} {m.breaks}/{m.operator} {m.file}:{line}: {was[:80]!r} -> {now[:80]!r}"]
    rows.append(f"   in: {text.splitlines()[line - 1].strip()[:140] if line <= text.count(chr(10)) else ''}")
    rows.append(
        f"   {outcome.verdict}, {'told' if outcome.told else 'not told'}, {outcome.seconds:.2f} s {outcome.failure}"
    )
    for d in outcome.found[:3]:
        notes = ", ".join(f"{n.span}" for n in d.notes)
        rows.append(f"   {d.severity} {d.code} {d.span}: {d.message} [{notes}] ({d.help[:80]})")
    return "\n".join(rows)


def record(outcome: Outcome) -> dict[str, object]:
    """The report line of an outcome."""
    m = outcome.mutant
    return {
        "number": outcome.number,
        "ref": outcome.ref,
        "file": m.file,
        "operator": m.operator,
        "class": m.breaks,
        "verdict": outcome.verdict,
        "told": outcome.told,
        "seconds": round(outcome.seconds, 3),
        "failure": outcome.failure,
        "faulted": outcome.faulted,
        "codes": [d.code for d in outcome.found[:5]],
        "first": str(outcome.found[0].span) if outcome.found else "",
    }


def right(outcome: Outcome) -> bool:
    """Whether a mutant caused no failure and, if it is broken, was reported at the place of its change."""
    return not outcome.failure and (outcome.told or outcome.mutant.breaks not in BREAKING)


def _several(ref: str) -> bool:
    """Whether a reference has several overlays."""
    return ref.count("+") > 1


@contextlib.contextmanager
def copied(games: Path) -> Iterator[None]:
    """A context manager that copies the games without logs and scenarios, and makes the copy the current folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        skip = shutil.ignore_patterns("logs", "scenarios")
        shutil.copytree(games, Path(folder).resolve() / "games", ignore=skip)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def main() -> int:
    """Prints the wrong outcomes and the table; returns 1 if there are wrong outcomes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=Path, default=GAMES, help="the folder of rulesets")
    parser.add_argument("--report", type=Path, help="write each outcome as a line of JSON")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="show this mutant alone")
    args = parser.parse_args()
    report = args.report.resolve() if args.report else None
    with copied(args.games):
        bench = Bench()
        bench.learn()
        chosen = bench.mutants(args.count, args.seed)
        if args.only is not None:
            outcome = bench.run(args.only, *chosen[args.only])
            print(show(outcome))
            print(render_text(outcome.found, {}))
            return 0
        outcomes = []
        with report.open("w", encoding="utf-8") if report else contextlib.nullcontext() as lines:
            for number, (ref, mutant) in enumerate(chosen):
                outcomes.append(bench.run(number, ref, mutant))
                if lines is not None:
                    print(json.dumps(record(outcomes[-1])), file=lines, flush=True)
                if not right(outcomes[-1]):
                    print(show(outcomes[-1]), flush=True)
    print(table(outcomes))
    return 0 if all(right(o) for o in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
