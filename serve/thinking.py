"""The server process that computes bots' decisions; it applies the decisions of each game to its own copy."""

from __future__ import annotations

import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.serve.past_process import KeptGame, PastGame, start_of

if TYPE_CHECKING:
    from rulespec.engine.bots.bot_seats import BotSeats
    from rulespec.engine.search.search import Search

_GAMES = 64
"""The number of games cached in the process."""
_T = TypeVar("_T")


class BotQuestion(Struct, frozen=True):
    """A request for a bot's decision.

    Attributes:
        past: the game.
        seat: the deciding seat.
        bot: the name of its bot.
        seed: the seed for the table's bots.
    """

    past: PastGame
    seat: str
    bot: str
    seed: int


class Thinking:
    """The process for bots' decisions and other long computations."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def ask(self, function: Callable[..., _T], *args: object) -> Future[_T]:
        """The result of a module's function, computed in the separate process."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), _end_with_the_server)
        try:
            return self._pool.submit(function, *args)
        except BrokenProcessPool:
            self._pool = None
            return self.ask(function, *args)

    def close(self) -> None:
        """Ends the process."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def _end_with_the_server() -> None:
    """Makes the process end with its server, even a killed one, but not on Ctrl-C, which reaches both."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = parent_process()
    assert server is not None

    def wait() -> None:
        server.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


_games: OrderedDict[tuple[str, str, str], tuple[KeptGame, BotSeats]] = OrderedDict()
_searches: dict[tuple[object, ...], Search] = {}


def answer(question: BotQuestion) -> str:
    """The text of the option that a bot chooses; runs in the thinking process."""
    game, bots = game_and_bot(question)
    return str(bots.choose(game)[0])


def game_and_bot(question: BotQuestion) -> tuple[Game, BotSeats]:
    """The game and the bot for a question; both are cached in this process."""
    past = question.past
    key = past.game, question.seat, question.bot
    if key not in _games:
        _games[key] = _begin(question)
        if len(_games) > _GAMES:
            _games.popitem(last=False)
    _games.move_to_end(key)
    memory, bots = _games[key]
    return memory.follow(past.decisions), bots


def _begin(question: BotQuestion) -> tuple[KeptGame, BotSeats]:
    from rulespec.engine.bots.bot_seats import BotSeats
    from rulespec.engine.bots.named import open_bot
    from rulespec.engine.search.open_search import open_search

    past = question.past
    seats = tuple(past.names)
    game = start_of(past)
    of = (past.bundle.sources, seats, tuple(sorted(past.settings.items())))
    if of not in _searches:
        _searches[of] = open_search(game)
    return KeptGame(game), BotSeats(game, {question.seat: open_bot(question.bot)}, question.seed, _searches[of])
