"""Random games in which properties are checked, and for each mistake, the shortest failing game found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import WORTH_IT, Backend, Machines
from rulespec.engine.game.option import TakenBack
from rulespec.engine.game.position_check import meant, same_option
from rulespec.engine.game.seating import check_settings, seat_names
from rulespec.engine.program.draws import Stream
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.simulate.checked_playouts import Playout, choose
from rulespec.engine.verify.combinations import CombinationGames, combinations
from rulespec.engine.verify.properties import PROPERTIES, Property
from rulespec.engine.verify.shrink import FailingGame, Move, shortest
from rulespec.engine.verify.step_weights import DECISION, weighed
from rulespec.engine.verify.trial import BACKENDS, INTERPRETED, Trial, installed_backends, kind_of
from rulespec.typed import nodes as typed
from rulespec.typed.settings import values_to_try

CAP = 1_000
"""The number of decisions before a random game is abandoned."""
CLOSELY = 10
"""The number of closely checked games in a run; further games reveal only mistakes in the rules."""
WITH_ALL = 10
"""The interval, in games, at which the slow interpreter plays along."""
EFFORT = 1_000_000_000
"""The maximum steps for shortening a game, as counted by `Trial.steps`; they take up to about twenty seconds."""
TAKE_BACK = 1 / 30
"""The probability of undoing up to five decisions in a random game."""


def random_games(
    ruleset: typed.Ruleset,
    players: Sequence[int],
    games: int,
    seed: int,
    *,
    cap: int = CAP,
    backends: Sequence[Backend | Machines] | None = None,
) -> Iterator[tuple[Trial, FailingGame | None]]:
    """Plays random games, every second one with random settings, and checks the properties.

    Args:
        ruleset: the ruleset.
        players: the player counts, which alternate.
        games: the number of games.
        seed: the seed, which determines the games.
        cap: the number of decisions before a game is abandoned.
        backends: the backends to compare; None means all that can run the ruleset here, with the interpreter in every
            `WITH_ALL`th game.

    Yields:
        Each finished game, and the shortest game found that fails in the same way, or None if the game did not fail.

    Raises:
        DiagnosticsError: if a game cannot be set up.
    """
    for number in range(games):
        draws = Stream(seed, number)
        settings = {o.name: draws.one_of(values_to_try(o)) for o in ruleset.settings.values()}
        seats = seat_names(players[number % len(players)], ruleset.seats)
        chosen = check_settings(ruleset, settings if number % 2 else {})
        results = backends or installed_backends(ruleset, len(seats), chosen)
        if backends is None and number % WITH_ALL and len(results) > len(BACKENDS):
            results = [each for each in results if each != "interpreter"]
        trial = Trial(ruleset, seats, chosen, results)
        failed = _played(trial, draws, cap)
        yield trial, failed and shorter(trial, *failed)


def further_games(
    ruleset: typed.Ruleset, players: Sequence[int], games: int, seed: int
) -> Iterator[tuple[int, FailingGame | None]]:
    """Plays random games as fast as possible, in wasm if available.

    Args:
        ruleset: the ruleset.
        players: the player counts to try.
        games: the number of games, divided among the player counts, and among values of settings if there are enough
            games to make compiling their programs worthwhile.
        seed: the seed, which determines the games.

    Yields:
        For each game, its number of decisions, and the shortest game found that fails in the same way, or None if it
        did not fail.

    Raises:
        DiagnosticsError: if a game cannot be set up.
    """
    tried = combinations(ruleset, players)[: max(len(players), games // WORTH_IT)]
    decision = weighed(ruleset, players).decision if games else DECISION
    for at, combination in enumerate(tried):
        share = range(games * at // len(tried), games * (at + 1) // len(tried))
        for ended in CombinationGames(ruleset, combination, seed=seed).play(share) if share else ():
            failed = ended.failed
            if failed is not None and failed.failure is not None and not meant(failed.game, failed.failure.wrong):
                yield ended.decisions, shorter_playout(failed, EFFORT, decision)
            else:
                yield ended.decisions, None


def _played(trial: Trial, draws: Stream, cap: int) -> tuple[Diagnostic, Property | None] | None:
    """Plays a trial to its end; returns a diagnostic and the violated property (None: the last move fails), or None."""
    wrong = trial.begin()
    while wrong is None:
        over = trial.game.is_over or trial.game.ply >= cap
        for tried in PROPERTIES:
            if (draws.likely(tried.rate) or over) and (result := tried.check(trial)) is not None:
                return None if meant(trial.game, result) else (result, tried)
        if over:
            return None
        wrong = trial.make(_move(trial.game, draws))
    return wrong, None


def _move(game: Game, draws: Stream) -> Move:
    if game.ply and draws.likely(TAKE_BACK):
        return TakenBack(draws.one_of(range(1, 1 + min(5, game.ply))))
    option = choose(game, draws, draws.next())
    assert option is not None  # otherwise the property `rules` is violated
    return option


def shorter(
    trial: Trial, wrong: Diagnostic, failed: Property | None, steps: int = EFFORT, decision: int = DECISION
) -> FailingGame:
    """The shortest game found that fails in the same way as a trial.

    Args:
        trial: the failing game.
        wrong: its diagnostic.
        failed: the violated property at its end; None if its last move fails.
        steps: the total step limit for all attempts.
        decision: the steps charged per decision, in addition to those of interpreters.
    """
    ruleset, header = trial.game.ruleset, trial.header
    draws = Stream(0)

    def run(moves: Sequence[Move], more: int) -> tuple[list[Move], Diagnostic] | None:
        nonlocal steps
        if steps <= 0:
            return None
        again = Trial(ruleset, header.seats, header.settings, trial.backends)
        before = again.interpreted
        result = again.begin()
        rest = iter(moves)
        try:
            while result is None:
                if steps <= decision * len(again.moves) + again.interpreted - before:
                    return None
                # Slow properties are checked at the end only.
                if failed is not None and failed.rate == 1:
                    result = failed.check(again)
                if result is None:
                    move = next((m for move in rest if (m := _possible(again.game, move)) is not None), None)
                    if move is None and more > 0 and not again.game.is_over:
                        more, move = more - 1, choose(again.game, draws, draws.next())
                    if move is None:
                        result = failed.check(again) if failed is not None else None
                        break
                    result = again.make(move)
        finally:
            steps -= decision * (1 + len(again.moves)) + again.interpreted - before
            steps -= INTERPRETED * MAX_STEPS if result is not None and result.code == "RS704" else 0
        return (again.moves, result) if result is not None and kind_of(result) == kind_of(wrong) else None

    return shortest(ruleset, header, trial.moves, wrong, run)


def shorter_playout(playout: Playout, steps: int = EFFORT, decision: int = 0) -> FailingGame:
    """The shortest game found that fails in the same way as a playout.

    See `shorter` for `steps` and `decision`; if `decision` is 0, the cost of decisions is measured.
    """
    assert playout.failure is not None
    game = playout.game
    decision = decision or weighed(game.ruleset, [len(game.seats)]).decision
    trial = Trial(game.ruleset, game.names, game.settings, BACKENDS[:1])
    trial.moves += playout.moves()
    failed = PROPERTIES[0] if playout.failure.option is None else None
    return shorter(trial, playout.failure.wrong, failed, steps, decision)


def _possible(game: Game, move: Move) -> Move | None:
    """The same move in another game; None if it is impossible there."""
    if isinstance(move, TakenBack):
        return move if move.decisions <= game.ply else None
    return same_option(game, move)
