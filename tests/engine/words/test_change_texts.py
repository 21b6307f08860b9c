"""Changes as a person says them: what a set has won and lost, what has gone from space to space."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small, write

from rulespec.engine.game.events import Event
from rulespec.engine.game.game import Game
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

FILES = {
    "game.yaml": "id: pond\ntitle: Pond\nversion: '1'\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n",
    "boards.yaml": "boards: {leaf: {grid: {columns: a..c, rows: 1..2}}}\n",
    "kinds.yaml": """
kinds:
  frog: {entities: {green: {}, brown: {}}}
  leaf: {state: {frog: {type: "frog?"}, owner: {type: "player?"}}}
  player: {}
state: {seen: {type: set frog}}
""",
    "rules/play.rules": """
procedure play():
    set a1.frog to green
    set b1.frog to brown
    set a2.owner to first(player)
    set seen to {green}
    repeat at most 9:
        decide leap by first(player):
            option one(x in leaf where x.frog is some, y in leaf where y.frog is none):
                let goes = x.frog
                set x.frog to none
                set y.frog to goes
            option both:
                set a1.frog to none
                set b1.frog to none
                set c1.frog to green
                set c2.frog to green
            option owned:
                set a2.owner to none
                set b2.owner to first(player)
            option take:
                set a1.frog to none
                set b1.frog to green
            option turn:
                set a1.frog to brown
            option swap:
                set a1.frog to brown
                set b1.frog to green
            option forget: set seen to {}
            option see: set seen to {green, brown}
            option look_away: set seen to {brown}
""",
}


@pytest.fixture
def game(tmp_path: Path) -> Game:
    write(tmp_path / "pond", FILES)
    return Game(load_ruleset(str(tmp_path / "pond")), ["Ann", "Bob"])


def changes_by(game: Game, *options: str) -> list[str]:
    """The changes by the last of some options."""
    changes = Changes(Narrator(Words(game.ruleset), game))
    for option in options:
        before = changes.snapshot()
        game.apply(game.parse(option))
    return [change.text for change in changes.since(before)]


def test_what_leaves_a_space_and_comes_to_another_has_gone_there(game: Game) -> None:
    changes = Changes(Narrator(Words(game.ruleset), game))
    before = changes.snapshot()
    game.apply(game.parse("one(a1, c2)"))
    (change,) = changes.since(before)
    assert change.text == "green: a1 → c2" and change.where == ("leaf.a1", "leaf.c2")


def test_what_comes_twice_has_not_gone(game: Game) -> None:
    assert changes_by(game, "both") == [
        "green leaves a1",
        "brown leaves b1",
        "c1 frog: green",
        "c2 frog: green",
    ]


def test_what_is_taken_by_what_comes_leaves(game: Game) -> None:
    assert changes_by(game, "take") == ["green: a1 → b1", "brown leaves b1"]


def test_what_turns_into_something_else_stays_where_it_is(game: Game) -> None:
    assert changes_by(game, "turn") == ["a1 frog: green → brown"]
    assert changes_by(game, "swap") == ["b1 frog: brown → green"]


def test_what_is_empty_is_told_with_what_was_there(game: Game) -> None:
    assert changes_by(game, "forget") == ["seen: green → none"]
    assert changes_by(game, "see", "forget") == ["seen: green, brown → none"]


def test_who_owns_a_space_does_not_go(game: Game) -> None:
    assert changes_by(game, "owned") == ["a2 owner: Ann → nobody", "b2 owner: Ann"]


def test_a_set_is_told_by_what_it_has_won_and_lost(game: Game) -> None:
    assert changes_by(game, "see") == ["seen: also brown"]
    assert changes_by(game, "look_away") == ["seen: no longer green"]


def test_a_set_that_keeps_nothing_is_told_whole(game: Game) -> None:
    assert changes_by(game, "look_away") == ["seen: green → brown"]


STONES = """
procedure play():
    set a1.stone to first(player)
    set rested to {p in player}
    repeat at most 9:
        decide put by first(player):
            option put(x in pad where x.stone is none):
                set x.stone to last(player)
            option take(x in pad where x.stone is some):
                set x.stone to none
            option shift:
                set a1.stone to none
                set b1.stone to first(player)
            option deal:
                move 2 of cart from supply to at[a1]
                move 1 of cart from supply to at[b1]
            option gather:
                move cart.at[a1] of cart from at[a1] to heap
                move cart.at[b1] of cart from at[b1] to heap
            option spread:
                move 1 of cart from at[a1] to at[b2]
                move 1 of cart from heap to supply
            option wake: set rested to {}
    end game as over

