"""Hidden choices of others, of which something is disclosed later: their odds, and what may be known of them."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from cases import small
from exact_odds import exact, noise, played

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.seat_knowledge import retraced
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.particles import Particles
from rulespec.engine.search.twins import particles as particle_games
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.simulate.checked_playouts import choose

BIDS = """
--- game.yaml
id: bids
title: Bids
version: "1.0"
players: {kind: player, min: 3, max: 3}
start: play
--- kinds.yaml
kinds:
  player: {state: {bid: {type: int, private: true}, spent: {type: int, private: true}, won: {type: int}}}
state: {price: {type: int}, opened: {type: int}}
--- rules/play.rules
procedure play():
    repeat at most 3:
        BIDDING
        DISCLOSED
        for p in player:
            decide wait by p:
                option wait:
                    pass
    end game

procedure offered(p: player, n: int):
    set p.bid to n
    set p.spent to p.spent + n

scoring p in player:
    score p.won
"""
TOGETHER = """decide bids together by p in player:
            option bid(n in 0..LAST private):
                offered(p, n)"""
IN_TURN = """for p in player:
            decide bids by p:
                option bid(n in 0..LAST private):
                    offered(p, n)
                option pass_by:
                    offered(p, 0)
        roll coin(n in 0..1)"""
BEST = """let best = max(p.bid for p in player)
        let winner = told(first(p in player where p.bid == best) ?? first(player), "the winner is named")
        set price to told(best, "the best bid is opened")
        set winner.won to winner.won + 1"""
SUM = """set opened to told(sum(p.bid for p in player), "the sum is opened")"""
ALL = """for p in player:
            set p.won to told(p.bid, "all bids are opened")"""


def table(folder: Path, bidding: str, disclosed: str, last: int) -> Game:
    text = BIDS.replace("BIDDING", bidding).replace("DISCLOSED", disclosed).replace("LAST", str(last))
    return Game(small(folder, text), ["P0", "P1", "P2"])


def distance(game: Game, search: WasmSearch, viewer: int, number: int, seeds: int) -> tuple[float, float]:
    """The total variation between the odds and the shares of particles, and what draws of their own would show."""
    rows = []
    for seed in range(seeds):
        particles = Particles(search, viewer, number, seed)
        particles.note(game)
        rows.append(particles.rows())
    expected = exact(game, f"P{viewer}")
    shares = dict.fromkeys(expected, 0.0)
    for position in search.hashes(np.concatenate(rows)).tolist():
        shares[f"{position:016x}"] += 1 / (number * seeds)
    assert shares.keys() <= expected.keys()
    return 0.5 * sum(abs(expected[each] - shares[each]) for each in expected), noise(expected, number * seeds)


def check_odds(folder: Path, bidding: str, disclosed: str, viewers: int, number: int) -> None:
    game = table(folder, bidding, disclosed, 11)
    search = WasmSearch(game)
    for seed, viewer in product(range(2), range(viewers)):
        game = played(restarted(game), seed, 5 if bidding is TOGETHER else 6)
        own, even = distance(game, search, viewer, number, 3)
        assert own < 2 * even + 0.01, (seed, viewer, own, even)


def test_bids_of_which_the_best_is_disclosed_have_the_odds_of_the_game(tmp_path: Path) -> None:
    check_odds(tmp_path / "bids", TOGETHER, BEST, 1, 300)


@pytest.mark.proof  # 5 s
@pytest.mark.parametrize("bidding", [TOGETHER, IN_TURN], ids=["together", "in turn"])
@pytest.mark.parametrize("disclosed", [BEST, SUM], ids=["best", "sum"])
def test_bids_of_which_a_part_is_disclosed_have_the_odds_of_the_game(
    tmp_path: Path, bidding: str, disclosed: str
) -> None:
    check_odds(tmp_path / "bids", bidding, disclosed, 3, 1000)


@pytest.mark.parametrize("bidding", [TOGETHER, IN_TURN], ids=["together", "in turn"])
@pytest.mark.proof  # 1 s
def test_bids_that_are_opened_are_those_of_all_particles(tmp_path: Path, bidding: str) -> None:
    """Of 3,721 pairs of bids a single one is right, in each round; eight particles have it."""
    game = table(tmp_path / "bids", bidding, ALL, 60)
    search = WasmSearch(game)
    for viewer in range(3):
        particles, again, draws = Particles(search, viewer, 8, 1), restarted(game), Draws(5)
        while not again.is_over:
            option = choose(again, draws, interrupt_rate=0)
            assert option is not None
            again.apply(option)
            particles.note(again)
            rows = particles.rows()
            if again.decision is not None and again.decision.name == "wait":
                assert (rows == search.rows([again])[0]).all()


@pytest.mark.parametrize(
    "bidding, disclosed",
    [(TOGETHER, BEST), pytest.param(IN_TURN, SUM, marks=pytest.mark.proof)],
    ids=["together, best", "in turn, sum"],
)
def test_games_that_look_the_same_have_the_same_particles(tmp_path: Path, bidding: str, disclosed: str) -> None:
    game = played(table(tmp_path / "bids", bidding, disclosed, 11), 3, 9)
    search = WasmSearch(game)
    for viewer, seat in enumerate(game.seats):
        twins = [game, *retraced(game, seat, 3, random.Random(viewer))]
        assert len({twin.hash for twin in twins}) > 1
        drawn = []
        for twin in twins:
            particles = Particles(search, viewer, 16, 2)
            drawn.append((particles.note(twin), particles.rows().tolist(), particles.histories.tolist()))
        assert all(each == drawn[0] for each in drawn)


def test_particles_carried_through_open_rounds_are_those_of_a_rebuild(tmp_path: Path) -> None:
    """A round is looked at before all have chosen, and its choices are disclosed after."""
    game = table(tmp_path / "bids", TOGETHER, BEST, 11)
    search, draws = WasmSearch(game), Draws(4)
    carried = [Particles(search, viewer, 16, 7) for viewer in range(3)]
    while not game.is_over:
        for viewer, particles in enumerate(carried):
            rebuilt = Particles(search, viewer, 16, 7)
            assert particles.note(game) == rebuilt.note(game)
            assert np.array_equal(particles.rows(), rebuilt.rows())
            assert np.array_equal(particles.histories, rebuilt.histories)
        option = choose(game, draws, interrupt_rate=0)
        assert option is not None
        game.apply(option)


def test_twins_have_bids_that_their_seat_has_not_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come from particles: no history is walked again."""
    monkeypatch.setattr("rulespec.engine.search.twins.retraced", None)
    game = played(table(tmp_path / "bids", TOGETHER, BEST, 200), 3, 11)
    twins = particle_games(game, "P0", 8, random.Random(1))
    assert len({twin.hash for twin in twins}) > 4
    assert all(twin.view("P0").memory == game.view("P0").memory for twin in twins)
