"""Shipped games, alone and with each truth setting switched: where a seat has seen the same, it is told the same."""

from __future__ import annotations

import random
from functools import cache

import pytest
from folders import SHIPPED
from twins import told

from rulespec.engine.game.determinize import NotFoundError, determinize
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.seating import seat_names
from rulespec.load import load_ruleset
from rulespec.types import BOOL

NAMES = [folder.name for folder in SHIPPED]
DECISIONS = 30
MOST_TRIED = 2_000
SEVERAL = 3
loaded = cache(load_ruleset)


def tables() -> list[tuple[str, dict[str, str | int]]]:
    """Each ruleset with its defaults, and with each truth setting the other way round where it has secrets then."""
    found: list[tuple[str, dict[str, str | int]]] = []
    for name in NAMES:
        ruleset = loaded(name)
        turned = [
            {s.name: "false" if s.default == "true" else "true"} for s in ruleset.settings.values() if s.type == BOOL
        ]
        found += [(name, {})] + [(name, dict(settings)) for settings in turned if "hide" in next(iter(settings))]
    return found


@pytest.mark.parametrize("ref, settings", tables(), ids=str)
def test_what_looks_the_same_is_told_the_same(ref: str, settings: dict[str, str | int]) -> None:
    rng = random.Random(ref)
    ruleset = loaded(ref)
    game = Game(ruleset, seat_names(ruleset.players[0], ruleset.seats), settings)
    for _ in range(rng.randrange(5, DECISIONS)):
        if game.is_over:
            break
        game.apply(rng.choice([option for option in every_option(game) if not option.interrupt]))
    texts = [str(option) for option in every_option(game)][:20] if not game.is_over else []
    for seat in game.seats:
        here = told(game, seat, texts, ["players"])
        for _ in range(SEVERAL):
            try:
                twin = determinize(game, seat, rng, MOST_TRIED)
            except NotFoundError:
                break
            if twin.history == game.history:
                continue
            there = told(twin, seat, texts, ["players"])
            assert here == there, [outlet for outlet in here if here[outlet] != there[outlet]]
