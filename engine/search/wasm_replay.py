"""Replay of recorded games in batches, in a module's memory; a game stops at the first decision that only Python can
take.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.search.memory import SearchMemory
from rulespec.engine.search.recorded_rows import NONE_SEEN, Codes, NoteKinds, Replayed, noted
from rulespec.engine.search.search import Search
from rulespec.engine.wasm.engine import TrapError

_FEW = 3
"""The maximum number of decisions per game checked one by one in Python, which then replays the rest."""


class WasmReplay:
    """A replay of recorded games; Python checks the decisions that wasm finds illegal.

    Args:
        search: the search to which the positions belong.
        memory: the memory of its module.
        games: the codes of the decisions of each game.
        row: the common start position.
        notes: the kind of notes on the positions after decisions.
        value: the number of the position value.
    """

    def __init__(
        self,
        search: Search,
        memory: SearchMemory,
        games: list[Codes],
        row: NDArray[np.int64],
        notes: NoteKinds,
        value: int,
    ) -> None:
        self._search = search
        self._memory = memory
        self._games = games
        self._notes = notes
        self._value = value
        self._rows = row[None].repeat(len(games), axis=0)
        self._done = [0] * len(games)
        self._seen: list[list[NDArray[np.uint64]]] = [[] for _ in games]
        self._judged = [0] * len(games)
        self._bytes = memory.constants["STRIDE"]

    def replayed(self) -> Replayed:
        """The results of the replayed games."""
        left = [n for n, codes in enumerate(self._games) if len(codes)]
        while left:
            sizes: dict[int, int] = {}
            room = self._memory.room // self._bytes
            for n in left[: self._memory.most]:
                size = min(room, len(self._games[n]) - self._done[n])
                room -= size
                if size:
                    sizes[n] = size
            ended = {n for n, legal in zip(sizes, self._run(sizes), strict=True) if not legal and not self._judge(n)}
            left = [n for n in left if n not in ended and self._done[n] < len(self._games[n])]
        every = [one for result in self._seen for one in result]
        return noted(np.array(self._done, np.int64), self._rows, np.concatenate([NONE_SEEN, *every]), self._notes)

    def _run(self, sizes: dict[int, int]) -> list[bool]:
        """Replays the next decisions of some games in wasm; returns for each whether all were legal."""
        memory, at = self._memory, self._memory.out
        addresses = []
        for n, size in sizes.items():
            memory.write(at, self._games[n][self._done[n] : self._done[n] + size])
            addresses.append([at, at := at + self._bytes * size])
        memory.write(memory.options, np.array(addresses, np.int64))
        memory.write(memory.rows, self._rows[list(sizes)])
        memory.each(len(sizes), self._call(len(sizes)))
        reached = memory.read(memory.options, 2 * len(sizes))[::2].tolist()
        rows = memory.read(memory.rows, self._search.columns * len(sizes)).reshape(len(sizes), -1)
        self._rows[list(sizes)] = rows
        for n, (begun, _), to in zip(sizes, addresses, reached, strict=True):
            self._done[n] += (to - begun) // self._bytes
            if self._notes:
                codes = memory.read(begun, (to - begun) // 8).reshape(-1, self._bytes // 8)
                self._seen[n].append(codes[:, 1].copy().view(np.uint64))
        return [to == end for (_, end), to in zip(addresses, reached, strict=True)]

    def _call(self, count: int) -> Callable[[], None]:
        memory = self._memory

        def call() -> None:
            try:
                memory.instance.call("replay", count, int(self._notes), self._value)
            except TrapError:  # in the middle of a decision
                memory.instance.call("undo", memory.constants["JOURNAL_BASE"])
                memory.instance.call("saved", memory.rows + memory.row * memory.get("GAME"))
                raise

        return call

    def _judge(self, n: int) -> bool:
        """Lets Python check the next decision of a game, or all remaining ones; returns whether they are legal."""
        self._judged[n] += 1
        codes = self._games[n][self._done[n] :][: 1 if self._judged[n] <= _FEW else None]
        game, seen = self._search.game(self._rows[n]), list[int]()
        result = self._search.replayed(game, codes, seen if self._notes else None, self._notes)
        self._done[n] += result
        self._rows[n] = self._search.rows([game])[0]
        self._seen[n].append(np.array(seen, np.uint64 if self._notes is NoteKinds.HASHES else np.int64).view(np.uint64))
        return result == len(codes)
