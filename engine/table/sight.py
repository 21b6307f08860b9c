"""The sight of a viewer of a table: parts, each with the serial at which it changed last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulespec.engine.game.position import Step
from rulespec.engine.game.shown_cells import ShownCells
from rulespec.engine.table.telling import SeenMove

TAIL = 30
"""The last moves that a viewer has; earlier ones are asked for."""


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
        self._cells: tuple[int | None, ...] = ()
        self._newer: dict[int, int] = {}  # cell → the serial at which it changed last, since the first
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

    def cells(self, values: tuple[int | None, ...]) -> None:
        """Notes the state that is seen."""
        old, self._cells = self._cells, values  # those that are equal, too: viewers who see the same share one
        if old == values:
            return
        self.serial = self._next
        if old:
            self._newer |= {at: self._next for at, (a, b) in enumerate(zip(old, values, strict=True)) if a != b}

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

    def frame(self, since: int, shown: ShownCells) -> dict[str, Any]:
        """The changes since a serial; all since 0. Data as in table_frame.schema.json."""
        frame: dict[str, Any] = {"serial": self.serial, "since": since, "turn": self.turn}
        frame |= {name: value for name, (serial, value) in self._parts.items() if serial > since}
        values = self._cells
        newer = [at for at, serial in self._newer.items() if serial > since]
        if since == 0:
            newer = [at for at, content in enumerate(values) if not shown.is_empty(at, content)]
        if newer:
            frame["cells"] = {str(at): shown.value(at, values[at]) for at in newer}
        texts = {str(n): self.tail[n][1].to_json() for n, serial in self._moves.items() if serial > since}
        frame["moves"] = {"count": self._ply, "texts": texts}
        return frame
