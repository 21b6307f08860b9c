"""Text for a game that reveals a mistake, within one or two lines of a message."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.logs.native import LogHeader
from rulespec.engine.verify.shrink import Move, move_text
from rulespec.typed import nodes as typed

_SHOWN = 8  # the number of decisions, and of changes


def example(ruleset: typed.Ruleset, header: LogHeader, moves: Sequence[Move], changed: Sequence[str]) -> str:
    """A game as text: its players and settings, its last decisions, and the changes by the last one.

    Args:
        ruleset: the game's ruleset.
        header: the seats and settings.
        moves: the game's moves.
        changed: the changes by the last move; empty if irrelevant.
    """
    defaults = {s.name: s.default for s in ruleset.settings.values()}
    chosen = [f"{k}={v}" for k, v in header.settings.items() if v != defaults[k]]
    seats = len(header.seats)
    text = f"with {seats} player{'s' if seats != 1 else ''}" + (f" and {', '.join(chosen)}" if chosen else "")
    last = " · ".join(map(move_text, moves[-_SHOWN:]))
    if not moves:
        text += ", before the first decision"
    elif len(moves) <= _SHOWN:
        text += f": {last}"
    else:
        text += f", after {len(moves)} decisions, the last of them: {last}"
    if changed:
        more = f" · and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        text += f"\nthe last decision changes {' · '.join(changed[:_SHOWN])}{more}"
    return text
