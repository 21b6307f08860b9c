"""Which cells of a position a seat does not see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from rulespec.engine.program import ir
from rulespec.engine.program.orders import in_order

PUBLIC = -1
"""In the place of a seat: what all seats see."""
Value = Callable[[ir.Expr, tuple[int, ...]], int]
"""A function for the value of an expression in the current position, with its first slots filled."""


def hidden(program: ir.Program, value: Value, seat: int) -> dict[int, ir.Secret]:
    """The cells that a seat (or `PUBLIC`) does not see, each with why."""
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
    """A public count of something private, whose members stay hidden.

    Attributes:
        secret: what is private.
        first: the first of its cells that are counted.
        place: the number of the place where tokens are counted; -1 for anything else.
        number: how many there are.
    """

    secret: ir.Secret
    first: int
    place: int
    number: int


def counted(program: ir.Program, state: Sequence[int]) -> Iterator[Sum]:
    """The public counts of a state: in private places, and in private orders."""
    for secret in program.secrets:
        cell = program.cells[secret.cells.start]
        if secret.places:
            where = state[secret.cells.start : secret.cells.stop]
            yield from (Sum(secret, secret.cells.start, place, where.count(place)) for place in secret.places)
        elif secret.counted and cell.group == "pieces":
            for first, cells in _alike(secret):
                yield Sum(secret, first, -1, sum(state[at] for at in cells))
        elif secret.counted and cell.type.startswith("order "):
            width = program.sizes[cell.type[6:]].bit_length()
            for at in secret.cells:
                yield Sum(secret, at, -1, len(in_order(state[at], width)))


def _alike(secret: ir.Secret) -> Iterator[tuple[int, list[int]]]:
    """The piles that are counted together: the first cell of each sum, and all its cells."""
    strides = [prod(secret.sizes[i + 1 :]) for i in range(len(secret.sizes))]
    apart = [range(size) if i not in secret.alike else range(1) for i, size in enumerate(secret.sizes)]
    alike = [range(size) if i in secret.alike else range(1) for i, size in enumerate(secret.sizes)]
    offsets = [sum(n * s for n, s in zip(ids, strides, strict=True)) for ids in product(*alike)]
    for ids in product(*apart):
        first = secret.cells.start + sum(n * s for n, s in zip(ids, strides, strict=True))
        yield first, [first + offset for offset in offsets]
