"""Messages of viewers to a table, and their refusals: plain data, as in table_message.schema.json."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

MAX_TEXT = 2_000
"""Characters of a text in a message."""
Question = Literal["moves", "preview", "why", "reason"]
Deed = Literal["take", "withdraw", "undo", "redo", "agree", "refuse", "name", "bot", "person", Question]


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message of a viewer.

    Attributes:
        do: take an option; withdraw a choice of the open round; take back, or ask to; redo decisions taken back; agree
            to a request to take back, or refuse it, or withdraw one's own; sit down with a name; hand a seat to a bot;
            take it back as a person; ask for earlier moves, for the consequences of an option, for the reasons why a
            place has none, or for everything that led to that or to the changes of a move.
        serial: that of the last frame that the viewer has: for deeds that depend on the position of the game.
        option: the text of the option to take, or to look at.
        name: of the person.
        seat: the one to hand to a bot; "": one's own. From a person who plays alone, the seat of the message.
        bot: the name of the bot.
        before: the number of the move before which moves are requested.
        to: the number of the move, from 0, from which all are to be taken back, or whose reasons are requested; -1:
            one's own last decision, or a place.
        place: an entity, as `kind.name`.
    """

    do: Deed
    serial: int = 0
    option: str = ""
    name: str = ""
    seat: str = ""
    bot: str = ""
    before: int = 0
    to: int = -1
    place: str = ""


class MessageRefusal(Struct, frozen=True):
    """The refusal of a message: a sentence, and the values of the failing condition.

    `stale`: the message is of an earlier position, and the viewer is to have the present one.
    """

    text: str
    values: dict[str, str] = {}
    stale: bool = False

    def to_json(self) -> dict[str, Any]:
        """The object `refused` of a frame."""
        return {"text": self.text, "values": self.values, "stale": self.stale}


STALE = MessageRefusal("the game has moved on", stale=True)


def read_message(data: object) -> Message | MessageRefusal:
    """A message from plain data; a refusal if it is malformed."""
    try:
        message = msgspec.convert(data, Message)
    except msgspec.ValidationError:
        return MessageRefusal("this message has no form that is known")
    texts = (message.option, message.place, message.name, message.seat, message.bot)
    numbers = (message.serial, message.before, message.to)
    if any(len(text) > MAX_TEXT for text in texts) or not all(abs(n) < 2**53 for n in numbers):
        return MessageRefusal("this message is too large")
    if not all(map(_can_be_said, texts)):
        return MessageRefusal("this message has no form that is known")
    return message


def _can_be_said(text: str) -> bool:
    """Whether a text can be sent on: half a surrogate pair cannot, and refusals quote texts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
