"""The history of a game as a seat saw it, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.position import Step
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.program.cells import restore
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.wasm.runtime.program import OPEN


class SeenHistory:
    """The decisions of a game so far, as a seat saw them.

    Args:
        search: a search over positions of the table.
        seat: the number of the seat.

    Attributes:
        looks: each decision as a code with `OPEN` in every hidden column, followed by a digest of the seat's view after
            it.
        deciders: the deciding seat before each decision, and after the last one; -1 if chance decides, -2 after the
            end.
        keys: for each decision, a digest of all the seat's observations up to it.
    """

    def __init__(self, search: WasmSearch, seat: int) -> None:
        self._search, self._seat, self._sight = search, seat, search.sight(seat)
        self._coder, self._form = search.coder, search.form
        self._steps: list[Step] = []
        self._rows: list[list[int]] = []
        self._full: list[list[int]] = []
        self._digests: list[int] = []
        self.looks = np.empty((0, self._coder.width + 1), np.int64)
        self.deciders: list[int] = []
        self.keys: list[int] = []

    @property
    def known(self) -> int:
        """The number of leading decisions that the seat has fully seen."""
        hidden = (self.looks == OPEN).any(axis=1)
        return int(hidden.argmax()) if hidden.any() else len(hidden)

    def row(self, ply: int) -> NDArray[np.int64]:
        """The position after `ply` decisions; only the seat's view of it may leave this module."""
        return np.array(self._rows[ply], np.int64)

    def observation(self, ply: int) -> NDArray[np.int64]:
        """The seat's observation after `ply` decisions."""
        result: NDArray[np.int64] = self._sight.observations(self.row(ply)[None])[0]
        return result

    def note(self, game: Game) -> None:
        """Records the decisions of the game; reuses the records of unchanged earlier decisions.

        Raises:
            NotFoundError: if the game was not played from its start, so that part of it is unknown.
        """
        position = game.omniscient.numbers
        steps = position.steps
        known = 0
        while known < min(len(steps), len(self._steps)) and steps[known] is self._steps[known]:
            known += 1
        state = list(position.state)
        rows, codes = [self._form.row(state[: self._form.cells])], []
        for step in reversed(steps[known:]):
            restore(state, step.journal)
            codes.append(self._code(game, state, step))
            rows.append(self._form.row(state[: self._form.cells]))
        if known == 0 and not np.array_equal(self._search.rows([restarted(game)])[0], rows[-1]):
            raise NotFoundError("the game was not played from its start")
        self._steps = list(steps)
        self._rows[known:] = rows[::-1]
        digests = self._sight.digests(np.array(self._rows[known + 1 :], np.int64).reshape(-1, self._form.columns))
        self._digests[known:] = digests.tolist()
        self.deciders[known:] = self._search.deciders(np.array(self._rows[known:], np.int64)).tolist()
        self._full[known:] = codes[::-1]
        visibility = game.omniscient.visibility
        shown = len(steps) - visibility.chosen(position.state, position.asked).bit_count()
        looks = [self._hidden(code) if ply >= shown else code for ply, code in enumerate(self._full)]
        width = self._coder.width
        self.looks = np.column_stack(
            [np.array(looks, np.int64).reshape(-1, width), np.array(self._digests, np.int64).reshape(-1, 1)]
        )
        self.keys, key = [], b""
        for look in self.looks:
            key = blake2b(key + look.tobytes(), digest_size=8).digest()
            self.keys.append(int.from_bytes(key, "little"))

    def _code(self, game: Game, state: Sequence[int], step: Step) -> list[int]:
        visibility, option = game.omniscient.visibility, step.option
        actor = -1 if option.by is None else game.seats.index(option.by)
        state = list(state)
        seers = visibility.seers(state, actor, option)
        number = self._coder.number(visibility.machine.asked[state[0]], option.kind.choice)
        columns = self._coder.columns[number]
        seen = columns.columns(option.args)
        for seats, first, width in zip(seers, columns.firsts, columns.widths, strict=True):
            if not seats >> self._seat & 1:
                seen[first - 2 : first - 2 + width] = [OPEN] * width
        return [number, actor, *seen, *[0] * (self._coder.width - columns.end)]

    def _hidden(self, code: list[int]) -> list[int]:
        """A choice in an incomplete round, of which others see only the seat."""
        return code if code[1] == self._seat else [OPEN, code[1], *[OPEN] * (len(code) - 2)]
