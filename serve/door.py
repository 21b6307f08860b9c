"""Admission control: limits on the number of connections, and on how long a connection without a key may live."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from itertools import chain

MOST = 4_000
"""The maximum number of connections, if there are enough file descriptors."""
OF_ADDRESS = 100
"""The maximum number of connections without a key from one network address."""
FIRST = 10.0
"""The time limit for the TLS handshake and the first request, in seconds."""
ANSWER = 60.0
"""The time limit for sending an answer or a last message, in seconds."""
_JUST_COME = 8
"""The divisor of the total that reserves places for new silent connections: one in eight."""
_RESERVE = 100
"""File descriptors reserved for other uses: the store, pipes of processes, and files."""
_PAUSE = 0.1
"""The pause between attempts to accept when file descriptors have run out, in seconds."""


class Visitor:
    """An accepted connection.

    Attributes:
        address: the address under which the connection is counted.
    """

    __slots__ = ("_among", "_coming", "_door", "_timer", "_transport", "address")

    def __init__(self, door: Door, address: str) -> None:
        self.address = address
        self._door = door
        self._among: dict[Visitor, None] = {}
        self._coming: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._join(door.silent, door.first)

    def asks(self) -> None:
        """Records that the first request is complete."""
        if self._among is self._door.silent:
            self._join(self._door.asking, ANSWER)

    def has_key(self) -> None:
        """Records that the visitor has a valid key, which lifts the time limit."""
        if self._among is self._door.asking:
            self._join(self._door.known, None)

    def leaves(self) -> None:
        """Records that the visitor is leaving: unsent data must be sent within `ANSWER` seconds."""
        if self._among is self._door.known:
            self._join(self._door.asking, ANSWER)

    def gone(self) -> None:
        """Removes a connection that has ended."""
        self._among.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()

    def end(self) -> None:
        """Ends the connection at once, and discards unsent data."""
        self.gone()
        if self._transport is not None:
            self._transport.abort()
        elif self._coming is not None:
            self._coming.cancel()

    def enter(self, sock: socket.socket, protocol: asyncio.Protocol, secure: ssl.SSLContext | None) -> None:
        """Serves an accepted socket with a protocol, after a TLS handshake if `secure` is given."""
        self._coming = asyncio.create_task(self._entered(sock, protocol, secure))

    async def _entered(self, sock: socket.socket, protocol: asyncio.Protocol, secure: ssl.SSLContext | None) -> None:
        loop = asyncio.get_running_loop()
        try:
            self._transport, _ = await loop.connect_accepted_socket(lambda: protocol, sock, ssl=secure)
        except Exception:  # a handshake can fail in many ways, each of which ends only this connection
            self.gone()
        finally:
            self._coming = None

    def _join(self, visitors: dict[Visitor, None], seconds: float | None) -> None:
        """Moves the visitor to a group, with a new time limit in seconds, or none."""
        self.gone()
        visitors[self] = None
        self._among = visitors
        if seconds is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self.end)


class Door:
    """The gatekeeper of a server, which accepts connections, and ends excess or slow ones that have no key.

    At the limit, a new connection replaces the oldest silent one, so that silent connections cannot block others. If
    few connections are silent, it replaces the oldest one without a key instead, so that newcomers have time for a
    request. Connections with a key are never replaced.

    Args:
        total: the maximum number of connections; None means `most_connections`.
        of_address: the maximum number of connections without a key per address; None means unlimited, as behind a
            proxy.
        first: the number of seconds within which the first request must arrive.

    Attributes:
        silent: connections without a complete request, oldest first.
        asking: connections with a request but no key, oldest first.
        known: connections with a key.
    """

    def __init__(self, total: int | None = None, of_address: int | None = None, first: float = FIRST) -> None:
        self.first = first
        self.silent: dict[Visitor, None] = {}
        self.asking: dict[Visitor, None] = {}
        self.known: dict[Visitor, None] = {}
        self._total = most_connections() if total is None else total
        self._of_address = of_address

    async def receive(
        self,
        listener: socket.socket,
        protocol: Callable[[Visitor], asyncio.Protocol],
        secure: ssl.SSLContext | None = None,
    ) -> None:
        """Accepts connections on a listening socket until cancelled.

        Args:
            listener: the socket.
            protocol: the function that returns a new protocol for serving a visitor.
            secure: the certificate, if the server speaks TLS.
        """
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        while True:
            try:
                sock, address = await loop.sock_accept(listener)
            except ConnectionError:  # closed before it was accepted
                continue
            except OSError:  # without descriptors or memory, asyncio would log an error thousands of times a second
                self._end_stranger()
                await asyncio.sleep(_PAUSE)
                continue
            sock.setblocking(False)
            counted = counted_address(address)
            if self._has_room(counted):
                visitor = Visitor(self, counted)
                visitor.enter(sock, protocol(visitor), secure)
            else:
                sock.close()
            await asyncio.sleep(0)  # accepts one per loop iteration, so that others are served

    def close(self) -> None:
        """Ends all connections without a key."""
        for visitor in [*self.silent, *self.asking]:
            visitor.end()

    def _has_room(self, address: str) -> bool:
        """Whether another connection from an address may enter, after ending others if necessary."""
        if self._of_address is not None:
            same = [each for each in chain(self.silent, self.asking) if each.address == address]
            if len(same) >= self._of_address:
                same[0].end()
        if len(self.silent) + len(self.asking) + len(self.known) < self._total:
            return True
        return self._end_stranger()

    def _end_stranger(self) -> bool:
        """Ends the oldest silent connection, or the oldest without a key; False if there is none."""
        few = len(self.silent) <= max(1, self._total // _JUST_COME)
        oldest = next(chain(self.asking, self.silent) if few else iter(self.silent), None)
        if oldest is not None:
            oldest.end()
        return oldest is not None


def counted_address(address: tuple[str, ...]) -> str:
    """The address under which a peer is counted; for IPv6, its network, since a host has many addresses."""
    try:
        host = ipaddress.ip_address(address[0].partition("%")[0])
    except (ValueError, IndexError):
        return ""
    if isinstance(host, ipaddress.IPv4Address):
        return str(host)
    return str(host.ipv4_mapped or ipaddress.ip_network((int(host) >> 64 << 64, 64)))


def most_connections() -> int:
    """The number of connections that the process's file descriptors allow, after raising their limit if possible."""
    try:
        import resource
    except ImportError:  # systems without such limits
        return MOST
    wanted, unlimited = MOST + _RESERVE, resource.RLIM_INFINITY
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    raised = wanted if hard == unlimited else min(wanted, hard)
    if soft != unlimited and soft < raised:
        with suppress(OSError, ValueError):  # macOS accepts less than it reports
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
            soft = raised
    return MOST if soft == unlimited else min(MOST, max(soft - _RESERVE, soft // 2))
