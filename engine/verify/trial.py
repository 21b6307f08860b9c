"""One game under several backends at once; the backends must agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, Machines, machine
from rulespec.engine.game.option import IllegalOptionError, RulesetFaultError, TakenBack
from rulespec.engine.game.position_check import asked, interpreted
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.verify.shrink import Move
from rulespec.typed import nodes as typed

BACKENDS: tuple[Backend, ...] = ("python", "interpreter")
"""The machines that run every ruleset everywhere."""

INTERPRETED = 50
"""The number of steps in generated code that take about as long as one step of the interpreter."""


def installed_backends(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> tuple[Backend, ...]:
    """The machines that can run a ruleset here, including wasm if it is installed and supports the ruleset."""
    from rulespec.engine.wasm.compiler import NoWasmError  # lazily: few commands need it
    from rulespec.engine.wasm.engine import NoWasmtimeError

    try:
        machine(ruleset, seats, settings, "wasm")
    except (NoWasmtimeError, NoWasmError, DiagnosticsError):  # DiagnosticsError occurs in the others as well
        return BACKENDS
    return (*BACKENDS, "wasm")


class Trial:
    """A game under several backends at once; the first is compared with each of the others.

    Args:
        ruleset: the ruleset.
        seats: the players, as in `Game`.
        settings: values for the ruleset's settings.
        backends: names of backends, or machine factories.

    Raises:
        DiagnosticsError: if the seats or the settings do not fit the ruleset.
    """

    def __init__(
        self,
        ruleset: typed.Ruleset,
        seats: Sequence[str] | Mapping[str, str],
        settings: Mapping[str, str | int] | None = None,
        backends: Sequence[Backend | Machines] = BACKENDS,
    ) -> None:
        self.backends = backends
        self.games = [Game(ruleset, seats, settings, backend) for backend in backends]
        self.header = LogHeader.of(self.game)
        self.moves: list[Move] = []

    @property
    def game(self) -> Game:
        """The game under the first backend."""
        return self.games[0]

    @property
    def interpreted(self) -> int:
        """The weighted total of the steps that interpreters took, including steps in earlier games, as a measure of
        time.
        """
        return INTERPRETED * sum(map(interpreted, self.games))

    def begin(self) -> Diagnostic | None:
        """Starts the game; returns a diagnostic if the rules fault before the first decision."""
        return self._together(lambda game: game.omniscient.numbers.begin())

    def make(self, move: Move) -> Diagnostic | None:
        """Makes a move, a legal option or an undo; returns a diagnostic if the rules fault."""
        self.moves.append(move)
        if isinstance(move, TakenBack):
            return self._together(lambda game: game.omniscient.take_back(move))
        return self._together(lambda game: game.apply(move))

    def _together(self, act: Callable[[Game], object]) -> Diagnostic | None:
        faults = [_fault(act, game) for game in self.games]
        if all((f and (f.code, f.span)) == (faults[0] and (faults[0].code, faults[0].span)) for f in faults):
            return faults[0]
        return contradiction(self, "backends", f"one backend says: {' - the other: '.join(map(_message, faults))}")


def _fault(act: Callable[[Game], object], game: Game) -> Diagnostic | None:
    try:
        act(game)
    except RulesetFaultError as fault:
        return fault.diagnostic
    except IllegalOptionError as error:
        return Diagnostic("RS903", Severity.ERROR, str(error), None)
    return None


def _message(fault: Diagnostic | None) -> str:
    return fault.message if fault is not None else "nothing is wrong"


def contradiction(trial: Trial, name: str, detail: str) -> Diagnostic:
    """The diagnostic for a property violated by this program rather than by the rules."""
    try:
        span = None if trial.game.is_over else asked(trial.game).span
    except RulesetFaultError:
        span = None
    help_ = "this must hold for all rules: please report it, with the ruleset and the game"
    return Diagnostic("RS903", Severity.ERROR, f"{name}: {detail}", span, help=help_)


def kind_of(wrong: Diagnostic) -> tuple[object, ...]:
    """A key that identifies a mistake, so that two failing games can be compared."""
    return (wrong.code, wrong.message.partition(":")[0]) if wrong.code == "RS903" else (wrong.code, wrong.span)
