"""`rulespec replay`: replays recorded games up to the final standings, or up to the first illegal decision."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.bundles.place import whose
from rulespec.cli import output
from rulespec.cli.audience import tell_seats
from rulespec.cli.flags import BackendChoice, LogPath, backend_errors, word_options, words_of
from rulespec.cli.replay_text import (
    Showing,
    ignored,
    known_fault,
    no_end,
    passed,
    seen_json,
    show,
    tell_moves,
    where,
)
from rulespec.cli.seat_flags import Viewer, viewer, viewer_flags
from rulespec.cli.workers_flags import check_workers, log_workers_flags
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.game import teams_of
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.logs.samples import TEXT_ENDINGS, is_container
from rulespec.engine.replay.other_result import other_result
from rulespec.engine.replay.replay import Load, ReplayRequest, ReplayResult, Trace
from rulespec.typed.seat_kinds import won_by

if TYPE_CHECKING:
    from rulespec.engine.verify.audit import Broken
    from rulespec.engine.words.words import Names, Words
    from rulespec.typed import nodes as typed

_NOT_UNDER = "--until, --moves, --at, --state, --check, --trace, --for and --public"
_OF_ONE = "--until, --moves, --from, --to, --at, --state, --check, --trace, --for and --public"


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    logs: tuple[Path, ...]
    rules: str | None
    under: str | None
    answer: str | None
    dialect: str | None
    past: bool
    until: int | None
    moves: bool
    first: int | None
    last: int | None
    at: int | None
    state: bool
    seat: str | None
    public: bool
    shown: Names
    language: str | None
    check: bool
    format_: str
    trace: Path | None
    out: Path | None
    backend: Backend
    jobs: int
    cluster: str
    every: int | None
    remarks: bool
    only: str


@click.command("replay")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=LogPath())
@click.option("--rules", metavar="REF", help="The ruleset to replay under; default: that of the log.")
@click.option(
    "--under",
    metavar="REF",
    help="Judge the games under these rules; +OVERLAY: the rules of the log with this overlay.",
)
@click.option(
    "--answer",
    type=click.Choice(["usual"]),
    help="With --under: give the usual answer to questions that only the other rules ask and the log leaves open.",
)
@click.option("--dialect", metavar="ID", help="The dialect of a foreign log; default: recognised by its first entry.")
@click.option(
    "--past-known-faults", "past", is_flag=True, help="Continue past known faults of a foreign system, and mark them."
)
@click.option("--until", type=click.IntRange(0), metavar="N", help="Stop after N decisions (foreign log: N entries).")
@click.option("--moves", is_flag=True, help="List the moves in words, each with its changes.")
@click.option("--from", "first", type=click.IntRange(1), metavar="N", help="With --moves: begin with move N.")
@click.option("--to", "last", type=click.IntRange(1), metavar="N", help="With --moves: end with move N.")
@click.option("--at", type=click.IntRange(0), metavar="N", help="Show the position after move N, and that move.")
@click.option("--state", is_flag=True, help="Also show the whole state.")
@viewer_flags("With --moves: as seen by this seat (its id or name).", "With --moves: as seen by all seats.")
@word_options
@click.option("--check", is_flag=True, help="Check all invariants after every decision.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.option(
    "--trace", type=click.Path(path_type=Path), metavar="FILE", help="Write the state after every step to this file."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the game as a native log; for many logs, write rows to FILE.jsonl or FOLDER.parquet, or continue them.",
)
@click.option(
    "--over-time",
    "every",
    type=click.IntRange(1),
    metavar="N",
    help="With rows: also write the measures after every N decisions.",
)
@click.option(
    "--only", metavar="PATTERN", default="", help="With many logs: only those whose names match, such as '*.json'."
)
@click.option("--remarks", is_flag=True, help="Keep the authors of a foreign log's chat, and the names in it.")
@log_workers_flags
@click.option(
    "--backend",
    type=BackendChoice(["auto", "wasm", "python", "interpreter"]),
    default="auto",
    help="The machine for the rules; auto: wasm for many games, if rulespec[wasm] is installed.",
)
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Replay the recorded games LOG…, native or of a known dialect: files, folders, globs, .tar and .zip archives.

    Prints the final standings, or the decision that breaks a rule, the rule, and the legal options; for several logs,
    one line each. With --moves, it also prints the moves in words, and with --check the first decision that breaks an
    invariant. Exit code: 0 all are legal and have their recorded end, 1 one is illegal, ends differently or breaks an
    invariant, 2 one cannot be read.

    With --under, prints the first decision that the other rules refuse, or the change in the result. A question asked
    only by the other rules gets the answer that leads to the recorded state, if there is one. Exit code: 0 all stay
    legal with the same winners, 1 something differs, 2 a log cannot be judged.

    For a folder, glob or archive, or several logs with --under or --out, the output has one row per log, the same for
    any --jobs or --cluster, and totals with causes and measures.

    Example: rulespec replay game.json --moves --from 50 --to 60
    """
    r = _Request(**values)
    viewed = viewer(r.seat, r.public)
    if not viewed.omniscient:  # from here on, output is restricted to the view of seats
        tell_seats(str(r.logs[0]), "omit `--for` and `--public` to see it")
    check_workers(r.jobs, r.cluster)
    many = _is_corpus(r)
    _check_usage(r, viewed, many)
    if many:
        ctx.exit(_replay_corpus(r))
    if r.under is not None:
        from rulespec.cli.replay_under import JudgementRequest, judge_log

        with backend_errors(r.backend):
            request = JudgementRequest(r.logs[0], r.under, r.rules, r.dialect, r.backend, r.answer == "usual")
            code = judge_log(request, r.format_, (r.language, r.shown))
        ctx.exit(code)
    showing, load = Showing(r.moves, r.first, r.last, r.at, r.state, viewed), _loader()
    with backend_errors(r.backend), ExitStack() as stack:
        write = _writer(stack.enter_context(output.written(r.trace, secret=True))) if r.trace is not None else None
        run = _Run(r, write, load, showing)
        codes = [run.replay(log) for log in r.logs]
        _echo_total(codes, r.format_)
    ctx.exit(max(codes))


