"""A page's connection: first its key, then messages from the viewer, and frames with news for the viewer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from starlette.types import Receive, Send

from rulespec.engine.table.messages import STALE, Message, MessageRefusal, read_message
from rulespec.errors import RulespecError
from rulespec.serve.agents import call_tool, read_call
from rulespec.serve.copies import fork
from rulespec.serve.hall import OWNER, Hall
from rulespec.serve.line_desk import LineDesk, read_order
from rulespec.serve.live import Live
from rulespec.serve.owner import OwnerDesk, listed
from rulespec.serve.rules_at_hand import all_rules, can_hint, hint
from rulespec.serve.socket_parts import Bell, read, read_key
from rulespec.serve.studies import gives_opinions, may_judge, opinion, study
from rulespec.serve.typed_moves import notation_at, read_typed, take_typed

MAX_MESSAGE = 4_096
"""The maximum size of a message in bytes."""
BURST, RATE = 40, 10.0
"""The rate limit of messages: the initial burst, and the number per second after that."""
FIRST = 10.0
"""The time limit for sending the key, in seconds."""
WAITING = 60
"""The maximum number of answers queued for a slow reader, who is then disconnected."""
MAX_OF_KEY = 20
"""The maximum number of connections with the same key."""
_ASKED = (
    *({"do": "log"}, {"do": "study"}, {"do": "opinion"}, {"do": "fork"}, {"do": "rematch"}),
    *({"do": "hint"}, {"do": "rules"}),
)
"""Messages for the server rather than for the table."""
WRONG_KEY, LEFT, TOO_MUCH, FAILED = 4401, 4410, 4408, 1011
"""The close codes of a socket."""


class Allowance:
    """A limit on the rate of messages from a connection.

    Args:
        burst: the number of messages that may arrive at once.
        rate: the number of messages per second after that.
    """

    def __init__(self, burst: int = BURST, rate: float = RATE) -> None:
        self._burst, self._rate = burst, rate
        self._left = float(burst)
        self._at = time.monotonic()

    def spend(self) -> bool:
        """Spends one message; False if the allowance is used up."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        self._left -= 1
        return self._left >= 0


class GoneError(Exception):
    """The other side closed the connection."""


