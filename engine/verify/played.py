"""The cached result of playing a ruleset with all combinations of players and settings."""

from __future__ import annotations

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic

GAMES = 1_000
"""The most games of a combination."""
_A_MINUTE = 20  # times as many for each minute that is asked for


def most_games(minutes: int | None) -> int:
    """The most games of a combination within a budget of about `minutes` minutes; None gives `GAMES`."""
    return GAMES if minutes is None else _A_MINUTE * GAMES * minutes


class DepthReached(Struct, frozen=True):
    """The most calls of a procedure under way at once in games that were looked at, and as many as may be."""

    procedure: str
    reached: int
    deep: int


class PlayReport(Struct, frozen=True):
    """The amount of play, and the problems that it showed.

    Attributes:
        games: the number of games that were played to an end, or to a mistake.
        combinations: the number of combinations with such games.
        of: the number of all combinations.
        diagnostics: the problems.
        depths: the depth of calls that the first games of each number of players reached, by procedure.
    """

    games: int
    combinations: int
    of: int
    diagnostics: tuple[Diagnostic, ...]
    depths: tuple[DepthReached, ...] = ()
