"""Bots that think: in a process of their own, which follows the games by their logs."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING

from msgspec import Struct

from rulespec.bundles.packed import Bundle
from rulespec.bundles.rules import ruleset_in
from rulespec.engine.game.game import Game

if TYPE_CHECKING:
    from rulespec.engine.bots.seats import BotSeats
    from rulespec.engine.search.search import Search

_GAMES = 64
"""Games in the memory of the process."""
Decision = tuple[str, str | None]
"""An option as a text, and who took it."""


class Question(Struct, frozen=True):
    """A decision that a bot is asked for.

    Attributes:
        game: the id of the table.
        bundle: the rules.
        seats: ids.
        settings: of the table.
        history: the decisions so far.
        seat: the one that decides.
        bot: the name of its bot.
        seed: of the table's bots.
    """

    game: str
    bundle: Bundle
    seats: tuple[str, ...]
    settings: dict[str, str]
    history: tuple[Decision, ...]
    seat: str
    bot: str
    seed: int


class Thinking:
    """The process in which bots think."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def ask(self, question: Question) -> Future[str]:
        """The text of the option that a bot takes."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, get_context("spawn"))
        try:
            return self._pool.submit(answer, question)
        except BrokenProcessPool:
            self._pool = None
            return self.ask(question)

    def close(self) -> None:
        """Ends the process."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


_games: OrderedDict[tuple[str, str, str], tuple[Game, BotSeats]] = OrderedDict()
_searches: dict[tuple[object, ...], Search] = {}


def answer(question: Question) -> str:
    """The text of the option that a bot takes; it runs in the process."""
    key = question.game, question.seat, question.bot
    if key not in _games:
        _games[key] = _begin(question)
        if len(_games) > _GAMES:
            _games.popitem(last=False)
    _games.move_to_end(key)
    game, bots = _games[key]
    _follow(game, question.history)
    return str(bots.choose(game)[0])


def _begin(question: Question) -> tuple[Game, BotSeats]:
    from rulespec.engine.bots.named import open_bot
    from rulespec.engine.bots.seats import BotSeats
    from rulespec.engine.search.open_search import open_search

    game = Game(ruleset_in(question.bundle), question.seats, question.settings)
    of = (question.bundle.sources, question.seats, tuple(sorted(question.settings.items())))
    if of not in _searches:
        _searches[of] = open_search(game)
    return game, BotSeats(game, {question.seat: open_bot(question.bot)}, question.seed, _searches[of])


def _follow(game: Game, history: tuple[Decision, ...]) -> None:
    """Brings a game to the end of a history, of which it may have a part, or more than that."""
    has = [(str(option), option.by) for option in game.history]
    same = next((n for n, (a, b) in enumerate(zip(has, history, strict=False)) if a != b), min(len(has), len(history)))
    for _ in range(len(has) - same):
        game.undo()
    for text, by in history[same:]:
        game.apply(game.parse(text, by))
