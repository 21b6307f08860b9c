"""The meaning of the cells of a program."""

from __future__ import annotations

from msgspec import Struct

Owner = tuple[tuple[str, int], ...]
"""An entity, or several that a pile belongs to: the kind and the number of each."""


class CellName(Struct, frozen=True, gc=False):
    """The meaning of a cell.

    `group` is a kind, "game", "pieces" or "rules" (locals). `owner` names the entity or pile (seats by number);
    `by_seat` has its parts if its name depends on the seats. `name` is the field or the type of pieces, `index` the
    place's entity of the kind `index_kind`, if there is one.
    """

    group: str
    owner: str
    name: str
    type: str
    place: str = ""
    index_kind: str = ""
    index: int = -1
    by_seat: Owner = ()
