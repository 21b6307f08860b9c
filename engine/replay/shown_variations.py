"""Variations of a log that are visible to a reader, with their places among the moves of the replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import TakenBack
from rulespec.engine.logs.log_file import standing
from rulespec.engine.logs.notes import VARIATIONS, Notes
from rulespec.engine.logs.variations import Anchored, SideLine, anchored
from rulespec.engine.replay.replay import ReplayResult


def shown_variations(result: ReplayResult, seat: str | None) -> list[Anchored]:
    """The visible variations of a log; in a game with secrets, a seat sees only its own.

    Args:
        result: the replay of a native or foreign log.
        seat: the reader (None for the public); `OMNISCIENT` sees everything.
    """
    by, notes = _noted(result)
    if seat != OMNISCIENT and result.game.omniscient.secretive:
        notes = {line: of for line, of in notes.items() if by.get(line) is not None and by[line] == seat}
    backs = [move.decisions if isinstance(move, TakenBack) else None for move in result.moves]
    return anchored(backs, result.places, notes, by)


def standing_variations(result: ReplayResult) -> dict[int, list[SideLine]]:
    """The variations of a log by the ply at which they start, without variations that start at undone decisions."""
    plies = {number: ply for ply, number in enumerate([*standing(result.moves), len(result.moves)])}
    results: dict[int, list[SideLine]] = {}
    for each in shown_variations(result, OMNISCIENT):
        if each.after in plies:
            results.setdefault(plies[each.after], []).append(each.variation)
    return results


def _noted(result: ReplayResult) -> tuple[Mapping[int, Any], Mapping[int, Notes]]:
    """Line → author, and line → notes, for the lines with variations."""
    native = result.native
    notes = native.notes if native is not None else result.said.moves
    lines = {line: of for line, of in notes.items() if VARIATIONS in of}
    entries = {entry.line: entry.by for entry in native.entries} if native is not None and lines else {}
    return {line: entries.get(line, of.get("by")) for line, of in lines.items()}, lines
