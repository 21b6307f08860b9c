"""Private values and their viewers."""

from __future__ import annotations

from worlds import WORLD, Play, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json

CARDS = (
    WORLD.replace(
        "player:\n    state: {cash: {account: money}, secret: {type: int, private: true}}",
        """card: {entities: {ace: {}, king: {}, ten: {}}}
  player:
    state:
      cash: {account: money, private: {open: over}}
      side: {type: int}
      secret: {type: int, private: {to: allies(player)}}
      deal: {type: order card, private: true}""",
    )
    .replace(
        "state:\n  n:",
        """state:
  over: {type: bool}
  stack: {type: order card, private: {to: "{}"}}
  n:""",
    )
    .replace(
        "pieces:\n",
        """pieces:
  hold:
    each: [card]
    places: {deck: {private: {to: "{}"}}, hand: {index: player, private: true}, bag: {private: {to: "{}", count: true}}}
""",
        1,
    )
    .replace("  accounts: {player.cash", "    hold.deck: 4\n    hold.bag: 1\n  accounts: {player.cash")
)
RULES = """
--- rules/play.rules
def allies(p: player) -> set player: {q in player where q.side == p.side}
procedure play():
    for p in player:
        set p.side to p.index % 2
        set p.secret to p.index + 5
        pay 4 money from bank to p.cash
        move 1 of hold[ace] from deck to hand[p]
    decide turn by first(player):
        option wait:
            set over to true
    decide turn by first(player):
        option wait: pass
"""


def started(play: Play) -> Game:
    return play(RULES + CARDS, "ann bob cid")


def of_player(game: Game, viewer: str, field: str) -> list[object]:
    return [fields[field] for fields in state_json(game, viewer)["entities"]["player"].values()]


def test_its_own_player_sees_it_until_all_do(play: Play) -> None:
    game = started(play)
    assert of_player(game, "ann", "cash") == [12, None, None]
    take(game, "wait")
    assert of_player(game, "ann", "cash") == [12, 12, 12]


def test_it_may_be_shared_with_others(play: Play) -> None:
    game = started(play)
    assert of_player(game, "ann", "secret") == [5, None, 7]
    assert of_player(game, "bob", "secret") == [None, 6, None]


def test_places_of_pieces_are_private_too(play: Play) -> None:
    game = started(play)
    assert state_json(game, "ann")["pieces"]["hold"] == {"ace": {"hand[ann]": 1}}
    assert state_json(game)["pieces"]["hold"]["ace"]["hand[bob]"] == 1
