"""Tokens in places that not everybody sees into, and orders that are face down."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import small
from twins import differences
from worlds import Play, take

from rulespec.engine.game.game import Game
from rulespec.engine.search.twins import determinize

TILES = """
--- rules/play.rules
procedure play():
    for p in player:
        roll deal(t in tile.deck private to p)
        move t to hand[p]
    for p in player:
        decide act by p:
            option lay(t in tile.hand[p]):
                move t to row
            option swap(t in tile.hand[p] private):
                move t to sack
            option ask_for(t in tile.hand[next(p)]) by next(p):
                require t.worth > 1          "S-01: not worth it"
                move t to row
    end game
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 3}
start: play
--- kinds.yaml
kinds:
  tile:
    facts: {worth: int}
    entities: {ash: {worth: 1}, bee: {worth: 2}, cat: {worth: 3}, dog: {worth: 4}}
    places:
      deck: {private: {to: "{}"}}
      hand: {index: player, private: true}
      row: {}
      sack: {private: {to: "{}", count: true}}
"""

DECK = """
--- rules/play.rules
procedure play():
    shuffle deck
    for p in player:
        let c = first(deck)
        if c is some:
            take c from deck
            add c to p.hand
            shuffle p.hand
    decide look by first(player):
        option peek:
            require first(deck) == ace        "S-01: no ace"
            pass
        option pass_by: pass
    end game
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  card: {entities: {ace: {}, king: {}, ten: {}}}
  player: {state: {hand: {type: order card, private: true}}}
state:
  deck: {type: order card, start: [ace, king, ten], private: {to: "{}"}}
"""


def test_who_sees_into_a_place_sees_which_tokens_are_there(play: Play) -> None:
    game = take(play(TILES, "A B"), "deal(ash)", "deal(cat)")
    view = game.view("A")
    assert view.state["entities"]["tile"] == {"ash": {"place": "hand[A]"}, "bee": {}, "cat": {}, "dog": {}}
    assert view.hidden == ("tile.bee.place", "tile.cat.place", "tile.dog.place")
    assert view.state["counts"] == {"tile.deck": 2, "tile.hand[A]": 1, "tile.hand[B]": 1}
    assert [str(event) for event in view.history] == ["chance: deal(ash)", "chance: deal(?)"]
    assert [str(option) for option in view.options] == ["lay(ash)", "swap(ash)"]
    assert [str(option) for option in game.view("B").interrupts] == ["ask_for(cat)"]
    take(game, "lay(ash)")
    assert game.view("B").state["entities"]["tile"]["ash"] == {"place": "row"}
    assert game.view(None).state["counts"] == {"tile.deck": 2, "tile.hand[A]": 0, "tile.hand[B]": 1}


def test_what_is_guarded_is_not_read(play: Play) -> None:
    game = take(play(TILES, "A B"), "deal(ash)", "deal(cat)")
    assert game.omniscient.value("bee in tile.deck") == "true" and game.omniscient.value("bee in tile.deck", "A") == "?"
    assert game.omniscient.value("ash in tile.hand[first(player)]", "A") == "true"
    assert str(game.why_not(game.parse("lay(bee)"), "A")) == "it is not possible now"


def test_a_deck_that_is_face_down_is_shuffled_face_down(play: Play) -> None:
    game = take(play(DECK, "A B"), "next(ten)", "next(ace)")
    assert [str(option) for option in game.history] == ["next(ten)", "next(ace)"]
    for seat in ("A", "B", None):
        assert [str(event) for event in game.view(seat).history] == ["chance: next(?)", "chance: next(?)"]
    view = game.view("A")
    assert view.state["entities"]["player"] == {"A": {"hand": ["ten"]}, "B": {}}
    assert view.state["counts"] == {"deck": 1, "player.A.hand": 1, "player.B.hand": 1}
    assert game.is_legal(game.parse("pass_by")) and str(game.why_not(game.parse("peek"), "A")) != "None"


@pytest.mark.parametrize("rules", ["TILES", "DECK"])
@pytest.mark.sampled(1)
def test_what_looks_the_same_is_told_the_same(rules: str, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", TILES if rules == "TILES" else DECK)
    expressions = ["count(tile.hand[last])", "bee in tile.deck"] if rules == "TILES" else ["first(deck)", "count(deck)"]
    expressions = [e.replace("last", "next(first(player))") for e in expressions]
    result, alike = differences(lambda: Game(ruleset, ["A", "B"]), expressions)
    assert result == [] and alike > 10


def test_a_game_with_other_tokens_in_hand_looks_the_same(play: Play) -> None:
    game = take(play(TILES, "A B"), "deal(ash)", "deal(cat)", "swap(ash)")
    dealt = {str(determinize(game, "B", random.Random(n)).history[0]) for n in range(20)}
    assert dealt == {"deal(ash)", "deal(bee)", "deal(dog)"}
