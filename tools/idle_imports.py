"""Idle imports: modules that a command imports without using more than their top-level code.

    python -m tools.idle_imports                                  the warm commands below
    python -m tools.idle_imports validate --no-play nim           one command
    python -m tools.idle_imports --least 0.5 --runs 9             from half a millisecond, the least of nine runs

A module is in use if one of its functions runs after its import, if running code outside top levels refers to a name
imported from it, or if the top level of a module in use calls it or derives a class from it. All other modules are
idle. C modules, and modules that Python imports before the command, are left out. Times are wall-clock milliseconds of
the top-level code alone, without nested imports and with bytecode, the least of all runs.
Exit code: 0 no module takes `--most`, 1 one does.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
COMMANDS: tuple[tuple[str, str], ...] = (
    ("validate imperial", ""),
    ("replay imperial:playimperial/c002-standard-4p", ""),
    ("play chess --players 2 --seed 1", "1\n"),
    ("draw imperial", ""),
    ("games", ""),
)
"""The default commands, each with its standard input."""
MOST = 2.0
"""The maximum number of milliseconds for an idle module."""
_LINE = re.compile(r"import time: +(\d+) \| +(\d+) \|( *)(\S+)")


class Idle(NamedTuple):
    """An idle module: the time of its top-level code in milliseconds, and the module that imports it first."""

    milliseconds: float
    module: str
    importer: str


def idle_imports(line: str, typed: str, runs: int) -> list[Idle]:
    """The idle modules of a command by cost, the minimum over `runs` runs; `typed` is its standard input."""
    words = line.split()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.json")
        for _ in range(2):  # the first run fills the cache
            _run([__spec__.name, "--trace", str(trace), *words], typed, folder)
        traced = json.loads(trace.read_text("utf-8"))
        idle = set(traced["written"]) - set(traced["used"])
        times: defaultdict[str, list[float]] = defaultdict(list)
        importers: dict[str, str] = {}
        for _ in range(runs):
            for module, microseconds, importer in _import_times(words, typed, folder):
                times[module].append(microseconds / 1000)
                importers[module] = importer
    return sorted((Idle(min(times[name]), name, importers[name]) for name in times.keys() & idle), reverse=True)


def _run(words: list[str], typed: str, folder: str, *flags: str) -> str:
    """Runs a module in a temporary folder, and returns its standard error."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PYTHONPATH": str(ROOT), "RULESPEC_PATH": str(ROOT / "games")}
    line = [sys.executable, *flags, "-m", *words]
    done = subprocess.run(line, input=typed, env=env, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    if done.returncode == 2:
        raise SystemExit(done.stderr)
    return done.stderr


def _import_times(words: list[str], typed: str, folder: str) -> Iterable[tuple[str, int, str]]:
    """Module, time of its top-level code in microseconds, and importer, for modules written in Python."""
    above: list[tuple[int, str]] = []
    lines = [_LINE.match(line) for line in _run(["rulespec", *words], typed, folder, "-X", "importtime").splitlines()]
    results = [each for each in lines if each is not None]
    first = next(at for at, result in enumerate(results) if result[4] == "runpy")
    for result in reversed(results[first:]):  # a module's line comes after those of its imports
        depth = len(result[3])
        while above and above[-1][0] >= depth:
            above.pop()
        yield result[4], int(result[1]), above[-1][1] if above else ""
        above.append((depth, result[4]))


# --- the traced process -----------------------------------------------------------------------------------------------


class Tracer:
    """A profiler of functions that run after the import of their modules, and of calls made by top-level code."""

    def __init__(self) -> None:
        self.ran: set[tuple[str, CodeType]] = set()
        self.called: defaultdict[str, set[str]] = defaultdict(set)
        """Module → the modules whose functions its top level calls, directly or indirectly."""
        self._importing: defaultdict[int, list[str]] = defaultdict(list)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """The callback for `sys.setprofile`."""
        code = frame.f_code
        if code.co_name == "<module>":
            importing = self._importing[threading.get_ident()]
            if event == "call":
                importing.append(frame.f_globals.get("__name__", ""))
            elif event == "return" and importing:
                importing.pop()
        elif event == "call":
            module = frame.f_globals.get("__name__", "")
            importing = self._importing[threading.get_ident()]
            if not importing:
                self.ran.add((module, code))
            elif module not in importing:
                self.called[importing[-1]].add(module)


def _trace(out: Path, words: list[str]) -> None:
    tracer = Tracer()
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    try:
        from rulespec.cli.main import run

        sys.exit(run(words))
    finally:
        sys.setprofile(None)
        written = [name for name, module in sys.modules.items() if _file(module)]
        out.write_text(json.dumps({"used": sorted(used(tracer)), "written": written}), "utf-8")


def _file(module: ModuleType) -> str:
    """The source file of a Python module; "" for others."""
    file = getattr(module, "__file__", None) or ""
    return file if file.endswith(".py") else ""


def used(tracer: Tracer) -> set[str]:
    """The names of the modules in use."""
    ran = {module for module, _ in tracer.ran}
    imports = {name: _imports(module) for name, module in [*sys.modules.items()] if name in ran}
    results = set()
    for module, code in tracer.ran:
        results.add(module)
        results |= {imports.get(module, {}).get(name, "") for name in code.co_names}
    fresh = set(results)
    while fresh:
        more = set()
        for name in fresh:
            more |= tracer.called[name]
            for value in vars(sys.modules[name]).values() if name in sys.modules else ():
                if isinstance(value, type) and value.__module__ == name:
                    more |= {base.__module__ for base in value.__mro__}
        fresh = more - results
        results |= fresh
    return results


def _imports(module: ModuleType) -> dict[str, str]:
    """Name → the module from which it is imported, read from a module's source."""
    if not _file(module):
        return {}
    results = {}
    for node in ast.walk(ast.parse(Path(_file(module)).read_bytes())):
        if isinstance(node, ast.Import):
            for each in node.names:
                results[each.asname or each.name.partition(".")[0]] = each.name
        elif isinstance(node, ast.ImportFrom):
            home = node.module or ""
            if node.level:
                parts = module.__name__.split(".")
                below = parts if hasattr(module, "__path__") else parts[:-1]
                home = ".".join([*below[: len(below) - node.level + 1], *([home] if home else [])])
            for each in node.names:
                inner = f"{home}.{each.name}"
                results[each.asname or each.name] = inner if inner in sys.modules else home
    return results


def main() -> int:
    """Prints the idle modules of commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trace", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.3, help="milliseconds of a module that is listed")
    parser.add_argument("--most", type=float, default=MOST, help="milliseconds that an idle module may take")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.trace is not None:
        _trace(options.trace, options.command)
    wanted = ((" ".join(options.command), ""),) if options.command else COMMANDS
    dear = False
    for line, typed in wanted:
        idle = idle_imports(line, typed, options.runs)
        sys.stdout.write(f"{line}: {len(idle)} idle modules, {sum(each.milliseconds for each in idle):.1f} ms\n")
        for each in idle:
            if each.milliseconds >= options.least:
                sys.stdout.write(f"  {each.milliseconds:5.1f} ms  {each.module} (by {each.importer})\n")
        dear = dear or bool(idle and idle[0].milliseconds > options.most)
    return int(dear)


if __name__ == "__main__":
    sys.exit(main())
