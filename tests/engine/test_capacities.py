"""Capacities of places of pieces, and those that places share with tokens, under both backends."""

from __future__ import annotations

import re

import pytest
from worlds import Play, lines, take

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError

WORLD = """
--- kinds.yaml
kinds:
  town: {facts: {size: int}, entities: {oak: {size: 2}, elm: {size: 3}, ash: {size: 0}}}
  good: {entities: {corn: {}, salt: {}}}
  tile:
    entities: {t1: {}, t2: {}, t3: {}}
    places: {box: {}, hall: {index: town}, yard: {}}
pieces:
  cart: {each: [good], places: {supply: {}, at: {index: town, at_most: town.size}, shed: {at_most: limit}}}
  mule: {each: [player, good], places: {supply: {}, at: {index: town}}}
  post: {places: {supply: {}, at: {index: town}}}
capacities:
  beds: {of: [mule.at, post.at, tile.hall], index: town, at_most: town.size + 1}
  sheds: {of: [cart.shed, tile.yard], at_most: 3}
state: {n: {type: int}, where: {type: town, start: oak}}
--- tables.yaml
constants: {limit: "1 + 1"}
--- setup.yaml
setup:
  pieces: {cart.supply: 9, mule.supply: 9, post.supply: 9, cart.at: {corn: {oak: 1}}, post.at: {elm: 1}}
"""


def play_lines(play: Play, body: str, world: str = WORLD) -> Game:
    text = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return play(f"procedure play():\n{text}    chance rest:\n        option end:\n            end game\n{world}")


ROOMS = lines(
    """
    room(cart.at[oak])      → 1
    room(cart.at[where])    → 1
    room(cart.at[elm])      → 3
    room(cart.at[ash])      → 0
    room(cart.shed)         → 2
    room(beds[oak])         → 3
    room(beds[elm])         → 3
    room(beds[next(where)]) → 3
    room(sheds)             → 3
    sum(room(beds[t]) for t in town) → 7
    """
)


@pytest.mark.parametrize("text, value", ROOMS, ids=[t for t, _ in ROOMS])
def test_room_is_what_is_left(play: Play, text: str, value: str) -> None:
    game = play_lines(play, "pass", WORLD)
    assert game.omniscient.value(text) == value
    assert play_lines(play, f"set n to {text}").omniscient.value("n") == value


@pytest.mark.parametrize(
    "body, message",
    [
        ("move 1 of cart[salt] from supply to at[oak]", ""),
        ("move 2 of cart[salt] from supply to at[oak]", "no more room in `cart.at`"),
        ("move 1 of cart[salt] from supply to at[ash]", "no more room in `cart.at`"),
        ("move 2 of cart[salt] from supply to shed", ""),
        ("move 3 of cart[salt] from supply to shed", "no more room in `cart.shed`"),
        ("move 0 of cart[salt] from supply to at[ash]", ""),
        ("move 1 of cart[corn] from at[oak] to at[where]", ""),
        ("for p in player:\n    move 1 of mule[p, corn] from supply to at[oak]", ""),
        ("for p in player:\n    move 2 of mule[p, corn] from supply to at[oak]", "no more room in `beds`"),
        ("move 1 of post from supply to at[ash]\nmove t1 to hall[ash]", "no more room in `beds`"),
        ("move t1 to hall[ash]\nmove post.supply of post from supply to at[ash]", "no more room in `beds`"),
        ("move t1 to hall[ash]\nmove t1 to hall[ash]", ""),
        ("move t1 to hall[ash]\nmove t1 to box\nmove t2 to hall[ash]", ""),
        ("move t1 to hall[ash]\nlet was = t1.place\nmove t2 to was", "no more room in `beds`"),
        ("move t1 to hall[oak]\nlet was = t1.place\nmove t2 to was", ""),
        ("move t1 to yard\nmove 2 of cart[corn] from supply to shed", ""),
        ("move t1 to yard\nmove t2 to yard\nmove 2 of cart[corn] from supply to shed", "in `sheds`"),
        # where it goes is worked out before it goes
        ("set n to 1\nmove 1 of post from at[elm] to at[first(t in town where post.at[t] > 0) ?? ash]", ""),
    ],
)
def test_what_finds_no_room_is_a_fault_at_the_statement(play: Play, body: str, message: str) -> None:
    game = play_lines(play, body)
    if message:
        with pytest.raises(RulesetFaultError, match=re.escape(message)):
            _ = game.decision
    else:
        assert game.decision is not None


def test_a_cost_that_finds_no_room_is_a_fault(play: Play) -> None:
    rules = """
procedure play():
    for p in player:
        decide go by p:
            option bring(t in town, k in 1 .. 2):
                require room(beds[t]) > 0            "C-01: no bed"
                cost k of mule[p, corn] from supply to at[t]   "C-02: no mule"
                set n to n + 1
    end game
"""
    game = play(rules + WORLD)
    take(game, "bring(ash, 1)")
    assert "C-01" in str(game.why_not(game.parse("bring(ash, 1)")))
    game.undo()
    with pytest.raises(RulesetFaultError, match="no more room in `beds`"):
        game.apply(game.parse("bring(ash, 2)"))
    assert game.omniscient.value("mule[ann, corn].at[ash]") == "0"


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("cart.at: {corn: {oak: 1}}", "cart.at: {corn: {oak: 1, ash: 1}}", "into `cart.at[ash]`, which has room for 0"),
        ("post.at: {elm: 1}", "post.at: {elm: 5}", "puts 5 into `beds[elm]`, which has room for 4"),
        ("town.size + 1}", "7 / town.size}", "the capacity cannot be computed: this divides by zero"),
    ],
)
def test_a_set_up_beyond_a_capacity_is_told(play: Play, old: str, new: str, message: str) -> None:
    assert old in WORLD
    with pytest.raises(DiagnosticsError, match=re.escape(message)):
        play_lines(play, "pass", WORLD.replace(old, new))


@pytest.mark.sampled(1)
def test_too_many_shared_places_are_refused(play: Play) -> None:
    of = "cart.at, mule.at, post.at, tile.hall"
    rows = "".join(f"  c{n}: {{of: [{of}], index: town, at_most: 9}}\n" for n in range(1900))
    with pytest.raises(DiagnosticsError, match="more than 20,000 places"):
        play_lines(play, "pass", WORLD.replace("capacities:\n", f"capacities:\n{rows}"))
