"""Recognition of move texts by the notations of rulesets, for bare lists and games whose tags fit several rulesets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.dialect import Dialect, read_dialect

_LOOKED_AT = 2_000
_WORDS = 8
"""Maximum number of leading words that must be moves; in a longer text, the last one may be cut off."""
_BEFORE = re.compile(r"position\s+startpos\s+moves\s+", re.ASCII)
"""The UCI command that precedes a list of moves."""


def is_position(text: str) -> bool:
    """Whether a text is a UCI `position` command with the moves of a game."""
    return _BEFORE.match(text.lstrip()) is not None


def writers(text: str, dialects: Iterable[Path]) -> dict[str, Dialect]:
    """The dialects whose notation can read all of a text's first words, keyed by ruleset reference."""
    start = text[:_LOOKED_AT].strip()
    words = _BEFORE.sub("", start, 1).split()
    results: dict[str, Dialect] = {}
    for dialect in _of_texts(dialects):
        if words and dialect.rulesets[0] not in results and reads(dialect, words):
            results[dialect.rulesets[0]] = dialect
    return results


def needed_tags(dialect: Dialect) -> str:
    """The tags that a PGN must have for a dialect to recognise it; "" if the dialect requires none."""
    when = dialect.start.get("when", {})
    wanted = {
        path: when[path][0] if isinstance(when[path], list) else when[path] for path in dialect.unfit({"moves": []})
    }
    return "".join(f'[{path} "{value}"]' for path, value in wanted.items())


def one_word(text: str) -> str:
    """The characters of a text without spaces, separated so that each is read as a move; "" if the text has spaces."""
    words = text.split()
    return " ".join(words[0]) if len(words) == 1 and 1 < len(words[0]) <= _LOOKED_AT else ""


def not_read(text: str, dialects: Iterable[Path]) -> tuple[str, str] | None:
    """The title of a known kind of text that no dialect reads, with advice; None for any other text."""
    start = text[:_LOOKED_AT].lower()
    for dialect in _readable(dialects):
        for title, words, help_ in dialect.not_read:
            if all(word.lower() in start for word in words):
                return title, help_
    return None


def _of_texts(dialects: Iterable[Path]) -> Iterator[Dialect]:
    """The dialects of texts, with their notations."""
    for dialect in _readable(dialects):
        if dialect.format == "pgn":
            with suppress(DiagnosticsError):
                yield read_dialect(Path(dialect.file))


def _readable(dialects: Iterable[Path]) -> Iterator[Dialect]:
    """The dialects without their notations; an invalid one is reported when it is used."""
    for file in dialects:
        with suppress(DiagnosticsError):
            yield read_dialect(file, whole=False)


def reads(dialect: Dialect, moves: Sequence[str]) -> bool:
    """Whether the notation of a dialect can read all of the first moves of a game."""
    return readable(dialect, moves) == len(moves[:_WORDS])


def readable(dialect: Dialect, moves: Sequence[str]) -> int:
    """The number of moves, among the first moves of a game, that the notation of a dialect can read."""
    notation = dialect.notation
    return sum(map(notation.reads, notation.in_own_letters(moves[:_WORDS]))) if notation is not None else 0
