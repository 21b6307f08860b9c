"""The seats of a table: a person's, a bot's, or free."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

MAX_NAME = 40
"""Characters of a name that a person types."""


class Seat(Struct):
    """A seat of a table.

    Attributes:
        kind: the type of player; a free seat waits for a person.
        name: the person's name; "" for the id of the seat.
        bot: the name of the bot, such as `random` or `flat:64`, while one plays.
        stand_in: whether the bot stands in for a person.
    """

    kind: Literal["person", "bot", "free"] = "free"
    name: str = ""
    bot: str = ""
    stand_in: bool = False

    def handed_to(self, bot: str) -> Seat:
        """The seat, played by a bot until the holder of its link returns."""
        return replace(self, kind="bot", bot=bot, stand_in=self.kind != "bot" or self.stand_in)

    def returned(self) -> Seat:
        """The seat, played by a person."""
        return replace(self, kind="person", bot="", stand_in=False)


def clean_name(text: str) -> str:
    """A name typed by a person: on one line, bounded, of printable characters; "" if nothing is left."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())[:MAX_NAME].strip()
