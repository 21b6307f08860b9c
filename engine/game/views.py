"""Views: a seat's knowledge of a game, as a self-contained value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from rulespec.engine.game.events import Event
from rulespec.engine.game.named_state import counts, named_state
from rulespec.engine.game.option import Decision, Labels, Option, Result
from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.records import Brief


class SeenOption(Struct, frozen=True):
    """An option in a view. `str` gives the text for `Game.parse`, and `kinds` is the same as in `Option`."""

    decision: str
    name: str
    arguments: dict[str, str]
    kinds: dict[str, str]
    by: str
    interrupt: bool

    def __str__(self) -> str:
        shown = ", ".join(self.arguments.values())
        return f"{self.name}({shown})" if shown else self.name


class View(Brief, Struct, frozen=True):
    """The view of a seat, without hidden information and without access to the game.

    Attributes:
        seat: the viewer; None for the public.
        seats: the ids of the players.
        names: seat → displayed name.
        state: the state in the form of `state_json`, without hidden values; `counts` has the public counts of private
            pieces.
        hidden: the names of the hidden values, such as `player.Bob.cash`.
        decision: the open decision with its decider; None when the game is over.
        waiting: the seats that the game waits for; empty at a chance decision.
        options: the legal options of the seat; empty for the public, and if there are too many to list.
        interrupts: the seat's out-of-turn options.
        history: the decisions so far, or only the last few.
        ply: the number of decisions.
        hash: the hash of the visible part of the position. Equal positions have equal hashes; the converse need not
            hold.
        memory: the hash of all the seat's observations so far, as 32 hex digits; it is equal in two games if and only
            if the seat cannot tell them apart.
        result: the result of the game; None until it ends.
    """

    seat: str | None
    seats: tuple[str, ...]
    names: dict[str, str]
    state: dict[str, Any]
    hidden: tuple[str, ...]
    decision: Decision | None
    waiting: tuple[str, ...]
    options: tuple[SeenOption, ...]
    interrupts: tuple[SeenOption, ...]
    history: tuple[Event, ...]
    ply: int
    hash: str
    memory: str
    result: Result | None

    def text(self) -> str:
        """The view as JSON; equal views give equal texts."""
        return msgspec.json.encode(self).decode()


def shown_state(program: ir.Program, labels: Labels, state: State, unseen: Mapping[int, ir.Secret]) -> dict[str, Any]:
    """The `state` of a view with some cells hidden."""
    return named_state(program, labels, state, unseen, null=False) | {"counts": counts(program, labels, state)}


def seen_option(option: Option, seat: str) -> SeenOption:
    """An option as seen by its seat."""
    return SeenOption(option.decision, option.name, option.arguments, option.kinds, seat, option.interrupt)
