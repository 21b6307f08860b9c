"""`rulespec draw`: the board of a ruleset, or a position in a recorded game, as SVG, PNG or PDF."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from rulespec.bundles.place import whose
from rulespec.cli import output
from rulespec.cli.audience import tell_seats
from rulespec.cli.flags import RefOrLog
from rulespec.cli.seat_flags import Viewer, viewer, viewer_flags
from rulespec.diagnostics.diagnostic import Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.folders import stamps
from rulespec.drawing.picture_files import PAPERS, Sheets
from rulespec.drawing.scene import Scene, to_svg
from rulespec.engine.game.game import Game
from rulespec.engine.game.views import View
from rulespec.load import load_ruleset
from rulespec.references import is_path, parts_of
from rulespec.typed import nodes as typed


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    what: str
    at: int | None
    seat: str | None
    public: bool
    rules: str | None
    players: int | None
    empty: bool
    language: str | None
    watch: bool
    out: Path | None
    paper: str | None
    tiles: bool


class _Target(Struct, frozen=True):
    """The output file of a picture.

    Attributes:
        path: the file, whose extension determines the format.
        sheets: the paper size and layout of a PDF.
        secret: whether only the owner may read the file.
    """

    path: Path
    sheets: Sheets
    secret: bool = False

    def __str__(self) -> str:
        return str(self.path)


@click.command("draw")
@click.argument("what", metavar="REF|LOG", type=RefOrLog())
@click.option(
    "--at", type=click.IntRange(0), metavar="N", help="Draw the position after N decisions; default: the last."
)
@viewer_flags(
    "Draw the view of a seat (its id or name); default: everything.",
    "Draw the view shared by all seats.",
)
@click.option("--rules", metavar="REF", help="The ruleset of a log; default: the one it names.")
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Draw REF as it starts with N players.")
@click.option("--empty", is_flag=True, help="Draw REF without pieces or tables.")
@click.option("--language", metavar="LANGUAGE", help="The language of titles; default: that of the ruleset.")
@click.option("--watch", is_flag=True, help="Draw the folder REF again whenever one of its files changes.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="The output: .svg, .png or .pdf; default: NAME.svg."
)
@click.option("--paper", type=click.Choice(list(PAPERS)), help="The paper size of a printed PDF; default: a4.")
@click.option("--tiles", is_flag=True, help="Spread the board over four sheets of that paper, to glue together.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Draw the board of the ruleset REF at the start of a game, or a position of the recorded game LOG.

    Your own folder is drawn even if it has mistakes: each of them is marked in red and listed beside the board, but not
    on a PDF of the --empty board, which is for printing and playing. The file `drawing.yaml` of a ruleset sets its
    style; without one, the drawing is a readable guess. The picture is self-contained: it needs no script, font or
    other file.

    Exit code: 0 drawn, 1 drawn with mistakes, 2 cannot be drawn.

    Example: rulespec draw imperial --out board.svg

    Example: rulespec draw ./my_map --watch

    Example: rulespec draw game.jsonl --at 50 --for Ann --out move_50.png

    Example: rulespec draw imperial --empty --paper a3
    """
    r = _Request(**values)
    path = Path(r.what)
    log = path if path.is_file() else None
    viewed = viewer(r.seat, r.public)
    own = log is None and is_path(parts_of(r.what)[0])
    if log is None and (r.at is not None or r.rules is not None):
        raise click.UsageError("--at and --rules need a recorded game")
    if log is not None and (r.players is not None or r.empty):
        raise click.UsageError("--players and --empty need a ruleset")
    if r.watch and not own:
        raise click.UsageError("--watch needs your own folder, such as ./my_map")
    out = _target(r)
    if log is not None:
        if not viewed.omniscient:
            tell_seats(str(log), "omit `--for` and `--public` to see it")
        game = _replayed(log, r.at, r.rules, lenient=not viewed.omniscient)
        secret = not viewed.public and game.omniscient.secretive
        ctx.exit(_draw(game.ruleset, _seen(game, viewed), r.language, replace(out, secret=secret)))
    if not own:
        ruleset = load_ruleset(r.what)
        ctx.exit(_draw(ruleset, _start(ruleset, r.players, r.empty, viewed), r.language, out))
    draft = partial(_draft, r.what, r.players, r.empty, viewed, r.language, out)
    ctx.exit(_watch(draft, [Path(part) for part in parts_of(r.what) if is_path(part)]) if r.watch else draft())


def _target(r: _Request) -> _Target:
    """The output file named by the flags; raises a usage error for incompatible ones."""
    printed = r.paper is not None or r.tiles
    name = Path(parts_of(r.what)[0]).name.partition(".")[0] or "board"
    path = r.out if r.out is not None else Path(f"{name}.{'pdf' if printed else 'svg'}")
    if path.suffix not in (".svg", ".png", ".pdf"):
        raise click.UsageError(f"{path} must end in .svg, .png or .pdf")
    if printed and path.suffix != ".pdf":
        raise click.UsageError(f"--paper and --tiles need a PDF, but {path} is not one")
    return _Target(path, Sheets(r.paper or "a4", r.tiles))


def _watch(draft: Callable[[], int], folders: list[Path]) -> int:
    """Draws again whenever files change, until Ctrl-C; returns the last exit code."""
    code = output.OK
    try:
        for _ in watched(folders):
            try:
                code = draft()
            except DiagnosticsError as error:  # such as for a missing folder, which may be back with the next change
                output.show(error.diagnostics)
                code = output.UNUSABLE
    except KeyboardInterrupt:  # the usual way to end it
        output.echo("", err=True)
    return code


