"""Positions in a foreign log: the next entry, and the list elements already used."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace


class Checkpoint(Struct, frozen=True, eq=False, gc=False):
    """The target of an undo.

    Attributes:
        ply: the number of decisions.
        heads: for each list of the first entry, the number of elements used.
        before: the previous checkpoint.
        orders: the entries of the standing orders then in force.
    """

    ply: int
    heads: tuple[tuple[str, int], ...]
    before: Checkpoint | None
    orders: tuple[int, ...] = ()


class Cursor(Struct, frozen=True, gc=False):
    """The position of the search in the log.

    Attributes:
        entry: the number of the next entry.
        matched: the matched elements of the entry's list.
        heads: for each list of the first entry, the number of elements used.
        silent: the number of consecutive silent options.
        automatic: the number of decisions without an entry of their own.
        waiting: whether an undo returned to an automatic option, which the other system then waits for.
        checkpoint: the latest checkpoint.
        orders: the entries of the standing orders in force.
    """

    entry: int = 1
    matched: frozenset[int] = frozenset()
    heads: tuple[tuple[str, int], ...] = ()
    silent: int = 0
    automatic: int = 0
    waiting: bool = False
    checkpoint: Checkpoint | None = None
    orders: tuple[int, ...] = ()

    def head(self, name: str) -> int:
        """The number of used elements of a list in the first entry."""
        return dict(self.heads).get(name, 0)

    def used(self, name: str) -> Cursor:
        """The cursor after the use of one more element of a list in the first entry."""
        heads = dict(self.heads)
        heads[name] = heads.get(name, 0) + 1
        return replace(self, heads=tuple(sorted(heads.items())), silent=0, automatic=self.automatic + 1, waiting=False)

    def answered(self) -> Cursor:
        """The cursor after an option that answers an entry."""
        return Cursor(
            self.entry + 1, heads=self.heads, automatic=self.automatic, checkpoint=self.checkpoint, orders=self.orders
        )

    def matching(self, item: int) -> Cursor:
        """The cursor after an option that answers an element of the entry's list."""
        return replace(self, matched=self.matched | {item}, silent=0, waiting=False)

    def past(self) -> Cursor:
        """The cursor after the entry."""
        return replace(self, entry=self.entry + 1, matched=frozenset(), silent=0)

    def marked(self, ply: int) -> Cursor:
        """The cursor with one more checkpoint."""
        return replace(self, checkpoint=Checkpoint(ply, self.heads, self.checkpoint, self.orders))
