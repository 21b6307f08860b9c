"""`rulespec match`: matches between bots, which are listed from the strongest down."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.flags import number_of_players, settings_flag
from rulespec.cli.program_seats import bot_names, say_silent
from rulespec.cli.workers_flags import (
    OUT_HELP,
    anywhere,
    check_workers,
    folder,
    resume_hint,
    with_progress,
    workers_flags,
)
from rulespec.typed.seat_kinds import ALL

if TYPE_CHECKING:  # bots need an extra
    from rulespec.engine.bots.match import MatchStanding


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    bots: tuple[str, ...]
    players: int | None
    games: int
    all_games: bool
    seed: int
    settings: tuple[str, ...]
    jobs: int
    cluster: str
    out: Path | None


@click.command("match")
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT… REF")
@click.option("--players", type=click.IntRange(2, 100), metavar="N", help="Number of players.")
@click.option(
    "--games",
    type=click.IntRange(1, 1_000_000),
    default=200,
    show_default=True,
    help="Maximum number of games in a match.",
)
@click.option("--all-games", is_flag=True, help="Play all games even after a verdict, for narrower bounds.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same games.")
@settings_flag
@workers_flags
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help=OUT_HELP)
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Let bots play the ruleset REF: each bot takes every seat in turn, against the next bot at all other seats.

    A match ends when each seat has been played equally often, and the confidence bounds of the share of wins exclude
    an even share. The bounds hold throughout a match, 19 times in 20. Exit code: 0 the matches were played, 1 the rules
    were at fault, 2 wrong usage.

    Example: rulespec match flat:64 greedy random imperial --players 3
    """
    from rulespec.engine.bots.match import between, match
    from rulespec.engine.bots.sides import PlanSide
    from rulespec.engine.simulate.game_plans import GamePlan
    from rulespec.load import load_ruleset

    r = _Request(**values)
    *names, ref = r.bots
    if len(names) < 2:
        raise click.UsageError("give at least two bots, and a ruleset: `rulespec match flat:64 random imperial`")
    names = [*bot_names(ctx, ctx.command.params[0], ",".join(names))]
    ruleset = load_ruleset(ref)
    if ruleset.declarations.teams == ALL:
        message = f"the players of `{ruleset.ref}` win together: run `rulespec simulate --bots` to see how often"
        raise click.UsageError(message)
    check_workers(r.jobs, r.cluster)
    ref = anywhere(ref) if r.cluster else ref
    plan = GamePlan.of(
        ref, ruleset, [number_of_players(ruleset, r.players)], r.seed, settings=output.key_values(r.settings)
    )
    output.echo(f"{ruleset.title} {ruleset.version} · {plan.players[0]} players · seed {r.seed}")
    rows, failed = [], 0
    for at, (one, other) in enumerate(pairwise(names), 1):
        path = None if r.out is None else folder(r.out) / f"match-{at}.jsonl"
        side = PlanSide(between(plan, one, other), ruleset, path, say_silent)
        with resume_hint(r.out):
            *_, standing = with_progress(match(side, r.games, r.jobs, r.cluster, whole=r.all_games), r.games)
        failed += standing.failed
        share = standing.share
        bounds = "-" if share is None else f"{100 * share.low:.1f} % to {100 * share.high:.1f} %"
        won = f"{100 * standing.won / standing.games:.1f} %"
        even = f"{100 * standing.even:.1f} %"
        rows.append(
            [f"{one} against {other}", f"{standing.games:,}", won, bounds, even, _gain(standing), standing.says]
        )
    head = ("match", "games", "won", "19 times in 20", "even", "gains", "the first is")
    output.echo()
    for line in output.table(rows, head, right=range(1, 6)):
        output.echo(line)
    if failed:
        output.echo()
        output.echo(
            output.style(output.counted(failed, "game") + " failed: run `rulespec simulate` to see why", fg="red")
        )
    ctx.exit(output.PROBLEMS if failed else output.OK)


def _gain(standing: MatchStanding) -> str:
    """The relative gain of the first bot over an even share, with its confidence bounds."""
    gain = standing.gain
    if gain is None:
        return "-"
    return f"{100 * gain.value:+.0f} % ({100 * gain.low:+.0f} to {100 * gain.high:+.0f})"