def _is_corpus(r: _Request) -> bool:
    """Whether the logs are replayed as a corpus, with one row per log."""
    several = len(r.logs) > 1 and (r.under is not None or r.out is not None)
    rows = r.out is not None and (r.out.suffix == ".parquet" or r.under is not None)
    if several or rows or r.jobs != 1 or r.cluster or r.every is not None or r.only:
        return True
    if any(is_container(str(log)) for log in r.logs):
        return True
    return any(log.name.endswith(TEXT_ENDINGS) and _holds_several(log) for log in r.logs)


def _holds_several(log: Path) -> bool:
    from rulespec.engine.corpus.logs import holds_several  # lazily: most logs hold one game

    return holds_several(log)


def _replay_corpus(r: _Request) -> int:
    from rulespec.cli.replay_corpus import CorpusRequest, replay_corpus
    from rulespec.engine.corpus.replays import ReplayPlan

    usual = r.answer == "usual"
    plan = ReplayPlan(r.rules, r.under, (), r.dialect, r.past, usual, r.every or 0, r.backend)
    return replay_corpus(CorpusRequest(r.logs, plan, r.jobs, r.cluster, r.out, r.format_, r.only))


def _check_corpus_usage(r: _Request, viewed: Viewer) -> None:
    """Rejects flags for single games."""
    one = r.check or r.trace is not None or r.moves or r.state or r.until is not None or r.at is not None
    if one or not viewed.omniscient or r.first is not None or r.last is not None:
        raise click.UsageError(f"many logs, --jobs, --cluster and --over-time cannot be combined with {_OF_ONE}")


def _check_usage(r: _Request, viewed: Viewer, many: bool) -> None:
    """Rejects incompatible flags."""
    if many:
        _check_corpus_usage(r, viewed)
    whole = r.check or r.trace is not None or (r.out is not None and not many)
    if whole and not viewed.omniscient:
        raise click.UsageError(
            "--for and --public cannot be combined with --check, --trace and --out, which reveal the whole game"
        )
    if r.past and (r.rules is not None or r.under is not None):
        raise click.UsageError("--past-known-faults needs the rules of the dialect: omit --rules and --under")
    if r.under is not None:
        if whole or r.moves or r.state or r.until is not None or r.at is not None or not viewed.omniscient:
            raise click.UsageError(f"--under cannot be combined with {_NOT_UNDER}")
        return
    if r.answer is not None:
        raise click.UsageError("--answer needs --under")
    if len(r.logs) > 1 and ((r.out is not None and not many) or r.moves or r.at is not None or r.state):
        raise click.UsageError("--out, --moves, --at and --state take one log at a time")
    if not r.moves and (r.first is not None or r.last is not None or not viewed.omniscient):
        raise click.UsageError("--from, --to, --for and --public need --moves")
    if r.at is not None and (r.moves or r.until is not None):
        raise click.UsageError("--at cannot be combined with --moves and --until")


def _echo_total(codes: list[int], format_: str) -> None:
    """Prints the number of legal logs."""
    if len(codes) > 1 and format_ == "text":
        output.echo(_total(codes))


def _loader() -> Load:
    """A memoized loader of rulesets, as several logs usually have the same one."""
    from rulespec.load import load_ruleset

    return cache(load_ruleset)


