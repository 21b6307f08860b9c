"""The sight of a viewer of a table: parts, each with the serial at which it changed last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from rulespec.engine.game.position import Step
from rulespec.engine.table.telling import SeenMove

TAIL = 30
"""The last moves that a viewer has; earlier ones are asked for."""


class Drawn(Protocol):
    """A part of a picture of the position; see `rulespec.drawing.scene.Item`."""

    @property
    def id(self) -> str:
        """Its name among the items of the picture."""

    @property
    def layer(self) -> str:
        """The layer that it is in."""

    @property
    def svg(self) -> str:
        """Its drawing."""


Placed = tuple[str, str, str]
"""An item: its layer, its drawing, and the item of the layer that it follows."""


def placed(items: Iterable[Drawn], old: Mapping[str, Placed]) -> dict[str, Placed]:
    """Items by id; those that are as before are the same objects."""
    results: dict[str, Placed] = {}
    before: dict[str, str] = {}
    for item in items:
        value, known = (item.layer, item.svg, before.get(item.layer, "")), old.get(item.id)
        results[item.id] = known if known is not None and known == value else value
        before[item.layer] = item.id
    return results


class Sight:
    """The parts of a table that a viewer has.

    Attributes:
        serial: the number of changes that the viewer could see.
        turn: the serial at which what the viewer may do changed last.
        tail: the last moves by number, each with the step that it was.
        change: the number of the table's change that it shows.
    """

    def __init__(self) -> None:
        self.serial = 0
        self.turn = 0
        self.change = -1
        self.tail: dict[int, tuple[Step, SeenMove]] = {}
        self._ply = 0
        self._may: object = None
        self._parts: dict[str, tuple[int, Any]] = {}
        self._items: dict[str, tuple[int, Placed | None]] = {}
        self._moves: dict[int, int] = {}
        self._next = 1

    def begin(self) -> None:
        """Begins with the parts of another position."""
        self._next = self.serial + 1

    def may(self, what: object) -> None:
        """Notes what the viewer may do; a change of it makes messages of before stale."""
        if what != self._may:
            self._may = what
            self.serial = self.turn = self._next

    def part(self, name: str, value: Any) -> None:
        """Notes a part."""
        old = self._parts.get(name)
        if old is None or old[1] != value:
            self._parts[name] = self._next, value
            self.serial = self._next

    def items(self, items: Mapping[str, Placed]) -> None:
        """Notes the picture of the position."""
        for id_, item in items.items():
            old = self._items.get(id_)
            if old is None or old[1] is None or old[1][:2] != item[:2]:
                self._items[id_] = self._next, item
                self.serial = self._next
        for id_, (_, value) in self._items.items():
            if value is not None and id_ not in items:
                self._items[id_] = self._next, None
                self.serial = self._next

    def moves(self, ply: int, tail: Mapping[int, tuple[Step, SeenMove]]) -> None:
        """Notes the last moves, and how many there are."""
        for number, (_, move) in tail.items():
            old = self.tail.get(number)
            if old is None or old[1] != move:
                self._moves[number] = self.serial = self._next
        if ply != self._ply:
            self._ply, self.serial = ply, self._next
        self.tail = dict(tail)
        self._moves = {number: self._moves[number] for number in tail}

    def frame(self, since: int) -> dict[str, Any]:
        """The changes since a serial; all since 0. Data as in table_frame.schema.json."""
        frame: dict[str, Any] = {"serial": self.serial, "since": since, "turn": self.turn}
        frame |= {name: value for name, (serial, value) in self._parts.items() if serial > since}
        newer = {i: v for i, (serial, v) in self._items.items() if serial > since and (since or v is not None)}
        items = {i: None if v is None else list(v) for i, v in newer.items()}
        if items:
            frame["items"] = items
        texts = {str(n): self.tail[n][1].to_json() for n, serial in self._moves.items() if serial > since}
        frame["moves"] = {"count": self._ply, "texts": texts}
        return frame
