"""`rulespec simulate`: random playouts of a ruleset."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from rulespec.cli import output
from rulespec.cli.failing_game import as_json, story, write_failing, write_into
from rulespec.cli.seats import number_of_players
from rulespec.cli.words import word_options, words_of
from rulespec.documents.json_text import to_json_text
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.open_results import open_results
from rulespec.engine.simulate.plan import Outcome, Plan
from rulespec.engine.simulate.playouts import CAP, Playout
from rulespec.engine.simulate.results import Results
from rulespec.engine.simulate.totals import Totals
from rulespec.engine.simulate.workers import CLUSTERS, ClusterError, play_on_workers
from rulespec.engine.verify.random_games import shorter_playout
from rulespec.engine.verify.shrink import FailingGame
from rulespec.engine.words.words import Names, Words
from rulespec.typed import nodes as typed

_MAX_JOBS = 1_000
_WORTH_IT = 100
"""Games for which native code is worth making."""
_T = TypeVar("_T")


def seat_counts(text: str) -> list[int]:
    """The numbers of players in a text such as `4`, `2-6` or `2,4`.

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


def _jobs(ctx: click.Context, option: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 processes play no games; -1 means one on each core")
    return value


def _cluster(ctx: click.Context, option: click.Parameter, value: str | None) -> str:
    kind, _, address = (value or "").partition(":")
    if value is not None and (kind not in CLUSTERS or not address):
        kinds = " or ".join(f"{kind}:ADDRESS" for kind in CLUSTERS)
        raise click.BadParameter(f"`{value[:80]}` is not of the form {kinds}")
    return value or ""


@click.command("simulate")
@click.argument("ref")
@click.option("--players", metavar="N", help="Number of players, or several: 2-6; games take turns.")
@click.option("--games", type=click.IntRange(1, 10_000_000), default=100, show_default=True, help="Number of games.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same games.")
@click.option(
    "--cap", type=click.IntRange(1), default=CAP, show_default=True, help="Decisions after which a game is abandoned."
)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the ruleset; repeatable.")
@click.option(
    "--backend",
    type=click.Choice(["auto", "native", "python", "interpreter"]),
    default="auto",
    show_default=True,
    help="What runs the rules; auto: native for many games, if rulespec[native] is installed.",
)
@click.option(
    "--jobs",
    type=click.IntRange(-1, _MAX_JOBS),
    default=1,
    show_default=True,
    callback=_jobs,
    metavar="N",
    help="Processes (native: threads) that play; -1: one on each core.",
)
@click.option("--cluster", callback=_cluster, metavar="KIND:ADDRESS", help="Play on a cluster: dask:… or ray:…")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a row for each game to FILE.jsonl or FOLDER.parquet; continue it if it exists.",
)
@click.option("--failures", type=click.Path(path_type=Path), help="Folder for the native logs of games that fail.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How to print.")
@word_options
@click.pass_context
def command(
    ctx: click.Context,
    ref: str,
    players: str | None,
    games: int,
    seed: int,
    cap: int,
    options: tuple[str, ...],
    backend: str,
    jobs: int,
    cluster: str,
    out: Path | None,
    failures: Path | None,
    format_: str,
    shown: Names,
    language: str | None,
) -> None:
    """Play random games of the ruleset REF, with every invariant checked after every decision.

    Players choose uniformly among the legal options; chance options come by their weights. The games do not depend on
    the number of processes. Exit code: 0 all games end or reach the cap, 1 an invariant broke or the rules
    were at fault, 2 wrong usage.

    Example: rulespec simulate imperial --players 2-6 --games 100 --seed 1 --jobs -1 --out results.jsonl
    """
    from rulespec.load import load_ruleset

    said, chosen = seat_counts(players) if players is not None else None, output.key_values(options)
    if cluster and jobs != 1:
        raise click.UsageError("--cluster uses all workers of the cluster: leave --jobs out")
    ruleset = load_ruleset(ref)
    counts = said or [number_of_players(ruleset, None)]
    words = words_of(ruleset, language, shown)  # what is wrong with them is told before games are played
    plan = Plan.of(_anywhere(ref) if cluster else ref, ruleset, counts, seed, settings=chosen, cap=cap)
    plan = _on(plan, ruleset, backend, games)
    run = _Run(ruleset, plan, failures)
    keep_rows = format_ == "json" and out is None
    goes_on = f"; {out} has the games so far, and the same command continues"
    started = time.perf_counter()
    try:
        with nullcontext() if out is None else open_results(out, plan) as results:
            run.recorded(results, games)
            run.play(range(run.games, games), jobs, cluster, results, keep_rows=keep_rows)
    except SaveError as error:
        raise click.ClickException(f"not saved: {error}") from None
    except ClusterError as error:
        raise click.ClickException(f"{error}{goes_on if out is not None and out.exists() else ''}") from None
    except KeyboardInterrupt:
        hint = goes_on if out is not None else "; with --out FILE, a stopped run can continue"
        output.echo(f"stopped{hint}", err=True)
        raise
    seconds = time.perf_counter() - started
    if format_ == "json":
        output.echo_json(_json(run, counts, chosen, out))
    else:
        _show(run, counts, words, seconds)
    ctx.exit(output.PROBLEMS if run.totals.failures else output.OK)


