"""Plans for many random games, and the outcomes of the games, as plain data for other processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from rulespec.bundles.place import is_carried, within
from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, Machines
from rulespec.engine.game.seating import check_settings, seat_names, seated
from rulespec.engine.program.draws import GENERATOR
from rulespec.engine.simulate.checked_playouts import CAP, Decide, Playout, choose, play_out
from rulespec.engine.simulate.details import Details, GameMeasures, Leading, Watch
from rulespec.engine.simulate.leading import standings
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import teams


@dataclass(frozen=True, slots=True)
class GamePlan:
    """The inputs that determine game number n, as plain data for other processes.

    Attributes:
        reference: the reference for loading the ruleset.
        ruleset: the ruleset's reference, as ids.
        ruleset_hash: the hash of its meaning.
        sources_hash: the hash of its source texts, to which places in outcomes refer.
        players: the player counts, which alternate.
        called: the names that the rules give to the first seats.
        teams: the team of each seat at the maximum number of players; empty if there are no teams.
        seed: the seed of chance.
        cap: the number of decisions before a game is abandoned.
        settings: all settings of the ruleset, with their values.
        backend: the backend for the rules, which does not affect the games.
        random: the random number generator.
        bots: the names of the bots, which rotate over the seats; if empty, all seats play at random.
        rotated: whether the bots move one seat further in each game.
        details: whether outcomes have details.
        repeated: the number of consecutive games with the same deal.
    """

    reference: str
    ruleset: str
    ruleset_hash: str
    sources_hash: str
    players: tuple[int, ...]
    called: tuple[str, ...]
    teams: tuple[str, ...]
    seed: int
    cap: int
    settings: dict[str, str]
    backend: Backend
    random: str = GENERATOR
    bots: tuple[str, ...] = ()
    rotated: bool = False
    details: bool = False
    repeated: int = 1

    @classmethod
    def of(
        cls,
        reference: str,
        ruleset: typed.Ruleset,
        players: Sequence[int],
        seed: int,
        *,
        settings: Mapping[str, str | int] | None = None,
        backend: Backend = "python",
        cap: int = CAP,
    ) -> GamePlan:
        """The plan for a loaded ruleset.

        Raises:
            DiagnosticsError: if the player counts or the settings do not fit the ruleset.
        """
        values = check_settings(ruleset, settings or {})
        for number in players:
            seated(ruleset, seat_names(number, ruleset.seats))
        return cls(
            reference,
            ruleset.ref,
            ruleset.hash,
            ruleset.sources_hash,
            tuple(players),
            ruleset.seats,
            teams(ruleset.declarations),
            seed,
            cap,
            values,
            backend,
        )

    def seats(self, number: int) -> tuple[str, ...]:
        """The seats of a game."""
        return seat_names(self.players[number % len(self.players)], self.called)

    def play(
        self, ruleset: typed.Ruleset, number: int, decide: Decide = choose, machine: Machines | None = None
    ) -> Playout:
        """Plays the game with this number; `ruleset` is the plan's, and `decide` decides for all seats.

        Games in wasm do not record decisions, so Python plays them here unless another machine is given.
        """
        backend = machine or ("python" if self.backend == "wasm" else self.backend)
        game = Game(ruleset, self.seats(number), self.settings, backend)
        return play_out(game, self.seed, number // self.repeated, cap=self.cap, decide=decide)

    def outcome(
        self,
        ruleset: typed.Ruleset,
        number: int,
        decide: Decide = choose,
        machine: Machines | None = None,
        measuring: GameMeasures | None = None,
        leading: Leading = standings,
    ) -> Outcome:
        """The outcome of one game, with details if the plan asks for them; the arguments are those of `play`."""
        watch = Watch(measuring, leading) if self.details else None
        playout = self.play(ruleset, number, watch.around(decide) if watch is not None else decide, machine)
        details = watch.details(playout.game) if watch is not None else None
        return replace(Outcome.of(playout), game=number, details=details)


MISTAKES = ("invariant", "fault", "no_option")
"""The kinds of mistakes."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in the rules that a game reveals, as texts; the code and the place identify it.

    Attributes:
        kind: one of `MISTAKES`.
        detail: the message.
        code: the code of the diagnostic.
        place: its place relative to the ruleset's folder, such as `nim/rules/play.rules:13:5`; "" if there is none.
    """

    kind: str
    detail: str
    code: str
    place: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one game, as plain data; it is the same with every machine.

    Attributes:
        game: the number of the game.
        players: the number of players.
        decisions: the number of decisions.
        ended: the ending; None if the game was abandoned or failed.
        winners: the seats that won.
        scores: the points by seat.
        failure: the mistake found; None if there was none.
        details: the game's details; None if the plan records none.
    """

    game: int
    players: int
    decisions: int
    ended: str | None
    winners: tuple[str, ...]
    scores: dict[str, int]
    failure: Mistake | None
    details: Details | None = None

    @classmethod
    def of(cls, playout: Playout) -> Outcome:
        """The outcome of a playout."""
        mistake, failure, game = None, playout.failure, playout.game
        if failure is not None:
            place = place_in(game.ruleset, failure.wrong.span)
            detail = f"{place}: {failure.wrong.message}" if failure.kind == "fault" and place else failure.detail
            mistake = Mistake(failure.kind, detail, failure.wrong.code, place)
        seats = len(game.seats)
        return cls(playout.number, seats, playout.decisions, playout.ending, playout.winners, playout.scores, mistake)

    def to_json(self) -> dict[str, Any]:
        """The outcome as an object of `playouts` in simulate.schema.json."""
        result: dict[str, Any] = to_builtins(self)
        details = result.pop("details")
        return result | (details or {})


def place_in(ruleset: typed.Ruleset, span: Span | None) -> str:
    """A place relative to the ruleset's folder, so that it is the same on every computer."""
    if span is None:
        return ""
    if is_carried(ruleset):
        return f"{within(span.file)}:{span.line}:{span.column}"
    path = Path(span.file).resolve()
    above = next((f.parent for f in map(Path.resolve, ruleset.folders) if path.is_relative_to(f)), path.parent)
    return f"{path.relative_to(above).as_posix()}:{span.line}:{span.column}"
