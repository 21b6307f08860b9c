"""Unauthenticated connections to a server, and a proxy in front of it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

WAIT = 15.0
"""The time limit for an answer in seconds."""
REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"


@contextmanager
def strangers(port: int, number: int, *said: bytes) -> Iterator[list[socket.socket]]:
    """Open connections to a local server, silent or with one of the given texts in turn."""
    with ExitStack() as stack:
        opened = []
        for index in range(number):
            sock = stack.enter_context(socket.create_connection(("127.0.0.1", port), WAIT))
            opened.append(sock)
            if said:
                with suppress(OSError):  # already closed
                    sock.sendall(said[index % len(said)])
        yield opened


def is_over(sock: socket.socket) -> bool:
    """Whether the other side has closed a silent connection."""
    sock.setblocking(False)
    try:
        return sock.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def wait_for_end(sock: socket.socket) -> bytes:
    """The last data from the other side before it closes a connection."""
    said = b""
    sock.settimeout(WAIT)
    with suppress(ConnectionError):
        while data := sock.recv(65_536):
            said += data
    return said


def page(port: int) -> bytes:
    """The first line of the answer to a request; all earlier connections have been accepted by then."""
    with socket.create_connection(("127.0.0.1", port), WAIT) as sock:
        sock.sendall(REQUEST % port)
        return wait_for_end(sock).partition(b"\r\n")[0]


class Proxy:
    """A TCP proxy in a thread, with one connection to a server for each incoming one.

    Attributes:
        port: the port of the proxy.
        target: the port of the server.
    """

    def __init__(self) -> None:
        self.target = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port: int = self._listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._carry, sock=self._listener, backlog=1024)
        await self._end.wait()
        server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with suppress(OSError):
            inside, outside = await asyncio.open_connection("127.0.0.1", self.target)
            self._writers.add(outside)
            both = [asyncio.ensure_future(_pour(reader, outside)), asyncio.ensure_future(_pour(inside, writer))]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for task in both:
                task.cancel()
            outside.close()
        writer.close()

    def close(self) -> None:
        """Closes the proxy with all its connections."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(WAIT)


async def _pour(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(65_536):
            target.write(data)
            await target.drain()
