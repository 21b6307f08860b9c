"""A small ruleset whose options differ by numbers with many values: prices of a train, some with a step."""

from __future__ import annotations

MARKET = """
procedure play():
    repeat at most 12:
        for p in player:
            decide act by p:
                option buy(f in firm, k in 1 coin .. 300 coin):
                    set paid to k
                option lend(k in 10 coin .. 990 coin where k % 40 == 10 coin, f in firm):
                    set paid to 0 coin - k
                option rest:
                    set paid to 0 coin
    end game as over

scoring p in player:
    score 1
--- game.yaml
id: market
title: Market of Trains
version: "1.0"
players: {kind: player, min: 2, max: 2}
units: [coin]
start: play
--- kinds.yaml
kinds:
  player: {}
  firm: {entities: {iron: {title: Iron Road}, mills: {title: Mills}}}
state:
  paid: {type: coin}
--- titles.yaml
language: en
words: {}
units: {coin: "£{number}"}
decisions: {act: buy or lend}
options:
  act.buy: "buys a train of {f} for {k}"
  act.lend: "lends {k} to {f}"
  act.rest: rests
choices:
  act.buy: "Buy a train of {f} for {k}"
  act.lend: "Lend {k} to {f}"
  act.rest: Rest
"""
