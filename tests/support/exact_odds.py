"""Exact probabilities of the positions that a seat may be in, computed by enumeration."""

from __future__ import annotations

import math
from collections import defaultdict

from rulespec.engine.game.events import Event, Events
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.seat_knowledge import _looks_like
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose


def exact(game: Game, seat: str) -> dict[str, float]:
    """The probability of each position consistent with a seat's observations, by enumeration."""
    viewer = game.seats.index(seat)
    events = Events(game.omniscient.visibility, game._position, game.seats, viewer)
    history, memories = events.history(), events.memories()
    walk = restarted(game)
    seen = Events(walk.omniscient.visibility, walk._position, walk.seats, viewer)
    results: defaultdict[str, float] = defaultdict(float)

    def go_on(odds: float) -> None:
        if walk.ply == len(history):
            results[walk.hash] += odds
            return
        event: Event = history[walk.ply]
        options = [option for option in walk.legal_options if _looks_like(option, event)]
        weight = walk.omniscient.numbers.weight
        for option in options:
            share = 1.0
            if event.by is None:
                every = sum(weight(each.kind.choice, each.args) for each in walk.legal_options)
                share = weight(option.kind.choice, option.args) / every
            elif "?" in str(event):
                share = 1 / len(options)
            walk.apply(option)
            if seen.memory() == memories[walk.ply]:
                go_on(odds * share)
            walk.undo()

    go_on(1.0)
    total = sum(results.values())
    return {position: odds / total for position, odds in results.items()}


def noise(expected: dict[str, float], number: int) -> float:
    """The approximate mean total variation distance of a sample of independent draws."""
    return 0.4 * sum(math.sqrt(odds * (1 - odds) / number) for odds in expected.values())


def played(game: Game, seed: int, plies: int) -> Game:
    draws = Draws(seed)
    while not game.is_over and game.ply < plies:
        option = choose(game, draws, interrupt_rate=0)
        assert option is not None
        game.apply(option)
    return game
