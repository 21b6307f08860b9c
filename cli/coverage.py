"""`rulespec coverage`: the parts of a ruleset's rules that its scenarios and recorded games execute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.coverage_page import heading, page, percentage, rule_state
from rulespec.cli.flags import Finite, LogPath
from rulespec.cli.simulate import seat_counts
from rulespec.diagnostics.diagnostic import escaped, shown
from rulespec.diagnostics.report import Report
from rulespec.documents.json_text import to_json_text
from rulespec.documents.text_files import broken_link
from rulespec.references import parts_of

if TYPE_CHECKING:  # usage errors do not need these
    from rulespec.engine.coverage.coverage_report import CoverageReport
    from rulespec.engine.coverage.trace import CoverageTracer, Trace

_RULESETS = 16  # maximum number of rulesets in memory


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    ref: str
    paths: tuple[Path, ...]
    playouts: int | None
    players: str | None
    seed: int
    overlays: bool
    under: str | None
    format_: str
    out: Path | None
    fail_under: float


@click.command("coverage")
@click.argument("ref")
@click.argument("paths", nargs=-1, type=LogPath())
@click.option("--playouts", type=click.IntRange(1, 100_000), metavar="N", help="Run N random games.")
@click.option(
    "--players", metavar="N", help="Numbers of players in random games, such as 4 or 2-6; default: all that REF allows."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same random games.")
@click.option("--overlays", is_flag=True, help="Also run the tests of the ruleset with each of its overlays.")
@click.option(
    "--under",
    metavar="REF",
    help="Judge the logs in PATHS… under these rules, and measure only the lines that are new in them.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json", "html"]), default="text", help="Output format.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the report to this file."
)
@click.option(
    "--fail-under",
    type=Finite(0, 100),
    default=0.0,
    metavar="PCT",
    help="Exit with 1 if less than PCT % is run or explained.",
)
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Measure which rules of REF are run: definitions, procedures, options, conditions, branches, and rules by id.

    Runs the scenario files and logs in PATHS…, random games with --playouts, or by default the tests of `rulespec
    test`, and measures the files of the ruleset's own folder and of its overlays. With --under, it replays the logs
    under other rules instead (+OVERLAY is REF with that overlay), and counts only the lines that are new in these
    rules, up to the first decision that they refuse. Exit code: 0 measured, 1 a test fails, a reason in rules.yaml is
    outdated, or too little is run, 2 something cannot be read, or there are no rules to measure.

    Example: rulespec coverage imperial --overlays --format html --out coverage.html
    """
    r = _Request(**values)
    from rulespec.engine.coverage.coverage_report import CoverageReport, has_own_rules
    from rulespec.engine.coverage.trace import Coverage
    from rulespec.load import load_ruleset

    if r.overlays and (len(parts_of(r.ref)) > 1 or r.paths or r.playouts):
        raise click.UsageError("--overlays cannot be combined with overlays in REF, with PATHS or with --playouts")
    if r.under is not None and (r.overlays or r.playouts or not r.paths):
        raise click.UsageError("--under needs logs in PATHS, and cannot be combined with --overlays or --playouts")
    for path in r.paths:
        if not (path.is_file() or (r.under is not None and path.is_dir())):
            raise click.UsageError(f"{shown(str(path))} {broken_link(path) or 'is not a file'}")
    counts = seat_counts(r.players) if r.players is not None else []
    report, coverage = Report(), Coverage()
    ruleset = load_ruleset(r.ref)
    files: set[str] | None = None
    if r.under is not None:
        other = load_ruleset(f"{r.ref}{r.under}" if r.under.startswith("+") else r.under)
        files = other.sources.keys() - ruleset.sources.keys()
        if not any(name.endswith(".rules") for name in files):
            raise click.UsageError(f"`{r.under}` has no rules beyond those of `{r.ref}`")
        coverage.trace(other)
        for trace in _judged(r.paths, r.under):
            coverage.add(trace)
    else:
        offered = ruleset.offered if r.overlays else ()
        rulesets = [ruleset, *(load_ruleset(f"{r.ref}+{name}") for name in offered)]
        if not has_own_rules(rulesets):
            raise click.UsageError(
                f"`{r.ref}` has no rules of its own to measure; the rulesets that it extends are measured separately"
            )
        for each in rulesets:
            for trace in _traces(coverage.trace(each), r.paths, r.playouts, counts, r.seed, report):
                coverage.add(trace)
    result = CoverageReport(coverage, report, files)
    if not result.whole.outcomes:
        raise click.UsageError(f"there is nothing to run in the rules of `{r.under or r.ref}`")
    _write(result, r.format_, r.out)
    output.show(report.diagnostics)
    sound = report.ok and not report.diagnostics and not any(t.error for t in coverage.tests)
    ctx.exit(output.OK if sound and result.whole.percent >= r.fail_under else output.PROBLEMS)


