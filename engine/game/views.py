"""Views: what a seat sees of a game, as a value that holds nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from rulespec.engine.game.events import Event, Events
from rulespec.engine.game.named_state import counts, named_state, path
from rulespec.engine.game.option import Decision, Option, Result
from rulespec.engine.game.round import own_options, waiting
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.game.visibility import digest
from rulespec.engine.program import ir
from rulespec.records import Brief

if TYPE_CHECKING:
    from rulespec.engine.game.game import Game


class SeenOption(Struct, frozen=True):
    """An option that a seat has: what `Game.parse` reads is its text."""

    decision: str
    name: str
    arguments: dict[str, str]
    by: str
    interrupt: bool

    def __str__(self) -> str:
        shown = ", ".join(self.arguments.values())
        return f"{self.name}({shown})" if shown else self.name


class View(Brief, Struct, frozen=True):
    """The view of a seat. Hidden information is not in here, and nothing leads back to the game.

    Attributes:
        seat: who looks; None for what all seats see.
        seats: the ids of the players.
        names: seat → the name that people see.
        state: as `state_json` gives it, without what is hidden; and `counts`, by what is private: how many there are
            where everybody may count.
        hidden: what is hidden, such as `player.Bob.cash`.
        decision: what is asked, and whom; None when the game is over.
        waiting: the seats whose decision the game waits for; none at chance.
        options: what the seat may do now; none for the public.
        interrupts: what it may do out of turn.
        history: the decisions so far.
        ply: how many there are.
        hash: of what is seen of the position. Equal positions look alike, others may.
        memory: of all that the seat has seen so far: two games have the same memory for a seat if it cannot tell them
            apart. 32 hex digits, as `hash`.
        result: how the game ended; None while it goes on.
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


def view_of(game: Game, seat: str | None) -> View:
    """The view of a seat; None: the public view."""
    position, labels = game._position, game.omniscient.labels
    program, state = position.program, position.state
    viewer = PUBLIC if seat is None else game.seats.index(seat)
    unseen = game.omniscient.visibility.unseen(state, viewer)
    events = Events(game.omniscient.visibility, position, game.seats, viewer)
    history, memory, observation = events.history(), events.memory(), game.omniscient.visibility.of(state, viewer)
    result = game.result
    if result is not None:
        memory = digest((memory, result))
    return View(
        seat,
        game.seats,
        dict(game.names),
        _shown(game, unseen),
        tuple(dict.fromkeys(path(labels, program.cells[at], secret) for at, secret in unseen.items())),
        game.decision,
        waiting(game),
        tuple(_seen(option, seat) for option in own_options(game, seat)) if seat is not None else (),
        tuple(_seen(option, seat) for option in game.interrupts if option.by == seat) if seat is not None else (),
        history,
        position.ply,
        digest((observation.seen, observation.options)).hex(),
        memory.hex(),
        result,
    )


def seen_state(game: Game, seat: str | None) -> dict[str, Any]:
    """The `state` of a seat's view alone, for whoever looks at thousands of positions."""
    return _shown(
        game,
        game.omniscient.visibility.unseen(game._position.state, PUBLIC if seat is None else game.seats.index(seat)),
    )


def _shown(game: Game, unseen: Mapping[int, ir.Secret]) -> dict[str, Any]:
    program, labels, state = game._position.program, game.omniscient.labels, game._position.state
    return named_state(program, labels, state, unseen, null=False) | {"counts": counts(program, labels, state)}


def _seen(option: Option, seat: str) -> SeenOption:
    return SeenOption(option.decision, option.name, option.arguments, seat, option.interrupt)
