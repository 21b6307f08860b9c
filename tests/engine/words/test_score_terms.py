"""Points as a sum: of what the scoring adds up, if it does."""

from __future__ import annotations

import random

import pytest
from folders import GAMES
from proofs import proofs_but
from shipped import NAMES, loaded

from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import scores
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.words.score_terms import score_terms
from rulespec.engine.words.words import Words


@pytest.mark.proof  # 0.4 s
def test_the_points_of_imperial_are_cash_and_bonds() -> None:
    game = replay_log(GAMES / "imperial" / "logs" / "playimperial" / "c002-standard-4p.json").game
    terms = score_terms(game, Words(game.ruleset))
    assert terms["Otto"] == [("cash", 12), ("Italy", 55), ("Great Britain", 3), ("German Empire", 4)]
    german = score_terms(game, Words(game.ruleset, "de"))["Otto"]
    assert ("Italien", 55) in german and [value for _, value in german] == [12, 55, 3, 4]


@pytest.mark.parametrize("ref", proofs_but(NAMES, "acquire", "draughts", "kuhn_poker", "tetrarchia"))
def test_the_parts_add_up_to_the_points(ref: str) -> None:
    ruleset, _ = loaded(ref)
    game = Game(ruleset, seat_names(ruleset.players[1], ruleset.seats))
    choose = random.Random(8)
    while game.ply < 120 and not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
    terms = score_terms(game, Words(ruleset))
    assert {seat: sum(value for _, value in of) for seat, of in terms.items()} in ({}, scores(game))
    if ref == "tetrarchia":
        assert terms
    if ref in ("chess", "shadow_of_the_emperor", "ludo"):  # nothing is added up
        assert not terms
