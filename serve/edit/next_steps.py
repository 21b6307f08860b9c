"""Proposed next steps for a map: the command of each, and its time limit if a page can start it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from rulespec.documents.text_files import display

_MINUTES = 2
"""The time for games in a report requested by the page, in minutes."""
_GAMES, _BOT = 200, "flat:8"
"""The number of games, and the bot, for statistics of the winners."""


class NextStep(Struct, frozen=True):
    """A next step for a map.

    Attributes:
        title: its displayed name.
        words: the words of its command, after `rulespec`.
        name: its name in requests of the page; "" for a terminal command.
        seconds: its time limit; for a table, the limit for its start.
    """

    title: str
    words: tuple[str, ...]
    name: str = ""
    seconds: float = 0

    @property
    def command(self) -> str:
        """The command as typed in a terminal."""
        return " ".join(["rulespec", *(f'"{word}"' if " " in word else word for word in self.words)])


def steps(folder: Path, base: str, players: int | None, roles: int = 0) -> Iterator[NextStep]:
    """The proposed next steps.

    Args:
        folder: the folder of the map.
        base: the reference of the ruleset it extends; "" if none.
        players: the minimum number of players, if more are possible.
        roles: the maximum number of seats, if they hold something that may win more than its share; otherwise 0.
    """
    name = display(folder.resolve())
    name = name if name.startswith(("/", ".")) else f"./{name}"
    number = ("--players", str(players)) if players is not None else ()
    yield NextStep("Play it at a table", ("serve", name, *number), "table", 60)
    yield NextStep("Play it at this terminal", ("play", name, *number))
    if base:
        words = ("playtest", base, name, *number, "--minutes", str(_MINUTES))
        yield NextStep("Playtest it against its base", words, "report", 60 * (_MINUTES + 4))
    if roles:
        many = ("--players", str(roles), "--games", str(_GAMES), "--bots", _BOT, "--details")
        yield NextStep("See who wins", ("simulate", name, *many), "shares", 3600)
    yield NextStep("Run its scenarios", ("test", name), "scenarios", 300)
    yield NextStep("Check it", ("validate", name))
    yield NextStep("Draw it", ("draw", name))
