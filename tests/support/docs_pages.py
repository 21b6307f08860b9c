"""Pages of the documentation for tests: their fenced blocks, headings and links."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from folders import ROOT

_FENCE = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^\n]*?) -->\n)?(?P<indent> *)```(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_NOT_WORDS = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the rest of its first line (a file name), its text, and its first line's number.

    `reason`: why the block cannot run, from a comment `<!-- not run: … -->` on the previous line.
    """

    language: str
    name: str
    body: str
    line: int
    reason: str


@cache
def text(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text("utf-8")


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    results = []
    for match in _FENCE.finditer(text(page)):
        language, _, name = match["info"].partition(" ")
        line = text(page).count("\n", 0, match.start("info")) + 1
        results.append(Block(language, name, match["body"], line, match["reason"] or ""))
    return results


@cache
def prose(page: str) -> str:
    """The text of a page with empty fenced blocks, preserving line numbers."""
    return _FENCE.sub(lambda match: "\n" * match[0].count("\n"), text(page))


@cache
def headings(page: str) -> list[tuple[int, str]]:
    """The level and the text of each heading."""
    return [(len(m[1]), m[2]) for m in re.finditer(r"^(#+) (.*)$", prose(page), re.MULTILINE)]


def anchor(heading: str) -> str:
    """The anchor that code hosts generate for a heading."""
    return _NOT_WORDS.sub("", heading.lower()).replace(" ", "-")


def pages() -> list[str]:
    """All pages of the documentation except those of single diagnostics, which have separate tests."""
    listed = [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "editors").glob("*.md"),
        *(ROOT / "games").rglob("README.md"),
    ]
    results = {str(path.relative_to(ROOT)) for path in listed if not re.fullmatch(r"RS\d+", path.stem)}
    return sorted(results | {"README.md", "CONTRIBUTING.md"})


def tracked(pattern: str) -> list[Path]:
    """The tracked files that match a pattern."""
    listed = subprocess.run(["git", "ls-files", "-z", pattern], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name]
