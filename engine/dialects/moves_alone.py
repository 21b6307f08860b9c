"""Recognition of move texts by the notations of rulesets, in bare lists or in games whose tags fit several rulesets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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


def writers(text: str, dialects: Iterable[Path]) -> list[str]:
    """The references of the rulesets whose notation can read all of a text's first words."""
    start = text[:_LOOKED_AT].strip()
    words = _BEFORE.sub("", start, 1).split()
    results = []
    for file in dialects:
        try:
            dialect = read_dialect(file, whole=False)
            if dialect.format != "pgn" or dialect.rulesets[0] in results:
                continue
            whole = read_dialect(file)
        except DiagnosticsError:  # an invalid dialect is reported when it is used
            continue
        if reads(whole, words):
            results.append(dialect.rulesets[0])
    return results


def reads(dialect: Dialect, moves: Sequence[str]) -> bool:
    """Whether the notation of a dialect can read all of a game's first moves."""
    notation = dialect.notation
    return notation is not None and all(notation.grammar.read(move) is not None for move in moves[:_WORDS])
