"""The cached result of playing a ruleset with all combinations of player counts and settings."""

from __future__ import annotations

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic

GAMES = 1_000
"""The maximum number of games per combination."""
_A_MINUTE = 20  # the factor for games per requested minute


def most_games(minutes: int | None) -> int:
    """The maximum number of games per combination in about `minutes` minutes; None means `GAMES`."""
    return GAMES if minutes is None else _A_MINUTE * GAMES * minutes


class DepthReached(Struct, frozen=True):
    """The maximum recursion depth that a procedure reached in inspected games, with the depth limit."""

    procedure: str
    reached: int
    deep: int


class PlayReport(Struct, frozen=True):
    """The report on random play: how much was played, and the problems that it revealed.

    Attributes:
        games: the number of games that were played to their end or to a mistake.
        combinations: the number of combinations with such games.
        of: the total number of combinations.
        diagnostics: the problems.
        depths: for each procedure, the recursion depth reached in the first games with each player count.
    """

    games: int
    combinations: int
    of: int
    diagnostics: tuple[Diagnostic, ...]
    depths: tuple[DepthReached, ...] = ()
