"""`--set KEY=VALUE`: the settings of a table, for every command that begins a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from rulespec.documents.carried_over import FLAGS

_F = TypeVar("_F", bound=Callable[..., object])
_NEW = "--set"


def settings_flag(command: _F) -> _F:
    """Adds `--set` to a command, as `settings`; its old name is a usage error with the new one."""
    for old, new in FLAGS.items():
        if new == _NEW:
            command = click.option(old, multiple=True, hidden=True, expose_value=False, callback=_renamed)(command)
    help_ = "A setting of the ruleset; repeatable."
    return click.option(_NEW, "settings", multiple=True, metavar="KEY=VALUE", help=help_)(command)


def _renamed(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> None:
    if values and not ctx.resilient_parsing:
        raise click.UsageError(f"{param.opts[0]} is called {_NEW} now: write {_NEW} {values[0]}")
