"""Notes of a log on a page: event, date, and remarks beside moves."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.diagnostics.escape import escaped
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.logs.notes import Notes, SeenNotes, note_texts
from rulespec.engine.logs.seat_log import seen_notes
from rulespec.engine.replay.replay import ReplayResult


class MoveNotes:
    """The notes of a replayed log that its reader may see; a foreign log has none.

    Args:
        result: the replay.
        seat: the reader (None for everybody); `OMNISCIENT` sees everything.
        visible: the indices of the page's moves among all moves.
    """

    def __init__(self, result: ReplayResult, seat: str | None, visible: Sequence[int]) -> None:
        notes = seen_notes(result.native, None if seat == OMNISCIENT else seat, seat != OMNISCIENT)
        self._names = result.game.shown_names
        self.header = self._texts(notes.header)
        moves = set(result.places)
        lines = [result.places[number] for number in visible] if result.native is not None else []
        self._of_moves = [
            [*self._before(notes, first, line, moves), *self._texts(notes.of(line))]
            for first, line in zip([1, *lines], lines, strict=False)
        ]
        if lines and result.native is not None and result.divergence is None:
            self._of_moves[-1] += self._before(notes, lines[-1], result.native.text.count("\n") + 2, moves)

    def of(self, number: int) -> list[str]:
        """The remarks on a move, given its number on the page, from 0."""
        return self._of_moves[number] if self._of_moves else []

    def _before(self, notes: SeenNotes, first: int, line: int, moves: set[int]) -> list[str]:
        """The remarks between one move and the next."""
        return [text for remark in notes.between(first, line, moves) for text in self._texts(remark)]

    def _texts(self, notes: Notes) -> list[str]:
        return list(map(escaped, note_texts(notes, self._names)))
