"""Learning environments compared with OpenSpiel's own games: masked steps per second, and rounds of CFR+.

A step computes the mask of legal actions and plays a random one; an observed step also computes the deciding seat's
observation. Chance is sampled. OpenSpiel is driven from Python.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.figures import Bench, Figure, Target
from bench.pairs import alternate, once, timed
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seats_of
from rulespec.engine.program.draws import Draws
from rulespec.guests.action_game import CHANCE, Contract, contract
from rulespec.guests.batch import Batch
from rulespec.guests.trees import CfrPlus, tree
from rulespec.load import load_ruleset

_IN_CPP, _IN_PYTHON = "OpenSpiel, in C++", "OpenSpiel, in Python"
_GAMES = {"kuhn_poker": "python_kuhn_poker", "leduc_poker": "", "liars_dice": "", "connect_four": ""}
"""Games with the same name in OpenSpiel → the name of its Python implementation; "" if it has none."""
_LONG = {"backgammon": "", "chess": ""}
"""Such games that take long to finish."""
_SOLVED = ("kuhn_poker", "leduc_poker")
_SIDE_BY_SIDE = 256
_STEPS = 20
"""The number of batch steps between two looks at the clock."""
Work = Callable[[], int]
"""A function that takes some steps, and returns their number."""


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of masked steps, without and with observations, and of CFR+, compared with OpenSpiel."""
    try:
        spiel = importlib.import_module("pyspiel")
        importlib.import_module("open_spiel.python.games")  # registers OpenSpiel's Python games
    except ImportError as error:
        print(f"guests are left out: {error} (pip install 'rulespec[rl]')", file=sys.stderr)
        return
    games = _GAMES if bench.quick else _GAMES | _LONG
    for observed in (False, True):
        for name, in_python in games.items():
            yield from _steps(bench, spiel, name, in_python, observed=observed)
    for name in _SOLVED:
        yield from _solved(bench, spiel, name)


def _steps(bench: Bench, spiel: Any, name: str, in_python: str, *, observed: bool) -> Iterator[Figure]:
    table = contract(name)
    ways = {"one by one": _one_by_one, f"{_SIDE_BY_SIDE} side by side": _side_by_side}
    others = {_IN_CPP: name} | ({_IN_PYTHON: in_python} if in_python else {})
    for beside, other in others.items():
        theirs = timed(_by_spiel(spiel.load_game(other), observed=observed), bench.seconds)
        for way, make in ways.items():
            ours = timed(make(table, observed=observed), bench.seconds)
            fast, slow = alternate([ours, theirs], bench.runs, turns=bench.turns)
            shown = f"{name}, {'observed ' if observed else ''}steps {way}"
            yield bench.figure(shown, fast, slow, unit="steps", beside=beside)


def _one_by_one(table: Contract, *, observed: bool) -> Work:
    """Complete plays at a table, one at a time."""
    rng, games = random.Random(1), iter(range(sys.maxsize))

    def work() -> int:
        play, draws, done = table.play(), Draws(next(games)), 0
        play.draw(draws)
        while not play.is_over:
            actions, mask = play.actions, play.mask
            if observed:
                play.observation(play.seat)
            assert mask.any()
            play.take(rng.choice(actions))
            play.draw(draws)
            done += 1
        return done

    return work


def _side_by_side(table: Contract, *, observed: bool) -> Work:
    """Steps of a batch, in which finished plays restart."""
    rng, batch, seeds = np.random.default_rng(1), Batch(table, _SIDE_BY_SIDE), iter(range(1, sys.maxsize))

    def work() -> int:
        done = 0
        for _ in range(_STEPS):
            masks = batch.masks()
            if observed:
                batch.observations()
            done += int((batch.seats >= 0).sum())
            batch.step((rng.random(masks.shape) * masks).argmax(axis=1))
            if (over := np.flatnonzero(batch.seats < 0)).size:
                batch.restart(over, next(seeds))
        return done

    return work


def _by_spiel(game: Any, *, observed: bool) -> Work:
    """Complete plays of an OpenSpiel game."""
    rng = random.Random(1)

    def work() -> int:
        state, done = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.current_player() == CHANCE:
                actions, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, odds)[0])
                continue
            mask = state.legal_actions_mask()
            if observed:
                state.observation_tensor()
            assert any(mask)
            state.apply_action(rng.choice(state.legal_actions()))
            done += 1
        return done

    return work


def _solved(bench: Bench, spiel: Any, name: str) -> Iterator[Figure]:
    """Figures of a CFR+ round compared with OpenSpiel's in Python on its own game, and of the preparation."""
    cfr = importlib.import_module("open_spiel.python.algorithms.cfr")
    ruleset = load_ruleset(name)
    game, other = Game(ruleset, seats_of(ruleset, None)), spiel.load_game(name)
    ours, theirs = CfrPlus(tree(game)), cfr.CFRPlusSolver(other)

    def round_here() -> int:
        ours.improve(1)
        return 1

    def round_there() -> int:
        theirs.evaluate_and_update_policy()
        return 1

    beside = f"{_IN_PYTHON}, on its game"
    slices = [timed(work, bench.seconds) for work in (round_here, round_there)]
    fast, slow = alternate(slices, bench.runs, turns=bench.turns)
    yield bench.figure(
        f"{name}, a round of CFR+", fast, slow, unit="ms", beside=beside, target=Target(1, at_least=False)
    )
    slices = [once(lambda: CfrPlus(tree(game))), once(lambda: cfr.CFRPlusSolver(other))]
    fast, slow = alternate(slices, min(bench.runs, 3))
    yield bench.figure(f"{name}, before the first round", fast, slow, unit="ms", beside=beside)
