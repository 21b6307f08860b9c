"""Games that look the same to a seat, where walking again what it has seen comes to dead ends: wasm draws them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from cases import small
from exact_odds import exact, noise, played
from folders import TESTS

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.engine.game.game import Game
from rulespec.engine.game.seat_knowledge import NotFoundError, retraced
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.particles import Particles
from rulespec.engine.search.twins import determinize, particle_rows, particles
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.load import load_ruleset

DECKS = """
--- game.yaml
id: decks
title: Decks
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  card: {facts: {price: int, worth: int}, entities: {penny: {price: 0, worth: 1}, crown: {price: 3, worth: 2},
    manor: {price: 2, worth: 0}, mill: {price: 2, worth: 0}, well: {price: 1, worth: 0}}}
  player: {}
state: {purse: {type: int}}
pieces:
  copy:
    each: [card]
    places:
      supply: {}
      deck: {index: player, private: {to: "{}"}}
      hand: {index: player, private: true}
      discard: {index: player}
      table: {}
--- setup.yaml
setup:
  pieces:
    copy.supply: 12
    copy.deck: {penny: 6, well: 3}
--- rules/play.rules
procedure play():
    for p in player:
        draw(p, 4)
    repeat at most 30:
        for p in player:
            decide action by p:
                option dig(x in card where copy[x].hand[p] > 0 and x.worth == 0):
                    move 1 of copy[x] from hand[p] to table
                    draw(p, 2)
                option none_of_it:
                    pass
            set purse to 0
            for c in card where c.worth > 0:
                set purse to purse + c.worth * copy[c].hand[p]
                move copy[c].hand[p] of copy[c] from hand[p] to table
            decide purchase by p:
                option buy(c in card where c.price <= purse and copy[c].supply > 0):
                    move 1 of copy[c] from supply to discard[p]
                option nothing:
                    pass
            for c in card:
                move copy[c].hand[p] of copy[c] from hand[p] to discard[p]
                move copy[c].table of copy[c] from table to discard[p]
            draw(p, 4)
    end game

procedure draw(p: player, n: int):
    repeat at most n:
        if sum(copy[c].deck[p] for c in card) == 0:
            for c in card:
                move copy[c].discard[p] of copy[c] from discard[p] to deck[p]
        if sum(copy[c].deck[p] for c in card) == 0:
            return
        roll drawn(c in card private to p) weight copy[c].deck[p]
        move 1 of copy[c] from deck[p] to hand[p]

scoring p in player:
    score copy[manor].discard[p]
