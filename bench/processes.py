"""Whole processes: the processor time, user and system, that they take until they have ended."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.pairs import Sample, Slice

ROOT = Path(__file__).parent.parent


def process(module: str, args: Sequence[str], walls: list[float], check: Callable[[str], None] | None = None) -> Slice:
    """A slice that runs `python -m MODULE ARGS` once.

    Args:
        module: what is run.
        args: its arguments.
        walls: takes the seconds by the clock on the wall.
        check: takes what it has written.
    """

    def run() -> Sample:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", module, *args], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        walls.append(time.perf_counter() - begun)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):  # 1: what was looked at has problems, or differs
            raise RuntimeError(f"{module} {' '.join(args)}: {done.stderr[-500:]}")
        if check is not None:
            check(done.stdout)
        return Sample(1, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    return run
