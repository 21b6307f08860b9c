"""Generated parts of pages, which stand between comments: tables of keys, the index of the language, figures.

`python tests/support/regenerate.py --pages` writes them again.
"""

from __future__ import annotations

from collections.abc import Callable

from folders import ROOT
from key_tables import FILES, key_table
from speed_tables import sections, speed_table
from word_index import word_index

PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "docs/reference/files.md": {f"keys: {name}": lambda name=name: key_table(name) for name in FILES},  # type: ignore[misc]
    "docs/reference/index.md": {"index": word_index},
    "docs/explanation/speed.md": {f"speed: {name}": lambda name=name: speed_table(name) for name in sections()},  # type: ignore[misc]
}
"""Page → the comment before each part, and what writes the part."""


def with_generated_parts() -> dict[str, str]:
    """Page → its text with its parts as they are now."""
    results = {}
    for page, parts in PARTS.items():
        text = (ROOT / page).read_text("utf-8")
        for name, part in parts.items():
            text = with_part(text, name, part())
        results[page] = text
    return results


def with_part(text: str, name: str, part: str) -> str:
    """A text with a part in the place of what stood between its comments."""
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name.partition(':')[0]} -->"
    before, opens, rest = text.partition(start)
    _, closes, after = rest.partition(end)
    if not (opens and closes):
        raise ValueError(f"there is no place for the part `{name}`")
    return f"{before}{start}\n{part.rstrip()}\n\n{end}{after}"
