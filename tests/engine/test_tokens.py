"""Tokens: entities that move between places, under both backends."""

from __future__ import annotations

import pytest
from worlds import Play, lines, listed, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.state_json import state_json

HARBOUR = """
--- kinds.yaml
kinds:
  port:
    facts: {berths: int}
    entities: {cork: {berths: 1}, dover: {berths: 2}}
  ship:
    facts: {crew: int}
    entities: {ant: {crew: 2}, bee: {crew: 0}}
    places: {yard: {}, at: {index: port, at_most: "port.berths if small else players"}}
    state: {trips: {type: int 0..3, start: 1}}
  sailor:
    each: [player]
    number: 2
    state:
      skill: {type: int 0..9, start: 1}
      mate: {type: sailor?}
      tired: {type: bool}
      pay: {type: int?}
      debt: {type: int? 0..3, start: 2}
      due: {type: int? 1..3, start: "none if players == 2 else 1"}
    places: {tavern: {fresh: true}, deck: {index: ship, at_most: ship.crew}, guest: {index: player}, brig: {at_most: 1}}
  captain: {each: [player], places: {ashore: {}, yard: {}, bridge: {index: ship}}}
  dog: {number: 3, places: {yard: {}, kennel: {at_most: 2}}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 1, max: 4}
units: [money, points]
start: play
settings: {small: {default: true, doc: ports}}
--- setup.yaml
setup:
  state:
    ship.ant.place: at[cork]
    sailor.place: "deck[ant] if sailor.number == 1 else tavern"
    captain.place: "yard if captain.player.index == 1 else ashore"
    sailor.skill: sailor.number + 2
"""
IDLE = """
procedure play():
    chance go:
        option end:
            end game
"""
VALUES = lines(
    """
    ant.place                                    → at[cork]
    bee.place                                    → yard
    ant.at                                       → cork
    bee.at                                       → none
    ant.at ?? dover                              → cork
    ant.at is some and ant.at.berths == 1        → true
    ship.yard                                    → {bee}
    captain.yard                                 → {bob}
    ship.at                                      → {ant}
    at                                           → {ant}
    at[cork]                                     → {ant}
    ship.at[cork] == at[cork]                    → true
    at[dover]                                    → {}
    ant in at[cork]                              → true
    ant in at and ant not in at[dover]           → true
    bee in at or bee in at[cork]                 → false
    bee in ship.yard and ant not in ship.yard    → true
    {s.place for s in ship}                      → {yard, at[cork]}
    count(tavern)                                → 2
    deck[ant]                                    → {ann_sailor_1, bob_sailor_1}
    sailor[ann]                                  → {ann_sailor_1, ann_sailor_2}
    sailor[ann].deck[ant]                        → {ann_sailor_1}
    sailor[ann].deck                             → {ann_sailor_1}
    sailor[bob] & tavern                         → {bob_sailor_2}
    bob_sailor_2 in sailor[bob]                  → true
    bob_sailor_2 in sailor[ann]                  → false
    ann_sailor_1 in sailor[ann].deck[ant]        → true
    sum(s.skill for s in sailor[ann])            → 7
    sum(s.number for s in sailor)                → 6
    ann_sailor_2.deck is none                    → true
    ann_sailor_1.deck                            → ant
    ann_sailor_1.place == bob_sailor_1.place     → true
    captain[bob].place                           → yard
    captain[ann] in ashore                       → true
    captain[bob].player                          → bob
    room(at[cork]) + room(at[dover])             → 2
    room(deck[ant])                              → 0
    room(deck[bee]) + room(brig)                 → 1
    room(kennel)                                 → 2
    dog.yard                                     → {dog_1, dog_2, dog_3}
    dog_2.number                                 → 2
    first(s in sailor where s.guest is some)     → none
    guest[ann] | brig                            → {}
    any(s in deck[ant] where s.player == bob)    → true
    {first(tavern)}                              → {ann_sailor_2}
    first(none_of(tavern))                       → none
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_an_expression_has_its_value(play: Play, text: str, value: str) -> None:
    game = play(IDLE + "def none_of(s: set sailor) -> set sailor: s & brig\n" + HARBOUR)
    assert game.omniscient.value(text) == value


def moved(play: Play, body: str, **options: str) -> Game:
    text = "".join(f"            {line}\n" for line in body.strip("\n").split("\n"))
    rules = f"procedure play():\n    chance go:\n        option do:\n{text}            wait()\nprocedure wait():\n"
    rules += "    chance rest:\n        option end:\n            pass\n"
    rules += "def ann_two() -> sailor: the(s in sailor[first(player)] where s.number == 2)\n"
    return play(rules + HARBOUR, **options)


MOVES = lines(
    """
    move bee to at[dover]                                       → bee.place: at[dover]
    move ant to ship.yard                                       → ship.yard: {ant, bee}
    move ant to at[cork]                                        → ant.at: cork
    move ant to at[dover] ¦ move bee to ant.place               → at[dover]: {ant, bee}
    let was = ant.place ¦ move ant to ship.yard ¦ move bee to was → bee.place: at[cork]
    for s in deck[ant]: ¦     move s to guest[s.player]         → union({s.guest} for s in sailor): {ann, bob}
    for s in deck[ant]: ¦     move s to tavern                  → sum(s.skill for s in sailor): 10
    set first(sailor).skill to 7 ¦ move first(sailor) to tavern → first(sailor).skill: 1
    move the(s in sailor where s.skill == 3 and s.player.index == 0) to tavern → sum(s.skill for s in sailor): 12
    let s = first(sailor) ¦ set s.mate to s ¦ set s.tired to true ¦ move s to tavern → first(sailor).mate: none
    let s = ann_two() ¦ set s.skill to 5 ¦ move s to first(sailor).place if false else s.place → ann_two().skill: 1
    let s = ann_two() ¦ set s.pay to 3 ¦ set s.debt to none ¦ move s to brig → ann_two().pay ?? 9: 3
    let s = ann_two() ¦ set s.pay to 3 ¦ set s.debt to none ¦ move s to tavern → ann_two().pay ?? 9: 9
    let s = ann_two() ¦ set s.pay to 3 ¦ set s.debt to none ¦ move s to tavern → ann_two().debt ?? 9: 2
    let s = ann_two() ¦ set s.due to 3 ¦ move s to tavern → ann_two().due ?? 9: 9
    move ant to at[dover] ¦ set ant.trips to 3 ¦ move ant to ship.yard → ant.trips: 3
    move dog_1 to kennel ¦ move dog_2 to kennel ¦ move dog_2 to kennel → kennel: {dog_1, dog_2}
    let s = ann_two() ¦ move s to guest[s.player] ¦ move s to guest[next(s.guest)] → ann_two().guest: bob
    """.replace("¦ ", "¦")
)


@pytest.mark.parametrize("body, text", MOVES, ids=[t for t, _ in MOVES])
def test_a_token_is_where_it_moved_to(play: Play, body: str, text: str) -> None:
    game = moved(play, body.replace(" ¦", "\n"))
    before, hash_ = game.omniscient.numbers.cells, game.hash
    take(game, "do")
    expression, _, value = text.rpartition(": ")
    assert game.omniscient.value(expression) == value
    game.undo()
    assert (game.omniscient.numbers.cells, game.hash) == (before, hash_)


FULL = lines(
    """
    move bee to at[cork]                                  → no room for another `ship` in `at`
    move bee to ant.place                                 → no room for another `ship` in that place
    move first(tavern) ?? first(sailor) to deck[bee]      → no room for another `sailor` in `deck`
    for d in dog: ¦    move d to kennel                   → no room for another `dog` in `kennel`
    """
)


@pytest.mark.parametrize("body, message", FULL, ids=[t for t, _ in FULL])
def test_a_place_that_is_full_is_a_fault(play: Play, body: str, message: str) -> None:
    game = moved(play, body.replace(" ¦", "\n"))
    before = game.omniscient.numbers.cells
    with pytest.raises(RulesetFaultError, match=message) as fault:
        take(game, "do")
    assert fault.value.diagnostic.code == "RS703"
    assert game.omniscient.numbers.cells == before


def test_a_setting_may_give_a_capacity(play: Play) -> None:
    game = take(moved(play, "move bee to at[cork]", small="false"), "do")
    assert game.omniscient.value("at[cork]") == "{ant, bee}" and game.omniscient.value("room(at[cork])") == "0"


def test_tokens_in_json_and_given_by_name(play: Play) -> None:
    game = play(IDLE + HARBOUR)
    entities = state_json(game)["entities"]
    assert entities["ship"]["ant"] == {"place": "at[cork]", "trips": 1}
    assert entities["sailor"]["bob_sailor_2"] == {
        "place": "tavern",
        "skill": 4,
        "mate": None,
        "tired": False,
        "pay": None,
        "debt": 2,
        "due": None,
    }
    assert "sailor.place" not in entities
    game.omniscient.set_value("bob_sailor_2.place", "guest[ann]")
    game.omniscient.set_value("bee.place", "at[dover]")
    game.omniscient.set_value("ann_sailor_1.mate", "bob_sailor_2")
    assert (
        game.omniscient.value("guest[ann]") == "{bob_sailor_2}" and game.omniscient.value("bob_sailor_2.guest") == "ann"
    )
    assert game.omniscient.value("room(at[dover])") == "1"


def test_tokens_are_parameters_and_their_places_are_too(play: Play) -> None:
    rules = """
procedure play():
    repeat at most 2:
        decide go by first(player):
            option sign(s in tavern, v in ship where room(deck[v]) > 0):
                move s to deck[v]
            option leave_ship(s in deck):
                move s to tavern
            option berth(q in {s.place for s in ship}):
                move bee to q
"""
    game = play(rules + HARBOUR)
    assert listed(game) == ["leave_ship(ann_sailor_1)", "leave_ship(bob_sailor_1)", "berth(yard)", "berth(at[cork])"]
    take(game, "leave_ship(bob_sailor_1)")
    assert listed(game)[:3] == ["sign(ann_sailor_2, ant)", "sign(bob_sailor_1, ant)", "sign(bob_sailor_2, ant)"]


def test_what_is_known_of_where_a_token_is(play: Play) -> None:
    rules = """
procedure play():
    for s in ship:
        if s in at:
            call(s.at)
        move s to at[dover]
        call(s.at)
    chance go:
        option end:
            end game
procedure call(p: port):
    for s in {first(sailor)}:
        set s.skill to p.berths
"""
    assert play(rules + HARBOUR).omniscient.value("first(sailor).skill") == "2"


DECK = """
--- kinds.yaml
kinds:
  card:
    entities: {ace: {}, king: {}, queen: {}}
    state: {marked: {type: bool}}
    places: {pile: {fresh: true}, hand: {index: player, at_most: 2}}
state:
  deck: {type: order card, start: card}
"""


def test_a_deck_is_an_order_of_tokens(play: Play) -> None:
    rules = """
procedure play():
    shuffle deck
    for p in player:
        draw(p)
    decide back by first(player):
        option under(c in hand[first(player)]):
            move c to pile
            add c to deck
        option on_top(c in hand[first(player)]):
            move c to pile
            set deck to {d in deck | {c} by d != c, d}
    chance rest:
        option end:
            end game
procedure draw(p: player):
    for c in {first(deck)}:
        take c from deck
        move c to hand[p]
        set c.marked to true
invariant deck_is_the_pile:
    (deck | {}) == pile
"""
    game = take(play(rules + DECK), "next(queen)", "next(ace)")
    assert (
        game.omniscient.value("deck") == "[king]"
        and game.omniscient.value("hand[bob]") == "{ace}"
        and game.omniscient.value("queen.marked") == "true"
    )
    take(game, "under(queen)")
    assert game.omniscient.value("deck") == "[king, queen]" and game.omniscient.value("queen.marked") == "false"
    assert game.omniscient.broken_invariants() == []
    game.undo()
    assert game.omniscient.value("first(deck)") == "king" and game.omniscient.value("queen.hand") == "ann"
