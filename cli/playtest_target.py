"""`rulespec playtest --target NUMBER=VALUE`: a search for values of swept numbers that come closest to a target."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.sweep import Sweep, short
from rulespec.engine.playtest.sentence import number

if TYPE_CHECKING:  # bots need an extra
    from rulespec.engine.playtest.playtest import ComparedRule
    from rulespec.engine.playtest.target import Point

GAMES = 200
"""Number of games at each of the last two points."""
MOST = 12
"""Maximum number of swept numbers."""
_SHOWN = 10
_FORM = re.compile(r"([^=]{1,200})=(-?[0-9]{1,9}(?:\.[0-9]{1,6})?)")


class Wanted(Struct, frozen=True):
    """A target: a number measured in games, and the desired mean."""

    name: str
    value: float

    def __str__(self) -> str:
        return f"{self.name}={self.value:g}"


def wanted_of(ctx: click.Context, option: click.Parameter, value: str | None) -> Wanted | None:
    """Parses a target such as `length=200`."""
    if value is None:
        return None
    form = _FORM.fullmatch(value)
    if form is None:
        raise click.BadParameter(f"`{value[:80]}` is not of the form NUMBER=VALUE, such as length=200")
    return Wanted(form[1].strip(), float(form[2]))


class Aim(Struct, frozen=True):
    """The parameters of a search for a target.

    Attributes:
        wanted: the target.
        sweeps: the swept numbers.
        games: the number of games at each of the last two points.
        bots: the bots that play.
        out: the folder for the records.
        jobs, cluster: the worker processes.
    """

    wanted: Wanted
    sweeps: tuple[Sweep, ...]
    games: int
    bots: tuple[str, ...]
    out: Path
    jobs: int
    cluster: str


def aim(how: Aim, base: ComparedRule, rule: Callable[[Point], ComparedRule]) -> dict[str, Any]:
    """Searches for a target; returns the points tried, nearest first, in the form of `target` in playtest.schema.json.

    If only a few numbers vary, they are searched by bisection. If many do, they are first screened for the influential
    ones.

    Raises:
        click.BadParameter: if the target names a number that does not exist.
    """
    from rulespec.engine.playtest.screening import TOGETHER, screened
    from rulespec.engine.playtest.target import GridGames, nearest, target_of

    try:
        target = target_of(base, how.bots, how.wanted.name, how.wanted.value)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--target") from None
    asked, axes = target.asked, [sweep.values for sweep in how.sweeps]
    output.echo(f"searching {prod(map(len, axes)):,} points for {how.wanted}", err=True)
    games = GridGames(rule, how.bots, how.out, asked.number, how.jobs, how.cluster)
    matter: dict[str, Any] = {}
    if len(axes) <= TOGETHER:
        tried = nearest(axes, target.wanted, how.games, games.numbers)
    else:
        own = tuple(sweep.own(base.ruleset)[0] for sweep in how.sweeps)
        result = screened(axes, own, target.wanted, how.games, games.numbers)
        tried, matter = result.tried, {"matter": [how.sweeps[place].path for place in result.matter]}
    return {
        "title": asked.title,
        "share": asked.share,
        "wanted": target.wanted,
        "seed": base.plan.seed + 1,
        "paths": [sweep.path for sweep in how.sweeps],
        "points": prod(map(len, axes)),
        "games": sum(each.games for each in tried),
        "tried": [
            {"values": list(t.point), "games": t.games, "mean": _finite(t.mean), "half": _finite(t.half)} for t in tried
        ],
        **matter,
    }


def _finite(value: float) -> float | None:
    return round(value, 6) if abs(value) < float("inf") else None


def show_target(target: dict[str, Any]) -> None:
    """Prints the points nearest to the target."""
    share, title = target["share"], target["title"]
    wanted = number(target["wanted"], share)
    output.echo(f"{title}: the target is {wanted}; {target['points']:,} points, {target['games']:,} games")
    if "matter" in target:
        output.echo(mattering(target))
    rows = [
        [
            *map(str, each["values"]),
            f"{each['games']:,}",
            *("-" if each[key] is None else f"{sign}{number(each[key], share)}" for key, sign in _CELLS),
        ]
        for each in target["tried"][:_SHOWN]
    ]
    names = [short(path) for path in target["paths"]]
    for line in output.table(rows, (*names, "games", title, ""), right=range(len(names) + 3)):
        output.echo(line)
    output.echo()


def mattering(target: dict[str, Any]) -> str:
    """A sentence that names the influential numbers."""
    names = [short(path) for path in target["matter"]]
    if not names:
        return f"In these games none of the {len(target['paths'])} numbers matters; the differences are chance."
    return f"Of the {len(target['paths'])} numbers, these matter (strongest first): {', '.join(names)}."


_CELLS = (("mean", ""), ("half", "± "))
