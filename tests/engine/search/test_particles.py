"""Particles of a seat: their probabilities, incremental updates, and their appearance."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from cases import small
from exact_odds import exact, noise, played
from folders import TESTS
from leaks import ruleset_of

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.game.secrets import counted
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.particles import Particles
from rulespec.engine.search.search import Search
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.wasm.runtime.program import OPEN
from rulespec.load import load_ruleset

TRICKS = """
--- game.yaml
id: tricks
title: Tricks
version: "1.0"
players: {kind: player, min: 3, max: 3}
start: play
--- kinds.yaml
kinds:
  suit: {entities: {clubs: {}, hearts: {}}}
  rank: {entities: {two: {}, three: {}, four: {}}}
  card:
    product: [suit, rank]
    places:
      deck: {private: {to: "{}"}}
      hand: {index: player, private: true}
      passed: {index: player, private: true}
      table: {index: player}
      won: {index: player}
  player: {}
--- rules/play.rules
procedure play():
    repeat at most 2:
        for p in player:
            roll deal(c in deck private to p)
            move c to hand[p]
    for p in player:
        decide give by p:
            option give(c in hand[p] private):
                move c to passed[p]
    for p in player:
        for c in passed[p]:
            move c to hand[next(p)]
    repeat at most 2:
        for p in player:
            decide card by p:
                option lay(c in playable(p)):
                    move c to table[p]
        for c in table:
            move c to won[first(player)]
    end game

def led() -> suit?: first({c.suit for c in table[first(player)]})

def playable(p: player) -> set card:
    {c in hand[p] where c.suit == led()} if any(c in hand[p] where c.suit == led()) else hand[p]

scoring p in player:
    score count(won[p])
"""
LOOKING = """
--- game.yaml
id: looking
title: Looking
version: "1.0"
players: {kind: player, min: 2, max: 2}
units: [chip]
start: play
--- kinds.yaml
kinds:
  card: {facts: {weight: int}, entities: {low: {weight: 1}, middle: {weight: 2}, high: {weight: 5}}}
  player: {state: {chips: {account: chip}}}
pieces:
  held:
    each: [card]
    places:
      deck: {private: {to: "{}"}}
      hand: {index: player, private: true}
      shown: {}
--- setup.yaml
setup:
  pieces: {held.deck: 2}
--- rules/play.rules
procedure play():
    for p in player:
        repeat at most 2:
            roll deal(c in card where held[c].deck > 0 private to p) weight c.weight * held[c].deck
            move 1 of held[c] from deck to hand[p]
    for p in player:
        decide show by p:
            option show(c in card where held[c].hand[p] > 0):
                move 1 of held[c] from hand[p] to shown
    roll turn(c in card where held[c].deck > 0) weight c.weight
    move 1 of held[c] from deck to shown
    for p in player:
        decide wait by p:
            option wait:
                pass
    end game

scoring p in player:
    score 0
