"""The state of a table that is not in the log: seats, people, open requests, and the clock."""

from __future__ import annotations

from collections.abc import Collection
from math import ceil, inf
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.logs.variations import KeptLine
from rulespec.engine.table.time_limits import TableClock, TimeLimits, counted, reached

MAX_NAME = 40
"""The maximum length of a person's name, in characters."""


class Seat(Struct):
    """A seat of a table.

    Attributes:
        kind: the type of player; a free seat is waiting for a person.
        name: the person's name; "" to use the id of the seat.
        bot: the name of the bot that plays it, such as `random` or `flat:64`.
        stand_in: whether the bot stands in for a person.
    """

    kind: Literal["person", "bot", "free"] = "free"
    name: str = ""
    bot: str = ""
    stand_in: bool = False

    def handed_to(self, bot: str) -> Seat:
        """A copy of the seat, played by a bot until the holder of its link returns."""
        return replace(self, kind="bot", bot=bot, stand_in=self.kind != "bot" or self.stand_in)

    def returned(self) -> Seat:
        """A copy of the seat, returned to a person."""
        return replace(self, kind="person", bot="", stand_in=False)


def clean_name(text: str) -> str:
    """A name that a person typed, reduced to one line of printable characters within the limit; may be ""."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())[:MAX_NAME].strip()


class Request(Struct):
    """A request to undo.

    Attributes:
        by: the requesting seat.
        decisions: the number of decisions.
        agreed: the seats that agree, including the requesting seat.
        at: the time of the request, in seconds of the clock.
    """

    by: str
    decisions: int
    agreed: list[str]
    at: float = 0.0


class Back(Struct, frozen=True):
    """An undo, for the history of the table.

    Attributes:
        at: the number of decisions left after it.
        by: the seat that undid.
        decisions: the number of decisions.
        unasked: the seats that were not asked because they had been away for too long.
    """

    at: int
    by: str
    decisions: int
    unasked: list[str] = []


class Undone(Struct, frozen=True):
    """The undone decisions that can be redone.

    Attributes:
        by: the seat that undid them.
        options: for each decision, its seat ("" for chance), its option, and the salt of its seal.
        sealed: the choices that were lost with an open round: seat → its option and its salt.
    """

    by: str
    options: list[tuple[str, str, str]]
    sealed: dict[str, tuple[str, str]] = {}


class Unlogged(Struct):
    """The state of a table that is not in the log, but is saved beside it.

    Attributes:
        seats: the seats by id.
        seed: the seed of chance and of random players.
        deadline: the seconds per decision; 0 means unlimited.
        since: seat → the time of its open question, in seconds of the clock.
        choices: seat → its choice in the open round, not yet applied to the game, and its salt.
        request: the open undo request.
        reveals: whether everything is revealed after the game.
        at: the time of this record, in seconds of the clock; 0 in records written by an earlier version.
        absent: the seconds after which an undo request no longer waits for absent people; 0 means that it always waits.
        answers: whether a bot's decisions count as seen; if so, the decisions before them cannot be undone without
            consent.
        spent: seat → the seconds taken by its last decision; the clock resumes from there after a free undo.
        undone: the decisions that can be redone.
        backs: the last undos.
        lines: seat → its saved variations.
        opinions: whether bots give opinions in private copies during the game.
        limits: the time limits besides the deadline.
        used: seat → the seconds that the clock has run for its decisions, less the increments.
        paused: the time when the owner stopped the clock; 0 while it runs.
    """

    seats: dict[str, Seat]
    seed: int
    deadline: int = 0
    since: dict[str, float] = {}
    choices: dict[str, tuple[str, str]] = {}
    request: Request | None = None
    reveals: bool = False
    at: float = 0.0
    absent: int = 0
    answers: bool = False
    spent: dict[str, float] = {}
    undone: Undone | None = None
    backs: list[Back] = []
    lines: dict[str, list[KeptLine]] = {}
    opinions: bool = False
    limits: TimeLimits = TimeLimits()
    used: dict[str, float] = {}
    paused: float = 0.0

    # --- time -----------------------------------------------------------------------------------

    def elapsed(self, seat: str, now: float) -> float:
        """The seconds that the clock has run for a seat's open decision."""
        stop = self.paused or now
        since = self.since.get(seat, stop)
        return counted(since, stop, self.limits) if since < stop else 0.0

    def left(self, seat: str) -> float:
        """The seconds left in a seat's budget before its open decision is deducted; only meaningful with a budget."""
        return self.limits.budget - self.used.get(seat, 0.0)

    def due(self, seat: str) -> float:
        """The moment when a seat's time runs out; `inf` if unlimited."""
        if self.paused or seat not in self.since:
            return inf
        limits = [self.deadline] * bool(self.deadline) + [self.left(seat)] * bool(self.limits.budget)
        return min((reached(self.since[seat], seconds, self.limits) for seconds in limits), default=inf)

    def clock(self, people: Collection[str], *, shown: bool) -> TableClock:
        """The clock as displayed; without times unless `shown` is set."""
        if not shown or not (self.deadline or self.limits.budget):
            return TableClock(self.deadline)
        due = {seat: ceil(at) for seat in people if (at := self.due(seat)) < inf}
        left = {seat: round(self.left(seat)) for seat in self.seats} if self.limits.budget else {}
        return TableClock(self.deadline, due, left, bool(self.paused))

    def note_taken(self, seat: str, now: float) -> None:
        """Records the time of a seat's decision."""
        self.spent[seat] = self.elapsed(seat, now)
        self.used[seat] = self.used.get(seat, 0.0) + self.spent[seat] - self.limits.increment

    def note_chosen(self, seat: str, now: float) -> None:
        """Records the time of a choice in a round."""
        if seat in self.since:
            self.note_taken(seat, now)
            del self.since[seat]

    def note_back(self, seat: str, now: float) -> float:
        """Resumes the clock of a seat's undone decision where it had stopped; returns the adjusted time of the
        question.
        """
        if seat in self.since:
            return self.since[seat]
        spent = self.spent.get(seat, 0.0)
        self.used[seat] = self.used.get(seat, 0.0) - spent + self.limits.increment
        return (self.paused or now) - spent

    def resume(self, now: float) -> None:
        """Restarts the clock after a pause; the pause counts against nobody."""
        if self.paused:
            self.since = {seat: since + now - max(since, self.paused) for seat, since in self.since.items()}
            self.paused = 0.0
