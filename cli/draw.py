"""`rulespec draw`: the board of a ruleset, or a position of a recorded game, as SVG or PNG."""

from __future__ import annotations

from pathlib import Path

import click

from rulespec.cli import output
from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.views import View
from rulespec.typed import nodes as typed

PUBLIC = "public"


@click.command("draw")
@click.argument("what", metavar="REF|LOG")
@click.option("--at", type=click.IntRange(0), metavar="N", help="The position after N decisions; default: the last.")
@click.option("--for", "seat", metavar="SEAT", help="What this seat sees; `public`: what all seats see; default: all.")
@click.option("--rules", metavar="REF", help="The ruleset of a log; default: the one that it names.")
@click.option("--players", type=click.IntRange(1), metavar="N", help="Draw REF as it starts with N players.")
@click.option("--empty", is_flag=True, help="Draw REF without pieces.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="x.svg or x.png; default: NAME.svg.")
@click.pass_context
def command(
    ctx: click.Context,
    what: str,
    at: int | None,
    seat: str | None,
    rules: str | None,
    players: int | None,
    empty: bool,
    out: Path | None,
) -> None:
    """Draw the board of the ruleset REF as a game begins, or a position of the recorded game LOG.

    How it is drawn is said in the file `drawing.yaml` of the ruleset; without one, the drawing is a guess that can be
    read. The picture needs nothing else: no script, no font, nothing from elsewhere.

    Example: rulespec draw imperial --out board.svg
    Example: rulespec draw game.jsonl --at 50 --for Ann --out move_50.png
    """
    path = Path(what)
    log = path if path.is_file() else None
    if log is None and (at is not None or rules is not None):
        raise click.UsageError("--at and --rules go with a recorded game")
    if log is not None and (players is not None or empty):
        raise click.UsageError("--players and --empty go with a ruleset")
    out = out if out is not None else Path(f"{path.name.partition('.')[0] or 'board'}.svg")
    if out.suffix not in (".svg", ".png"):
        raise click.UsageError(f"{out} is neither .svg nor .png")
    position: Game | View | None
    if log is not None:
        game = _replayed(log, at, rules)
        ruleset, position = game.ruleset, _seen(game, seat)
    else:
        ruleset, position = _start(what, players, empty, seat)
    _draw(ruleset, position, out)


def _replayed(log: Path, at: int | None, rules: str | None) -> Game:
    """The game of a log, at a position."""
    from rulespec.engine.replay.replay import replay_log

    report = Report()
    result = replay_log(log, rules=rules, until=at, report=report)
    output.show(report.diagnostics)
    if result.divergence is not None and (at is None or result.game.ply < at):
        output.echo(f"{log} is not legal to its end; drawn is the position after {result.game.ply} decisions", err=True)
    elif at is not None and result.game.ply < at and not result.foreign:
        output.echo(f"{log} has {output.counted(result.game.ply, 'decision')}: drawn is the last", err=True)
    return result.game


def _start(ref: str, players: int | None, empty: bool, seat: str | None) -> tuple[typed.Ruleset, Game | View | None]:
    """A ruleset, and a game of it that begins."""
    from rulespec.engine.game.seating import seat_names
    from rulespec.load import load_ruleset

    ruleset = load_ruleset(ref)
    if empty:
        return ruleset, None
    number = players if players is not None else ruleset.declarations.min_players
    game = Game(ruleset, seat_names(number, ruleset.seats))
    return ruleset, _seen(game, seat)


def _seen(game: Game, seat: str | None) -> Game | View:
    if seat is None:
        return game
    if seat not in (*game.seats, PUBLIC):
        raise click.BadParameter(f"the seats are {', '.join(game.seats)}; `public` is what all see", param_hint="--for")
    return game.view(seat if seat in game.seats else None)


def _draw(ruleset: typed.Ruleset, position: Game | View | None, out: Path) -> None:
    """Writes the picture of a position."""
    from rulespec.drawing.board import board
    from rulespec.drawing.drawing_file import read_drawing
    from rulespec.drawing.scene import to_svg

    report = Report()
    read_drawing(ruleset, report)
    output.show(report.diagnostics)
    if not report.ok:
        raise click.exceptions.Exit(output.UNUSABLE)
    scene = board(ruleset, position)
    if out.suffix == ".png":
        from rulespec.drawing.png import to_png

        picture = to_png(scene)
        try:
            out.write_bytes(picture)
        except OSError as error:
            raise output.unwritten(out, error) from None
    else:
        with output.written(out) as file:
            file.write(to_svg(scene) + "\n")
    output.echo(f"written: {out} ({scene.width:.0f} by {scene.height:.0f})")
