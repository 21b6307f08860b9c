"""A table on the terminal: a game, its people and bots, prompts and output."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from rulespec.cli import output
from rulespec.cli.option_list import Entry, range_text
from rulespec.cli.people import Person, said
from rulespec.cli.program_seats import Programs, Reason
from rulespec.cli.shared_screen import SharedScreen
from rulespec.cli.state_text import standings, state_lines
from rulespec.cli.terminal_game import remark, write_game
from rulespec.cli.why import Steps
from rulespec.engine.game.game import Game, own_options
from rulespec.engine.game.option import Decision, IllegalOptionError, Option, RulesetFaultError
from rulespec.engine.game.seat_knowledge import learned
from rulespec.engine.game.seat_names import AmbiguousNameError
from rulespec.engine.logs.saved_game import SavedGame
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.engine.table.played_game import PlayedGame
from rulespec.engine.words.causes import set_off
from rulespec.engine.words.helps import Help, helps
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.words import Words
from rulespec.errors import RulespecError

_KNOWN = 5
"""Maximum number of remembered facts printed after an undo."""
_HELP = """\
  NUMBER      take the option with that number; for options that differ by
              an amount, it asks for the amount
  WORDS       take an option by its words, or as in logs: `army(moscow)`;
              an illegal one is explained, and changes nothing
  NAME: …     act for somebody else at this table, by name or id; in a
              simultaneous decision, anybody may choose first: `NAME: o`
              lists the options, and `NAME: u` takes the choice back until
              the last one has chosen
  o, options  list the options again, and those out of turn
  o NAME      list all options with a name; `o all` lists all options
  s, state    show the whole state
  h, hint     show what a bot would do, and why
  ? WORD      show the rule of an option (by its number), a place or a card
  p, past     show the game so far
  u, undo     take back to your last decision
  r TEXT      write a remark into the log
  w FILE      write the game as a native log
  q, quit     quit"""
_SHORT = {
    "help": "?",
    "options": "o",
    "state": "s",
    "history": "p",
    "past": "p",
    "hint": "h",
    "undo": "u",
    "back": "u",
    "write": "w",
}
_SHORT |= {"save": "w", "quit": "q", "exit": "q", "remark": "r"}
"""Commands by their whole names."""


class TerminalTable:
    """A game with its program seats, its file, and the people at the terminal.

    `unsaved` tells whether a person has decided since the game was last written to a file.

    Args:
        words: the words of the ruleset.
        game: the game at its start or point of continuation.
        programs: the program seats.
        saved: the file of the game.
        explained: whether bots give reasons; in a game with secrets, they do so only after the end of the game.
        steps: whether to print each move statement by statement.
    """

    def __init__(
        self,
        words: Words,
        game: Game,
        programs: Programs,
        saved: SavedGame | None = None,
        *,
        explained: bool = False,
        steps: bool = False,
    ) -> None:
        self.words = words
        self.game = game
        self.programs = programs
        self.bots = programs.seats(game)
        self.saved = saved
        self.people = {seat: Person(words, game, seat) for seat in game.seats if seat not in self.bots}
        self.together = Person(words, game, None)
        self.screen = SharedScreen(wanted=len(self.people) > 1 and game.omniscient.secretive)
        self.played = PlayedGame(game)
        self.unsaved = False
        self.steps = Steps(self.screen.read) if steps else None
        self.explained = explained
        self.reasons: list[str] = []

    def play(self) -> int:
        """Plays until the game is over or a person quits; returns the exit code.

        Raises:
            RulesetFaultError: if the rules fault before a person decides.
            SaveError: if a decision cannot be saved and therefore does not count.
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
            for line in self.reasons:
                output.echo(output.style(line, dim=True))
        return code

    def _decisions(self) -> int:
        """Lets people, bots and chance decide; returns the exit code."""
        game = self.game
        unasked = 0
        while (decision := game.decision) is not None:
            due = self.played.due(decision, self.people)
            seat = self.speaker(decision)
            if seat is None or due is not None:
                unasked += 1
                if unasked > CAP:
                    message = f"stopped: no person has been asked for {CAP:,} decisions, and the game is not over"
                    output.echo(message, err=True)
                    return output.PROBLEMS
                option, speaker, salt = due or (self.programs.choose(game, self.played.withdrawn), None, "")
                if option is None:
                    output.echo(f"the rules are at fault: nothing is legal at the decision `{decision.name}`", err=True)
                    return output.PROBLEMS
                number = game.ply + 1
                reason = self.programs.reason if self.explained and due is None else None
                why = self.why(reason) if reason is not None else ""
                self.take(option, speaker, salt)
                if why:
                    self.give_reason(number, why)
            elif not self.ask(decision, seat):
                return output.OK
            else:
                unasked = 0
        return output.OK

    def take(self, option: Option, speaker: str | None = None, salt: str = "") -> None:
        """Takes an option, saves it before anyone sees it, and records the news for each person."""
        watching = [*self.people.values(), *[self.together] * self.screen.active]
        seen = [person.seen(option) for person in watching]
        before = [
            (person, move, person.narrator.move(move), person.changes.snapshot())
            for person, move in zip(watching, seen, strict=True)
        ]
        causes = set_off(self.words, self.game, option)
        by, count = self.played.planner, self.played.withdrawn
        self.played.take(option, salt)
        plans, withdrawn = self.played.planner, by if self.played.withdrawn > count else None
        self.save()
        if self.steps is not None:
            self.steps.show(self.game, self.reader)
        for person, move, note, snapshot in before:
            own, others = causes or (person.changes.since(snapshot, move), ())
            changes = [f"       {change.text}" for change in own]
            for cause in others:
                changes += [f"       {cause.text}", *(f"         {change.text}" for change in cause.changes)]
            first = [] if person.seat is not None and person.seat == speaker else [f"  {note}"]
            person.hear([*first, *changes], plans=plans, withdrawn=withdrawn)

    @property
    def reader(self) -> str | None:
        """The seat of the only person at the terminal; None if several people share the public view."""
        return next(iter(self.people)) if len(self.people) == 1 else None

    def save(self) -> None:
        """Appends new moves to the file."""
        moves = self.played.confirm()
        if moves and self.saved is not None:
            self.saved.add(*moves)

    def why(self, reason: Reason) -> str:
        """A bot's reason: its expectations for the three best options."""
        person = next(iter(self.people.values()), self.together)
        best = [f"{expected} {person.narrator.choice(option)}" for option, expected in reason.best]
        return f"{reason.bot}: {' · '.join(best) or 'no other option'}"

    def give_reason(self, number: int, why: str) -> None:
        """Announces a bot's reason; in a game with secrets, stores the reason until the game is over."""
        if self.game.omniscient.secretive:
            self.reasons.append(f"{number:>5}  {why}")
            return
        for person in [*self.people.values(), *[self.together] * self.screen.active]:
            person.news.append(output.style(f"       {why}", dim=True))

    @cached_property
    def helps(self) -> dict[str, Help]:
        """The help texts of the ruleset, by subject."""
        return helps(self.words, self.game)

    def rules_of(self, word: str, listed: list[Entry]) -> list[str]:
        """The help texts for an option (given by number) or a word; by default, those for the open decision."""
        name = self.game.decision.name if self.game.decision is not None else ""
        wanted = word.casefold().replace("_", " ")
        if word.isdecimal() and len(word) < 7 and 0 < int(word) <= len(listed):
            option = listed[int(word) - 1].options[0]
            subjects = [*(f"{kind}.{id_}" for kind, id_ in option.parts), f"{option.decision}.{option.name}"]
        elif wanted:
            names = {
                each: [each.rpartition(".")[2].replace("_", " "), of.title.casefold()]
                for each, of in self.helps.items()
            }
            subjects = [each for each, texts in names.items() if wanted in texts]
            subjects = subjects or [
                each for each, texts in names.items() if any(text.startswith(wanted) for text in texts)
            ]
        else:
            subjects = [name]
        helps_ = [self.helps[each] for each in dict.fromkeys(subjects) if each in self.helps]
        return [" ".join([f"  {each.title}: {each.text}", *each.rules]) for each in helps_]

    def hint(self, seat: str) -> None:
        """Prints the choice that a bot with a seat's view would make for that seat, and the reason."""
        if self.game.decision is None or self.game.decision.by != seat:
            output.echo("only the deciding seat can ask for a hint")
            return
        try:
            reason = self.programs.hint(self.game)
        except RulespecError as error:
            output.echo(f"no hint: {error}")
            return
        output.echo(f"       {self.why(reason)}")

    # --- a person decides ----------------------------------------------------------------

    def speaker(self, decision: Decision) -> str | None:
        """The person to ask: the decider or leader, or another person entitled to decide; None if programs decide."""
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
                output.echo(f"{error}: write the id of one of them")
                continue
            if done:
                return True
            if self.screen.active and self.screen.seat != seat:  # somebody else has spoken and seen the screen
                self.screen.wait(self.words.word("wiped_next"))
                listed = self.present(decision, seat)
        return False

    def present(self, decision: Decision, seat: str) -> list[Entry] | None:
        """Shows a person the news and their options; returns the options, or None at the end of input."""
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
        """The displayed name of a seat."""
        return self.words.seat(seat, self.game.shown_names)

    def may_quit(self, seat: str) -> bool:
        """Whether a person may quit; if the game is unsaved, asks for confirmation."""
        if self.saved is not None or not self.unsaved:
            return True
        output.echo("the game is not saved (`w FILE` saves it)")
        answer = self.screen.read("quit anyway? [y/n] ")
        return answer is None or answer.casefold() in ("y", "yes", "q", "quit")

    def obey(self, text: str, seat: str, listed: list[Entry]) -> tuple[bool, list[Entry]]:
        """Executes a command; returns whether the position has changed, and the currently numbered options.

        A name and a colon before the text identify the speaker; by default, the speaker is the seat being asked.
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
                for line in (*_HELP.split("\n"), *self.rules_of("", listed)):
                    output.echo(line)
            case ["?", word]:
                for line in self.rules_of(word, listed) or [f"no rule was found for `{word}`"]:
                    output.echo(line)
            case ["s"]:
                for line in state_lines(self.people[seat].changes.state()):
                    output.echo(line)
            case ["o"]:
                return False, self.people[seat].show_options(interrupts=True)
            case ["o", name]:
                return False, self.people[seat].show_options(interrupts=True, only=name)
            case ["h"]:
                self.hint(seat)
            case ["p"]:
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
        """Executes a command of a person who is not being asked, during a simultaneous decision; returns whether the
        person made or withdrew a choice.
        """
        match _SHORT.get(text, text):
            case "o":
                for option in own_options(self.game, seat):
                    choice = self.people[seat].narrator.choice(option)
                    output.echo(f"       {choice}  {output.style(str(option), dim=True)}")
                return False
            case "u" if seat not in self.played.early.chosen:
                output.echo(self.words.word("not_chosen", seat=self.name(seat)))
                return False
            case "u":
                self.played.withdraw(seat)
                self.save()
                output.echo(self.words.word("choice_back", seat=self.name(seat)))
            case _:
                try:
                    meant = self.people[seat].meant(text)
                    if meant is None:
                        return False
                    self.played.choose(seat, str(meant))
                    self.save()
                except IllegalOptionError as error:
                    output.echo(output.style(f"not legal: {error.refusal.reason}", fg="red"))
                    return False
                except ValueError as error:
                    output.echo(f"{error} (`?` for help)")
                    return False
                self.unsaved = True
                output.echo(self.words.word("chosen", option=self.people[seat].description(replace(meant, by=seat))))
        return True

    def choose(self, text: str, seat: str, listed: list[Entry]) -> bool:
        """Takes the option given by number or words, or prints the reason why it is illegal; returns whether it was
        taken.

        A name and a colon before the text identify the speaker; by default, the speaker is the seat being asked.
        Options of other seats out of turn are printed only if they do not depend on private state.
        """
        if (named := said(text, self.game.names, self.people)) is not None:
            seat, text = named
        if text.isdecimal() and len(text) < 7 and not 0 < int(text) <= len(listed):
            output.echo(f"there is no option {text}: the options are numbered from 1 to {len(listed)}")
            return False
        try:
            is_number = text.isdecimal() and len(text) < 7
            option = self.option_of(listed[int(text) - 1]) if is_number else self.people[seat].meant(text)
            if option is None:
                return False
            if option.interrupt and option.by is not None and not self.people[seat].telling():
                seat = option.by
            if (refusal := self.game.why_not(option, seat)) is not None:
                output.echo(output.style(f"not legal: {refusal.reason}", fg="red"))
                if self.steps is not None:
                    self.steps.explain(self.game, option, seat)
                    return False
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

    def option_of(self, entry: Entry) -> Option | None:
        """The option of an entry; if the entry has several, asks the person for the number in which they differ.

        Returns None if the input is empty.
        """
        numbers = entry.numbers
        while numbers:
            text = self.screen.read(f"a number from {range_text(numbers)}, or nothing to go back> ")
            if not text:
                return None
            number = int(text) if text.removeprefix("-").isdecimal() and len(text) < 20 else None
            if number in numbers:
                return numbers[number]
            near = sorted(sorted(numbers, key=lambda each: abs(each - number))[:2]) if number is not None else []
            output.echo(f"it cannot be {text[:20]}" + (f"; near it are {' and '.join(map(str, near))}" if near else ""))
        return entry.options[0]

    def take_back(self, seat: str) -> bool:
        """Undoes everything since a person's last decision; False if there is none. `seat` is the requesting seat."""
        number = self.played.since_last_of(self.people)
        if not number:
            output.echo("there is nothing to take back")
            return False
        known = {who: learned(self.game, who, number) for who in self.people}
        self.played.take_back(number)
        self.save()
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


def _round_words(table: TerminalTable) -> Iterator[str]:
    """The announcement of a simultaneous decision, with the seats that have already chosen."""
    yield table.words.word("secret")
    if chosen := table.played.early.chosen:
        yield table.words.word("chosen_so_far", seats=", ".join(map(table.name, chosen)))


def _show_end(game: Game, words: Words, person: Person | None) -> None:
    """Prints the news since the last question, as visible to a person, and the standings."""
    result = game.result
    assert result is not None
    if person is not None:
        person.show_news()
    output.echo()
    output.echo(words.word("game_over", ending=words.ending(result.ending)))
    output.echo()
    for line in standings(game, words):
        output.echo(output.style(line, fg="green") if line.endswith(words.word("won")) else line)
