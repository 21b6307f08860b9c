"""Information states of a seat, beside OpenSpiel, over whole trees: `View.memory` is the same exactly where
`information_state_string` is, at every decision for every player, and at every end together with the returns and with
the hands that are shown there, which OpenSpiel does not name.

The numbers are those of the trees; the largest one is walked by `make proof` alone, and takes some minutes.
"""

from __future__ import annotations

import importlib
import os
import random
from functools import cache
from typing import Any

import pytest
from msgspec import Struct
from open_spiel_games import action

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.load import load_ruleset

REQUIRED = int(os.environ.get("RULESPEC_OPEN_SPIEL", "0"))
GAMES = REQUIRED or 20

cached = cache(load_ruleset)


class Tree(Struct, frozen=True):
    """A game by both programs, and the numbers of its tree.

    Attributes:
        ref: the ruleset.
        other: the game of OpenSpiel.
        players: how many.
        settings: of the ruleset.
        chips: what everybody begins with.
        nodes: decisions of players, and ends.
        own: the information states of each player at his own decisions.
        everywhere: those at all decisions.
        ends: those at the ends, with the returns and the hands that are shown.
    """

    ref: str
    other: str
    players: int
    settings: dict[str, str | int]
    chips: int
    nodes: tuple[int, int]
    own: int
    everywhere: int
    ends: int


KUHN = Tree("kuhn_poker", "kuhn_poker", 2, {}, 2, (24, 30), 6, 12, 24)
KUHN_3 = Tree("kuhn_poker", "kuhn_poker(players=3)", 3, {}, 2, (288, 312), 16, 48, 204)
LEDUC = Tree("leduc_poker", "leduc_poker", 2, {}, 13, (3_780, 5_520), 468, 936, 3_624)
LIAR_3 = Tree("liars_dice", "liars_dice(numdice=1,dice_sides=3)", 2, {"sides": 3}, 0, (576, 567), 96, 192, 567)
LIAR = Tree("liars_dice", "liars_dice", 2, {}, 0, (147_456, 147_420), 12_288, 24_576, 147_420)
SMALL = [KUHN, KUHN_3, LIAR_3]


@pytest.fixture(scope="module")
def spiel() -> Any:
    if REQUIRED:
        return importlib.import_module("pyspiel")
    return pytest.importorskip("pyspiel")


def options(game: Game, tree: Tree) -> dict[int, Option]:
    return {action(option, int(tree.settings.get("sides", 6))): option for option in game.legal_options}


def returns(game: Game, tree: Tree) -> list[float]:
    assert game.result is not None
    if game.result.scores:
        return [float(game.result.scores[seat] - tree.chips) for seat in game.seats]
    return [1.0 if seat in game.result.winners else -1.0 for seat in game.seats]


def shown(game: Game) -> tuple[tuple[str, int], ...]:
    """The cards or dice that all see at an end: of those who are in, unless all others have folded."""
    assert game.result is not None
    if game.result.ending == "fold":
        return ()
    dealt = [option.args[0] for option in game.history if option.name in ("deal", "throw")]
    bets = {option.by for option in game.history if option.name == "bet"}
    return tuple((seat, hand) for seat, hand in zip(game.seats, dealt, strict=True) if seat in (bets or game.seats))


class Partition:
    """Whether two names of the same things agree: each name of the one kind has one name of the other."""

    def __init__(self) -> None:
        self._there: dict[object, str] = {}
        self._pairs: dict[str, object] = {}

    def same(self, own: str, there: object) -> bool:
        return self._there.setdefault(there, own) == own and self._pairs.setdefault(own, there) == there

    def __len__(self) -> int:
        return len(self._pairs)


class Walk:
    """A walk over both trees side by side."""

    def __init__(self, tree: Tree, spiel: Any) -> None:
        self.tree = tree
        self.nodes = [0, 0]
        self.own: list[set[str]] = [set() for _ in range(tree.players)]
        self.decisions = [Partition() for _ in range(tree.players)]
        self.ends = [Partition() for _ in range(tree.players)]
        self.game = Game(cached(tree.ref), list("ABC")[: tree.players], tree.settings)
        self.visit(spiel.load_game(tree.other).new_initial_state())

    def visit(self, state: Any) -> None:
        game, tree = self.game, self.tree
        if state.is_terminal():
            assert game.is_over and returns(game, tree) == list(state.returns())
            self.nodes[1] += 1
            self.compare(state, self.ends, tuple(state.returns()), shown(game))
            return
        assert game.decision is not None
        if not state.is_chance_node():
            self.nodes[0] += 1
            assert game.decision.by == game.seats[state.current_player()]
            self.own[state.current_player()].add(self.compare(state, self.decisions)[state.current_player()])
        place = options(game, tree)
        assert sorted(place) == sorted(state.legal_actions())
        for number, option in place.items():
            game.apply(option)
            self.visit(state.child(number))
            game.undo()

    def compare(self, state: Any, partitions: list[Partition], *more: object) -> list[str]:
        memories = [self.game.view(seat).memory for seat in self.game.seats]
        for player, memory in enumerate(memories):
            assert partitions[player].same(memory, (state.information_state_string(player), *more)), str(state)
        return memories


def walked(tree: Tree, spiel: Any) -> None:
    walk = Walk(tree, spiel)
    assert tuple(walk.nodes) == tree.nodes
    assert {len(result) for result in walk.own} == {tree.own}
    assert {len(result) for result in walk.decisions} == {tree.everywhere}
    assert {len(result) for result in walk.ends} == {tree.ends}


@pytest.mark.parametrize("tree", SMALL, ids=lambda tree: tree.other)
def test_small_trees(tree: Tree, spiel: Any) -> None:
    walked(tree, spiel)


@pytest.mark.proof
@pytest.mark.parametrize("tree", [LEDUC, LIAR], ids=lambda tree: tree.other)
def test_large_trees(tree: Tree, spiel: Any) -> None:
    if tree is LIAR and not REQUIRED:
        pytest.skip("minutes: `make proof` walks it")
    walked(tree, spiel)


@pytest.mark.proof
@pytest.mark.parametrize("tree", [*SMALL, LEDUC, LIAR], ids=lambda tree: tree.other)
def test_random_games(tree: Tree, spiel: Any) -> None:
    rng = random.Random(tree.other)
    other = spiel.load_game(tree.other)
    for _ in range(GAMES):
        game, state = Game(cached(tree.ref), list("ABC")[: tree.players], tree.settings), other.new_initial_state()
        while not state.is_terminal():
            place = options(game, tree)
            assert sorted(place) == sorted(state.legal_actions())
            number = rng.choice(sorted(place))
            game.apply(place[number])
            state.apply_action(number)
        assert game.is_over and returns(game, tree) == list(state.returns())
