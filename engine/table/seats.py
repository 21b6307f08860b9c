"""The seats of a table: held by people, played by bots, or free."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

MAX_NAME = 40
"""The maximum length of a person's name, in characters."""


class Seat(Struct):
    """A seat of a table.

    Attributes:
        kind: the type of player; a free seat is waiting for a person.
        name: the person's name; "" for the id of the seat.
        bot: the name of the bot in play, such as `random` or `flat:64`.
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
        """The seat, returned to a person."""
        return replace(self, kind="person", bot="", stand_in=False)


def clean_name(text: str) -> str:
    """A name typed by a person, reduced to one line of printable characters within the limit; possibly ""."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())[:MAX_NAME].strip()
