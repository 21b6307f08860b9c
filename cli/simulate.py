"""`rulespec simulate`: random playouts of a ruleset."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.failing_game import as_json, story, write_failing, write_into
from rulespec.cli.flags import (
    BackendChoice,
    check_used,
    number_of_players,
    played_by,
    settings_flag,
    wasm_errors,
    word_options,
    words_of,
)
from rulespec.cli.program_seats import bot_names, say_silent
from rulespec.cli.simulate_text import difference_json, show_differences, show_totals
from rulespec.cli.workers_flags import anywhere, check_workers, resume_hint, with_progress, workers_flags
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.machines import Backend
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.program.long_values import counting
from rulespec.engine.simulate.checked_playouts import CAP, Playout
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.game_totals import Totals, differences
from rulespec.engine.simulate.open_results import open_results
from rulespec.engine.simulate.result_rows import Results
from rulespec.engine.simulate.workers import Play, play_on_workers
from rulespec.engine.verify.random_games import shorter_playout
from rulespec.engine.verify.shrink import FailingGame
from rulespec.engine.words.words import Names, Words
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.bots.bot_games import BotGames

_MANY = 100
"""Number of games from which wasm plays all: compiling a small ruleset takes a tenth of a second."""
_T = TypeVar("_T")


def seat_counts(text: str) -> list[int]:
    """Parses player counts such as `4`, `2-6` or `2,4`.

    Raises:
        click.BadParameter: if the text is malformed.
    """
    results: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()) or len(low) > 3 or len(high) > 3:
            raise click.BadParameter(f"`{text}` is not a player count such as 4 or 2-6", param_hint="--players")
        results += range(int(low), int(high or low) + 1)
    if not results:
        raise click.BadParameter(f"`{text}` contains no player count", param_hint="--players")
    return results


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    ref: str
    players: str | None
    games: int
    seed: int
    cap: int
    settings: tuple[str, ...]
    bots: tuple[str, ...]
    against: str | None
    only: tuple[str, ...]
    backend: str
    jobs: int
    cluster: str
    out: Path | None
    codes: Path | None
    details: bool
    failures: Path | None
    format_: str
    shown: Names
    language: str | None


@click.command("simulate")
@click.argument("ref")
@click.option("--players", metavar="N", help="Number of players, or a range such as 2-6, which the games take in turn.")
@click.option("--games", type=click.IntRange(1, 10_000_000), default=100, show_default=True, help="Number of games.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same games.")
@click.option(
    "--cap", type=click.IntRange(1), default=CAP, show_default=True, help="Decisions after which a game is abandoned."
)
@settings_flag
@click.option(
    "--bots", callback=bot_names, metavar="BOTS", help="Bots that play, each seat in turn, such as flat:64,random."
)
@click.option(
    "--against", metavar="REF", help="Play the same number of games under REF as well, and show the differences."
)
@click.option("--only", multiple=True, metavar="KEY=VALUE", help="With --against: a setting of the first ruleset only.")
@click.option(
    "--backend",
    type=BackendChoice(["auto", "wasm", "python", "interpreter"]),
    default="auto",
    show_default=True,
    help="The machine for the rules; auto: wasm if it is faster and rulespec[wasm] is installed.",
)
@workers_flags
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a row per game to FILE.jsonl or FOLDER.parquet; continue it if it exists.",
)
@click.option(
    "--codes",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write the games as codes for `rulespec corpus`; continue them if they exist.",
)
@click.option(
    "--details", is_flag=True, help="Add columns for roles, used options and measures over time; plays in Python."
)
@click.option("--failures", type=click.Path(path_type=Path), help="Folder for the native logs of games that fail.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@word_options
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Play random games of the ruleset REF, with every invariant checked after every decision.

    Players choose uniformly among the legal options, unless --bots names bots; chance options are drawn according to
    their weights. Games do not depend on the number of processes. --against shows the numbers of two rulesets side by
    side; `rulespec playtest` judges the effect of a rule. Exit code: 0 all games end or reach the cap, 1 the rules were
    at fault, 2 wrong usage.

    Example: rulespec simulate imperial --players 2-6 --games 100 --seed 1 --jobs -1 --out results.jsonl
    """
    r = _Request(**values)
    from rulespec.load import load_ruleset

    said, chosen = seat_counts(r.players) if r.players is not None else None, output.key_values(r.settings)
    check_workers(r.jobs, r.cluster)
    if r.details and r.backend == "wasm":
        raise click.UsageError("--details needs every decision, which wasm does not record: omit --backend")
    if r.against is None and r.only:
        raise click.UsageError("--only needs --against")
    if r.against is not None and (r.out or r.failures or r.codes):
        raise click.UsageError("--out, --codes and --failures are for one ruleset: run each without --against")
    if r.codes is not None and r.bots:
        raise click.UsageError("--codes is for random games: omit --bots")
    ruleset = load_ruleset(r.ref)
    counts = said or [number_of_players(ruleset, None)]
    words = words_of(ruleset, r.language, r.shown)  # their errors are reported before games are played

    def planned(ref: str, ruleset: typed.Ruleset, chosen: dict[str, str]) -> _Run:
        plan = GamePlan.of(anywhere(ref) if r.cluster else ref, ruleset, counts, r.seed, settings=chosen, cap=r.cap)
        plan = replace(plan, bots=r.bots, details=r.details)
        plan = plan if r.details and r.backend == "auto" and not r.bots else _on(plan, ruleset, r.backend, r.games)
        few = r.backend == "auto" and r.games < _MANY and not (r.bots or r.details or r.cluster)
        return _Run(ruleset, plan, chosen, r.failures, changing=few)

    run = planned(r.ref, ruleset, chosen | output.key_values(r.only, "--only"))
    other = None if r.against is None else planned(r.against, load_ruleset(r.against), chosen)
    started = time.perf_counter()
    with counting() as handed, resume_hint(r.out, whole=r.against is not None):
        with nullcontext() if r.out is None else open_results(r.out, run.plan) as results:
            run.recorded(results, r.games)
            run.play(
                range(run.games, r.games), r.jobs, r.cluster, results, keep_rows=r.format_ == "json" and r.out is None
            )
        if r.codes is not None:
            from rulespec.cli.simulate_codes import write_codes  # lazily: it needs numpy

            write_codes(run.plan, ruleset, r.games, r.codes)
        if other is not None:
            other.play(range(r.games), r.jobs, r.cluster, None, keep_rows=False)
    if r.format_ == "json":
        output.echo_json(_json(run, other, counts, r.out))
    else:
        _show(run, other, counts, words, time.perf_counter() - started, handed)
    check_used(r.backend, handed)
    ctx.exit(output.PROBLEMS if run.totals.failures or (other and other.totals.failures) else output.OK)