"""


def distance(expected: dict[str, float], rows: np.ndarray, search: WasmSearch) -> float:
    """The total variation distance between probabilities and the shares of particles."""
    shares = Counter(f"{each:016x}" for each in search.hashes(rows).tolist())
    assert shares.keys() <= expected.keys()
    return 0.5 * sum(abs(odds - shares[position] / len(rows)) for position, odds in expected.items())


def ruleset(tmp_path: Path, name: str) -> str:
    texts = {"tricks": TRICKS, "looking": LOOKING}
    if name == "leaks":
        return str(ruleset_of(tmp_path / name, "pass"))
    if name not in texts:
        return name
    small(tmp_path / name, texts[name])
    return str(tmp_path / name)


@pytest.mark.proof  # 0.9 s
@pytest.mark.parametrize(
    "name, players, plies",
    [
        ("kuhn_poker", 2, [2, 3]),
        ("leduc_poker", 2, [2, 4, 6]),
        ("liars_dice", 2, [2, 3]),
        pytest.param("tricks", 3, [6, 12], marks=pytest.mark.proof),
        ("looking", 2, [4, 6, 7]),
    ],
)
def test_the_odds_are_those_of_the_game(tmp_path: Path, name: str, players: int, plies: list[int]) -> None:
    """Within the deviation of independent draws; as those of one seed are correlated, several seeds are used."""
    rules, number, seeds = load_ruleset(ruleset(tmp_path, name)), 2000, 4
    table = Game(rules, [f"P{n}" for n in range(players)])
    search, tested = WasmSearch(table), 0
    for seed, viewer, ply in product(range(2), range(2), plies):
        game = played(restarted(table), seed, ply)
        if game.is_over:
            continue
        rows = []
        for of_seed in range(seed, seed + 100 * seeds, 100):
            particles = Particles(search, viewer, number, of_seed)
            particles.note(game)
            rows.append(particles.rows())
        expected = exact(game, f"P{viewer}")
        assert distance(expected, np.concatenate(rows), search) < 2 * noise(expected, seeds * number) + 0.01
        tested += len(expected) > 1
    assert tested


@pytest.mark.parametrize("name, players, ply", [("tricks", 3, 9), ("looking", 2, 6), ("leaks", 2, 16)])
@pytest.mark.sampled(1)
def test_particles_look_as_seen_from_beginning_to_end(tmp_path: Path, name: str, players: int, ply: int) -> None:
    rules = load_ruleset(ruleset(tmp_path, name))
    game = played(Game(rules, [f"P{n}" for n in range(players)]), 4, ply)
    search = WasmSearch(game)
    for viewer, seat in enumerate(game.seats):
        particles = Particles(search, viewer, 16, 1)
        particles.note(game)
        rows = particles.rows()
        assert len(np.unique(rows, axis=0)) > 1
        for row, codes in zip(rows, particles.histories, strict=True):
            twin = restarted(game)
            for option in game.history[: len(game.history) - len(codes)]:
                twin.apply(twin.parse(str(option)))
            for code in codes.tolist():
                (option,) = [each for each in twin.legal_options if search.coder.code(twin, each) == code]
                twin.apply(option)
            assert twin.view(seat) == game.view(seat)
            assert np.array_equal(search.rows([twin])[0], row)


def test_a_walk_that_lost_all_particles_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots once repeated it at each later decision of the game."""
    table = Game(load_ruleset(ruleset(tmp_path, "tricks")), ["P0", "P1", "P2"])
    particles, follow, followed = Particles(WasmSearch(table), 0, 16, 1), Particles._follow, list[int]()

    def lost(self: Particles, ply: int) -> None:
        followed.append(ply)
        if ply == 8:
            raise NotFoundError
        follow(self, ply)

    monkeypatch.setattr(Particles, "_follow", lost)

    def walked(seed: int, ply: int) -> int:
        followed.clear()
        particles.note(played(restarted(table), seed, ply))
        with pytest.raises(NotFoundError):
            particles.rows()
        return len(followed)

    assert walked(4, 9) > 1
    assert walked(4, 11) == walked(4, 12) == 0
    assert walked(5, 9) > 1


@pytest.mark.proof
def test_hands_that_have_not_followed_suit_are_found_by_few_particles(tmp_path: Path) -> None:
    """Conflicting cards are exchanged, as by chance alone hardly any hand lacks a suit."""
    text = TRICKS.replace("four: {}", ", ".join(f"r{n}: {{}}" for n in range(4, 9)))
    text = text.replace("hearts: {}", "hearts: {}, spades: {}").replace("at most 2", "at most 6")
    small(tmp_path / "long", text)
    table = Game(load_ruleset(str(tmp_path / "long")), ["P0", "P1", "P2"])
    search = WasmSearch(table)
    for seed in range(20):
        game = played(restarted(table), seed, 38)
        for viewer, seat in enumerate(table.seats):
            particles = Particles(search, viewer, 8, seed)
            particles.note(game)
            rows = particles.rows()
            assert len(np.unique(search.sight(viewer).digests(np.concatenate([rows, search.rows([game])])))) == 1, seat


def test_what_is_carried_is_what_a_rebuild_gives(tmp_path: Path) -> None:
    """Also after undone decisions, and after each query."""
    game = Game(load_ruleset(ruleset(tmp_path, "tricks")), ["P0", "P1", "P2"])
    search, draws = WasmSearch(game), Draws(3)
    carried = Particles(search, 0, 40, 7)

    def compare() -> None:
        rebuilt = Particles(search, 0, 40, 7)
        assert carried.note(game) == rebuilt.note(game)
        assert np.array_equal(carried.rows(), rebuilt.rows())

    for number in range(14):
        option = choose(game, draws, interrupt_rate=0)
        assert option is not None
        game.apply(option)
        if number % 3 == 1:
            compare()
    for _ in range(4):
        game.undo()
    compare()
    option = game.legal_options[-1]
    game.apply(option)
    compare()


