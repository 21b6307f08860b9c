"""Games that show something wrong, and how they are made shorter."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.state_diff import changes
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.typed import nodes as typed

MAX_TRIES = 2_000
MAX_SECONDS = 20.0
_SHOWN = 12  # decisions, and changes, that a text shows

Move = Option | TakenBack
Run = Callable[[Sequence[Move], int], tuple[list[Move], Diagnostic] | None]
"""Makes moves from the start of a game, but for those that are not possible, and then so many at random.

As soon as something is wrong, returns the moves that were made, and what is wrong; None if nothing is, or something
else.
"""
SHORT_CUTS = 30
"""Other ways that are tried to where a game goes wrong, before it is taken to be as short as can be."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class FailingGame:
    """A game that shows something wrong: after the last of its moves, or in that move if the rules are at fault there.

    `changed` is what the last move has changed, a line for each field and each pile.
    """

    header: LogHeader
    moves: tuple[Move, ...]
    wrong: Diagnostic
    changed: tuple[str, ...]

    def log(self) -> str:
        """The game as a native log."""
        lines = [self.header.to_json(), *map(entry_json, self.moves)]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)

    def story(self) -> list[str]:
        """The game in words: the decisions, the last of them being what breaks it, and what has changed."""
        lines = [f"… {len(self.moves) - _SHOWN} before"] if len(self.moves) > _SHOWN else []
        lines += [told(move) for move in self.moves[-_SHOWN:]] or ["before the first decision"]
        more = len(self.changed) - _SHOWN
        return lines + [f"    {c}" for c in self.changed[:_SHOWN]] + ([f"    … and {more} more"] if more > 0 else [])


def told(move: Move) -> str:
    """A move in words."""
    return f"{move.by or 'chance'}: {move}" if isinstance(move, Option) else f"taken back: {move.decisions}"


def shortest(
    ruleset: typed.Ruleset,
    header: LogHeader,
    moves: Sequence[Move],
    wrong: Diagnostic,
    run: Run,
    *,
    tries: int = MAX_TRIES,
    seconds: float = MAX_SECONDS,
) -> FailingGame:
    """The shortest game found in which the same is wrong.

    Args:
        ruleset: the ruleset.
        header: its seats and options.
        moves: the game that is known to show it.
        wrong: what is wrong.
        run: makes the moves of a shorter game.
        tries: how often it is called at most.
        seconds: after how long it is not called any more.
    """
    end = time.monotonic() + seconds

    def again(fewer: list[Move], more: int = 0) -> list[Move] | None:
        nonlocal tries, wrong
        tries -= 1
        found = run(fewer, more) if tries >= 0 and time.monotonic() < end else None
        if found is None:
            return None
        wrong = found[1]
        return found[0]

    kept, before = list(moves), len(moves) + 1
    while 0 < len(kept) < before:
        before = len(kept)
        kept = leave_out(kept, again)
        for number in range(SHORT_CUTS):
            at = number * len(kept) // SHORT_CUTS
            if (found := again(kept[:at], len(kept) - at - 1)) is not None:
                kept = found
                break
    return FailingGame(header, tuple(kept), wrong, tuple(last_changes(ruleset, header, kept)))


def leave_out(moves: list[_T], again: Callable[[list[_T]], list[_T] | None]) -> list[_T]:
    """Leaves out stretches of a list, the long ones first, as long as the same comes of it.

    Args:
        moves: what to make shorter.
        again: is given a shorter list; returns what of it was needed, or None if the same does not come of it.
    """
    size = len(moves) // 2
    while size:
        at = 0
        while at < len(moves):
            found = again(moves[:at] + moves[at + size :])
            if found is None:
                at += size
            else:
                moves = found
        size //= 2
    return moves


def last_changes(ruleset: typed.Ruleset, header: LogHeader, moves: Sequence[Move]) -> list[str]:
    """What the last move of a game has changed; nothing if the rules were at fault in it, and changed nothing."""
    game = Game(ruleset, header.seats, header.settings)
    try:
        for number, move in enumerate(moves):
            before = game.state() if number == len(moves) - 1 else None
            game.apply(move) if isinstance(move, Option) else game.take_back(move)
            if before is not None:
                return list(changes(before, game.state()))
    except RulesetFaultError:
        pass
    return []
