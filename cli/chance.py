"""The random source of a terminal game, with its rewinding by undo."""

from __future__ import annotations

from rulespec.engine.program.draws import Draws


class Chance:
    """The random numbers of a table: the same for the same decision, or others after each taking back.

    Args:
        seed: the seed of chance.
        redraw: whether decisions taken back get new random numbers: then the table continues as another game.

    Attributes:
        seed: as given.
    """

    def __init__(self, seed: int, *, redraw: bool = False) -> None:
        self.seed = seed
        self._redraw = redraw
        self._game = 0
        self.draws = Draws(seed)

    def taken_back(self) -> None:
        """Rewinds the source after undo."""
        if self._redraw:
            self._game += 1
            self.draws = Draws(self.seed, self._game)