def _on(plan: Plan, ruleset: typed.Ruleset, backend: str, games: int) -> Plan:
    """The plan on the backend that is asked for, or is best."""
    if backend == "native" or (backend == "auto" and games >= _WORTH_IT):
        from rulespec.engine.simulate.native import NativeOutcomes, can_play

        native = replace(plan, backend="native")
        if backend == "native":
            from rulespec.cli.native_code import told

            with told():
                NativeOutcomes(native, ruleset)
        return native if backend == "native" or can_play(native, ruleset) else plan
    return replace(plan, backend="interpreter") if backend == "interpreter" else plan


def _anywhere(ref: str) -> str:
    """The reference with absolute paths, for a process that runs in another folder."""
    return "+".join(os.path.abspath(part) if Path(part).exists() else part for part in ref.split("+"))  # noqa: PTH100


class _Run:
    """The games of a plan that have been played so far."""

    def __init__(self, ruleset: typed.Ruleset, plan: Plan, failures: Path | None) -> None:
        self.ruleset = ruleset
        self.plan = plan
        self.failures = failures
        self.totals = Totals(plan.called, plan.teams)
        self.rows: list[dict[str, Any]] = []
        self.games = self.decisions = 0  # decisions: of the games played now

    def recorded(self, results: Results | None, games: int) -> None:
        """Counts the recorded games, and plays the last one again to check that it still has the same outcome."""
        if results is None:
            return
        last: Outcome | None = None
        for last in results.recorded():
            if self.games == games:
                more = "raise --games, or name another file with --out"
                raise SaveError(f"{results.path} has more than {output.counted(games, 'game')} already: {more}")
            self._count(last)
        output.show(results.warnings)
        if last is None:
            return
        if Outcome.of(self.plan.play(self.ruleset, last.game)) != last:
            why = "it was written by another version of the program, or changed since: name another file with --out"
            raise SaveError(f"game {last.game:,} in {results.path} has another outcome than recorded; {why}")
        output.echo(f"{results.path}: goes on after {output.counted(self.games, 'game')}", err=True)

    def play(self, numbers: range, jobs: int, cluster: str, results: Results | None, *, keep_rows: bool) -> None:
        """Plays games; `keep_rows` collects their rows in memory."""
        with closing(self._outcomes(numbers, jobs, cluster)) as runs:
            for outcome in with_progress(runs, numbers.stop, numbers.start):
                if results is not None:
                    results.add(outcome)
                self._count(outcome)
                self.decisions += outcome.decisions
                if keep_rows:
                    self.rows.append(outcome.to_json())
                if outcome.failure is not None and self.failures is not None:
                    lines = [to_json_text(line, plain=True) for line in self._again(outcome.game).log()]
                    write_into(self.failures, f"seed{self.plan.seed}-game{outcome.game}.jsonl", "\n".join(lines) + "\n")

    def _outcomes(self, numbers: range, jobs: int, cluster: str) -> Generator[Outcome]:
        """The outcomes of games, in their order."""
        if self.plan.backend == "native" and not cluster:
            from rulespec.engine.simulate.native import play_natively

            return play_natively(self.plan, self.ruleset, numbers, jobs)
        if jobs == 1 and not cluster:
            return (Outcome.of(self.plan.play(self.ruleset, number)) for number in numbers)
        return play_on_workers(self.plan, numbers, jobs, cluster)

    def _count(self, outcome: Outcome) -> None:
        self.totals.add(outcome)
        self.games += 1

    def _again(self, number: int) -> Playout:
        """A game played again, with all its decisions."""
        return self.plan.play(self.ruleset, number)

    def shortest(self) -> Iterator[tuple[FailingGame, Path | None]]:
        """For each mistake the shortest game found that shows it, and its file if there is a folder."""
        for number in self.totals.mistakes.values():
            failing = shorter_playout(self._again(number))
            yield failing, write_failing(self.failures, f"seed{self.plan.seed}-game{number}.shortest.jsonl", failing)


