"""Masked steps a second, beside OpenSpiel's own games: `python -m bench.guests`; needs `pip install 'rulespec[rl]'`.

A step lists the legal actions as a mask and takes a random one of them; with observations the deciding seat's is made,
too. Chance is drawn. Seconds are those of the processor; all take turns, and the median of the rates counts.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from rulespec.engine.program.draws import Draws
from rulespec.guests.action_game import CHANCE, Contract, contract
from rulespec.guests.batch import Batch

GAMES = {
    "kuhn_poker": ("kuhn_poker", "python_kuhn_poker"),
    "leduc_poker": ("leduc_poker", ""),
    "liars_dice": ("liars_dice", ""),
    "connect_four": ("connect_four", ""),
    "backgammon": ("backgammon", ""),
    "chess": ("chess", ""),
}
"""Ruleset → the game of OpenSpiel in C++, and the one in Python; "": there is none."""
SIDE_BY_SIDE = 256
Steps = Callable[[int], int]
"""Takes so many steps, or some more; returns how many."""


def one_by_one(table: Contract, *, observed: bool) -> Steps:
    """Plays of a table, one after the other."""

    def run(number: int) -> int:
        rng, done = random.Random(1), 0
        while done < number:
            play, draws = table.play(), Draws(done)
            play.draw(draws)
            while not play.is_over:
                actions, mask = play.actions, play.mask
                if observed:
                    play.observation(play.seat)
                assert mask is not None
                play.take(rng.choice(actions))
                play.draw(draws)
                done += 1
        return done

    return run


def side_by_side(table: Contract, *, observed: bool) -> Steps:
    """Plays of a table in a batch."""

    def run(number: int) -> int:
        rng, done, seed = np.random.default_rng(1), 0, 0
        batch = Batch(table, SIDE_BY_SIDE, seed)
        while done < number:
            masks = batch.masks()
            if observed:
                batch.observations()
            done += int((batch.seats >= 0).sum())
            batch.step((rng.random(masks.shape) * masks).argmax(axis=1))
            if (over := np.flatnonzero(batch.seats < 0)).size:
                seed += 1
                batch.restart(over, seed)
        return done

    return run


def spiel(name: str, *, observed: bool) -> Steps:
    """Games of OpenSpiel, driven from Python."""
    import pyspiel
    from open_spiel.python.games import kuhn_poker

    assert kuhn_poker is not None  # it registers its game
    game = pyspiel.load_game(name)

    def run(number: int) -> int:
        rng, done = random.Random(1), 0
        while done < number:
            state: Any = game.new_initial_state()
            while not state.is_terminal():
                if state.current_player() == CHANCE:
                    actions, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(actions, odds)[0])
                    continue
                mask = state.legal_actions_mask()
                if observed:
                    state.observation_tensor() if game.get_type().provides_observation_tensor else None
                assert mask is not None
                state.apply_action(rng.choice(state.legal_actions()))
                done += 1
        return done

    return run


def rates(ways: dict[str, Steps], turns: int, seconds: float) -> dict[str, float]:
    """Steps a second of each way, the median of its turns."""
    results: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns + 1):  # the first turn warms up
        for name, run in ways.items():
            start, done = time.process_time(), 0
            while time.process_time() - start < seconds:
                done += run(200)
            results[name].append(done / (time.process_time() - start))
    return {name: median(each[1:]) for name, each in results.items()}


def main() -> None:
    """Prints a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("games", nargs="*", default=[*GAMES])
    args = parser.parse_args()
    for observed in (False, True):
        print("with observations" if observed else "masks alone")
        for name in args.games:
            table, (compiled, python) = contract(name), GAMES[name]
            ways = {"one by one": one_by_one(table, observed=observed)}
            ways["side by side"] = side_by_side(table, observed=observed)
            ways["OpenSpiel, C++"] = spiel(compiled, observed=observed)
            if python:
                ways["OpenSpiel, Python"] = spiel(python, observed=observed)
            shown = [f"{way} {rate:,.0f}" for way, rate in rates(ways, args.turns, args.seconds).items()]
            print(f"  {name} ({table.actions.form}): {' · '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
