"""`rulespec log`: recorded games as a seat sees them, checks of seat logs, and logs with embedded rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.bundles.place import whose
from rulespec.cli import output
from rulespec.cli.audience import tell_seats
from rulespec.cli.flags import LogPath
from rulespec.cli.seat_flags import Viewer, viewer, viewer_flags
from rulespec.diagnostics.diagnostic import escaped, shown
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.documents.json_text import to_json_text

if TYPE_CHECKING:
    from rulespec.engine.logs.agreement import SeatLog
    from rulespec.engine.logs.native import NativeLog
    from rulespec.engine.replay.replay import ReplayResult


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    logs: tuple[Path, ...]
    seat: str | None
    public: bool
    earlier: Path | None
    bundle: bool
    beside: bool
    table: str | None
    rules: str | None
    out: Path | None
    as_: str | None


@click.command("log")
@click.argument("logs", type=LogPath(), metavar="LOG...", nargs=-1, required=True)
@viewer_flags("Print the part that a seat (its id or name) has seen.", "Print the part that all seats have seen.")
@click.option(
    "--check",
    "earlier",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with a log that SEAT received earlier.",
)
@click.option("--bundle", is_flag=True, help="Print the whole log with its rules.")
@click.option(
    "--bundle-beside", "beside", is_flag=True, help="Write the rules of the logs beside them, once per ruleset."
)
@click.option("--table", metavar="ID", help="Print the whole log of this table in a store that is not being served.")
@click.option("--rules", metavar="REF", help="The ruleset; default: that of the log.")
@click.option("--as", "as_", type=click.Choice(["pgn"]), help="Print the moves of the whole game as text.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the output there; a file with secrets is readable only by its owner.",
)
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Print the recorded game LOG as seen by a seat, check a seat's own log, or put the rules into LOG.

    Arguments hidden from the seat are `?`; choices of an open round are sealed. The last lines give the standing of the
    game for the seat, and the seat's memory. With --check, LOG is the whole log, or a later one for the same seat: each
    seal must fit the choice revealed in LOG, and everything else must be the same. Mistakes in LOG are hidden from a
    seat.

    With --bundle, the log carries the sources of its rules in its first line, so that it can be replayed anywhere, even
    after the ruleset has changed. With --bundle-beside, they are written to `rules/HASH` beside the logs.

    With --table, LOG is a store of `rulespec serve`, which stays unchanged: the log of a damaged table ends before the
    damage, and `rulespec serve` continues from there.

    With --as pgn, LOG may be of any known dialect: its moves, comments and tags are printed as text.

    Example: rulespec log game.jsonl --for Ann --out ann.jsonl; rulespec log game.jsonl --for Ann --check ann.jsonl

    Example: rulespec log game.jsonl --bundle --out whole.jsonl
    """
    r = _Request(**values)
    viewed = viewer(r.seat, r.public)
    _check_usage(r, viewed)
    if r.table is not None:
        from rulespec.cli.copied_log import print_table

        ctx.exit(print_table(r.logs[0], r.table, r.out))
    if r.as_ is not None:
        ctx.exit(_print_text(r.logs[0], r.rules, r.out))
    if viewed.omniscient:
        from rulespec.cli.copied_log import print_bundled, write_bundles

        ctx.exit(print_bundled(r.logs[0], r.rules, r.out) if r.bundle else write_bundles(r.logs, r.rules))
    log = r.logs[0]
    own = "" if r.earlier is None or _is_same(log, r.earlier) else str(r.earlier)
    tell_seats(str(log), f"run `rulespec replay {log}` to see it", own)
    if r.earlier is not None:
        ctx.exit(_check(log, viewed, r.earlier, r.rules))
    from rulespec.engine.logs.log_file import standing
    from rulespec.engine.logs.seat_log import seat_log

    report = Report()
    native, result = _replayed(log, r.rules, report)
    if whose(result.game.ruleset):
        output.echo(whose(result.game.ruleset), err=True)
    seen_by = viewed.seat(native.header.seats)
    _warn_of_no_salt(native, result, report)
    output.show(report.diagnostics)
    places = [result.places[number] for number in standing(result.moves)]
    lines = list(seat_log(result.game, seen_by, native, places))
    texts = [to_json_text(line, plain=True) for line in lines]
    if r.out is None:
        for line, text in zip(lines, texts, strict=True):
            as_it_is = escaped(text) == text and "##[" not in text  # otherwise the output would not be JSON
            output.echo(text if as_it_is else to_json_text(line))
        return
    with output.written(r.out, secret=not viewed.public and result.game.omniscient.secretive) as file:
        file.write("\n".join(texts) + "\n")
    output.echo(f"written: {r.out}")


def _check_usage(r: _Request, viewed: Viewer) -> None:
    """Rejects incompatible flags.

    Raises:
        UsageError: if flags are incompatible.
    """
    if (not viewed.omniscient) + r.bundle + r.beside + (r.table is not None) + (r.as_ is not None) != 1:
        raise click.UsageError(
            "give exactly one of --for SEAT, --public, --bundle, --bundle-beside, --table ID and --as pgn"
        )
    if viewed.omniscient and r.earlier is not None:
        raise click.UsageError("--check needs --for or --public")
    if r.table is not None and r.rules is not None:
        raise click.UsageError("--rules cannot be combined with --table: the store has the rules")
    if len(r.logs) > 1 and not r.beside:
        raise click.UsageError("only --bundle-beside takes several logs")
    if r.out is not None and (r.beside or r.earlier is not None):
        why = "the rules are written beside the logs" if r.beside else "nothing is written"
        raise click.UsageError(f"--out cannot be combined with {'--bundle-beside' if r.beside else '--check'}: {why}")


