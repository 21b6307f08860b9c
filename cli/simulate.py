"""`rulespec simulate`: random playouts of a ruleset."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from cli import output
from cli.failing import as_json, story, write_failing
from engine.begin import Backend
from engine.properties import kind_of, shorter_playout
from engine.shrink import Failing
from engine.simulate import CAP, Playout, Totals, simulate

_FAILURES_SHOWN = 5
_T = TypeVar("_T")


def seat_counts(text: str) -> list[int]:
    """The numbers of players that a text such as `4`, `2-6` or `2,4` names.

    Raises:
        click.BadParameter: if it names none.
    """
    found: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()) or len(low) > 3 or len(high) > 3:
            raise click.BadParameter(f"`{text}` is no number of players such as 4 or 2-6", param_hint="--players")
        found += range(int(low), int(high or low) + 1)
    if not found:
        raise click.BadParameter(f"`{text}` names no number of players", param_hint="--players")
    return found


@click.command("simulate")
@click.argument("ref")
@click.option("--players", metavar="N", required=True, help="Number of players, or several: 2-6; games take turns.")
@click.option("--games", type=click.IntRange(1, 10_000_000), default=100, show_default=True, help="Number of games.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same games.")
@click.option(
    "--cap", type=click.IntRange(1), default=CAP, show_default=True, help="Decisions before a game is given up."
)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the ruleset; repeatable.")
@click.option("--backend", type=click.Choice(["python", "interpreter"]), default="python", show_default=True)
@click.option("--failures", type=click.Path(path_type=Path), help="Folder for the native logs of games that fail.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How to print.")
@click.pass_context
def command(
    ctx: click.Context,
    ref: str,
    players: str,
    games: int,
    seed: int,
    cap: int,
    options: tuple[str, ...],
    backend: Backend,
    failures: Path | None,
    format_: str,
) -> None:
    """Play random games of the ruleset REF, with every invariant checked after every decision.

    Everybody decides uniformly among the legal options; dice and cards fall by their weights. Exit code: 0 all
    games end or reach the cap, 1 an invariant broke or the rules were at fault, 2 wrong usage.

    Example: rulespec simulate imperial --players 2-6 --games 100 --seed 1
    """
    from rulespec.load import load_ruleset

    counts, chosen = seat_counts(players), output.key_values(options)
    ruleset = load_ruleset(ref)
    if failures is not None:
        failures.mkdir(parents=True, exist_ok=True)
    totals, begun = Totals(), time.perf_counter()
    runs = simulate(ruleset, counts, games, seed, options=chosen, backend=backend, cap=cap)
    details: list[dict[str, Any]] = []
    for playout in with_progress(runs, games):
        totals.add(playout)
        details.append(_game(playout))
        if playout.failure is not None and failures is not None:
            lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in playout.log())
            (failures / f"seed{seed}-game{playout.number}.jsonl").write_text(lines, "utf-8")
    seconds = time.perf_counter() - begun
    if format_ == "json":
        data = {"ruleset": ruleset.ref, "ruleset_hash": ruleset.hash, "players": counts, "seed": seed, "cap": cap}
        data |= {"backend": backend, "options": chosen, "totals": totals.to_json(), "playouts": details}
        data["shortest"] = [as_json(*found) for found in _shortest(totals, seed, failures)]
        output.echo_json(data)
    else:
        _show(f"{ruleset.ref} {ruleset.version}", counts, seed, cap, totals, seconds)
        for failing, path in _shortest(totals, seed, failures):
            click.echo()
            output.show([failing.wrong], ruleset.sources, err=False)
            for line in story(failing, path):
                click.echo(line)
    ctx.exit(output.PROBLEMS if totals.failures else output.OK)


def _shortest(totals: Totals, seed: int, folder: Path | None) -> Iterator[tuple[Failing, Path | None]]:
    """For each mistake the shortest game found that shows it, and where it is written if there is a folder."""
    kinds: set[object] = set()
    for playout in totals.failures:
        assert playout.failure is not None
        if (kind := kind_of(playout.failure.wrong)) not in kinds and len(kinds) < _FAILURES_SHOWN:
            kinds.add(kind)
            failing = shorter_playout(playout)
            yield failing, write_failing(folder, f"seed{seed}-game{playout.number}.shortest.jsonl", failing)


def with_progress(runs: Iterator[_T], games: int) -> Iterable[_T]:
    """Games as they are played, with a bar at a terminal."""
    if not sys.stderr.isatty():
        return runs
    from tqdm import tqdm

    bar: Iterable[_T] = tqdm(runs, total=games, unit="game", file=sys.stderr, leave=False, dynamic_ncols=True)
    return bar


def _game(playout: Playout) -> dict[str, Any]:
    failure = playout.failure
    return {
        "game": playout.number,
        "players": len(playout.game.seats),
        "decisions": playout.decisions,
        "ended": playout.ending,
        "winners": list(playout.winners),
        "scores": playout.scores,
        "failure": {"kind": failure.kind, "detail": failure.detail} if failure else None,
    }


def _show(title: str, players: list[int], seed: int, cap: int, totals: Totals, seconds: float) -> None:
    data = totals.to_json()
    n, lengths = data["games"], data["decisions"]
    speed = f"{lengths['total'] / max(seconds, 1e-9):,.0f} decisions/s"
    names = f"{players[0]}" if len(players) == 1 else f"{min(players)}-{max(players)}"
    click.echo(f"{title} · {output.counted(n, 'game')} · {names} players · seed {seed} · {seconds:.1f} s ({speed})")
    click.echo()
    parts = (f"{lengths[key]:,.0f} {key}" for key in ("least", "median", "mean", "most"))
    click.echo(f"decisions   {' · '.join(parts)}")
    endings = [[name, f"{count:,}", f"{100 * count / n:.1f} %"] for name, count in data["endings"].items()]
    if data["capped"]:
        endings.append(
            [f"given up after {cap:,} decisions", f"{data['capped']:,}", f"{100 * data['capped'] / n:.1f} %"]
        )
    for i, line in enumerate(output.table(endings, right=(1, 2))):
        click.echo(("endings     " if i == 0 else " " * 12) + line)
    rows = [
        [seat, f"{v['games']:,}", f"{100 * v['wins'] / v['games']:.1f} %", _points(v["mean_score"])]
        for seat, v in data["seats"].items()
    ]
    if rows:
        click.echo()
        for line in output.table(rows, ("seat", "games", "won", "mean score"), right=(1, 2, 3)):
            click.echo(line)
    click.echo()
    if not totals.failures:
        click.echo(output.style("all invariants held after every decision", fg="green"))
        return
    click.echo(output.style(output.counted(len(totals.failures), "game") + " failed", fg="red"))
    for playout in totals.failures[:_FAILURES_SHOWN]:
        assert playout.failure is not None
        where = f"game {playout.number}, {len(playout.game.seats)} players, after {playout.decisions} decisions"
        click.echo(f"  {where}: {playout.failure.kind}: {playout.failure.detail}")
    if len(totals.failures) > _FAILURES_SHOWN:
        click.echo(f"  … and {len(totals.failures) - _FAILURES_SHOWN} more")


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
