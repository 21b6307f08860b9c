"""Random play through the interfaces for learning environments."""

from __future__ import annotations

import random
from collections.abc import Iterator

from shipped import loaded

from rulespec.guests.action_game import CHANCE, Contract, Play, contract


def tables(name: str, *, every: bool = True, cap: int = 5_000) -> Iterator[Contract]:
    """Tables of a shipped ruleset, for each number of players, or for the maximum."""
    low, high = loaded(name)[0].players
    for number in range(low if every else high, high + 1):
        yield contract(loaded(name)[0], number, cap=cap)


def play_on(play: Play, rng: random.Random) -> None:
    """Plays a random action of the current decider, including chance."""
    actions = play.actions if play.seat != CHANCE else [action for action, _ in play.odds()]
    play.take(rng.choice(actions))


def walked(table: Contract, seed: int, steps: int) -> Iterator[Play]:
    """The play before each random action, for the given number of actions, from game to game."""
    rng, play = random.Random(seed), table.play()
    for _ in range(steps):
        if play.is_over:
            play = table.play()
        yield play
        play_on(play, rng)
