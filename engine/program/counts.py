"""Public counts of private pieces, whose number is public although their identity is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from rulespec.engine.program import ir


class Count(NamedTuple):
    """A public count over a group of cells.

    Attributes:
        secret: the declaration that makes the cells private.
        cells: the cells; a single one for an order.
        place: the number of the place whose tokens are counted; -1: the sum of the cells, or the length of the order.
    """

    secret: ir.Secret
    cells: Sequence[int]
    place: int


def counts_of(program: ir.Program) -> Iterator[Count]:
    """The public counts of private places and private orders."""
    for secret in program.secrets:
        cell = program.cells[secret.cells.start]
        if secret.places:
            yield from (Count(secret, secret.cells, place) for place in secret.places)
        elif secret.counted and cell.group == "pieces":
            yield from (Count(secret, cells, -1) for cells in _alike(secret))
        elif secret.counted and cell.type.startswith("order "):
            yield from (Count(secret, [at], -1) for at in secret.cells)


def _alike(secret: ir.Secret) -> Iterator[list[int]]:
    """The groups of piles that share a count."""
    strides = [prod(secret.sizes[i + 1 :]) for i in range(len(secret.sizes))]
    apart = [range(size) if i not in secret.alike else range(1) for i, size in enumerate(secret.sizes)]
    alike = [range(size) if i in secret.alike else range(1) for i, size in enumerate(secret.sizes)]
    offsets = [sum(n * s for n, s in zip(ids, strides, strict=True)) for ids in product(*alike)]
    for ids in product(*apart):
        first = secret.cells.start + sum(n * s for n, s in zip(ids, strides, strict=True))
        yield [first + offset for offset in offsets]
