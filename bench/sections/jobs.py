"""The speed of `rulespec simulate` with one process and with two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from math import ceil
from pathlib import Path

from bench.figures import Bench, Figure, Target
from bench.pairs import Sample, Slice, alternate
from bench.processes import LetGoOn, by_turns

PROCESSES = 2
FASTER = 1.8
TURN = 10_000
"""The number of games per turn; a turn takes some seconds."""


def run(bench: Bench) -> Iterator[Figure]:
    """The figure in wall-clock time, since parallelism does not reduce processor time."""
    runs = min(bench.runs, ceil(bench.games / TURN))
    turns = ceil(bench.games / TURN / runs)
    ends = [bench.games * turn // (runs * turns) for turn in range(1, runs * turns + 1)]
    files = [bench.folder.absolute() / f"jobs{jobs}.jsonl" for jobs in (1, PROCESSES)]
    with ExitStack() as stack:
        slices = []
        for jobs, file in zip((1, PROCESSES), files, strict=True):
            file.unlink(missing_ok=True)  # otherwise the command would continue the file
            args = ["simulate", "imperial", "--players", "4", "--games", str(bench.games), "--seed", "1"]
            args += ["--jobs", str(jobs), "--out", str(file)]
            slices.append(
                _slice(stack.enter_context(by_turns("rulespec.cli.main", args)), file, iter(ends), bench.games)
            )
        one, more = alternate(slices, runs, turns=turns, warm=False)
    same = "the same" if files[0].read_bytes() == files[1].read_bytes() else "NOT the same"
    name, target = f"simulate --jobs {PROCESSES}, {bench.games:,} playouts", Target(FASTER, at_least=True)
    total = {"in all": sum(taken.seconds for taken in one) / sum(taken.seconds for taken in more), "results": same}
    yield bench.figure(name, more, one, unit="playouts", beside="--jobs 1", target=target, more=total)


def _slice(go_on: LetGoOn, path: Path, ends: Iterator[int], games: int) -> Slice:
    """A slice that plays up to the next of the given numbers of games, or to the end of the process for the last."""
    done = read = 0
    rows = -1  # the first line is a header

    def written() -> int:
        nonlocal read, rows
        if path.exists():
            with path.open("rb") as file:
                file.seek(read)
                new = file.read()
            read += len(new)
            rows += new.count(b"\n")
        return rows

    def run() -> Sample:
        nonlocal done
        end = next(ends)
        seconds = go_on(lambda: end < games and written() >= end)
        done, before = end, done
        return Sample(end - before, seconds)

    return run