scoring p in player:
    score 1
--- game.yaml
id: stones
title: Stones
version: "1.0"
players: {kind: player, min: 3, max: 3}
start: play
--- boards.yaml
boards: {pad: {grid: {columns: a..b, rows: 1..2}}}
--- kinds.yaml
kinds:
  pad: {state: {stone: {type: "player?"}}}
  player: {}
pieces: {cart: {each: [], places: {supply: {}, heap: {}, at: {index: pad}}}}
state: {rested: {type: set player}}
--- setup.yaml
setup: {pieces: {cart.supply: 6}}
"""


@pytest.fixture
def stones(tmp_path: Path) -> Game:
    return Game(small(tmp_path / "stones", STONES), ["Ann", "Bob", "Cid"])


def test_a_space_that_holds_a_seat_alone_holds_its_piece(stones: Game) -> None:
    assert changes_by(stones, "put(b2)") == ["b2: stone of Cid"]
    assert changes_by(stones, "take(b2)") == ["stone of Cid leaves b2"]
    assert changes_by(stones, "shift") == ["stone of Ann: a1 → b1"]


def test_pieces_that_come_from_one_place_or_go_to_one_move(stones: Game) -> None:
    assert changes_by(stones, "deal") == ["cart: supply → at a1 (2)", "cart: supply → at b1"]
    assert changes_by(stones, "gather") == ["cart: at a1 → heap (2)", "cart: at b1 → heap"]


def test_of_pieces_that_come_from_anywhere_each_place_has_its_number(stones: Game) -> None:
    assert changes_by(stones, "deal", "gather", "deal", "spread") == [
        "cart (supply): 0 → 1",
        "cart (heap): 3 → 2",
        "cart (at a1): 2 → 1",
        "cart (at b2): 0 → 1",
    ]


def test_a_set_that_loses_many_names_none(stones: Game) -> None:
    assert changes_by(stones, "wake") == ["rested: nobody"]


SHOP = {
    "game.yaml": """
id: shop
title: Shop
version: '1'
players: {kind: player, min: 2, max: 2}
units: [money, point]
start: play
""",
    "boards.yaml": "boards: {leaf: {grid: {columns: a..c, rows: 1..1}}}\n",
    "kinds.yaml": """
kinds:
  player: {state: {cash: {account: money}, points: {type: point}, laps: {type: int}, known: {type: bool}}}
  leaf: {state: {sown: {type: bool}}}
state: {sales: {type: int}, leader: {type: "player?"}}
accounts: {bank: {account: money}}
pieces:
  frog: {each: [player], places: {pond: {}, at: {index: leaf}}}
  card: {each: [player], places: {stack: {}, held: {index: player}}}
""",
    "setup.yaml": """
setup:
  pieces: {frog.pond: 2, card.stack: 2}
  accounts: {player.cash: 9, bank: 9}
""",
    "measures.yaml": "measures: {laps: {of: player, value: player.laps}}\n",
    "titles.yaml": """
language: en
units: {money: "{number} pence", point: {count: number, one: "1 point", other: "{number} points"}}
fields: {player.points: points of fame}
""",
    "titles.de.yaml": """
units: {money: "€{number}", point: {count: number, one: "1 Punkt", other: "{number} Punkte"}}
fields: {player.points: Ruhm}
""",
    "rules/play.rules": """
