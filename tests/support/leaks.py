"""The base ruleset for tests/fixtures/leaks.rules, whose cases are bodies of a procedure; and those cases."""

from __future__ import annotations

from pathlib import Path

from cases import GAME, write
from folders import TESTS

KINDS = """
kinds:
  town: {facts: {near: set town}, state: {owner: {type: player?}}, entities: {oak: {near: [elm]}, elm: {}}}
  card: {entities: {ace: {}, king: {}}}
  stage: {entities: {writing: {}, judging: {}}}
  tile:
    number: 4
    places:
      row: {}
      front: {index: player}
      deck: {private: {to: "{}"}}
      hand: {index: player, private: true}
      lap: {index: player, private: {to: "{player}", open: over}}
      sack: {private: {to: "{}", count: true}}
      kitty: {private: {to: "{q in {who} where taken}"}}
      fold: {private: {to: "{who} if taken else {}"}}
  share: {product: [town, player], state: {stake: {type: int, private: true}}}
  player:
    state:
      cash: {account: money}
      gold: {account: money, private: true}
      plan: {type: town?, private: true}
      bid: {type: int 0..9, private: true}
      note: {type: int, private: {to: friends(player)}}
      memo: {type: int, private: {to: friends(player)}}
      brow: {type: int 0..9, private: {to: others(player)}}
      shown: {type: int 0..9, private: {open: over}}
      vote: {type: int 0..9, private: {open: over}}
      order: {type: int 0..9, private: {open: "step == judging and lap >= 2"}}
      done: {type: bool}
      own: {type: int 0..9, private: {open: player.done}}
      level: {type: int, private: fog}
      rank: {type: int, private: mist}
      drawn: {type: order card, private: true}
accounts: {bank: {account: money, unlimited: true}}
state:
  n: {type: int}
  over: {type: bool}
  step: {type: stage, start: writing}
  lap: {type: int 0..9}
  who: {type: player?}
  taken: {type: bool}
  line: {type: order tile}
  hint: {type: int 0..9, private: {to: "{q in player where q == who and taken}"}}
  pool: {type: int, private: {to: "{}"}}
pieces:
  hold:
    each: [card]
    places:
      box: {private: {to: "{}"}}
      hand: {index: player, private: true}
      table: {}
      fist: {index: player, private: {to: "{player}", open: over}}
      bag: {private: {to: "{}", count: true}}
"""
SETTINGS = GAME.replace("start: play", "start: play\nsettings: {fog: {default: true}, mist: {default: true}}")
RULES = """
def friends(p: player) -> set player: {{q in player where q.index == p.index}}
def others(p: player) -> set player: {{q in player where q != p}}
def rich(p: player) -> bool: p.gold > 3 money
def richest() -> player?: first(p in player where all(q in player: q.gold <= p.gold))
def owner(t: town) -> player?: t.owner
guard able(p: player, k: int):
    require p.bid >= k
guard sees(p: player):
    let least = max(q.bid for q in player, else 0)
    require least < 3
procedure pay_in(p: player, k: int):
    set n to k
procedure top() -> int:
    return max(p.bid for p in player, else 0)
procedure best_of(p: player) -> int:
    return p.bid
procedure close_all():
    set over to false
procedure close_later():
    close_all()
def vote_of(p: player) -> int: p.vote + 1
def votes() -> int: sum(p.vote for p in player)
procedure question(p: player):
    decide say by p:
        option yes: pass
procedure play():
    for p in player:
        turn(p)
procedure turn(p: player):
    {}
"""
SETUP = """
setup:
  pieces: {hold.box: 2, hold.bag: 1, hold.table: 1}
  state: {tile.place: "row if tile.number == 1 else deck"}
"""
DEAL = """procedure play():
    for p in player:
        pay p.index * 1 money from bank to p.cash
        roll dealt_bid(b in 0 .. 5 private to p)
        set p.bid to b
        roll dealt_gold(g in 1 money .. 6 money private to p)
        pay g from bank to p.gold
        roll dealt_plan(t in town private to p)
        set p.plan to t
        roll dealt_note(k in 0 .. 3 private to p)
        set p.note to k
        set p.level to k
        set share[oak, p].stake to k
        roll dealt_brow(w in 0 .. 5 private to others(p))
        set p.brow to w
        roll dealt_vote(v in 0 .. 5 private to p)
        set p.vote to v
        set p.order to v
        set p.own to v
        roll dealt_card(c in card private to p)
        add c to p.drawn
        roll dealt_piece(d in card where hold[d].box > 0 private to p)
        move 1 of hold[d] from box to hand[p]
        roll dealt_tile(u in tile.deck private to p)
        move u to hand[p]
    roll dealt_pool(m in 0 .. 3 private)
    set pool to m
    for p in player:
        turn(p)
        question(p)
"""
"""A start of the game in which all private state has values."""

CASES = [
    (body, "" if head == "nothing" else head)
    for case in (TESTS / "fixtures" / "leaks.rules").read_text("utf-8").split("\n=== ")[1:]
    for head, _, body in [case.partition("\n")]
]


def ruleset_of(folder: Path, body: str) -> Path:
    """Writes the ruleset of a case, with dealt secrets; returns its folder."""
    rules = RULES.format("\n    ".join(body.strip("\n").split("\n")))
    rules = rules.replace("procedure play():\n    for p in player:\n        turn(p)\n", DEAL)
    assert DEAL in rules
    files = {"game.yaml": SETTINGS, "kinds.yaml": KINDS, "setup.yaml": SETUP, "rules/play.rules": rules}
    return write(folder, files)
