"""Measurement of whole processes by processor time, user and system, until they end."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.pairs import Sample, Slice

ROOT = Path(__file__).parent.parent
LOOK = 0.2
"""The interval, in seconds, between checks of a running process; frequent checks would take time from it."""

LetGoOn = Callable[[Callable[[], bool]], float]
"""A function that lets a process continue until `enough()` is true or it ends, and returns the elapsed seconds."""


def process(module: str, args: Sequence[str], walls: list[float], check: Callable[[str], None] | None = None) -> Slice:
    """A slice that runs `python -m MODULE ARGS` once.

    Args:
        module: the module to run.
        args: the arguments of the command.
        walls: a list that receives the wall-clock seconds.
        check: a function that receives the standard output.
    """

    def run() -> Sample:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", module, *args], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        walls.append(time.perf_counter() - begun)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):  # 1: a command has found problems or differences
            raise RuntimeError(f"{module} {' '.join(args)}: {done.stderr[-500:]}")
        if check is not None:
            check(done.stdout)
        return Sample(1, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    return run


@contextmanager
def by_turns(module: str, args: Sequence[str]) -> Iterator[LetGoOn]:
    """A context manager for a process `python -m MODULE ARGS` that runs only during its turns, and is suspended between
    them.

    Two commands that take many minutes can thus be compared on one machine without running at the same time. Child
    processes are suspended too. Times are wall-clock times.

    Raises:
        RuntimeError: in a turn, if the process fails. After the process ends, a turn takes no time.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process: subprocess.Popen[str] | None = None

        def go_on(enough: Callable[[], bool]) -> float:
            nonlocal process
            begun = time.perf_counter()
            if process is None:
                command = [sys.executable, "-m", module, *args]
                process = subprocess.Popen(
                    command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=said, stderr=said, text=True, process_group=0
                )
            elif process.returncode is None:
                os.killpg(process.pid, signal.SIGCONT)
            while process.poll() is None:
                if enough():
                    os.killpg(process.pid, signal.SIGSTOP)
                    return time.perf_counter() - begun
                time.sleep(LOOK)
            if process.returncode:
                said.seek(0)
                raise RuntimeError(f"{module} {' '.join(args)}: {said.read()[-500:]}")
            return time.perf_counter() - begun

        try:
            yield go_on
        finally:
            if process is not None and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
