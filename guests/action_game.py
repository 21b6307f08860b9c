"""A game played one action at a time: its decider, legal actions, chance, and final returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game, restarted, teams_of
from rulespec.engine.game.option import Option
from rulespec.engine.game.position_check import no_option
from rulespec.engine.game.seating import seats_of
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import CAP, choose
from rulespec.guests.actions import ActionSpace, Form
from rulespec.guests.arguments import mapping, whole, wrong_type
from rulespec.guests.observations import Floats, Observations
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

CHANCE, NOBODY = -1, -2
"""Values in place of a seat: at a decision of chance, and after the end."""


class IllegalActionError(ValueError):
    """The action is illegal."""


class Contract:
    """The data that all plays of a game at a table share.

    Args:
        game: a game of the table, at its start.
        form: the form of the actions, as in `ActionSpace`.
        cap: the number of decisions before a game is cut off.

    Attributes:
        game, cap: as in the arguments.
        actions: the space of actions.
        sight: the encoder of observations.
        returns: the function that computes the returns at the end of a game.
    """

    def __init__(self, game: Game, form: Form | None = None, cap: int = CAP) -> None:
        self.game, self.cap = restarted(game), whole("cap", cap, 1)
        self.actions = ActionSpace(game, form)
        self.sight = Observations(game, self.actions.size if self.actions.form == "words" else 0)
        self.returns = Returns(game)

    def play(self) -> Play:
        """A new play, which starts at the first decision."""
        return Play(self, restarted(self.game))


def contract(
    ruleset: str | typed.Ruleset,
    players: int | None = None,
    settings: Mapping[str, str | int] | None = None,
    *,
    form: Form | None = None,
    cap: int = CAP,
) -> Contract:
    """The contract of a table.

    Args:
        ruleset: a checked ruleset, or a reference to one.
        players: the number of seats; None for the minimum.
        settings: the settings of the table.
        form: `options` or `words`; None for options if they are few.
        cap: the number of decisions before a game is cut off.

    Raises:
        DiagnosticsError: if the ruleset has errors, or does not fit the number of seats or the settings.
        ValueError: if there is no such form, if there are too many options for the form `options`, or if `cap` is below
            1.
        TypeError: if an argument has the wrong type.
    """
    if isinstance(ruleset, str):
        ruleset = load_ruleset(ruleset)
    elif not isinstance(ruleset, typed.Ruleset):
        raise wrong_type("ruleset", "a reference such as 'chess', or a loaded ruleset", ruleset)
    mapping("settings", settings)
    number = None if players is None else whole("players", players)
    return Contract(Game(ruleset, seats_of(ruleset, number), settings), form, cap)


class Returns:
    """The return of each seat at the end of a game.

    In a game for points (`stakes`), the return is the points of the seat, or the mean points of its team, minus the
    mean over all teams, so that returns sum to 0. Otherwise a winning team gets 1, and the other teams share -1; joint
    winners share the 1, and if there is no winner, all get 0. If there is only one team, it gets 1 or -1.

    Args:
        game: a game of the table.

    Attributes:
        low, high: the bounds of the returns.
        zero_sum: whether the returns sum to 0 at every end.
        identical: whether all seats win and lose together.
    """

    def __init__(self, game: Game) -> None:
        self._seats = game.seats
        self._team = list(teams_of(game) or game.seats)
        self._teams = list(dict.fromkeys(self._team))
        self._stakes = game.omniscient.program.stakes
        self.identical = len(self._teams) == 1
        sizes = {self._team.count(team) for team in self._teams}
        self.zero_sum = not self.identical and len(sizes) == 1
        others = len(self._teams) - 1
        self.high = float(self._stakes or 1)
        self.low = -self.high if self._stakes or self.identical else -1.0 / others

    def of(self, game: Game) -> list[float]:
        """The returns of a finished game, by seat; all are 0 before the end."""
        result = game.result
        if result is None:
            return [0.0] * len(self._seats)
        if self._stakes and not self.identical:
            points = [result.scores.get(seat, 0) for seat in self._seats]
            means = {team: self._mean(points, team) for team in self._teams}
            middle = sum(means.values()) / len(means)
            return [min(max(means[team] - middle, self.low), self.high) for team in self._team]
        won = {team for team, seat in zip(self._team, self._seats, strict=True) if seat in result.winners}
        if self.identical:
            return [1.0 if won else -1.0] * len(self._seats)
        others = len(self._teams) - 1
        share = {team: (team in won) / len(won) if won else 1 / (others + 1) for team in self._teams}
        return [(share[team] * (others + 1) - 1) / others for team in self._team]

    def _mean(self, points: Sequence[int], team: str) -> float:
        own = [number for number, each in zip(points, self._team, strict=True) if each == team]
        return sum(own) / len(own)


class Play:
    """A game that is played one action at a time.

    Args:
        contract: the contract of the table.
        game: the game; the play modifies it.

    Attributes:
        contract, game: as in the arguments.
    """

    def __init__(self, contract: Contract, game: Game) -> None:
        self.contract, self.game = contract, game
        self._open: list[tuple[tuple[int, ...], Option]] | None = None
        self._depth = 0

    def copy(self) -> Play:
        """An independent copy."""
        twin = Play(self.contract, self.game.copy())
        twin._open, twin._depth = self._open, self._depth
        return twin

    @property
    def cut(self) -> bool:
        """Whether the game was cut off before its end."""
        return not self.game.is_over and self.game.ply >= self.contract.cap

    @property
    def is_over(self) -> bool:
        """Whether the game has ended or was cut off."""
        return self.game.is_over or self.cut

    @property
    def seat(self) -> int:
        """The index of the deciding seat, `CHANCE`, or `NOBODY`."""
        return NOBODY if self.is_over else self.game.omniscient.numbers.decider()

    @property
    def words(self) -> tuple[int, ...]:
        """The actions taken so far in the current choice, including forced ones; empty between decisions."""
        return self._options()[0][0][: self._depth] if not self.is_over else ()

    @property
    def actions(self) -> list[int]:
        """The legal actions, in ascending order; empty after the end."""
        if self.is_over:
            return []
        options = self._options()
        depth = self._depth
        return sorted({sequence[depth] for sequence, _ in options})

    @property
    def mask(self) -> NDArray[np.int8]:
        """A mask of the actions: 1 for legal actions, otherwise 0."""
        result = np.zeros(self.contract.actions.size, np.int8)
        result[self.actions] = 1
        return result

    def odds(self) -> list[tuple[int, float]]:
        """The actions of chance with their probabilities, which sum to 1; impossible actions are omitted."""
        weights: dict[int, int] = {}
        numbers = self.game.omniscient.numbers
        for sequence, option in self._options():
            action = sequence[self._depth]
            weights[action] = weights.get(action, 0) + numbers.weight(option.kind.choice, option.args)
        odds = zip(weights, chances([*weights.values()]), strict=True)
        return [(action, chance) for action, chance in sorted(odds) if chance]

    def take(self, action: int) -> bool:
        """Plays an action, and any forced words after it.

        Returns:
            Whether the action completed a decision.

        Raises:
            IllegalActionError: if the action is illegal.
        """
        options = [] if self.is_over else self._options()  # sets the depth too
        depth = self._depth
        left = [each for each in options if each[0][depth] == action]
        if not left:
            raise IllegalActionError(f"the action {action} is not legal now")
        if len(left) == 1:
            self.apply(left[0][1])
            return True
        self._open, self._depth = left, _common(left, depth + 1)
        return False

    def apply(self, option: Option) -> None:
        """Plays a whole option."""
        self.game.apply(option)
        self._open, self._depth = None, 0

    def draw(self, draws: Draws) -> None:
        """Draws chance outcomes until a seat must decide or the game is over."""
        while self.seat == CHANCE:
            option = choose(self.game, draws, interrupt_rate=0)
            if option is None:
                raise self._stuck()
            self.apply(option)

    def observation(self, seat: int | None) -> Floats:
        """The observation of a seat; if `seat` is None, the public observation."""
        self._name(seat)
        return self.contract.sight.of(self.game, PUBLIC if seat is None else seat, self._words_of(seat))

    def seen(self, seat: int | None) -> dict[str, Any]:
        """The memoryless view of a seat as plain data with names; if `seat` is None, the public view."""
        name, words = self._name(seat), self._words_of(seat)
        view = self.game.view(name, self.game.ply)
        return {
            "seat": name,
            "state": view.state,
            "hidden": list(view.hidden),
            "decision": None if view.decision is None else view.decision.name,
            "waiting": list(view.waiting),
            "options": [str(option) for option in view.options],
            "words": [self.contract.actions.names[word] for word in words],
        }

    def memory(self, seat: int | None) -> str:
        """A text that represents the observations of a seat so far, or the public ones if `seat` is None.

        Two such texts are equal exactly if the observations are equal.
        """
        view = self.game.view(self._name(seat), self.game.ply)
        words = self._words_of(seat)
        return f"{'public' if seat is None else seat} {view.memory}" + "".join(f" {word}" for word in words)

    def _name(self, seat: int | None) -> str | None:
        return None if seat is None else self.game.seats[whole("seat", seat, 0, len(self.game.seats) - 1)]

    def _words_of(self, seat: int | None) -> tuple[int, ...]:
        """The words of a seat's unfinished choice, which other seats do not see."""
        return self.words if seat == self.seat else ()

    def returns(self) -> list[float]:
        """The returns by seat; 0 before the end, and in a truncated game."""
        return self.contract.returns.of(self.game)

    def _options(self) -> list[tuple[tuple[int, ...], Option]]:
        """The options still possible, each with its actions."""
        if self._open is None:
            asked, sequence = self.game.omniscient.numbers.asked, self.contract.actions.sequence
            options = [(sequence(asked, each.kind.choice, each.args), each) for each in self.game.legal_options]
            if not options:
                raise self._stuck()
            self._open, self._depth = options, _common(options, 0) if len(options) > 1 else 0
        return self._open

    def _stuck(self) -> DiagnosticsError:
        return DiagnosticsError((no_option(self.game),))


def chances(weights: Sequence[int]) -> list[float]:
    """The probabilities of chance, given its weights; if all are 0, the last is certain, as in `Draws.weighted`."""
    whole = sum(weights)
    if not whole:
        return [0.0] * (len(weights) - 1) + [1.0]
    return [weight / whole for weight in weights]


def _common(options: Sequence[tuple[tuple[int, ...], Option]], depth: int) -> int:
    """The length of the common prefix of several options' actions."""
    first = options[0][0]
    while all(sequence[depth] == first[depth] for sequence, _ in options):
        depth += 1
    return depth
