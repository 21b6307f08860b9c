"""The random source of a terminal game, with rewinding on undo."""

from __future__ import annotations

from rulespec.engine.program.draws import Draws


class Chance:
    """The random numbers of a table, fixed for each decision or redrawn after each undo.

    Args:
        seed: the seed of chance.
        redraw: whether undone decisions get new random numbers, so that the table continues as another game.

    Attributes:
        seed: the seed of chance.
    """

    def __init__(self, seed: int, *, redraw: bool = False) -> None:
        self.seed = seed
        self._redraw = redraw
        self._game = 0
        self.draws = Draws(seed)

    def taken_back(self) -> None:
        """Rewinds the source after an undo."""
        if self._redraw:
            self._game += 1
            self.draws = Draws(self.seed, self._game)
