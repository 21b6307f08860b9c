"""The guard of a server: checks on hosts and origins, and security headers."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Connection": "close",  # a page needs one request: an idle connection would occupy a place
}
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
FOREIGN = 4403
"""The close code for a socket opened by a foreign page."""


class OriginGuard:
    """Middleware that refuses foreign hosts (as in DNS rebinding) and foreign origins.

    Args:
        app: the application.
        port: the listening port.
        bound: the listening address.
        url: the public address, if it is different.
        secure: whether the server speaks TLS itself.
    """

    def __init__(self, app: ASGIApp, port: int, bound: str = "127.0.0.1", url: str = "", secure: bool = False) -> None:
        self.app = app
        self._port = port
        self._any = not is_local(bound)
        names = [*_LOCAL, f"[{bound}]" if ":" in bound else bound]
        self._hosts = {f"{name}:{port}".lower() for name in names}
        scheme = "https" if secure else "http"
        self._scheme = scheme
        self._origins = {f"{scheme}://{host}" for host in self._hosts}
        if url:
            parts = urlsplit(url)
            self._hosts.add(parts.netloc.lower())
            self._origins.add(f"{parts.scheme}://{parts.netloc}".lower())

    def knows_host(self, host: str) -> bool:
        """Whether a `Host` header names this server; any numeric address does, since it cannot be rebound."""
        return host.lower() in self._hosts or (self._any and self._is_number(host))

    def knows_origin(self, origin: str) -> bool:
        """Whether an `Origin` header names this server's page."""
        scheme, _, host = origin.lower().partition("://")
        return origin.lower() in self._origins or (self._any and scheme == self._scheme and self._is_number(host))

    def _knows(self, headers: Headers, from_page: bool) -> bool:
        """Whether the headers name this server and no foreign page; those of a socket must name its page."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or (from_page and len(origins) != 1):
            return False
        return self.knows_host(hosts[0]) and all(map(self.knows_origin, origins))

    def _is_number(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return port == str(self._port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        known = self._knows(Headers(scope=scope), scope["type"] == "websocket")
        if scope["type"] == "websocket":
            if known:
                await self.app(scope, receive, send)
            else:
                await WebSocketClose(FOREIGN)(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        answer = self.app if known else PlainTextResponse("this is not the address of this server", 421)
        await answer(scope, receive, guarded)


def is_local(host: str) -> bool:
    """Whether an address can be reached only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
