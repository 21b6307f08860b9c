"""Bots at the seats of a table; each bot receives its seat's knowledge, never the position itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.bots.bot import Bot, Pick, Situation
from rulespec.engine.game.game import Game, as_shown
from rulespec.engine.game.option import Option
from rulespec.engine.game.seat_knowledge import MAX_TRIED, NotFoundError, retraced
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.particles import Particles
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.search import Search
from rulespec.engine.search.wasm_search import WasmSearch

_ONLY = Pick(0)
CARRIED = 64
"""The number of particles per seat, carried from decision to decision."""
_WALKED, _WALKS = 200, 2
"""The number of decisions that a walk without particles may try, and the number added per decision of the game.

Without a limit, a walk stuck late in the game would try the same dead ends for minutes.
"""
_SILENT = 10
"""The number of initial picks with uninformative playouts after which a warning is issued."""


class Silence:
    """A detector of bots that cannot compare positions.

    Args:
        warned: a function called at most once, with the cause.
    """

    def __init__(self, warned: Callable[[str], None]) -> None:
        self._warned = warned
        self._left = _SILENT

    def note(self, pick: Pick, search: Search) -> None:
        """Records a pick; warns once if none of the first picks was informative."""
        if self._left and pick.shares:
            self._left = self._left - 1 if pick.silent == 1 else 0
            if not self._left and pick.silent == 1:
                self._warned(f"the playouts of bots show no difference: {search.why_silent}")


class BotSeats:
    """Bots at the seats of a table.

    A bot's pick depends only on its seed and its seat's observations since the start of the game, so it is the same
    after an undo, or in a game continued from its log.

    Args:
        game: a game of the table.
        bots: seat → the bot.
        seed: the common seed of the bots.
        search: a search over positions of the table; None opens a new one.

    Attributes:
        bots, search: the arguments.
    """

    def __init__(self, game: Game, bots: Mapping[str, Bot], seed: int, search: Search | None = None) -> None:
        self.bots = dict(bots)
        self.search = search or open_search(game)
        self._seed = seed
        self._carried: dict[str, Particles] = {}

    def choose(self, game: Game) -> tuple[Option, Pick]:
        """The deciding bot's option, with its reason.

        In the rare case that no possible position is found for its seat, the bot takes an arbitrary option.

        Raises:
            KeyError: if the deciding seat has no bot.
            NotFoundError: if the game has no history, so that the seat's observations are unknown.
        """
        decision = game.decision
        assert decision is not None and decision.by is not None
        seat = decision.by
        game = as_shown(game, seat)
        bot, options = self.bots[seat], list(game.legal_options)
        try:
            pick = bot.pick(self._situation(game, seat, len(options))) if len(options) > 1 else _ONLY
        except NotFoundError:
            if not game.history:
                raise
            pick = Pick(Draws(self._seed_of(game, seat)).below(0, len(options)))
        return options[pick.option], pick

    def _situation(self, game: Game, seat: str, options: int) -> Situation:
        number, draws = game.seats.index(seat), Draws(seed := self._seed_of(game, seat))
        own = self.search.rows([game])

        def situation(particles: Callable[[int], NDArray[np.int64]], *, known: bool = False) -> Situation:
            listed = partial(_listed, self.search, own)
            return Situation(self.search, number, options, listed, particles, draws, known=known)

        if self._all_seen(game):
            return situation(lambda _: own, known=True)
        if isinstance(self.search, WasmSearch) and self.search.follows:
            carried = self._carried.get(seat) or Particles(
                self.search, number, CARRIED, _number(f"{self._seed} {seat}")
            )
            self._carried[seat] = carried
            try:
                carried.note(game)
                rows = carried.rows()
                return situation(partial(_some, rows))
            except NotFoundError:  # a walk may still find particles
                pass

        tried = MAX_TRIED if seat not in self._carried else _WALKED + _WALKS * game.ply

        def drawn(number: int) -> NDArray[np.int64]:
            rows: NDArray[np.int64] = self.search.rows(retraced(game, seat, number, random.Random(seed), tried))
            return rows

        return situation(drawn)

    def _all_seen(self, game: Game) -> bool:
        """Whether the position is public; it is not during a round with sealed choices."""
        visibility, numbers = game.omniscient.visibility, game.omniscient.numbers
        return not visibility.secretive and not visibility.chosen(numbers.state, numbers.asked)

    def _seed_of(self, game: Game, seat: str) -> int:
        """A number derived from the seed, the seat and the number of the decision.

        It does not depend on the position, so bots play the same games under a rule that has not acted yet.
        """
        return _number(f"{self._seed} {seat} {game.ply}")


def _listed(search: Search, rows: NDArray[np.int64]) -> Codes:
    return search.legal(rows)[0]


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _some(rows: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """A uniform sample of `number` rows; all rows if there are no more."""
    if len(rows) == 1:
        return rows
    return rows[np.arange(number) * max(1, len(rows) // number) % len(rows)]
