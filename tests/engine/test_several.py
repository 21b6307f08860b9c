"""Sets and bags as parameters: listed in a fixed order, tested, drawn, moved, paid and logged, under both backends."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from cases import split, write
from click.testing import CliRunner
from folders import RULESETS
from hypothesis import given, settings
from hypothesis import strategies as st
from machines_alike import MACHINES, Length, Table, beside_the_interpreter, needs_wasm
from wide_arguments import wide_arguments
from worlds import WORLD, Play, listed, take

from rulespec.cli.main import cli
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import IllegalOptionError, UnlistedOptionsError
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.simulate.checked_playouts import play_out, takes_any
from rulespec.language import bags, several
from rulespec.load import load_ruleset

PANTRY = load_ruleset(str(RULESETS / "pantry"))

RULES = """
procedure play():
    for p in player:
        decide move by p:
            option close(two in choose 2 of town where sum(t.tax for t in two) > 9 "T-1: too small"):
                for t in two:
                    set t.owner to p
                set n to count(two)
            option load(lot in choose 1 .. 2 of cart.supply where lot[salt] < 2 "T-2: too salty", t in {oak, ash}):
                require corn in lot or t == oak  "T-3: corn for ash"
                cost lot of cart from supply to at[t]
                set n to 10 * count(lot) + lot[corn]
            option fetch(lot in choose few .. few of cart.at[elm]):
                move lot of cart from at[elm] to supply
            option mark(some_towns in choose -1 .. 1 of oak.near):
                set towns to some_towns
    end game as done
"""


def test_one_option_for_each_in_one_order(play: Play) -> None:
    game = play(RULES + WORLD)
    assert listed(game) == [
        *("close({oak, ash})", "close({oak, fir})", "close({elm, ash})", "close({elm, fir})", "close({ash, fir})"),
        *("load({corn}, oak)", "load({corn}, ash)", "load({salt}, oak)"),
        *("load({2 corn}, oak)", "load({2 corn}, ash)", "load({corn, salt}, oak)", "load({corn, salt}, ash)"),
        *("fetch({})", "mark({})", "mark({elm})"),
    ]
    assert game.legal_options[0].arguments == {"two": "{oak, ash}"}
    assert game.parse("load({2 corn}, oak)").parts == [("good", "corn"), ("good", "corn"), ("town", "oak")]


def test_an_option_says_why_it_is_refused(play: Play) -> None:
    game = play(RULES + WORLD)
    for text, reason in (
        ("close({oak, elm})", "T-1"),
        ("close({oak})", "T-1: too small (two = {oak})"),
        ("fetch({salt})", "`{salt}` is not few .. few of cart.at[elm]"),
        ("load({salt}, ash)", "T-3"),
        ("load({2 salt}, oak)", "T-2"),
        ("load({9 corn}, oak)", "T-2: too salty (lot = {9 corn})"),
        ("mark({ash})", "is not -1 .. 1 of oak.near"),
    ):
        assert reason in str(game.why_not(game.parse(text))), text
        with pytest.raises(IllegalOptionError, match="not legal"):
            game.apply(game.parse(text))


def test_texts_are_read_in_any_order(play: Play) -> None:
    game = play(RULES + WORLD)
    assert str(game.parse("close( { fir,oak } )")) == "close({oak, fir})"
    assert str(game.parse("load({salt, 1 corn}, ash)")) == "load({corn, salt}, ash)"
    for text, note in (
        ("close(oak)", "not a set"),
        ("close({oak, oak})", "twice"),
        ("close({oak, elk})", "no town `elk`"),
        ("close({2 oak})", "no town `2 oak`"),
        ("load({0 corn}, oak)", "is not a number of pieces .for `lot`.: write 1 to 255"),
        ("load({corn}, oak", "does not end"),
        ("load({corn, oak)", "takes"),
        ("load({256 corn}, oak)", "is not a number of pieces .for `lot`.: write 1 to 255"),
    ):
        with pytest.raises(ValueError, match=note):
            game.parse(text)


def test_a_bag_is_paid_moved_and_taken_back(play: Play) -> None:
    game = play(RULES + WORLD)
    before = game.hash
    take(game, "load({corn, salt}, ash)")
    assert [game.omniscient.value(f"cart[{g}].at[ash]") for g in ("corn", "salt")] == ["1", "1"]
    assert game.omniscient.value("n") == "21"
    take(game, "close({elm, fir})")
    assert game.omniscient.value("{t in town where t.owner is some}") == "{elm, fir}"
    game.undo()
    game.undo()
    assert game.hash == before


def test_costs_of_one_place_add_up(play: Play) -> None:
    rules = """
