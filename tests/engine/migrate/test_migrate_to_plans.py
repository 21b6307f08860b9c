"""Migration of purchases one by one to a plan: faithful, with withdrawn plans taken out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import small

from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.migrate.migrate import Verdict, migrate
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset

SHOP = """\
--- game.yaml
id: shop
title: Shop
version: "1.0"
players: {kind: player, min: 2, max: 2}
units: [money]
start: play
--- kinds.yaml
kinds:
  player: {state: {cash: {account: money}}}
  good: {facts: {price: money}, entities: {corn: {price: 2}, wine: {price: 3}}}
  crate: {product: [player, good], state: {number: {type: int}}}
accounts: {bank: {account: money, unlimited: true}}
--- setup.yaml
setup: {accounts: {player.cash: 9}}
--- rules/play.rules
procedure play():
    for p in player:
        shop(p)
    end game

scoring p in player:
    score sum(crate[p, g].number for g in good)

"""
BY_HAND = """\
procedure shop(p: player):
    let lots = 0
    repeat at most 20:
        decide purchases by p:
            option buy(g in good):
                cost g.price from p.cash to bank
                set crate[p, g].number to crate[p, g].number + 1
                set lots to lots + 1
            option withdraw:
                require lots > 0
                for g in good:
                    pay g.price * crate[p, g].number from bank to p.cash
                    set crate[p, g].number to 0
                set lots to 0
            option done:
                require lots != 2
                leave
"""
BY_PLAN = """\
procedure shop(p: player):
    let lots = 0
    draft purchases by p:
        option buy(g in good):
            cost g.price from p.cash to bank
            set crate[p, g].number to crate[p, g].number + 1
            set lots to lots + 1
        option done:
            require lots != 2
            leave
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(10))
def test_games_of_purchases_one_by_one_are_carried_over_to_a_plan(seed: int, tmp_path: Path) -> None:
    """The rules by hand take back what has been bought; a `draft` has this option by itself."""
    small(tmp_path / "hand", SHOP + BY_HAND)
    small(tmp_path / "plan", SHOP + BY_PLAN)
    rng, game = random.Random(seed), Game(load_ruleset(str(tmp_path / "hand")), ["Ann", "Bob"])
    for text in ("buy(corn)", "withdraw"):
        game.apply(game.parse(text))
    while not game.is_over:
        game.apply(rng.choice(game.legal_options))
    write_log(tmp_path / "game.jsonl", game)
    result = migrate(replay_log(tmp_path / "game.jsonl"), load_ruleset(str(tmp_path / "plan")))
    assert result.verdict == Verdict.FAITHFUL, result
