"""`rulespec log`: what a seat has seen of a recorded game, and whether what it was given before agrees with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulespec.cli import output
from rulespec.cli.audience import tell_seats
from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.documents.json_text import to_json_text
from rulespec.typed.reserved import PUBLIC

if TYPE_CHECKING:
    from rulespec.engine.logs.checked import SeatLog
    from rulespec.engine.logs.native import NativeLog
    from rulespec.engine.replay.replay import ReplayResult


@click.command("log")
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.option("--for", "seat", metavar="SEAT", required=True, help="A seat of the game; `public`: what all seats see.")
@click.option(
    "--check", "earlier", type=click.Path(path_type=Path), metavar="FILE", help="Compare what SEAT was given before."
)
@click.option("--rules", metavar="REF", help="The ruleset; default: that of the log.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Write it there; secrets for its owner alone."
)
@click.pass_context
def command(
    ctx: click.Context, log: Path, seat: str, earlier: Path | None, rules: str | None, out: Path | None
) -> None:
    """Print the recorded game LOG as a seat has seen it, or check what the seat was given before.

    Arguments that the seat does not see are `?`; choices of a round that is open are sealed. The last line has what the
    seat remembers. With --check, LOG is the whole log, or a later one for the same seat: each seal has to fit the
    choice that LOG opens, and all else has to be the same. A seat does not see the mistakes of LOG.

    Example: rulespec log game.jsonl --for Ann --out ann.jsonl; rulespec log game.jsonl --for Ann --check ann.jsonl
    """
    own = "" if earlier is None or _is_same(log, earlier) else str(earlier)
    tell_seats(str(log), f"`rulespec replay {log}` shows it", own)
    if earlier is not None:
        if out is not None:
            raise click.UsageError("--out does not go with --check: nothing is written")
        ctx.exit(_check(log, seat, earlier, rules))
    from rulespec.engine.logs.seat_log import seat_log

    report = Report()
    native, result = _replayed(log, rules, report)
    viewer = _viewer(seat, native.header.seats)
    _warn_of_no_salt(native, result, report)
    output.show(report.diagnostics)
    lines = [to_json_text(line, plain=True) for line in seat_log(result.game, viewer)]
    if out is None:
        for line in lines:
            output.echo(line)
        return
    with output.written(out, secret=viewer is not None and result.game.omniscient.watcher.secretive) as file:
        file.write("\n".join(lines) + "\n")
    output.echo(f"written: {out}")


def _viewer(seat: str, seats: tuple[str, ...]) -> str | None:
    """The seat that looks; None for all of them together."""
    if seat not in (*seats, PUBLIC):
        raise click.BadParameter(f"the seats are {', '.join(seats)}; `public` is what all see", param_hint="--for")
    return seat if seat in seats else None


def _replayed(log: Path, rules: str | None, report: Report) -> tuple[NativeLog, ReplayResult]:
    from rulespec.engine.logs.native import read_log
    from rulespec.engine.replay.replay import named_ruleset, replay_native
    from rulespec.load import load_ruleset

    native = read_log(log, lenient=True)
    result = replay_native(native, load_ruleset(rules) if rules is not None else named_ruleset(native), report=report)
    if result.divergence is not None:
        tells = f"`rulespec replay {log}` tells why"
        if not result.game.omniscient.watcher.secretive:
            raise click.UsageError(f"{log} is not legal from {result.divergence.place} on: {tells}")
        legal = output.counted(result.game.ply, "decision")
        raise click.UsageError(f"{log} is legal for {legal} only, not to its end: {tells}")
    return native, result


def _warn_of_no_salt(native: NativeLog, result: ReplayResult, report: Report) -> None:
    """Warns of choices of the open round that have no salt in the log: nobody can check their seals later."""
    from rulespec.engine.logs.log_file import standing
    from rulespec.engine.logs.sealed import pending

    open_ = [step for step in pending(result.game) if not step.salt]
    if not open_:
        return
    line = result.places[standing(result.moves)[-len(open_)]]
    entry = next(entry for entry in native.entries if entry.line == line)
    message = "this choice has no salt in the log, so its seal is made up now, and nobody can check it later"
    help_ = "`rulespec replay LOG --out FILE` writes the log with salts; print the logs for seats from that"
    report.warning("RS627", message, native.span(entry, entry.option), help=help_)


def _check(log: Path, seat: str, earlier: Path, rules: str | None) -> int:
    from rulespec.engine.logs.checked import agrees, agrees_with_game, is_seat_log, read_seat_log
    from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, read_log_text

    given, later, report = read_seat_log(earlier), None, Report()
    _must_be_for(seat, given)
    if is_seat_log(read_log_text(log, str(log), MAX_NATIVE_BYTES, lenient=True)[0]):
        later = read_seat_log(log)
        _must_be_for(seat, later)
    else:
        native, result = _replayed(log, rules, report)
        _viewer(seat, native.header.seats)
    output.show(report.diagnostics)
    try:
        found = agrees(given, later.header, later.lines) if later else agrees_with_game(given, result.game)
    except DiagnosticsError as error:
        output.show(error.diagnostics)
        return output.PROBLEMS
    sealed = f", {found.still_sealed} still sealed" if found.still_sealed else ""
    opened = f"{output.counted(found.opened, 'seal')} {'fits' if found.opened == 1 else 'fit'}"
    output.echo(f"{earlier} agrees with {log}: {output.counted(found.decisions, 'decision')}, {opened}{sealed}")
    return output.OK


def _is_same(log: Path, earlier: Path) -> bool:
    """Whether two paths lead to the same file."""
    try:
        return earlier.samefile(log)
    except (OSError, ValueError):  # reading it says what is wrong
        return False


def _must_be_for(seat: str, log: SeatLog) -> None:
    """Refuses the log of another seat: a comparison with it would tell what that one has seen.

    Raises:
        DiagnosticsError: RS632.
    """
    if log.header["for"] != seat:
        help_ = "each seat checks what it was given itself"
        raise failure("RS632", f"{log.file} is not a log for {shown(seat)}", None, help=help_)
