"""A seat at a server's table, given by its link; the server answers each tool call from the seat's own view.

    http://127.0.0.1:8000/#KEY

The server runs the tools on its own game, which the key authorises, so the agent's program never has the game itself.
"""

from __future__ import annotations

import json
import ssl
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from rulespec.engine.game.game import Game
from rulespec.engine.table.seats import clean_name
from rulespec.guests.seat_tools import SeatTools
from rulespec.guests.tools import Tool, Toolbox, ToolError
from rulespec.serve.past_process import KeptGame, PastDecision, PastGame, start_of

MOST_SENT = 4_000
"""The maximum size of a call in bytes, as the server reads it."""
_WAIT = 120.0
"""The time limit for an answer in seconds."""
_MOST_READ = 16_000_000
_MOST_KEPT = 32
"""The maximum number of seats whose games the answering process caches."""


class TableGame:
    """The game at a table, which a seat's tools can only read.

    Args:
        past: the game at its start; None if only the descriptions of the tools are needed.
    """

    def __init__(self, past: PastGame | None = None) -> None:
        self._memory = None if past is None else KeptGame(start_of(past))
        self._decisions: Sequence[PastDecision] = ()

    def go_to(self, decisions: Sequence[PastDecision]) -> None:
        """Moves the game to the position after the given decisions, for the next calls."""
        self._decisions = decisions

    def look(self, ask: Callable[[Game], Any]) -> Any:
        """The result of calling `ask` with the game."""
        assert self._memory is not None
        return ask(self._memory.follow(self._decisions))

    def take(self, _: Any) -> None:
        """Refuses every decision, since only the table plays them."""
        raise ToolError("the table takes decisions")


_Key = tuple[object, ...]
_tables: OrderedDict[_Key, tuple[TableGame, SeatTools]] = OrderedDict()
"""The games of the most recent seats, cached in the answering process."""


def answer_at_table(past: PastGame, seat: str, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """A tool's answer for a seat as JSON, and whether it is an error; runs in a server process.

    The game is cached for the next call, because replaying a long game takes seconds.

    Args:
        past: the game of the table.
        seat: the seat to which the key belongs.
        name: the tool.
        arguments: its arguments.
    """
    key = (past.game, past.bundle.sources, *past.names.items(), *past.settings.items(), seat)
    if key not in _tables:
        table = TableGame(past)
        _tables[key] = table, SeatTools(table, seat)
        if len(_tables) > _MOST_KEPT:
            _tables.popitem(last=False)
    _tables.move_to_end(key)
    table, tools = _tables[key]
    table.go_to(past.decisions)
    return Toolbox(tools.tools(), 1).call(name, arguments)


class TableSeat:
    """A seat at a server's table; the server answers its tool calls.

    Args:
        link: the link of the seat.
        name: the player's name, used if the seat is free.

    Raises:
        ToolError: if the link does not lead to a seat.
    """

    def __init__(self, link: str, name: str) -> None:
        self._link, self._name = link, name
        self._socket: ClientConnection | None = None
        self._open()

    def tools(self) -> tuple[Tool, ...]:
        """The tools of a seat, which the server answers."""
        return tuple(
            Tool(tool.name, tool.doc, tool.parameters, self._asking(tool.name))
            for tool in SeatTools(TableGame(), "").tools()
        )

    def _asking(self, name: str) -> Any:
        def run(**arguments: Any) -> dict[str, Any]:
            return self._asked(name, arguments)

        return run

    def _asked(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        text = json.dumps({"do": "tool", "tool": name, "arguments": dict(arguments)})
        if len(text.encode()) > MOST_SENT:
            raise ToolError(f"the call has more than {MOST_SENT:,} bytes")
        try:
            answer = self._said(text)
        except (OSError, WebSocketException, TimeoutError):
            self._open()  # the server may have been restarted
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
        """Connects, and takes the seat if it is free."""
        parts = urlsplit(self._link)
        if parts.scheme not in ("http", "https") or not parts.netloc or not parts.fragment:
            raise ToolError("this is not the link of a seat: write http://HOST:PORT/#KEY")
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
            ).__enter__()  # open as long as the agent's program runs
            self._socket.send(json.dumps({"key": parts.fragment}))
            hello = self._read().get("hello")
            if not isinstance(hello, dict) or hello.get("seat") is None or "agent" not in hello.get("asks", ()):
                raise ToolError("this link is not for a seat at a table, or the server has no tools for agents")
            frame = self._read()["frame"]
        except (OSError, WebSocketException, TimeoutError, ValueError, KeyError) as error:
            raise ToolError(
                f"there is no table at {parts.scheme}://{parts.netloc}, or it does not know this key"
            ) from error
        own = next(each for each in frame["seats"] if each["id"] == hello["seat"])
        if own["kind"] == "free":
            self._socket.send(json.dumps({"do": "name", "name": clean_name(self._name) or "agent"}))