def with_progress(runs: Iterator[_T], games: int, done: int = 0) -> Iterable[_T]:
    """Games as they are played, with a progress bar at a terminal; `done` of them were played before."""
    if not sys.stderr.isatty():
        return runs
    from tqdm import tqdm

    bar: Iterable[_T] = tqdm(
        runs, total=games, initial=done, unit="game", file=sys.stderr, leave=False, dynamic_ncols=True
    )
    return bar


def _json(run: _Run, players: list[int], settings: dict[str, str], out: Path | None) -> dict[str, Any]:
    plan = run.plan
    return {
        "ruleset": plan.ruleset,
        "ruleset_hash": plan.ruleset_hash,
        "players": players,
        "seed": plan.seed,
        "cap": plan.cap,
        "backend": plan.backend,
        "options": settings,
        "totals": run.totals.to_json(),
        "playouts": run.rows,
        "out": str(out) if out is not None else None,
        "shortest": [as_json(*found) for found in run.shortest()],
    }


def _show(run: _Run, players: list[int], words: Words, seconds: float) -> None:
    speed = run.decisions / max(seconds, 1e-9)
    native = ", native" if run.plan.backend == "native" else ""
    title = f"{run.ruleset.ref} {run.ruleset.version}"
    _show_totals(title, players, run.plan, run.totals, words, f"{seconds:.1f} s ({speed:,.0f} decisions/s{native})")
    for failing, path in run.shortest():
        output.echo()
        output.show([failing.wrong], run.ruleset.sources, err=False)
        for line in story(failing, path):
            output.echo(line)


def _show_totals(title: str, players: list[int], plan: Plan, totals: Totals, words: Words, took: str) -> None:
    data = totals.to_json()
    n, lengths = data["games"], data["decisions"]
    names = f"{players[0]}" if len(players) == 1 else f"{min(players)}-{max(players)}"
    output.echo(f"{title} · {output.counted(n, 'game')} · {names} players · seed {plan.seed} · {took}")
    output.echo()
    parts = [words.word(key, number=f"{lengths[key]:,.0f}") for key in ("least", "median", "mean", "most")]
    endings = [
        [words.ending(name), f"{count:,}", f"{100 * count / n:.1f} %"] for name, count in data["endings"].items()
    ]
    if data["capped"]:
        given_up = words.word("given_up", decisions=words.word("decisions", number=f"{plan.cap:,}"))
        endings.append([given_up, f"{data['capped']:,}", f"{100 * data['capped'] / n:.1f} %"])
    told = [" · ".join(parts), *output.table(endings, right=(1, 2))]
    heads = (words.word("lengths"), words.word("endings"))
    for line in output.table([(heads[i] if i < 2 else "", text) for i, text in enumerate(told)]):
        output.echo(line)
    _show_wins(data, words)
    output.echo()
    if not totals.failures:
        output.echo(output.style("all invariants held after every decision", fg="green"))
        return
    output.echo(output.style(output.counted(totals.failures, "game") + " failed", fg="red"))
    for outcome in totals.failed:
        assert outcome.failure is not None
        where = f"game {outcome.game}, {outcome.players} players, after {outcome.decisions} decisions"
        output.echo(f"  {where}: {outcome.failure.kind}: {outcome.failure.detail}")
    if totals.failures > len(totals.failed):
        output.echo(f"  … and {totals.failures - len(totals.failed)} more")


def _show_wins(data: dict[str, Any], words: Words) -> None:
    """How often each seat has won, and its points; of teams, how often each team has won."""
    teams = [[team, f"{v['games']:,}", _won(v)] for team, v in data.get("teams", {}).items()]
    seats = [[seat, f"{v['games']:,}", _won(v), _points(v["mean_score"])] for seat, v in data["seats"].items()]
    if teams:
        output.echo()
        for line in output.table(teams, (words.word("team"), words.word("games"), words.word("won")), right=(1, 2)):
            output.echo(line)
        for row in seats:
            del row[2]
    if seats:
        output.echo()
        head = [words.word(name) for name in ("seat", "games", "won", "mean_score")]
        if teams:
            del head[2]
        for line in output.table(seats, head, right=range(1, len(head))):
            output.echo(line)


def _won(data: dict[str, Any]) -> str:
    return f"{100 * data['wins'] / data['games']:.1f} %"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
