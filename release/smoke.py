"""Smoke test of an installed `rulespec` with the README's examples: `PYTHON release/smoke.py README.md`.

PYTHON is the interpreter of that install. The module has no other dependencies, so it runs in a fresh environment on
every system.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

_BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<file>\S+))?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with its expected output."""
    parts = re.split(r"^\$ ", body.replace("\\\n", " "), flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def pattern(shown: str) -> str:
    """A pattern for expected output: `…` matches any text within a line, and alone on a line any number of lines."""

    def one(line: str) -> str:
        return r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*").replace(r"\ ", r"\s+") + r"\s*\n"

    return r"\s*" + "".join(one(line) for line in shown.splitlines()) + r"\s*"


def run_examples(page: str, folder: Path) -> int:
    """Writes the files of a page, then runs its commands and its Python code; returns the number of runs.

    Raises:
        SystemExit: at the first example that fails or prints something else.
    """
    program = Path(sysconfig.get_path("scripts"), "rulespec")
    number = 0
    for block in _BLOCK.finditer(page):
        if block["file"]:
            (folder / block["file"]).write_text(block["body"], "utf-8")
        elif block["language"] == "python":
            _run([sys.executable, "-c", block["body"]], folder, "")
            number += 1
        elif block["language"] == "console":
            for command, shown in commands(block["body"]):
                _run([str(program), *shlex.split(command)[1:]], folder, shown)
                number += 1
    return number


def _run(words: list[str], folder: Path, shown: str) -> None:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"COLUMNS": "160"}
    done = subprocess.run(
        words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
    )
    printed = done.stdout.replace("\\", "/") if os.sep == "\\" else done.stdout
    as_shown = re.fullmatch(pattern(shown), printed + "\n") if shown else done.returncode == 0
    if not as_shown:
        raise SystemExit(f"{' '.join(words)}\nended with {done.returncode} and printed\n{printed}")


def main(page: str) -> None:
    """Runs the examples of a page in a temporary folder with a copy of the installed games."""
    package = find_spec("rulespec")
    if package is None or package.origin is None:
        raise SystemExit("rulespec is not installed in this Python")
    with tempfile.TemporaryDirectory(prefix="rulespec-smoke-") as name:
        shutil.copytree(Path(package.origin).parent / "games", Path(name, "games"))
        number = run_examples(Path(page).read_text("utf-8"), Path(name))
    sys.stdout.write(
        f"{number} examples of {Path(page).name} run as shown, on Python {sys.version.split()[0]} and {sys.platform}\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
