"""Stores of tables for tests: created and played in a hall without a server, damaged, and resumed."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.table.messages import Message, MessageRefusal
from rulespec.load import load_ruleset
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live
from rulespec.serve.store import TableStore
from rulespec.serve.table_rules import TableRules


@contextmanager
def in_memory() -> Iterator[Path]:
    """A folder in an in-memory file system if available, so that tests do not wait for a disk."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)


class Standing(Struct, frozen=True):
    """The tables of a store after a restart.

    Attributes:
        games: id → the decisions of each resumed table, as texts.
        faults: id → the reason why a table was not resumed.
        codes: the codes of the notes.
        messages: the messages of the notes.
        keys: the table and the role of each key.
    """

    games: dict[str, list[str]]
    faults: dict[str, str]
    codes: list[str]
    messages: list[str]
    keys: set[tuple[str, str]]


def new_store(path: Path, tables: int = 2, moves: int = 3, ref: str = "nim") -> list[str]:
    """Creates a store with two-player tables, each after some decisions; returns their ids."""
    return asyncio.run(_played(path, tables, moves, ref))


async def _played(path: Path, tables: int, moves: int, ref: str) -> list[str]:
    rules = TableRules(load_ruleset(ref))
    hall = Hall(TableStore(path), {ref: rules})
    try:
        hall.resume()
        games = [await new_table(hall, rules) for _ in range(tables)]
        for live in games:
            assert not await sit(hall, live)
            for _ in range(moves):
                assert await move(hall, live) is None
        await hall.renew("", "owner")
        return [live.id for live in games]
    finally:
        hall.close()


async def new_table(hall: Hall, rules: TableRules) -> Live:
    """A new table with two seats."""
    game = Game(rules.ruleset, seat_names(2, rules.ruleset.seats))
    game.omniscient.numbers.begin()
    return (await hall.new(rules, game))[0]


async def sit(hall: Hall, live: Live) -> list[MessageRefusal]:
    """Seats a player at each seat of a table; returns the refusals."""
    names = [await hear(hall, live, seat, do="name", name=f"{seat}-name") for seat in live.table.game.seats]
    return [refusal for refusal in names if refusal is not None]


async def hear(hall: Hall, live: Live, seat: str, **message: str) -> MessageRefusal | None:
    """Sends a message from a seat with the current state."""
    return await hall.hear(live, seat, Message(serial=live.table.say(seat)["serial"], **message))  # type: ignore[arg-type]


async def move(hall: Hall, live: Live) -> MessageRefusal | None:
    """Plays the first legal option at a table, by the seat to move."""
    option = next(iter(live.table.game.legal_options))
    return await hear(hall, live, sorted(live.table.waited)[0], do="take", option=str(option))


def resumed(path: Path, ref: str = "") -> Standing:
    """The tables of a store after a server's restart; `ref` names rules for all of them."""
    hall = Hall(TableStore(path), {ref: TableRules(load_ruleset(ref))} if ref else {})
    try:
        hall.resume()
        games = {live.id: [str(option) for option in live.table.game.history] for live in hall.games.values()}
        notes = hall.notes
        keys = {*hall.store.keys().values()}
        return Standing(games, dict(hall.faults), [d.code for d in notes], [d.message for d in notes], keys)
    finally:
        hall.close()


def changed(path: Path, *statements: str | tuple[str, tuple[object, ...]]) -> None:
    """Changes a closed store with another program."""
    with closing(sqlite3.connect(path)) as base:
        for each in statements:
            base.execute(each) if isinstance(each, str) else base.execute(*each)
        base.commit()


def flipped(path: Path, change: Callable[[bytearray], None]) -> None:
    """Changes some bytes of a file."""
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