class Connection:
    """A connection of a viewer or the owner. It is a bare ASGI application, since a server has hundreds of them.

    Args:
        receive: returns the messages of an accepted socket.
        send: sends a message to that socket.
        hall: the tables.
    """

    def __init__(self, receive: Receive, send: Send, hall: Hall) -> None:
        self.hall = hall
        self._receive_next = receive
        self._send_next = send
        self._new = Bell()
        self._lines = LineDesk(hall)
        self._answers: list[dict[str, Any]] = []
        self._left: tuple[int, str] | None = None
        self._allowance = Allowance()
        self._since = 0
        self._whole = True
        self._present: list[str] | None = None
        self._seat: str | None = None
        self._again = False

    # --- what others call -------------------------------------------------------------------------

    def wake(self) -> None:
        """Wakes the connection so that it sends news."""
        self._new.set()

    def leave(self, why: str, code: int = LEFT) -> None:
        """Ends the connection."""
        self._left = code, why
        self._new.set()

    def answer(self, data: dict[str, Any]) -> None:
        """Queues an answer."""
        self._answers.append(data)
        if len(self._answers) > WAITING:
            self.leave("too many answers are waiting", TOO_MUCH)
        self._new.set()

    # --- a life -----------------------------------------------------------------------------------

    async def live(self) -> None:
        """Reads the key, then serves the connection."""
        with suppress(GoneError, OSError, RuntimeError):
            role = await self._role()
            if role is None:
                await self._close(WRONG_KEY)
            elif role[1] == OWNER:
                await self._serve_owner()
            elif role[0] in self.hall.games:
                await self._serve(self.hall.games[role[0]], role[1])
            else:
                await self._close(LEFT)

    async def _role(self) -> tuple[str, str] | None:
        """The table and the role for the key in the first message; None without a valid key."""
        with suppress(TimeoutError):
            key = read_key(await asyncio.wait_for(self._receive(), FIRST), MAX_MESSAGE)
            return self.hall.role(key) if key is not None else None
        return None

    async def _serve(self, live: Live, role: str) -> None:
        self._seat = viewer = self.hall.seat_of(role)
        lookers = live.lookers.setdefault(viewer, set())
        if len(lookers) >= MAX_OF_KEY:
            await self._close(TOO_MUCH)
            return
        lookers.add(self)
        try:
            self.answer({"hello": self._hello(live, viewer)})
            if len(lookers) == 1:
                live.wake()
            await self._both(self._read(live), live)
        finally:
            lookers.discard(self)
            if not lookers:
                live.wake()

    async def _serve_owner(self) -> None:
        if len(self.hall.owners) >= MAX_OF_KEY:
            await self._close(TOO_MUCH)
            return
        self.hall.owners.add(self)
        desk = OwnerDesk(self.hall)
        try:
            self.answer({"owner": desk.hello()})
            await self._both(self._read_owner(desk), None)
        finally:
            self.hall.owners.discard(self)

    async def _both(self, reading: Coroutine[Any, Any, None], live: Live | None) -> None:
        """Reads until the other side leaves or is disconnected, while a task writes."""
        writing = asyncio.create_task(self._write_all(live))
        try:
            await reading
        finally:
            if self._left is None:
                writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    async def _receive(self) -> str | None:
        """The text of a message; None for any other message."""
        message = await self._receive_next()
        if message["type"] == "websocket.disconnect":
            raise GoneError
        return message.get("text")

    async def _allowed(self) -> bool:
        if self._allowance.spend():
            return True
        self.leave("too many messages", TOO_MUCH)
        return False

    async def _read(self, live: Live) -> None:
        while True:
            data = read(await self._receive(), object, MAX_MESSAGE)
            if not await self._allowed():
                return
            if data in _ASKED:
                self.answer(await self._asked(live, data["do"]))
                continue
            if (order := read_order(data)) is not None:
                self.answer(await self._lines.hear(live, self._seat, order))
                continue
            if (call := read_call(data)) is not None:
                self.answer(await call_tool(self.hall, live, self._seat, call))
                continue
            if (typed := read_typed(data)) is not None:
                self.answer(await take_typed(self.hall, live, self._seat, typed))
                continue
            message, viewer = read_message(data), self._seat
            if isinstance(message, Message) and message.do == "moves":
                async with live.lock:
                    self.answer(live.table.earlier(viewer, message.before))
                continue
            if isinstance(message, Message) and message.do in ("preview", "why"):
                async with live.lock:
                    self.answer(live.table.preview(viewer, message))
                continue
            if isinstance(message, Message) and message.do == "reason":
                self.answer(await self._reason(live, message))
                continue
            if isinstance(message, Message) and live.table.alone and message.seat != viewer:
                message = STALE
            refusal = message if isinstance(message, MessageRefusal) else await self.hall.hear(live, viewer, message)
            if refusal is not None:
                self._whole = self._whole or refusal.stale
                self.answer({"refused": refusal.to_json()})

    async def _asked(self, live: Live, what: str) -> dict[str, Any]:
        """The answer to a request for the log, the replay, a copy's key, and the like; the table does not change."""
        hall = self.hall
        answers: dict[str, Callable[[Live, str | None], Awaitable[Any]]] = {
            "log": hall.log,
            "study": partial(study, hall),
            "opinion": partial(opinion, hall),
            "fork": partial(fork, hall),
            "rematch": hall.rematch,
            "hint": partial(hint, hall),
            "rules": partial(all_rules, hall),
        }
        try:
            return {what: await answers[what](live, self._seat)}
        except RulespecError as error:
            return {"refused": MessageRefusal(str(error)).to_json()}
        except BrokenProcessPool:
            return {"refused": MessageRefusal("the answer could not be computed").to_json()}

    async def _reason(self, live: Live, message: Message) -> dict[str, Any]:
        """The explanation of a move or a place."""
        about = {"to": message.to, "place": message.place}
        try:
            return {"reason": about | {"lines": await self.hall.reason(live, self._seat, message)}}
        except (RulespecError, BrokenProcessPool):
            return {"reason": about | {"lines": []}}

    async def _read_owner(self, desk: OwnerDesk) -> None:
        while True:
            data = read(await self._receive(), object, MAX_MESSAGE)
            if not await self._allowed():
                return
            self.answer(await desk.hear(data))

    async def _write_all(self, live: Live | None) -> None:
        try:
            while self._left is None:
                await self._new.wait()
                self._new.clear()
                if self._left is None:
                    await self._flush(live)
        except Exception:  # the page would wait for ever; so it reconnects
            self._left = FAILED, "this could not be shown"
        await self._close(*self._left)

    async def _close(self, code: int, reason: str = "") -> None:
        await self._send_next({"type": "websocket.close", "code": code, "reason": reason})

    async def _flush(self, live: Live | None) -> None:
        """Sends queued answers and news."""
        answers, self._answers = self._answers, []
        for each in answers:
            await self._write(each)
        if live is None:
            await self._write({"tables": listed(self.hall)})
            return
        async with live.lock:
            if live.table.alone and (seat := live.table.turn(self._seat)) != self._seat:
                self._seat, self._whole = seat, True
            frame = live.table.say(self._seat, 0 if self._whole else self._since)
        news = live.present != self._present or bool(live.again) != self._again
        if self._whole or frame["serial"] > self._since or news:
            self._present = frame["here"] = live.present
            if live.again:
                frame["again"] = self._again = True
            self._since, self._whole = frame["serial"], False
            if live.table.alone:
                frame["seat"] = self._seat
            await self._write({"frame": frame})

    async def _write(self, data: dict[str, Any]) -> None:
        await self._send_next({"type": "websocket.send", "text": msgspec.json.encode(data).decode()})

    def _hello(self, live: Live, viewer: str | None) -> dict[str, Any]:
        rules, game = live.rules, live.table.game
        board, plan = rules.board(game.seats, game.seats.index(viewer) if viewer in game.seats else 0)
        return {
            "game": rules.words.game,
            "rules": rules.ruleset.ref,
            "version": rules.ruleset.version,
            "settings": dict(game.settings),
            "changed": [n for n, of in game.ruleset.settings.items() if game.settings[n] != of.default],
            "language": rules.words.language,
            "seat": viewer,
            "alone": live.table.alone,
            "seats": list(game.seats),
            "player": game.ruleset.declarations.player_kind,
            "board": board,
            "plan": plan,
            "cells": rules.cells(game)[1],
            "values": rules.values(game),
            "titles": rules.titles(game),
            "names": rules.option_names(game),
            "helps": rules.helps(game),
            "calls": rules.calls(game),
            "words": rules.page_words,
            "bots": list(self.hall.bots),
            "house": rules.house_rules,
            "asks": _asks(self.hall, live, viewer),
            "now": round(time.time()),
        }


def _asks(hall: Hall, live: Live, viewer: str | None) -> list[str]:
    """The buttons for the requests that a viewer can make."""
    copies = not live.table.alone and (viewer is not None or not live.table.game.omniscient.secretive)
    asks = {"study": True, "reason": True, "rematch": not live.table.alone, "fork": copies}
    asks["preview"] = viewer is not None or live.table.alone
    asks["lines"] = viewer is not None and not live.table.alone
    asks["type"] = notation_at(live) is not None and (viewer is not None or live.table.alone)
    asks["agent"] = hall.agents is not None and viewer is not None and not live.table.alone
    asks["keep"] = live.origin is not None and live.origin.viewer is not None
    asks["opinion"] = may_judge(hall, live) if live.table.alone else gives_opinions(hall)
    asks["rules"] = True
    asks["hint"] = viewer is not None and not live.table.alone and can_hint(live.table.bots)
    return [name for name, offered in asks.items() if offered]
