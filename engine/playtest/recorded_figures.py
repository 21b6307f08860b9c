"""Figures of recorded games, for display beside those of bots."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import Option
from rulespec.engine.playtest.figures import Figures
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import Playout
from rulespec.engine.simulate.details import Watch
from rulespec.engine.simulate.game_plans import Outcome


def recorded_figures(games: Iterable[Game]) -> Figures:
    """The figures of finished games."""
    figures = Figures(())
    for number, game in enumerate(games):
        figures.add(_outcome(game, number))
    return figures


def _outcome(game: Game, number: int) -> Outcome:
    """The outcome of a game, with details from replaying its decisions."""
    watch, moves = Watch(), iter(game.history)
    again = restarted(game)

    def decide(_: Game, draws: Draws) -> Option | None:
        return next(moves)

    watched = watch.around(decide)
    while again.ply < game.ply:
        option = watched(again, Draws(0))
        assert option is not None
        again.apply(option)
    result = game.result
    ending, scores, winners = (None, {}, ()) if result is None else (result.ending, result.scores, result.winners)
    playout = Playout(number, again, ending, scores, tuple(winners), None)
    return replace(Outcome.of(playout), details=watch.details(again))
