"""The part of a table that is in no log: the people at the seats, their open requests, and the clock."""

from __future__ import annotations

from msgspec import Struct

from rulespec.engine.logs.variations import KeptLine
from rulespec.engine.table.seats import Seat


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
