"""Migration of a recorded game to changed rules, decision by decision, with a comparison of the shared state."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.replay.judge import JudgedOutcome, transferred_settings
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.replay.walk_under import WalkUnder, walk_under
from rulespec.typed import nodes as typed

_MAX_CELLS = 5
"""Maximum number of cells named in a reason."""


class Verdict(StrEnum):
    """The verdict on a recorded game under changed rules."""

    FAITHFUL = "faithful"
    """The state that both rulesets share is as recorded before each decision and at the end."""
    NUMBERS = "numbers"
    """All decisions stay legal and no choice is invented, but the state differs."""
    STAYS = "kept"
    """The game keeps its own rules."""


class Obstacle(Struct, frozen=True):
    """The first obstacle to a faithful migration of a game.

    Attributes:
        reason: the reason, which is the same for all games with this obstacle.
        rules: the rule ids cited by the reason.
        index: the number of decisions before the obstacle.
        recorded: the recorded decision; "" if no decision is the obstacle.
        span: the place of the obstacle in the rules; None if it has none.
    """

    reason: str
    rules: tuple[str, ...]
    index: int
    recorded: str
    span: Span | None

    def to_json(self) -> dict[str, Any]:
        """The obstacle as plain data; see migrate.schema.json."""
        place = f"{self.span.file}:{self.span.line}" if self.span is not None else None
        return {
            "reason": self.reason,
            "rules": list(self.rules),
            "index": self.index,
            "recorded": self.recorded,
            "place": place,
        }


class Migrated(Struct, frozen=True):
    """A recorded game under changed rules.

    Attributes:
        log: the name of the log.
        verdict: the verdict: faithful, numbers or kept.
        cause: the obstacle; None if the game is faithful.
        walk: the result of applying the recorded decisions.
        game: the game under the changed rules, at the point where the migration stopped.
        recorded: the recorded outcome.
        outcome: the outcome under the changed rules.
    """

    log: str
    verdict: Verdict
    cause: Obstacle | None
    walk: WalkUnder
    game: Game
    recorded: JudgedOutcome
    outcome: JudgedOutcome

    def to_json(self) -> dict[str, Any]:
        """The game as plain data; see migrate.schema.json."""
        return {
            "log": self.log,
            "verdict": str(self.verdict),
            "decisions": self.walk.decisions,
            "legal": self.walk.legal,
            "put_in": self.walk.forced + len(self.walk.answers),
            "gone": self.walk.skipped,
            "cause": self.cause.to_json() if self.cause is not None else None,
            "recorded": self.recorded.to_json(),
            "outcome": self.outcome.to_json(),
        }

    def write(self, path: Path, replay: ReplayResult) -> None:
        """Writes the game as a log under the changed rules, with the notes on its decisions."""
        moves = [placed.move for placed in self.walk.moves]
        lines = [replay.places[placed.source] if placed.source is not None else 0 for placed in self.walk.moves]
        write_log(path, self.game, moves, replay.native, lines, replay.random)


def migrate(replay: ReplayResult, ruleset: typed.Ruleset, backend: Backend = "auto") -> Migrated:
    """The migration of a recorded game to changed rules; it neither drops nor invents a player's decision.

    Args:
        replay: the replay of the game, which is legal under its own rules to its end.
        ruleset: the changed rules.
        backend: the machine for the changed rules.

    Raises:
        DiagnosticsError: if the ruleset does not support this number of seats.
    """
    settings, dropped = transferred_settings(replay.game, ruleset)
    game = Game(ruleset, replay.game.names, settings, backend)
    walk = walk_under(game, restarted(replay.game), replay.moves, strict=True)
    try:
        outcome = JudgedOutcome.of(game)
    except RulesetFaultError as fault:
        raise DiagnosticsError([fault.diagnostic]) from None
    recorded = JudgedOutcome.of(replay.game)
    cause = _cause(walk, dropped)
    verdict = Verdict.STAYS if cause is not None else Verdict.FAITHFUL
    if cause is None and (walk.apart is not None or outcome != recorded):
        verdict, cause = Verdict.NUMBERS, _apart(walk)
    return Migrated(replay.log, verdict, cause, walk, game, recorded, outcome)


def _cause(walk: WalkUnder, dropped: tuple[str, ...]) -> Obstacle | None:
    """The obstacle to the migration of a game; None if all decisions of people are kept."""
    if dropped:
        return Obstacle(dropped[0], (), 0, "", None)
    if walk.difference is not None:
        other = walk.difference
        recorded = f"{other.recorded.by or 'chance'}: {other.recorded.option}"
        return Obstacle(other.refusal.reason, other.refusal.rules, other.index, recorded, other.refusal.span)
    if walk.lost is not None:
        lost = walk.lost
        reason = f"`{lost.decision}` is no longer asked, but it changed the game"
        return Obstacle(reason, (), walk.legal, f"{lost.by or 'chance'}: {lost.option}", None)
    if walk.legal + walk.skipped < walk.decisions:
        return Obstacle("the game ends earlier", (), walk.legal, "", None)
    return None


def _apart(walk: WalkUnder) -> Obstacle:
    """The obstacle for the first difference in state."""
    cells = walk.cells[:_MAX_CELLS]
    more = f" and {len(walk.cells) - len(cells)} more" if len(walk.cells) > len(cells) else ""
    what = ", ".join(f"`{cell}`" for cell in cells) + more if cells else "the result"
    return Obstacle(f"{what} differs", (), walk.apart if walk.apart is not None else walk.legal, "", None)
