"""The part of a table that is in no log: the people at the seats, their open requests, and the clock."""

from __future__ import annotations

from collections.abc import Collection
from math import ceil, inf

from msgspec import Struct

from rulespec.engine.logs.variations import KeptLine
from rulespec.engine.table.seats import Seat
from rulespec.engine.table.time_limits import TableClock, TimeLimits, counted, reached


class Request(Struct):
    """A request to take back.

    Attributes:
        by: the seat that asks.
        decisions: the number of decisions.
        agreed: the seats that agree, with that one.
        at: when it was made, in seconds of the clock.
    """

    by: str
    decisions: int
    agreed: list[str]
    at: float = 0.0


class Back(Struct, frozen=True):
    """Decisions that were taken back, for the history of the table.

    Attributes:
        at: the number of decisions that stood after it.
        by: the seat that took back.
        decisions: the number of decisions.
        unasked: the seats that were away for too long to be asked.
    """

    at: int
    by: str
    decisions: int
    unasked: list[str] = []


class Undone(Struct, frozen=True):
    """Decisions that were taken back, and can be taken again.

    Attributes:
        by: the seat that took them back.
        options: the seat of each ("": chance), its option, and the salt of its seal.
        sealed: the choices of the open round that ended with them: seat → its option and its salt.
    """

    by: str
    options: list[tuple[str, str, str]]
    sealed: dict[str, tuple[str, str]] = {}


class Unlogged(Struct):
    """The part of a table that is in no log, saved beside it.

    Attributes:
        seats: by id.
        seed: of chance and random players.
        deadline: seconds for a decision; 0: none.
        since: seat → when its open decision was asked, in seconds of the clock.
        choices: seat → its choice in the open round, which the game has not taken yet, and its salt.
        request: the open request to take back.
        reveals: whether everybody is shown all once the game is over.
        at: when this was noted, in seconds of the clock; 0: by an earlier version, which did not.
        absent: seconds after which a request to take back no longer waits for people who are away; 0: it always waits.
        answers: whether decisions of a bot count as seen: then earlier decisions are not free.
        spent: seat → the seconds that its last decision took: they go on if it takes that back without asking.
        undone: the decisions that can be taken again.
        backs: the last decisions taken back.
        lines: seat → its kept variations.
        opinions: whether bots give opinions in copies while the game goes on.
        limits: the limits of time besides the deadline.
        used: seat → running seconds that its decisions have taken, less the increments.
        paused: the time at which the owner stopped the clock; 0: it runs.
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
        """The running seconds of a seat's open decision."""
        stop = self.paused or now
        since = self.since.get(seat, stop)
        return counted(since, stop, self.limits) if since < stop else 0.0

    def left(self, seat: str) -> float:
        """The seconds of a seat's budget, without its open decision; without a budget they mean nothing."""
        return self.limits.budget - self.used.get(seat, 0.0)

    def due(self, seat: str) -> float:
        """The moment at which the time of a seat that is waited for is over; `inf` without an end."""
        if self.paused or seat not in self.since:
            return inf
        limits = [self.deadline] * bool(self.deadline) + [self.left(seat)] * bool(self.limits.budget)
        return min((reached(self.since[seat], seconds, self.limits) for seconds in limits), default=inf)

    def clock(self, people: Collection[str], *, shown: bool) -> TableClock:
        """The clock as people see it; without times where it is not shown."""
        if not shown or not (self.deadline or self.limits.budget):
            return TableClock(self.deadline)
        due = {seat: ceil(at) for seat in people if (at := self.due(seat)) < inf}
        left = {seat: round(self.left(seat)) for seat in self.seats} if self.limits.budget else {}
        return TableClock(self.deadline, due, left, bool(self.paused))

    def note_taken(self, seat: str, now: float) -> None:
        """Notes the time of a decision that a seat has taken."""
        self.spent[seat] = self.elapsed(seat, now)
        self.used[seat] = self.used.get(seat, 0.0) + self.spent[seat] - self.limits.increment

    def note_chosen(self, seat: str, now: float) -> None:
        """Notes the time of a choice in a round."""
        if seat in self.since:
            self.note_taken(seat, now)
            del self.since[seat]

    def note_back(self, seat: str, now: float) -> float:
        """Gives a seat the time of its last decision back, which goes on; when it is taken to have been asked."""
        if seat in self.since:
            return self.since[seat]
        spent = self.spent.get(seat, 0.0)
        self.used[seat] = self.used.get(seat, 0.0) - spent + self.limits.increment
        return (self.paused or now) - spent

    def resume(self, now: float) -> None:
        """Lets the time go on after a pause, which counts for nobody."""
        if self.paused:
            self.since = {seat: since + now - max(since, self.paused) for seat, since in self.since.items()}
            self.paused = 0.0
