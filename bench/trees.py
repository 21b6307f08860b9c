"""Whole commands of this checkout beside those of another one, such as a worktree of an older commit.

    python -m bench.trees --runs 9 ../before replay log.json

Cold processes, in turn; each checkout has a cache of its own, and both run the same Python with the same packages.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.pairs import Spread
from bench.processes import ROOT


def main() -> None:
    """Prints how many times as long this checkout takes as the other one: processor time, and the clock."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--runs", type=int, default=9, help="how many pairs")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="a command of rulespec with its arguments")
    args = parser.parse_args()
    taken: dict[Path, list[tuple[float, float]]] = {args.other.resolve(): [], ROOT: []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.runs + 1):
            for tree in list(taken)[:: 1 if number % 2 else -1]:
                taken[tree].append(_run(tree, args.command, f"{folder}/{tree.name}"))
    theirs, ours = (result[1:] for result in taken.values())  # without the first, which fills the cache
    for at, name in enumerate(("processor", "clock")):
        spread = Spread.of(a[at] / b[at] for a, b in zip(ours, theirs, strict=True))
        print(f"{name}: {spread.median:.3f} ({spread.low:.3f} to {spread.high:.3f})")


def _run(tree: Path, command: list[str], cache: str) -> tuple[float, float]:
    """The seconds of one process: of the processor, and by the clock."""
    env = os.environ | {"PYTHONPATH": str(tree), "RULESPEC_CACHE": cache, "PYTHONPYCACHEPREFIX": f"{cache}.bytecode"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "rulespec", *command], cwd=tree, env=env, capture_output=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{tree}: {done.stderr.decode(errors='replace')[-500:]}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall


if __name__ == "__main__":
    main()