@pytest.mark.proof  # 0.4 s
def test_hands_of_thirteen_cards_are_drawn(tmp_path: Path) -> None:
    """After three cards were passed, and in mid-trick; a player who could not follow suit has no card of it."""
    rules = small(tmp_path / "hearts", (TESTS / "fixtures" / "hearts.txt").read_text("utf-8"))
    game = Game(rules, ["A", "B", "C", "D"])
    search = WasmSearch(game)
    carried = Particles(search, 0, 32, 1)
    for ply in (65, 90):
        played(game, 5, ply)
        carried.note(game)
        rows = carried.rows()
        assert len(np.unique(rows, axis=0)) > 8
        assert all(search.game(row).view("A").state == game.view("A").state for row in rows[::8])
    for code in carried.histories[:2].tolist():
        twin = restarted(game)
        for option in game.history[: len(game.history) - len(code)]:
            twin.apply(twin.parse(str(option)))
        for each in code:
            twin.apply(next(one for one in twin.legal_options if search.coder.code(twin, one) == each))
        assert twin.view("A").memory == game.view("A").memory


@pytest.mark.proof
def test_a_game_of_which_all_is_seen_is_the_only_particle() -> None:
    game = played(Game(load_ruleset("shadow_of_the_emperor"), ["A", "B"]), 1, 30)
    search = WasmSearch(game)
    particles = Particles(search, 0, 8, 1)
    particles.note(game)
    assert np.array_equal(particles.rows(), search.rows([game]))


@pytest.mark.proof  # 1.1 s
@pytest.mark.parametrize(
    "name, players", [("leduc_poker", 2), ("liars_dice", 2), ("tricks", 3), ("looking", 2), ("leaks", 2)]
)
def test_digests_tell_apart_what_views_do(tmp_path: Path, name: str, players: int) -> None:
    rules = load_ruleset(ruleset(tmp_path, name))
    table = Game(rules, [f"P{n}" for n in range(players)])
    games = [played(restarted(table), seed, ply) for seed in range(8) for ply in range(2, 26, 2)]
    search = WasmSearch(table)
    rows = search.rows(games)
    for viewer, seat in enumerate(table.seats):
        digests = search.sight(viewer).digests(rows).tolist()
        views = [game.view(seat).hash for game in games]
        assert len(set(zip(digests, views, strict=True))) == len(set(digests)) == len(set(views))


def test_observations_hide_what_views_hide(tmp_path: Path) -> None:
    game = played(Game(load_ruleset(ruleset(tmp_path, "tricks")), ["P0", "P1", "P2"]), 5, 10)
    search = WasmSearch(game)
    numbers, visibility = game.omniscient.numbers, game.omniscient.visibility
    for viewer in range(3):
        (seen,) = search.observations(search.rows([game]), viewer)
        assert np.array_equal(Search(game).observations(search.rows([game]), viewer)[0], seen)
        unseen = visibility.unseen(list(numbers.state), viewer)
        cells = [OPEN if at in unseen else numbers.cells[at] for at in search.shown.tolist()]
        counts = [one.number for one in counted(numbers.program, numbers.cells)]
        assert seen.tolist() == cells + counts and unseen


LAID = """
--- game.yaml
id: laid
title: Laid
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {}
  stone: {entities: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}}}
pieces:
  chip:
    each: [stone]
    places:
      sack: {private: {to: "{}"}}
      hand: {index: player, private: true}
      heap: {}
--- setup.yaml
setup: {pieces: {chip.sack: {a: 30, b: 30, c: 30, d: 30, e: 30, f: 30, g: 30, h: 30}}}
--- rules/play.rules
procedure play():
    for p in player:
        repeat at most 6:
            roll drawn(s in stone private to p) weight chip[s].sack
            move 1 of chip[s] from sack to hand[p]
    repeat at most 15:
        for p in player:
            decide turn by p:
                option wait:
                    pass
    for p in player:
        choose lay(lot in choose 4 of chip.hand[p]) by p
        move lot of chip from hand[p] to heap
    end game won by {first(player)}
"""


def test_draws_are_changed_to_the_pieces_of_a_bag_that_is_seen(tmp_path: Path) -> None:
    """Hardly any hand of six has the same four chips by chance: all particles were lost."""
    for seed in range(6):
        table = Game(small(tmp_path / str(seed), LAID), ["A", "B"])
        search, game = WasmSearch(table), played(restarted(table), seed, 43)
        particles = Particles(search, 1, 32, seed)
        particles.note(game)
        rows = particles.rows()
        assert len(rows) == 32
