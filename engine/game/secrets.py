"""The cells of a position that are hidden from a seat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from rulespec.engine.program import ir
from rulespec.engine.program.counts import counts_of
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
        place: the number of the place, for tokens; otherwise -1.
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
