"""Property of players: piles and entities that each seat has separately, under both backends."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from worlds import Play, listed, take

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.engine.verify.verified_facts import failed_checks

CLAIMS = """
procedure play():
    for p in player:
        turn(p)
    end game
procedure turn(p: player):
    decide act by p:
        option build(k in post where knight[p].supply > 0):
            move 1 of knight[p] from supply to at[k]
        option claim(c in claim where c.player == p "C-1: not a claim of one's own"):
            require c.size < 2 "C-2: as large as can be"
            set c.size to c.size + 1
            set last to c
            move 1 of man[p, pawn] from box to at[c.colour.home]
invariant few:
    all(c in claim: c.size <= 2)
scoring p in player:
    score sum(c.size for c in claim where c.player == p)
--- kinds.yaml
kinds:
  post: {entities: {north: {}, south: {}}}
  colour: {facts: {home: post}, entities: {red: {home: north}, blue: {home: south}}}
  rank: {entities: {king: {}, pawn: {}}}
  claim: {product: [player, colour], state: {size: {type: int}}}
state: {last: {type: "claim?"}, leader: {type: claim, start: first(claim)}}
pieces:
  knight: {each: [player], places: {supply: {}, at: {index: post}}}
  man: {each: [player, rank], places: {box: {}, at: {index: post}}}
  seal: {each: [colour], places: {on: {index: claim}}}
--- setup.yaml
setup:
  pieces:
    knight.supply: 3 + player.index
    man.box: {king: 1, pawn: 8 if player.index == 0 else 7}
    seal.on: {red: claim.colour.index, blue: claim.player.index}
  state: {claim.size: 1 if claim.colour == red else 0}
  players: {3: {pieces: {knight.at: {south: 1}}}}
