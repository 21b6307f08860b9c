"""`rulespec play`: a game on the terminal, with people and bots."""

from __future__ import annotations

import secrets
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from rulespec.bundles.place import whose
from rulespec.cli import output
from rulespec.cli.audience import is_of_seats, tell_seats
from rulespec.cli.flags import number_of_players, same_table, settings_flag, words_of
from rulespec.cli.people import split_names
from rulespec.cli.program_seats import Programs
from rulespec.cli.terminal_game import Chance, new_header
from rulespec.cli.terminal_table import TerminalTable
from rulespec.diagnostics.report import Report
from rulespec.documents.text_files import is_file
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import NativeLog, read_log
from rulespec.engine.logs.saved_game import SavedGame, SaveError
from rulespec.engine.replay.replay import named_ruleset, replay_native
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import may_hide


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    ref: str
    players: int | None
    bots: str
    names: str | None
    each: tuple[str, ...]
    seed: int | None
    redraw: bool
    settings: tuple[str, ...]
    log: Path | None
    ids: bool
    language: str | None
    explain: bool
    step: bool


@click.command("play")
@click.argument("ref", metavar="REF|LOG")
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players, if several are possible.")
@click.option(
    "--bots",
    metavar="K|BOTS",
    default="0",
    help="Number of last seats that play at random; or a bot such as flat:64 for all seats but the first; or a list.",
)
@click.option("--names", metavar="A,B,…", help="Names at the seats, clockwise.")
@click.option("--name", "each", multiple=True, metavar="NAME", help="The name at the next seat, any text; repeatable.")
@click.option("--seed", type=int, help="Seed for dice, cards and random bots.")
@click.option("--redraw", is_flag=True, help="Draw different random numbers after an undo; default: the same.")
@settings_flag
@click.option("--log", type=click.Path(path_type=Path), metavar="FILE", help="Save a log; continue it if it exists.")
@click.option("--ids", is_flag=True, help="Show ids, as files and logs write them, instead of titles.")
@click.option("--language", metavar="LANGUAGE", help="Show words in this language; default: the ruleset's own.")
@click.option("--explain", is_flag=True, help="After each move of a bot, show its estimates of the three best options.")
@click.option("--step", is_flag=True, help="After each move, show its effects, statement by statement.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Play a game of the ruleset REF at the terminal, or continue the saved game LOG under the rules that it carries.

    Example: rulespec play imperial --players 3 --bots 2 --log game.jsonl
    """
    r = _Request(**values)
    log, ruleset, players = _opened(r.ref, r.log, r.players)
    if whose(ruleset):
        output.echo(whose(ruleset))
    words = words_of(ruleset, r.language, "id" if r.ids else "title")
    named = split_names(r.names, r.each)
    players = number_of_players(ruleset, players or len(named) or None)
    seats = named or seat_names(players, ruleset.seats)
    if len(seats) != players:
        raise click.BadParameter(f"{len(seats)} names for {players} seats", param_hint="--names")
    if any("\ud800" <= char <= "\udfff" for name in seats for char in name):
        raise click.BadParameter("a name is not valid UTF-8", param_hint="--names")
    chosen = output.key_values(r.settings)
    if may_hide(ruleset):
        tell_seats(
            str(log or ""),
            f"run `rulespec replay {log}` to see it"
            if log
            else "save the game with --log FILE, and run `rulespec replay FILE` to see it",
        )
    seed = secrets.randbelow(10**9) if r.seed is None else r.seed
    programs = Programs.of(r.bots, players, Chance(seed, redraw=r.redraw))
    try:
        # A new game starts before anything is written.
        game = _started(ruleset, seats, chosen) if log is None or not log.exists() else None
        secret = game is None or game.omniscient.secretive
        with nullcontext() if log is None else SavedGame(log, secret=secret, lenient=is_of_seats()) as saved:
            if saved is not None and saved.log is not None:
                game = resumed(saved.log, ruleset, players, chosen)
            game = game or _started(ruleset, seats, chosen)
            if saved is not None:
                _save(saved, game)
            # The seed reveals all dice, cards and random players: with secrets, it is not printed.
            note = f"seed {seed} · " if r.seed is not None or not game.omniscient.secretive else ""
            output.echo(f"{words.game} {ruleset.version} · {', '.join(game.shown_names.values())} · {note}`?` for help")
            code = TerminalTable(words, game, programs, saved, explained=r.explain, steps=r.step).play()
    except RulesetFaultError as fault:
        output.show([fault.diagnostic], ruleset.sources)
        code = output.PROBLEMS
    except SaveError as error:
        output.echo(output.style(f"not saved: {error}", err=True, fg="red"), err=True)
        code = output.UNUSABLE
    ctx.exit(code)


def _opened(ref: str, log: Path | None, players: int | None) -> tuple[Path | None, typed.Ruleset, int | None]:
    """The log, the ruleset and the number of players, taken from a saved game if `ref` is one."""
    from rulespec.load import load_ruleset

    path = Path(ref)
    if not is_file(path):
        return log, load_ruleset(ref), players
    if log is not None:
        raise click.UsageError(f"{ref} is a saved game, and continues in its own file: omit --log")
    native = read_log(path, lenient=True)
    return path, named_ruleset(native), players or len(native.header.seats)


def _save(saved: SavedGame, game: Game) -> None:
    """Starts the file of a new game; with secrets, a resumed file becomes readable only by its owner as well."""
    secret = game.omniscient.secretive
    if saved.log is None and saved.begin(new_header(game), secret=secret):
        output.echo(f"{saved.path}: its first line was torn, and has been rewritten")
    elif secret:
        saved.keep_secret()


def _started(ruleset: typed.Ruleset, seats: tuple[str, ...], settings: dict[str, str]) -> Game:
    """A new game, at its first decision."""
    game = Game(ruleset, seats, settings)
    game.omniscient.numbers.begin()
    return game


def resumed(log: NativeLog, ruleset: typed.Ruleset, players: int, settings: dict[str, str]) -> Game:
    """The game at the end of a native log, which must match the ruleset, players and settings of the command line."""
    same_table(log.file, log.header, ruleset, players, settings)
    report = Report()
    result = replay_native(log, ruleset, report=report)
    output.show(report.diagnostics)
    if (outcome := result.divergence) is not None:
        way = f"run `rulespec replay {log.file}`"
        if is_of_seats():  # secret choices are not quoted
            raise click.UsageError(f"{log.file} breaks a rule before its end: {way} to see why")
        what = f"`{outcome.action.get('option', 'undo')}` is refused: {outcome.refusal}"
        raise click.UsageError(f"{log.file} breaks a rule at {outcome.place}: {what}; {way} for the details")
    output.echo(f"{log.file}: continues after {output.counted(result.game.ply, 'decision')}")
    return result.game
