"""State values listed beside the picture because neither the boards nor the tables show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulespec.drawing.board import Board
from rulespec.drawing.undrawn import undrawn
from rulespec.engine.game.game import Game, seen_cells
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.secrets import UNKNOWN
from rulespec.engine.game.state_json import ShownCells
from rulespec.engine.program.cells import CellName
from rulespec.engine.words.words import Words

_NOTHING = "\u2013"
"""The text of an empty value."""


class OtherValues:
    """The undrawn cells of a ruleset's declared state.

    Args:
        board: the board of the page; None if it cannot be drawn, so that all values are listed.
        game: a game with the same seats and ruleset, in any position.
        words: the words of the ruleset.
        names: maps a seat to its displayed name, or to None if its id is displayed.
    """

    def __init__(self, board: Board | None, game: Game, words: Words, names: Mapping[str, str] | None = None) -> None:
        program = game.omniscient.program
        self._cells = [program.cells[at] for at in program.declared]
        self._words = words
        self._labels = game.omniscient.labels
        self._seats = names or {seat: seat for seat in game.seats}
        self._declared = program.declared
        self._known: dict[tuple[str, int], str] = {}
        self.numbers = undrawn(board, self._cells) if board is not None else list(range(len(self._cells)))
        """The indices of the undrawn cells in `ShownCells`."""
        self.titles = [self._title(self._cells[number]) for number in self.numbers]
        self._paths = ShownCells(game).names()

    def to_json(self) -> list[dict[str, Any]]:
        """The data for a page: each value's path in the state, its title, and its kind, if any."""
        rows = zip(self.numbers, self.titles, strict=True)
        return [{"path": self._paths[n], "title": title, "of": self._of(self._cells[n])} for n, title in rows]

    def texts(self, game: Game, seat: str | None) -> list[str]:
        """The values in a position that a viewer can see; "" for an empty piece place."""
        if seat == OMNISCIENT:
            state = game.omniscient.numbers.state
            return [self._text(self._cells[n], state[self._declared[n]]) for n in self.numbers]
        seen = seen_cells(game, seat)
        return [self._text(self._cells[n], seen[n]) for n in self.numbers]

    def _text(self, cell: CellName, value: int | None) -> str:
        if cell.group == "pieces":
            return str(value or "")
        if value is None:
            return UNKNOWN
        key = cell.type, value
        if key not in self._known:
            self._known[key] = self._shown(self._labels.plain(cell.type, value), self._of(cell))
        return self._known[key]

    def _shown(self, value: Any, kind: str) -> str:
        """A value of the state in words, with the titles of entities."""
        words = self._words
        if value is None or value == []:
            return _NOTHING
        if isinstance(value, list):
            return ", ".join(self._shown(each, kind) for each in value)
        if isinstance(value, bool):
            return words.word("yes" if value else "no")
        return (
            words.title(kind, self._labels.number(kind, value), self._seats) if kind else str(value).replace("_", " ")
        )

    def _of(self, cell: CellName) -> str:
        kind = cell.type.rpartition(" ")[2].removesuffix("?")
        return kind if kind in self._words.ruleset.kinds else ""

    def _title(self, cell: CellName) -> str:
        words = self._words
        if cell.group == "pieces":
            each = words.ruleset.declarations.pieces[cell.name].each
            owners = [(kind, words.title(kind, n, self._seats)) for kind, n in self._numbers(cell, each)]
            index = words.title(cell.index_kind, cell.index, self._seats) if cell.index_kind else ""
            place = words.place(cell.name, cell.place, index, cell.index_kind) if index else None
            return f"{words.pieces(cell.name, owners)} {place or words.place(cell.name, cell.place)}"
        if cell.group == "game":
            return words.field(cell.group, cell.name)
        owner = self._numbers(cell, (cell.group,))[0][1]
        return f"{words.title(cell.group, owner, self._seats)} {words.field(cell.group, cell.name)}"

    def _numbers(self, cell: CellName, kinds: tuple[str, ...]) -> list[tuple[str, int]]:
        """The owners of a cell, as kinds and numbers."""
        if cell.by_seat:
            return [(kind, number) for kind, (_, number) in zip(kinds, cell.by_seat, strict=False)]
        names = cell.owner.split(".") if kinds else []
        return [(kind, self._labels.number(kind, name)) for kind, name in zip(kinds, names, strict=True)]
