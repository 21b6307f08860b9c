"""`rulespec play`: a game at the terminal, of people and random players."""

from __future__ import annotations

import random
import secrets
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from itertools import islice
from pathlib import Path

import click
from msgspec.structs import replace

from rulespec.cli import output
from rulespec.cli.state_text import standings, state_lines
from rulespec.diagnostics.escape import escaped
from rulespec.diagnostics.report import Report
from rulespec.documents.json_text import to_json_text
from rulespec.documents.written_files import write_text
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Decision, Option, RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_diff import State, changes
from rulespec.engine.logs.native import LogHeader, NativeLog
from rulespec.engine.logs.saved_game import SavedGame, SaveError
from rulespec.engine.logs.seat_log import is_whole, seat_log
from rulespec.engine.replay.replay import replay_native
from rulespec.engine.simulate.playouts import CAP, choose
from rulespec.typed import nodes as typed

_LISTED = 40
_LISTED_ALL = 2_000
_CHANGES = 60
_HELP = """\
  NUMBER     take the option of that number        OPTION  take an option by its text, such as one of those shown;
  o          list all options, those out of turn             one that is not legal is explained, and changes nothing
             of others included                    s       show the whole state
  u          take back to your last decision       h       show the decisions so far
  w FILE     write the game as a native log        q       quit"""


@click.command("play")
@click.argument("ref")
@click.option("--players", type=click.IntRange(1, 100), metavar="N", required=True, help="Number of players.")
@click.option("--bots", type=click.IntRange(0, 100), metavar="K", default=0, help="The last K seats play at random.")
@click.option("--names", metavar="A,B,…", help="Names of the seats, clockwise.")
@click.option("--seed", type=int, help="Seed for dice, cards and random players.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the ruleset; repeatable.")
@click.option("--log", type=click.Path(path_type=Path), metavar="FILE", help="Save a log; continue it if it exists.")
@click.pass_context
def command(
    ctx: click.Context,
    ref: str,
    players: int,
    bots: int,
    names: str | None,
    seed: int | None,
    options: tuple[str, ...],
    log: Path | None,
) -> None:
    """Play a game of the ruleset REF at the terminal.

    Example: rulespec play imperial --players 3 --bots 2 --log game.jsonl
    """
    from rulespec.load import load_ruleset

    if bots > players:
        raise click.BadParameter(f"there are only {players} seats", param_hint="--bots")
    ruleset = load_ruleset(ref)
    seats = tuple(n.strip() for n in names.split(",")) if names else seat_names(players, ruleset.seats)
    if len(seats) != players:
        raise click.BadParameter(f"{len(seats)} names for {players} seats", param_hint="--names")
    if not all(map(str.isprintable, seats)):  # bytes that are no text would make an unreadable log
        raise click.BadParameter("a name has a character that cannot be printed", param_hint="--names")
    chosen = output.key_values(options)
    seed_given = seed is not None
    seed = secrets.randbelow(10**9) if seed is None else seed
    try:
        # A new game starts before anything is written.
        game = _started(ruleset, seats, chosen) if log is None or not log.exists() else None
        with nullcontext() if log is None else SavedGame(log) as saved:
            if saved is not None and saved.log is not None:
                game = _resumed(saved.log, ruleset, players, chosen)
            game = game or _started(ruleset, seats, chosen)
            new = saved if saved is not None and saved.log is None else None
            if new is not None and new.begin(LogHeader.of(game), secret=game.watcher.secretive):
                output.echo(f"{log}: its first line was torn, and is written again")
            # Who knows the seed knows all dice, cards and random players: where there are secrets, it is not told.
            told = f"seed {seed} · " if seed_given or not game.watcher.secretive else ""
            output.echo(f"{ruleset.title} {ruleset.version} · {', '.join(game.seats)} · {told}`?` for help")
            code = Table(game, frozenset(game.seats[players - bots :]), random.Random(seed), saved).play()
    except RulesetFaultError as fault:
        output.show([fault.diagnostic], ruleset.sources)
        code = output.PROBLEMS
    except SaveError as error:
        output.echo(output.style(f"not saved: {error}", err=True, fg="red"), err=True)
        code = output.UNUSABLE
    ctx.exit(code)


def _started(ruleset: typed.Ruleset, seats: tuple[str, ...], settings: dict[str, str]) -> Game:
    """A new game, at its first decision."""
    game = Game(ruleset, seats, settings)
    game.position.begin()
    return game


