"""Generated parts of pages, enclosed by comments: tables of keys and of functions, the index, figures.

The TextMate grammar also has a generated list of functions. `python tests/support/regenerate.py --pages` updates them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from folders import ROOT
from key_tables import FILES, key_table
from speed_tables import page_of, sections, speed_table
from word_index import word_index

from rulespec.language.builtins import BUILTINS
from rulespec.syntax import keywords


def builtin_table() -> str:
    """The table of built-in functions in Markdown."""
    lines = ["| function | does |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| `{each.signature}` | {each.help} |" for each in BUILTINS.values())])


def speed_parts(page: str) -> dict[str, Callable[[], str]]:
    """The generated figures on a page, by section."""
    return {f"speed: {name}": lambda name=name: speed_table(name) for name in sections() if page_of(name) == page}  # type: ignore[misc]


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "docs/reference/files.md": {f"keys: {name}": lambda name=name: key_table(name) for name in FILES},  # type: ignore[misc]
    "docs/reference/index.md": {"index": word_index},
    "docs/reference/rules.md": {"functions": builtin_table},
    **{page: speed_parts(page) for page in dict.fromkeys(map(page_of, sections()))},
}
"""Page → the opening comment of each part, and the generator of the part."""

TEXTMATE = "editors/textmate/rulespec.tmLanguage.json"


def with_generated_parts() -> dict[str, str]:
    """Page → its text with up-to-date parts."""
    results = {}
    for page, parts in PARTS.items():
        text = (ROOT / page).read_text("utf-8")
        for name, part in parts.items():
            text = with_part(text, name, part())
        results[page] = text
    results[TEXTMATE] = with_functions((ROOT / TEXTMATE).read_text("utf-8"))
    return results


def with_functions(grammar: str) -> str:
    """A TextMate grammar with an up-to-date pattern of functions."""
    called = keywords.BEGIN_EXPRESSIONS - {"false", "none", "not", "true"} | keywords.FUNCTIONS - keywords.TO_COME
    names = "|".join(sorted({*called, *BUILTINS}))
    before, name, after = grammar.partition('"name": "support.function.rulespec",')
    return before + name + re.sub(r"\([a-z|]+\)", lambda _: f"({names})", after, count=1)


def with_part(text: str, name: str, part: str) -> str:
    """A text with the part between its comments replaced."""
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name.partition(':')[0]} -->"
    before, opens, rest = text.partition(start)
    _, closes, after = rest.partition(end)
    if not (opens and closes):
        raise ValueError(f"there is no place for the part `{name}`")
    return f"{before}{start}\n{part.rstrip()}\n\n{end}{after}"