class _Run(Struct, frozen=True):
    """A run of the command: its request, and the parts shared by its logs."""

    request: _Request
    write: Trace | None
    load: Load
    showing: Showing

    @property
    def many(self) -> bool:
        """Whether several logs are printed, on one line each."""
        return len(self.request.logs) > 1

    def replay(self, log: Path) -> int:
        """Replays and prints one log; returns the exit code."""
        result = self._result(log)
        if result is None:
            if self.many and self.request.format_ == "text":
                output.echo(f"{log}: {output.style('cannot be read', fg='red')}")
            return output.UNUSABLE
        self.showing.viewer.seat(result.game.names)  # raises an error if there is no such seat
        broken = None
        if self.request.check:
            from rulespec.engine.verify.audit import first_broken  # lazily: most replays do not ask

            broken = first_broken(result)
        if self.request.out is not None:
            _write(result, self.request.out)
        ruleset = result.game.ruleset
        if self.request.format_ == "json":
            checked: dict[str, Any] = (
                {"broken": broken.to_json() if broken is not None else None} if self.request.check else {}
            )
            if self.showing.moves:
                words = self._words(ruleset)
                checked["moves"] = [move.to_json() for move in tell_moves(result, words, self.showing)]
            output.echo_json(seen_json(result, self.showing) | checked)
        elif self.many:
            output.echo(_line(result, self._words(ruleset)) + (f"; {_breaks(broken)}" if broken is not None else ""))
        else:
            show(result, self._words(ruleset), self.showing, stopped=self.request.until is not None)
            if broken is not None:
                _broken(broken)
        sound = result.divergence is None and broken is None and result.other_end is None
        return output.OK if sound else output.PROBLEMS

    def _words(self, ruleset: typed.Ruleset) -> Words:
        return words_of(ruleset, self.request.language, self.request.shown)

    def _result(self, log: Path) -> ReplayResult | None:
        """The replay of a log, after its diagnostics are printed; None if it cannot be read."""
        report, result = Report(), None
        try:
            result = ReplayRequest(
                log,
                rules=self.request.rules,
                dialect=self.request.dialect,
                until=self.request.until,
                backend=self.request.backend,
                trace=self.write,
                report=report,
                load=self.load,
                single_use=not self.many and not self.request.check,
                lenient=not self.showing.viewer.omniscient,
                past_known_faults=self.request.past,
                remarks=self.request.remarks,
            ).replay()
        except DiagnosticsError as error:
            report.extend(error.diagnostics)
        except RulesetFaultError as fault:
            report.add(fault.diagnostic)
        output.show(report.diagnostics)
        return result


def _writer(file: IO[str]) -> Trace:
    """A function that writes trace records as lines of JSON."""

    def write(record: dict[str, Any]) -> None:
        file.write(to_json_text(record) + "\n")

    return write


def _write(result: ReplayResult, path: Path) -> None:
    try:
        result.write_native(path)
    except (OSError, ValueError) as error:
        raise output.unwritten(path, error) from None


def _line(result: ReplayResult, words: Words) -> str:
    game, divergence = result.game, result.divergence
    head = f"{result.log}: {output.counted(game.ply, 'decision')}"
    if whose(game.ruleset):
        head += f" {whose(game.ruleset)}"
    if result.ignored:
        head += f" ({ignored(result)})"
    if result.passed:
        head += f", {output.style(passed(result), fg='yellow')}"
    if divergence is not None:
        known = f" ({known_fault(result, divergence)})" if divergence.known_fault else ""
        return f"{head}, {output.style('diverges', fg='red')} {where(divergence)}: {divergence.refusal.reason}{known}"
    if result.other_end is not None:
        head += f", {output.style('a different end than recorded', fg='red')}"
    head += no_end(result)
    ended, text = game.result, other_result(game, result.notes.header, words)
    tail = f" ({words.word('other_result', result=text)})" if text else ""
    if ended is None:
        return f"{head}, legal, goes on{tail}"
    return (
        f"{head}, {output.style('ended', fg='green')} ({words.ending(ended.ending)}), "
        f"won by {won_by(teams_of(game), game.shown_names, ended.winners)}{tail}"
    )


def _total(codes: list[int]) -> str:
    words = ((output.OK, "legal"), (output.PROBLEMS, "diverging"), (output.UNUSABLE, "unreadable"))
    parts = (f"{codes.count(code)} {word}" for code, word in words if code in codes)
    return f"{output.counted(len(codes), 'log')}: {', '.join(parts)}"


def _breaks(broken: Broken) -> str:
    parts = [("entry", broken.foreign_index), ("line", broken.line)]
    where = ", ".join(f"{name} {number}" for name, number in parts if number is not None) or "the start"
    return f"{output.style('breaks', fg='red')} at {where}: {broken.wrong.message}"


def _broken(broken: Broken) -> None:
    """Prints the move that breaks an invariant, with its changes."""
    from rulespec.cli.failing_game import MAX_SHOWN  # lazily: few games break an invariant
    from rulespec.engine.verify.shrink import move_text

    rows = [("action", move_text(broken.move) if broken.move is not None else "the start of the game")]
    rows += [("changed" if i == 0 else "", change) for i, change in enumerate(broken.changed)]
    rows += [("says", broken.wrong.label)] if broken.wrong.label else []
    rows += [("because" if i == 0 else "", line) for i, line in enumerate(broken.wrong.help.splitlines())]
    rows += [("written at", str(broken.wrong.span))] if broken.wrong.span else []
    output.echo()
    output.echo(_breaks(broken))
    for line in output.table(rows):
        output.echo(line)
    if broken.scenario and broken.index < MAX_SHOWN:
        output.echo()
        output.echo("as a scenario:")
        for line in broken.scenario.rstrip().split("\n"):
            output.echo(line)
