"""Property tests for a ruleset of one's own, in two lines:

    from rulespec.testing import ruleset_tests
    TestMyGame = ruleset_tests("my_game+house_rule")

pytest finds the class, and Hypothesis plays: it takes decisions, takes them back, goes on in clones and with saved
games, and looks for a game in which an invariant breaks, the rules are at fault, or the program does not do what holds
of every game. The failure shows the shortest such game found, as a native log.

This is the only module of this package that stands on the engine: a door for authors, through which nothing here goes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from unittest import TestCase

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.render import render_text
from rulespec.engine.game.game import TakenBack
from rulespec.engine.game.machines import Backend, Machines, seat_names
from rulespec.engine.game.position_check import look
from rulespec.engine.simulate.playouts import choose
from rulespec.engine.verify.properties import PROPERTIES, Property
from rulespec.engine.verify.random_games import shorter
from rulespec.engine.verify.shrink import FailingGame, last_changes
from rulespec.engine.verify.trial import BACKENDS, Trial
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

try:
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
except ImportError as error:
    raise ImportError("rulespec.testing needs Hypothesis: pip install 'rulespec[testing]'") from error

DEFAULTS = settings(
    max_examples=20,
    stateful_step_count=30,
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # to make a game shorter, decisions are better than steps
    suppress_health_check=list(HealthCheck),
)
"""How much is tried; a test may have settings of its own."""
MANY = 60
"""Decisions that are taken at random in one step, at most: so that the end of a game is seen, too."""

_PROPERTIES = {p.name: p for p in PROPERTIES}


class BrokenGameError(AssertionError):
    """A game in which something is wrong. Its text holds the game as a native log."""

    def __init__(self, trial: Trial, wrong: Diagnostic, failed: Property | None) -> None:
        super().__init__()
        self._trial, self._failed = trial, failed
        changed = tuple(last_changes(trial.game.ruleset, trial.header, trial.moves))
        self.failing = FailingGame(trial.header, tuple(trial.moves), wrong, changed)

    def shorten(self) -> None:
        """Makes the game as short as can be."""
        self.failing = shorter(self._trial, self.failing.wrong, self._failed)

    def __str__(self) -> str:
        failing = self.failing
        sources = self._trial.game.ruleset.sources
        parts = [render_text([failing.wrong], dict(sources), False, 0), "The game that shows it:"]
        parts += ["\n".join(failing.story()), "The same as a log, for `rulespec replay --check`:", failing.log()]
        return "\n\n".join(["", *parts])


def ruleset_tests(
    ref: str,
    *,
    players: Sequence[int] | None = None,
    options: Mapping[str, str] | None = None,
    settings: settings = DEFAULTS,
    backends: Sequence[Backend | Machines] = BACKENDS,
) -> type[TestCase]:
    """A test case that plays a ruleset.

    Args:
        ref: the reference of the ruleset, such as `my_game+house_rule` or a path. It is loaded when the test runs.
        players: the numbers of players that are tried; all that the ruleset is for if not given.
        options: values for some of the ruleset's options; of the others all values are tried.
        settings: how much Hypothesis tries.
        backends: the backends that are compared.

    Raises:
        BrokenGameError: when the test runs, and finds something wrong.
        DiagnosticsError: when the test runs, and the ruleset is not sound.
    """
    given = dict(options or {})

    @cache
    def ruleset() -> typed.Ruleset:
        return load_ruleset(ref)

    class Games(_Games):
        @initialize(data=st.data())
        def begin(self, data: st.DataObject) -> None:
            low, high = ruleset().players
            number = data.draw(st.sampled_from(players or range(low, high + 1)), label="players")
            chosen = dict(given)
            for option in ruleset().settings.values():
                if option.name not in given:
                    chosen[option.name] = data.draw(st.sampled_from(_values(option)), label=option.name)
            self.trial = Trial(ruleset(), seat_names(number), chosen, backends)
            self.expect(self.trial.begin())

    case: Any = Games.TestCase  # Hypothesis makes this class when it is asked for

    class Tests(case):  # type: ignore[misc]
        def runTest(self) -> None:  # noqa: N802 - the name that unittest knows
            try:
                super().runTest()
            except BrokenGameError as error:
                error.shorten()
                error.__notes__ = []  # the steps that led to a longer one
                raise

    Tests.settings = settings
    return Tests


def _values(option: typed.SettingDecl) -> list[str]:
    """The values of an option, the default first: it is the simplest."""
    values = option.values or ("false", "true")
    return [option.default, *(value for value in values if value != option.default)]


class _Games(RuleBasedStateMachine):
    """The steps that Hypothesis may take with a game; it simplifies what it has taken when something is wrong."""

    trial: Trial

    def expect(self, wrong: Diagnostic | None, failed: Property | None = None) -> None:
        """Fails if something is wrong."""
        if wrong is not None:
            raise BrokenGameError(self.trial, wrong, failed)

    def holds(self, name: str) -> None:
        """Fails if a property does not hold."""
        tried = _PROPERTIES[name]
        self.expect(tried.check(self.trial), tried)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.trial.game.is_over

    @precondition(lambda self: not self.over)
    @rule(number=st.integers(0, 10_000))
    def take(self, number: int) -> None:
        """An option: the first one is the simplest."""
        options = look(self.trial.game)[0]
        self.expect(self.trial.make(options[number % len(options)]))

    @precondition(lambda self: not self.over)
    @rule(number=st.integers(1, MANY), seed=st.integers(0, 1_000))
    def take_many(self, number: int, seed: int) -> None:
        """Options at random."""
        rng = random.Random(seed)
        for _ in range(number):
            option = None if self.over else choose(self.trial.game, rng)
            if option is None:
                return
            self.expect(self.trial.make(option))
            self.everything_holds()

    @precondition(lambda self: self.trial.game.ply > 0)
    @rule(number=st.integers(1, 20))
    def take_back(self, number: int) -> None:
        """Decisions taken back."""
        self.expect(self.trial.make(TakenBack(min(number, self.trial.game.ply))))

    @precondition(lambda self: not self.over)
    @rule()
    def take_and_take_back(self) -> None:
        """One option, and back."""
        self.holds("undo")

    @rule()
    def go_on_in_clones(self) -> None:
        """Clones take the place of the games."""
        self.holds("clone")
        self.trial.games = [game.clone() for game in self.trial.games]

    @rule()
    def try_options(self) -> None:
        """Options one by one, those that are not legal included."""
        self.holds("options")
        self.holds("answers")

    @rule()
    def write_and_read(self) -> None:
        """The game as a log."""
        self.holds("log")

    @rule()
    def save_and_go_on(self) -> None:
        """The game saved, and gone on with."""
        self.holds("resume")

    @invariant()
    def everything_holds(self) -> None:
        """What holds of every position."""
        if hasattr(self, "trial"):
            self.holds("rules")
            self.holds("backends")
