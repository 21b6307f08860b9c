"""Low-level access to a game: the state as integers, for search, for foreign logs, and for counting positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rulespec.engine.game.option import Option
from rulespec.engine.game.position import Step
from rulespec.engine.program import ir
from rulespec.engine.program.journal import State
from rulespec.engine.program.machine import Machine


class Numbers(Protocol):
    """The state of a game as numbers: read by everybody, changed by decisions alone.

    Every member raises RulesetFaultError if the rules are at fault; nothing has changed then.
    """

    @property
    def program(self) -> ir.Program:
        """The program of the rules, with the names of the state's `cells`."""

    @property
    def machine(self) -> Machine:
        """Runs the program."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the program."""

    @property
    def state(self) -> State:
        """The cells of program and machine: valid until the next decision, read only."""

    @property
    def looked_up(self) -> Sequence[int]:
        """The cells of the state, for the functions of `Machine.lookups` alone."""

    @property
    def asked(self) -> int:
        """The number of the open decision in the program; -1 after the end."""

    @property
    def stamp(self) -> int:
        """A number that no other position has."""

    @property
    def steps(self) -> Sequence[Step]:
        """The decisions taken, with their changes."""

    @property
    def ply(self) -> int:
        """The number of decisions taken."""

    @property
    def last(self) -> Option | None:
        """The last decision; None before the first."""

    def begin(self) -> None:
        """Runs to the first decision, as reading the state does, too."""

    def decider(self) -> int:
        """The seat that decides; -1 for chance."""

    def deciders(self) -> int:
        """The set of the seats any of which may take the open decision; empty if only its decider may, or chance."""

    def actor(self, choice: int, args: tuple[int, ...]) -> int:
        """The seat acting by an option of the open decision."""

    def is_legal(self, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option of the open decision may be taken."""

    def value(self, e: ir.Expr, args: tuple[int, ...]) -> int:
        """The value of an expression of the program, with `args` in its first slots."""

    def weight(self, choice: int, args: tuple[int, ...]) -> int:
        """The weight of an option of chance against the others."""

    def take(self, option: Option) -> None:
        """Takes an option known to be legal, unchecked."""

    def seal(self, salt: str) -> None:
        """Records the salt of the seal of the last decision."""
