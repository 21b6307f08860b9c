"""Games that look the same to a seat, where walking again what it has seen comes to dead ends: wasm draws them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from cases import small
from folders import TESTS

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.engine.game.game import Game
from rulespec.engine.game.retrace import NotFoundError, retraced
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.twins import determinize, particle_rows, particles
from rulespec.load import load_ruleset


@pytest.fixture
def hearts(tmp_path: Path) -> Game:
    """A deal of Hearts in the middle of the tricks: cards were passed, and some players had none of a suit."""
    rules = small(tmp_path / "hearts", (TESTS / "fixtures" / "hearts.txt").read_text("utf-8"))
    game, choose = Game(rules, ["A", "B", "C", "D"]), random.Random(5)
    while game.ply < 90:
        game.apply(choose.choice(list(game.legal_options)))
    return game


def test_a_hand_of_cards_is_drawn_where_walking_comes_to_dead_ends(hearts: Game) -> None:
    with pytest.raises(NotFoundError):
        retraced(hearts, "A", 1, random.Random(1), 1_000)
    with pytest.raises(NotFoundError):
        determinize(hearts, "A", random.Random(1), 1_000)
    twins = particles(hearts, "A", 3, random.Random(1))
    assert all(twin.view("A") == hearts.view("A") for twin in twins)
    assert len({str(twin.history) for twin in [hearts, *twins]}) == 4
    assert str(particles(hearts, "A", 3, random.Random(1))[2].history) == str(twins[2].history)


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
