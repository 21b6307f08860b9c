"""Keys in word files: completion of names that lack a text, and hovers with the meaning of a key."""

from __future__ import annotations

import re
from pathlib import Path

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.words.check import TextCheck
from rulespec.engine.words.titles import SECTIONS, Titles
from rulespec.engine.words.words import Words
from rulespec.lsp.describe import explanation, signature
from rulespec.lsp.index import NameIndex
from rulespec.lsp.open_calls import builtin_at
from rulespec.typed import nodes as typed

_SECTION = re.compile(r"^(\w+):")
_KEY = re.compile(r"""^\s+["']?([\w.]+)["']?:(?:\s|$)""")
_TYPED = re.compile(r"""^\s+["']?[\w.]*$""")


def is_of_words(path: Path) -> bool:
    """Whether a path denotes a word file."""
    return path.stem.partition(".")[0] == "titles" or path.parent.name == "titles"


def described_at(lines: list[str], line: int, column: int, file: str, index: NameIndex) -> tuple[int, int, str] | None:
    """The columns and meaning of a built-in function that is called, or of a key in a word file."""
    called = builtin_at(lines[line - 1], column) if line <= len(lines) else None
    if called is not None:
        start, end, f = called
        return start, end, f"```rulespec\n{f.signature}\n```\n\n{f.help}"
    return title_key(lines, line, column, index) if is_of_words(Path(file)) else None


def section_at(lines: list[str], line: int) -> str:
    """The section of a word file that contains a line, counted from 0; "" outside sections."""
    for text in reversed(lines[:line]):
        if (section := _SECTION.match(text)) is not None:
            return section[1] if section[1] in SECTIONS and section[1] not in ("entities", "words") else ""
    return ""


def complete_titles(before: str, lines: list[str], line: int, index: NameIndex) -> list[str] | None:
    """The names that can have a text at a position but have none yet; None if no section key belongs there.

    Args:
        before: the text of the line up to the position.
        lines: the current lines of the document.
        line: the number of the line, from 0.
        index: the last valid state of the ruleset.
    """
    section = section_at(lines, line)
    if not section or _TYPED.match(before) is None:
        return None
    first = max(n for n in range(line) if _SECTION.match(lines[n]))
    last = next((n for n in range(line + 1, len(lines)) if _SECTION.match(lines[n])), len(lines))
    there = {key[1] for n in range(first, last) if n != line and (key := _KEY.match(lines[n])) is not None}
    return [name for name in _check(index).subjects(section) if name not in there]


def title_key(lines: list[str], line: int, column: int, index: NameIndex) -> tuple[int, int, str] | None:
    """The columns of a section key and its meaning; None if no such key is at the position.

    Args:
        lines: the current lines of the document.
        line: the number of the line, from 1.
        column: the column, from 1.
        index: the last valid state of the ruleset.
    """
    text = lines[line - 1] if line <= len(lines) else ""
    section, key = section_at(lines, line - 1), _KEY.match(text)
    if not section or key is None or not key.start(1) < column <= key.end(1) + 1:
        return None
    if key[1] not in _check(index).subjects(section):
        return None
    return key.start(1) + 1, key.end(1) + 1, _described(key[1], index)


def _described(name: str, index: NameIndex) -> str:
    """The title, the declaration and the docstring of a key's owner."""
    d, (first, _, rest) = index.checked.declarations, name.partition(".")
    named: typed.Named | None = d.fields.get(name) or d.measures.get(name) or index.checked.rules.procedures.get(name)
    kind = d.kinds.get(first)
    if kind is not None:
        entity = kind.entities[kind.index[rest]] if rest in kind.index and not kind.product else None
        named = entity or kind.state.get(rest) or kind.places.get(rest) or (kind if not rest else named)
    elif first in d.pieces:
        named = d.pieces[first].places.get(rest) or d.pieces[first]
    declared = (
        f"```rulespec\n{signature(named, index)}\n```\n\n{explanation(named, index)}" if named is not None else ""
    )
    option = _check(index).decisions.options.get(first, {}).get(rest)
    parts = [f"**{_title(name, index)}**", declared, option.doc if option is not None else ""]
    return "\n\n".join(part for part in parts if part).strip()


def _title(name: str, index: NameIndex) -> str:
    """The displayed title, or the name itself if the words have mistakes."""
    from rulespec.engine.words.helps import title_of

    try:
        return title_of(Words(index.checked.ruleset), name)
    except (DiagnosticsError, KeyError):
        return name


def _check(index: NameIndex) -> TextCheck:
    return TextCheck(index.checked.ruleset, Titles(), Report())
