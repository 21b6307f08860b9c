"""Tables of players for tests, and the frames sent to their viewers."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.table.messages import Message, MessageRefusal, read_message
from rulespec.engine.table.seats import Seat, Unlogged
from rulespec.engine.table.table import Table
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed

FRAME = Draft202012Validator(load_schema("table_frame"))
MESSAGE = Draft202012Validator(load_schema("table_message"))


class Clock:
    """A clock set by a test."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def table_of(game: Game, *bots: str, **how: Any) -> Table:
    """A table with seated players, and bots on the last seats, after the bots' first moves."""
    table = still_table(game, *bots, **how)
    proceed(table)
    return table


def still_table(game: Game, *bots: str, deadline: int = 0, clock: Clock | None = None, reveals: bool = False) -> Table:
    """A table before any moves of bots."""
    people = len(game.seats) - len(bots)
    seats = {seat: Seat("person", seat) for seat in game.seats[:people]}
    seats |= {seat: Seat("bot", "", bot) for seat, bot in zip(game.seats[people:], bots, strict=True)}
    words = _words_of(game.ruleset.ref, game.ruleset.hash, game.ruleset)
    return Table(words, game, Unlogged(seats, 1, deadline, reveals=reveals), ("random", "flat:64"), clock or Clock())


_known: dict[tuple[str, str], Words] = {}


def _words_of(ref: str, hash_: str, ruleset: typed.Ruleset) -> Words:
    """The cached words of a ruleset."""
    return _known.setdefault((ref, hash_), Words(ruleset))


def new_table(ref: str, players: int, *bots: str, **how: Any) -> Table:
    """A table of a ruleset at its first decision."""
    return table_of(Game(load_ruleset(ref), "ABCDEFGH"[:players]), *bots, **how)


def proceed(table: Table) -> None:
    """Lets bots play, and confirms all changes."""
    while table.advance():
        pass
    table.confirm()


def send(table: Table, viewer: str | None, **message: Any) -> MessageRefusal | None:
    """Sends a message from a viewer with the current state, and confirms its effects."""
    data = {"serial": table.say(viewer)["serial"], **message}
    MESSAGE.validate(data)
    read = read_message(data)
    assert isinstance(read, Message)
    refusal = table.hear(viewer, read)
    if refusal is None:
        proceed(table)
    return refusal


def frames_along(game: Game, viewer: str | None, **how: Any) -> list[dict[str, Any]]:
    """The frames of a viewer during a finished game: after each decision, with occasional complete frames."""
    past, options = game.copy(), []
    while past.ply:
        options.append(past.undo())
    table = still_table(past, **how)
    results = [table.say(viewer)]
    for option in reversed(options):
        results += _after(table, option, viewer, results[-1]["serial"])
    for frame in results:
        FRAME.validate(frame)
    return results


def _after(table: Table, option: Option, viewer: str | None, since: int) -> list[dict[str, Any]]:
    table.played.take(table.game.parse(str(option), None if option.interrupt else option.by))
    table.confirm()
    for other in (*table.game.seats, None):  # other viewers' frames do not matter
        table.say(other)
    whole = [table.say(viewer)] if table.game.ply % 7 == 0 else []
    return [*whole, table.say(viewer, since)]