procedure play():
    for p in player:
        decide move by p:
            option send(lot in choose 1 .. 3 of cart.supply, more in choose 0 .. 3 of cart.supply):
                cost lot of cart from supply to at[oak]
                cost 1 of cart[salt] from supply to at[elm]
                cost more of cart from supply to at[ash]
            option stay: pass
    end game
"""
    game = play(rules + WORLD)
    assert game.is_legal(game.parse("send({2 salt}, {})"))
    assert not game.is_legal(game.parse("send({3 salt}, {})"))
    assert not game.is_legal(game.parse("send({2 salt}, {salt})"))
    take(game, "send({salt, 2 corn}, {salt, 2 corn})")
    assert game.omniscient.value("cart[salt].supply") == "0"
    assert game.omniscient.value("cart[corn].supply") == "1"


DEAL = """
procedure play():
    roll deal(hand in choose 13 of card where count(hand & low) > 0 "no low card")
    set held to hand
    decide keep by first(player):
        option keep(kept in choose 6 of held): set held to kept
        option all_of_it: pass
        otherwise: pass
    for p in player:
        decide toss by p:
            option toss(out in choose 20 of low): set held to out
            otherwise: set held to {}
    end game as done

scoring p in player:
    score count(held)
--- kinds.yaml
kinds:
  card: {entities: {CARDS}}
  player: {}
state: {held: {type: set card}, low: {type: set card}}
--- setup.yaml
setup: {state: {low: "{c0, c1, c2}"}}
"""


@pytest.fixture
def deal(play: Play) -> Game:
    return play(DEAL.replace("CARDS", ", ".join(f"c{n}: {{}}" for n in range(52))))


def test_too_many_are_tested_and_drawn_without_listing(deal: Game) -> None:
    with pytest.raises(UnlistedOptionsError, match="635,013,559,600 sets") as caught:
        len(deal.legal_options)
    assert caught.value.number == 635_013_559_600
    assert caught.value.diagnostic.code == "RS418"
    assert deal.legal_options.unlisted == caught.value.number and takes_any(deal)
    hand = ", ".join(f"c{n}" for n in range(2, 15))
    assert deal.is_legal(deal.parse(f"deal({{{hand}}})"))
    assert not deal.is_legal(deal.parse(f"deal({{{hand.replace('c2, ', '')}, c20}})"))
    drawn = [deal.drawn(Draws(7, game).tries(1)) for game in range(20)]
    assert all(option is not None and deal.is_legal(option) for option in drawn)
    counts = Counter(card for option in drawn if option is not None for _, card in option.parts)
    assert sum(counts[f"c{n}"] for n in range(3)) >= 20
    take(deal, f"deal({{{hand}}})")
    assert len(deal.legal_options) == 1 + 1_716 and not deal.legal_options.unlisted


def test_a_decision_is_skipped_where_none_of_many_can_be(deal: Game) -> None:
    played = play_out(deal, 3, 5)
    assert (played.ending, played.failure) == ("done", None)
    assert [option.name for option in deal.history] == ["deal", deal.history[1].name]
    assert played.scores == {"ann": 0, "bob": 0}


def test_drawing_is_even(play: Play) -> None:
    """A draw by rejection, which refuses most candidates, is as even as one from a list."""
    rules = """
procedure play():
    decide move by first(player):
        option close(two in choose 2 of town where oak in two): pass
        option stay: pass
        option load(lot in choose 2 of cart.supply): pass
    end game
"""
    game = play(rules + WORLD)
    draws = Counter(str(game.drawn(Draws(1, n).tries(0))) for n in range(700))
    assert set(draws) == set(listed(game))
    assert all(60 < number < 145 for number in draws.values()), draws


def test_sets_and_bags_wider_than_a_word(play: Play) -> None:
    rules = """
