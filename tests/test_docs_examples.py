"""The chapters that teach are followed word for word: files are written, commands run, their output compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CHAPTERS = ["docs/tutorials/house_rule.md", "docs/tutorials/your_own_map.md"]
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(chapter: str) -> list[tuple[str, str]]:
    """The code blocks of a chapter: what stands behind the three backticks, and the text."""
    return [(m["info"], m["body"]) for m in BLOCK.finditer((ROOT / chapter).read_text("utf-8"))]


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown for it."""
    parts = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def pattern(shown: str) -> str:
    """Output as shown: `…` is any text in a line, a line of its own any lines."""

    def one(line: str) -> str:
        return r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*").replace(r"\ ", r"\s+") + r"\s*\n"

    return r"\s*" + "".join(one(line) for line in shown.splitlines()) + r"\s*"


def run(command: str, folder: Path) -> str:
    """What a command prints. `rulespec` is the program of this tree; nothing else is run."""
    words = shlex.split(command.partition("#")[0])
    assert words[0] == "rulespec", f"chapters call rulespec only, not {words[0]}"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "160", "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "rulespec.cli.main", *words[1:]],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_works_word_for_word(chapter: str, tmp_path: Path) -> None:
    ran = 0
    for info, body in blocks(chapter):
        language, _, name = info.partition(" ")
        if language == "console":
            for command, shown in commands(body):
                printed = run(command, tmp_path)
                assert re.fullmatch(pattern(shown), printed + "\n"), f"$ {command}\n{printed}"
                ran += 1
        elif name:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, "utf-8")
    assert ran >= 5


def test_what_the_readme_shows_is_printed() -> None:
    shown = [pair for info, body in blocks("README.md") if info == "console" for pair in commands(body)]
    assert shown
    for command, output in shown:
        printed = run(command, ROOT)
        assert re.fullmatch(pattern(output), printed + "\n"), f"$ {command}\n{printed}"


def test_the_map_of_the_chapter_is_shipped() -> None:
    """It is the ruleset `tutorial`: the same files, with the modelines of this tree."""
    written = {info.partition(" ")[2]: body for info, body in blocks("docs/tutorials/your_own_map.md") if " " in info}
    assert len(written) == 6
    for name, body in written.items():
        shipped = (ROOT / "games" / "tutorial" / name.removeprefix("lake/")).read_text("utf-8")
        assert shipped.partition("\n")[2] == body.replace("id: lake", "id: tutorial")
