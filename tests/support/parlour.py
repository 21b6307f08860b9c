"""A small ruleset in which every type of argument can be private: tokens, cards, amounts, none, seats."""

from __future__ import annotations

PARLOUR = """
procedure play():
    shuffle pile
    for p in player:
        roll tiles(t in tile.deck private to p)
        move t to hand[p]
        roll cards(c in card where hold[c].box > 0 private to friends(p))
        move 1 of hold[c] from box to hand[p]
        roll coins(k in 1 money .. 3 money private to p)
        pay k from bank to p.cash
    decide plans together by p in player:
        option plan(c in card or none private):
            set p.plan to c
        option show(t in tile.hand[p]):
            move t to row
    for p in player:
        turn(p)
    end game as over

procedure turn(p: player):
    let q = next(p)
    let least = min(r.cash for r in player, else 0 money)
    decide act by p:
        option lay(t in tile.hand[p]):
            move t to row
        option give(k in 1 money .. p.cash private to q, to in player where to != p):
            pay k from p.cash to to.cash
        option point(c in card or none, r in player where r != p):
            set pointed to c
        option whisper(c in card private to friends(q)):
            set p.plan to c
        option rest:
            set rested to rested + 1
        option next_card(c in card where c == first(pile) ?? ace private):
            take c from pile
            set p.plan to c
        option stop(r in player where r != p) by r:
            set rested to 0
            ask again

def friends(p: player) -> set player: {q in player where q == p or q == next(p)}

scoring p in player:
    score p.cash / 1 money
--- game.yaml
id: small
title: Parlour
version: "1.0"
players: {kind: player, min: 2, max: 4}
units: [money]
start: play
--- kinds.yaml
kinds:
  card: {entities: {ace: {}, king: {}, queen: {}, jack: {}}}
  tile:
    number: 6
    places: {deck: {private: {to: "{}"}}, row: {}, hand: {index: player, private: true}}
  player:
    state:
      cash: {account: money, private: true}
      plan: {type: "card?", private: true}
state:
  pile: {type: order card, start: card, private: {to: "{}"}}
  pointed: {type: "card?"}
  rested: {type: int}
pieces:
  hold:
    each: [card]
    places: {box: {private: {to: "{}"}}, hand: {index: player, private: {to: "friends(player)"}}}
accounts:
  bank: {account: money, unlimited: true}
--- setup.yaml
setup:
  pieces: {hold.box: 2}
--- titles.yaml
kinds: {player: player}
units: {money: "{number} pence"}
decisions: {act: "what {q} waits for, for {p.cash}"}
options:
  tiles.tiles: "{p} gets tile {t}"
  coins.coins: "{p} gets {k}"
  plans.plan: "plans {c}"
  act.give: "gives {k} of {p.cash} to {to}[, {to.cash} before]"
  act.point: "points at {c}[, with {count(each in player where each.plan == c)} who think so]"
  act.rest: "rests on {p.cash}, at least {least}"
  act.whisper: "whispers {c} to {q}"
"""
"""Rules with a deal, simultaneous plans, and one action per seat; texts read private information."""

HINTS = """
procedure play():
    for p in player:
        decide hint by p:
            option say(k in 1 .. 3 private to next(p)):
                set said to said + 1
    end game as over
--- game.yaml
id: small
title: Hints
version: "1.0"
players: {kind: player, min: 2, max: 4}
start: play
--- kinds.yaml
kinds: {player: {state: {done: {type: bool}}}}
state: {said: {type: int}}
"""
"""Rules without private state, but with a private argument."""