def _replayed(log: Path, at: int | None, rules: str | None, *, lenient: bool) -> Game:
    """The game of a log at a position. A lenient read, for seats, stops at the first unreadable line."""
    from rulespec.engine.replay.replay import replay_log

    report = Report()
    result = replay_log(log, rules=rules, until=at, report=report, lenient=lenient)
    output.show(report.diagnostics)
    if whose(result.game.ruleset):
        output.echo(whose(result.game.ruleset))
    if result.divergence is not None and (at is None or result.game.ply < at):
        place = "before its end" if lenient else f"at {result.divergence.place}"  # seats have not seen what is undone
        output.echo(f"{log} breaks a rule {place}; drawing the position after {result.game.ply} decisions", err=True)
    elif at is not None and result.game.ply < at and not result.foreign:
        output.echo(
            f"{log} has only {output.counted(result.game.ply, 'decision')}: drawing the last position", err=True
        )
    return result.game


def _start(ruleset: typed.Ruleset, players: int | None, empty: bool, viewed: Viewer) -> Game | View | None:
    """A new game, or None for the board without pieces."""
    from rulespec.engine.game.machines import first_machine
    from rulespec.engine.game.seating import seat_names

    if empty:
        return None
    number = players if players is not None else ruleset.declarations.min_players
    return _seen(Game(ruleset, seat_names(number, ruleset.seats), backend=first_machine), viewed)


def _seen(game: Game, viewed: Viewer) -> Game | View:
    return game if viewed.omniscient else game.view(viewed.seat(game.names))


def _draw(ruleset: typed.Ruleset, position: Game | View | None, language: str | None, out: _Target) -> int:
    """Draws a position; returns the exit code."""
    from rulespec.drawing.board import board
    from rulespec.drawing.drawing_file import read_drawing
    from rulespec.engine.words.words import Words

    report = Report()
    style = read_drawing(ruleset, report)
    output.show(report.diagnostics)
    if not report.ok:
        return output.UNUSABLE
    _write(board(ruleset, position, Words(ruleset, language), style), out)
    return output.OK


def _draft(ref: str, players: int | None, empty: bool, viewed: Viewer, language: str | None, out: _Target) -> int:
    """Draws a ruleset that may have errors; returns the exit code."""
    from rulespec.drawing.author import draft

    result = draft(ref, marks=not (empty and out.path.suffix == ".pdf"))  # a printed board is for playing
    output.show(result.diagnostics, result.sources)
    if result.scene is not None:
        _write(result.scene, out)
    elif result.ruleset is not None:
        return _first(result.ruleset, partial(_start, result.ruleset, players, empty, viewed), language, out)
    else:
        output.echo(f"{out} is not drawn: the files of {ref} cannot be read", err=True)
        return output.UNUSABLE
    return output.PROBLEMS if any(d.severity is Severity.ERROR for d in result.diagnostics) else output.OK


def _first(ruleset: typed.Ruleset, start: Callable[[], Game | View | None], language: str | None, out: _Target) -> int:
    """Draws the start of a game, or the board with the fault that prevents a start; returns the exit code."""
    from rulespec.drawing.author import with_mistakes
    from rulespec.drawing.board import board
    from rulespec.engine.game.option import RulesetFaultError
    from rulespec.engine.words.words import Words

    try:
        scene = board(ruleset, start(), Words(ruleset, language))
    except RulesetFaultError as error:
        output.show([error.diagnostic], dict(ruleset.sources))
        _write(with_mistakes(ruleset, [error.diagnostic]), out)
        return output.PROBLEMS
    _write(scene, out)
    return output.OK


def _write(scene: Scene, out: _Target) -> None:
    if out.path.suffix == ".png":
        from rulespec.drawing.picture_files import to_png

        picture = to_png(scene)
    elif out.path.suffix == ".pdf":
        from rulespec.drawing.picture_files import to_pdf

        picture = to_pdf(scene, out.sheets)
    else:
        picture = (to_svg(scene) + "\n").encode(errors="backslashreplace")
    with output.written(out.path, secret=out.secret) as file:
        file.buffer.write(picture)
    output.echo(f"written: {out} ({_size(scene, out)})")


def _size(scene: Scene, out: _Target) -> str:
    """The size of a picture as text: its sheets, or its width and height in points."""
    if out.path.suffix != ".pdf":
        return f"{scene.width:.0f} by {scene.height:.0f}"
    return f"four sheets of {out.sheets.paper}" if out.sheets.tiles else f"a sheet of {out.sheets.paper}"


PAUSE = 0.4
"""Seconds between two checks."""


def watched(
    folders: Sequence[Path], rounds: int | None = None, sleep: Callable[[float], None] = time.sleep
) -> Iterator[None]:
    """Yields immediately and then after each change of a ruleset file, until interrupted.

    Args:
        folders: folders or files.
        rounds: the maximum number of checks; None means unlimited.
        sleep: the function that waits for a number of seconds.
    """
    before = stamps(folders)
    yield
    done = 0
    while rounds is None or done < rounds:
        sleep(PAUSE)
        done += 1
        now = stamps(folders)
        if now != before:
            before = now
            yield
