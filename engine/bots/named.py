"""Bots by their names on the command line."""

from __future__ import annotations

from importlib.metadata import entry_points

from rulespec.engine.bots.bot import Bot
from rulespec.engine.bots.flat import FlatBot, GreedyBot, RandomBot
from rulespec.errors import RulespecError

GROUP = "rulespec.bots"
"""The entry points of packages that have bots: functions that make one, given the text after the colon, or ""."""
MOST = 1_000_000
"""The most playouts for a decision."""


class BotNameError(RulespecError):
    """A name is that of no bot; the message says which there are."""


def open_bot(text: str) -> Bot:
    """The bot of a name such as `random`, `greedy`, `flat:64`, or of a package that has one of this name.

    Raises:
        BotNameError: if there is none.
    """
    name, colon, number = text.partition(":")
    if name == "flat" and (not colon or (number.isascii() and number.isdecimal() and 0 < int(number[:8]) <= MOST)):
        return FlatBot(int(number or 64))
    for simple in (RandomBot, GreedyBot):
        if text == simple.name:
            return simple()
    if name not in ("random", "greedy", "flat"):
        for point in entry_points(group=GROUP, name=name):  # nothing of it is imported unless it is named
            bot: Bot = point.load()(number)
            return bot
    raise BotNameError(f"there is no bot `{text[:80]}`, but random, greedy, flat:N (N playouts a decision)")
