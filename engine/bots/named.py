"""Bots by name on the command line."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.bots.bot import Bot
from rulespec.engine.bots.flat import FlatBot, GreedyBot, RandomBot
from rulespec.engine.bots.mcts import MctsBot
from rulespec.errors import RulespecError

GROUP = "rulespec.bots"
"""The entry point group for bots of other packages: functions that return a bot, given the text after the colon."""
MOST = 1_000_000
"""The maximum number of playouts per decision."""

_SEARCHING: dict[str, tuple[Callable[[int], Bot], int]] = {"flat": (FlatBot, 64), "mcts": (MctsBot, 200)}
"""Bots with a number of playouts, each with its default number."""


class BotNameError(RulespecError):
    """An unknown bot; the message lists the known ones."""


def open_bot(text: str) -> Bot:
    """The bot with a name such as `random`, `greedy` or `flat:64`, possibly from another package.

    Raises:
        BotNameError: if no bot has this name.
    """
    name, colon, number = text.partition(":")
    counted = not colon or (number.isascii() and number.isdecimal() and 0 < int(number[:8]) <= MOST)
    if name in _SEARCHING and counted:
        bot, usual = _SEARCHING[name]
        return bot(int(number or usual))
    for simple in (RandomBot, GreedyBot):
        if text == simple.name:
            return simple()
    if name not in ("random", "greedy", *_SEARCHING):
        for point in entry_points(group=GROUP, name=name):  # nothing of it is imported unless it is named
            other: Bot = point.load()(number)
            return other
    listed = "random, greedy, flat:N and mcts:N (N playouts a decision)"
    hint = did_you_mean(name, ("random", "greedy", *_SEARCHING))
    raise BotNameError(f"there is no bot `{text[:80]}`, but {listed}" + (f"; {hint}" if hint else ""))
