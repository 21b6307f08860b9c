"""Clients of a hall without sockets: messages are processed in turns of the event loop, without waiting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.table.seats import Seat, Unlogged
from rulespec.engine.table.table import Table
from rulespec.serve.connection import Connection
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live
from rulespec.serve.socket_parts import hashed
from rulespec.serve.store import Statement, TableStore
from rulespec.serve.stored_rows import LogChain
from rulespec.serve.table_rules import TableRules

_TURNS = 40
"""Enough turns of the loop to process all effects of a message, as no client waits for a clock or a disk."""


class Unstored(TableStore):
    """A store that saves nothing, immediately."""

    def __init__(self) -> None:  # opens no file
        self.saved: list[Statement] = []
        self.notes = []

    def keys(self) -> dict[str, tuple[str, str]]:
        """The stored keys: none."""
        return {}

    def save(self, statements: Sequence[Statement]) -> Future[None]:
        """Records the statements."""
        self.saved.extend(statements)
        done: Future[None] = Future()
        done.set_result(None)
        return done


class Page:
    """A client with a key; `received` has all messages sent to it."""

    def __init__(self, hall: Hall, key: str) -> None:
        self.received: list[dict[str, Any]] = []
        self.closed: int | None = None
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._life = asyncio.create_task(Connection(self._give, self._take, hall).live())
        self.send({"key": key})

    async def _give(self) -> dict[str, Any]:
        text = await self._waiting.get()
        return {"type": "websocket.disconnect"} if text is None else {"type": "websocket.receive", "text": text}

    async def _take(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self.closed = message["code"]
        else:
            self.received.append(json.loads(message["text"]))

    def send(self, message: object) -> None:
        """Sends plain data as JSON, or a text unchanged."""
        self._waiting.put_nowait(message if isinstance(message, str) else json.dumps(message))

    async def ask(self, message: object) -> list[dict[str, Any]]:
        """Sends a message; returns the messages received in response."""
        had = len(self.received)
        self.send(message)
        await done()
        return self.received[had:]

    @property
    def serial(self) -> int:
        """The serial of the last frame."""
        return next((m["frame"]["serial"] for m in reversed(self.received) if "frame" in m), 0)

    async def close(self) -> None:
        """Closes the connection, like a closed browser tab."""
        self._waiting.put_nowait(None)
        await self._life


async def done() -> None:
    """Lets all tasks run until none is ready."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)


def keys_of(hall: Hall) -> dict[str, str]:
    """A key for each role at the table `t`, and for the owner."""
    of = {role: role for role in ("seat:A", "seat:B", "spectator")}
    hall._keys |= {hashed(key): ("t", role) for role, key in of.items()} | {hashed("owner"): ("", "owner")}
    return of | {"owner": "owner"}


def hall_with(
    rules: TableRules, game: Game, seats: dict[str, Seat], deadline: int = 0, **more: Any
) -> tuple[Hall, Table]:
    """A hall with one unsaved table, `t`."""
    hall = Hall(Unstored(), {"rules": rules}, bots=("random", "flat:64"), clock=more.pop("clock", lambda: 1000.0))
    table = Table(rules.words, game, Unlogged(seats, 1, deadline, **more), hall.bots, hall._clock, rules.cells(game)[0])
    hall.games["t"] = Live("t", rules, table, LogChain("t"), 0.0)
    return hall, table