def _on(plan: GamePlan, ruleset: typed.Ruleset, backend: str, games: int) -> GamePlan:
    """The plan with the requested backend, or with the fastest one."""
    if plan.bots and backend == "auto":
        return replace(plan, backend="wasm")
    if backend == "wasm" or (backend == "auto" and games >= _MANY):
        from rulespec.engine.simulate.wasm import WasmOutcomes, can_play

        wasm = replace(plan, backend="wasm")
        if backend == "wasm":
            with wasm_errors():
                WasmOutcomes(wasm, ruleset)
        return wasm if backend == "wasm" or can_play(wasm, ruleset) else plan
    return replace(plan, backend="interpreter") if backend == "interpreter" else plan


class _Run:
    """The games of a plan that were played so far."""

    def __init__(
        self, ruleset: typed.Ruleset, plan: GamePlan, chosen: dict[str, str], failures: Path | None, *, changing: bool
    ) -> None:
        self.ruleset = ruleset
        self.plan = plan
        self.changing = changing  # whether to change over to wasm if many games are left
        self.chosen = chosen
        self.failures = failures
        self.totals = Totals(plan.called, plan.teams)
        self.rows: list[dict[str, Any]] = []
        self.games = self.decisions = 0  # `decisions` excludes recorded games
        self.play_one: Callable[[int], Playout] = partial(plan.play, ruleset)
        self.outcome: Callable[[int], Outcome] = partial(plan.outcome, ruleset)
        self.on_workers: Play | None = None
        self.bot_games: BotGames | None = None
        if plan.bots:
            from rulespec.engine.bots.bot_games import BotGames, bot_outcome

            self.bot_games = games = BotGames(plan, ruleset, warned=say_silent)
            self.play_one, self.outcome, self.on_workers = games.play, games.outcome, bot_outcome

    @property
    def backend(self) -> Backend:
        """The backend that plays the games."""
        return self.plan.backend if self.bot_games is None else self.bot_games.backend

    @property
    def _whole_in_wasm(self) -> bool:
        """Whether a wasm module plays entire games; bots choose outside it."""
        return self.plan.backend == "wasm" and not self.plan.bots

    @property
    def called(self) -> str:
        """The subject of the games: the ruleset and the chosen settings."""
        return " ".join([self.ruleset.ref, *(f"{key}={value}" for key, value in self.chosen.items())])

    @property
    def title(self) -> str:
        """The ruleset with its version."""
        return f"{self.ruleset.ref} {self.ruleset.version}"

    def recorded(self, results: Results[Outcome] | None, games: int) -> None:
        """Adds the recorded games to the totals, and replays the last one to verify its outcome."""
        if results is None:
            return
        last: Outcome | None = None
        for last in results.recorded():
            if self.games == games:
                more = "raise --games, or name another file with --out"
                raise SaveError(f"{results.path} already has more than {output.counted(games, 'game')}: {more}")
            self._count(last)
        output.show(results.warnings)
        if last is None:
            return
        if self.outcome(last.game) != last:
            why = "it was written by another version of the program, or changed since: name another file with --out"
            raise SaveError(
                f"game {last.game:,} in {results.path} does not end as recorded when it is played again: {why}"
            )
        output.echo(f"{results.path}: continues after {output.counted(self.games, 'game')}", err=True)

    def play(
        self, numbers: range, jobs: int, cluster: str, results: Results[Outcome] | None, *, keep_rows: bool
    ) -> None:
        """Plays games; `keep_rows` collects their rows in memory."""
        if self._whole_in_wasm and not cluster and results is None and not keep_rows:
            self._tally(numbers, jobs)
            return
        with closing(self._outcomes(numbers, jobs, cluster)) as runs:
            for outcome in with_progress(runs, numbers.stop, numbers.start):
                if results is not None:
                    results.add(outcome)
                self._count(outcome)
                self.decisions += outcome.decisions
                if keep_rows:
                    self.rows.append(outcome.to_json())
                self._write_failure(outcome)

    def _tally(self, numbers: range, jobs: int) -> None:
        """Plays games in wasm, for totals only."""
        from rulespec.engine.simulate.wasm import tallied_in_wasm

        with closing(tallied_in_wasm(self.plan, self.ruleset, numbers, jobs)) as runs:
            for outcome, times in with_progress(runs, numbers.stop, numbers.start, size=lambda run: run[1]):
                self._count(outcome, times)
                self.decisions += times * outcome.decisions
                self._write_failure(outcome)

    def _write_failure(self, outcome: Outcome) -> None:
        """Writes the log of a failed game, if there is a folder for failures."""
        if outcome.failure is not None and self.failures is not None:
            lines = [to_json_text(line, plain=True) for line in self._again(outcome.game).log()]
            write_into(self.failures, f"seed{self.plan.seed}-game{outcome.game}.jsonl", "\n".join(lines) + "\n")

    def _outcomes(self, numbers: range, jobs: int, cluster: str) -> Generator[Outcome]:
        """The outcomes of games, in order."""
        if self._whole_in_wasm and not cluster:
            from rulespec.engine.simulate.wasm import play_in_wasm

            return play_in_wasm(self.plan, self.ruleset, numbers, jobs)
        if self.changing:
            from rulespec.engine.simulate.change_over import play_quickly

            return play_quickly(self.plan, self.ruleset, numbers, jobs, self._change)
        if jobs == 1 and not cluster:
            return (self.outcome(number) for number in numbers)
        return play_on_workers(self.plan, numbers, jobs, cluster, self.on_workers)

    def _change(self, plan: GamePlan) -> None:
        """Continues with another plan for the rest of the games."""
        self.plan = plan

    def _count(self, outcome: Outcome, times: int = 1) -> None:
        self.totals.add(outcome, times)
        self.games += times

    def _again(self, number: int) -> Playout:
        """Replays a game with all its decisions."""
        return self.play_one(number)

    def shortest(self) -> Iterator[tuple[FailingGame, Path | None]]:
        """The shortest failing game for each kind of error, with its file if there is a folder for failures."""
        for number in self.totals.mistakes.values():
            failing = shorter_playout(self._again(number))
            yield failing, write_failing(self.failures, f"seed{self.plan.seed}-game{number}.shortest.jsonl", failing)


