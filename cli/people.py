"""People at the terminal: their views, and parsing of their input."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Literal

import click

from rulespec.cli import option_list, output
from rulespec.engine.game.game import Game, own_options
from rulespec.engine.game.notation import split_option
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option
from rulespec.engine.game.seat_names import seat_of, speaker
from rulespec.engine.program.draws import Draws
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.moves import seen_now
from rulespec.engine.words.narrator import Narrator, Taken
from rulespec.engine.words.words import Words

if TYPE_CHECKING:
    from rulespec.engine.dialects.notated import Notated

_LISTED = 2_000
"""Maximum number of entries listed, and of options searched for a person's input."""
_OFFERED = 20_000
"""Maximum number of options combined into entries."""
_NEWS = 100
"""Maximum number of lines of news printed for a person."""


class Person:
    """A person at the table, with a narrator for their view; maps their input to options.

    If `seat` is None, this object represents all people together, with the public view.

    Attributes:
        news: the events since their last decision.
        planned: the events of another seat's open draft, which become news when it is confirmed.
        asked: whether they have been asked before.
    """

    def __init__(self, words: Words, game: Game, seat: str | None) -> None:
        self.game = game
        self.seat = seat
        self.narrator = Narrator(words, game, seat)
        self.changes = Changes(self.narrator)
        self.news: list[str] = []
        self.planned: list[str] = []
        self.asked = False
        self._notated: Notated | Literal[False] | None = None
        """The reader of the game's notation; False if it has none, None before first use."""

    def hear(self, lines: list[str], *, plans: str | None, withdrawn: str | None) -> None:
        """Adds the lines of an event to the news.

        Args:
            lines: the lines of the event.
            plans: the seat that has an open draft after the event.
            withdrawn: the seat that withdrew its draft in the event.
        """
        by = plans or withdrawn
        if by is not None and by != self.seat:
            self.planned = [*self.planned, *lines] if plans is not None else []
            return
        self.news += [*self.planned, *lines]
        self.planned = []

    def seen(self, option: Option) -> Taken:
        """A move as the person sees it, before it is made."""
        return seen_now(self.narrator.game, option, self.narrator.seat)

    def description(self, option: Option) -> str:
        """The text of a move as the person sees it, before it is made."""
        return self.narrator.move(self.seen(option))

    def meant(self, text: str) -> Option | None:
        """The option that a typed text denotes, legal or not, or the only option that matches its words; None if
        several match.

        Raises:
            ValueError: if none matches; the message lists the closest ones.
        """
        try:
            return self._parsed(text)
        except ValueError as error:
            if (option := self._noted(text)) is not None:
                return option
            mine = list(islice(self.offered(), _LISTED))
            tell = self.narrator.choice
            result = option_list.matches(text, mine, tell) or option_list.matches(text, mine, self.narrator.option)
            if len(result) == 1:
                return result[0]
            if not result:
                near = option_list.suggested(text, mine, tell)
                raise ValueError(f"{error}; did you mean: {'; '.join(near)}?" if near else str(error)) from None
            output.echo(f"which of these {len(result)}?")
            for option in result[:10]:
                output.echo(f"       {tell(option)}  {output.style(str(option), dim=True)}")
            return None

    def _parsed(self, text: str) -> Option:
        """The option denoted by a text in log notation; names of seats are allowed in place of ids."""
        try:
            return self.game.parse(text)
        except ValueError:
            with suppress(ValueError):
                name, arguments = split_option(text)
                ids = [seat_of(self.game.names, argument) or argument for argument in arguments]
                if ids != arguments:
                    return self.game.parse(f"{name}({', '.join(ids)})")
            raise

    def _noted(self, text: str) -> Option | None:
        """The option denoted by a text in the game's notation; None in games with secrets, which the notation may
        reveal.

        Raises:
            DiagnosticsError: if the notation cannot be used.
        """
        if self.game.omniscient.secretive:
            return None
        if self._notated is None:
            from rulespec.engine.dialects.notated import Notated  # lazily: most people type numbers
            from rulespec.engine.dialects.notation_file import notation_for

            notation = notation_for(self.game.ruleset)
            self._notated = Notated(self.game, notation) if notation is not None else False
        options = self._notated.read(text) if self._notated else []
        return options[0] if len(options) == 1 else None

    def telling(self) -> bool:
        """Whether the open decision's options could reveal something private."""
        return self.game.omniscient.telling

    def offered(self) -> Iterator[Option]:
        """The legal options to show to a person; options of other seats only if they reveal nothing private."""
        if (decision := self.game.decision) and decision.together and decision.by != self.seat:
            return iter(own_options(self.game, self.seat) if self.seat is not None else ())
        if self.game.legal_options.unlisted:
            return iter(())
        telling = self.telling()
        return (o for o in every_option(self.game) if not o.interrupt or not telling or o.by == self.seat)

    def show_options(self, *, interrupts: bool, only: str = "") -> list[option_list.Entry]:
        """Lists the legal options with numbers, grouped by name; `only` is a name to which they are restricted, or
        `all`.

        Returns the numbered entries.
        """
        narrator = self.narrator
        if number := self.game.legal_options.unlisted:
            output.echo(f"       {number:,} sets or bags to choose from: write one, such as `{self._example()}`")
            return []
        offered = list(islice(self.offered(), _OFFERED + 1))
        options = option_list.grouped([o for o in offered[:_OFFERED] if interrupts or not o.interrupt])
        if only and only != "all":
            options = [o for o in options if o.name == only]
            if not options:
                output.echo(f"no option is called `{only}` here")

        def tell(option: Option) -> str:
            if option.interrupt:
                return f"{narrator.move(option)}  ({self.narrator.words.word('out_of_turn')})"
            return narrator.choice(option)

        listed = option_list.entries(options)
        for line in option_list.lines(listed[:_LISTED], tell, whole=bool(only)):
            output.echo(line)
        if len(offered) > _OFFERED or len(listed) > _LISTED:
            output.echo("       … and more")
        elif not interrupts and any(option.interrupt for option in offered):
            output.echo(output.style("       (`o` also lists what may be done out of turn)", dim=True))
        return listed[:_LISTED]

    def _example(self) -> str:
        """An option of the open decision in the notation for input."""
        option = self.game.drawn(Draws(0).tries(0))
        return str(option) if option is not None else "name({…})"

    def show_news(self) -> None:
        """Prints the moves since this person's last decision."""
        news = self.news
        if len(news) > _NEWS:
            output.echo(f"  … {len(news) - _NEWS} more lines (`p` shows the game so far)")
        for line in news[-_NEWS:]:
            output.echo(output.style(line, fg="cyan") if line.startswith("   ") else line)
        news.clear()


def said(text: str, names: Mapping[str, str], people: Container[str]) -> tuple[str, str] | None:
    """The person named before a colon, and the text after the colon; None if nobody is named."""
    result = speaker(names, text)
    return result if result is not None and result[0] in people else None


def split_names(names: str | None, each: tuple[str, ...]) -> tuple[str, ...]:
    """The names given by `--names A,B` or by repeated `--name`; empty if neither is given.

    Raises:
        click.UsageError: if both are given.
    """
    if names and each:
        raise click.UsageError("--names cannot be combined with --name: repeat --name for each seat")
    return tuple(name.strip() for name in names.split(",")) if names else each
