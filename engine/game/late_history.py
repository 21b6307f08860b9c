"""A position with a lazily computed history.

A machine that replays a whole log in one call returns only the final state, and most users of a replay need nothing
else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import Option
from rulespec.engine.game.position import Position, Step, stamps
from rulespec.engine.game.position_hash import whole
from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.machine import Machine


class LateMoves(Sequence[Option]):
    """A known number of decisions, which are replayed one by one on first access.

    Args:
        count: the number of decisions.
        take: a function that replays the decisions in a game that has not begun.
        game: a game before its first decision.
    """

    def __init__(self, count: int, take: Callable[[Game], None], game: Game) -> None:
        self._count, self._take, self._game = count, take, game
        self._steps: list[Step] | None = None

    @property
    def steps(self) -> list[Step]:
        """The replayed decisions, each with its changes."""
        if self._steps is None:
            self._take(self._game)
            self._steps = self._game._position.steps
            assert len(self._steps) == self._count
        return self._steps

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Option: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Option]: ...

    def __getitem__(self, at: int | slice) -> Option | Sequence[Option]:
        if isinstance(at, slice):
            return [step.option for step in self.steps[at]]
        return self.steps[at].option

    def __eq__(self, other: object) -> bool:
        return [*self] == [*other] if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Option]:
        return (step.option for step in self.steps)


class LateHistory(Position):
    """A position whose decisions are computed lazily; see `Position`."""

    _moves: LateMoves
    _own: list[Step] | None

    @classmethod
    def after(cls, position: Position, moves: LateMoves) -> LateHistory:
        """A position advanced by the given moves from the start of the game."""
        result = object.__new__(cls)
        result.__dict__.update(position.__dict__)
        del result.__dict__["steps"]
        result._moves, result._own = moves, None
        result._asked = result.machine.asked.get(result._state[ir.PC], -1)
        result.stamp, result.offered = next(stamps), ()
        result._sum = result._sound = None
        return result

    @property
    def steps(self) -> list[Step]:
        """The decisions taken, each with its changes."""
        if self._own is None:
            self._own = self._moves.steps.copy()
        return self._own

    @steps.setter
    def steps(self, steps: list[Step]) -> None:
        self._own = steps

    @property
    def ply(self) -> int:
        """The number of decisions taken."""
        return len(self._moves if self._own is None else self._own)

    @property
    def hash(self) -> str:
        """The same hash as `Position.hash`, summed over all cells until the history has been computed."""
        if self._own is None and self._sum is None:
            self._sum = whole(self.state, self._weights)
        return super().hash


def lists_at_once(game: Game) -> bool:
    """Whether a game's machine lists all options in one call, as wasm does."""
    return game._position.machine.listing is not None


def take_late(
    game: Game, count: int, run: Callable[[Machine, State], bool], take: Callable[[Game], None]
) -> Sequence[Option] | None:
    """Advances a game by many decisions in one call, with a lazily computed history.

    Args:
        game: a game before its first decision.
        count: the number of decisions.
        run: a function that applies the decisions to a state; if it cannot, it leaves the state unchanged and returns
            False.
        take: a function that takes the decisions one by one, in another game that has not begun.

    Returns:
        The decisions, or None if `run` failed and the game is unchanged.
    """
    position = game._position
    if not run(position.machine, position.state):
        return None
    moves = LateMoves(count, take, restarted(game))
    game._position = LateHistory.after(position, moves)
    return moves
