"""Documentation pages for diagnostics: `docs/diagnostics/RS221.md` explains RS221, with a bad and a good example.

`python -m rulespec.diagnostics.pages` writes the list of codes, `docs/diagnostics/codes.md`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rulespec.diagnostics.codes import CODES, FAMILIES

HEADINGS = ("What it says", "Why it matters", "Bad example", "Good example")
"""The headings of every page, in order."""

_INDEX = "codes.md"


@dataclass(frozen=True, slots=True)
class CodePage:
    """A documentation page: the Markdown text under each heading, and the whole text."""

    sections: dict[str, str]
    text: str


def folder() -> Path:
    """The folder of the pages, which is part of the package; in a checkout, a link to `docs/diagnostics`."""
    return Path(__file__).parents[1] / "diagnostics_pages"


def read_page(code: str) -> CodePage | None:
    """The page for a code; None if there is none."""
    path = folder() / f"{code}.md"
    return parse_page(path.read_text("utf-8")) if code in CODES and path.is_file() else None


def parse_page(text: str) -> CodePage:
    """Parses a page from its Markdown."""
    _, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    sections = {title: body.strip() for title, _, body in (part.partition("\n") for part in parts)}
    return CodePage(sections, text)


def families() -> dict[str, dict[str, str]]:
    """The codes of each family with their titles, by the family's name."""
    return {
        name: {c: t for c, t in CODES.items() if c.startswith(start)}
        for start, name in FAMILIES.items()
        if any(c.startswith(start) for c in CODES)
    }


def index() -> str:
    """The list of codes, one per line."""
    lines = ["# The codes of diagnostics\n"]
    for name, codes in families().items():
        lines += [f"## {name}\n", *(f"* [{code}]({code}.md): {title}" for code, title in codes.items()), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    (folder() / _INDEX).write_text(index(), "utf-8")
