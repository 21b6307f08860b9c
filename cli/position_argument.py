"""The position argument of commands, `REF|LOG[@N]`, and its flags."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from rulespec.bundles.place import whose
from rulespec.cli import output
from rulespec.cli.audience import tell_everything, tell_seats
from rulespec.cli.flags import number_of_players, settings_flag, with_samples
from rulespec.cli.seat_flags import Viewer, viewer, viewer_flags
from rulespec.diagnostics.report import Report
from rulespec.documents.text_files import is_file
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names

_AT = re.compile(r"(.+)@(\d{1,9})")


class PositionPlace(Struct, frozen=True):
    """A reference or the path of a log, and a number of decisions; None means the start or, for a log, the end."""

    what: str
    at: int | None

    def __str__(self) -> str:
        return self.what if self.at is None else f"{self.what}@{self.at}"


class PlaceType(click.ParamType[PositionPlace]):
    """The parameter type of a position: `REF`, `LOG` or `LOG@N`."""

    name = "position"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> PositionPlace:
        """The ruleset reference or log, with the number of decisions."""
        text = str(value)
        parts = None if Path(text).exists() else _AT.fullmatch(text)
        log, at, number = text.rpartition("@")
        if parts is None and at and not Path(text).exists() and is_file(Path(log)):
            self.fail(
                f"`{number[:20]}` is not a number of decisions: write {log}@N, with N from 0 to 999,999,999", param, ctx
            )
        return (
            PositionPlace(with_samples(text), None)
            if parts is None
            else PositionPlace(with_samples(parts[1]), int(parts[2]))
        )


def position_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the argument `REF|LOG[@N]` and its flags to a command."""
    seats = viewer_flags("Use the knowledge of this seat (its id or name).", "Use what all seats know; the default.")
    everything = click.option("--omniscient", is_flag=True, help="Use all information, hidden or not.")
    rules = click.option("--rules", metavar="REF", help="The ruleset of a log; default: the one it names.")
    players = click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players of REF.")
    argument = click.argument("where", metavar="REF|LOG[@N]", type=PlaceType())
    for add in (settings_flag, players, rules, everything, seats, argument):
        command = add(command)
    return command


class Where(Struct, frozen=True):
    """The position and the viewer given on the command line."""

    place: PositionPlace
    rules: str | None
    players: int | None
    settings: tuple[str, ...]
    seat: str | None
    public: bool
    omniscient: bool

    @classmethod
    def taken(cls, values: dict[str, Any]) -> Where:
        """Reads the position from the parameters of a command, and removes its flags from `values`."""
        names = ("rules", "players", "settings", "seat", "public", "omniscient")
        return cls(values.pop("where"), *(values.pop(name) for name in names))

    @property
    def viewer(self) -> Viewer:
        """The viewer: the public, unless a flag names someone else.

        Raises:
            click.UsageError: if the flags name two viewers.
        """
        if self.omniscient and (self.seat is not None or self.public):
            raise click.UsageError("--for and --public cannot be combined with --omniscient, which shows everything")
        return viewer(self.seat, self.public or (self.seat is None and not self.omniscient))

    def game(self) -> Game:
        """The game at the position.

        Raises:
            click.UsageError: if the flags are incompatible, or the log has fewer decisions.
        """
        seen, log = self.viewer, self.place.what
        if not is_file(Path(log)):
            return self._new()
        if self.players is not None or self.settings:
            raise click.UsageError("--players and --set need a ruleset: a log has its own")
        if not seen.omniscient:
            tell_seats(log, "use `--omniscient` to see it")
        game = self._replayed(Path(log), lenient=not seen.omniscient)
        if not game.omniscient.secretive:
            tell_everything()
        return game

    def _new(self) -> Game:
        from rulespec.load import load_ruleset

        if self.place.at is not None or self.rules is not None:
            raise click.UsageError("@N and --rules need a recorded game")
        ruleset = load_ruleset(self.place.what)
        players = number_of_players(ruleset, self.players)
        game = Game(ruleset, seat_names(players, ruleset.seats), output.key_values(self.settings))
        game.omniscient.numbers.begin()
        if not self.viewer.omniscient and game.omniscient.secretive:
            tell_seats("", "use `--omniscient` to see it")
        return game

    def _replayed(self, log: Path, *, lenient: bool) -> Game:
        from rulespec.engine.replay.replay import replay_log

        report, at = Report(), self.place.at
        result = replay_log(log, rules=self.rules, until=at, report=report, lenient=lenient)
        output.show(report.diagnostics)
        if whose(result.game.ruleset):
            output.echo(whose(result.game.ruleset), err=True)
        if at is not None and result.game.ply < at and not result.foreign:
            word = "legal decision" if result.divergence is not None else "decision"
            raise click.UsageError(f"{log} has {output.counted(result.game.ply, word)}, not {at}")
        return result.game
