"""Table servers for tests, run in a thread of the tests or as a process that can be killed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from deadlines import DEADLINE, GLANCE, Deadline
from folders import ROOT
from uvicorn import server as uvicorn_server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.load import load_ruleset
from rulespec.serve.hall import Hall
from rulespec.serve.running import app, listening, server
from rulespec.serve.store import TableStore
from rulespec.serve.table_rules import TableRules
from rulespec.serve.thinking import Thinking

WAIT = DEADLINE
"""The time limit for an answer in seconds."""


def opened(url: str, origin: str = "") -> ClientConnection:
    """A socket opened by the server's page, or by a foreign page."""
    origin = origin or re.sub("^ws", "http", url.partition("/socket")[0])
    return connect(url, origin=Origin(origin), max_size=None).__enter__()


class Client:
    """A client without a browser that assembles a viewer's state from differences."""

    def __init__(self, url: str, key: str) -> None:
        self.socket = opened(url)
        self.hello: dict[str, Any] = {}
        self.state: dict[str, Any] = {"cells": {}, "texts": {}}
        self.frames: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.send(key=key)
        self.wait(lambda: bool(self.frames or self.answers))

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def take(self, option: str) -> None:
        """Plays an option, and waits for its confirmation or refusal."""
        had = len(self.answers), self.state["serial"]
        self.send(do="take", option=option, serial=self.state["serial"])
        self.wait(lambda: (len(self.answers), self.state["serial"]) != had)

    def read(self, timeout: float = WAIT) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout))
        if "hello" in message:
            self.hello = message["hello"]
        elif "frame" in message:
            frame = message["frame"]
            self.frames.append(frame)
            if frame["since"] == 0:
                self.state = {"cells": {}, "texts": {}}
            self.state["cells"] |= frame.get("cells", {})
            self.state["texts"] |= frame["moves"]["texts"]
            self.state |= {k: v for k, v in frame.items() if k != "cells"} | {"count": frame["moves"]["count"]}
        else:
            self.answers.append(message)
        return message

    def wait(self, condition: Any) -> None:
        deadline = Deadline()
        while not condition():
            self.read(deadline.left)

    @property
    def options(self) -> list[str]:
        return [option["text"] for option in self.state["options"] if "out_of_turn" not in option]

    def ended(self) -> int:
        """Receives until the server closes the connection; returns the close code."""
        try:
            while True:
                self.read()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else 0

    def close(self) -> None:
        self.socket.close()


class Process:
    """A process of `rulespec serve`; `links` are by seat, `spectators` and `owner`."""

    def __init__(self, *args: object, most: int = 0, limit: str = "RLIMIT_FSIZE") -> None:
        words = [sys.executable, "-m", "rulespec", "serve", "--port", "0", *map(str, args)]
        if most:  # limit of file sizes in bytes, as on a full disk, or another limit
            code = f"import resource, runpy; resource.setrlimit(resource.{limit}, ({most}, {most}));"
            code += "runpy.run_module('rulespec', run_name='__main__', alter_sys=True)"
            words[1:3] = ["-c", code]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment
        )
        self.links: dict[str, str] = {}
        self.base = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if seen := re.match(r"\s*(\w+)\s+(http\S+)#(\S+)$", line):
                self.links[seen[1]] = seen[3]
            elif seen := re.match(r"(http\S+) serves", line):
                self.base = seen[1]
                break
        if not self.base:
            assert self.process.stderr is not None
            raise RuntimeError(self.process.stderr.read())

    @property
    def socket(self) -> str:
        return self.base.replace("http", "ws", 1) + "/socket"

    def client(self, who: str = "", key: str = "") -> Client:
        return Client(self.socket, key or self.links[who])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> None:
        """Ends the process, like Ctrl-C."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(WAIT)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


class _Glances:
    """A stand-in for asyncio in the server library, which would poll its end only every tenth of a second."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, GLANCE))


vars(uvicorn_server)["asyncio"] = _Glances()


class _SharedThinking(Thinking):
    """The bot process shared by all servers in threads, as starting one costs half a second of CPU time."""

    def close(self) -> None:
        """Does nothing: the process ends with the tests."""


_THINKING = _SharedThinking()


class Served(NamedTuple):
    """A server in a thread: its hall, the keys of its first table by role, its socket, and further tables."""

    hall: Hall
    keys: dict[str, str]
    url: str
    new_table: Callable[[], dict[str, str]]

    @property
    def base(self) -> str:
        """The address of its pages."""
        return self.url.removesuffix("/socket").replace("ws", "http", 1)


@contextmanager
def served(path: Path, ref: str, players: int, **how: Any) -> Iterator[Served]:
    """A server in a thread, with one table if players are given."""
    ruleset = load_ruleset(ref)
    rules = TableRules(ruleset)
    clock = {"clock": how["clock"]} if "clock" in how else {}
    bots = how.get("table_bots", ("random", "flat:64"))
    hall = Hall(TableStore(path), {ref: rules}, bots=bots, **clock)
    hall._thinking = hall.working = _THINKING
    listener = listening("127.0.0.1", 0)
    port = listener.getsockname()[1]
    keys: dict[str, str] = {}
    ready = threading.Event()
    loops: list[asyncio.AbstractEventLoop] = []
    running = server(app(hall, port, **how.get("guard", {})), how.get("secure"), door=how.get("door"))

    async def begun() -> dict[str, str]:
        game = Game(ruleset, seat_names(players, ruleset.seats))
        game.omniscient.numbers.begin()
        return (await hall.new(rules, game, how.get("bots"), how.get("deadline", 0), how.get("reveals", False)))[1]

    async def main() -> None:
        hall.resume()
        if players:
            keys.update(await begun())
        keys["owner"] = await hall.renew("", "owner")
        loops.append(asyncio.get_running_loop())
        ready.set()
        await running.serve(sockets=[listener])

    def new_table() -> dict[str, str]:
        return asyncio.run_coroutine_threadsafe(begun(), loops[0]).result(WAIT)

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert ready.wait(WAIT)
    try:
        yield Served(hall, keys, f"ws://127.0.0.1:{port}/socket", new_table)
    finally:
        running.should_exit = True
        thread.join(WAIT)
        hall.close()
        listener.close()
