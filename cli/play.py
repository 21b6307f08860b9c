"""`rulespec play`: a game at the terminal, of people and random players."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from rulespec.bundles.rules import whose
from rulespec.cli import output
from rulespec.cli.audience import is_of_seats, tell_seats
from rulespec.cli.chance import Chance
from rulespec.cli.early_choices import EarlyChoices, is_forced
from rulespec.cli.game_files import new_header, remark, write_game
from rulespec.cli.people import Person, said, split_names
from rulespec.cli.programs import Programs
from rulespec.cli.seats import number_of_players
from rulespec.cli.settings_flag import settings_flag
from rulespec.cli.shared_screen import SharedScreen
from rulespec.cli.state_text import standings, state_lines
from rulespec.cli.words import words_of
from rulespec.diagnostics.report import Report
from rulespec.documents.text_files import is_file
from rulespec.engine.game.game import Game, own_options
from rulespec.engine.game.learned import learned
from rulespec.engine.game.names import AmbiguousNameError
from rulespec.engine.game.option import Decision, IllegalOptionError, Option, RulesetFaultError, TakenBack
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import NativeLog, read_log
from rulespec.engine.logs.saved_game import SavedGame, SaveError
from rulespec.engine.logs.sealed import pending, salted
from rulespec.engine.replay.replay import named_ruleset, replay_native
from rulespec.engine.simulate.playouts import CAP
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed
from rulespec.typed.traversal import may_hide

_KNOWN = 5
"""The limit of remembered facts that are printed when decisions are taken back."""
_HELP = """\
  NUMBER      take the option of that number
  WORDS       take an option by its words, or as in logs: `army(moscow)`;
              one that is not legal is explained, and changes nothing
  NAME: …     somebody else at this table speaks, by name or id; where all
              choose together, whoever is ready may be first: `NAME: o` lists
              the options, and `NAME: u` takes a choice back until the last one
              has chosen
  o, options  list the options again, and those out of turn
  o NAME      list all options of a name; `o all`: of all names
  s, state    show the whole state
  h, history  show the game so far
  u, undo     take back to your last decision
  r TEXT      write a remark into the log
  w FILE      write the game as a native log
  q, quit     quit"""
_SHORT = {"help": "?", "options": "o", "state": "s", "history": "h", "undo": "u", "back": "u", "write": "w"}
_SHORT |= {"save": "w", "quit": "q", "exit": "q", "remark": "r"}
"""Commands by their whole names."""


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


@click.command("play")
@click.argument("ref", metavar="REF|LOG")
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players, if several are possible.")
@click.option(
    "--bots",
    metavar="K|BOTS",
    default="0",
    help="The last K seats play at random; or bots such as flat:64, one for all but you, or a list for the last seats.",
)
@click.option("--names", metavar="A,B,…", help="Names at the seats, clockwise.")
@click.option("--name", "each", multiple=True, metavar="NAME", help="The name at the next seat, any text; repeat it.")
@click.option("--seed", type=int, help="Seed for dice, cards and random players.")
@click.option("--redraw", is_flag=True, help="Draw other numbers after decisions are taken back; default: the same.")
@settings_flag
@click.option("--log", type=click.Path(path_type=Path), metavar="FILE", help="Save a log; continue it if it exists.")
@click.option("--ids", is_flag=True, help="Show ids, as files and logs write them, instead of titles.")
@click.option("--language", metavar="LANGUAGE", help="Show words in this language; default: the ruleset's own.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Play a game of the ruleset REF at the terminal, or go on with the saved game LOG under the rules that it carries.

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
        raise click.BadParameter("a name is no text: it has bytes that are not UTF-8", param_hint="--names")
    chosen = output.key_values(r.settings)
    if may_hide(ruleset):
        tell_seats(str(log or ""), f"`rulespec replay {log or 'FILE'}` shows it, of a game that --log saves")
    seed = secrets.randbelow(10**9) if r.seed is None else r.seed
    programs = Programs.of(r.bots, players, Chance(seed, redraw=r.redraw))
    try:
        # A new game starts before anything is written.
        game = _started(ruleset, seats, chosen) if log is None or not log.exists() else None
        secret = game is None or game.omniscient.secretive
        with nullcontext() if log is None else SavedGame(log, secret=secret, lenient=is_of_seats()) as saved:
            if saved is not None and saved.log is not None:
                game = _resumed(saved.log, ruleset, players, chosen)
            game = game or _started(ruleset, seats, chosen)
            if saved is not None:
                _save(saved, game)
            # The seed discloses all dice, cards and random players: where there are secrets, it is not printed.
            note = f"seed {seed} · " if r.seed is not None or not game.omniscient.secretive else ""
            output.echo(f"{words.game} {ruleset.version} · {', '.join(game.shown_names.values())} · {note}`?` for help")
            code = Table(words, game, programs, saved).play()
    except RulesetFaultError as fault:
        output.show([fault.diagnostic], ruleset.sources)
        code = output.PROBLEMS
    except SaveError as error:
        output.echo(output.style(f"not saved: {error}", err=True, fg="red"), err=True)
        code = output.UNUSABLE
    ctx.exit(code)


def _opened(ref: str, log: Path | None, players: int | None) -> tuple[Path | None, typed.Ruleset, int | None]:
    """The log, the ruleset and the number of players: those of a saved game, if that is named instead of a ruleset."""
    from rulespec.load import load_ruleset

    path = Path(ref)
    if not is_file(path):
        return log, load_ruleset(ref), players
    if log is not None:
        raise click.UsageError(f"{ref} is a saved game, and goes on in its own file: leave --log out")
    native = read_log(path, lenient=True)
    return path, named_ruleset(native), players or len(native.header.seats)


def _save(saved: SavedGame, game: Game) -> None:
    """Begins the file of a new game; where there are secrets, one that goes on becomes its owner's, too."""
    secret = game.omniscient.secretive
    if saved.log is None and saved.begin(new_header(game), secret=secret):
        output.echo(f"{saved.path}: its first line was torn, and is written again")
    elif secret:
        saved.keep_secret()