procedure play():
    for p in player:
        decide move together by q in player:
            option take(two in choose 2 of {e0, e5, e63, e64, e69}, lot in choose 2 of coin.box):
                cost lot of coin from box to purse[q]
                set marks to marks | two
            option wait: pass
    end game as done
--- kinds.yaml
kinds:
  sort: {entities: {SORTS}}
  edge: {entities: {EDGES}}
  player: {}
state: {marks: {type: set edge}}
pieces: {coin: {each: [sort], places: {box: {}, purse: {index: player}}}}
--- setup.yaml
setup: {pieces: {coin.box: {s0: 1, s7: 2, s8: 1, s19: 2}}}
"""
    rules = rules.replace("SORTS", ", ".join(f"s{n}: {{}}" for n in range(20)))
    game = play(rules.replace("EDGES", ", ".join(f"e{n}: {{}}" for n in range(70))))
    assert len(game.legal_options) == 1 + 10 * 8
    take(game, "take({e0, e69}, {2 s19})", "take({e5, e63}, {s0, s8})")
    assert game.omniscient.value("marks") == "{e0, e5, e63, e69}"
    assert game.omniscient.value("coin[s19].purse[ann]") == "2"
    assert listed(game)[:2] == ["take({e0, e5}, {2 s7})", "take({e0, e63}, {2 s7})"]


@needs_wasm
def test_games_with_arguments_wider_than_a_word_are_the_same(tmp_path: Path) -> None:
    beside_the_interpreter("batch", Table(wide_arguments(tmp_path), 2), Length(4), random.Random(1))


@pytest.mark.parametrize("machine", MACHINES)
def test_whole_games_are_the_same(machine: str) -> None:
    beside_the_interpreter(machine, Table(PANTRY, 3), Length(20, 5), random.Random(machine))


def test_a_private_choice_stays_so() -> None:
    game = Game(PANTRY, ["A", "B"])
    take(game, "kit({ladle, peeler})", "kit({knife, tongs})", "rest", "stow({ladle})")
    mine, theirs = (str(game.view(seat).history[-1]) for seat in "AB")
    assert "stow({ladle})" in mine
    assert "stow(?)" in theirs
    assert "kit(?)" in str(game.view("B").history[0])


def test_a_seat_that_cannot_be_shown_all_is_shown_none(play: Play) -> None:
    rules = """
procedure play():
    choose pick(some_cards in choose 9 of {c0, c9} | low) by first(player)
    end game
"""
    cards = ", ".join(f"c{n}: {{}}" for n in range(52))
    game = play(
        rules + DEAL.partition("--- kinds.yaml")[1] + DEAL.partition("--- kinds.yaml")[2].replace("CARDS", cards)
    )
    game.omniscient.set_value("low", "card")
    assert game.legal_options.unlisted == 3_679_075_400
    assert game.view("ann").options == () == game.view("bob").options
    assert game.drawn(Draws(1).tries(0)) is not None


def test_overlays_change_how_many_and_which() -> None:
    game = Game(load_ruleset(f"{RULESETS / 'pantry'}+lean"), ["A", "B"])
    take(game, "kit({ladle, peeler})", "kit({knife, tongs})")
    assert "is not 1 .. 2" not in str(game.why_not(game.parse("buy({2 plum})")))
    assert not game.is_legal(game.parse("buy({3 plum})"))
    assert "PAN-04" in str(game.why_not(game.parse("buy({quince})")))


def test_scenarios_say_sets_and_bags() -> None:
    assert CliRunner().invoke(cli, ["test", str(RULESETS / "pantry")]).exit_code == 0


def test_games_are_logged_and_read_again(tmp_path: Path) -> None:
    game = Game(PANTRY, ["A", "B"])
    play_out(game, 4, 2)
    write_log(tmp_path / "game.jsonl", game)
    again = replay_log(str(tmp_path / "game.jsonl"))
    assert "buy({" in (tmp_path / "game.jsonl").read_text("utf-8")
    assert again.game.hash == game.hash


def test_candidates_that_are_tried(tmp_path: Path) -> None:
    """Steps of listing: at most two per option, plus what is evaluated once."""
    rules = """
