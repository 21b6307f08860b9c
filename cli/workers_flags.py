"""Flags for processes and for the folder of records, and a progress bar, for commands that handle many games."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from rulespec.cli import output
from rulespec.references import parts_of

OUT_HELP = "Record the games in files of FOLDER; continue them if they exist."

_LOG_JOBS = "Maximum number of processes for many logs; -1: one per core."

_F = TypeVar("_F", bound=Callable[..., object])
_MAX_JOBS = 1_000


def _jobs(ctx: click.Context, option: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 processes play no games; -1 means one per core")
    return value


def _cluster(ctx: click.Context, option: click.Parameter, value: str | None) -> str:
    if value is None:
        return ""
    from rulespec.engine.simulate.workers import CLUSTERS  # lazily: most commands play in this process

    kind, _, address = value.partition(":")
    if kind not in CLUSTERS or not address:
        kinds = " or ".join(f"{kind}:ADDRESS" for kind in CLUSTERS)
        raise click.BadParameter(f"`{value[:80]}` is not of the form {kinds}")
    return value


def workers_flags(command: _F) -> _F:
    """Adds `--jobs` and `--cluster` to a command that plays games."""
    help_ = "Maximum number of processes (simulate in wasm: threads); -1: one per core."
    return _flags(command, help_, "Play on a cluster: dask:… or ray:…")


def log_workers_flags(command: _F) -> _F:
    """Adds `--jobs` and `--cluster` to a command that reads many logs."""
    return _flags(command, _LOG_JOBS, "Use a cluster for many logs: dask:… or ray:…")


def jobs_flag(command: _F, help_: str = _LOG_JOBS) -> _F:
    """Adds `--jobs`, but not `--cluster`, to a command."""
    number = click.IntRange(-1, _MAX_JOBS)
    jobs = click.option("--jobs", type=number, default=1, show_default=True, callback=_jobs, metavar="N", help=help_)
    return jobs(command)


def _flags(command: _F, help_: str, where: str) -> _F:
    return jobs_flag(click.option("--cluster", callback=_cluster, metavar="KIND:ADDRESS", help=where)(command), help_)


def check_workers(jobs: int, cluster: str) -> None:
    """Rejects `--jobs` together with `--cluster`.

    Raises:
        click.UsageError: if both are given.
    """
    if cluster and jobs != 1:
        raise click.UsageError("--cluster uses all workers of the cluster: omit --jobs")


def anywhere(ref: str) -> str:
    """The reference with absolute paths, for use by a process with another working directory."""
    return "+".join(os.path.abspath(part) if Path(part).exists() else part for part in parts_of(ref))  # noqa: PTH100


def folder(path: Path) -> Path:
    """The folder for records, which is created if necessary.

    Raises:
        click.ClickException: if it cannot be created.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None
    return path


@contextmanager
def resume_hint(out: Path | None, *, whole: bool = False) -> Iterator[None]:
    """Prints how to resume if the games in the block are interrupted; with `whole`, they restart from the beginning."""
    from rulespec.engine.logs.saved_game import SaveError
    from rulespec.engine.simulate.workers import ClusterError

    goes_on = f"; {out} has the games so far, and the same command continues them"
    try:
        yield
    except SaveError as error:
        raise click.ClickException(f"not saved: {error}") from None
    except ClusterError as error:
        raise click.ClickException(f"{error}{goes_on if out is not None and out.exists() else ''}") from None
    except KeyboardInterrupt:
        hint = goes_on if out is not None else "" if whole else "; with --out FILE, a stopped run can continue"
        output.echo(f"stopped{hint}", err=True)
        raise


_T = TypeVar("_T")


def with_progress(
    runs: Iterator[_T], games: int, done: int = 0, unit: str = "game", size: Callable[[_T], int] = lambda run: 1
) -> Iterator[_T]:
    """The runs, with a progress bar on a terminal; `done` is the number of games played before.

    Each run counts as `size` games (one by default).
    """
    if not sys.stderr.isatty():
        yield from runs
        return
    from tqdm import tqdm

    with tqdm(total=games, initial=done, unit=unit, file=sys.stderr, leave=False, dynamic_ncols=True) as bar:
        for run in runs:
            yield run
            bar.update(size(run))
