"""Servers of map pages for tests, run in a thread, and clients in place of pages."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from folders import GAMES
from servers import WAIT, opened
from websockets.sync.client import ClientConnection

from rulespec.serve.edit.desk import Desk
from rulespec.serve.edit.first_map import Start
from rulespec.serve.edit.map_app import edit_app
from rulespec.serve.edit.map_messages import MAX_MESSAGE
from rulespec.serve.running import listening, server
from rulespec.serve.thinking import Thinking

KEY = "k" * 22
DRAWING = Thinking()
"""The drawing process shared by all servers of these tests."""


def copied(name: str, to: Path, *left_out: str) -> Path:
    """A copy of a shipped ruleset in another folder."""
    shutil.copytree(GAMES / name, to, ignore=shutil.ignore_patterns(*(left_out or ("logs", "perft"))))
    return to


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder and their contents."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def emptied(folder: Path) -> Path:
    """The tutorial's map without regions."""
    path = folder / "map.yaml"
    path.write_text(path.read_text("utf-8").partition("    north_lake")[0].replace("regions:", "regions: {}"), "utf-8")
    drawing = folder / "drawing.yaml"
    drawing.write_text(drawing.read_text("utf-8").partition("      positions:")[0], "utf-8")
    return folder


class Serving(NamedTuple):
    """A map server in a thread: its desk and its address."""

    desk: Desk
    base: str

    @property
    def socket(self) -> str:
        """The address of the server's socket."""
        return self.base.replace("http", "ws", 1) + "/socket"

    @property
    def link(self) -> str:
        """The link to the page."""
        return f"{self.base}/#{KEY}"

    def page(self) -> EditPage:
        """A new page client."""
        return EditPage(opened(self.socket))


class EditPage:
    """A client of the map page, without a browser."""

    def __init__(self, socket: ClientConnection, key: str = KEY) -> None:
        self.socket = socket
        self.hello: dict[str, Any] = {}
        self.state: dict[str, Any] = {}
        self.picture: dict[str, Any] = {}
        self.items: dict[str, Any] = {}
        self.programs: dict[str, Any] = {}
        self.socket.send(json.dumps({"key": key}))

    def read(self, timeout: float = WAIT) -> dict[str, Any]:
        """Receives the next message."""
        message: dict[str, Any] = json.loads(self.socket.recv(timeout))
        self.hello = message.get("hello", self.hello)
        self.state = message.get("state", self.state)
        self.programs = message.get("programs", self.programs)
        if picture := message.get("picture"):
            self.picture = picture
            self.items = ({} if picture["whole"] else self.items) | picture["items"]
        return message

    def drain(self) -> None:
        """Receives all pending messages."""
        with suppress(TimeoutError):
            while True:
                self.read(0)

    def until(self, name: str) -> dict[str, Any]:
        """Receives messages until one has a given key."""
        while name not in (message := self.read()):
            pass
        return message

    def ask(self, **message: Any) -> dict[str, Any]:
        """Sends a request, and receives messages up to its answer."""
        self.socket.send(json.dumps(message))
        while not {"done", "refused", "confirm", "choose"} & (answer := self.read()).keys():
            pass
        return answer

    def edit(self, *edits: str, **more: Any) -> dict[str, Any]:
        """Makes edits, given as texts of words without spaces."""
        return self.ask(do="edit", edits=[each.split() for each in edits], **more)


@contextmanager
def editing(folder: Path) -> Iterator[Serving]:
    """A server of the map page, in a thread."""
    desk = Desk(folder, DRAWING)
    with served(desk) as base:
        yield Serving(desk, base)


@contextmanager
def starting(folder: Path) -> Iterator[str]:
    """The address of a server, in a thread, for starting a map."""
    with served(Start(folder, lambda: Desk(folder, DRAWING))) as base:
        yield base


@contextmanager
def served(opened: Desk | Start) -> Iterator[str]:
    listener = listening("127.0.0.1", 0)
    port = listener.getsockname()[1]
    running = server(edit_app(opened, KEY, port), largest=4 * MAX_MESSAGE)

    thread = threading.Thread(target=lambda: asyncio.run(running.serve(sockets=[listener])), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        running.should_exit = True
        thread.join(WAIT)
        listener.close()
