"""`rulespec migrate`: recorded games carried over to changed rules, or kept under their own."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.log_argument import LogPath
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.documents.text_files import is_folder
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.migrate.migrate import Migrated, Verdict, migrate
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult
from rulespec.engine.replay.tally import logs_in
from rulespec.load import load_ruleset

_RULESETS = 16  # in memory
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


@click.command("migrate")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=LogPath())
@click.option("--to", metavar="REF", required=True, help="The changed rules.")
@click.option("--from", "from_", metavar="REF", help="The rules of the logs; default: those that they carry or name.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Write the carried games there.")
@click.option(
    "--allow", multiple=True, type=click.Choice(["numbers"]), help="Also carry games whose numbers come out otherwise."
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How to print.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Carry the recorded games LOG… over to changed rules (LOG may be a folder of them).

    Both games are played side by side, and compared before each decision by the state that both rules have. No decision
    of a person is dropped or chosen: a question that only the changed rules ask is answered if the state after it is
    the recorded one. A game is faithful if the state is equal everywhere; numbers if all decisions stand and the state
    is another one, as after a changed price; kept, with the first reason, if a decision is illegal now. With --out,
    what is carried is written as a log of the changed rules, and the originals stay.

    Exit code: 0 all are carried over, 1 some are kept, 2 a log cannot be read or is not legal under its own rules.

    Example: rulespec migrate games/ --from ./old_rules --to ./my_rules --out carried
    """
    r = _Request(**values)
    load = lru_cache(_RULESETS)(load_ruleset)
    ruleset = load(r.to)
    if r.out is not None:
        r.out.mkdir(parents=True, exist_ok=True)
    carried = {Verdict.FAITHFUL} | ({Verdict.NUMBERS} if "numbers" in r.allow else set())
    results: list[Migrated] = []
    failed: dict[str, str] = {}
    for path in [file for log in r.logs for file in (logs_in(log) if is_folder(log) else [log])]:
        try:
            replay = ReplayRequest(path, rules=r.from_, report=Report(), load=load, single_use=True).replay()
            result = migrate(_legal(replay), ruleset)
        except DiagnosticsError as error:
            failed[str(path)] = error.diagnostics[0].message
        except RulesetFaultError as fault:
            failed[str(path)] = fault.diagnostic.message
        else:
            results.append(result)
            if r.out is not None and result.verdict in carried:
                _write(result, replay, r.out)
        if r.format_ == "text":
            _show(str(path), results[-1] if str(path) not in failed else None, failed.get(str(path), ""))
    if r.format_ == "json":
        output.echo_json(_json(r, results, failed))
    else:
        _totals(results, failed)
    stay = any(result.verdict not in carried for result in results)
    ctx.exit(output.UNUSABLE if failed else output.PROBLEMS if stay else output.OK)


def _legal(replay: ReplayResult) -> ReplayResult:
    """A replay that is legal to its end.

    Raises:
        DiagnosticsError: RS821 if it is not.
    """
    if replay.divergence is not None:
        at, reason = replay.divergence.index, replay.divergence.refusal.reason
        message = f"the log is not legal under its own rules, after {at:,} decisions: {reason}"
        raise failure("RS821", message, None, "name the rules that it was played under: --from REF")
    return replay


def _write(result: Migrated, replay: ReplayResult, folder: Path) -> None:
    """Writes a carried game; an old file stays."""
    name = Path(result.log).name
    for ending in (".gz", ".jsonl", ".json"):
        name = name.removesuffix(ending)
    path = folder / f"{name}.jsonl"
    if path.exists():
        raise click.ClickException(f"{path} exists already: name an empty folder")
    result.write(path, replay)


def _show(log: str, result: Migrated | None, error: str) -> None:
    """Prints the verdict on a log."""
    if result is None:
        output.echo(f"{log}: {output.style('cannot be carried', fg='red')}: {error}")
        return
    parts = [output.style(result.verdict, fg=_COLOURS[result.verdict])]
    walk = result.walk
    if put_in := walk.forced + len(walk.answers):
        parts.append(f"{output.counted(put_in, 'answer')} put in")
    if walk.skipped:
        parts.append(f"{output.counted(walk.skipped, 'question')} gone")
    if result.cause is not None:
        where = f"after {result.cause.index:,} of {output.counted(walk.decisions, 'decision')}"
        parts.append(f"{where}: {result.cause.reason[:300]}")
    output.echo(f"{log}: {', '.join(parts)}")
    if result.verdict is Verdict.NUMBERS and result.outcome.winners != result.recorded.winners:
        was, now = (", ".join(o.winners) or "nobody" for o in (result.recorded, result.outcome))
        output.echo(f"  won by {now} instead of {was}")


def _causes(results: list[Migrated]) -> list[dict[str, Any]]:
    """The causes, the most frequent first, each with the number of games and an example."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], Migrated] = {}
    for result in results:
        if result.cause is not None:
            key = (str(result.verdict), result.cause.reason)
            counts[key] += 1
            examples.setdefault(key, result)
    return [
        {
            "verdict": verdict,
            "games": count,
            "example": examples[verdict, reason].log,
            **(examples[verdict, reason].to_json()["cause"]),
        }
        for (verdict, reason), count in counts.most_common()
    ]


def _totals(results: list[Migrated], failed: dict[str, str]) -> None:
    counts = Counter(result.verdict for result in results)
    parts = [f"{counts[verdict]:,} {verdict}" for verdict in Verdict if counts[verdict]]
    if failed:
        parts.append(f"{len(failed):,} not read")
    output.echo()
    output.echo(f"{output.counted(len(results) + len(failed), 'game')}: {', '.join(parts)}")
    causes = _causes(results)
    for cause in causes[:_MAX_CAUSES]:
        output.echo(f"  {output.counted(cause['games'], 'game')} {cause['verdict']}: {cause['reason'][:200]}")
        example = f"for one, {cause['example']}"
        if cause["recorded"]:
            example += f", where {cause['recorded'][:100]}"
        output.echo(f"    {example}{', ' + cause['place'] if cause['place'] else ''}")
    if len(causes) > _MAX_CAUSES:
        output.echo(f"  … and {len(causes) - _MAX_CAUSES} more reasons")


def _json(request: _Request, results: list[Migrated], failed: dict[str, str]) -> dict[str, Any]:
    counts = Counter(result.verdict for result in results)
    return {
        "to": request.to,
        "games": [result.to_json() for result in results],
        "failed": [{"log": log, "error": error} for log, error in failed.items()],
        "totals": {str(verdict): counts[verdict] for verdict in Verdict},
        "causes": _causes(results),
    }
