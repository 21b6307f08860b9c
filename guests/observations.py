"""Observations as numeric arrays, based only on a seat's current view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.game.game import Game, as_shown
from rulespec.engine.game.named_state import owner_of, place_of
from rulespec.engine.game.secrets import PUBLIC, counted
from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_NUMBER, NO_NUMBER
from rulespec.engine.program.taint import counts_of
from rulespec.engine.wasm.rows import RowForm
from rulespec.engine.wasm.runtime.program import OPEN
from rulespec.engine.wasm.sights import shown_cells
from rulespec.language.orders import in_order

ONE_HOT = 512
"""The maximum number of entities in a kind for one-hot encoding; a larger kind uses a single number."""
LONGEST = 20
"""The maximum number of words of an unfinished choice in an observation."""
Floats = NDArray[np.float32]


class Observations:
    """The observation encoder of a table: 32-bit floats for a seat and a position.

    Numbers, amounts and counts are unchanged, and a truth value is 0 or 1. An entity is one-hot within its kind, with
    all zeros for none; a set is multi-hot; an order lists, for each place, the number of the member there, from 1. A
    hidden cell is 0, and each cell that can be hidden has a flag that is 1 when visible. The cells are followed by
    public counts of private things, the viewer, the deciding seat, the decision, the seats that have chosen in a
    simultaneous decision, and the words of the seat's unfinished choice, where a word at index n adds 2 to the power of
    n.

    Args:
        game: a game at the table, in any position.
        actions: the size of the action space if actions are words; 0 if they are whole options.

    Attributes:
        names: the meaning of each element.
        low, high: the bounds of each element.
    """

    def __init__(self, game: Game, actions: int = 0) -> None:
        self._game = game.copy()
        p = game.omniscient.program
        self._p, self._seats = p, len(game.seats)
        self._form = RowForm(p)
        self._secret = {at for secret in p.secrets for at in secret.cells}
        self._decisions = list(dict.fromkeys(d.name for d in p.decisions))
        self.names: list[str] = []
        self._bounds: list[tuple[float, float]] = []
        self._plain: list[tuple[int, int]] = []  # column and feature of numbers
        self._hot: list[tuple[int, int]] = []  # column and first feature of entities
        self._bits: list[tuple[int, int, int]] = []  # column, bit and feature of set members
        self._orders: list[tuple[int, int, int]] = []  # cell, bits per member and first feature
        self._flags: list[tuple[int, int]] = []  # cell and feature
        self._cells = shown_cells(p)
        for at in self._cells:
            self._add_cell(at)
        self._counts = self._features("public count", len(list(counts_of(p))))
        self._looks = self._features("looks", self._seats, (0, 1))
        self._decides = self._features("decides", self._seats + 1, (0, 1))
        self._asked = self._features("decision", len(self._decisions), (0, 1))
        self._chosen = self._features("has chosen", self._seats, (0, 1))
        self._words = self._features("word", actions, (0, 2.0**LONGEST))
        self.low = np.array([low for low, _ in self._bounds], np.float32)
        self.high = np.array([high for _, high in self._bounds], np.float32)
        self._columns()

    @property
    def size(self) -> int:
        """The number of elements of an observation."""
        return len(self.names)

    # --- the layout --------------------------------------------------------------------------

    def _features(self, name: str, number: int, bounds: tuple[float, float] = (-MAX_NUMBER, MAX_NUMBER)) -> int:
        """Adds elements with a common meaning, and returns the index of the first."""
        first = len(self.names)
        self.names += [f"{name} {i}" for i in range(number)] if number != 1 else [name]
        self._bounds += [bounds] * number
        return first

    def _add_cell(self, at: int) -> None:
        cell, labels = self._p.cells[at], self._game.omniscient.labels
        place = place_of(labels, cell) if cell.group == "pieces" else ""
        name = ".".join(filter(None, [cell.group, owner_of(labels, cell), cell.name, place]))
        type_ = cell.type.removesuffix("?")
        kind, _, of = type_.partition(" ")
        if kind == "set":
            words = [at, *self._form.further.get(at, ())]
            for member, each in enumerate(labels.names.get(of, ())):
                feature = self._features(f"{name} has {each}", 1, (0, 1))
                self._bits.append((words[member // 64], member % 64, feature))
        elif kind == "order":
            size = len(labels.names.get(of, ()))
            self._orders.append((at, size.bit_length(), self._features(f"{name} at", size, (0, size))))
        elif (names := labels.names.get(type_)) is not None and len(names) <= ONE_HOT:
            self._hot.append((at, len(self.names)))
            for each in names:
                self._features(f"{name} is {each}", 1, (0, 1))
        else:
            bounds = (0.0, 1.0) if type_ == "bool" else (-float(MAX_NUMBER), float(MAX_NUMBER))
            self._plain.append((at, self._features(name, 1, bounds)))
        if at in self._secret:
            self._flags.append((at, self._features(f"{name} is seen", 1, (0, 1))))

    def _columns(self) -> None:
        """The layout as arrays."""

        def columns(pairs: Sequence[tuple[int, ...]], width: int) -> list[NDArray[np.int64]]:
            return list(np.array(pairs, np.int64).reshape(-1, width).T)

        self._plain_at, self._plain_to = columns(self._plain, 2)
        self._hot_at, self._hot_to = columns(self._hot, 2)
        self._bits_at, self._bits_of, self._bits_to = columns(self._bits, 3)
        self._flags_at, self._flags_to = columns(self._flags, 2)
        self._secret_at = np.array(sorted(self._secret), np.int64)

    # --- one position ------------------------------------------------------------------------

    def of(self, game: Game, seat: int, words: Sequence[int] = ()) -> Floats:
        """The observation of a seat.

        Args:
            game: a game of the table.
            seat: the index of the seat; `PUBLIC` for none.
            words: the words chosen so far in this seat's unfinished choice.
        """
        game = as_shown(game, None if seat == PUBLIC else game.seats[seat])
        position = game.omniscient.numbers
        cells = position.cells
        row = np.frombuffer(self._form.array(cells), np.int64)[None].copy()
        hidden = np.zeros(row.shape, np.bool_)
        if self._secret:
            visibility = game.omniscient.visibility
            unseen = list(visibility.unseen(list(position.state), seat))
            for at in unseen:
                hidden[0, [at, *self._form.further.get(at, ())]] = True
        result = self._encoded(row, hidden)
        if self._looks > self._counts:
            result[0, self._counts : self._looks] = [one.number for one in counted(self._p, cells)]
        asked = position.asked
        self._tell(result, np.array([asked]), np.array([position.decider() if asked >= 0 else -2]), row, seat)
        observation: Floats = result[0]
        self.add_words(observation, words)
        return observation

    def add_words(self, observation: Floats, words: Sequence[int]) -> None:
        """Adds the words of a seat's unfinished choice to its observation."""
        for place, word in enumerate(words[:LONGEST]):
            observation[self._words + word] += 2.0**place

    def _tell(
        self,
        result: Floats,
        asked: NDArray[np.int64],
        deciders: NDArray[np.int64],
        rows: NDArray[np.int64],
        seat: int,
    ) -> None:
        """Encodes the viewer, the decider, the decision, and the seats that have chosen."""
        if seat != PUBLIC:
            result[:, self._looks + seat] = 1
        going = np.flatnonzero(asked >= 0)
        result[going, self._decides + np.where(deciders[going] < 0, self._seats, deciders[going])] = 1
        result[going, self._asked + self._numbers[asked[going]]] = 1
        for number, held in self._held.items():
            at = np.flatnonzero(asked == number)
            result[at[:, None], self._chosen + np.arange(self._seats)] = rows[at[:, None], held] != 0

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """The index of each decision's name."""
        return np.array([self._decisions.index(d.name) for d in self._p.decisions], np.int64)

    @cached_property
    def _held(self) -> dict[int, NDArray[np.int64]]:
        """Simultaneous decision → the cells that mark the seats that have chosen."""
        return {n: np.array(d.held, np.int64) for n, d in enumerate(self._p.decisions) if d.held}

    def _encoded(self, rows: NDArray[np.int64], hidden: NDArray[np.bool_]) -> Floats:
        """The encoded cells of positions."""
        result = np.zeros((len(rows), self.size), np.float32)
        seen = np.where(hidden, 0, rows)
        plain = seen[:, self._plain_at]
        result[:, self._plain_to] = np.where(plain == NO_NUMBER, 0, plain)
        if len(self._hot_at):
            values = np.where(hidden[:, self._hot_at], -1, rows[:, self._hot_at])
            of, cell = np.nonzero(values >= 0)
            result[of, self._hot_to[cell] + values[of, cell]] = 1
        if len(self._bits_at):
            result[:, self._bits_to] = seen[:, self._bits_at] >> self._bits_of & 1
        if len(self._flags_at):
            result[:, self._flags_to] = ~hidden[:, self._flags_at]
        for at, bits, first in self._orders:
            for number, row in enumerate(seen):
                members = in_order(self._whole(row, at), bits)
                result[number, first : first + len(members)] = [member + 1 for member in members]
        return result

    def _whole(self, row: NDArray[np.int64], at: int) -> int:
        """The number in a cell that spans several words."""
        words = [row[at], *row[list(self._form.further.get(at, ()))]]
        return sum((int(word) & (1 << 64) - 1) << 64 * n for n, word in enumerate(words))

    # --- many positions ----------------------------------------------------------------------

    def batch(
        self,
        rows: NDArray[np.int64],
        observations: NDArray[np.int64],
        deciders: NDArray[np.int64],
        seat: int,
    ) -> Floats:
        """A seat's observations of many positions, one per row.

        Args:
            rows: the positions, as in `Search`.
            observations: their `Search.observations` for the seat.
            deciders: their `Search.deciders`.
            seat: the number of the seat.
        """
        columns = np.array([*self._seen_columns()], np.int64)
        seen = np.zeros_like(rows)
        seen[:, columns] = observations[:, : len(columns)]
        hidden = np.zeros(rows.shape, np.bool_)
        if self._secret:
            words = [word for at in self._secret for word in (at, *self._form.further.get(at, ()))]
            hidden[:, words] = seen[:, words] == OPEN
        result = self._encoded(seen, hidden)
        result[:, self._counts : self._looks] = observations[:, len(columns) :]
        asked = self._asked_at[np.clip(rows[:, ir.PC], 0, len(self._asked_at) - 1)]
        self._tell(result, np.where(deciders == -2, -1, asked), deciders, rows, seat)
        return result

    def _seen_columns(self) -> Iterator[int]:
        for at in self._cells:
            yield at
            yield from self._form.further.get(at, ())

    @cached_property
    def _asked_at(self) -> NDArray[np.int64]:
        """Block → its decision; -1 for none."""
        asked = self._p.asked()
        return np.array([asked.get(block, -1) for block in range(max(asked, default=0) + 1)], np.int64)
