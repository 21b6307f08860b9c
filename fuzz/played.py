"""The games that `validate` plays of a stranger's ruleset: they end in time, the same in wasm and in Python."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

from fuzz.session import Session, Wrong
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.verify import play_check
from rulespec.engine.verify.combinations import Combination, CombinationGames, Ended, combinations
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

_STEPS = play_check.STEPS // 10  # more inputs find more than more games
_EFFORT = play_check.EFFORT // 10
_DECISIONS = 3_000  # of the games of a combination that are played twice
_CAP = 1_000  # decisions after which such a game is given up
_AGAIN = 2  # games of a combination that are played a second time


def play(home: Path, session: Session) -> None:
    """Validates a ruleset with games, and plays a few of one combination again in Python.

    Raises:
        Wrong: if they are other games.
    """
    # The cache would make a second run of a slow input a fast one.
    with (
        mock.patch.dict(os.environ, RULESPEC_CACHE=""),
        mock.patch.multiple(play_check, STEPS=_STEPS, EFFORT=_EFFORT),
    ):
        how = session.rng.choice(("text", "json", "github", "sarif"))
        session.command("validate", str(home), "--format", how, play=True)
    report = Report()
    try:
        ruleset = load_ruleset(str(home), report)
    except DiagnosticsError:
        return
    if report.ok:
        with mock.patch(f"{CombinationGames.__module__}.CAP", _CAP):
            play_again(ruleset, session.rng.choice(combinations(ruleset)), session)


def play_again(ruleset: typed.Ruleset, combination: Combination, session: Session) -> None:
    """Plays a few games of a combination as `validate` does, and again in Python.

    Raises:
        Wrong: if they are other games.
    """
    try:
        games = CombinationGames(ruleset, combination)
    except DiagnosticsError as error:
        session.said.update(d.code for d in error.diagnostics)
        return
    for ended in games.play(range(_AGAIN), _DECISIONS):
        again = games.again(ended.number)
        failed = again.failure is not None
        other = (again.decisions, again.ending is None and not failed, failed)
        if (result := _in_short(ended)) != other:
            raise Wrong(f"game {ended.number} of {combination} is another one in Python: {result} and {other}")
        session.said.add(f"a game ends {other[1:]}")


def _in_short(ended: Ended) -> tuple[int, bool, bool]:
    """Decisions played, and whether the game was abandoned or shows a mistake."""
    return ended.decisions, ended.capped, ended.failed is not None
