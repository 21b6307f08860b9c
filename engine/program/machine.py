"""The protocol of machines: all operations that a game needs from a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from rulespec.engine.program import ir
from rulespec.engine.program.blanks import Unknown
from rulespec.engine.program.cells import Changes, Journal, State

Listed = tuple[int, tuple[int, ...], int]
"""A legal option: its choice number, its arguments, and the acting seat.

The seat is -1 for an option of the decider or of chance.
"""
Listing = tuple[int, int, bytes]
"""All options of the decider: the decision number, the deciding seat, and the options in an opaque form.

Equal listings mean equal results of `own`.
"""

Blind = tuple[State, frozenset[int]] | None
"""The result of `Machine.run_without`."""


class Lookups(NamedTuple):
    """Pure look-up functions of a decision, on a state or on the cells of `Late.cells`.

    Attributes:
        legal: for each choice, a function of the cells and the arguments, passed one by one, that returns whether the
            option is legal.
        decider: a function of the cells that returns the deciding seat, or -1 if chance decides.
        actors: for each choice, a function of the cells and the arguments that returns the seat acting out of turn.
    """

    legal: Sequence[Callable[..., bool]]
    decider: Callable[..., int]
    actors: Sequence[Callable[..., int]]


class Late(Protocol):
    """A machine's interface for states that are updated only when they are read; in a playout, bots never read them.

    In an outdated state, only the program counter is valid. It may be passed only to these methods and to the machine's
    `own`, `listing`, `decider` and `interrupts`.
    """

    def run_late(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal | Changes:
        """Runs like `Machine.run`, but may return the changes without updating the state."""

    def catch_up(self, state: State) -> None:
        """Brings a state up to date."""

    def cells(self, state: State) -> Sequence[int]:
        """The cells of a possibly outdated state, for look-ups until the next run."""

    def take_back(self, state: State, noted: Journal | Changes) -> None:
        """Undoes the last run, given its result. The state may stay outdated."""


class Machine(Protocol):
    """An executor of a program. All machines agree on states, on options and their order, and on faults.

    A machine holds no game state; games with the same program share one. Any method that evaluates rules may raise
    `ProgramFaultError`.
    """

    p: ir.Program
    """The program as lowered, before any passes."""

    def __hash__(self) -> int:
        """The hash of the identity, since derived tables are cached by machine."""

    @property
    def asked(self) -> Mapping[int, int]:
        """The blocks where a game waits for a decision, each with the decision's number."""

    def start(self) -> State:
        """A new state, as it is before the first block runs. A machine may append private cells to the program's
        cells.
        """

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

    def run_without(self, state: State, unknown: Unknown, block: int, args: tuple[int, ...] = ()) -> Blind:
        """The result of a run that may not read some cells; the state itself is not changed.

        Args:
            state: the position.
            unknown: the unknown cells, with public knowledge of them.
            block: the first block.
            args: the arguments of the option that leads to the block.

        Returns:
            The cells of the program after the run, in which unknown cells have their old values, and the set of cells
            that are still unknown. None if the run needs an unknown cell, if it faults, or if this machine does not
            support such runs.
        """

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression, with `args` in its first slots."""

    def decider(self, state: State, decision: int) -> int:
        """The deciding seat; -1 if chance decides."""

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider, in order."""

    @property
    def listing(self) -> Callable[[State, int], Listing | None] | None:
        """A function that lists all options of the decider in one call; None if this machine lists them one by one.

        The function takes a state and a decision, and returns None if only `own` can list the options.
        """

    @property
    def late(self) -> Late | None:
        """The interface for states that are updated when they are read; None if unsupported."""

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal out-of-turn options, in order."""

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments is legal and listed."""

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments, with each token replaced by the listed token that represents it; None if nothing changes.

        An option that the rules allow but that is not listed counts as illegal.
        """

    @property
    def lookups(self) -> Sequence[Lookups]:
        """For each decision, fast versions of `is_legal`, `decider` and `actor`."""

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat that acts with an out-of-turn option."""

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The indices of the invariants that do not hold.

        Args:
            state: the position.
            since: the journals since all invariants last held, if known; a machine may then skip invariants that read
                no changed cell.
        """
