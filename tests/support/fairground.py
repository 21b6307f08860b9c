"""A small ruleset with every kind of state that a guessed drawing shows."""

from __future__ import annotations

FAIRGROUND = """
procedure play():
    repeat at most 12:
        for p in player:
            decide act by p:
                option plough(c in cell):
                    set plot[p, c].use to field
                    set plot[p, c].yield to 3
                option fence(c in cell, d in direction):
                    set edge[p, c, d].up to true
                option lay(h in hex, t in tile, k in 0 .. 5):
                    set h.tile to t
                    set h.turn to k
                option climb(f in firm):
                    set f.step to next(f.step)
                option deal(c in card.deck):
                    move c to hand[p]
                option drop(c in card.hand[p]):
                    move c to heap
                option build(f in firm, t in trade):
                    set licence[f, t].rank to 2
                    set licence[f, t].lapsed to true
                option stack(f in firm):
                    require share[f].stock > 0 "none is left"
                    move 1 of share[f] from stock to held[p]
                option load(f in firm):
                    require share[f].stock > 0 "none is left"
                    move 1 of share[f] from stock to wagon[f]
                option watch(h in hex):
                    set here to h
                    set h.seen to h.seen | {p}
    end game as over

scoring p in player:
    score p.coins
--- game.yaml
id: fairground
title: Fairground
version: "1.0"
players: {kind: player, min: 2, max: 3}
units: [money]
start: play
--- kinds.yaml
kinds:
  suit: {entities: {sun: {}, moon: {}}}
  rank: {entities: {r2: {}, r3: {}, king: {}}}
  card:
    product: [suit, rank]
    places: {deck: {private: {to: "{}"}}, hand: {index: player}, heap: {}}
  use: {entities: {fallow: {}, field: {}}}
  trade: {facts: {fee: money}, entities: {smith: {fee: 2}, baker: {fee: 3}, tailor: {fee: 4}}}
  firm:
    facts: {home: hex}
    state: {step: {type: "step", start: e1}, funds: {type: int 0..99, start: 5}, floated: {type: bool}}
    entities: {smithers: {home: a1}, bakewell: {home: b1}}
  licence: {product: [firm, trade], state: {rank: {type: int 0..9}, lapsed: {type: bool}}}
  plot: {product: [player, cell], state: {use: {type: use, start: fallow}, yield: {type: int 0..9}, dry: {type: bool}}}
  edge: {product: [player, cell, direction], state: {up: {type: bool}}}
  line:
    facts: {a: way, b: "way?"}
    entities: {p03: {a: e, b: w}, p02: {a: e, b: nw}, c0: {a: e}, c2: {a: nw}}
  tile:
    facts: {lines: set line, town: bool, worth: money, shade: shade}
    entities:
      t9: {lines: [p03], town: false, worth: 0, shade: yellow}
      t57: {lines: [c0, c2], town: true, worth: 20, shade: green}
  shade: {entities: {yellow: {}, green: {}}}
  hex: {state: {tile: {type: "tile?"}, turn: {type: int 0..5}, seen: {type: set player}}}
  slot: {entities: {f1: {}, f2: {}, f3: {}}, state: {filled: {type: bool}, by: {type: "player?"}}}
  player: {state: {coins: {type: int}, friends: {type: set firm}, favourite: {type: "tile?"}}}
state:
  here: {type: hex, start: first(hex)}
  bid: {type: "slot?"}
  hurry: {type: bool}
pieces:
  share: {each: [firm], places: {stock: {}, held: {index: player}, wagon: {index: firm}}}
--- boards.yaml
boards:
  cell:
    grid: {columns: a..c, rows: 1..2}
    directions: {north: [0, 1], east: [1, 0], south: [0, -1], west: [-1, 0]}
  hex:
    hexes: [3, 2]
    direction: way
    directions: {e: [1, 0], ne: [1, -1], nw: [0, -1], w: [-1, 0], sw: [-1, 1], se: [0, 1]}
  step:
    grid: {columns: e..h, rows: 1..2}
    direction: move
    directions: {on: [1, 0]}
    facts: {price: money}
    spaces:
      {e1: {price: 10}, f1: {price: 12}, g1: {price: 14}, h1: {price: 16},
       e2: {price: 20}, f2: {price: 22}, g2: {price: 24}, h2: {price: 26}}
--- setup.yaml
setup:
  pieces: {share.stock: 3}
"""
