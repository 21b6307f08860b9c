"""The meaning of the cells of a program."""

from __future__ import annotations

from msgspec import Struct

Owner = tuple[tuple[str, int], ...]
"""The owner of a cell: an entity, or the several entities that own a pile, each as kind and number."""


class CellName(Struct, frozen=True, gc=False):
    """The meaning of a cell.

    `group` is a kind, "game", "pieces" or "rules" (locals). `owner` names the entity or pile (seats by number);
    `by_seat` has its parts if the name depends on the seats. `name` is the field or the type of pieces, `index` the
    number of the place's index entity, of the kind `index_kind`, or -1.
    """

    group: str
    owner: str
    name: str
    type: str
    place: str = ""
    index_kind: str = ""
    index: int = -1
    by_seat: Owner = ()
