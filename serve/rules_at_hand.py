"""Rules at hand at a table: a bot's hint for who decides, and the page of all rules."""

from __future__ import annotations

import asyncio
from typing import Any

from rulespec.bundles.packed_bundle import Bundle
from rulespec.bundles.rules import ruleset_in
from rulespec.engine.table.table import RANDOM
from rulespec.errors import RulespecError
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live
from rulespec.serve.thinking import BotQuestion, game_and_bot

_BEST = 3
"""Options of a hint."""


def can_hint(bots: tuple[str, ...]) -> bool:
    """Whether one of the bots compares options."""
    return any(bot != RANDOM for bot in bots)


async def hint(hall: Hall, live: Live, viewer: str | None) -> dict[str, Any]:
    """A bot's choice for a seat that is asked, from what this seat sees: `best` are options and expectations.

    `best` is empty where the seat is not asked, chooses in secret with others, or no bot can compare its options.
    """
    bot = next((each for each in reversed(hall.bots) if each != RANDOM), "")
    async with live.lock:
        decision = live.table.game.decision
        past = live.past()
    answer: dict[str, Any] = {"bot": bot, "best": [], "stakes": live.table.game.omniscient.program.stakes}
    if decision is None or decision.by is None or decision.by != viewer or decision.together or not bot:
        return answer
    try:
        question = BotQuestion(past, viewer, bot, live.table.aside.seed)
        answer["best"] = await asyncio.wrap_future(hall.working.ask(hint_of, question))
    except RulespecError:
        pass
    return answer


def hint_of(question: BotQuestion) -> list[tuple[str, float | None]]:
    """A bot's best options, its choice first, each with its expectation; runs in another process."""
    game, bots = game_and_bot(question)
    option, pick = bots.choose(game)
    options = list(game.legal_options)
    order = sorted(pick.shares, key=lambda number: (number != pick.option, -pick.shares[number]))[:_BEST]
    return [(str(options[number]), pick.shares[number]) for number in order] or [(str(option), None)]


async def all_rules(hall: Hall, live: Live, _: str | None) -> str:
    """The page of all rules of a table."""
    bundle, language = live.rules.bundle, live.rules.words.language
    return str(await asyncio.wrap_future(hall.working.ask(rules_of, bundle, language)))


def rules_of(bundle: Bundle, language: str) -> str:
    """The page of all rules of a bundle; runs in another process."""
    from rulespec.pages.rules_page import rules_page

    return rules_page(ruleset_in(bundle), language)
