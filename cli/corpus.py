"""`rulespec corpus`: large numbers of games as codes, imported once for fast queries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulespec.cli import output
from rulespec.cli.corpus_contents import describe, moves
from rulespec.cli.flags import LogPath
from rulespec.cli.workers_flags import check_workers, log_workers_flags, resume_hint

if TYPE_CHECKING:
    from rulespec.engine.corpus.game_codes import CodedGame, ImportedGame
    from rulespec.engine.corpus.logs import Log
    from rulespec.engine.corpus.stores import StoreAnswer, StoreQuestion
    from rulespec.engine.simulate.result_rows import Results

_MAX_SHOWN = 20
_VERDICTS = {
    "legal": "legal",
    "diverges": "diverging",
    "other_end": "with a different end than recorded",
    "unreadable": "unreadable",
}
_STORE = click.argument("store", metavar="DIR", type=click.Path(path_type=Path))
_FORMAT = click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format."
)


@click.group("corpus")
def command() -> None:
    """Store games as codes once, and query them many times.

    Codes are the decisions of a game as small integers, and replay many times faster than logs. They are stored with
    tables of names in Parquet files, which DuckDB and Polars read. `rulespec simulate --codes DIR` writes the same
    files.

    Example: rulespec corpus import games/ --out store
    """


@command.command("import")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=LogPath())
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", required=True, help="The folder of the store.")
@click.option("--rules", metavar="REF", help="The ruleset to replay under; default: that of each log.")
@click.option("--dialect", metavar="ID", help="The dialect of foreign logs; default: recognised by the first entry.")
@click.option("--only", metavar="PATTERN", default="", help="Only logs whose names match, such as '*.json'.")
@log_workers_flags
@click.pass_context
def import_(
    ctx: click.Context,
    logs: tuple[Path, ...],
    out: Path,
    rules: str | None,
    dialect: str | None,
    only: str,
    jobs: int,
    cluster: str,
) -> None:
    """Write the games of LOG… as codes; each LOG is a file, a folder, a glob or an archive.

    If a log diverges, its decisions up to that point are stored. After an interruption, the same command continues.

    Exit code: 0 all are legal to their end, 1 one diverges or has a different end, 2 one cannot be read.

    Example: rulespec corpus import games/ --out store --jobs -1
    """
    from rulespec.cli.workers_flags import with_progress
    from rulespec.engine.corpus.code_tables import Tables
    from rulespec.engine.corpus.game_codes import CodeSheet, imported, store_folder
    from rulespec.engine.corpus.logs import Corpus
    from rulespec.engine.corpus.replays import ReplayPlan, done_with, plan_of
    from rulespec.engine.simulate.parquet import ParquetResults

    check_workers(jobs, cluster)
    totals = _ImportTotals()
    with resume_hint(out):
        plan = plan_of(ReplayPlan(rules, dialect=dialect), away=bool(cluster))
        corpus = Corpus(logs, only)
        manifest = corpus.manifest()
        tables = Tables(out)
        with ParquetResults(store_folder(out), CodeSheet(plan.header(manifest), tables)) as results:
            remaining = corpus.logs()
            for game in _recorded(results, remaining):
                totals.add(game)
            done = sum(totals.counts.values())
            games: Iterator[ImportedGame] = done_with(imported, plan, remaining, jobs, cluster)
            for each in with_progress(games, manifest.logs, done, "log"):
                if each.table is not None and each.rules is not None:
                    tables.add(each.table, each.rules)
                results.add(each.game)
                totals.add(each.game)
    totals.show()
    ctx.exit(totals.code)


class _ImportTotals:
    """The totals of an import: the logs by verdict, the names of illegal ones, and the number of decisions."""

    def __init__(self) -> None:
        from rulespec.engine.corpus.totals import Failing

        self.counts = dict.fromkeys(_VERDICTS, 0)
        self.failing = Failing()
        self.decisions = 0

    def add(self, game: CodedGame) -> None:
        """Adds a game to the totals."""
        self.counts[game.verdict] += 1
        self.decisions += game.decisions
        self.failing.add(game.verdict, game.log, game.error or game.other_result)

    def show(self) -> None:
        """Prints the totals."""
        from rulespec.cli.replay_corpus import show_failing

        parts = [f"{number:,} {_VERDICTS[verdict]}" for verdict, number in self.counts.items() if number]
        logs = output.counted(sum(self.counts.values()), "log")
        output.echo(f"{logs}: {', '.join(parts)}; {output.counted(self.decisions, 'decision')}")
        show_failing(self.failing)

    @property
    def code(self) -> int:
        """The exit code."""
        if self.counts["unreadable"]:
            return output.UNUSABLE
        return output.PROBLEMS if self.failing.number else output.OK


def _recorded(results: Results[CodedGame], logs: Iterator[Log]) -> Iterator[CodedGame]:
    """The recorded games; their logs are skipped in `logs`."""
    done = 0
    for game in results.recorded():
        done += 1
        yield game
    output.show(results.warnings)
    if done:
        next(islice(logs, done - 1, None), None)
        output.echo(f"{results.path.parent}: continues after {output.counted(done, 'log')}", err=True)


@command.command("replay")
@_STORE
@click.option("--under", metavar="REF", help="Judge the games under these rules.")
@log_workers_flags
@_FORMAT
@click.pass_context
def replay(ctx: click.Context, store: Path, under: str | None, jobs: int, cluster: str, format_: str) -> None:
    """Replay the games of the store DIR: each must reach its recorded end.

    With --under, codes are mapped to the other rules by name; games that diverge are judged as by `rulespec replay`.

    Exit code: 0 all replay, and stay legal with the same winners, 1 one does not, 2 DIR cannot be read.

    Example: rulespec corpus replay store --under imperial+first_edition --jobs -1
    """
    from rulespec.engine.corpus.replays import WorkerRules
    from rulespec.engine.corpus.stores import StoreQuestion
    from rulespec.engine.corpus.totals import CodeTotals
    from rulespec.load import load_ruleset

    other = None if under is None else WorkerRules.of(under, load_ruleset(under), away=bool(cluster))
    totals = CodeTotals()
    for answer in _answers(store, StoreQuestion("replay", under=other), jobs, cluster):
        totals.add(answer)
    if format_ == "json":
        output.echo_json(totals.to_json())
    else:
        from rulespec.cli.replay_corpus import show_judged

        sound = f"{totals.sound:,} replay to their recorded end"
        sound += f", {totals.unread:,} could not be read" if totals.unread else ""
        output.echo(
            f"{output.counted(totals.games, 'game')}, {output.counted(totals.decisions, 'legal decision')}: {sound}"
        )
        for name in totals.unsound[:_MAX_SHOWN]:
            output.echo(f"  {name} {output.style('does not replay to its recorded end', fg='red')}")
        if totals.endings:
            output.echo(f"endings: {', '.join(f'{n:,} {e or chr(0x2013)}' for e, n in totals.endings.most_common())}")
        show_judged(totals)
    ctx.exit(output.PROBLEMS if totals.unsound or totals.changed else output.OK)


@command.command("measures")
@_STORE
@log_workers_flags
@_FORMAT
def measures(store: Path, jobs: int, cluster: str, format_: str) -> None:
    """Print the measures at the end of the finished games of the store DIR.

    Example: rulespec corpus measures store
    """
    from rulespec.cli.replay_corpus import show_measures
    from rulespec.engine.corpus.stores import StoreQuestion
    from rulespec.engine.corpus.totals import CodeTotals

    totals = CodeTotals()
    for answer in _answers(store, StoreQuestion("measures"), jobs, cluster):
        totals.add(answer)
    if format_ == "json":
        output.echo_json(totals.to_json())
    else:
        output.echo(f"{output.counted(totals.games, 'game')}, {output.counted(totals.decisions, 'decision')}")
        show_measures(totals.measures)


@command.command("find")
@_STORE
@click.argument("expression", metavar="EXPRESSION")
@log_workers_flags
@_FORMAT
@click.pass_context
def find(ctx: click.Context, store: Path, expression: str, jobs: int, cluster: str, format_: str) -> None:
    """Find positions in the games of the store DIR where EXPRESSION of the rules language is true.

    `player` in it stands for each seat in turn; one match is enough. Names and units are those of the rulesets.

    Exit code: 0 some were found, 1 none.

    Example: rulespec corpus find store "player.cash >= 15 money"
    """
    from rulespec.engine.corpus.stores import StoreQuestion

    games = positions = seen = 0
    rows: list[dict[str, Any]] = []
    for answer in _answers(store, StoreQuestion("find", sought=expression), jobs, cluster):
        seen += 1
        if not answer.at:
            continue
        games += 1
        positions += len(answer.at)
        if format_ == "json" or len(rows) < _MAX_SHOWN:
            rows.append(
                {"game": answer.game.game, "log": answer.game.log, "first": answer.at[0], "positions": len(answer.at)}
            )
    if format_ == "json":
        output.echo_json({"games": games, "positions": positions, "of": seen, "found": rows})
    else:
        output.echo(f"{output.counted(positions, 'position')} in {games:,} of {output.counted(seen, 'game')}")
        for row in rows:
            output.echo(
                f"  {row['log']}: after decision {row['first']:,}, {output.counted(row['positions'], 'position')}"
            )
        if games > len(rows):
            output.echo(f"  … and {games - len(rows):,} more games")
    ctx.exit(output.OK if games else output.PROBLEMS)


@command.command("page")
@_STORE
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", required=True, help="Write the page to this file."
)
@click.option(
    "--opening",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    metavar="N",
    help="Number of decisions in an opening.",
)
def page(store: Path, out: Path, opening: int) -> None:
    """Write a page about the finished games of the store DIR: lengths, winners by seat and role, endings, openings.

    It is one self-contained file, which can be mailed, with a section for each ruleset and number of players.

    Example: rulespec corpus page store --out archive.html
    """
    from rulespec.engine.corpus.archive import shelves
    from rulespec.pages.archive_page import archive_page

    text = archive_page(store.resolve().name, shelves(store, opening))
    with output.written(out) as file:
        file.write(text)
    output.echo(f"written: {out} ({len(text.encode(errors='replace')) / 1000:,.0f} KB)")


command.add_command(describe)
command.add_command(moves)


def _answers(store: Path, question: StoreQuestion, jobs: int, cluster: str) -> Iterator[StoreAnswer]:
    """The answers for the games of a store, with a progress bar on a terminal."""
    from rulespec.cli.workers_flags import with_progress
    from rulespec.engine.corpus.stores import answers, parts_of_store

    check_workers(jobs, cluster)
    with resume_hint(None, whole=True), closing(answers(store, question, jobs, cluster)) as parts:
        for part in with_progress(parts, len(parts_of_store(store)), unit="part"):
            yield from part