"""


def test_each_seat_has_piles_and_entities_of_its_own(play: Play) -> None:
    game = play(CLAIMS, "Ann Bob")
    values = ("knight[Ann].supply", "knight[Bob].supply", "man[Ann, pawn].box", "man[Bob, pawn].box", "leader")
    assert [game.omniscient.value(x) for x in values] == ["3", "4", "8", "7", "Ann_red"]
    assert game.omniscient.value("claim") == "{Ann_red, Ann_blue, Bob_red, Bob_blue}"
    assert game.omniscient.value("{c in claim where c.player == Bob}") == "{Bob_red, Bob_blue}"
    assert game.omniscient.value("next(claim[Bob, blue])") == "Ann_red"
    assert [game.omniscient.value(f"seal[{c}].on[{x}]") for c, x in (("red", "Bob_blue"), ("blue", "Bob_red"))] == [
        "1",
        "1",
    ]


def test_options_name_what_belongs_to_a_seat(play: Play) -> None:
    game = play(CLAIMS, "Ann Bob")
    before = game.hash
    assert listed(game) == ["build(north)", "build(south)", "claim(Ann_red)", "claim(Ann_blue)"]
    assert str(game.why_not(game.parse("claim(Bob_red)"))).startswith("C-1: not a claim of one's own")
    take(game, "claim(Ann_blue)", "build(north)")
    assert [game.omniscient.value(x) for x in ("claim[Ann, blue].size", "Ann_blue.size", "last")] == [
        "1",
        "1",
        "Ann_blue",
    ]
    assert game.omniscient.broken_invariants() == []
    assert game.result is not None
    assert game.result.scores == {"Ann": 2, "Bob": 1}
    game.undo()
    game.undo()
    assert game.hash == before


def test_states_name_what_belongs_to_a_seat(play: Play) -> None:
    state = state_json(take(play(CLAIMS, "Ann Bob"), "claim(Ann_blue)"))
    assert state["entities"]["claim"]["Ann_blue"] == {"size": 1}
    assert state["pieces"]["knight"] == {"Ann": {"supply": 3}, "Bob": {"supply": 4}}
    assert state["pieces"]["man"]["Ann.pawn"] == {"box": 7, "at[south]": 1}
    assert state["pieces"]["seal"]["red"] == {"on[Ann_blue]": 1, "on[Bob_blue]": 1}


def test_a_position_may_be_given(play: Play) -> None:
    game = play(CLAIMS, "Ann Bob")
    game.omniscient.set_value("knight[Bob].at[north]", "3")
    game.omniscient.set_value("claim[Bob, blue].size", "2")
    game.omniscient.set_value("last", "Bob_blue")
    values = ("knight[Bob].supply", "Bob_blue.size", "last", "last == claim[Bob, blue]")
    assert [game.omniscient.value(x) for x in values] == ["1", "2", "Bob_blue", "true"]


def test_the_number_of_seats_is_put_in_when_a_game_begins(play: Play) -> None:
    game = play(CLAIMS, "A B C")
    assert game.omniscient.value("claim") == "{A_red, A_blue, B_red, B_blue, C_red, C_blue}"
    assert [game.omniscient.value(x) for x in ("knight[C].supply", "knight[C].at[south]")] == ["5", "1"]
    assert game.omniscient.value("count(claim)") == "6"


@pytest.mark.parametrize("seats", [("A", "A_x", "B"), ("A b", "A")])
def test_names_of_seats_tell_entities_apart(seats: tuple[str, ...], tmp_path: Path) -> None:
    text = CLAIMS.replace("red: {home: north}", "red: {home: north}, x_red: {home: north}")
    ruleset = small(tmp_path / "small", text)
    if seats[0] == "A":
        with pytest.raises(DiagnosticsError, match=r"two entities of `claim` would be called `A_x_red`"):
            Game(ruleset, dict(zip(seats, seats, strict=True)))
        assert Game(ruleset, seats).names == dict(zip("ABC", seats, strict=True))  # allowed as names
    else:
        assert Game(ruleset, seats).omniscient.value("count(claim)") == "6"


def test_facts_of_what_belongs_to_a_seat_are_checked(tmp_path: Path) -> None:
    checks = "checks: {%s: {that: %s, text: T}}"
    for that, said in (
        ("claim.colour.index < 2", []),
        ("claim.colour != red", ["`seat 1_red`", "`seat 2_red`", "`seat 3_red`", "`seat 4_red`"]),
    ):
        text = CLAIMS.replace("colour], state", f"colour], {checks % ('fit', that)}, state")
        ruleset = small(tmp_path / "small", text)
        results = [d.message.split(" fails")[0] for d in failed_checks(ruleset.declarations, ruleset.layers)]
        assert results == said


SIDES = """
procedure play():
    set guard to white
    for c in side after white:
        turn(c)
    end game as drawn won by {white}
procedure turn(c: side):
    decide move by c:
        option step(f in field where pawn[c].on[f] > 0):
            move 1 of pawn[c] from on[f] to on[f.to_north if c.forward == north else f.to_south]
        option give(d in side where d != c and d == c.foe):
            set c.gifts to c.gifts + drift[d]
            match d:
                case white: set first_gift to claim[white, red]
                case black: set first_gift to claim[d, blue]
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: side, seats: [white, black]}
start: play
--- kinds.yaml
kinds:
  way: {entities: {north: {}, south: {}}}
  colour: {entities: {red: {}, blue: {}}}
  field:
    facts: {to_north: field, to_south: field, of: side}
    entities: {low: {to_north: high, to_south: low, of: white}, high: {to_north: high, to_south: low, of: black}}
  side:
    facts: {forward: way, foe: side, homes: set field}
    seats:
      - {title: White, forward: north, foe: black, homes: [low]}
      - {title: Black, forward: south, foe: white, homes: [high]}
    checks:
      foes: {that: side.foe.foe == side and side.foe != side, text: foes of one another}
    state: {gifts: {type: int}}
  claim: {product: [side, colour]}
state:
  guard: {type: side, start: black}
  first_gift: {type: claim?}
pieces:
  pawn: {each: [side], places: {on: {index: field}}}
--- tables.yaml
tables:
  drift: {key: side, value: int, rows: {white: 2, black: 5}}
