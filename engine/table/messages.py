"""Messages from viewers to a table, and their refusals, as plain data; see table_message.schema.json."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

MAX_TEXT = 2_000
"""The maximum length of a text in a message, in characters."""
Question = Literal["moves", "preview", "why", "reason"]
Deed = Literal["take", "withdraw", "undo", "redo", "agree", "refuse", "name", "bot", "person", Question]


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A viewer's message to a table.

    Attributes:
        do: the action. A viewer can take an option; withdraw a choice in the open round; undo, or ask to undo; redo;
            agree to an undo request, refuse it, or withdraw their own; sit down with a name; hand a seat to a bot, or
            take it back as a person; and ask for earlier moves, for the consequences of an option, for the reasons why
            a place has no option, or for a full explanation of these reasons or of the changes made by a move.
        serial: the serial of the viewer's last frame, for actions that depend on the position.
        option: the text of the option to take or preview.
        name: the person's name.
        seat: the seat to hand to a bot ("" for the sender's own); from a person who plays all seats, the seat for which
            the message is sent.
        bot: the name of the bot.
        before: the number before which moves are requested.
        to: the index of the first move to undo, or of the move to explain; -1 means to undo the sender's last decision,
            or to explain a place.
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
    """The refusal of a message: a sentence, and the values in the violated condition.

    `stale` means that the message refers to an earlier position and the viewer needs the current one.
    """

    text: str
    values: dict[str, str] = {}
    stale: bool = False

    def to_json(self) -> dict[str, Any]:
        """The object `refused` in a frame."""
        return {"text": self.text, "values": self.values, "stale": self.stale}


STALE = MessageRefusal("the game has moved on", stale=True)


def read_message(data: object) -> Message | MessageRefusal:
    """Parses a message from plain data; returns a refusal if it is malformed."""
    try:
        message = msgspec.convert(data, Message)
    except msgspec.ValidationError:
        return MessageRefusal("this message is malformed")
    texts = (message.option, message.place, message.name, message.seat, message.bot)
    numbers = (message.serial, message.before, message.to)
    if any(len(text) > MAX_TEXT for text in texts) or not all(abs(n) < 2**53 for n in numbers):
        return MessageRefusal("this message is too large")
    if not all(map(_can_be_said, texts)):
        return MessageRefusal("this message is malformed")
    return message


def _can_be_said(text: str) -> bool:
    """Whether a text can be transmitted: refusals quote texts, and half a surrogate pair cannot be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
