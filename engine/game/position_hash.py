"""Position hash: a weighted sum of cells, which is updated incrementally where possible.

After Carter and Wegman, "Universal Classes of Hash Functions" (1979). Each cell has a pseudo-random weight, which is
the same on every machine. Two positions collide with a probability of about 2⁻⁶⁴.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from operator import mul

from rulespec.engine.program.cells import Journal, State

PRIME = 2**64 - 59
"""The largest 64-bit prime. No small power of two is 1 modulo it, so large sets do not collide with small ones."""


@lru_cache(maxsize=64)
def weights(cells: int, length: int) -> tuple[int, ...]:
    """The weights of a program's cells, padded with zeros to `length` for the rest of a state."""
    stream = hashlib.shake_256(b"rulespec position").digest(8 * cells)
    of_cells = tuple([word % PRIME for word in struct.unpack(f"<{cells}Q", stream)])
    return of_cells + (0,) * (length - cells)


def whole(state: Sequence[int], weight: Sequence[int]) -> int:
    """The weighted sum of all cells."""
    total: int = sum(map(mul, filter(None, state), compress(weight, state)))  # most cells are zero
    return total % PRIME


def change(state: State, journal: Journal, weight: Sequence[int]) -> int:
    """The change in the weighted sum since the start of a journal."""
    total = 0
    seen: set[int] = set()
    note = seen.add
    entries = iter(journal)
    for at, old in zip(entries, entries, strict=True):
        if at not in seen:  # the first entry of a cell has its value at the start
            note(at)
            if (now := state[at]) != old:
                total += (now - old) * weight[at]
    return total


def digits(total: int) -> str:
    """A sum as 16 hex digits."""
    return (total % PRIME).to_bytes(8, "big").hex()
