"""A seat at a table of a server, by its link: each call of a tool is answered there, from what the seat may know.

    http://127.0.0.1:8000/#KEY

The server does the tools' work on its own game, by the key: the agent's program never has the game.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from rulespec.engine.game.game import Game
from rulespec.engine.table.seats import clean_name
from rulespec.guests.seat_tools import SeatTools
from rulespec.guests.tools import Tool, Toolbox, ToolError
from rulespec.serve.past_process import PastGame, game_of

MOST_SENT = 4_000
"""Bytes of a call, which the server reads."""
_WAIT = 120.0
"""Seconds for an answer."""
_MOST_READ = 16_000_000


class FixedGame:
    """A game that does not change, for the tools of a seat.

    Args:
        game: the game; None: only the descriptions of the tools are asked for.
    """

    def __init__(self, game: Game | None = None) -> None:
        self._game = game

    def look(self, ask: Any) -> Any:
        """An answer about the game."""
        return ask(self._game)

    def take(self, _: Any) -> None:
        """Refuses: the table takes decisions."""
        raise ToolError("the table takes decisions")


def answer_at_table(past: PastGame, seat: str, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """The answer of a tool for a seat, as JSON, and whether it is an error; runs in a process of the server.

    Args:
        past: the game of the table.
        seat: the seat, by its key.
        name: the tool.
        arguments: its arguments.
    """
    return Toolbox(SeatTools(FixedGame(game_of(past)), seat).tools(), 1).call(name, arguments)


class TableSeat:
    """A seat at a table.

    Args:
        link: of the seat.
        name: under which the agent sits down, if nobody does.

    Raises:
        ToolError: if the link leads to no seat.
    """

    def __init__(self, link: str, name: str) -> None:
        self._link, self._name = link, name
        self._socket: ClientConnection | None = None
        self._open()

    def tools(self) -> tuple[Tool, ...]:
        """The tools of a seat, each answered by the server."""
        return tuple(
            Tool(tool.name, tool.doc, tool.parameters, self._asking(tool.name))
            for tool in SeatTools(FixedGame(), "").tools()
        )

    def _asking(self, name: str) -> Any:
        def run(**arguments: Any) -> dict[str, Any]:
            return self._asked(name, arguments)

        return run

    def _asked(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        text = json.dumps({"do": "tool", "tool": name, "arguments": dict(arguments)})
        if len(text.encode()) > MOST_SENT:
            raise ToolError(f"a call has at most {MOST_SENT:,} bytes")
        try:
            answer = self._said(text)
        except (OSError, WebSocketException, TimeoutError):
            self._open()  # the server may have been started again
            answer = self._said(text)
        result: dict[str, Any] = json.loads(answer["text"])
        if answer["wrong"]:
            raise ToolError(str(result.get("error", "this is refused")))
        return result

    def _said(self, text: str) -> dict[str, Any]:
        assert self._socket is not None
        self._socket.send(text)
        while True:
            message = self._read()
            if "tool" in message:
                result: dict[str, Any] = message["tool"]
                return result

    def _read(self) -> dict[str, Any]:
        assert self._socket is not None
        message: dict[str, Any] = json.loads(self._socket.recv(_WAIT))
        return message

    def _open(self) -> None:
        """Connects, and sits down where nobody sits."""
        parts = urlsplit(self._link)
        if parts.scheme not in ("http", "https") or not parts.netloc or not parts.fragment:
            raise ToolError("a link of a seat is http://HOST:PORT/#KEY")
        secure = parts.scheme == "https"
        address = f"{'wss' if secure else 'ws'}://{parts.netloc}/socket"
        if self._socket is not None:
            self._socket.close()
        try:
            self._socket = connect(
                address,
                origin=Origin(f"{parts.scheme}://{parts.netloc}"),
                ssl=ssl.create_default_context() if secure else None,
                max_size=_MOST_READ,
            ).__enter__()  # it stays open as long as the agent's program runs
            self._socket.send(json.dumps({"key": parts.fragment}))
            hello = self._read().get("hello")
            if not isinstance(hello, dict) or hello.get("seat") is None or "agent" not in hello.get("asks", ()):
                raise ToolError("this link is of no seat at a table, or the server has no tools for agents")
            frame = self._read()["frame"]
        except (OSError, WebSocketException, TimeoutError, ValueError, KeyError) as error:
            raise ToolError(f"there is no table at {parts.scheme}://{parts.netloc}, or it knows no such key") from error
        own = next(each for each in frame["seats"] if each["id"] == hello["seat"])
        if own["kind"] == "free":
            self._socket.send(json.dumps({"do": "name", "name": clean_name(self._name) or "agent"}))
