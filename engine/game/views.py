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
from rulespec.engine.program.journal import State
from rulespec.records import Brief


class SeenOption(Struct, frozen=True):
    """A seat's option: its text for `Game.parse`, and its `kinds` as those of `Option`."""

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
    """The view of a seat, without hidden information and without a way back to the game.

    Attributes:
        seat: the viewer; None for the public.
        seats: the ids of the players.
        names: seat → the name that people see.
        state: as in `state_json`, without hidden values; and `counts`: the public counts, by the private thing counted.
        hidden: the hidden values, such as `player.Bob.cash`.
        decision: the open decision with its decider; None when the game is over.
        waiting: the seats whose decision the game waits for; none at chance.
        options: the legal options of the seat; none for the public, and none where there are too many to list.
        interrupts: its options out of turn.
        history: the decisions so far, or the last of them.
        ply: the number of decisions.
        hash: the hash of the visible part of the position. Equal positions have equal ones, others may, too.
        memory: the hash of all the seat's observations so far: two games have the same memory for a seat if it cannot
            tell them apart. 32 hex digits, as `hash`.
        result: the result of the game; None while it goes on.
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
        """The view as JSON: equal views are equal texts."""
        return msgspec.json.encode(self).decode()


def shown_state(program: ir.Program, labels: Labels, state: State, unseen: Mapping[int, ir.Secret]) -> dict[str, Any]:
    """The `state` of a view from which some cells are hidden."""
    return named_state(program, labels, state, unseen, null=False) | {"counts": counts(program, labels, state)}


def seen_option(option: Option, seat: str) -> SeenOption:
    """An option as a seat has it that may take it."""
    return SeenOption(option.decision, option.name, option.arguments, option.kinds, seat, option.interrupt)
