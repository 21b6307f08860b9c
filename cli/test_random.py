"""`rulespec test --random N`: random games that check properties which hold for all rulesets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from rulespec.cli import output
from rulespec.cli.failing_game import as_json, story, write_failing
from rulespec.cli.workers_flags import with_progress
from rulespec.engine.program.draws import GENERATOR
from rulespec.engine.verify.random_games import CLOSELY, further_games, random_games
from rulespec.engine.verify.shrink import FailingGame
from rulespec.engine.verify.trial import kind_of
from rulespec.typed import nodes as typed

MAX_FOUND = 5
"""Number of errors after which the games stop."""


@dataclass(slots=True)
class RandomRun:
    """The result of random games: the numbers of games played and failed, and the shortest failing game per error."""

    ruleset: typed.Ruleset
    seed: int
    games: int = 0
    failed: int = 0
    decisions: int = 0
    failures: list[tuple[FailingGame, Path | None]] = field(default_factory=list)

    def show(self) -> None:
        """Prints the errors with their games."""
        for failing, path in self.failures:
            output.show([failing.wrong], self.ruleset.sources, err=False)
            for line in story(failing, path):
                output.echo(line)
            output.echo()

    def to_json(self) -> dict[str, Any]:
        """The object `random` printed by `test --format json`."""
        return {
            "random": GENERATOR,
            "seed": self.seed,
            "games": self.games,
            "failed": self.failed,
            "decisions": self.decisions,
            "failures": [as_json(*result) for result in self.failures],
        }


def play_random_games(
    ruleset: typed.Ruleset, players: Sequence[int], games: int, seed: int, folder: Path | None
) -> RandomRun:
    """Plays random games; writes the shortest failing game for each kind of error into the folder, if one is given.

    Raises:
        click.ClickException: if a game cannot be written.
        DiagnosticsError: if a game cannot be set up.
    """
    run = RandomRun(ruleset, seed)
    kinds: set[object] = set()
    closely = ((len(t.moves), failing) for t, failing in random_games(ruleset, players, min(games, CLOSELY), seed))
    further = further_games(ruleset, players, max(0, games - CLOSELY), seed)
    for decisions, failing in with_progress(chain(closely, further), games):
        run.games += 1
        run.decisions += decisions
        if failing is None:
            continue
        run.failed += 1
        if kind_of(failing.wrong) not in kinds:
            kinds.add(kind_of(failing.wrong))
            name = f"{ruleset.ref.replace('+', '_')}-{failing.wrong.code}-{len(kinds)}.jsonl"
            run.failures.append((failing, write_failing(folder, name, failing)))
        if len(kinds) == MAX_FOUND:
            break
    return run
