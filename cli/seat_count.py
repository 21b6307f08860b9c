"""The number of players that a command is for."""

from __future__ import annotations

import click

from rulespec.typed import nodes as typed


def number_of_players(ruleset: typed.Ruleset, said: int | None) -> int:
    """The number of players that was said, or else the only one with which the game can be played.

    Raises:
        click.UsageError: if none was said, and there are several.
    """
    least, most = ruleset.players
    if said is None and least != most:
        raise click.UsageError(f"say --players N: `{ruleset.ref}` is for {least} to {most} players")
    return least if said is None else said