"""
"""Decks that grow: hands are drawn unseen, and laid openly in each turn."""


@pytest.fixture
def hearts(tmp_path: Path) -> Game:
    """A deal of Hearts in the middle of the tricks: cards were passed, and some players had none of a suit."""
    rules = small(tmp_path / "hearts", (TESTS / "fixtures" / "hearts.txt").read_text("utf-8"))
    game, choose = Game(rules, ["A", "B", "C", "D"]), random.Random(5)
    while game.ply < 90:
        game.apply(choose.choice(list(game.legal_options)))
    return game


@pytest.mark.proof
def test_a_hand_of_cards_is_drawn_where_walking_comes_to_dead_ends(hearts: Game) -> None:
    with pytest.raises(NotFoundError):
        retraced(hearts, "A", 1, random.Random(1), 1_000)
    twins = particles(hearts, "A", 3, random.Random(1))
    assert all(twin.view("A") == hearts.view("A") for twin in twins)
    assert len({str(twin.history) for twin in [hearts, *twins]}) == 4
    assert str(particles(hearts, "A", 3, random.Random(1))[2].history) == str(twins[2].history)


def test_a_bound_for_all_games_gives_those_that_were_found() -> None:
    table = Game(load_ruleset("kuhn_poker"), ["Ann", "Bob"])
    for option in ("deal(queen)", "deal(king)"):
        table.apply(table.parse(option))
    some = retraced(table, "Ann", 1_000, random.Random(1), in_all=100)
    assert 10 < len(some) < 100 and all(twin.view("Ann") == table.view("Ann") for twin in some)
    with pytest.raises(NotFoundError, match="within 1 decisions"):
        retraced(table, "Ann", 1_000, random.Random(1), in_all=1)


@pytest.mark.parametrize("backend", ["wasm", "python"])
def test_rows_of_particles_are_positions_that_look_the_same(backend: str) -> None:
    table = Game(load_ruleset("kuhn_poker"), ["Ann", "Bob"])
    other = table.copy()
    for game, card in ((table, "king"), (other, "jack")):
        game.apply(game.parse("deal(queen)"))
        game.apply(game.parse(f"deal({card})"))
    search = open_search(table, backend="wasm" if backend == "wasm" else "python")
    rows = particle_rows(search, table, "Ann", 20, 1)
    assert rows.shape == (20, search.columns) and len(np.unique(rows, axis=0)) == 2
    assert all(search.game(row).view("Ann").state == table.view("Ann").state for row in rows)
    assert np.array_equal(rows, particle_rows(search, other, "Ann", 20, 1))


def test_a_position_of_which_all_is_seen_is_the_only_row() -> None:
    game = Game(load_ruleset("connect_four"), ["Ann", "Bob"])
    search = open_search(game)
    assert np.array_equal(particle_rows(search, game, "Ann", 20, 1), search.rows([game]))


@pytest.mark.proof
def test_a_thousand_hands_of_cards_are_drawn(hearts: Game) -> None:
    search = open_search(hearts)
    rows = particle_rows(search, hearts, "A", 1_000, 1)
    assert len(rows) == 1_000 and len(np.unique(rows, axis=0)) > 100
    assert all(search.game(row).view("A").state == hearts.view("A").state for row in rows[::50])


@pytest.mark.parametrize(
    "seed, plies", [(1, 160), *(pytest.param(seed, 10_000, marks=pytest.mark.proof) for seed in (1, 2, 3))]
)
def test_decks_of_alike_cards_are_drawn_as_they_have_shown_up(tmp_path: Path, seed: int, plies: int) -> None:
    """Each turn shows a hand, so hardly a draw of it is right by chance."""
    game, choose = Game(small(tmp_path / "decks", DECKS), ["Ann", "Bob"]), random.Random(seed)
    last = -1
    while not game.is_over and game.ply < plies:
        if game.ply % 200 == 150:
            for seat in game.seats:
                twins = particles(game, seat, 5, random.Random(seed))
                assert all(twin.view(seat) == game.view(seat) for twin in twins)
            last = game.ply
        game.apply(choose.choice(list(game.legal_options)))
    assert last > 100


def test_changed_draws_keep_a_few_particles_going(tmp_path: Path) -> None:
    """Particles alone: without any, `determinize` walks instead, unseen by results."""
    game, choose = Game(small(tmp_path / "decks", DECKS), ["Ann", "Bob"]), random.Random(1)
    search = WasmSearch(game)
    carried = Particles(search, 0, 8, 1)
    while game.ply < 160:
        game.apply(choose.choice(list(game.legal_options)))
        if game.ply % 20 == 0:
            carried.note(game)
            assert all(search.game(row).view("Ann").state == game.view("Ann").state for row in carried.rows())


@pytest.mark.proof  # 0.5 s
@pytest.mark.parametrize("name, plies", [("kuhn_poker", 2), ("leduc_poker", 4), ("liars_dice", 3)])
def test_twins_have_the_odds_of_the_game(name: str, plies: int) -> None:
    """The exact odds are those of `test_particles.py`, here of single draws with seeds of their own."""
    game, number = played(Game(load_ruleset(name), ["P0", "P1"]), 1, plies), 200
    expected = exact(game, "P0")
    drawn = Counter(determinize(game, "P0", random.Random(seed)).hash for seed in range(number))
    assert drawn.keys() <= expected.keys() and len(expected) > 1
    gap = 0.5 * sum(abs(odds - drawn[position] / number) for position, odds in expected.items())
    assert gap < 2 * noise(expected, number) + 0.01
