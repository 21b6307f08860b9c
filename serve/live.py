"""A table of a server, with its connected viewers."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Protocol

import msgspec
from msgspec import Struct

from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.game import as_shown
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.logs.end_line import end_json
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.engine.table.table import Table
from rulespec.serve.past_process import PastDecision, PastGame
from rulespec.serve.published import Published, lines_of_log, standing_of
from rulespec.serve.stored_rows import LogChain, StoredGame
from rulespec.serve.table_rules import TableRules


class CopyOrigin(Struct, frozen=True):
    """The origin of a copy.

    Attributes:
        table: the id of the table.
        viewer: the owner of the copy; None for a spectator.
        decisions: the decisions of the copied game, or of a game that looks the same to the seat.
    """

    table: str
    viewer: str | None
    decisions: tuple[PastDecision, ...]


class Looker(Protocol):
    """A connection that displays a table."""

    def wake(self) -> None:
        """Wakes the connection so that it sends news."""

    def leave(self, why: str) -> None:
        """Ends the connection."""


class Live:
    """A table of the hall, with the state of its connections.

    Attributes:
        id: the id of the table, which is not secret.
        rules: its rules.
        table: the table.
        lock: the lock held while the table is changed or viewed, so that no change is visible before it is committed.
        lookers: the connections of each viewer.
        chain: the checksums of the saved lines of its log.
        published: the variations in its log.
        origin: the origin of a copy; None for other tables.
        used: the number of calls and the number of random games that agents have used, by seat.
        judging: whether an opinion is being computed.
        again: the keys of its rematch, by role; empty if there is no rematch, or after a restart.

    Copies (`table.alone`) are never saved.
    """

    def __init__(self, id_: str, rules: TableRules, table: Table, chain: LogChain, begun: float) -> None:
        self.id = id_
        self.rules = rules
        self.table = table
        self.lock = asyncio.Lock()
        self.lookers: dict[str | None, set[Looker]] = {}
        self.chain = chain
        self.again: dict[str, str] = {}
        self.published: list[Published] = []
        self.origin: CopyOrigin | None = None
        self.judging = False
        self.used: dict[str, list[int]] = {}
        self.begun = begun
        self.thought: asyncio.Task[None] | None = None
        self.header = self.first_line()

    @property
    def present(self) -> list[str]:
        """The seats with an open connection."""
        if self.table.alone:
            return [*self.table.game.seats]
        return [seat for seat in self.table.game.seats if self.lookers.get(seat)]

    def first_line(self) -> str:
        """The first line of the log, without the rules."""
        date = datetime.fromtimestamp(self.begun).astimezone().date().isoformat()
        return to_json_text(LogHeader.of(self.table.game, {"date": date}).to_json(), plain=True)

    def entry(self) -> StoredGame:
        """The stored record of the table, without the lines of its log."""
        aside = msgspec.json.encode(self.table.aside).decode()
        return StoredGame(self.id, self.first_line(), self.rules.bundle.sources, aside, self.begun)

    def wake(self) -> None:
        """Wakes all connections at the table."""
        for lookers in self.lookers.values():
            for looker in lookers:
                looker.wake()

    def send_away(self, why: str) -> None:
        """Disconnects all viewers."""
        for looker in [each for of in self.lookers.values() for each in of]:
            looker.leave(why)

    def past(self, viewer: str | None = OMNISCIENT) -> PastGame:
        """The game as decisions; if a viewer is given, without the open plans of other seats."""
        return PastGame.of(self.id, self.rules.bundle, as_shown(self.table.game, viewer))

    def notes(self, viewer: str | None, *, whole: bool) -> list[Published]:
        """The published variations that a viewer can see; with `whole`, also those of other seats."""
        return standing_of(self.published, self.table.game, viewer, whole=whole)

    def log(self, viewer: str | None) -> str:
        """The whole log, except the open plans of seats other than the viewer's."""
        game, notes = as_shown(self.table.game, viewer), lines_of_log(self.notes(None, whole=True))
        header = LogHeader.of(game, {}, bundle=self.rules.bundle).to_json()
        lines = [header, *map(entry_json, game.omniscient.numbers.steps), *notes, *end_json(game)]
        return "".join(to_json_text(line, plain=True) + "\n" for line in lines)
