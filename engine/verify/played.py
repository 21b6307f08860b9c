"""The result of playing a ruleset with all combinations of players and settings, as it is kept."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.diagnostic import Diagnostic, Span

GAMES = 1_000
"""The most games of a combination."""
_A_MINUTE = 20  # times as many for each minute that is asked for


def most_games(minutes: int | None) -> int:
    """The most games of a combination where as much is played as takes about so many minutes; None: `GAMES`."""
    return GAMES if minutes is None else _A_MINUTE * GAMES * minutes


class Played(Struct, frozen=True):
    """The amount of play, and the problems that it showed.

    Attributes:
        games: the number of games that were played to an end, or to a mistake.
        combinations: the number of combinations with such games.
        of: the number of all combinations.
        diagnostics: what is wrong.
    """

    games: int
    combinations: int
    of: int
    diagnostics: tuple[Diagnostic, ...]

    def is_possible(self, sources: Mapping[str, str], most: int = GAMES) -> bool:
        """Whether at most so many games of each combination of a ruleset with these texts may have come to this.

        Anybody may have written what is kept.

        What it quotes are the ruleset's own texts, and it changes no file.
        """
        if not 0 <= self.combinations <= min(self.of, self.games) or self.games > self.combinations * most:
            return False
        if not all(d.code in CODES and d.code.startswith("RS7") and d.fix is None for d in self.diagnostics):
            return False
        places = {d.span for d in self.diagnostics} | {note.span for d in self.diagnostics for note in d.notes}
        return all(place is None or _lies_in(place, sources.get(place.file, "")) for place in places)


def _lies_in(place: Span, text: str) -> bool:
    """Whether a place is one of a text; the end of it may stand on the line after the last."""
    lines = f"{text}\n".split("\n")
    if not 1 <= place.line <= place.end_line <= len(lines):
        return False
    columns, end_columns = (len(lines[number - 1]) + 1 for number in (place.line, place.end_line))
    return 1 <= place.column <= columns and 1 <= place.end_column <= end_columns