def _traces(
    tracer: CoverageTracer,
    paths: Sequence[Path],
    playouts: int | None,
    players: Sequence[int],
    seed: int,
    report: Report,
) -> Iterator[Trace]:
    from rulespec.engine.coverage.trace import trace_log, trace_playouts, trace_scenario, trace_suite
    from rulespec.engine.verify.scenario_files import load_scenarios

    for path in paths:
        if path.suffix == ".yaml":
            for scenario in load_scenarios(path, report):
                yield trace_scenario(tracer, scenario)
        else:
            yield trace_log(tracer, path)
    if playouts is not None:
        low, high = tracer.ruleset.players
        yield from trace_playouts(tracer, players or range(low, high + 1), playouts, seed)
    if not paths and playouts is None:
        yield from trace_suite(tracer, report)


def _judged(paths: Sequence[Path], under: str) -> Iterator[Trace]:
    """The traces of logs, including logs in folders, judged under other rules."""
    from rulespec.engine.coverage.trace import CoverageTracer, trace_judged
    from rulespec.engine.logs.samples import logs_in
    from rulespec.load import load_ruleset

    load, tracers = lru_cache(_RULESETS)(load_ruleset), dict[str, CoverageTracer]()
    for path in paths:
        for log in logs_in(path) if path.is_dir() else [path]:
            yield trace_judged(log, under, load, tracers)


def _write(report: CoverageReport, format_: str, out: Path | None) -> None:
    if format_ == "json":
        text = to_json_text(report.to_json(), plain=out is not None)
    elif format_ == "html":
        text = page(report)
    else:
        lines = _text(report, 0 if out is not None else output.width(), colored=out is None)
        if out is None:
            for line in lines:
                output.echo(line)
            return
        text = "\n".join(map(escaped, lines))
    if out is None:
        click.echo(text)
        return
    with output.written(out) as file:
        file.write(text + "\n")


# --- text ----------------------------------------------------------------------------------------


def _text(report: CoverageReport, width: int, *, colored: bool) -> Iterator[str]:
    def styled(text: str, **how: Any) -> str:
        return output.style(text, **how) if colored else text

    def cut(text: str) -> str:
        return text if not width or len(text) <= width else text[: width - 1] + "…"

    yield styled(heading(report.coverage), bold=True)
    yield from (styled(cut(f"fails: {t.id}: {t.error}"), fg="red") for t in report.coverage.tests if t.error)
    yield from (styled(cut(f"stops: {t.id}: {t.end}"), fg="yellow") for t in report.coverage.tests if t.end)
    for title, totals in (("", report.totals), ("file", report.by_file)):
        yield ""
        rows = [(name, t.run, t.outcomes, t.explained, percentage(t)) for name, t in totals.items()]
        yield from output.table(rows, (title, "run", "of", "explained", "%"), right=(1, 2, 3, 4))
    for title, explained in (("not run", False), ("not run, with a reason", True)):
        gaps = [g for g in report.gaps if bool(g.reason) is explained and not g.implied]
        if gaps:
            yield ""
            yield styled(title, bold=True)
            notes = [(f"{g.span.file}:{g.span.line}", f"{g.item.name}: {g.outcome}", report.line(g.span)) for g in gaps]
            for line, gap in zip(output.table(notes), gaps, strict=True):
                yield cut(line)
                if gap.reason:
                    yield cut(f"    {gap.reason}")
    unproved = [r for r in report.rules if not r.proved_by]
    if unproved:
        yield ""
        yield styled("rules not run by any scenario that cites them", bold=True)
        states = [(r.rule.id, rule_state(r), r.reason or r.rule.text) for r in unproved]
        yield from (cut(line) for line in output.table(states))
    yield ""
    yield f"{percentage(report.whole)} % run or explained"
