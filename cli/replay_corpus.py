"""`rulespec replay` for many logs: one row per log, and totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.workers_flags import resume_hint, with_progress
from rulespec.diagnostics.report import failure
from rulespec.engine.corpus.log_rows import LogRow, RowSheet, Under
from rulespec.engine.corpus.logs import Corpus, Log
from rulespec.engine.corpus.replays import ReplayPlan, plan_of, replayed, row_of, words_of_rulesets
from rulespec.engine.corpus.totals import CauseTotals, Failing, Judged, Measured, RowTotals
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.open_results import open_rows
from rulespec.engine.simulate.result_rows import Results

_MAX_CAUSES = 20
_MAX_FAILING = 20
_CODES = {"legal": output.OK, "diverges": output.PROBLEMS, "other_end": output.PROBLEMS}
_COLOURS = {"legal": "green", "diverges": "red", "other_end": "red", "unreadable": "red"}
_WORDS = {
    "legal": "legal",
    "diverges": "diverging",
    "other_end": "with a different end than recorded",
    "unreadable": "unreadable",
}
_JUDGED = {
    "legal": "legal",
    "same winners": "with the same winners",
    "other winners": "with other winners",
    "open winners": "not over",
    "not legal": "not legal",
    "not judged": "not judged",
}


class CorpusRequest(Struct, frozen=True):
    """A request to replay many logs.

    Attributes:
        paths: files, folders, globs and archives.
        plan: the inputs for each row.
        jobs: the number of processes.
        cluster: the cluster to use instead.
        out: the file or folder for the rows.
        format_: `text` or `json`.
        only: a pattern that the names of logs must match; empty for all logs.
    """

    paths: tuple[Path, ...]
    plan: ReplayPlan
    jobs: int
    cluster: str
    out: Path | None
    format_: str
    only: str = ""


def replay_corpus(request: CorpusRequest) -> int:
    """Replays the logs of a corpus, prints rows and totals, and returns the exit code."""
    r = request
    with resume_hint(r.out):
        plan = plan_of(r.plan, away=bool(r.cluster))
        corpus = Corpus(r.paths, r.only)
        manifest = corpus.manifest()
        run = _Run(r, plan)
        sheet = RowSheet(plan.header(manifest), words_of_rulesets)
        with nullcontext() if r.out is None else open_rows(r.out, sheet) as results:
            logs = corpus.logs()
            done = run.recorded(results, logs)
            for row in with_progress(iter(replayed(plan, logs, r.jobs, r.cluster)), manifest.logs, done, "log"):
                if results is not None:
                    results.add(row)
                run.add(row)
        if corpus.digest != manifest.digest:
            raise failure("RS601", "logs were changed while they were replayed", None, "replay them again")
    if r.format_ == "json":
        rows = {} if r.out is not None else {"logs": run.rows}
        output.echo_json({"out": str(r.out) if r.out else None, "totals": run.totals.to_json(), **rows})
    else:
        _show(run.totals, named=r.out is not None)
    return run.code


class _Run:
    """The rows and totals so far."""

    def __init__(self, request: CorpusRequest, plan: ReplayPlan) -> None:
        self._request = request
        self._plan = plan
        self.totals = RowTotals()
        self.rows: list[dict[str, Any]] = []

    def recorded(self, results: Results[LogRow] | None, logs: Iterator[Log]) -> int:
        """Adds the recorded rows to the totals and skips their logs; repeats the last one as a check."""
        if results is None:
            return 0
        last: LogRow | None = None
        done = 0
        for last in results.recorded():
            self.totals.add(last)
            done += 1
        output.show(results.warnings)
        log = next(islice(logs, done - 1, None), None) if done else None
        if last is None or log is None:
            return 0
        if row_of(self._plan, log) != last:
            why = "it was written by another version of the program, or changed since: name another file with --out"
            raise SaveError(f"the row of {log.name} in {results.path} is not the result of its replay: {why}")
        output.echo(f"{results.path}: continues after {output.counted(done, 'log')}", err=True)
        return done

    def add(self, row: LogRow) -> None:
        """Adds a row to the totals; prints it, unless rows are written to a file."""
        self.totals.add(row)
        if self._request.out is not None:
            return
        if self._request.format_ == "json":
            self.rows.append(row.to_json())
        else:
            output.echo(_line(row))

    @property
    def code(self) -> int:
        """The exit code."""
        code = max((_CODES.get(verdict, output.UNUSABLE) for verdict in self.totals.verdicts), default=output.OK)
        if self.totals.judged["not judged"]:
            code = output.UNUSABLE
        return max(code, output.PROBLEMS if self.totals.changed else output.OK)


def _line(row: LogRow) -> str:
    """A row as one line of text."""
    verdict = output.style(row.verdict.replace("_", " "), fg=_COLOURS[row.verdict])
    if row.error:
        return f"{row.log}: {verdict}: {row.error[:300]}"
    head = f"{row.log}: {output.counted(row.decisions, 'decision')}, {verdict}"
    if row.cause is not None:
        return f"{head} at {row.cause.place}: {row.cause.reason[:300]}"
    head += f", ended ({row.ended}), won by {', '.join(row.winners) or 'nobody'}" if row.ended else ", goes on"
    if row.other_result is not None:
        head += f" ({'the other system' if row.system else 'the log'}'s result: {row.other_result})"
    return head if row.under is None else f"{head}; {_under(row, row.under)}"


def _under(row: LogRow, under: Under) -> str:
    """The result of a game under the other rules, compared with the log."""
    if under.error:
        return f"{output.style('cannot be judged', fg='red')}: {under.error[:300]}"
    after = f"after {under.legal:,} of {output.counted(row.decisions, 'decision')}"
    if under.cause is not None:
        return f"under the other rules {output.style('not legal', fg='red')} {after}: {under.cause.reason[:300]}"
    text = f"under the other rules {output.style('legal', fg='green')}"
    if under.answers:
        text += f" with {output.counted(under.answers, 'answer')} inserted"
    if under.ended is None:
        return f"{text}, goes on" if row.ended is None else f"{text}, but the game is not over"
    text += f", ended ({under.ended}), won by {', '.join(under.winners) or 'nobody'}"
    if under.winners_are == "other":
        text += f" instead of {', '.join(row.winners) or 'nobody'}"
    return text if under.legal + under.skipped == row.decisions else f"{text}, but earlier: {after}"


def _show(totals: RowTotals, *, named: bool) -> None:
    """Prints the totals; with `named`, also the logs that are not legal."""
    parts = [f"{totals.verdicts[key]:,} {word}" for key, word in _WORDS.items() if totals.verdicts[key]]
    decisions = output.counted(totals.decisions, "legal decision")
    output.echo(f"{output.counted(totals.verdicts.total(), 'log')}: {', '.join(parts)}; {decisions}")
    if named:
        show_failing(totals.failing)
    if totals.endings:
        endings = [f"{n:,} {name or 'going on'}" for name, n in totals.endings.most_common()]
        output.echo(f"endings: {', '.join(endings)}")
    show_causes("diverging", totals.causes)
    show_measures(totals.measures)
    show_judged(totals)


def show_failing(failing: Failing) -> None:
    """Prints the illegal logs, each with its reason."""
    shown = failing.logs[:_MAX_FAILING]
    words = [verdict.replace("_", " ") for verdict, _, _ in shown]
    pad = max(map(len, words), default=0)
    for (verdict, log, why), word in zip(shown, words, strict=True):
        styled = output.style(word, fg=_COLOURS[verdict]) + " " * (pad - len(word))
        output.echo(f"  {styled}  {log}{': ' if why else ''}{why[:160]}")
    if failing.number > len(shown):
        output.echo(f"  … and {failing.number - len(shown):,} more")


def show_measures(measures: Mapping[str, Measured]) -> None:
    """Prints measures, if there are any."""
    if not measures:
        return
    rows = []
    for name, of in measures.items():
        mean = "-" if of.sample.mean is None else f"{of.sample.mean:,.1f}"
        rows.append((name, f"{of.sample.games:,}", f"{of.least:,}", mean, f"{of.most:,}"))
    output.echo("measures at the end of games:")
    for line in output.table(rows, ("measure", "values", "least", "mean", "most"), right=(1, 2, 3, 4)):
        output.echo(f"  {line}")


def show_judged(totals: Judged) -> None:
    """Prints the judgements of games under other rules, if there are any."""
    if totals.judged:
        parts = [f"{totals.judged[key]:,} {words}" for key, words in _JUDGED.items() if totals.judged[key]]
        output.echo(f"under the other rules: {', '.join(parts)}")
        show_causes("not legal under the other rules", totals.under)


def show_causes(title: str, causes: CauseTotals) -> None:
    """Prints causes, most frequent first."""
    groups = causes.most()
    if not groups:
        return
    output.echo(f"{title}, by the first rule broken:")
    rows = []
    for group in groups[:_MAX_CAUSES]:
        where = ", ".join(group.cause.rules) or group.cause.written or "-"
        rows.append((f"{group.logs:,}", where, group.cause.reason[:160], f"{group.log}, {group.cause.place}"))
    for line in output.table(rows, ("logs", "rule", "reason", "example"), right=(0,)):
        output.echo(f"  {line}")
    if len(groups) > _MAX_CAUSES:
        output.echo(f"  … and {len(groups) - _MAX_CAUSES} more causes")
