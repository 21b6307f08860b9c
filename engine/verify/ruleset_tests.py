"""Property tests for an author's ruleset, added in two lines:

    from rulespec.testing import ruleset_tests

    TestMyGame = ruleset_tests("my_game+house_rule")

pytest collects the class, and Hypothesis plays: it takes and undoes decisions, continues in clones and saved games, and
searches for a game that breaks an invariant, makes the rules fault, or violates one of the properties of every game.
The failure shows the shortest such game found, as a native log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from unittest import TestCase

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.render import render_text
from rulespec.engine.game.machines import Backend, Machines
from rulespec.engine.game.option import TakenBack
from rulespec.engine.game.position_check import look
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.verify.properties import PROPERTIES, Property
from rulespec.engine.verify.random_games import shorter
from rulespec.engine.verify.shrink import FailingGame
from rulespec.engine.verify.trial import BACKENDS, Trial
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed
from rulespec.typed.settings import values_to_try

try:
    from hypothesis import HealthCheck, Phase
    from hypothesis import settings as HypothesisSettings  # noqa: N812 - the word is taken: settings of the table
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
except ImportError as error:
    raise ImportError("rulespec.testing needs Hypothesis: pip install 'rulespec[testing]'") from error

DEFAULTS = HypothesisSettings(
    max_examples=20,
    stateful_step_count=30,
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # games shrink by decisions, not by steps
    suppress_health_check=list(HealthCheck),
)
"""The default settings of Hypothesis."""
MANY = 60
"""The number of random decisions in one step, so that games reach their end."""

_PROPERTIES = {p.name: p for p in PROPERTIES}


class BrokenGameError(AssertionError):
    """Raised for a game that reveals a mistake. The message contains the game as a native log."""

    def __init__(self, trial: Trial, wrong: Diagnostic, failed: Property | None) -> None:
        super().__init__()
        self._trial, self._wrong, self._failed = trial, wrong, failed
        self.failing = FailingGame.of(trial.game.ruleset, trial.header, trial.moves, wrong)

    def shorten(self) -> None:
        """Replaces the game with the shortest one found."""
        self.failing = shorter(self._trial, self._wrong, self._failed)

    def __str__(self) -> str:
        failing = self.failing
        sources = self._trial.game.ruleset.sources
        parts = [render_text([failing.wrong], dict(sources), False, 0), "The game that shows it:"]
        parts += ["\n".join(failing.story()), "The same as a log, for `rulespec replay --check`:", failing.log()]
        parts += ["The same as a scenario, for `rulespec test`:", failing.scenario] if failing.scenario else []
        return "\n\n".join(["", *parts])


def ruleset_tests(
    ref: str,
    *,
    players: Sequence[int] | None = None,
    settings: Mapping[str, str] | None = None,
    hypothesis: HypothesisSettings = DEFAULTS,
    backends: Sequence[Backend | Machines] = BACKENDS,
) -> type[TestCase]:
    """A test case class that plays a ruleset.

    Args:
        ref: the reference of the ruleset, such as `my_game+house_rule` or a path, loaded when the test runs.
        players: the player counts; by default, all that the ruleset allows.
        settings: fixed values for some of the ruleset's settings; the others vary.
        hypothesis: the settings for Hypothesis, which determine the effort.
        backends: the backends to compare.

    Raises:
        BrokenGameError: when the test runs and finds a mistake.
        DiagnosticsError: when the test runs and the ruleset has errors.
    """
    inputs = dict(settings or {})

    @cache
    def ruleset() -> typed.Ruleset:
        return load_ruleset(ref)

    class TestedGames(_Games):
        @initialize(data=st.data())
        def begin(self, data: st.DataObject) -> None:
            low, high = ruleset().players
            number = data.draw(st.sampled_from(players or range(low, high + 1)), label="players")
            chosen = dict(inputs)
            for setting in ruleset().settings.values():
                if setting.name not in inputs:
                    chosen[setting.name] = data.draw(st.sampled_from(_values(setting)), label=setting.name)
            self.trial = Trial(ruleset(), seat_names(number, ruleset().seats), chosen, backends)
            self.expect(self.trial.begin())

    case: Any = TestedGames.TestCase  # Hypothesis creates this class on access

    class Tests(case):  # type: ignore[misc]
        def runTest(self) -> None:  # noqa: N802 - the name that unittest knows
            try:
                super().runTest()
            except BrokenGameError as error:
                error.shorten()
                error.__notes__ = []  # the steps are those of a longer game
                raise

    Tests.settings = hypothesis
    return Tests


def _values(setting: typed.SettingDecl) -> list[str]:
    """The values of a setting, with the default, the simplest, first."""
    return [setting.default, *(value for value in values_to_try(setting) if value != setting.default)]


class _Games(RuleBasedStateMachine):
    """The steps that Hypothesis may take in a game, and reduces after a failure."""

    trial: Trial

    def expect(self, wrong: Diagnostic | None, failed: Property | None = None) -> None:
        """Raises a failure if there is a diagnostic."""
        if wrong is not None:
            raise BrokenGameError(self.trial, wrong, failed)

    def holds(self, name: str) -> None:
        """Raises a failure if a property is violated."""
        tried = _PROPERTIES[name]
        self.expect(tried.check(self.trial), tried)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.trial.game.is_over

    @precondition(lambda self: not self.over)
    @rule(number=st.integers(0, 10_000))
    def take(self, number: int) -> None:
        """Takes the legal option with a given number, counted cyclically; Hypothesis prefers low numbers."""
        options = look(self.trial.game)[0]
        self.expect(self.trial.make(options[number % len(options)]))

    @precondition(lambda self: not self.over)
    @rule(number=st.integers(1, MANY), seed=st.integers(0, 1_000))
    def take_many(self, number: int, seed: int) -> None:
        """Takes random options."""
        draws = Draws(seed)
        for _ in range(number):
            option = None if self.over else choose(self.trial.game, draws)
            if option is None:
                return
            self.expect(self.trial.make(option))
            self.everything_holds()

    @precondition(lambda self: self.trial.game.ply > 0)
    @rule(number=st.integers(1, 20))
    def take_back(self, number: int) -> None:
        """Undoes decisions."""
        self.expect(self.trial.make(TakenBack(min(number, self.trial.game.ply))))

    @precondition(lambda self: not self.over)
    @rule()
    def take_and_take_back(self) -> None:
        """Takes an option and undoes it."""
        self.holds("undo")

    @rule()
    def go_on_in_clones(self) -> None:
        """Replaces the games with their clones."""
        self.holds("clone")
        self.trial.games = [game.copy() for game in self.trial.games]

    @rule()
    def try_options(self) -> None:
        """Checks options one by one, including illegal ones."""
        self.holds("options")
        self.holds("answers")

    @rule()
    def write_and_read(self) -> None:
        """Writes the game as a log and reads it."""
        self.holds("log")

    @rule()
    def save_and_go_on(self) -> None:
        """Saves the game and resumes it."""
        self.holds("resume")

    @invariant()
    def everything_holds(self) -> None:
        """Checks the properties of every position."""
        if hasattr(self, "trial"):
            self.holds("rules")
            self.holds("backends")
