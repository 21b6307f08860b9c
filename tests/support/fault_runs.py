"""Runs that fail at a chosen system call, each in a separate process, followed by a restart.

    LD_PRELOAD=faults.so python -m fault_runs store replaced        # all faults of these scenarios
    LD_PRELOAD=faults.so python -m fault_runs --memory store        # with more and more memory
    LD_PRELOAD=faults.so python -m fault_runs store:pwrite:io:12    # the twelfth `pwrite`

For each call and each kind of fault, n counts up from 1 until a run has no n-th call. Each run prints a line of JSON.
`fault_scenarios.py` has the scenarios.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import resource
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from itertools import count, groupby
from pathlib import Path

from deadlines import DEADLINE
from fault_scenarios import SCENARIOS, Report, Scenario
from msgspec import Struct, to_builtins
from stores import in_memory

from rulespec.diagnostics.report import DiagnosticsError

CALLS = ("open", "write", "pwrite", "fsync", "fdatasync", "rename", "link", "ftruncate", "close")
"""The system calls, in the numbering of `faults.c`."""
KINDS = {"io": 1, "no_space": 2, "short": 3, "full": 4, "kill": 5}
"""The kinds of faults: an I/O error; no space once; a half write; a half write and a full disk; a killed process."""
OF_WRITES = ("short", "full")
STEP, LEAST_STEPS, MOST_STEPS = 256 * 1024, 4, 600
"""The increment of the memory limit in bytes, and the first and last multiples. With less memory, Python waits for
threads that fail to start."""
SECONDS = int(DEADLINE)


class Run(Struct, frozen=True):
    """A run with a fault.

    Attributes:
        scenario: its name.
        call: the call that failed, or `memory`.
        n: the number of the call, from 1.
        kind: the kind of fault.
        place: the file.
        confirmed: the number of confirmed steps.
        messages: the messages of the run.
        after: the outcome of the restart.
        wrong: the violation; "" if there is none.
    """

    scenario: str
    call: str
    n: int
    kind: str
    place: str
    confirmed: int
    messages: list[str]
    after: str
    wrong: str


class Bench:
    """A folder for the runs of a scenario.

    Args:
        scenario: the scenario, which is loaded once, before forking.
        folder: the folder.
    """

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        scenario.load()
        gc.freeze()
        self._scenario = scenario
        self._folder = folder
        (folder / "template").mkdir()
        _process(lambda report: scenario.prepare(folder / "template"), _nothing)

    def all_runs(self) -> Iterator[Run]:
        """The runs for each call and each kind of fault, until there is no further call."""
        for call in CALLS:
            for kind in KINDS:
                if kind in OF_WRITES and call not in ("write", "pwrite"):
                    continue
                for n in count(1):
                    run = self.run(call, kind, n)
                    if run.place or run.wrong:
                        yield run
                    if not run.place:
                        break

    def memory_runs(self) -> Iterator[Run]:
        """Runs with an increasing memory limit, until one succeeds."""
        for n in range(LEAST_STEPS, MOST_STEPS):
            run = self.run("memory", "ulimit", n)
            yield run
            if not run.messages and not run.wrong:
                break

    def run(self, call: str, kind: str, n: int) -> Run:
        """A run, followed by a restart."""
        scenario, work = self._scenario, self._folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self._folder / "template", work)

        def arm(descriptor: int) -> None:
            if call == "memory":
                size = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize() + n * STEP
                resource.setrlimit(resource.RLIMIT_AS, (size, size))
            else:
                library = ctypes.CDLL(None)
                library.fault_arm(os.fsencode(work), CALLS.index(call), ctypes.c_long(n), KINDS[kind], descriptor)

        lines, status = _process(lambda report: _with_memory(scenario, work, report, call == "memory"), arm)
        of = {word: [line[len(word) + 1 :] for line in lines if line.startswith(f"{word} ")] for word in WORDS}
        wrong = [*of["traceback"]]
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if (killed != (kind == "kill" and bool(of["fault"]))) or (not killed and status != 0):
            wrong.append(f"the process ended with {status}")
        if not killed and not of["fault"] and call != "memory" and of["message"]:
            wrong.append("a message without a fault")
        wrong += scenario.too_much(of["message"])
        after, status = _process(lambda report: scenario.check(work, of["confirmed"], killed, report), _nothing)
        wrong += [line for line in after if line.startswith("traceback ")]
        if status != 0:
            wrong.append(f"the restart ended with {status}")
        said = "; ".join(line.partition(" ")[2] for line in after)
        place = of["fault"][0].split(" ", 2)[2] if of["fault"] else ""
        messages, confirmed = of["message"], len(of["confirmed"])
        return Run(scenario.name, call, n, kind, place, confirmed, messages, said, " | ".join(wrong)[:1000])


def _with_memory(scenario: Scenario, work: Path, report: Report, bounded: bool) -> None:
    """Runs a scenario; with limited memory, an exception's message counts as that of a command."""
    try:
        scenario.run(work, report)
    except (MemoryError, RuntimeError, DiagnosticsError) as error:
        if not bounded:
            raise
        report.message(f"there is not enough memory: {error}")


WORDS = ("confirmed", "message", "fault", "traceback")


def _process(work: Callable[[Report], object], arm: Callable[[int], None]) -> tuple[list[str], int]:
    """The report lines of a process with faults armed, and its exit status."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            signal.alarm(SECONDS)
            report = Report(writing)
            arm(writing)
            work(report)
            status = 0
        except BaseException as error:
            _tell(writing, error)
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        lines = file.read().decode("utf-8", "replace").splitlines()
    return lines, os.waitpid(child, 0)[1]


def _tell(descriptor: int, error: BaseException) -> None:
    try:
        text = " / ".join(traceback.format_exception(error)[-2:]).replace("\n", " ")
    except MemoryError:
        text = type(error).__name__
    os.write(descriptor, f"traceback {text}\n".encode())


def _nothing(_: int) -> None:
    pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("wanted", nargs="+")
    parser.add_argument("--memory", action="store_true")
    args = parser.parse_args()
    for name, wanted in groupby(args.wanted, lambda text: text.partition(":")[0]):
        with in_memory() as folder:
            bench = Bench(SCENARIOS[name](), folder)
            for text in wanted:
                _, *one = text.split(":")
                runs = bench.memory_runs() if args.memory else bench.all_runs()
                for run in [bench.run(one[0], one[1], int(one[2]))] if one else runs:
                    sys.stdout.write(json.dumps(to_builtins(run)) + "\n")


if __name__ == "__main__":
    main()
