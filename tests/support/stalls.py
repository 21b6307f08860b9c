"""A small market, for tests of counts, values and queries of a game."""

STALLS = """
--- kinds.yaml
kinds:
  player: {state: {cash: {account: money}}}
  stall: {state: {sold: {type: int}}, entities: {fish: {}, fruit: {}}}
accounts: {bank: {account: money, unlimited: true}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
units: [money]
start: play
--- rules/play.rules
procedure play():
    for p in player:
        decide work by p:
            option sell(s in stall):
                set s.sold to s.sold + 1
                pay 1 money from bank to p.cash
    end game
"""
