"""Playtest games as logs and pages, and recorded games for comparison."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulespec.cli import output
from rulespec.cli.failing_game import write_into
from rulespec.cli.flags import with_samples
from rulespec.documents.folders import visible
from rulespec.documents.json_text import to_json_text

if TYPE_CHECKING:  # bots need an extra
    from rulespec.engine.game.game import Game
    from rulespec.engine.playtest.playtest import Playtest

GAMES = 10
"""Maximum number of games written for each side."""
MOST = 1_000
"""Maximum number of recorded games compared with bots."""


def write_logs(playtest: Playtest, games: int, folder: Path, page: Path | None) -> list[dict[str, Any]]:
    """Writes the first games as logs and, if there is a playtest page, also as pages.

    Returns:
        The rule, the number and the link of each game with a page.

    Raises:
        click.ClickException: if writing fails.
    """
    from rulespec.engine.game.omniscient import OMNISCIENT
    from rulespec.engine.replay.replay import ReplayResult
    from rulespec.pages.replay_page import replay_page

    results = []
    for at, number, playout in playtest.games(min(GAMES, games)):
        name = f"rule-{at}-{number}" if at else f"base-{number}"
        lines = (to_json_text(line, plain=True) + "\n" for line in playout.log())
        write_into(folder, f"{name}.jsonl", "".join(lines))
        if page is not None:
            moves = playout.game.history
            replayed = ReplayResult(name, playout.game, None, list(moves), list(range(1, len(moves) + 1)))
            file = write_into(folder, f"{name}.html", replay_page(replayed, OMNISCIENT))
            link = Path(os.path.relpath(file, page.parent)).as_posix()
            results.append({"rule": at, "number": number, "page": link})
    return results


def recorded(paths: Sequence[Path]) -> dict[str, Any] | None:
    """The figures of recorded games; None if `paths` is empty.

    Raises:
        DiagnosticsError: if a game is unreadable. click.UsageError: if the paths contain no games, or too many.
    """
    from rulespec.engine.playtest.figures import recorded_figures

    if not paths:
        return None
    files = [file for path in paths for file in _files(path)]
    if not 0 < len(files) <= MOST:
        raise click.UsageError(f"--recorded takes 1 to {MOST:,} games, not {len(files):,}")
    return recorded_figures(_replayed(files)).to_json()


def _files(path: Path) -> list[Path]:
    """The logs in a folder, or the file itself."""
    return sorted(p for p in visible(path) if p.name.endswith(_ENDINGS)) if path.is_dir() else [path]


_ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".json.gz")


def _replayed(files: Sequence[Path]) -> Iterator[Game]:
    from rulespec.diagnostics.report import Report
    from rulespec.engine.replay.replay import replay_log

    for file in files:
        result = replay_log(file, report=Report())
        if result.divergence is not None:
            output.echo(f"{file}: skipped, as it breaks a rule", err=True)
        else:
            yield result.game


def recorded_paths(ctx: click.Context, option: click.Parameter, value: tuple[str, ...]) -> tuple[Path, ...]:
    """The paths of recorded games, which may be sample logs."""
    return tuple(Path(with_samples(text)) for text in value)
