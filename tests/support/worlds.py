"""A small world for rules under test, and helpers for its games."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option

Play = Callable[..., Game]
"""A function that starts a game from the text of a ruleset; the fixture `play`, under each backend."""

WORLD = """
--- kinds.yaml
kinds:
  town:
    facts: {tax: int, near: set town, twin: town?}
    state: {owner: {type: player?}, seen: {type: bool}, mark: {type: int}}
    entities:
      oak: {tax: 3, near: [elm], twin: ash}
      elm: {tax: 5, near: [ash]}
      ash: {tax: 7, near: []}
      fir: {tax: 9, near: [fir]}
  good: {entities: {corn: {}, salt: {}}}
  ware: {product: [town, good]}
  claim: {product: [player, good], state: {size: {type: int}}}
  player:
    state: {cash: {account: money}, secret: {type: int, private: true}}
state:
  n: {type: int}
  m: {type: int}
  few: {type: int 0..3}
  best: {type: player?}
  towns: {type: set town}
  queue: {type: order town}
  last: {type: claim?}
accounts:
  bank: {account: money, unlimited: true}
  chest: {account: money}
pieces:
  cart: {each: [good], places: {supply: {}, at: {index: town}}}
  seal: {each: [player, good], places: {supply: {}, at: {index: town}}}
  flag: {each: [], places: {supply: {}, at: {index: town}}}
--- tables.yaml
constants: {toll: 2 money, limit: "2 + 1"}
tables:
  by_number: {key: int, value: money, rows: {2: 10, 3: 8, -1: 1}}
  by_town: {key: [town, int], value: int, rows: {oak: {1: 11, 2: 12}, elm: {1: 21}, ash: {}, fir: {}}}
  friends: {key: town, value: set town, rows: {oak: [elm, ash], elm: [], ash: [oak], fir: []}}
--- tracks.yaml
tracks:
  wheel: {ring: step, spaces: {work: {}, rest: {}, trade: {}, pray: {}}}
  scale:
    line: level
    unit: money
    facts: {bonus: int}
    spaces: {low: {upto: 5, bonus: 0}, mid: {upto: 9, bonus: 4}, top: {bonus: 6}}
--- setup.yaml
setup:
  pieces:
    cart.supply: {corn: 5, salt: 3}
    cart.at: {salt: {elm: 2}}
    flag.supply: players
    seal.supply: {corn: 2, salt: player.index}
  accounts: {player.cash: "by_number[players]"}
  state: {town.mark: 1, town.elm.mark: 8, claim.size: "1 if claim.good == salt else 0"}
  players: {3: {accounts: {chest: 4}, state: {n: 33}}}
"""
IDLE = """
procedure play():
    chance go:
        option end:
            end game
"""


TURN = """
procedure play():
    "T-01"
    for p in player:
        turn(p)
    end game
procedure turn(p: player):
    decide move by p:
        "T-02: where to"
        option go(t in town where t.tax > 3 "T-03: only far", k in 1 .. t.tax - 4):
            "T-04"
            require k != 2                       "T-05: two is unlucky"
            require p.cash >= k * 1 money        "T-06: too dear"
            pay k * 1 money from p.cash to bank
            set t.owner to p
        option stay:
            set n to n + 1
        option gift(q in player where q != p, due in 1 money .. 2 money) by q:
            pay due from q.cash to p.cash
            ask again
"""


def lines(table: str) -> list[tuple[str, str]]:
    return [(left.strip(), right.strip()) for left, _, right in (r.partition("→") for r in table.strip().splitlines())]


def take(game: Game, *options: str) -> Game:
    for text in options:
        game.apply(game.parse(text))
    return game


def outcome_of(game: Game) -> tuple[str, dict[str, int], list[str]]:
    assert game.result is not None
    return game.result.ending, game.result.scores, game.result.winners


def listed(game: Game) -> list[str]:
    return [str(o) for o in every_option(game)]


def run(play: Play, body: str, rest: str = "", seats: str = "ann bob", **options: str | int) -> Game:
    """A game that executes some lines at its start."""
    text = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return play(
        f"procedure play():\n{text}    chance rest:\n        option end:\n            end game\n{rest}{WORLD}",
        seats,
        **options,
    )
