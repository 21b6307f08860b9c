"""A connection of a map page: first its key, then its messages and their effects."""

from __future__ import annotations

import asyncio
import hmac
from contextlib import suppress
from typing import Any

import msgspec
from starlette.types import Receive, Send

from rulespec.lsp.outline_edits import OutlineBoard
from rulespec.serve.connection import FAILED, FIRST, MAX_OF_KEY, TOO_MUCH, WRONG_KEY, Allowance, GoneError
from rulespec.serve.edit.desk import Desk
from rulespec.serve.edit.map_messages import MAX_MESSAGE, read_message
from rulespec.serve.edit.picture import Drawn
from rulespec.serve.edit.step_programs import EditorProgram
from rulespec.serve.socket_parts import Bell, read_key

BURST, RATE = 200, 40.0
"""The rate limit of messages: the initial burst, and the number per second; a drag with keys sends many."""


class EditConnection:
    """A connection of a page.

    Args:
        receive: returns the messages of an accepted socket.
        send: sends a message to that socket.
        desk: the editor, and all its pages.
        key: the key that the first message must contain.
    """

    def __init__(self, receive: Receive, send: Send, desk: Desk, key: str) -> None:
        self._receive_next, self._send_next = receive, send
        self._desk, self._key = desk, key
        self._new = Bell()
        self._answers: list[dict[str, Any]] = []
        self._serial = 0
        self._drawn: Drawn | None = None
        self._programs: dict[str, EditorProgram] = {}
        self._board: OutlineBoard | None = None
        self._allowance = Allowance(BURST, RATE)

    def wake(self) -> None:
        """Wakes the connection so that it sends news."""
        self._new.set()

    async def live(self) -> None:
        """Reads the key, then serves the page."""
        with suppress(GoneError, OSError, RuntimeError):
            if not await self._has_key():
                await self._close(WRONG_KEY)
            elif len(self._desk.pages) >= MAX_OF_KEY:
                await self._close(TOO_MUCH)
            else:
                await self._serve()

    async def _has_key(self) -> bool:
        with suppress(TimeoutError):
            key = read_key(await asyncio.wait_for(self._receive(), FIRST), MAX_MESSAGE)
            return key is not None and hmac.compare_digest(key.encode(), self._key.encode())
        return False

    async def _serve(self) -> None:
        self._desk.pages.add(self)
        self._answers.append({"hello": self._desk.hello})
        self._new.set()
        writing = asyncio.create_task(self._write_all())
        try:
            while True:
                text = await self._receive()
                if not self._allowance.spend():
                    await self._close(TOO_MUCH)
                    return
                message = read_message(text)
                refused = {"refused": "this message is malformed, or too large"}
                answer = await self._desk.hear(message) if message is not None else refused
                self._answers.append(answer)
                self._new.set()
        finally:
            self._desk.pages.discard(self)
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    async def _receive(self) -> str:
        message = await self._receive_next()
        if message["type"] == "websocket.disconnect":
            raise GoneError
        return message.get("text") or ""

    async def _write_all(self) -> None:
        try:
            while True:
                await self._new.wait()
                self._new.clear()
                await self._flush()
        except Exception:  # the page would wait for ever; so it reconnects
            await self._close(FAILED)

    async def _flush(self) -> None:
        """Sends news: problems and regions first, then answers and changed items of the picture."""
        state = self._desk.editor.state
        answers, self._answers = self._answers, []
        for answer in (each for each in answers if "hello" in each):
            await self._write(answer)
        if state["serial"] != self._serial:
            self._serial = state["serial"]
            board, self._board = self._board, state["outlines"]
            shown = {name: value for name, value in state.items() if name != "outlines" or value != board}
            await self._write({"state": shown})
        for answer in (each for each in answers if "hello" not in each):
            await self._write(answer)
        if self._programs is not self._desk.programs.shown:
            self._programs = self._desk.programs.shown
            await self._write({"programs": self._programs})
        if self._desk.drawn is not None and self._desk.drawn[1] is not self._drawn:
            version, drawn = self._desk.drawn
            before, self._drawn = self._drawn, drawn
            await self._write({"picture": {"version": version, **changed_items(before, drawn)}})

    async def _close(self, code: int) -> None:
        await self._send_next({"type": "websocket.close", "code": code, "reason": ""})

    async def _write(self, data: dict[str, Any]) -> None:
        await self._send_next({"type": "websocket.send", "text": msgspec.json.encode(data).decode()})


def changed_items(before: Drawn | None, now: Drawn) -> dict[str, Any]:
    """The changes to a picture, for a page: new and changed items, and None for each removed item."""
    old = before.items if before is not None else {}
    items = {id_: [item.layer, item.svg] for id_, item in now.items.items() if old.get(id_) != item}
    return {
        "whole": before is None,
        "size": list(now.size),
        "items": items | dict.fromkeys(old.keys() - now.items.keys()),
        "order": None if list(old) == list(now.items) else list(now.items),
        "spots": now.spots,
        "frame": [now.frame.left, now.frame.top, now.frame.width, now.frame.height],
        "scale": now.scale,
        "corner": list(now.corner),
        "free": [round(now.free[0]), round(now.free[1])],
        "loose": {name: [round(x), round(y)] for name, (x, y) in now.loose.items()},
    }
