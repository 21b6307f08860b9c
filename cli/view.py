"""`rulespec view`: a page that steps through a recorded game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.bundles.place import whose
from rulespec.cli import output
from rulespec.cli.audience import tell_seats
from rulespec.cli.flags import LogPath
from rulespec.cli.seat_flags import viewer, viewer_flags
from rulespec.diagnostics.report import Report

if TYPE_CHECKING:
    from rulespec.engine.corpus.position_moves import MoveCounts
    from rulespec.engine.replay.replay import ReplayResult
    from rulespec.pages.study_parts import StudyParts


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    log: Path
    out: Path
    seat: str | None
    public: bool
    omniscient: bool
    rules: str | None
    dialect: str | None
    language: str | None
    until: int | None
    store: Path | None
    reasons: bool
    opinions: str | None


@click.command("view")
@click.argument("log", type=LogPath(), metavar="LOG")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", required=True, help="Write the page to this file."
)
@viewer_flags("Show the view of a seat (its id or name).", "Show the view shared by all seats; the default.")
@click.option("--omniscient", is_flag=True, help="Show everything.")
@click.option("--rules", metavar="REF", help="The ruleset; default: that of the log.")
@click.option("--dialect", metavar="ID", help="The dialect of a foreign log; default: recognised by its first entry.")
@click.option("--language", metavar="CODE", help="The language of the texts, such as `de`; default: the ruleset's.")
@click.option("--until", type=click.IntRange(0), metavar="N", help="Stop after N decisions (foreign log: N entries).")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="For a finished game: show the choices at each position in the games of this store.",
)
@click.option("--reasons", is_flag=True, help="Include the statements behind each change, with their numbers.")
@click.option("--opinions", metavar="BOT", help="Include a bot's opinion of each decision: `flat:256`, `mcts:500`.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Write a page that steps through the recorded game LOG: one self-contained file, which can be mailed.

    It shows the board, the moves with their rules, and charts of the ruleset's measures. Keys: arrows, Page Up, Page
    Down, Home, End. To link to move 51, append #51 to the address. A log that breaks a rule is shown up to that point,
    with the reason.
    The page omits the secrets of the game, unless --for or --omniscient includes them.

    With --opinions, each decision shows the bot's own choice and, if it differs, the loss by the bot's measure; the
    page lists the turning points. Each decision is judged from its seat's view. In a game with secrets, the page for a
    seat has opinions only on its own decisions.

    Example: rulespec view game.jsonl --out game.html

    Example: rulespec view game.jsonl --reasons --out game.html
    """
    r = _Request(**values)
    from rulespec.engine.replay.replay import replay_log
    from rulespec.pages.replay_page import replay_page

    if r.omniscient and (r.seat is not None or r.public):
        raise click.UsageError("--for and --public cannot be combined with --omniscient, which shows everything")
    viewed = viewer(r.seat, r.public or (r.seat is None and not r.omniscient))
    if not r.omniscient:
        tell_seats(str(r.log), "use `--omniscient` to see it")
    report = Report()
    lenient = not r.omniscient
    result = replay_log(r.log, rules=r.rules, dialect=r.dialect, until=r.until, report=report, lenient=lenient)
    output.show(report.diagnostics)
    if whose(result.game.ruleset):
        output.echo(whose(result.game.ruleset))
    note = Report()
    counts = _counts(r.store, result, omniscient=r.omniscient) if r.store is not None else None
    seat = viewed.seat(result.game.names)
    parts = _judged(result, seat, r) if r.opinions is not None else None
    page = replay_page(result, seat, r.language, note, counts, reasons=r.reasons, parts=parts)
    with output.written(r.out, secret=not viewed.public and result.game.omniscient.secretive) as file:
        file.write(page)
    output.show(note.diagnostics, result.game.ruleset.sources)
    output.echo(f"written: {r.out} ({len(page.encode(errors='replace')) / 1000:,.0f} KB)")
    if result.divergence is not None:
        output.echo("the log breaks a rule: the page opens there")
    ctx.exit(output.OK)


def _judged(result: ReplayResult, seat: str | None, r: _Request) -> StudyParts:
    """A bot's opinions on the decisions whose choices are visible to the reader.

    Raises:
        click.UsageError: if there are no such decisions, or the bot is unknown.
    """
    from rulespec.engine.bots.opinions import opinions
    from rulespec.engine.game.omniscient import OMNISCIENT
    from rulespec.engine.words.narrator import Narrator
    from rulespec.engine.words.words import Words
    from rulespec.errors import RulespecError
    from rulespec.pages.study_parts import StudyParts

    game, words = result.game, Words(result.game.ruleset, r.language)
    whole = seat == OMNISCIENT or not game.omniscient.secretive
    if not whole and seat is None:
        raise click.UsageError("--opinions needs --for or --omniscient in a game with secrets: options are secret too")
    seats = game.seats if whole else (seat or "",)
    try:
        judged = opinions(game, r.opinions or "", seats, lambda at, o: Narrator(words, at, seat).option(o))
    except RulespecError as error:
        raise click.BadParameter(str(error), param_hint="--opinions") from None
    return StudyParts(bot=r.opinions or "", opinions=tuple(judged))


def _counts(store: Path, result: ReplayResult, *, omniscient: bool) -> MoveCounts:
    """The counts of options chosen in a store at the positions of a log.

    Raises:
        click.UsageError: if they could reveal a secret: in an unfinished game, or without --omniscient.
        DiagnosticsError: as for `counted`.
    """
    from rulespec.engine.corpus.position_moves import counted
    from rulespec.pages.archive_rows import positions_of

    game = result.game
    if not game.is_over:
        raise click.UsageError("--store is for finished games: it reveals what others did at these positions")
    if game.omniscient.secretive and not omniscient:
        raise click.UsageError(
            "--store needs --omniscient in a game with secrets: positions are compared with all their secrets"
        )
    return counted(store, game, [int(each.hash, 16) for each in positions_of(game, result.moves)])