def _print_text(log: Path, rules: str | None, out: Path | None) -> int:
    """Prints or writes the moves of a game as text."""
    from rulespec.engine.dialects.written_games import as_pgn, text_dialect
    from rulespec.engine.logs.log_file import standing
    from rulespec.engine.replay.replay import ReplayRequest
    from rulespec.engine.replay.shown_variations import standing_variations

    report = Report()
    try:
        result = ReplayRequest(log, rules=rules, report=report, remarks=True).replay()
        if result.divergence is not None:
            way = f"run `rulespec replay {log}` to see why"
            raise click.UsageError(
                f"{log} breaks a rule after {output.counted(result.game.ply, 'legal decision')}: {way}"
            )
        places = [result.places[number] for number in standing(result.moves)]
        dialect = text_dialect(result.game.ruleset)
        text = as_pgn(result.game, dialect, result.notes, places, standing_variations(result))
    finally:
        output.show(report.diagnostics)
    if out is None:
        for line in text.splitlines():
            output.echo(line)
        return output.OK
    with output.written(out, secret=result.game.omniscient.secretive) as file:
        file.write(text)
    output.echo(f"written: {out}")
    return output.OK


def _replayed(log: Path, rules: str | None, report: Report) -> tuple[NativeLog, ReplayResult]:
    from rulespec.engine.logs.native import read_log
    from rulespec.engine.replay.replay import named_ruleset, replay_native
    from rulespec.load import load_ruleset

    native = read_log(log, lenient=True)
    result = replay_native(native, load_ruleset(rules) if rules is not None else named_ruleset(native), report=report)
    if result.divergence is not None:
        way = f"run `rulespec replay {log}` to see why"
        if not result.game.omniscient.secretive:
            raise click.UsageError(f"{log} breaks a rule at {result.divergence.place}: {way}")
        legal = output.counted(result.game.ply, "legal decision")
        raise click.UsageError(f"{log} breaks a rule after {legal}: {way}")
    return native, result


def _warn_of_no_salt(native: NativeLog, result: ReplayResult, report: Report) -> None:
    """Warns of choices in the open round without a salt in the log, as their seals cannot be checked later."""
    from rulespec.engine.logs.log_file import standing
    from rulespec.engine.logs.sealed import pending

    open_ = [step for step in pending(result.game) if not step.salt]
    if not open_:
        return
    line = result.places[standing(result.moves)[-len(open_)]]
    entry = next(entry for entry in native.entries if entry.line == line)
    message = "this choice has no salt in the log, so its seal is temporary and cannot be checked later"
    help_ = "add salts with `rulespec replay LOG --out FILE`, and print the logs for seats from FILE"
    report.warning("RS627", message, native.span(entry, entry.option), help=help_)


def _check(log: Path, viewed: Viewer, earlier: Path, rules: str | None) -> int:
    from rulespec.engine.logs.agreement import agrees, agrees_with_game, is_seat_log, read_seat_log
    from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, read_log_text

    source, later, report = read_seat_log(earlier), None, Report()
    _must_be_for(viewed, source)
    if is_seat_log(read_log_text(log, str(log), MAX_NATIVE_BYTES, lenient=True)[0]):
        later = read_seat_log(log)
        _must_be_for(viewed, later)
    else:
        native, result = _replayed(log, rules, report)
        viewed.seat(native.header.seats)
    output.show(report.diagnostics)
    try:
        outcome = agrees(source, later.header, later.lines) if later else agrees_with_game(source, result.game)
    except DiagnosticsError as error:
        output.show(error.diagnostics)
        return output.PROBLEMS
    sealed = f", {outcome.still_sealed} still sealed" if outcome.still_sealed else ""
    opened = f"{output.counted(outcome.opened, 'seal')} {'matches' if outcome.opened == 1 else 'match'}"
    output.echo(f"{earlier} agrees with {log}: {output.counted(outcome.decisions, 'decision')}, {opened}{sealed}")
    return output.OK


def _is_same(log: Path, earlier: Path) -> bool:
    """Whether two paths denote the same file."""
    try:
        return earlier.samefile(log)
    except (OSError, ValueError):  # reading the file reports the error
        return False


def _must_be_for(viewed: Viewer, log: SeatLog) -> None:
    """Rejects the log of another seat, as a comparison would reveal that seat's view.

    Raises:
        DiagnosticsError: RS632.
    """
    try:
        same = log.seat == viewed.seat(log.header["seats"])
    except click.BadParameter:  # the file may have other seats
        same = False
    if not same:
        whom = "all seats" if viewed.text is None else shown(viewed.text)
        help_ = "give --check the log that this viewer received earlier"
        raise failure("RS632", f"{log.file} is not a log for {whom}", None, help=help_)
