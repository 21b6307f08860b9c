"""The server process: its web application, its sockets and protocols, and its TLS certificate."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

from rulespec.documents.text_files import display, read_bytes
from rulespec.errors import RulespecError
from rulespec.pages.socket_pages import POLICY, page_not_found, table_page
from rulespec.serve.connection import MAX_MESSAGE, Connection
from rulespec.serve.door import Door, Visitor
from rulespec.serve.guard import OriginGuard
from rulespec.serve.hall import Hall
from rulespec.serve.socket_parts import Bell, Mailbox

_MMAP_THRESHOLD, _LARGE = -3, 65_536  # M_MMAP_THRESHOLD of malloc.h
_PACKING = ServerPerMessageDeflateFactory(
    server_no_context_takeover=True,
    client_no_context_takeover=True,
    server_max_window_bits=12,
    compress_settings={"memLevel": 5},
)
"""Compression without context between messages, which would cost a socket 11 KB or more to save 50 bytes."""

_MOST_UNREAD = 1_000_000
"""The maximum number of unsent bytes when the other side sends a ping."""


def listening(host: str, port: int) -> socket.socket:
    """A listening socket at an address; port 0 means any free port.

    Its protocol is named explicitly, so that the event loop disables Nagle's algorithm. Otherwise, the second of two
    short messages would wait 40 ms for an acknowledgement of the first.

    Raises:
        OSError: if the socket cannot be opened.
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
    """The address at which other machines reach a server that listens on all addresses."""
    if host not in ("0.0.0.0", "::"):
        return host
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(("192.0.2.1", 9))  # sends nothing, but makes the system choose the source address
        return str(asked.getsockname()[0])
    return host


def return_large_blocks() -> None:
    """Makes glibc, if it is in use, return large freed blocks to the system at once.

    Otherwise, the first messages to pages, of 200 KB or more, leave holes between small long-lived blocks.
    """
    with suppress(OSError, AttributeError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


class _Requests(H11Protocol):
    """The HTTP protocol of a visitor."""

    def __init__(
        self, visitor: Visitor, config: uvicorn.Config, server_state: ServerState, state: dict[str, Any]
    ) -> None:
        super().__init__(config, server_state, state)
        self._visitor = visitor
        self.ws_protocol_class: Any = partial(_Socket, visitor)

    def data_received(self, data: bytes) -> None:
        """Processes received bytes; a complete request starts its handler."""
        super().data_received(data)
        if self.cycle is not None:
            self._visitor.asks()

    def connection_lost(self, exc: Exception | None) -> None:
        """Removes a connection that has ended."""
        super().connection_lost(exc)
        self._visitor.gone()


class _Socket(WebSocketsSansIOProtocol):
    """The WebSocket protocol of a visitor, with compression that uses little memory."""

    def __init__(self, visitor: Visitor, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        visitor.asks()
        self._visitor = visitor
        self.conn.available_extensions = [_PACKING]
        self.queue = Mailbox()
        self.writable: Any = Bell()
        self.writable.set()

    def start_keepalive(self) -> None:
        """Starts the keepalive, and frees the headers of the handshake."""
        super().start_keepalive()
        self.request.headers.clear()
        self.response.headers.clear()

    async def send(self, message: Any) -> None:
        """Sends a message; the first one confirms that the key is valid."""
        if message["type"] == "websocket.send":
            self._visitor.has_key()
        await super().send(message)

    def handle_ping(self) -> None:
        """Answers a ping, but ends a connection that sends pings without reading the answers."""
        if self.transport.get_write_buffer_size() > _MOST_UNREAD:
            self.transport.abort()
            return
        super().handle_ping()

    async def run_asgi(self) -> None:
        """Runs the application; nothing is sent afterwards."""
        try:
            await super().run_asgi()
        finally:
            self._visitor.leaves()

    def keepalive_timeout(self) -> None:
        """Ends a connection whose peer is unresponsive, without waiting for unsent data."""
        super().keepalive_timeout()
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Removes a connection that has ended."""
        super().connection_lost(exc)
        self._visitor.gone()


class _Server(uvicorn.Server):
    """A server whose connections pass a door."""

    def __init__(self, config: uvicorn.Config, door: Door, secure: ssl.SSLContext | None) -> None:
        super().__init__(config)
        self._door = door
        self._secure = secure
        self._receiving: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens the door for the listening sockets."""
        await super().startup(sockets=[])

        def requests(visitor: Visitor) -> asyncio.Protocol:
            return _Requests(visitor, self.config, self.server_state, self.lifespan.state)

        self._receiving = [
            asyncio.create_task(self._door.receive(each, requests, self._secure)) for each in sockets or ()
        ]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Closes the door, and ends all connections."""
        for each in self._receiving:
            each.cancel()
        self._door.close()
        await super().shutdown(sockets)


def server(
    app: ASGIApp, secure: ssl.SSLContext | None = None, largest: int = 4 * MAX_MESSAGE, door: Door | None = None
) -> uvicorn.Server:
    """The server for an application; it does not log requests, and limits socket messages to `largest` bytes.

    Args:
        app: the application.
        secure: the TLS context; None for a server without TLS.
        largest: the maximum message size in bytes.
        door: its door; None means a door without a limit per address.
    """
    return_large_blocks()
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        http="h11",
        ws="none",  # requests name their socket themselves
        ws_max_size=largest,
        ws_per_message_deflate=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_ours)  # after the configuration, which sets up the logger
    return _Server(config, door or Door(), secure)


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a log record is about the server, and not about a malformed message, which only ends its connection."""
    return not isinstance((record.exc_info or (None, None))[1], UnicodeDecodeError)


def app(hall: Hall, port: int, bound: str = "127.0.0.1", url: str = "", secure: bool = False) -> ASGIApp:
    """The web application; for the arguments, see `OriginGuard`."""
    page = table_page()

    async def index(_: Request) -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": POLICY})

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        gc.freeze()  # rules and code live as long as the server: scanning them would only block the loop
        start = asyncio.create_task(hall.start())
        yield
        start.cancel()

    async def missing(_: Request, __: Exception) -> Response:
        return HTMLResponse(page_not_found(), status_code=404, headers={"Content-Security-Policy": POLICY})

    pages = Starlette(routes=[Route("/", index)], lifespan=lifespan, exception_handlers={404: missing})

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket" or scope["path"] != "/socket":
            await pages(scope, receive, send)
            return
        scope["headers"] = []  # the guard has already checked them
        await receive()
        await send({"type": "websocket.accept"})
        await Connection(receive, send, hall).live()

    return OriginGuard(routed, port, bound, url, secure)


_MAX_BYTES = 1_000_000


class CertificateError(RulespecError):
    """The files are not a certificate with its key; the message states the fault and the expected form."""


def secured(certificate: Path, key: Path) -> ssl.SSLContext:
    """The TLS context for a certificate and its private key.

    Raises:
        DiagnosticsError: as for `read_bytes`, if a file is unreadable.
        CertificateError: if the files are not a certificate with its key.
    """
    for file in (certificate, key):
        read_bytes(file, display(file), _MAX_BYTES)  # the library would block on a pipe, and read a device endlessly
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, password=lambda: "")  # no prompt for a password
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "reason", "") or "").replace("_", " ").lower()
        raise CertificateError(
            f"{display(certificate)} and {display(key)} are not a certificate and its private key"
            f"{f': {reason}' if reason else ''}; both must be PEM files, and the key must not have a passphrase"
        ) from None
    return context
