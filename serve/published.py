"""Variations published at a table, stored as log lines that have no effect on the game."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.logs.native import NativeLog
from rulespec.engine.logs.notes import VARIATIONS
from rulespec.engine.logs.variations import Anchored, SideLine, plain, variations_in

MAX_PUBLISHED = 100
"""The maximum number of log lines with variations per table."""


class Published(Struct, frozen=True):
    """A published variation.

    Attributes:
        variation: the variation, with the number of decisions before it.
        by: the seat that published it.
        stem: a digest of those decisions; if they are undone, the variation no longer has a place in the game.
    """

    variation: SideLine
    by: str
    stem: str


def published(line: dict[str, Any], decisions: Sequence[str]) -> list[Published]:
    """The variations in a log line, given the decisions before it."""
    results = []
    for variation in variations_in(line[VARIATIONS]):
        at = len(decisions) if variation.at is None else variation.at
        if at <= len(decisions):
            results.append(
                Published(
                    SideLine(variation.moves, variation.name, variation.remark, at),
                    line.get("by", ""),
                    _stem(decisions[:at]),
                )
            )
    return results


def published_in(log: NativeLog) -> list[Published]:
    """The variations in a log, both on separate lines and attached to decisions."""
    results: list[Published] = []
    left = sorted((line, notes) for line, notes in log.remarks().items() if VARIATIONS in notes)
    decisions: list[str] = []
    for entry in log.entries:
        while left and left[0][0] < entry.line:
            results += published(left.pop(0)[1], decisions)
        if entry.back is None and VARIATIONS in (notes := log.notes.get(entry.line, {})):
            results += published({VARIATIONS: notes[VARIATIONS]}, decisions)
        if entry.back is None:
            decisions.append(_text(entry.by, entry.option))
        elif entry.back.decisions:
            del decisions[-entry.back.decisions :]
    for _, notes in left:
        results += published(notes, decisions)
    return results


def decisions_of(game: Game) -> list[str]:
    """The decisions of a game, in the form that `published` needs."""
    return [_text(step.option.by, str(step.option)) for step in game.omniscient.numbers.steps]


def standing_of(all_: Sequence[Published], game: Game, viewer: str | None, *, whole: bool) -> list[Published]:
    """The published variations whose branching point still exists.

    Args:
        all_: the variations of the table.
        game: the game of the table.
        viewer: the viewer; None for spectators.
        whole: whether to include variations by other seats, which in a game with secrets may reveal anything.
    """
    decisions = decisions_of(game) if all_ else []
    return [
        each
        for each in all_
        if (whole or each.by == viewer)
        and (each.variation.at or 0) <= len(decisions)
        and each.stem == _stem(decisions[: each.variation.at])
    ]


def lines_of_log(of: Sequence[Published]) -> list[dict[str, Any]]:
    """The log lines for the given variations, one line per seat."""
    seats = dict.fromkeys(each.by for each in of)
    return [
        {VARIATIONS: plain([each.variation for each in of if each.by == seat]), **({"by": seat} if seat else {})}
        for seat in seats
    ]


def anchors(of: Sequence[Published]) -> list[Anchored]:
    """The given variations, anchored to those decisions of a replay page that were not undone."""
    return [Anchored(each.variation.at or 0, each.variation, each.by or None) for each in of]


def _text(by: str | None, option: str) -> str:
    return f"{by or ''} {option}"


def _stem(decisions: Sequence[str]) -> str:
    return sha256("\n".join(decisions).encode("utf-8", "replace")).hexdigest()
