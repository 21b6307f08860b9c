"""`rulespec migrate`: carries recorded games over to changed rules, or leaves them under their own rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.flags import LogPath
from rulespec.cli.workers_flags import folder, jobs_flag, resume_hint, with_progress
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.text_files import is_folder
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.logs.samples import logs_in
from rulespec.engine.migrate.migrate import Verdict
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.migrate.migration_work import Carried, MigrationPlan

_TRIED = 10
"""Maximum number of kept games for which former names are tried."""
_MAX_CAUSES = 20
_COLOURS = {Verdict.FAITHFUL: "green", Verdict.NUMBERS: "yellow", Verdict.STAYS: "red"}


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    logs: tuple[Path, ...]
    to: str
    from_: str | None
    out: Path | None
    allow: tuple[str, ...]
    format_: str
    jobs: int


@click.command("migrate")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=LogPath())
@click.option("--to", metavar="REF", required=True, help="The changed rules.")
@click.option("--from", "from_", metavar="REF", help="The rules of the logs; default: the rules they carry or name.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Write the carried games to this folder."
)
@click.option("--allow", multiple=True, type=click.Choice(["numbers"]), help="Also carry games whose numbers differ.")
@jobs_flag
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Carry the recorded games LOG… over to changed rules (LOG may be a folder of them).

    Both games are played side by side, and their common state is compared before each decision. No decision of a person
    is dropped or invented: a question asked only by the changed rules is answered if that leads to the recorded state.
    A game is `faithful` if the state is equal everywhere, `numbers` if all decisions stand but the state differs, as
    after a changed price, and `kept`, with the first reason, if a decision is now illegal. With --out, each carried
    game is written as a log of the changed rules; the originals stay.

    Exit code: 0 all are carried over, 1 some are kept, 2 a log cannot be read or is not legal under its own rules.

    Example: rulespec migrate games/ --from ./old_rules --to ./my_rules --out carried
    """
    r = _Request(**values)
    from rulespec.engine.migrate.migration_work import MigrationPlan, carried
    from rulespec.engine.simulate.workers import on_workers

    ruleset = load_ruleset(r.to)
    if r.out is not None:
        folder(r.out)
    out = None if r.out is None else str(r.out)
    plan = MigrationPlan(r.to, ruleset.sources_hash, r.from_, out, "numbers" in r.allow)
    paths = [str(file) for log in r.logs for file in (logs_in(log) if is_folder(log) else [log])]
    results: list[dict[str, Any]] = []
    failed: dict[str, str] = {}
    with resume_hint(None, whole=True):
        tasks = ((plan, path) for path in paths)
        games = (carried(*task) for task in tasks) if r.jobs == 1 else on_workers(carried, tasks, r.jobs)
        for each in with_progress(games, len(paths), unit="log"):
            if each.result is None:
                failed[each.log] = each.error
            else:
                results.append(each.result)
            if r.format_ == "text":
                _show(each)
    lines = _proposed(plan, results, ruleset)
    if r.format_ == "json":
        output.echo_json(_json(r, results, failed, lines))
    else:
        _totals(results, failed)
        if lines:
            output.echo("with these lines in `was:` of the changed rules, every game tried is carried faithfully:")
            for line in lines:
                output.echo(f"  {line}")
    stay = any(not plan.carries(result["verdict"]) for result in results)
    ctx.exit(output.UNUSABLE if failed else output.PROBLEMS if stay else output.OK)


def _proposed(plan: MigrationPlan, results: list[dict[str, Any]], ruleset: typed.Ruleset) -> list[str]:
    """Lines of `was:` that would migrate kept games, tested on the first few."""
    from rulespec.engine.migrate.migration_work import legal_replay
    from rulespec.engine.migrate.proposals import proposed

    logs = [result["log"] for result in results if result["verdict"] == Verdict.STAYS][:_TRIED]
    try:
        return [each.line for each in proposed([legal_replay(plan, log) for log in logs], ruleset)]
    except (DiagnosticsError, RulesetFaultError):
        return []


def _show(each: Carried) -> None:
    """Prints the verdict for a log."""
    result = each.result
    if result is None:
        output.echo(f"{each.log}: {output.style('cannot be carried', fg='red')}: {each.error}")
        return
    parts = [output.style(result["verdict"], fg=_COLOURS[Verdict(result["verdict"])])]
    if result["put_in"]:
        parts.append(f"{output.counted(result['put_in'], 'answer')} inserted")
    if result["gone"]:
        parts.append(f"{output.counted(result['gone'], 'question')} dropped")
    if (cause := result["cause"]) is not None:
        where = f"after {cause['index']:,} of {output.counted(result['decisions'], 'decision')}"
        parts.append(f"{where}: {cause['reason'][:300]}")
    output.echo(f"{each.log}: {', '.join(parts)}")
    was, now = result["recorded"]["winners"], result["outcome"]["winners"]
    if result["verdict"] == Verdict.NUMBERS and was != now:
        output.echo(f"  won by {', '.join(now) or 'nobody'} instead of {', '.join(was) or 'nobody'}")


def _causes(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The causes, most frequent first, each with the number of games and an example."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], dict[str, Any]] = {}
    for result in results:
        if result["cause"] is not None:
            key = (result["verdict"], result["cause"]["reason"])
            counts[key] += 1
            examples.setdefault(key, result)
    return [
        {"verdict": key[0], "games": count, "example": examples[key]["log"], **examples[key]["cause"]}
        for key, count in counts.most_common()
    ]


def _totals(results: list[dict[str, Any]], failed: dict[str, str]) -> None:
    counts = Counter(result["verdict"] for result in results)
    parts = [f"{counts[verdict]:,} {verdict}" for verdict in Verdict if counts[verdict]]
    if failed:
        parts.append(f"{len(failed):,} not read")
    output.echo()
    output.echo(f"{output.counted(len(results) + len(failed), 'game')}: {', '.join(parts)}")
    causes = _causes(results)
    for cause in causes[:_MAX_CAUSES]:
        output.echo(f"  {output.counted(cause['games'], 'game')} {cause['verdict']}: {cause['reason'][:200]}")
        example = f"for example {cause['example']}"
        if cause["recorded"]:
            example += f", where {cause['recorded'][:100]}"
        output.echo(f"    {example}{', ' + cause['place'] if cause['place'] else ''}")
    if len(causes) > _MAX_CAUSES:
        output.echo(f"  … and {len(causes) - _MAX_CAUSES} more reasons")


def _json(request: _Request, results: list[dict[str, Any]], failed: dict[str, str], lines: list[str]) -> dict[str, Any]:
    counts = Counter(result["verdict"] for result in results)
    return {
        "to": request.to,
        "games": results,
        "failed": [{"log": log, "error": error} for log, error in failed.items()],
        "totals": {str(verdict): counts[verdict] for verdict in Verdict},
        "causes": _causes(results),
        "proposed": lines,
    }
