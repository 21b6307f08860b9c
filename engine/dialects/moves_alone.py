"""Moves as text, known by the notations of rulesets: with nothing around them, or with tags that fit several games."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.dialect import Dialect, read_dialect

_LOOKED_AT = 2_000
_WORDS = 8
"""Words at the beginning that must be moves; there may be fewer, and of a text that goes on, one is cut off."""
_BEFORE = re.compile(r"position\s+startpos\s+moves\s+", re.ASCII)
"""Words with which programs are given a list of moves (UCI)."""


def is_position(text: str) -> bool:
    """Whether a text gives a program the moves of a game, with words before them."""
    return _BEFORE.match(text.lstrip()) is not None


def writers(text: str, dialects: Iterable[Path]) -> list[str]:
    """The references of the rulesets whose notation reads each of the first words of a text."""
    start = text[:_LOOKED_AT].strip()
    words = _BEFORE.sub("", start, 1).split()
    results = []
    for file in dialects:
        try:
            dialect = read_dialect(file, whole=False)
            if dialect.format != "pgn" or dialect.rulesets[0] in results:
                continue
            whole = read_dialect(file)
        except DiagnosticsError:  # a broken dialect is reported where it is needed
            continue
        if reads(whole, words):
            results.append(dialect.rulesets[0])
    return results


def reads(dialect: Dialect, moves: Sequence[str]) -> bool:
    """Whether the notation of a dialect reads each of the first moves of a game."""
    notation = dialect.notation
    return notation is not None and all(notation.grammar.read(move) is not None for move in moves[:_WORDS])
