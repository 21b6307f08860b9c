"""A separate process for inputs under test, whose time and memory are monitored from outside.

    python -m fuzz.worker TARGET FOLDER SECONDS

reads inputs, each preceded by a line with its length, and answers each with a line of JSON.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parent.parent
SECONDS = 5
"""The limit of processor time for one input, in seconds; a busy machine does not cause failures."""
MEGABYTES = 300
"""The limit of resident memory of the process during one input, in megabytes."""

_PATIENCE = 60  # wall-clock limit in seconds for an idle process; a working one gets all the time it needs
_WRITABLE = 4_000_000_000  # bytes of writable memory, far above MEGABYTES, so that the peak can be measured first
_INPUTS = 400  # inputs per process, so that memory left over from earlier inputs does not count


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an input: its messages, its failure ("" for none), processor seconds, and megabytes."""

    said: tuple[str, ...] = ()
    wrong: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0

    @property
    def kind(self) -> str:
        """The signature shared by failures with the same cause: the exception, and the place that raised it."""
        lines = [line.strip() for line in self.wrong.strip().split("\n")]
        places = [line.replace(f"{ROOT}/", "") for line in lines if line.startswith("File ")]
        return f"{lines[-1].partition(':')[0][:80]} {places[-1] if places else ''}".strip()


class Worker:
    """A process that runs inputs of one target, and is restarted when it dies.

    Use it as a context manager.

    Args:
        target: the name of the target.
        seconds: the limit of processor time for one input.
    """

    def __init__(self, target: str, seconds: int = SECONDS) -> None:
        self.target = target
        self.seconds = seconds
        self._done = 0
        self._folder = Path(tempfile.mkdtemp(prefix="rulespec-fuzz-"))
        self._process = self._begun()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _begun(self) -> subprocess.Popen[bytes]:
        self._done = 0
        command = [sys.executable, "-m", "fuzz.worker", self.target, str(self._folder), str(self.seconds)]
        return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _end(self) -> None:
        with self._process as process:  # closes the pipes, and waits
            process.kill()

    def fresh(self, data: bytes) -> Outcome:
        """Runs an input in a fresh process."""
        if self._done:
            self._end()
            self._process = self._begun()
        return self.run(data)

    def run(self, data: bytes) -> Outcome:
        """Runs an input."""
        if self._done >= _INPUTS:
            return self.fresh(data)
        self._done += 1
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        answer = b""
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"%d\n%s" % (len(data), data))
            process.stdin.flush()
            if self._answered():
                answer = process.stdout.readline()
        if answer.endswith(b"\n"):
            result = json.loads(answer)
            return Outcome(**{**result, "said": tuple(result["said"])})
        self._done = _INPUTS
        process.kill()
        code = process.wait()
        # Killed by us, or by its limit of processor time, which leaves the stack in a file.
        ended = "hang" if code in (-signal.SIGKILL, -signal.SIGXCPU) else "crash"
        stack = (self._folder / "stack").read_text("utf-8", "replace").strip().split("\n")
        wrong = [*reversed(stack), f"{ended}: the process has ended with {code}"]
        return Outcome(wrong="\n".join(wrong), seconds=self.seconds)

    def _answered(self) -> bool:
        """Waits for an answer; False if the process has been idle for too long."""
        assert self._process.stdout is not None
        used = 0
        while not select.select([self._process.stdout], [], [], _PATIENCE)[0]:
            before, (state, used) = used, _state(self._process.pid)
            if used <= before and state != "T":  # a process stopped by a user continues eventually
                return False
        return True


def _state(pid: int) -> tuple[str, int]:
    """The state of a process (a letter), and its processor time in the system's units; 0 if unknown."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", 0
    return fields[0], int(fields[11]) + int(fields[12])


def _serve(name: str, folder: Path, limit: int) -> None:
    """The main loop of the process: tries inputs until the end of input."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)  # keeps printed text out of the answers
    inputs = os.fdopen(os.dup(0), "rb")
    os.dup2(1, 0)  # leaves prompts unanswered
    os.environ |= {"RULESPEC_DEBUG": "1", "RULESPEC_PATH": str(ROOT / "tests" / "rulesets"), "NO_COLOR": "1"}
    os.environ["RULESPEC_CACHE"] = str(folder / "cache")
    resource.setrlimit(resource.RLIMIT_DATA, (_WRITABLE, _WRITABLE))  # wasm reserves addresses, not memory
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("error")  # warnings are visible to users
    from fuzz.targets import TARGETS

    place = folder / "place"
    with (folder / "stack").open("w") as stack:
        faulthandler.enable(stack)
        faulthandler.register(signal.SIGXCPU, stack, all_threads=False, chain=True)
        gc.collect()
        gc.freeze()
        while head := inputs.readline():
            data = inputs.read(int(head))
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            os.chdir(place)
            gc.collect()
            _forget_peak()
            begun = time.process_time()
            resource.setrlimit(resource.RLIMIT_CPU, (int(begun) + limit + 1, resource.RLIM_INFINITY))
            said: set[str] = set()
            wrong = ""
            try:
                said = TARGETS[name].run(data, place)
            except BaseException:
                wrong = traceback.format_exc()
            seconds, megabytes = time.process_time() - begun, _peak()
            # Memory first: unlike time, it does not depend on the machine's load.
            if not wrong and megabytes > MEGABYTES:
                wrong = f"large: {megabytes:.0f} MB"
            if not wrong and seconds > limit:
                wrong = f"slow: {seconds:.1f} s of the processor"
            answers.write(json.dumps(asdict(Outcome(tuple(sorted(said)), wrong, seconds, megabytes))).encode() + b"\n")
            answers.flush()


def _forget_peak() -> None:
    with contextlib.suppress(OSError):  # Linux alone; elsewhere, the peak of all inputs so far
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """The peak resident memory in megabytes."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1000
    except OSError:
        pass
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    _serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
