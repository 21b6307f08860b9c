"""The run of a server: its socket, its loop, and the hook that hears whose turn it is."""

from __future__ import annotations

import ctypes
import json
import socket
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

from rulespec.serve.bell import Bell, Mailbox
from rulespec.serve.connection import MAX_MESSAGE

_TRIES = 3
_PAUSE = 5.0
_WAIT = 10.0
_CONNECTIONS = 4_000
_MMAP_THRESHOLD, _LARGE = -3, 65_536  # the number of the parameter, as in malloc.h
_PACKING = ServerPerMessageDeflateFactory(
    server_no_context_takeover=True,
    client_no_context_takeover=True,
    server_max_window_bits=12,
    compress_settings={"memLevel": 5},
)
"""Each message is packed by itself: what a socket keeps for the next one is 11 KB or more, and saves 50 bytes."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; port 0 is any that is free.

    Its connections send each message at once: the loop sees to that where the protocol is named. Else the second of two
    short messages waits 40 ms for a word of the other side on the first.

    Raises:
        OSError: if that is not possible.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(1024)
    except OSError:
        opened.close()
        raise
    return opened


def reachable(host: str) -> str:
    """The address at which others reach a server that listens at all addresses of this machine."""
    if host not in ("0.0.0.0", "::"):
        return host
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(("192.0.2.1", 9))  # nothing is sent: the system chooses the address that it would send from
        return str(asked.getsockname()[0])
    return host


def return_large_blocks() -> None:
    """Has the C library, if it is glibc, return large blocks of memory as soon as they are free.

    Else first messages, of 200 KB and more, leave holes between small blocks that live long.
    """
    with suppress(OSError, AttributeError, TypeError):  # another library, or none
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


class _Socket(WebSocketsSansIOProtocol):
    """A socket that packs with little memory."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn.available_extensions = [_PACKING]
        self.queue = Mailbox()
        self.writable: Any = Bell()
        self.writable.set()

    def start_keepalive(self) -> None:
        """Begins with what follows the handshake, whose headers nobody reads again."""
        super().start_keepalive()
        self.request.headers.clear()
        self.response.headers.clear()


def server(
    app: ASGIApp, certificate: Path | None = None, key: Path | None = None, largest: int = 4 * MAX_MESSAGE
) -> uvicorn.Server:
    """The server of an application. No request is logged, and no message of a socket has more bytes than `largest`."""
    return_large_blocks()
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        ws=_Socket,
        ws_max_size=largest,
        ws_per_message_deflate=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=2,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    return uvicorn.Server(config)


class Hook:
    """Posts {table, seat, serial} to an address, in a thread that nobody waits for; three times, if it fails.

    Args:
        url: the address.
        pause: seconds between two tries.
    """

    def __init__(self, url: str, pause: float = _PAUSE) -> None:
        self._url = url
        self._pause = pause

    def __call__(self, table: str, seat: str, serial: int) -> None:
        """Notes that a seat begins to be waited for."""
        data = json.dumps({"table": table, "seat": seat, "serial": serial}).encode()
        threading.Thread(target=self._post, args=(data,), daemon=True).start()

    def _post(self, data: bytes) -> None:
        for tried in range(_TRIES):
            if tried:
                time.sleep(self._pause)
            request = urllib.request.Request(self._url, data, {"Content-Type": "application/json"}, method="POST")
            with suppress(OSError, ValueError), urllib.request.urlopen(request, timeout=_WAIT):
                return
