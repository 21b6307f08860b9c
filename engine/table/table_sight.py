"""A viewer's view of a table, in parts that each have the serial of their last change.

Parts are stored packed, because there are many tables and parts are rarely sent.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from msgspec import Struct, msgpack

from rulespec.engine.game.position import Step
from rulespec.engine.game.state_json import ShownCells

TAIL = 30
"""The number of latest moves in a viewer's view; earlier moves are sent on request."""
_RECENT = 16
"""The number of latest changes of the state available to a viewer; one who missed more gets the whole state."""
_LARGE = 300
"""The size in bytes from which packed data is compressed."""
_WIDE = 1 << 63
"""The smallest number without a packed form."""
_COMPRESSED = 0x78
"""The first byte of compressed data; uncompressed data starts with it only if it is a single number."""


def packed(data: object) -> bytes:
    """Packs plain data, and compresses large data."""
    result = msgpack.encode(data)
    return result if len(result) < _LARGE else zlib.compress(result, 1)


def unpacked(data: bytes) -> Any:
    """Unpacks data from `packed`."""
    return msgpack.decode(zlib.decompress(data) if data[0] == _COMPRESSED and len(data) > 1 else data)


def packed_cells(values: Sequence[int | None]) -> bytes:
    """The numbers of cells in packed form; numbers of more than 64 bits, such as long orders, become texts."""
    try:
        return packed(values)
    except OverflowError:
        return packed([str(value) if value is not None and abs(value) >= _WIDE else value for value in values])


def _unpacked_cells(data: bytes) -> list[int | None]:
    return [int(value) if isinstance(value, str) else value for value in unpacked(data)]


@lru_cache(64)  # viewers with equal views share a copy
def _differing(old: bytes, new: bytes) -> bytes:
    """The indices of the cells in which two states differ, in packed form."""
    pairs = zip(unpacked(old), unpacked(new), strict=True)
    return packed([at for at, (a, b) in enumerate(pairs) if a != b])


class Tail(Struct, frozen=True):
    """One of the latest moves, as sent to a viewer.

    Attributes:
        step: the step of the move in the game.
        move: the move in words, packed.
        whole: whether the move has been fully disclosed.
    """

    step: Step
    move: bytes
    whole: bool


class TableSight:
    """The parts of a table visible to a viewer.

    Attributes:
        serial: the number of changes visible to the viewer.
        turn: the serial of the last change to the viewer's legal actions.
        tail: the last moves.
        names: the displayed names of the seats, as used in these moves.
        change: the number of the last change at the table that the view includes.
    """

    def __init__(self) -> None:
        self.serial = 0
        self.turn = 0
        self.change = -1
        self.tail: tuple[Tail, ...] = ()
        self.names: tuple[str, ...] = ()
        self._ply = 0
        self._may = b""
        self._parts: dict[str, tuple[int, bytes]] = {}
        self._cells = b""
        self._changed: dict[int, bytes] = {}  # serial → the cells that changed
        self._floor = 0
        self._moves: tuple[int, ...] = ()  # the serial of each of the last moves
        self._next = 1

    def begin(self) -> None:
        """Starts an update for another position."""
        self._next = self.serial + 1

    def may(self, what: bytes) -> None:
        """Records the viewer's possible actions; if they have changed, earlier messages become stale."""
        if (what := sha256(what).digest()) != self._may:
            self._may = what
            self.serial = self.turn = self._next

    def part(self, name: str, value: bytes) -> None:
        """Records a packed part."""
        old = self._parts.get(name)
        if old is None or old[1] != value:
            self._parts[name] = self._next, value
            self.serial = self._next

    def cells(self, values: bytes) -> None:
        """Records the visible state: a packed sequence of numbers."""
        old, self._cells = self._cells, values  # even if equal: viewers with equal views share an object
        if old == values:
            return
        self.serial = self._next
        if old:
            self._changed[self._next] = _differing(old, values)
            if len(self._changed) > _RECENT:
                self._floor = min(self._changed)
                del self._changed[self._floor]

    @property
    def first(self) -> int:
        """The index of the first of the latest moves."""
        return self._ply - len(self.tail)

    def moves(self, ply: int, tail: tuple[Tail, ...]) -> None:
        """Records the latest moves, and the total number of moves."""
        old, serials, count = self.tail, [], len(self.tail)
        for at, one in enumerate(tail, ply - len(tail) - self.first):
            is_old = 0 <= at < count and (old[at] is one or old[at].move == one.move)
            serials.append(self._moves[at] if is_old else self._next)
        if ply != self._ply or self._next in serials:
            self.serial = self._next
        self._ply, self.tail, self._moves = ply, tail, tuple(serials)

    def frame(self, since: int, shown: ShownCells) -> dict[str, Any]:
        """The frame of changes since a serial (see table_frame.schema.json); for 0 or a very old serial, the frame has
        everything.
        """
        if since < self._floor:
            since = 0
        frame: dict[str, Any] = {"serial": self.serial, "since": since, "turn": self.turn}
        frame |= {name: unpacked(value) for name, (serial, value) in self._parts.items() if serial > since}
        if cells := self._newer(since, shown):
            frame["cells"] = cells
        moves = enumerate(zip(self.tail, self._moves, strict=True), self.first)
        texts = {str(number): unpacked(one.move) for number, (one, serial) in moves if serial > since}
        frame["moves"] = {"count": self._ply, "texts": texts}
        return frame

    def _newer(self, since: int, shown: ShownCells) -> dict[str, Any]:
        """The cells changed since a serial."""
        changes = [cells for serial, cells in self._changed.items() if serial > since]
        if since and not changes:
            return {}
        values = _unpacked_cells(self._cells)
        if since:
            newer = {at for cells in changes for at in unpacked(cells)}
        else:
            newer = {at for at, content in enumerate(values) if not shown.is_empty(at, content)}
        return {str(at): shown.value(at, values[at]) for at in sorted(newer)}
