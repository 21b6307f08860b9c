"""The protocol of machines: everything that a game needs to run a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from rulespec.engine.program import ir
from rulespec.engine.program.journal import Changes, Journal, State

Listed = tuple[int, tuple[int, ...], int]
"""A legal option: its index among the choices, its arguments, and the seat that takes it.

The seat is -1 for the options of the decider and of chance.
"""
Listing = tuple[int, int, bytes]
"""All options of the decider: the number of the decision, the seat that decides, and the options in some form.

If all three are equal, `own` lists the same.
"""


class Lookups(NamedTuple):
    """Functions of a decision that only look cells up. They take a state, or the cells of `Late.cells`.

    Attributes:
        legal: for each choice, whether an option may be taken; takes its arguments, too, one by one.
        decider: the seat that decides; -1 for chance.
        actors: for each choice, the seat that takes an interrupt; takes its arguments, too, one by one.
    """

    legal: Sequence[Callable[..., bool]]
    decider: Callable[..., int]
    actors: Sequence[Callable[..., int]]


class Late(Protocol):
    """Lazy sync: the state is updated when it is read; a bot in a playout reads none.

    Until it catches up, a state has nothing but its program counter, and only `own`, `listing`, `decider` and
    `interrupts` of the machine take it, and these methods.
    """

    def run_late(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal | Changes:
        """As `run`, but may return the changes instead and leave the state behind."""

    def catch_up(self, state: State) -> None:
        """Brings a state up to date."""

    def cells(self, state: State) -> Sequence[int]:
        """The cells of a state that may be left behind, only to be looked up, and only until the next run."""

    def take_back(self, state: State, noted: Journal | Changes) -> None:
        """Undoes the last run, which has noted this. The state itself may stay out of date, as before."""


class Machine(Protocol):
    """Runs a program. All machines agree: same states, same options in the same order, same faults.

    A machine holds nothing of a game; games with the same program share one. Any method that evaluates rules may raise
    `ProgramFaultError`.
    """

    p: ir.Program
    """The program as it was lowered."""

    def __hash__(self) -> int:
        """The identity: derived tables are cached by machine."""

    @property
    def asked(self) -> Mapping[int, int]:
        """The blocks in which a game waits, each with the number of its decision."""

    def start(self) -> State:
        """A new state before the first block. A machine may append cells of its own to the program's."""

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Puts values into cells from outside of the rules; returns the journal of it."""

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end of the game.

        Args:
            state: the position; changed in place.
            block: the block to begin with.
            args: the arguments of the option that leads there.

        Returns:
            The journal of all cells that were written.

        Raises:
            ProgramFaultError: if the rules are at fault; the state is as before, then.
        """

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression, with `args` in its first slots."""

    def decider(self, state: State, decision: int) -> int:
        """The seat that decides; -1 for chance."""

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider, in order."""

    @property
    def listing(self) -> Callable[[State, int], Listing | None] | None:
        """Lists all options of the decider at once; None if this machine lists one by one.

        The function takes a state and a decision, and gives None where only `own` can list.
        """

    @property
    def late(self) -> Late | None:
        """Lazy sync of states; None if this machine has none."""

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of others, in order."""

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments of the listed representative among alike tokens; None if it is itself.

        An option that the rules allow and that is not listed is not legal.
        """

    @property
    def lookups(self) -> Sequence[Lookups]:
        """For each decision, `is_legal`, `decider` and `actor` as functions, for frequent use."""

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat of an interrupt."""

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The indices of the invariants that do not hold.

        Args:
            state: the position.
            since: the journals since all invariants held, if known: a machine may then leave alone those that read no
                changed cell.
        """