def _started(ruleset: typed.Ruleset, seats: tuple[str, ...], settings: dict[str, str]) -> Game:
    """A new game, at its first decision."""
    game = Game(ruleset, seats, settings)
    game.omniscient.numbers.begin()
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
    if (outcome := result.divergence) is not None:
        tells = f"`rulespec replay {log.file}` tells"
        if is_of_seats():  # what somebody has chosen in secret is not quoted
            raise click.UsageError(f"{log.file} is not legal to its end: {tells} why")
        what = f"`{outcome.action.get('option', 'undo')}` is refused: {outcome.refusal}"
        raise click.UsageError(f"{log.file} is not legal from {outcome.place} on: {what}; {tells} all of it")
    output.echo(f"{log.file}: goes on after {output.counted(result.game.ply, 'decision')}")
    return result.game


class Table:
    """A game, its random players, its file, and the people at the terminal.

    `unsaved`: whether a person has decided since the game was written to a file.
    """

    def __init__(self, words: Words, game: Game, programs: Programs, saved: SavedGame | None = None) -> None:
        self.words = words
        self.game = game
        self.programs = programs
        self.bots = programs.seats(game)
        self.saved = saved
        self.people = {seat: Person(words, game, seat) for seat in game.seats if seat not in self.bots}
        self.together = Person(words, game, None)
        self.screen = SharedScreen(wanted=len(self.people) > 1 and game.omniscient.secretive)
        self.early = EarlyChoices(game)
        self.unsaved = False

    def play(self) -> int:
        """Plays until the game is over or a person quits; returns the exit code.

        Raises:
            RulesetFaultError: if the rules are at fault before a person decides.
            SaveError: if a decision cannot be saved; then it does not count.
        """
        try:
            code = self._decisions()
        finally:
            self.screen.wipe()
            if self.saved is not None:
                self.saved.leave(self.game)
        if code == output.OK and self.game.is_over:
            reader = self.together if self.screen.active else next(iter(self.people.values()), None)
            _show_end(self.game, self.words, reader)
        return code

    def _decisions(self) -> int:
        """Lets people, bots and chance decide; returns the exit code."""
        game = self.game
        unasked = 0
        while (decision := game.decision) is not None:
            due = self.early.due(decision, self.people)
            seat = self.speaker(decision)
            if seat is None or due is not None:
                unasked += 1
                if unasked > CAP:
                    message = f"given up: nobody has been asked for {CAP:,} decisions, and the game is not over"
                    output.echo(message, err=True)
                    return output.PROBLEMS
                option, speaker, salt = due or (self.programs.choose(game), None, "")
                if option is None:
                    output.echo(f"the rules are at fault: nothing is legal at the decision `{decision.name}`", err=True)
                    return output.PROBLEMS
                self.take(option, speaker, salt)
            elif not self.ask(decision, seat):
                return output.OK
            else:
                unasked = 0
        return output.OK

    def take(self, option: Option, speaker: str | None = None, salt: str = "") -> None:
        """Takes an option, saves it before anybody sees it, and notes for each person what there was to see."""
        watching = [*self.people.values(), *[self.together] * self.screen.active]
        before = [(person, person.description(option), person.changes.snapshot()) for person in watching]
        self.game.apply(option)
        self.game.omniscient.numbers.seal(salt)
        salted(self.game)
        if self.saved is not None:
            self.saved.add(self.game.omniscient.numbers.steps[-1])
        for person, note, snapshot in before:
            changes = [f"       {change.text}" for change in person.changes.since(snapshot)]
            if person.seat is None or person.seat != speaker:
                person.news.append(f"  {note}")
            person.news += changes

    # --- a person decides ----------------------------------------------------------------

    def speaker(self, decision: Decision) -> str | None:
        """The person who is asked: who decides or leads, else another one who may; None if no person may."""
        may = (decision.by, *decision.among)
        return next((seat for seat in may if seat is not None and seat not in self.bots), None)

    def ask(self, decision: Decision, seat: str) -> bool:
        """Lets a person decide; False if they quit."""
        listed = self.present(decision, seat)
        while listed is not None:
            text = self.screen.read(f"{self.name(seat)}> ")
            if text is not None:
                first, blank, rest = text.partition(" ")
                text = f"{_SHORT.get(first.casefold(), first)}{blank}{rest}"
            if text is None or (text == "q" and self.may_quit(seat)):
                output.echo()
                return False
            if text == "q":
                continue
            try:
                done, listed = self.obey(text, seat, listed)
            except AmbiguousNameError as error:
                output.echo(f"{error}: write the id of one")
                continue
            if done:
                return True
            if self.screen.active and self.screen.seat != seat:  # somebody else has spoken, and it was shown to them
                self.screen.wait(self.words.word("wiped_next"))
                listed = self.present(decision, seat)
        return False

    def present(self, decision: Decision, seat: str) -> list[Option] | None:
        """Shows a person what has happened, and their options; returns these, or None at the end of input."""
        handed = self.screen.hand_over(seat, self.words.word("hand_over", seat=self.name(seat)))
        if handed is None:
            return None
        person = self.people[seat]
        first = not person.asked and not any(other.asked for other in self.people.values())
        if first or handed:
            for line in state_lines(person.changes.state()):
                output.echo(line)
        if first:
            person.news.clear()
        person.asked = True
        person.show_news()
        self.together.news.clear()
        doc = f"  {decision.doc}" if decision.doc else ""
        secret = f" ({'; '.join(_round_words(self))})" if decision.together else ""
        output.echo()
        others = [other for other in decision.among if other != seat and other not in self.bots]
        who = person.narrator.subject(replace(decision, by=seat))
        who = self.words.word("or", one=who, others=", ".join(map(self.name, others))) if others else who
        title = person.narrator.decision(decision)
        output.echo(output.style(f"{who}: {title}{secret}", bold=True) + output.style(doc, dim=True))
        return person.show_options(interrupts=False)

    def name(self, seat: str) -> str:
        """The name of a seat as it is shown."""
        return self.words.seat(seat, self.game.shown_names)

    def may_quit(self, seat: str) -> bool:
        """Asks whether to quit a game that is in no file."""
        if self.saved is not None or not self.unsaved:
            return True
        output.echo("the game is not saved (`w FILE` saves it)")
        answer = self.screen.read("quit all the same? [y/n] ")
        return answer is None or answer.casefold() in ("y", "yes", "q", "quit")

    def obey(self, text: str, seat: str, listed: list[Option]) -> tuple[bool, list[Option]]:
        """Obeys a command. Returns whether the position has changed, and the options that have numbers now.

        A name and a colon before it say who speaks; else the one who is asked does.
        """
        named = said(text, self.game.names, self.people)
        if named is not None and named[0] == seat:
            text = named[1]
        elif named is not None:
            other, rest = named
            if self.screen.hand_over(other, self.words.word("hand_over", seat=self.name(other))) is None:
                return False, listed
            if self.game.decision and self.game.decision.together:
                return self.obey_early(rest, other), listed
        match text.split(maxsplit=1):
            case []:
                pass
            case ["?"]:
                for line in _HELP.split("\n"):
                    output.echo(line)
            case ["s"]:
                for line in state_lines(self.people[seat].changes.state()):
                    output.echo(line)
            case ["o"]:
                return False, self.people[seat].show_options(interrupts=True)
            case ["o", name]:
                return False, self.people[seat].show_options(interrupts=True, only=name)
            case ["h"]:
                for move in Moves(self.words, self.game, seat=seat):
                    output.echo(f"{move.number:>5}  {move.text}")
            case ["u"]:
                return self.take_back(seat), listed
            case ["r", *words]:
                remark(self.saved, words[0].strip() if words else "", seat)
            case ["w"]:
                output.echo("name a file: `w game.jsonl`")
            case ["w", name]:
                self.unsaved = not write_game(self.game, Path(name), seat) and self.unsaved
            case _:
                return self.choose(text, seat, listed), listed
        return False, listed

    def obey_early(self, text: str, seat: str) -> bool:
        """Obeys somebody who is not asked yet, or not any more, in a decision that all take together."""
        match _SHORT.get(text, text):
            case "o":
                for option in own_options(self.game, seat):
                    output.echo(
                        f"       {self.people[seat].narrator.option(option)}  {output.style(str(option), dim=True)}"
                    )
                return False
            case "u" if seat not in self.early.chosen:
                output.echo(self.words.word("not_chosen", seat=self.name(seat)))
                return False
            case "u":
                self.reopen(self.early.withdraw(seat))
                output.echo(self.words.word("choice_back", seat=self.name(seat)))
            case _:
                try:
                    meant = self.people[seat].meant(text)
                    if meant is None:
                        return False
                    self.reopen(self.early.choose(seat, str(meant)))
                except IllegalOptionError as error:
                    output.echo(output.style(f"not legal: {error.refusal.reason}", fg="red"))
                    return False
                except ValueError as error:
                    output.echo(f"{error} (`?` for help)")
                    return False
                self.unsaved = True
                output.echo(self.words.word("chosen", option=self.people[seat].description(replace(meant, by=seat))))
        return True

    def reopen(self, number: int) -> None:
        """Takes choices of the open round back: one that is changed, and those after it, which come again."""
        for _ in range(number):
            self.game.undo()
        if number and self.saved is not None:
            self.saved.add(TakenBack(number))

    def choose(self, text: str, seat: str, listed: list[Option]) -> bool:
        """Takes the option of a number or of words, or prints why it is not legal.

        A name and a colon before it say who speaks; else the one who is asked does. What somebody else may do out of
        turn is printed only where it does not depend on private state.
        """
        if (named := said(text, self.game.names, self.people)) is not None:
            seat, text = named
        if text.isdecimal() and len(text) < 7 and not 0 < int(text) <= len(listed):
            output.echo(f"there is no option {text}: they go from 1 to {len(listed)}")
            return False
        try:
            option = listed[int(text) - 1] if text.isdecimal() and len(text) < 7 else self.people[seat].meant(text)
            if option is None:
                return False
            if option.interrupt and option.by is not None and not self.people[seat].telling():
                seat = option.by
            if (refusal := self.game.why_not(option, seat)) is not None:
                output.echo(output.style(f"not legal: {refusal.reason}", fg="red"))
                for expression, value in refusal.values.items():
                    output.echo(f"    {expression} = {value}")
                return False
            option = option if option.interrupt else replace(option, by=seat)
            note = self.people[seat].description(option) if seat in self.people else str(option)
            self.take(option, seat)
            self.unsaved = True
        except RulesetFaultError as fault:
            output.show([fault.diagnostic], self.game.ruleset.sources)
            return False
        except ValueError as error:
            output.echo(f"{error} (`?` for help)")
            return False
        output.echo(self.words.word("taken" if self.saved is None else "saved", option=note))
        return True

    def take_back(self, seat: str) -> bool:
        """Takes back to the last decision of a person; False if there is none. `seat`: who asks for it."""
        past, result = self.game.copy(), False
        while past.ply and not result:
            result = past.undo().by in self.people and not is_forced(past)
        if not result:
            output.echo("there is nothing to take back")
            return False
        number = self.game.ply - past.ply
        known = {who: learned(self.game, who, number) for who in self.people}
        if number > len(pending(self.game)):
            self.early = EarlyChoices(self.game)
        self.reopen(number)
        self.programs.chance.taken_back()
        for person in self.people.values():
            person.news.clear()
        output.echo(self.words.word("taken_back", decisions=self.words.word("decisions", number)))
        for who, what in known.items():
            if what:
                some = "; ".join([*what[:_KNOWN], *["…"] * (len(what) > _KNOWN)])
                knows = f"  {self.words.word('knows', seat=self.name(who), what=some)}"
                (self.people[who].news.append if self.screen.active and who != seat else output.echo)(knows)
        return True


def _round_words(table: Table) -> Iterator[str]:
    """The announcement of a simultaneous decision, with the seats that have chosen already."""
    yield table.words.word("secret")
    if chosen := table.early.chosen:
        yield table.words.word("chosen_so_far", seats=", ".join(map(table.name, chosen)))


def _show_end(game: Game, words: Words, person: Person | None) -> None:
    """Prints what has happened since somebody was asked last, as a person sees it, and the standings."""
    result = game.result
    assert result is not None
    if person is not None:
        person.show_news()
    output.echo()
    output.echo(words.word("game_over", ending=words.ending(result.ending)))
    output.echo()
    for line in standings(game, words):
        output.echo(output.style(line, fg="green") if line.endswith(words.word("won")) else line)