--- setup.yaml
setup:
  pieces: {pawn.on: {white: {low: 1}, black: {high: 2}}}
  state: {side.black.gifts: 3}
"""


def test_seats_that_every_game_has_may_have_names(play: Play) -> None:
    game = play(SIDES, "white black")
    assert game.ruleset.players == (2, 2)
    values = ("guard", "next(white)", "side.black.forward", "black.foe", "white.homes", "low.of", "black.gifts")
    assert [game.omniscient.value(x) for x in values] == ["white", "black", "south", "white", "{low}", "white", "3"]
    assert listed(game) == ["step(high)", "give(white)"]
    take(game, "step(high)")
    assert game.omniscient.value("pawn[black].on[low]") == "1"
    take(game, "give(black)")
    assert [game.omniscient.value(x) for x in ("white.gifts", "first_gift")] == ["5", "black_blue"]
    assert game.result is not None
    assert game.result.winners == ["white"]


def test_a_table_may_call_seats_otherwise(play: Play) -> None:
    game = play(SIDES, "Ann Bob")
    assert listed(game) == ["step(high)", "give(Ann)"]
    assert [game.omniscient.value(x) for x in ("white", "Bob.foe", "black == Bob", "guard")] == [
        "Ann",
        "Ann",
        "true",
        "Ann",
    ]
    assert str(take(game, "give(white)").history[0]) == "give(Ann)"
    assert game.omniscient.value("first_gift") == "Ann_red"
    with pytest.raises(
        DiagnosticsError, match="`white` is the rules' name for seat 1, so it cannot be the id of seat 2"
    ):
        Game(game.ruleset, {"Ann": "Ann", "white": "Bob"})
    assert play(SIDES, "Ann white").names == {"white": "Ann", "black": "white"}


def test_names_of_some_seats(play: Play) -> None:
    text = SIDES.replace("seats: [white, black]}", "min: 2, max: 3, seats: [white, black]}")
    text = text.replace("    checks:", "      - {forward: north, foe: black}\n    checks:")
    text = text.replace("side.foe.foe == side and ", "").replace("key: side,", "key: way,")
    text = text.replace("rows: {white: 2, black: 5}", "rows: {north: 2, south: 5}").replace(
        "drift[d]", "drift[d.forward]"
    )
    with pytest.raises(DiagnosticsError, match="`match` has no case for seats without a name"):
        play(text)
    game = play(text.replace("case black: set", "else: set"), "white black C")
    assert [game.omniscient.value(x) for x in ("side", "next(black)", "C.foe", "claim")] == [
        "{white, black, C}",
        "C",
        "black",
        "{white_red, white_blue, black_red, black_blue, C_red, C_blue}",
    ]


FACTS = """
procedure play():
    decide go by the(p in player where p.colour == green):
        option stop:
            pass
    end game
--- kinds.yaml
kinds:
  colour: {entities: {red: {}, green: {}, blue: {}, grey: {}}}
  player:
    facts: {colour: colour, purse: money, rich: bool, partner: colour?, near: set colour}
    seats:
      - {colour: red, purse: 3, near: [green]}
      - {colour: green, purse: 4, partner: red}
      - {colour: blue, purse: 5, rich: true}
      - {colour: grey, purse: "2 + 4"}
    state: {cash: {account: money}}
accounts: {bank: {account: money, unlimited: true}}
--- setup.yaml
setup:
  accounts: {player.cash: player.purse}
"""


def test_the_first_facts_are_of_the_first_seats(play: Play) -> None:
    game = play(FACTS, "Ann Bob Cid")
    assert game.decision is not None
    assert game.decision.by == "Bob"
    values = ("Cid.colour", "Ann.cash", "sum(p.cash for p in player)", "Bob.partner", "Ann.partner", "Ann.near")
    assert [game.omniscient.value(x) for x in values] == ["blue", "3", "12", "red", "none", "{green}"]
    assert game.omniscient.value("{p in player where p.rich}") == "{Cid}"
    four = play(FACTS, "Ann Bob Cid Dot")
    assert four.omniscient.value("{p.colour for p in player}") == "{red, green, blue, grey}"
