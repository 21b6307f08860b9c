"""A ruleset with indistinguishable tokens."""

from __future__ import annotations

BARN = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 3}
start: play
--- kinds.yaml
kinds:
  field: {entities: {east: {}, west: {}}}
  hen:
    each: [player]
    number: 3
    alike: true
    state: {age: {type: int 0..9}, tame: {type: bool}PRIVATE, mate: {type: hen?}}
    places: {coop: {}, at: {index: field}}
  player:
    state: {pet: {type: hen?}, flock: {type: set hen}, queue: {type: order hen}}
state: {shown: {type: bool}}
"""
TURN = """
procedure play():
    repeat at most 9:
        for p in player:
            turn(p)
procedure turn(p: player):
    decide work by p:
        option send(h in hen[p].coop, f in field):
            move h to at[f]
        option call_back(h in at):
            move h to coop
        option pair(h in hen[p], other in hen[p] - {h}):
            set h.mate to other
        option feed(h in hen[p] or none):
            for x in {h}:
                set x.age to x.age + 1
        option pick(h in hen[p]):
            set p.pet to h
        option gather(h in hen[p]):
            set p.flock to p.flock | {h}
        option line_up(h in hen[p]):
            add h to p.queue
        option stroke(h in hen[p]):
            set h.tame to true
        option show:
            set shown to true
"""
