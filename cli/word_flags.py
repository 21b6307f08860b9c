"""The options of commands that print words: a language, and titles or ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rulespec.cli import output

if TYPE_CHECKING:
    from rulespec.engine.words.words import Names, Words
    from rulespec.typed import nodes as typed

_Command = TypeVar("_Command", bound=Callable[..., Any])


def word_options(command: _Command) -> _Command:
    """Adds `--language` and `--names`."""
    for option in (
        click.option(
            "--names",
            "shown",
            type=click.Choice(["title", "id"]),
            default="title",
            help="Show titles, or ids as files and logs write them.",
        ),
        click.option("--language", metavar="LANGUAGE", help="Show words in this language; default: the ruleset's own."),
    ):
        command = option(command)
    return command


def words_of(ruleset: typed.Ruleset, language: str | None, names: Names) -> Words:
    """The words of a ruleset. If they take too many steps, the command reports that at its end.

    Raises:
        DiagnosticsError: as `Words`.
    """
    from rulespec.engine.program.budget import Budget
    from rulespec.engine.words.words import Words  # lazily: not every run prints words

    words = Words(ruleset, language, names, Budget())
    click.get_current_context().call_on_close(lambda: output.show(words.too_long(), ruleset.sources))
    return words
