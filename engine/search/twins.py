"""Games indistinguishable to a seat, for bots under hidden information."""

from __future__ import annotations

import random
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.game.game import Game, as_shown, restarted
from rulespec.engine.game.seat_knowledge import MAX_TRIED, NotFoundError, retraced
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.particles import Particles
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.search import Search
from rulespec.engine.search.wasm_search import WasmSearch

_LEAST = 64
"""The minimum number of particles advanced together, so that some survive."""


def determinize(game: Game, seat: str, rng: random.Random, tried: int = MAX_TRIED) -> Game:
    """A game that a seat cannot distinguish from this one, drawn by `particles`."""
    return particles(game, seat, 1, rng, tried)[0]


def particles(game: Game, seat: str, number: int, rng: random.Random, tried: int = MAX_TRIED) -> list[Game]:
    """Games that a seat cannot distinguish from this one: its observations are the same throughout.

    In wasm they are drawn with the game's odds (see `particle_rows`). Without wasm, or if wasm finds none, the seat's
    observations are retraced by trying hidden choices, which distorts the odds. The games depend on the seat's
    observations and on `rng`; some may be equal.

    Args:
        game: a game from its usual start.
        seat: the viewer.
        number: the number of games to find.
        rng: the random source for everything hidden from the seat.
        tried: the maximum number of decisions to try for each game.

    Raises:
        NotFoundError: if the bound is reached before a game is found.
    """
    game = as_shown(game, seat)
    search = open_search(game)
    own = _particles(search, game, seat, number, rng.getrandbits(63))
    if own is not None:
        with suppress(NotFoundError):
            twins = [_game(game, search, history) for history in own.histories[_spread(number, len(own.histories))]]
            if all(_looks_alike(twin, game, seat) for twin in twins):
                return twins
    return retraced(game, seat, number, rng, tried)


def particle_rows(
    search: Search, game: Game, seat: str, number: int, seed: int, tried: int | None = None
) -> NDArray[np.int64]:
    """Positions indistinguishable to the seat, as rows; a single row if nothing is hidden from it.

    In wasm, they are drawn together, with the game's odds: chance follows its weights, and hidden choices of others are
    uniform. In Python they come from `particles`. They depend on the seat's observations and on the seed.

    Args:
        search: a search over positions of the game's ruleset, seats and settings.
        game: a game from its usual start.
        seat: the viewer.
        number: the number of positions to find.
        seed: the seed of everything hidden from the seat.
        tried: the maximum number of decisions to try if the seat's observations are retraced, after which fewer
            positions are returned; None means a separate bound for each position.

    Raises:
        NotFoundError: if no position is found.
    """
    game = as_shown(game, seat)
    own = _particles(search, game, seat, number, seed)
    if own is None:
        return search.rows(retraced(game, seat, number, random.Random(seed), in_all=tried))
    rows = own.rows()
    return rows if len(rows) == 1 else rows[_spread(number, len(rows))]


def _particles(search: Search, game: Game, seat: str, number: int, seed: int) -> Particles | None:
    """The particles of a seat at a game's position; None without wasm."""
    if not isinstance(search, WasmSearch) or not search.follows:
        return None
    own = Particles(search, game.seats.index(seat), max(number, _LEAST), seed)
    try:
        own.note(game)
        own.rows()
    except NotFoundError:
        return None
    return own


def _spread(number: int, of: int) -> NDArray[np.int64]:
    """`number` evenly spaced numbers below `of`."""
    return np.arange(number) * of // number


def _game(game: Game, search: Search, history: Codes) -> Game:
    """A game with the fully known start of another one, continued by other decisions."""
    twin = restarted(game)
    known = search.coder.codes(game.history[: game.ply - len(history)], None)
    for code in [*known.tolist(), *history.tolist()]:
        if not search.coder.taken(twin, code):
            raise NotFoundError(f"the decision {twin.ply} of a particle is not legal")
    return twin


def _looks_alike(twin: Game, game: Game, seat: str) -> bool:
    """Whether a particle looks the same to a seat as the game.

    Particles agree with the observations after each decision, except for two things: options seen by a seat early in a
    round, or out of turn, and the result. Without such options, only the end is compared: comparing all would take as
    long as the particles themselves.
    """
    visibility = game.omniscient.visibility
    asked_later = any(decision.held for decision in visibility.p.decisions)
    if asked_later or any(choice.by is not None for decision in visibility.p.decisions for choice in decision.choices):
        return twin.view(seat) == game.view(seat)
    number = game.seats.index(seat)
    one, other = (visibility.of(each.omniscient.numbers.state, number) for each in (twin, game))
    return twin.result == game.result and one == other
