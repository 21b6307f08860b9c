"""Recorded games of Imperial, shipped or played by bots, migrated to changed rules and replayed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from joblib import Parallel, delayed
from msgspec import Struct

from bench.rule_changes import CHANGES, GAME, written
from rulespec.bundles.rules import bundle_of, ruleset_in
from rulespec.engine.bots.bot_games import BotGames
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.migrate.migrate import Migrated, Verdict, migrate
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult, replay_log
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.load import load_ruleset
from rulespec.references import parts_of
from rulespec.typed import nodes as typed

EDITIONS = {
    "imperial": (2, 3, 4, 5, 6),
    "imperial+first_edition": (2, 4, 5),
    "imperial+no_investor_card": (3, 6),
    "imperial+pd": (3, 5),
}
"""The rulesets that bots play, each with the numbers of players."""
_FOLDERS = ("first_edition", "no_investor_card", "pd", "playimperial")
BOTS = ("flat:2", "greedy", "random")


class Carried(Struct, frozen=True):
    """A game migrated to a rule change: the verdict, its cause, and the numbers of inserted answers and dropped
    questions.
    """

    change: str
    log: str
    verdict: str
    cause: str
    put_in: int
    gone: int


def shipped() -> list[Path]:
    """The shipped logs of Imperial and its editions, both native and foreign."""
    logs = [GAME / "logs", *(GAME / "logs" / each for each in _FOLDERS)]
    return [path for folder in logs for path in sorted([*folder.glob("*.jsonl*"), *folder.glob("*.json")])]


def play(folder: Path, number: int) -> Path:
    """The log of a game between bots, which is played if the file is missing."""
    path = folder / f"game{number}.jsonl"
    if not path.exists():
        games = [(ref, players) for ref, counts in EDITIONS.items() for players in counts]
        ref, players = games[number % len(games)]
        played = _games(ref, players).play(number)
        write_log(path, played.game)
    return path


@cache
def _games(ref: str, players: int) -> BotGames:
    ruleset = _ruleset(ref)
    plan = GamePlan.of(ref, ruleset, [players], 0)
    return BotGames(replace(plan, bots=BOTS, rotated=True, backend="wasm"), ruleset)


@cache
def _ruleset(ref: str) -> typed.Ruleset:
    return load_ruleset(ref)


def changed(folder: Path, change: str, own: str) -> typed.Ruleset:
    """The changed rules for a game: its own overlays on top of the changed Imperial."""
    return _ruleset("+".join([str(folder / change), *parts_of(own)[1:]]))


@cache
def _bundled(ref: str) -> typed.Ruleset:
    """The rules as read from their bundle."""
    return ruleset_in(bundle_of(_ruleset(ref)))


def carry(folder: Path, log: Path, changes: Sequence[str]) -> list[Carried]:
    """Migrates a game to the rules after each change, and replays the results; `folder` contains the changed rules."""
    replay = replay_log(log)
    results = []
    for change in changes:
        result = migrate(replay, changed(folder, change, replay.game.ruleset.ref))
        check(result, replay)
        cause = result.cause.reason if result.cause is not None else ""
        walk = result.walk
        results.append(Carried(change, log.name, result.verdict, cause, walk.forced + len(walk.answers), walk.skipped))
    return results


def check(result: Migrated, replay: ReplayResult) -> None:
    """Replays a migrated game strictly under the changed rules, or an unmigrated one under the rules in its bundle.

    Raises:
        AssertionError: if the replay ends in a different state.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        if result.verdict is Verdict.STAYS:
            replay.write_native(path)
            rules, expected = _bundled(replay.game.ruleset.reference), replay.game.hash
        else:
            result.write(path, replay)
            rules, expected = result.game.ruleset, result.game.hash
        own = ReplayRequest(path, rules=rules.ref, load=lambda _: rules).replay()
        assert own.divergence is None and own.other_end is None and own.game.hash == expected, replay.log


def rows(folder: Path, logs: Sequence[Path], changes: Sequence[str], jobs: int) -> Iterator[Carried]:
    """Games migrated to changed rules; the changed rules are first written to a folder."""
    for change in changes:
        written(folder / change, [CHANGES[change]])
    results = Parallel(jobs, return_as="generator")(delayed(carry)(folder, log, changes) for log in logs)
    for each in results:
        yield from each
