"""The protocol of machines: all operations that a game needs from a program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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

Blind = tuple[State, frozenset[int]] | None
"""The end of a run that knows nothing of some cells: see `Machine.run_without`."""


class Lookups(NamedTuple):
    """Pure look-up functions of a decision. They take a state, or the cells of `Late.cells`.

    Attributes:
        legal: for each choice, whether an option may be taken; also takes its arguments, as separate values.
        decider: the deciding seat; -1 for chance.
        actors: for each choice, the seat of an interrupt; also takes its arguments, as separate values.
    """

    legal: Sequence[Callable[..., bool]]
    decider: Callable[..., int]
    actors: Sequence[Callable[..., int]]


class Late(Protocol):
    """Lazy sync: the state is updated when it is read, which bots in a playout never do.

    Until it catches up, a state has only its program counter, and may be passed only to these methods and to the
    machine's `own`, `listing`, `decider` and `interrupts`.
    """

    def run_late(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal | Changes:
        """`run`, but possibly returning the changes without updating the state."""

    def catch_up(self, state: State) -> None:
        """Brings a state up to date."""

    def cells(self, state: State) -> Sequence[int]:
        """The cells of a possibly outdated state, for look-ups until the next run."""

    def take_back(self, state: State, noted: Journal | Changes) -> None:
        """Undoes the last run, given its notes. The state itself may stay outdated."""


class Machine(Protocol):
    """Runs a program. All machines agree: same states, same options in the same order, same faults.

    A machine holds no game state; games with the same program share one. Any method that evaluates rules may raise
    `ProgramFaultError`.
    """

    p: ir.Program
    """The program as it was lowered."""

    def __hash__(self) -> int:
        """The identity: derived tables are cached by machine."""

    @property
    def asked(self) -> Mapping[int, int]:
        """The blocks where a game waits, each with its decision number."""

    def start(self) -> State:
        """A new state before the first block. A machine may append its own cells to the program's."""

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Writes values to cells from outside the rules; returns the journal."""

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end of the game.

        Args:
            state: the position; changed in place.
            block: the first block.
            args: the arguments of the option that leads to the block.

        Returns:
            The journal of all written cells.

        Raises:
            ProgramFaultError: if the rules fault; the state is then unchanged.
        """

    def run_without(self, state: State, unknown: Collection[int], block: int, args: tuple[int, ...] = ()) -> Blind:
        """A run without knowledge of some cells; the state itself is not changed.

        Args:
            state: the position.
            unknown: the unknown cells.
            block: the first block.
            args: the arguments of the option that leads to the block.

        Returns:
            The cells of the program after the run, with old values where unknown, and the unknown cells. None if the
            run needs an unknown cell or faults, or if this machine does not support it.
        """

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression, with `args` in its first slots."""

    def decider(self, state: State, decision: int) -> int:
        """The deciding seat; -1 for chance."""

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider, in order."""

    @property
    def listing(self) -> Callable[[State, int], Listing | None] | None:
        """A function that lists all options of the decider at once; None if this machine lists one by one.

        The function takes a state and a decision, and returns None if only `own` can list.
        """

    @property
    def late(self) -> Late | None:
        """Lazy sync of states; None if unsupported."""

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of others, in order."""

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments of the listed representative of alike tokens; None if they are their own representative.

        An option that the rules allow but that is not listed is illegal.
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
            since: the journals since all invariants held, if known: a machine may then skip invariants that read no
                changed cell.
        """
