"""A process that runs jobs in the checkout for which it was started: `python -S -P worker.py CHECKOUT`.

It imports nothing from `bench`, since the other checkout may lack it, and imports `rulespec` only from its checkout. An
input line is the name of a job, or a number of repetitions; the answer is a JSON line: `{}` if the job is ready,
`{"missing": WHY}` if the checkout cannot run it, or `{"count": C, "seconds": S}` with processor seconds.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

Job = Callable[[Path], Callable[[], int]]
"""A function that prepares some work, of at most a second, in a checkout; a call of its result does the work and
returns a count.
"""

_BATCH = 32
"""The number of wasm games in one piece of work."""
_GAMES = 50
"""The number of random games that Python repeats, so that both checkouts play the same games at any speed."""


def _replays(logs: str) -> Job:
    """Decisions of recorded games, each read, replayed and compared with its end."""

    def prepare(checkout: Path) -> Callable[[], int]:
        from rulespec.engine.replay.replay import ReplayRequest
        from rulespec.load import load_ruleset

        load = cache(load_ruleset)
        paths = sorted((checkout / "games/imperial/logs").glob(logs))
        if not paths:
            raise LookupError(f"there is no log {logs}")

        def work() -> int:
            moves = 0
            for path in paths:
                result = ReplayRequest(path, load=load).replay()
                if result.divergence is not None:
                    raise ValueError(f"{path.name} breaks a rule")
                moves += len(result.moves)
            return moves

        return work

    return prepare


def _command(*args: str) -> Job:
    """A command in this process, with warm caches."""

    def prepare(_: Path) -> Callable[[], int]:
        from rulespec.cli.main import run

        def work() -> int:
            said = io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                code = run(list(args))
            if code:
                raise ValueError(f"rulespec {' '.join(args)}: {said.getvalue().strip()[-200:]}")
            return 1

        return work

    return prepare


def cold(*args: str) -> Job:
    """A job that runs a command in a new process, including the start of the process."""

    def prepare(_: Path) -> Callable[[], int]:
        def work() -> int:
            command = [sys.executable, "-S", "-m", "rulespec", *args]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
            if done.returncode:
                raise ValueError(f"rulespec {' '.join(args)}: {(done.stderr or done.stdout).decode()[-200:]}")
            return 1

        return work

    return prepare


def _plan_of(ruleset: Any, backend: str) -> Any:
    """A plan of random games, which has another name in earlier commits."""
    earlier = find_spec("rulespec.engine.simulate.game_plans") is None
    home, name = ("plan", "Plan") if earlier else ("game_plans", "GamePlan")
    return getattr(import_module(f"rulespec.engine.simulate.{home}"), name).of(
        ruleset.ref, ruleset, [4], 1, backend=backend
    )


def _playouts_in_python(_: Path) -> Callable[[], int]:
    """Decisions of random games with invariants, by generated Python."""
    from rulespec.load import load_ruleset

    ruleset = load_ruleset("imperial")
    plan, numbers = _plan_of(ruleset, "python"), count()
    return lambda: int(plan.outcome(ruleset, next(numbers) % _GAMES).decisions)


def _playouts_in_wasm(_: Path) -> Callable[[], int]:
    """Decisions of random games with invariants, by the wasm machine."""
    from rulespec.engine.simulate.wasm import WasmOutcomes
    from rulespec.load import load_ruleset

    ruleset = load_ruleset("imperial")
    games = WasmOutcomes(_plan_of(ruleset, "wasm"), ruleset)
    return lambda: sum(one.decisions for one in games.of(range(_BATCH)))


JOBS: dict[str, Job] = {
    "own replay": _replays("random-[346]p.jsonl.gz"),
    "foreign replay": _replays("playimperial/[cv]*.json"),
    "view": _command("view", "imperial:random-4p", "--until", "40", "--out", "game.html"),
    "draw": _command("draw", "imperial", "--out", "board.svg"),
    "validate": cold("validate", "--no-play", "imperial"),
    "python playouts": _playouts_in_python,
    "wasm playouts": _playouts_in_wasm,
    "bot": _command("simulate", "imperial", "--players", "4", "--bots", "flat:64", "--games", "1", "--cap", "60"),
    "games": cold("games"),
}


def _processor() -> float:
    """The processor seconds of this process and its finished children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _prepared(name: str, checkout: Path) -> Callable[[], int]:
    """The work of a job, done once in advance; `cold …` is any command in a new process."""
    words = name.split()
    work = (JOBS[name] if name in JOBS else cold(*words[1:]))(checkout)
    work()
    return work


def _measured(work: Callable[[], int], times: int) -> dict[str, object]:
    """The sample of repeated work."""
    gc.collect()
    begun = _processor()
    done = sum(work() for _ in range(times))
    return {"count": done, "seconds": _processor() - begun}


def main() -> None:
    """Answers the lines of standard input until its end."""
    checkout = Path(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # for code that prints
    gc.set_threshold(200_000)  # as the program itself does
    work: Callable[[], int] = int
    for line in map(str.strip, sys.stdin):
        answer: dict[str, object] = {}
        if line.isdecimal():
            answer = _measured(work, int(line))
        else:
            try:
                work = _prepared(line, checkout)
            except (Exception, SystemExit) as error:
                answer = {"missing": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
