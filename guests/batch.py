"""A batch of parallel games at a table, as numpy arrays.

Example::

    batch = Batch(contract("connect_four"), 64, seed=1)
    while (batch.seats >= 0).any():
        masks, observations = batch.masks(), batch.observations()
        rewards = batch.step(masks.argmax(axis=1))
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulespec.engine.game.game import restarted
from rulespec.engine.program import ir
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.walk import Walk
from rulespec.guests.action_game import CHANCE, NOBODY, Contract, IllegalActionError
from rulespec.guests.arguments import whole, wholes, wrong_type
from rulespec.guests.observations import Floats

_NONE = -1
"""The padding after the last action of an option."""
_MEMO = 200_000
"""The maximum number of cached codes."""
MOST_BYTES = 1 << 31
"""The maximum size of all positions in bytes."""
Numbers = NDArray[np.int64]


class Batch:
    """A batch of parallel games, played in wasm if possible; game n uses the random numbers of the seed's game n.

    Each game is either over or waiting for an action by a seat.

    Args:
        table: the contract of the table.
        number: the number of games.
        seed: the seed of chance.

    Attributes:
        seats: for each game, the number of the deciding seat; `NOBODY` if it is over.
        rows: the positions, as in `Search`.
        plies: the number of decisions in each game.

    Raises:
        RulesetFaultError: from every method, if the rules fault.
        TypeError, ValueError: if an argument has the wrong type, or the games do not fit in `MOST_BYTES`.
    """

    def __init__(self, table: Contract, number: int, seed: int = 0) -> None:
        if not isinstance(table, Contract):
            raise wrong_type("table", "a contract, such as contract('chess')", table)
        self.table = table
        self._search = open_search(table.game)
        self._start = self._search.rows([restarted(table.game)])[0]
        number, seed = whole("number", number, 0, MOST_BYTES // self._start.nbytes), whole("seed", seed)
        self._memo: dict[bytes, tuple[int, ...]] = {}
        self._draws = [Draws(seed, game) for game in range(number)]
        self.rows = self._start[None].repeat(number, axis=0)
        self.plies = np.zeros(number, np.int64)
        self.seats = np.full(number, NOBODY)
        self._words = np.full((number, 1), _NONE)
        self._depths = np.zeros(number, np.int64)
        self._begin(np.arange(number))

    @property
    def cut(self) -> NDArray[np.bool_]:
        """Flags that mark the games truncated before their end."""
        result: NDArray[np.bool_] = (self.seats == NOBODY) & (self._search.deciders(self.rows) != NOBODY)
        return result

    def masks(self) -> NDArray[np.int8]:
        """A mask of legal actions for each game; all 0 for a game that is over."""
        result = np.zeros((len(self.rows), self.table.actions.size), np.int8)
        result[self._parents, self._next] = 1
        return result

    def observations(self) -> Floats:
        """The deciding seat's observation for each game; all 0 for a game that is over."""
        sight = self.table.sight
        result = np.zeros((len(self.rows), sight.size), np.float32)
        for seat in range(self._search.seats):
            at = np.flatnonzero(self.seats == seat)
            rows = self.rows[at]
            result[at] = sight.batch(rows, self._search.observations(rows, seat), self.seats[at], seat)
        for game in np.flatnonzero(self._depths).tolist():
            sight.add_words(result[game], self._words[game, : self._depths[game]].tolist())
        return result

    def step(self, actions: ArrayLike) -> NDArray[np.float64]:
        """Plays an action in each unfinished game, and ignores the actions given for finished games.

        Returns:
            The returns by seat of each game that ended with this action; 0 for all others.

        Raises:
            IllegalActionError: if an action is illegal; the games are then unchanged.
            ValueError, TypeError: if there is not exactly one whole number for each game.
        """
        numbers = wholes("actions", actions)
        if numbers.shape != self.seats.shape:
            raise ValueError(
                f"`actions` must have one action for each of {len(self.seats)} games, not the shape {numbers.shape}"
            )
        taken = np.flatnonzero(self._next == numbers[self._parents])
        count = np.bincount(self._parents[taken], minlength=len(self.rows))
        if (wrong := np.flatnonzero((self.seats >= 0) & (count == 0))).size:
            raise IllegalActionError(f"the action {numbers[wrong[0]]} is not legal now in game {wrong[0]}")
        begun = np.flatnonzero(count > 1)
        self._words[begun, self._depths[begun]] = numbers[begun]
        self._depths[begun] += 1
        taken = taken[count[self._parents[taken]] == 1]
        games = self._parents[taken]
        self.rows[games] = self._search.apply(self.rows[games], self._places[taken])
        self.plies[games] += 1
        self._begin(games)
        rewards = np.zeros((len(self.rows), self._search.seats))
        for game in games[self.seats[games] == NOBODY].tolist():
            rewards[game] = self.table.returns.of(self._search.game(self.rows[game]))
        return rewards

    def restart(self, games: ArrayLike, seed: int) -> None:
        """Restarts the given games.

        Args:
            games: the numbers of the games.
            seed: the seed of chance; game n uses the random numbers of the seed's game n.

        Raises:
            ValueError, TypeError: if there is no such game.
        """
        at, seed = wholes("games", games), whole("seed", seed)
        if (wrong := at[(at < 0) | (at >= len(self.rows))]).size:
            raise ValueError(f"there is no game {wrong[0]}: the games are 0 to {len(self.rows) - 1}")
        self.rows[at], self.plies[at] = self._start, 0
        for game in at.tolist():
            self._draws[game] = Draws(seed, game)
        self._begin(at)

    def _begin(self, games: Numbers) -> None:
        """Draws from chance in the given games until a seat decides, and lists the legal actions of all."""
        self._depths[games] = 0
        while games.size:
            seats = self._search.deciders(self.rows[games])
            seats[self.plies[games] >= self.table.cap] = NOBODY
            self.seats[games] = seats
            games = games[seats == CHANCE]
            if games.size:
                self.rows[games] = self._search.apply(self.rows[games], self._drawn(games))
                self.plies[games] += 1
        self._list()

    def _drawn(self, games: Numbers) -> Numbers:
        """The option indices drawn by chance in the given games, as `choose` draws them."""
        results = np.zeros(len(games), np.int64)
        counts = self._search.counts(self.rows[games]).tolist()
        even = self._even[self.rows[games, ir.PC]].tolist()
        for number, (game, ply) in enumerate(zip(games.tolist(), self.plies[games].tolist(), strict=True)):
            if even[number]:
                results[number] = self._draws[game].below(2 * ply + 1, counts[number])
            else:
                self._walk.go(self.rows[game])
                results[number] = self._draws[game].weighted(2 * ply + 1, self._walk.weights())
        return results

    @cached_property
    def _even(self) -> NDArray[np.bool_]:
        """Whether all options of a block's decision are equally likely, by block."""
        p = self._search.program
        even = [all(c.weight is None and c.policy == 1 for c in d.choices) for d in p.decisions]
        asked = p.asked()
        return np.array([block in asked and even[asked[block]] for block in range(len(p.blocks))], np.bool_)

    @cached_property
    def _walk(self) -> Walk:
        return self._search.walk(self._start)

    def _list(self) -> None:
        """Lists the options still possible in each game, with the next action of each."""
        asked = np.flatnonzero(self.seats >= 0)
        codes, parents = self._search.legal(self.rows[asked])
        first = np.searchsorted(parents, np.arange(len(asked)))
        places = np.arange(len(parents)) - first[parents]
        parents = asked[parents]
        sequences = self._sequences(codes)
        if (more := sequences.shape[1] - self._words.shape[1]) > 0:
            self._words = np.pad(self._words, ((0, 0), (0, more)), constant_values=_NONE)
        width = sequences.shape[1]
        begun = np.arange(width) < self._depths[parents][:, None]
        open_ = (~begun | (sequences == self._words[parents, :width])).all(axis=1)
        parents, places, sequences = parents[open_], places[open_], sequences[open_]
        count = np.bincount(parents, minlength=len(self.rows))
        while True:
            following = sequences[np.arange(len(parents)), self._depths[parents]]
            low, high = np.full((2, len(self.rows)), _NONE)
            low[parents] = high[parents] = following
            np.minimum.at(low, parents, following)
            np.maximum.at(high, parents, following)
            forced = np.flatnonzero((count > 1) & (low == high))
            if not forced.size:
                break
            self._words[forced, self._depths[forced]] = low[forced]
            self._depths[forced] += 1
        self._parents, self._places, self._next = parents, places, following

    def _sequences(self, codes: Codes) -> Numbers:
        """The actions of options, one row each, padded with `_NONE`."""
        size, data, memo = codes.strides[0], np.ascontiguousarray(codes).tobytes(), self._memo
        if len(memo) > _MEMO:
            memo.clear()
        results = []
        for number in range(len(codes)):
            key = data[size * number : size * (number + 1)]
            sequence = memo.get(key)
            if sequence is None:
                sequence = memo[key] = self._sequence(codes[number].tolist())
            results.append(sequence)
        width = max(map(len, results), default=1)
        if width == 1:
            return np.array(results, np.int64).reshape(-1, 1)
        return np.array([[*each, *[_NONE] * (width - len(each))] for each in results], np.int64)

    def _sequence(self, code: list[int]) -> tuple[int, ...]:
        """The actions of the option with a code."""
        coder = self._search.coder
        decision, choice = coder.options[code[0]]
        return self.table.actions.sequence(decision, choice, coder.columns[code[0]].arguments(code))
