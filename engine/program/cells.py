"""Cells of a program: the meanings of cells, states as lists of cell values, and undo journals of overwritten
values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import compress, count
from operator import ne

from msgspec import Struct, msgpack

from rulespec.engine.program.limits import LONG_JOURNAL

Owner = tuple[tuple[str, int], ...]
"""The owner of a cell, as kind and number; a pile may have several."""


class CellName(Struct, frozen=True, gc=False):
    """The meaning of a cell.

    `group` is a kind, "game", "pieces" or "rules" (locals). `owner` names the entity or pile (seats by number);
    `by_seat` gives the owner as pairs of kind and number if the owner's name depends on the names of the seats. `name`
    is the field or the piece type. `index` is the number of the place's index entity, of the kind `index_kind`; -1 if
    the place has none.
    """

    group: str
    owner: str
    name: str
    type: str
    place: str = ""
    index_kind: str = ""
    index: int = -1
    by_seat: Owner = ()


State = list[int]
"""A state: the cells of the program, followed by any private cells of the machine."""
Journal = list[int]
"""Undo journal: flat pairs (cell, previous value), oldest first."""
Changes = bytes
"""Changes not yet applied to a state by a machine that updates it late: flat triples (cell, previous value, value),
oldest first.

Each number is a signed 64-bit integer in native byte order.
"""


_STRETCH = 64


class PackedJournal(bytes):
    """A journal packed as msgpack, which takes a quarter of the memory; servers have hundreds of long games."""

    __slots__ = ()


def packed(noted: Journal | Changes | PackedJournal) -> Journal | Changes | PackedJournal:
    """The record of a run, with its journal packed if all numbers fit into 64 bits."""
    if not isinstance(noted, list):
        return noted
    try:
        return PackedJournal(msgpack.encode(noted))
    except OverflowError:
        return noted


def differing(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """The cells that differ between two states of the same size, in order; the states are compared slice by slice,
    since few cells differ.
    """
    results: list[int] = []
    for at in range(0, len(new), _STRETCH):
        before, after = old[at : at + _STRETCH], new[at : at + _STRETCH]
        if before != after:
            results += compress(count(at), map(ne, before, after))
    return results


def overwrite(state: State, values: Mapping[int, int]) -> Journal:
    """Writes values to cells; returns the journal."""
    journal = [x for at in values for x in (at, state[at])]
    for at, value in values.items():
        state[at] = value
    return journal


def restore(state: State, journal: Journal) -> None:
    """Undoes a journal, the newest entry first."""
    for i in range(len(journal) - 2, -1, -2):
        state[journal[i]] = journal[i + 1]


def first_values(journal: Journal) -> dict[int, int]:
    """For each cell in a journal, its value before the first write."""
    # The last of equal keys wins, which is the oldest entry in reverse.
    return dict(zip(journal[-2::-2], journal[::-2], strict=True))


def journal_of(noted: Journal | Changes | PackedJournal) -> Journal:
    """The journal of a run, unpacked or converted if it is stored in another form."""
    if isinstance(noted, list):
        return noted
    if isinstance(noted, PackedJournal):
        return msgpack.decode(noted, type=list[int])
    journal = memoryview(noted).cast("q").tolist()
    del journal[2::3]
    return journal


def write_changes(state: State, changes: Changes) -> None:
    """Writes deferred changes to a state, even if a subclass of list overrides the methods for writing."""
    numbers = memoryview(changes).cast("q").tolist()
    any(map(partial(list.__setitem__, state), numbers[::3], numbers[2::3]))


def compact(journal: Journal) -> None:
    """Reduces a long journal to one entry per cell, to bound the memory of long loops."""
    if len(journal) > LONG_JOURNAL:
        journal[:] = [x for entry in first_values(journal).items() for x in entry]