procedure play():
    repeat at most 9:
        decide trade by first(player):
            option buy(x in leaf, q in player):
                let p = first(player)
                set sales to sales + 1
                set p.known to true
                set p.laps to p.laps + 1
                set p.points to p.points + 1 point
                set leader to p
                pay 3 money from p.cash to bank
                pay 2 money from q.cash to bank
                set x.sown to true
                move 1 of card[p] from stack to held[p]
                move 1 of frog[p] from pond to at[c1]
                move 1 of frog[q] from pond to at[x]
""",
}


@pytest.fixture
def shop(tmp_path: Path) -> Game:
    write(tmp_path / "shop", SHOP)
    return Game(load_ruleset(str(tmp_path / "shop")), ["Ann", "Bob"])


def bought(game: Game, language: str = "en") -> list[str]:
    """The changes by a purchase, from the position before it."""
    twin = game.copy()
    changes, option = Changes(Narrator(Words(game.ruleset, language), twin)), twin.parse("buy(a1, Bob)")
    before = changes.snapshot()
    twin.apply(option)
    return [change.text for change in changes.since(before, option)]


def test_what_the_option_names_comes_first_then_boards_hands_amounts_and_counters(shop: Game) -> None:
    assert bought(shop) == [
        "Bob frog: pond → at a1",
        "a1 sown: no → yes",
        "Bob cash: 9 → 7 pence",
        "Ann frog: pond → at c1",
        "Ann card: stack → held Ann",
        "Ann cash: 9 → 6 pence",
        "Ann points of fame: 0 → 1",
        "Ann laps: 0 → 1",
        "leader: Ann",
        "bank: 9 → 14 pence",
        "Ann known: no → yes",
        "sales: 0 → 1",
    ]


def test_the_order_does_not_depend_on_the_option_if_nobody_has_seen_it(shop: Game) -> None:
    changes = Changes(Narrator(Words(shop.ruleset), shop))
    before, option = changes.snapshot(), shop.parse("buy(a1, Bob)")
    shop.apply(option)
    hidden = changes.since(before, Event(option.decision, option.by, None))
    assert hidden == changes.since(before) and hidden != changes.since(before, option)
    assert sorted(each.text for each in hidden) == sorted(each.text for each in changes.since(before, option))


def test_amounts_have_their_unit_in_the_language_of_the_reader(shop: Game) -> None:
    """A unit before the number stands at both, one after it at the last; a title that names it makes it superfluous."""
    texts = bought(shop, "de")
    assert {"Ann cash: €9 → €6", "Ann Ruhm: 0 → 1 Punkt", "bank: €9 → €14"} <= {*texts}


def test_a_value_that_begins_with_the_title_of_its_field_is_shown_without_it(tmp_path: Path) -> None:
    files = {
        "game.yaml": "id: days\ntitle: Days\nversion: '1'\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n",
        "kinds.yaml": """
kinds:
  player: {}
  day: {entities: {day_1: {}, day_2: {}}}
  mood: {entities: {day_dream: {}, calm: {}}}
state:
  now: {type: day, start: day_1}
  today: {type: day, start: day_1}
  last: {type: "day?"}
  wish: {type: "mood?"}
""",
        "titles.yaml": "fields: {now: day, last: day, wish: day}\n",
        "rules/play.rules": """
procedure play():
    decide go by first(player):
        option go:
            set now to day_2
            set today to day_2
            set last to day_2
            set wish to day_dream
    decide end_it by first(player):
        option go_on: set wish to calm
        option rest: set wish to none
    end game as over
""",
    }
    write(tmp_path / "days", files)
    game = Game(load_ruleset(str(tmp_path / "days")), ["Ann", "Bob"])
    changes = Changes(Narrator(Words(game.ruleset), game))
    before = changes.snapshot()
    game.apply(game.legal_options[0])
    shown = [change.text for change in changes.since(before)]
    assert shown == ["day 1 → day 2", "today: day 1 → day 2", "day 2", "day dream"]
    before = changes.snapshot()
    game.apply(game.legal_options[0])
    assert [change.text for change in changes.since(before)] == ["day: day dream → calm"]
