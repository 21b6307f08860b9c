"""The games that `validate` plays of an untrusted ruleset: they end in time, and equally in wasm and Python."""

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

_STEPS = play_check.STEPS // 10  # more inputs are worth more than more games
_EFFORT = play_check.EFFORT // 10
_DECISIONS = 3_000  # decisions per combination in the games played twice
_CAP = 1_000  # decisions after which such a game is abandoned
_AGAIN = 2  # games per combination played twice


def play(home: Path, session: Session) -> None:
    """Validates a ruleset including games, and plays a few games of one combination again in Python.

    Raises:
        Wrong: if the games differ.
    """
    # With a cache, the second run of a slow input would be fast.
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
    starts = not any(said.startswith("RS710") for said in session.said)  # otherwise `validate` plays no games
    if report.ok and starts:
        with mock.patch(f"{CombinationGames.__module__}.CAP", _CAP):
            play_again(ruleset, session.rng.choice(combinations(ruleset)), session)


def play_again(ruleset: typed.Ruleset, combination: Combination, session: Session) -> None:
    """Plays a few games of a combination as `validate` does, and again in Python.

    Raises:
        Wrong: if the games differ.
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
    """The number of decisions, and whether the game was abandoned or failed."""
    return ended.decisions, ended.capped, ended.failed is not None
