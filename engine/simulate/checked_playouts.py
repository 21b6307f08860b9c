"""Playouts: random games, with all invariants checked after every decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.engine.game.drafted import standing
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import Option, RulesetFaultError, UnlistedOptionsError
from rulespec.engine.game.position_check import asked, broken, invariant_of, no_option
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.end_line import end_json
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.engine.program.draws import GENERATOR, Draws
from rulespec.typed import nodes as typed

CAP = 5_000
"""The number of decisions before a playout is abandoned."""

INTERRUPT_RATE = 1 / 50
"""The probability of an option out of turn, if one is legal."""


@dataclass(frozen=True, slots=True)
class PlayoutFailure:
    """A failure of the rules in a playout.

    Attributes:
        kind: `invariant`, `fault` or `no_option`.
        detail: the message.
        wrong: the diagnostic, with its place in the rules.
        option: the option that faulted and was undone; None if no option faulted.
    """

    kind: str
    detail: str
    wrong: Diagnostic
    option: Option | None = None


@dataclass(frozen=True, slots=True)
class Playout:
    """A finished playout. `ending` is None if it was abandoned or failed; `game` holds all decisions."""

    number: int
    game: Game
    ending: str | None
    scores: dict[str, int]
    winners: tuple[str, ...]
    failure: PlayoutFailure | None

    @property
    def decisions(self) -> int:
        """The number of decisions, including chance."""
        return self.game.ply

    def log(self) -> list[dict[str, Any]]:
        """The lines of a native log; an option that faulted comes after the end line."""
        steps, fault = self.game.omniscient.numbers.steps, self.moves()[self.game.ply :]
        decisions = [step.option for step in standing(steps)]
        lines = [LogHeader.of(self.game, random=GENERATOR).to_json(), *map(entry_json, decisions), *end_json(self.game)]
        return [*lines, *map(entry_json, fault)]

    def moves(self) -> list[Option]:
        """All decisions, including an option that faulted."""
        last = self.failure.option if self.failure is not None else None
        return self.game.history + ([last] if last is not None else [])


def choose(
    game: Game,
    draws: Draws,
    at: int | None = None,
    interrupt_rate: float = INTERRUPT_RATE,
    *,
    weighing: bool = False,
) -> Option | None:
    """A random legal option; the decider's own options are equally likely, chance options are drawn by weight.

    Args:
        game: a game that is not over.
        draws: the random numbers of the game.
        at: the number of the decision to draw for; None means the current ply, so that a decision gets the same draw
            after an undo.
        interrupt_rate: the probability of an option out of turn, if one is legal.
        weighing: whether to weigh the decider's options as in playouts.

    Returns:
        The option, or None if none is legal.
    """
    first = 2 * (game.ply if at is None else at)
    try:
        return _listed(game, draws, first, interrupt_rate, weighing=weighing)
    except UnlistedOptionsError:
        interrupts = list(game.interrupts) if draws.happens(first, interrupt_rate) else []
        if interrupts:
            return interrupts[draws.below(first + 1, len(interrupts))]
        return game.drawn(draws.tries(first + 1), weighing=weighing)


def _listed(game: Game, draws: Draws, first: int, interrupt_rate: float, *, weighing: bool) -> Option | None:
    """A random option among the listed ones, drawn with the words from number `first` on."""
    options = game.legal_options
    result: Sequence[Option] = options
    if interrupt_rate and options.interruptible and draws.happens(first, interrupt_rate):
        own = list(result)  # before the interrupts, so that faults are reported in this order
        result = list(game.interrupts) or own
        weighing = weighing and result is own
    count = len(result)
    if not count:
        return None
    option = result[draws.below(first + 1, count)]
    if option.by is not None and not weighing:
        return option
    return result[draws.weighted(first + 1, [game.omniscient.numbers.weight(o.kind.choice, o.args) for o in result])]


def takes_any(game: Game) -> bool:
    """Whether a bot must leave a decision to chance, because no option is legal or there are too many to list."""
    return bool(game.legal_options.unlisted) or not game.legal_options


Decide = Callable[[Game, Draws], Option | None]
"""A function that chooses a legal option, or returns None if there is none."""


def play_out(
    game: Game,
    seed: int,
    number: int,
    *,
    cap: int = CAP,
    decide: Decide = choose,
) -> Playout:
    """Plays a game at random from its current position, with all invariants checked after every decision.

    The playout depends only on the game, the seed and the number; it is abandoned after `cap` decisions. `decide` takes
    the decisions; by default they are random.
    """
    draws = Draws(seed, number)
    option: Option | None = None
    try:
        failure = _broken(game)
        while failure is None and not game.is_over and game.ply < cap:
            option = decide(game, draws)
            if option is None:
                failure = _stuck(game)
                break
            game.apply(option)
            option = None
            failure = _broken(game)
        result = game.result if failure is None else None
    except RulesetFaultError as fault:
        failure = PlayoutFailure("fault", str(fault), fault.diagnostic, option)
        return Playout(number, game, None, {}, (), failure)
    if result is None:
        return Playout(number, game, None, {}, (), failure)
    return Playout(number, game, result.ending, result.scores, tuple(result.winners), None)


def _broken(game: Game) -> PlayoutFailure | None:
    result = game.omniscient.broken_invariants()
    return PlayoutFailure("invariant", "; ".join(result), broken(invariant_of(game, result[0]))) if result else None


def _stuck(game: Game) -> PlayoutFailure:
    wrong = no_option(game)
    return PlayoutFailure("no_option", f"nothing is legal at the decision `{asked(game).name}`", wrong)


def simulate(
    ruleset: typed.Ruleset,
    players: Sequence[int],
    games: int,
    seed: int,
    *,
    settings: Mapping[str, str | int] | None = None,
    backend: Backend = "python",
    cap: int = CAP,
) -> Iterator[Playout]:
    """Plays random games one after another, alternating between player counts."""
    for number in range(games):
        seats = seat_names(players[number % len(players)], ruleset.seats)
        yield play_out(Game(ruleset, seats, settings, backend), seed, number, cap=cap)
