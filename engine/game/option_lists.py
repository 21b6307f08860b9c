"""Lists of options that have been made before: most games come to the same ones again and again."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.game.option import Option
from rulespec.engine.program.machine import Listing

_MOST = 50_000
"""Options, and lists of them, that are kept."""


class OptionLists(dict[Listing, Sequence[Option]]):
    """What the decider may do → the options as objects, for all games of the same rules and players.

    All options of a list have the same number in `legal_at`.
    """

    def __init__(self) -> None:
        self._kept = 0

    def keep(self, found: Listing, options: Sequence[Option]) -> Sequence[Option]:
        """Keeps a list, and returns it; others are forgotten where there are too many."""
        self._kept += 1 + len(options)
        if self._kept > _MOST:
            self.clear()
            self._kept = 1 + len(options)
        self[found] = options
        return options