procedure play():
    choose down(two in choose 2 of {c0, c1, c2, c3, c4}) by first(player)
    choose three(out in choose 3 of {c in card where c.index < 12}) by first(player)
    choose shares(lot in choose 0 .. 3 of share.stock) by first(player)
    end game
--- kinds.yaml
kinds:
  card: {entities: {CARDS}}
  firm: {entities: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}}}
  player: {}
pieces: {share: {each: [firm], places: {stock: {}, held: {index: player}}}}
--- setup.yaml
setup: {pieces: {share.stock: 25}}
""".replace("CARDS", ", ".join(f"c{n}: {{}}" for n in range(52)))
    ruleset = load_ruleset(str(write(tmp_path / "small", split(rules, "rules/play.rules"))))
    game = Game(ruleset, ["A", "B"], backend="interpreter")
    machine = game.omniscient.numbers.machine
    assert isinstance(machine, Interpreter)
    for options in (10, 220, 120):
        before = machine.left
        assert len(game.legal_options) == options
        assert before - machine.left <= 2 * options + 150  # the source is evaluated once
        game.apply(game.legal_options[0])


sizes = st.lists(st.integers(0, 3), min_size=1, max_size=6)


@settings(deadline=None)
@given(rooms=sizes, least=st.integers(-2, 4), most=st.integers(-2, 6))
def test_bags_are_counted_listed_and_picked_alike(rooms: list[int], least: int, most: int) -> None:
    source = sum(room << bags.BITS * at for at, room in enumerate(rooms))
    every = list(several.bags(source, least, most))
    assert len(set(every)) == len(every) == several.ways(rooms, least, most)
    assert all(several.is_bag(bag, source, least, most) for bag in every)
    for number in {0, len(every) // 3, len(every) - 1} if every else ():
        picked = several.picked(rooms, least, most, number)
        assert sum(n << bags.BITS * at for at, n in enumerate(picked)) == every[number]
    assert [bags.total(bag) for bag in every] == sorted(map(bags.total, every))


@settings(deadline=None)
@given(source=st.integers(0, 1 << 10), least=st.integers(-2, 4), most=st.integers(-2, 6), other=st.integers(0, 1 << 10))
def test_sets_are_counted_and_listed_alike(source: int, least: int, most: int, other: int) -> None:
    every = list(several.subsets(source, least, most))
    assert len(set(every)) == len(every) == several.ways([1] * source.bit_count(), least, most)
    assert (other in every) == several.is_subset(other, source, least, most)


HANDFUL = """
procedure play():
    repeat at most 3:
        roll drawn(c in colour) weight ball[c].bag
        move 1 of ball[c] from bag to table
    end game as over
scoring p in player:
    score ball[white].table
--- kinds.yaml
kinds:
  colour: {entities: {white: {}, black: {}, red: {}}}
  player: {}
pieces:
  ball: {each: [colour], places: {bag: {}, table: {}}}
--- setup.yaml
setup:
  pieces: {ball.bag: {white: 2, black: 5, red: 4}}
"""


def test_single_draws_have_the_odds_of_a_handful(play: Play) -> None:
    """Three of eleven balls, one after another, beside the multivariate hypergeometric distribution."""
    odds: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)

    def go_on(game: Game, share: Fraction) -> None:
        if game.is_over:
            odds[tuple(int(game.omniscient.value(f"ball[{c}].table")) for c in ("white", "black", "red"))] += share
            return
        weight = game.omniscient.numbers.weight
        weights = [(option, weight(option.kind.choice, option.args)) for option in game.legal_options]
        for option, parts in weights:
            if parts:
                further = game.copy()
                further.apply(option)
                go_on(further, share * Fraction(parts, sum(each for _, each in weights)))

    go_on(play(HANDFUL), Fraction(1))
    ways = {(w, b, r): comb(2, w) * comb(5, b) * comb(4, r) for w in range(4) for b in range(4) for r in range(4)}
    expected = {bag: Fraction(number, comb(11, 3)) for bag, number in ways.items() if sum(bag) == 3 and number}
    assert dict(odds) == expected
