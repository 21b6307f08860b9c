"""Entry point of the fuzzer: `python -m fuzz [TARGET…] --seconds N --seed S`."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click

from fuzz.file_mutate import FileMutator
from fuzz.mutate import Mutator
from fuzz.parts import joined, split
from fuzz.seeds import seeds
from fuzz.shrink import shrink
from fuzz.targets import TARGETS
from fuzz.worker import SECONDS, Outcome, Worker

_SHRINKING = 60.0  # time limit for shrinking one failure, in seconds
_REPORTED = 20.0  # seconds between lines of the summary
_KEPT = 4_000  # maximum number of inputs in the corpus


@dataclass
class Summary:
    """The totals of a run so far.

    `seconds`: wall-clock time, including shrinking; `processor` and `slowest`: processor time of all inputs, and of the
    slowest one; `largest`: the peak memory of the process during one input, in megabytes.
    """

    target: str
    seed: int
    inputs: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    corpus: int = 0
    slowest: float = 0.0
    largest: float = 0.0
    failures: list[str] = field(default_factory=list)
    only_once: int = 0
    """The number of failures that a fresh process did not reproduce."""


class Fuzzer:
    """A fuzzer of one target: it mutates inputs, and keeps those that fail or lead to new output.

    Args:
        target: the name of the target.
        seed: the seed of all random choices; results also depend on the machine's speed.
        out: the folder for failures and the summary.
        corpus: a folder of additional initial inputs, or None.
    """

    def __init__(self, target: str, seed: int, out: Path, corpus: Path | None = None) -> None:
        self.target = TARGETS[target]
        self.rng = random.Random(f"{target} {seed}")
        self.out = out / target
        self.out.mkdir(parents=True, exist_ok=True)
        self.corpus = seeds(target)
        if corpus is not None:
            self.corpus += [p.read_bytes() for p in sorted(corpus.iterdir()) if p.is_file()]
        self.seeds = len(self.corpus)
        self.sound: list[bytes] = []
        self.mutator: Callable[[bytes], bytes] = (FileMutator if self.target.binary else Mutator)(self.rng, self.corpus)
        self.known: set[str] = set()
        self.kinds: set[str] = set()
        self.summary = Summary(target, seed)

    def input(self) -> bytes:
        """The next input."""
        if self.target.binary:
            return self.mutator(self._chosen())
        first = self.target.first
        parts = split(self._chosen(), first)
        names = [n for n in parts if self.target.mutable.fullmatch(n)] or list(parts)
        for name in self.rng.sample(names, min(len(names), self.rng.choice((1, 1, 1, 2)))):
            parts[name] = self.mutator(parts[name])
        return joined(parts, first)

    def _chosen(self) -> bytes:
        """The smallest of three random inputs: usually valid ones, otherwise any found so far."""
        pools = (self.sound, self.sound, self.corpus[self.seeds :], self.corpus)
        return min(self.rng.choices(self.rng.choice(pools) or self.corpus, k=3), key=len)

    def run(self, seconds: float, inputs: int = 0) -> Summary:
        """Tries inputs for the given time in seconds, and longer until there were at least the given number."""
        begun = note = time.monotonic()
        with Worker(self.target.name, self.target.seconds or SECONDS) as worker:
            for data in self.corpus[: self.seeds]:
                if time.monotonic() > begun + seconds / 2:
                    break
                outcome = self.try_out(worker, data)
                if any(said.endswith(" 0") for said in outcome.said):
                    self.sound.append(data)
            while (now := time.monotonic()) < begun + seconds or self.summary.inputs < inputs:
                self.try_out(worker, self.input())
                if now > note + _REPORTED:
                    note = now
                    self._tell(now - begun)
        self._tell(time.monotonic() - begun)
        return self.summary

    def try_out(self, worker: Worker, data: bytes) -> Outcome:
        """Tries one input: counts it, and keeps it if it is interesting."""
        outcome = worker.run(data)
        summary = self.summary
        summary.inputs += 1
        summary.processor = round(summary.processor + outcome.seconds, 3)
        summary.largest = max(summary.largest, outcome.megabytes)
        if outcome.seconds > summary.slowest:
            summary.slowest = round(outcome.seconds, 3)
            (self.out / "slowest").write_bytes(data)
        if outcome.wrong:
            self._failed(worker, data, outcome)
        elif not self.known.issuperset(outcome.said):
            self.known.update(outcome.said)
            if len(self.corpus) < _KEPT:
                self.corpus.append(data)
        return outcome

    def _failed(self, worker: Worker, data: bytes, outcome: Outcome) -> None:
        if outcome.kind in self.kinds:
            return
        again = worker.fresh(data)
        if not again.wrong:
            self.summary.only_once += 1
            return
        self.kinds |= {outcome.kind, again.kind}
        name = hashlib.sha256(again.kind.encode()).hexdigest()[:12]
        self.summary.failures.append(f"{name}: {again.kind}")
        (self.out / f"{name}.txt").write_text(again.wrong, "utf-8", "replace")
        (self.out / f"{name}.whole").write_bytes(data)
        small = shrink(data, lambda part: worker.run(part).kind == again.kind, _SHRINKING)
        (self.out / f"{name}.input").write_bytes(small)

    def _tell(self, seconds: float) -> None:
        self.summary.seconds = round(seconds, 1)
        self.summary.corpus = len(self.corpus)
        (self.out / "summary.json").write_text(json.dumps(asdict(self.summary), indent=2) + "\n", "utf-8")


@click.command()
@click.argument("targets", nargs=-1, type=click.Choice(list(TARGETS)))
@click.option("--seconds", type=float, default=60.0, show_default=True, help="For each target.")
@click.option("--inputs", type=int, default=0, help="Minimum for each target, even if it takes longer.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--corpus", type=click.Path(path_type=Path, exists=True), help="A folder of more inputs to begin with.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/fuzz"), show_default=True)
@click.option("--again", type=click.Path(path_type=Path, exists=True), help="Try out this input only, and tell.")
def main(
    targets: tuple[str, ...],
    seconds: float,
    inputs: int,
    seed: int,
    corpus: Path | None,
    out: Path,
    again: Path | None,
) -> None:
    """Fuzz the entry points TARGETS one after the other, by default all. Exit code 1 if something failed."""
    failed = False
    for name in targets or TARGETS:
        if again is not None:
            with Worker(name, TARGETS[name].seconds or SECONDS) as worker:
                outcome = worker.run(again.read_bytes())
            used = f"{outcome.seconds:.1f} s, {outcome.megabytes:.0f} MB"
            click.echo(f"{name}: {outcome.wrong or 'nothing wrong'} ({used})")
            failed |= bool(outcome.wrong)
            continue
        s = Fuzzer(name, seed, out, corpus).run(seconds, inputs)
        failed |= bool(s.failures)
        used = f"slowest {s.slowest:4.1f} s  largest {s.largest:4.0f} MB"
        click.echo(f"{name:9} {s.inputs:7,} inputs  {s.seconds:6.0f} s  {used}  {len(s.failures)} failures")
        for failure in s.failures:
            click.echo(f"  {failure}")
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
