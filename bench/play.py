"""Random games for measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, Machines
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import CAP, choose
from rulespec.typed import nodes as typed

ENDLESS = """\
id: endless
title: "A game without end"
for: imperial
version: "1.0"
changes:
  constants.victory_power: 1000000 points
  kinds.nation.state.power.type: points 0..1000000
"""


def move(game: Game, draws: Draws) -> None:
    """Plays a random option of the decider or, one time in fifty, a legal option out of turn."""
    option = choose(game, draws)
    assert option is not None
    game.apply(option)


def played(
    ruleset: typed.Ruleset,
    players: int,
    seed: int,
    *,
    most: int = CAP,
    backend: Backend | Machines = "python",
    settings: Mapping[str, str | int] | None = None,
) -> Game:
    """A random game, played to its end or for at most `most` decisions."""
    draws = Draws(seed)
    game = Game(ruleset, seat_names(players, ruleset.seats), settings, backend)
    while not game.is_over and game.ply < most:
        move(game, draws)
    return game


def playouts(
    ruleset: typed.Ruleset, players: int, lengths: list[int], *, most: int = CAP, backend: Backend | Machines = "python"
) -> Callable[[], int]:
    """A function that plays the next random game, appends its number of decisions to `lengths`, and returns it."""
    seeds = count(1)

    def work() -> int:
        lengths.append(played(ruleset, players, next(seeds), most=most, backend=backend).ply)
        return lengths[-1]

    return work


def positions(ruleset: typed.Ruleset, players: int, number: int, seed: int = 1, games: int = 2) -> list[Game]:
    """Positions spread evenly over random games, each as an independent game."""
    results: list[Game] = []
    for each in range(seed, seed + games):
        whole = played(ruleset, players, each)
        game = Game(ruleset, whole.names)
        step = max(1, whole.ply * games // number)
        for ply, option in enumerate(whole.history):
            if ply % step == step // 2:
                results.append(game.copy())
            game.apply(option)
    return results[:number]


def write_log(ruleset: typed.Ruleset, players: int, decisions: int, path: Path) -> Path:
    """Writes a native log of exactly `decisions` decisions, from the first random game that is long enough."""
    for seed in count(1):
        game = played(ruleset, players, seed, most=decisions)
        if game.ply == decisions:
            path.parent.mkdir(parents=True, exist_ok=True)
            with LogWriter(path, LogHeader.of(game)) as writer:
                for option in game.history:
                    writer.add(option)
                writer.end(game)
            return path
    raise AssertionError
