"""`rulespec simulate` with one process and with two."""

from __future__ import annotations

import json
from collections.abc import Iterator

import cli.simulate
from bench.figures import Bench, Figure, Target
from bench.pairs import Sample, Slice, alternate
from bench.processes import process

PROCESSES = 2
FASTER = 1.8


def run(bench: Bench) -> Iterator[Figure]:
    """The time on the wall: processor time does not get less. Nothing, where the command has no `--jobs`."""
    if not any(option.name == "jobs" for option in cli.simulate.command.params):
        return
    said: list[set[str]] = [set(), set()]
    one, more = alternate([_slice(1, bench, said[0]), _slice(PROCESSES, bench, said[1])], min(bench.runs, 3))
    same = "the same" if said[0] == said[1] else "NOT the same"
    name, target = f"simulate --jobs {PROCESSES}, {bench.games:,} playouts", Target(FASTER, at_least=True)
    yield bench.figure(name, more, one, unit="playouts", beside="--jobs 1", target=target, more={"results": same})


def _slice(jobs: int, bench: Bench, said: set[str]) -> Slice:
    walls: list[float] = []

    def keep(text: str) -> None:
        told = json.loads(text)
        said.add(json.dumps({key: value for key, value in told.items() if "second" not in key}, sort_keys=True))

    args = ["simulate", "imperial", "--players", "4", "--games", str(bench.games), "--seed", "1"]
    run = process("cli.main", [*args, "--jobs", str(jobs), "--format", "json"], walls, keep)

    def by_the_wall() -> Sample:
        run()
        return Sample(bench.games, walls[-1])

    return by_the_wall
