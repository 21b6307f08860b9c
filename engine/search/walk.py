"""One position that goes forth and back: for searches that grow a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.simulate.playouts import CAP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from rulespec.engine.search.ends import End
    from rulespec.engine.search.replays import Codes
    from rulespec.engine.search.search import Search


class Walk(Protocol):
    """A position with the way back to where it has begun. Options are numbered as `Search` counts them."""

    @property
    def count(self) -> int:
        """The number of legal options; 0 when the game is over."""

    @property
    def decider(self) -> int:
        """The number of the seat that decides, `CHANCE`, or `NOBODY` when the game is over."""

    @property
    def hash(self) -> int:
        """The hash of the position."""

    @property
    def row(self) -> NDArray[np.int64]:
        """The position as a row."""

    @property
    def codes(self) -> Codes:
        """The legal options as codes: an option has the same one wherever it is legal; see `Search.legal`."""

    def weights(self) -> list[int]:
        """The weights of the options of chance, relative to each other."""

    def take(self, number: int) -> None:
        """Takes an option.

        Raises:
            IndexError: if there are not so many.
        """

    def undo(self) -> None:
        """Takes the last option back.

        Raises:
            IndexError: if there is none.
        """

    def go(self, row: ArrayLike) -> None:
        """Goes to another position, from which there is no way back."""

    def playout(self, seed: int, number: int = 0, cap: int = CAP) -> End:
        """Plays a random game from here, then goes back to where the walk has begun.

        Args:
            seed: the seed of chance.
            number: the number of the game that is drawn by this seed.
            cap: decisions after which the game is abandoned.
        """


class PythonWalk:
    """A walk in Python."""

    def __init__(self, search: Search, row: ArrayLike) -> None:
        self._search = search
        self._game: Game
        self._options: list[Option] | None = None
        self.go(row)

    def go(self, row: ArrayLike) -> None:
        """Goes to another position."""
        self._game = self._search.game(row)
        self._options = None

    def _listed(self) -> list[Option]:
        if self._options is None:
            self._options = self._search.options(self._game)
        return self._options

    @property
    def count(self) -> int:
        """The number of legal options."""
        return len(self._listed())

    @property
    def decider(self) -> int:
        """The seat that decides."""
        return self._search.decider(self._game)

    @property
    def hash(self) -> int:
        """The hash of the position."""
        return int(self._game.hash, 16)

    @property
    def row(self) -> NDArray[np.int64]:
        """The position as a row."""
        result: NDArray[np.int64] = self._search.rows([self._game])[0]
        return result

    @property
    def codes(self) -> Codes:
        """The legal options as codes."""
        return self._search.legal(self.row[None])[0]

    def weights(self) -> list[int]:
        """The weights of the options."""
        weight = self._game.omniscient.numbers.weight
        return [weight(option.kind.choice, option.args) for option in self._listed()]

    def take(self, number: int) -> None:
        """Takes an option."""
        self._game.apply(self._search.numbered(self._listed(), number))
        self._options = None

    def undo(self) -> None:
        """Takes the last option back."""
        self._game.undo()
        self._options = None

    def playout(self, seed: int, number: int = 0, cap: int = CAP) -> End:
        """Plays a random game from here, then goes back."""
        result = self._search.playout(self.row, seed, number, cap)
        while self._game.ply:
            self.undo()
        return result
