"""Help at a table: a bot's hint, and the page of all rules."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec.structs import replace

from rulespec.bundles.packed_bundle import Bundle
from rulespec.bundles.rules import ruleset_in
from rulespec.engine.game.game import asked_of, waiting
from rulespec.engine.table.table import RANDOM
from rulespec.errors import RulespecError
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live
from rulespec.serve.thinking import BotQuestion, game_and_bot

_BEST = 3
"""The number of options in a hint."""


def can_hint(bots: tuple[str, ...]) -> bool:
    """Whether any of the bots can compare options."""
    return any(bot != RANDOM for bot in bots)


async def hint(hall: Hall, live: Live, viewer: str | None) -> dict[str, Any]:
    """The choice that a bot with a seat's view would make for that seat; `best` has options with their expectations.

    `best` is empty if the seat is not to move, or no bot can compare its options. In a simultaneous decision, the hint
    is based on the position before the first choice, without the sealed choices of others.
    """
    bot = next((each for each in reversed(hall.bots) if each != RANDOM), "")
    async with live.lock:
        game, early, past = live.table.game, live.table.played.early, live.past()
        asked = viewer is not None and viewer in waiting(game) and viewer not in early.chosen
    past = replace(past, decisions=past.decisions[: len(past.decisions) - len(early.taken)])
    answer: dict[str, Any] = {"bot": bot, "best": [], "stakes": game.omniscient.program.stakes}
    if viewer is None or not asked or not bot:
        return answer
    try:
        question = BotQuestion(past, viewer, bot, live.table.aside.seed)
        answer["best"] = await asyncio.wrap_future(hall.working.ask(hint_of, question))
    except RulespecError:
        pass
    return answer


def hint_of(question: BotQuestion) -> list[tuple[str, float | None]]:
    """A bot's best options with their expectations, with its choice first; runs in another process."""
    from rulespec.engine.bots.bot_seats import BotSeats

    game, bots = game_and_bot(question)
    if game.decision is not None and game.decision.together:
        game = asked_of(game, question.seat) or game
        if game.decision is None or game.decision.by != question.seat:
            return []
        bots = BotSeats(game, bots.bots, question.seed, bots.search)  # not cached, as others' choices are made up
    option, pick = bots.choose(game)
    options = list(game.legal_options)
    order = sorted(pick.shares, key=lambda number: (number != pick.option, -pick.shares[number]))[:_BEST]
    return [(str(options[number]), pick.shares[number]) for number in order] or [(str(option), None)]


async def all_rules(hall: Hall, live: Live, _: str | None) -> str:
    """The page of all rules for a table."""
    bundle, language = live.rules.bundle, live.rules.words.language
    return str(await asyncio.wrap_future(hall.working.ask(rules_of, bundle, language)))


def rules_of(bundle: Bundle, language: str) -> str:
    """The page of all rules in a bundle; runs in another process."""
    from rulespec.pages.rules_page import rules_page

    return rules_page(ruleset_in(bundle), language)
