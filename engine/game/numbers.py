"""Low-level access to a game: the state as integers, for search, foreign logs and perft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

from rulespec.engine.game.option import Option
from rulespec.engine.game.position import Step
from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.machine import Machine


class Numbers(Protocol):
    """The state of a game as numbers; anyone may read it, but only decisions change it.

    If the rules fault, the method or property that runs them raises RulesetFaultError and leaves the game unchanged.
    """

    @property
    def program(self) -> ir.Program:
        """The program of the rules, including the names of the state's `cells`."""

    @property
    def machine(self) -> Machine:
        """The machine that runs the program."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The values of the program's cells."""

    @property
    def state(self) -> State:
        """The cells of the program and the machine: read-only, and valid until the next decision."""

    @property
    def looked_up(self) -> Sequence[int]:
        """The cells of the state, to be passed only to the functions of `Machine.lookups`."""

    @property
    def asked(self) -> int:
        """The number of the open decision in the program; -1 after the end."""

    @property
    def stamp(self) -> int:
        """A number unique to this position."""

    @property
    def steps(self) -> Sequence[Step]:
        """The decisions taken, each with its changes."""

    @property
    def ply(self) -> int:
        """The number of decisions taken."""

    @property
    def last(self) -> Option | None:
        """The last decision; None before the first."""

    def copy(self) -> Self:
        """An independent copy, made lazily at the first change."""

    def resume(self, earlier: Self) -> None:
        """Returns to an earlier copy, with its history."""

    def begin(self) -> None:
        """Runs the rules up to the first decision; reading the state does the same."""

    def decider(self) -> int:
        """The deciding seat; -1 if chance decides."""

    def deciders(self) -> int:
        """The set of seats that may take the open decision, if there are several; otherwise empty."""

    def actor(self, choice: int, args: tuple[int, ...]) -> int:
        """The seat that acts with an option of the open decision."""

    def is_legal(self, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option of the open decision may be taken."""

    def value(self, e: ir.Expr, args: tuple[int, ...]) -> int:
        """The value of an expression of the program, with `args` in its first slots."""

    def weight(self, choice: int, args: tuple[int, ...]) -> int:
        """The relative weight of a chance option."""

    def take(self, option: Option) -> None:
        """Takes an option without checking it; the caller must know that it is legal."""

    def seal(self, salt: str) -> None:
        """Records the salt of the last decision's seal."""