def _resumed(log: NativeLog, ruleset: typed.Ruleset, players: int, settings: dict[str, str]) -> Game:
    """The game of a native log, at its end, if it has the ruleset, players and settings of the command line."""
    header = log.header
    if header.ruleset != ruleset.ref:
        raise click.UsageError(f"{log.file} is a game of `{header.ruleset}`, not of `{ruleset.ref}`")
    if len(header.seats) != players:
        raise click.UsageError(f"{log.file} is a game of {len(header.seats)} players, not of {players}")
    for name, value in settings.items():
        if header.settings.get(name) != value:
            raise click.UsageError(f"{log.file} is a game with {name}={header.settings.get(name)}, not {name}={value}")
    report = Report()
    result = replay_native(log, ruleset, report=report)
    output.show(report.diagnostics)
    if result.divergence is not None:
        raise click.UsageError(f"{log.file} is not legal to its end: {result.divergence.refusal}")
    output.echo(f"{log.file}: goes on after {output.counted(result.game.ply, 'decision')}")
    return result.game


class Table:
    """A game, its random players, its file, and the state and the ply that each person saw last."""

    def __init__(self, game: Game, bots: frozenset[str], rng: random.Random, saved: SavedGame | None = None) -> None:
        self.game = game
        self.bots = bots
        self.rng = rng
        self.saved = saved
        self.seen: dict[str, tuple[State, int]] = {}

    def play(self) -> int:
        """Plays until the game is over or a person quits; returns the exit code.

        Raises:
            RulesetFaultError: if the rules are at fault before a person decides.
            SaveError: if a decision cannot be saved; then it does not count.
        """
        game = self.game
        unasked = 0
        while (decision := game.decision) is not None:
            seat = self.speaker(decision)
            if seat is None:
                unasked += 1
                if unasked > CAP:
                    message = f"given up: nobody has been asked for {CAP:,} decisions, and the game is not over"
                    output.echo(message, err=True)
                    return output.PROBLEMS
                # No interrupts: random ones would use the rights of people.
                option = choose(game, self.rng, interrupt_rate=0.0)
                if option is None:
                    output.echo(f"the rules are at fault: nothing is legal at the decision `{decision.name}`", err=True)
                    return output.PROBLEMS
                self.take(option)
            elif not self.ask(decision, seat):
                return output.OK
            else:
                unasked = 0
        result = game.result
        assert result is not None
        output.echo()
        output.echo(f"The game is over: {result.ending}")
        output.echo()
        for line in standings(game):
            output.echo(output.style(line, fg="green") if line.endswith("won") else line)
        return output.OK

    def take(self, option: Option) -> None:
        """Takes an option, and saves it before anybody sees it."""
        self.game.apply(option)
        if self.saved is not None:
            self.saved.add(option)

    # --- a person decides ----------------------------------------------------------------

    def speaker(self, decision: Decision) -> str | None:
        """The person who is asked: who decides or leads, else another one who may; None if no person may."""
        may = (decision.by, *decision.among)
        return next((seat for seat in may if seat is not None and seat not in self.bots), None)

    def ask(self, decision: Decision, seat: str) -> bool:
        """Lets a person decide; False if they quit."""
        self.show_news(decision, seat)
        doc = f"  {decision.doc}" if decision.doc else ""
        secret = " (secret until all have chosen)" if decision.together else ""
        output.echo()
        others = [other for other in decision.among if other != seat and other not in self.bots]
        who = f"{seat} (or {', '.join(others)})" if others else seat
        output.echo(output.style(f"{who}: {decision.name}{secret}", bold=True) + output.style(doc, dim=True))
        listed = self.show_options(seat, _LISTED, interrupts=False)
        while True:
            text = _read(f"{seat}> ")
            if text is None or text == "q":
                output.echo()
                return False
            done, listed = self.obey(text, seat, listed)
            if done:
                return True

    def obey(self, text: str, seat: str, listed: list[Option]) -> tuple[bool, list[Option]]:
        """Obeys a command. Returns whether the position has changed, and the options that have numbers now."""
        match text.split(maxsplit=1):
            case []:
                pass
            case ["?"]:
                for line in _HELP.split("\n"):
                    output.echo(line)
            case ["s"]:
                for line in state_lines(self.game.view(seat).state):
                    output.echo(line)
            case ["o"]:
                return False, self.show_options(seat, _LISTED_ALL, interrupts=True)
            case ["h"]:
                for number, event in enumerate(self.game.view(seat).history, 1):
                    output.echo(f"{number:>5}  {event}")
            case ["u"]:
                return self.take_back(seat), listed
            case ["w", name]:
                self.write(Path(name), seat)
            case _:
                return self.choose(text, seat, listed), listed
        return False, listed

    def choose(self, text: str, seat: str, listed: list[Option]) -> bool:
        """Takes the option of a number or a text, or prints why it is not legal.

        A name and a colon before it say who speaks; else the one who is asked does. What somebody else may do out of
        turn is told only where it does not depend on what is private.
        """
        other, colon, rest = text.partition(":")
        if colon and other.strip() in self.game.seats and other.strip() not in self.bots:
            seat, text = other.strip(), rest.strip()
        if text.isdecimal() and len(text) < 7 and not 0 < int(text) <= len(listed):
            output.echo(f"there is no option {text}: they go from 1 to {len(listed)}")
            return False
        try:
            option = listed[int(text) - 1] if text.isdecimal() and len(text) < 7 else self.game.parse(text)
            if option.interrupt and option.by is not None and not self._telling():
                seat = option.by
            if (refusal := self.game.why_not(option, seat)) is not None:
                output.echo(output.style(f"not legal: {refusal.reason}", fg="red"))
                for expression, value in refusal.values.items():
                    output.echo(f"    {expression} = {value}")
                return False
            self.take(option if option.interrupt else replace(option, by=seat))
        except RulesetFaultError as fault:
            output.show([fault.diagnostic], self.game.ruleset.sources)
            return False
        except ValueError as error:
            output.echo(f"{error} (`?` for help)")
            return False
        output.echo(f"{'taken' if self.saved is None else 'taken and saved'}: {option}")
        return True

    def _telling(self) -> bool:
        """Whether what may be done now can tell what is private."""
        return self.game.watcher.tells(self.game.position.asked)

    def take_back(self, seat: str) -> bool:
        """Takes back to the last decision of a person; False if there is none."""
        people = [i for i, o in enumerate(self.game.history) if o.by is not None and o.by not in self.bots]
        if not people:
            output.echo("there is nothing to take back")
            return False
        number = self.game.ply - people[-1]
        for _ in range(number):
            self.game.undo()
        if self.saved is not None:
            self.saved.add(TakenBack(number))
        self.seen.clear()
        output.echo(f"taken back: {output.counted(number, 'decision')}")
        return True

    def write(self, path: Path, seat: str) -> None:
        """Writes the game as a native log, or what the seat has seen of it, if that is not all; an old file stays."""
        if path.exists():
            output.echo(f"{path} exists already")
            return
        try:
            if is_whole(self.game, seat):
                with SavedGame(path) as saved:
                    saved.begin(LogHeader.of(self.game), secret=self.game.watcher.secretive)
                    saved.add(*self.game.history)
            else:
                write_text(path, "".join(f"{to_json_text(x, plain=True)}\n" for x in seat_log(self.game, seat)))
        except (SaveError, OSError) as error:
            output.echo(str(error))
        else:
            output.echo(f"written: {path}")

    # --- output to a person --------------------------------------------------------------

    def offered(self, seat: str) -> Iterator[Option]:
        """The legal options that a person is shown: those of others only where they tell nothing that is private."""
        telling = self._telling()
        return (o for o in every_option(self.game) if not o.interrupt or not telling or o.by == seat)

    def show_options(self, seat: str, limit: int, *, interrupts: bool) -> list[Option]:
        """Lists legal options with numbers."""
        found = (option for option in self.offered(seat) if interrupts or not option.interrupt)
        options = list(islice(found, limit + 1))
        for number, option in enumerate(options[:limit], 1):
            actor = f"  ({option.by}, out of turn)" if option.interrupt else ""
            output.echo(f"{number:>5}  {option}{actor}")
        if len(options) > limit:
            output.echo("       … there are more; `o` lists them")
        elif not interrupts and any(option.interrupt for option in self.offered(seat)):
            output.echo(output.style("       (`o` also lists what may be done out of turn)", dim=True))
        return options[:limit]

    def show_news(self, decision: Decision, seat: str) -> None:
        """Prints the events since this person last decided."""
        view = self.game.view(seat)
        before, ply = self.seen.get(seat, (None, view.ply))
        for event in view.history[ply:]:
            if event.by != seat:
                output.echo(f"  {event}")
        if before is None:
            if self.game.ply == 0 or not self.seen:
                for line in state_lines(view.state):
                    output.echo(line)
        else:
            lines = list(changes(before, view.state))
            for line in lines[:_CHANGES]:
                output.echo(output.style(f"  {line}", fg="cyan"))
            if len(lines) > _CHANGES:
                output.echo(f"  … and {len(lines) - _CHANGES} more (`s` shows the state)")
        self.seen[seat] = (view.state, view.ply)


def _read(prompt: str) -> str | None:
    """A line of input; None at its end."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401 - gives `input` history and editing
        try:
            return input(escaped(prompt)).strip()
        except EOFError:
            return None
    output.echo(prompt, nl=False)
    line = sys.stdin.readline()
    output.echo(line.strip())  # a transcript looks like a session
    return line.strip() if line else None
