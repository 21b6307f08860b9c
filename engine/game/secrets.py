"""Secrecy of cells: the cells hidden from a seat, and an evaluation that stops at the first hidden value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, SupportsIndex, overload

from rulespec.engine.game.option import Labels, Refusal
from rulespec.engine.game.refusal import refused, why_not
from rulespec.engine.program import ir
from rulespec.engine.program.evaluator import evaluate
from rulespec.engine.program.taint import counts_of
from rulespec.language.orders import in_order

PUBLIC = -1
"""The public as a viewer, used where the number of a seat is expected."""
Value = Callable[[ir.Expr, tuple[int, ...]], int]
"""A function that evaluates an expression in the current position with its first slots filled."""


def hidden(program: ir.Program, value: Value, seat: int) -> dict[int, ir.Secret]:
    """The cells hidden from a seat (or `PUBLIC`), each with the secret that hides it."""
    wanted = (1 << program.seats) - 1 if seat == PUBLIC else 1 << seat
    results: dict[int, ir.Secret] = {}
    for secret in program.secrets:
        for at, entities in enumerate(product(*map(range, secret.sizes)), secret.cells.start):
            if value(secret.to, entities) & wanted == wanted:
                continue
            if secret.open is None or not value(secret.open, entities):
                results[at] = secret
    return results


class Sum(NamedTuple):
    """A public count of private pieces, tokens or entries of an order.

    Attributes:
        secret: the declaration that makes the cells private.
        first: the first counted cell.
        place: the number of the place if the count is of tokens; otherwise -1.
        number: the count.
    """

    secret: ir.Secret
    first: int
    place: int
    number: int


def counted(program: ir.Program, state: Sequence[int]) -> Iterator[Sum]:
    """The public counts of private places and private orders in a state."""
    for secret, cells, place in counts_of(program):
        cell = program.cells[cells[0]]
        if place >= 0:
            number = state[secret.cells.start : secret.cells.stop].count(place)
        elif cell.type.startswith("order "):
            number = len(in_order(state[cells[0]], program.sizes[cell.type[6:]].bit_length()))
        else:
            number = sum(state[at] for at in cells)
        yield Sum(secret, cells[0], place, number)


NOT_YOURS = "it is not yours to do"
NOT_NOW = "it is not possible now"
UNKNOWN = "?"
"""Placeholder for a value that depends on hidden information."""


class HiddenError(Exception):
    """Raised on a read of a hidden cell."""


class GuardedState(list[int]):
    """A state whose hidden cells cannot be read, so results depend only on visible cells.

    Args:
        state: the cells.
        unseen: the hidden cells.
    """

    def __init__(self, state: Iterable[int], unseen: Iterable[int]) -> None:
        super().__init__(state)
        self.unseen = frozenset(unseen)

    def like(self, state: Iterable[int]) -> GuardedState:
        """Another state with the same hidden cells."""
        return GuardedState(state, self.unseen)

    @overload
    def __getitem__(self, at: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> int | list[int]:
        if isinstance(at, slice):
            if not self.unseen.isdisjoint(range(*at.indices(len(self)))):
                raise HiddenError
        elif at in self.unseen:
            raise HiddenError
        return super().__getitem__(at)


def guarded_refusal(
    program: ir.Program, labels: Labels, choice: ir.Choice, args: Sequence[int], state: GuardedState
) -> Refusal:
    """The reason why a seat's own option is illegal: its first failing condition, unless a hidden value is needed
    before that.

    In that case, the refusal says only that the option is not possible now.
    """
    slots = program.slots + 1

    def value(e: ir.Expr, known: tuple[int, ...]) -> int:
        return evaluate(program, e, state, [*known, *[0] * (slots + 1 - len(known))])

    try:
        return why_not(value, labels, choice, args, slots)
    except HiddenError:
        return refused(NOT_NOW)