def _json(run: _Run, other: _Run | None, players: list[int], out: Path | None) -> dict[str, Any]:
    return {
        **_run_json(run),
        "players": players,
        "random": run.plan.random,
        **({"bots": list(run.plan.bots)} if run.plan.bots else {}),
        "seed": run.plan.seed,
        "cap": run.plan.cap,
        "playouts": run.rows,
        "out": str(out) if out is not None else None,
        **({} if other is None else {"against": _run_json(other) | {"differences": _differences_json(run, other)}}),
    }


def _differences_json(run: _Run, other: _Run) -> list[dict[str, Any]]:
    return [difference_json(each) for each in differences(run.totals, other.totals)]


def _run_json(run: _Run) -> dict[str, Any]:
    return {
        "ruleset": run.plan.ruleset,
        "ruleset_hash": run.plan.ruleset_hash,
        "sources_hash": run.plan.sources_hash,
        "backend": run.backend,
        "settings": run.chosen,
        "totals": run.totals.to_json(),
        "shortest": [as_json(*result) for result in run.shortest()],
    }


def _show(
    run: _Run, other: _Run | None, players: list[int], words: Words, seconds: float, handed: Mapping[str, int]
) -> None:
    """Prints the number of games, their results, and failures."""
    runs = [run] if other is None else [run, other]
    speed = sum(each.decisions for each in runs) / max(seconds, 1e-9)
    machine = ", ".join(played_by(backend, handed) for backend in dict.fromkeys(each.backend for each in runs))
    title = run.title if other is None else words.word("against", one=run.title, other=other.title)
    bots = f" · bots {', '.join(run.plan.bots)}" if run.plan.bots else ""
    names = f"{players[0]}" if len(players) == 1 else f"{min(players)}-{max(players)}"
    played = f"{output.counted(run.games, 'game')} · {names} players{bots} · seed {run.plan.seed}"
    output.echo(f"{title} · {played} · {seconds:.1f} s ({speed:,.0f} decisions/s, {machine})")
    output.echo()
    if other is None:
        show_totals(run.plan, run.totals, words)
    else:
        show_differences(differences(run.totals, other.totals), (run.called, other.called), words)
        output.echo()
        output.echo(
            "each interval holds 19 times in 20, but not all together; "
            "`rulespec playtest` measures the effect of a rule"
        )
    for each in runs:
        output.echo()
        output.echo("" if other is None else f"{each.called}: ", nl=False)
        _show_failures(each)


def _show_failures(run: _Run) -> None:
    """Prints a note that no game failed, or the shortest failing games."""
    totals = run.totals
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
    for failing, path in run.shortest():
        output.echo()
        output.show([failing.wrong], run.ruleset.sources, err=False)
        for line in story(failing, path):
            output.echo(line)
