"""Shipped games, alone and with each truth setting switched: equal views give equal output."""

from __future__ import annotations

import random
from functools import cache

import pytest
from folders import SHIPPED
from proofs import examples
from twins import outlets

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.sealed import pending
from rulespec.engine.search.twins import determinize
from rulespec.load import load_ruleset
from rulespec.types import BOOL

NAMES = [folder.name for folder in SHIPPED]
DECISIONS = 30
MOST_TRIED = 2_000
SEVERAL = 3
ROUNDS = 300
"""Decisions in which a round is looked for."""
GAMES = examples(2, 4)
loaded = cache(load_ruleset)


def other_settings(ref: str) -> list[dict[str, str | int]]:
    """The defaults, and each truth setting the other way round where there are secrets then."""
    settings = loaded(ref).settings.values()
    turned: list[dict[str, str | int]] = [
        {s.name: "false" if s.default == "true" else "true"} for s in settings if s.type == BOOL and "hide" in s.name
    ]
    return [{}, *turned]


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.sampled(1)
def test_what_looks_the_same_is_told_the_same(ref: str) -> None:
    for settings in other_settings(ref):
        compare_twins(ref, settings)


def compare_twins(ref: str, settings: dict[str, str | int]) -> None:
    rng = random.Random(ref)
    ruleset = loaded(ref)
    game = Game(ruleset, seat_names(ruleset.players[0], ruleset.seats), settings)
    for _ in range(rng.randrange(5, DECISIONS)):
        if game.is_over:
            break
        game.apply(rng.choice([option for option in every_option(game) if not option.interrupt]))
    texts = [str(option) for option in every_option(game)][:20] if not game.is_over else []
    for seat in game.seats:
        place = outlets(game, seat, texts, ["players"])
        for _ in range(SEVERAL):
            try:
                twin = determinize(game, seat, rng, MOST_TRIED)
            except NotFoundError:
                break
            if twin.history == game.history:
                continue
            there = outlets(twin, seat, texts, ["players"])
            assert place == there, [outlet for outlet in place if place[outlet] != there[outlet]]


def in_a_round(ref: str, rng: random.Random) -> Game | None:
    """A game where some, but not all, have chosen in a round in which there is a choice; None if there is no round."""
    ruleset = loaded(ref)
    game = Game(ruleset, seat_names(max(ruleset.players), ruleset.seats))
    while not game.is_over and game.ply < ROUNDS:
        options = [option for option in every_option(game) if not option.interrupt]
        game.apply(rng.choice(options))
        if pending(game) and len(options) > 1:
            return game
    return None


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.sampled(4)
def test_what_has_been_chosen_in_a_round_is_not_told(ref: str) -> None:
    """The last choice is another one: nobody but who has chosen can know."""
    seats = seat_names(max(2, loaded(ref).players[0]), ())
    if not any(decision.held for decision in Game(loaded(ref), seats).omniscient.numbers.program.decisions):
        pytest.skip("nothing is decided together")
    compared = 0
    for seed in range(GAMES):
        game = in_a_round(ref, random.Random(seed))
        if game is None:
            continue
        last = game.history[-1]
        texts = [str(option) for option in every_option(game)][:20]
        other = game.copy()
        other.undo()
        other.apply(next(option for option in every_option(other) if option != last))
        for seat in (*(seat for seat in game.seats if seat != last.by), None):
            place, there = (outlets(one, seat, texts, ["players"]) for one in (game, other))
            assert place == there, [outlet for outlet in place if place[outlet] != there[outlet]]
            compared += 1
        assert game.view(last.by) != other.view(last.by)
    assert compared > GAMES // 2
