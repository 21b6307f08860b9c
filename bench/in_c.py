"""Upper bounds on speed: random games hand-written in C, in a process that plays on request."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.pairs import Sample, Slice
from bench.processes import ROOT

FOLDER = ROOT / "bench" / "limits"
"""The folder of the C programs, each named after its ruleset."""


class NoCompilerError(RuntimeError):
    """Raised if there is no C compiler, or compilation fails; the text is the reason."""


@contextmanager
def limit(game: str, seconds: float, folder: Path) -> Iterator[Slice]:
    """A slice that plays random games of a ruleset in C, and counts the moves.

    Args:
        game: the name of the ruleset.
        seconds: the processor time of a slice.
        folder: the folder for the compiled program.

    Raises:
        NoCompilerError: if the program cannot be compiled.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise NoCompilerError("there is no C compiler `cc` here")
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / game
    command = [compiler, "-O2", "-march=native", "-o", str(program), str(FOLDER / f"{game}.c")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NoCompilerError(f"`cc` does not compile {game}.c: {done.stderr.strip()[:200]}")
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None and stdout is not None

        def play() -> Sample:
            stdin.write(f"{seconds}\n")
            stdin.flush()
            moves, taken = stdout.readline().split()
            return Sample(int(moves), float(taken))

        yield play
        stdin.close()
