"""The sealed choices of an incomplete round, which other seats can verify later.

The salt is stored with the decision (`Step.salt`); a new choice after an undo gets a new salt.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from hmac import compare_digest
from typing import Any

from msgspec import Struct

from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.events import Event
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.game.position import Step
from rulespec.engine.game.round import Round
from rulespec.engine.logs.native import entry_json


class Seal(Struct, frozen=True):
    """A choice with a random 128-bit salt; without the salt, its hash would reveal which of the few options it is.

    Attributes:
        option: the chosen option.
        salt: 32 hex digits.
    """

    option: Option
    salt: str

    @property
    def text(self) -> str:
        """The public form of the choice: the SHA-256 hash of the salt and the log line, as 64 hex digits."""
        return sealed(entry_json(self.option), self.salt)


def sealed(line: dict[str, Any], salt: str) -> str:
    """The seal of a log line."""
    return hashlib.sha256(f"{salt}\n{to_json_text(line, plain=True)}".encode()).hexdigest()


def salted(game: Game) -> None:
    """Adds missing salts to the choices of the open round; existing salts, and therefore their seals, do not change."""
    for step in pending(game):
        step.salt = step.salt or new_salt()


def pending(game: Game) -> list[Step]:
    """The choices of an incomplete round, which other seats cannot see yet."""
    position = game.omniscient.numbers
    number = game.omniscient.visibility.chosen(position.state, position.asked).bit_count()
    return list(position.steps[len(position.steps) - number :])


def new_salt() -> str:
    """A random salt of 128 bits, as 32 hex digits."""
    return secrets.token_hex(16)


def seen_line(step: Step, event: Event) -> dict[str, Any]:
    """The log line of a decision for an event's viewer, with the salt if the decision is fully visible, otherwise with
    the seal.
    """
    line = {"decision": event.decision, "by": event.by, "option": event.option}
    if not step.salt:
        return line
    if event.option == str(step.option):
        return line | {"salt": step.salt}
    if event.option is None:
        del line["option"]
    return line | {"sealed": sealed(entry_json(step.option), step.salt)}


def fits(seal: str, line: dict[str, Any], salt: str) -> bool:
    """Whether a disclosed line matches its seal."""
    return compare_digest(seal, sealed(line, salt))


class SealedRound(Round):
    """A round whose choices stay sealed, in logs and on the wire, until the last seat has chosen."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._seals: dict[str, Seal] = {}

    def choose(self, seat: str, text: str) -> bool:
        """Makes or replaces a choice like `Round.choose`; a changed choice gets a new seal."""
        complete = super().choose(seat, text)
        self._seals[seat] = Seal(self._chosen[seat], new_salt())
        if complete:
            for by, step in zip(self.asked, self.game.omniscient.numbers.steps[-len(self.asked) :], strict=True):
                step.salt = self._seals[by].salt
        return complete

    def withdraw(self, seat: str) -> None:
        """Withdraws a choice like `Round.withdraw`."""
        super().withdraw(seat)
        del self._seals[seat]

    def lines(self, seat: str | None) -> Iterator[dict[str, Any]]:
        """The choices so far, in seat order, as lines for the log of `seat` (None for the public).

        A seat's own choice has `option` and `salt`; other choices have `sealed` instead. Once all seats have chosen,
        all choices are disclosed, and `fits` verifies them against the earlier lines.
        """
        for by in self.asked:
            if by not in self._seals:
                continue
            seal = self._seals[by]
            line = entry_json(seal.option)
            if by == seat or self.complete:
                yield line | {"salt": seal.salt}
            else:
                yield {"decision": line["decision"], "by": by, "sealed": seal.text}
