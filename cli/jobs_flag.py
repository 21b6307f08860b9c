"""Flags of commands that play many games: `--jobs N`, and where games are recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from rulespec.cli import output
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.workers import ClusterError

OUT_HELP = "Record the games in files of FOLDER; continue them if they exist."

_F = TypeVar("_F", bound=Callable[..., object])
_MAX_JOBS = 1_000


def _checked(ctx: click.Context, option: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 processes play no games; -1 means one on each core")
    return value


def jobs_flag(command: _F) -> _F:
    """Adds `--jobs` to a command."""
    help_ = "Processes (simulate in wasm: threads) that play; -1: one on each core."
    number = click.IntRange(-1, _MAX_JOBS)
    flag = click.option("--jobs", type=number, default=1, show_default=True, callback=_checked, metavar="N", help=help_)
    return flag(command)


def folder(path: Path) -> Path:
    """A folder for records, which is made if there is none.

    Raises:
        click.ClickException: if it cannot be.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from None
    return path


@contextmanager
def resume_hint(out: Path | None, *, whole: bool = False) -> Iterator[None]:
    """Tells how to go on if the games inside are stopped; `whole`: they can only be played from the beginning."""
    goes_on = f"; {out} has the games so far, and the same command continues"
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
