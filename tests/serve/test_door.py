"""The door of a server: connections without keys, and players who continue meanwhile."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import resource
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from folders import RULESETS, TESTS
from servers import Client, Process, Served, opened, served
from strangers import REQUEST, Proxy, is_over, page, strangers, wait_for_end
from websockets.exceptions import ConnectionClosed

from rulespec.serve import door as doors
from rulespec.serve.connection import MAX_OF_KEY, TOO_MUCH
from rulespec.serve.door import Door, Visitor, counted_address, most_connections
from rulespec.serve.running import _Socket, secured

pytestmark = pytest.mark.usefixtures("known_rulesets")

TLS = TESTS / "fixtures" / "tls"
OK = b"HTTP/1.1 200 OK"
UPGRADE = (
    b"GET /socket HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def port_of(nim: Served) -> int:
    return int(nim.url.rpartition(":")[2].partition("/")[0])


@contextmanager
def behind(door: Door, tmp_path: Path, **how: Any) -> Iterator[Served]:
    """A server of nim behind a door."""
    with served(tmp_path / "t.db", str(RULESETS / "nim"), 2, door=door, **how) as result:
        yield result


def sat(url: str, key: str, name: str) -> Client:
    """A seated player."""
    client = Client(url, key)
    client.send(do="name", name=name)
    client.wait(lambda: any(seat["name"] == name for seat in client.state["seats"]))
    return client


def play_a_move_each(ann: Client, bob: Client) -> None:
    before = ann.state["count"]
    ann.wait(lambda: ann.options)
    ann.take("take(1)")
    bob.wait(lambda: bob.state["count"] == before + 1 and bob.options)
    bob.take("take(1)")
    ann.wait(lambda: ann.state["count"] == before + 2)


# --- many who say nothing -----------------------------------------------------------------------


def test_those_who_have_said_nothing_end_first_the_oldest_first(tmp_path: Path) -> None:
    with behind(Door(total=30, first=60), tmp_path) as nim:
        port = port_of(nim)
        ann, bob = sat(nim.url, nim.keys["seat:A"], "Ann"), sat(nim.url, nim.keys["seat:B"], "Bob")
        with strangers(port, 40, b"", b"GET / HTTP/1.1\r\nHos") as silent:
            assert page(port) == OK  # the 41st of those without a key, for whom there are 28 places
            assert [wait_for_end(each) for each in silent[:13]] == [b""] * 13
            assert not any(map(is_over, silent[13:]))
            play_a_move_each(ann, bob)
            assert Client(nim.url, nim.keys["spectator"]).state["count"] == 2


def test_who_has_asked_ends_after_those_who_have_not(tmp_path: Path) -> None:
    with behind(Door(total=6, first=60), tmp_path) as nim:
        port = port_of(nim)
        with strangers(port, 3, UPGRADE % (port, port)) as asked:
            assert all(each.recv(12) == b"HTTP/1.1 101" for each in asked)
            with strangers(port, 5) as silent:
                assert wait_for_end(silent[0]) == wait_for_end(silent[1]) == b""
                assert not any(map(is_over, silent[2:]))
            for each in asked:
                each.setblocking(False)
                assert b"101" not in each.recv(500)


def test_who_has_asked_keeps_nobody_out_either(tmp_path: Path) -> None:
    with behind(Door(total=6, first=60), tmp_path) as nim:
        port = port_of(nim)
        with ExitStack() as stack:
            asked = stack.enter_context(strangers(port, 1, UPGRADE % (port, port)))
            for _ in range(11):
                assert asked[-1].recv(12) == b"HTTP/1.1 101"
                asked += stack.enter_context(strangers(port, 1, UPGRADE % (port, port)))
            assert all(b"Upgrade" in wait_for_end(each) for each in asked[:6])
            with strangers(port, 1) as (late,):
                assert asked[-1].recv(12) == b"HTTP/1.1 101"
                late.sendall(REQUEST % port)
                assert wait_for_end(late).startswith(OK)


def test_who_has_a_key_stays(tmp_path: Path) -> None:
    with behind(Door(total=3, first=60), tmp_path) as nim:
        ann, bob = sat(nim.url, nim.keys["seat:A"], "Ann"), sat(nim.url, nim.keys["seat:B"], "Bob")
        watching = Client(nim.url, nim.keys["spectator"])
        with strangers(port_of(nim), 5) as late:
            assert [wait_for_end(each) for each in late] == [b""] * 5
        play_a_move_each(ann, bob)
        watching.wait(lambda: watching.state["count"] == 2)
        watching.close()
        play_a_move_each(ann, bob)


def test_through_a_proxy_a_table_plays_on_and_people_get_in(tmp_path: Path) -> None:
    with closing(Proxy()) as proxy:
        guard = {"url": f"http://127.0.0.1:{proxy.port}"}
        with behind(Door(total=30, first=60), tmp_path, guard=guard) as nim:
            proxy.target = port_of(nim)
            url = f"ws://127.0.0.1:{proxy.port}/socket"
            ann, bob = sat(url, nim.keys["seat:A"], "Ann"), sat(url, nim.keys["seat:B"], "Bob")
            with strangers(proxy.port, 40):
                play_a_move_each(ann, bob)
                assert Client(url, nim.keys["spectator"]).state["count"] == 2
                assert page(proxy.port) == OK


def test_of_one_address_only_some_are_let_in_without_a_key(tmp_path: Path) -> None:
    with behind(Door(total=30, of_address=5, first=60), tmp_path) as nim:
        clients = [Client(nim.url, nim.keys["spectator"]) for _ in range(7)]
        with strangers(port_of(nim), 9) as silent:
            assert page(port_of(nim)) == OK
            assert [wait_for_end(each) for each in silent[:5]] == [b""] * 5
            assert not any(map(is_over, silent[5:]))
        assert len({client.state["count"] for client in clients}) == 1


# --- slow ones ----------------------------------------------------------------------------------


def drip(sock: socket.socket, data: bytes, over: threading.Event) -> None:
    """Sends bytes slowly until the connection ends."""
    while not over.wait(0.02):
        try:
            sock.sendall(data)
        except OSError:
            return


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nX: ", b"GET / HTTP/1.1\r\nA: b\r\n", b"POST /"])
def test_the_first_request_has_a_time_also_byte_by_byte(tmp_path: Path, said: bytes) -> None:
    with behind(Door(total=30, first=0.3), tmp_path) as nim, strangers(port_of(nim), 2, said) as (slow, silent):
        over = threading.Event()
        thread = threading.Thread(target=drip, args=(slow, b"x", over))
        thread.start()
        assert not wait_for_end(slow).startswith(OK) and wait_for_end(silent) == b""
        over.set()
        thread.join()
        assert page(port_of(nim)) == OK


class Flood(asyncio.Protocol):
    """A flood of data for a peer that has made a request, larger than network buffers."""

    def __init__(self, visitor: Visitor, lost: asyncio.Event) -> None:
        self.visitor = visitor
        self.lost = lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.visitor.asks()
        transport.write(bytes(20_000_000))

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set()


def test_an_answer_that_nobody_reads_has_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "ANSWER", 0.1)
    door, listener = Door(total=30, first=60), socket.create_server(("127.0.0.1", 0))

    async def unread() -> None:
        lost = asyncio.Event()
        receiving = asyncio.create_task(door.receive(listener, lambda visitor: Flood(visitor, lost)))
        with socket.create_connection(listener.getsockname()):
            await asyncio.wait_for(lost.wait(), 15)
        receiving.cancel()
        await asyncio.sleep(0.01)

    with closing(listener):
        asyncio.run(unread())
    assert not door.silent and not door.asking


def test_a_body_that_never_ends_keeps_nobody(tmp_path: Path) -> None:
    with behind(Door(total=30, first=60), tmp_path) as nim, strangers(port_of(nim), 1) as (one,):
        host = b"Host: 127.0.0.1:%d\r\n" % port_of(nim)
        one.sendall(b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 1000000000\r\n\r\nx")
        assert wait_for_end(one).startswith(b"HTTP/1.1 405")


def test_a_handshake_of_tls_that_is_not_ended_is_a_stranger(tmp_path: Path) -> None:
    secure = secured(TLS / "certificate.pem", TLS / "key.pem")
    trusting = ssl.create_default_context(cafile=str(TLS / "certificate.pem"))
    with behind(Door(total=10, first=60), tmp_path, secure=secure, guard={"secure": True}) as nim:
        port = port_of(nim)
        hello = b"\x16\x03\x01\x02\x00"
        with strangers(port, 20, b"", hello, b"GET / HTTP/1.1\r\n\r\n") as silent:
            with trusting.wrap_socket(
                socket.create_connection(("127.0.0.1", port)), server_hostname="localhost"
            ) as one:
                one.sendall(REQUEST % port)
                assert one.recv(15) == OK
            assert [wait_for_end(each) for each in silent[:9:3]] == [b""] * 3


# --- hostile frames -----------------------------------------------------------------------------


class Unread:
    """A transport with unread bytes, and its visitor."""

    def __init__(self, bytes_: int) -> None:
        self.bytes = bytes_
        self.said: list[bytes] = []

    def get_write_buffer_size(self) -> int:
        return self.bytes

    def data_to_send(self) -> list[bytes]:
        return [b"pong"]

    def write(self, data: bytes) -> None:
        self.said.append(data)

    def abort(self) -> None:
        self.said.append(b"aborted")


@pytest.mark.parametrize("unread, said", [(0, b"pong"), (1_000_000, b"pong"), (1_000_001, b"aborted")])
def test_pings_whose_answers_nobody_reads_end_a_connection(unread: int, said: bytes) -> None:
    one: Any = _Socket.__new__(_Socket)
    one.transport = one.conn = Unread(unread)
    one.handle_ping()
    assert one.transport.said == [said]


class Noting(logging.Handler):
    """A handler that collects log records."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.mark.parametrize("opcode, data", [(1, b"\xff\xfe"), (1, b'{"key": "\xed\xa0\x80"}'), (8, b"\x00")])
def test_a_frame_that_is_no_text_prints_nothing(opcode: int, data: bytes, tmp_path: Path) -> None:
    noting = Noting()
    with behind(Door(first=60), tmp_path) as nim:
        logging.getLogger("uvicorn.error").addHandler(noting)
        port = port_of(nim)
        with strangers(port, 1, UPGRADE % (port, port)) as (one,):
            assert one.recv(12) == b"HTTP/1.1 101"
            one.sendall(bytes([0x80 | opcode, 0x80 | len(data)]) + bytes(4) + data)
            assert b"\x88" in wait_for_end(one)
        logging.getLogger("uvicorn.error").removeHandler(noting)
    assert noting.records == []


# --- the owner ----------------------------------------------------------------------------------


def test_the_owner_has_as_many_connections_as_a_key(tmp_path: Path) -> None:
    with behind(Door(), tmp_path) as nim:
        key = json.dumps({"key": nim.keys["owner"]})
        with ExitStack() as stack:
            for _ in range(MAX_OF_KEY):
                desk = stack.enter_context(opened(nim.url))
                desk.send(key)
                assert "owner" in desk.recv(15)
            more = stack.enter_context(opened(nim.url))
            more.send(key)
            with pytest.raises(ConnectionClosed) as refused:
                more.recv(15)
            assert refused.value.rcvd is not None and refused.value.rcvd.code == TOO_MUCH


# --- no descriptors -----------------------------------------------------------------------------


class NoDescriptors(asyncio.SelectorEventLoop):
    """An event loop in a process without free descriptors, until other connections end."""

    def __init__(self, door: Door) -> None:
        super().__init__()
        self.door = door
        self.tries = 0

    async def sock_accept(self, sock: socket.socket) -> tuple[socket.socket, Any]:
        if len(self.door.silent) > 1:
            self.tries += 1
            raise OSError(errno.EMFILE, "Too many open files")
        return await super().sock_accept(sock)


def test_where_no_descriptor_is_left_strangers_end_and_nothing_is_printed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doors, "_PAUSE", 0.001)
    logged: list[logging.LogRecord] = []
    monkeypatch.setattr(logging.Logger, "callHandlers", lambda self, record: logged.append(record))
    door = Door(total=100)
    loop = NoDescriptors(door)
    listener = socket.create_server(("127.0.0.1", 0))

    async def both() -> None:
        receiving = asyncio.create_task(door.receive(listener, lambda _: asyncio.Protocol()))
        with strangers(listener.getsockname()[1], 5):
            while loop.tries < 3:
                await asyncio.sleep(0)
        receiving.cancel()
        door.close()
        await asyncio.sleep(0.01)  # ended connections close in later iterations

    with closing(loop), closing(listener):
        loop.run_until_complete(both())
    assert not logged and capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "limits, raised, most",
    [
        ((1_024, 20_000), (4_100, 20_000), 4_000),
        ((1_024, 4_096), (4_096, 4_096), 3_996),
        ((1_024, 1_024), None, 924),
        ((64, 64), None, 32),
        ((20_000, 20_000), None, 4_000),
        ((256, resource.RLIM_INFINITY), (4_100, resource.RLIM_INFINITY), 4_000),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), None, 4_000),
    ],
)
def test_the_limit_of_descriptors_is_raised_as_far_as_it_may_be(
    limits: tuple[int, int], raised: tuple[int, int] | None, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_to = list[tuple[int, int]]()
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, to: set_to.append(to))
    assert most_connections() == most and set_to == ([raised] if raised else [])


def test_a_limit_that_cannot_be_raised_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int, __: tuple[int, int]) -> None:
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 9_000))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert most_connections() == 156


@pytest.mark.parametrize(
    "address, counted",
    [
        (("192.0.2.7", 4000), "192.0.2.7"),
        (("::ffff:192.0.2.7", 4000, 0, 0), "192.0.2.7"),
        (("2001:db8:1:2:3:4:5:6", 4000, 0, 0), "2001:db8:1:2::/64"),
        (("fe80::1%eth0", 4000, 0, 2), "fe80::/64"),
        ((), ""),
        (("/run/socket",), ""),
    ],
)
def test_connections_are_counted_by_network(address: tuple[Any, ...], counted: str) -> None:
    assert counted_address(address) == counted


# --- the whole ----------------------------------------------------------------------------------


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port: int = sock.getsockname()[1]
        return port


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    """File descriptors for 2,000 connections, and for both sides of a proxy."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 8_000:
        pytest.skip(f"this process may have {hard} descriptors only")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 8_000), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.proof
@pytest.mark.usefixtures("many_descriptors")
@pytest.mark.parametrize("descriptors", [1_024, 8_000])
@pytest.mark.parametrize("through_proxy", [False, True])
def test_a_table_plays_on_beside_2000_half_open_connections(
    descriptors: int, through_proxy: bool, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        port = own = free_port()
        args: list[object] = ["nim", "--players", "2", "--store", tmp_path / "t.db", "--port", own]
        if through_proxy:
            proxy = stack.enter_context(closing(Proxy()))
            proxy.target, port = own, proxy.port
            args += ["--url", f"http://127.0.0.1:{port}"]
        server = Process(*args, most=descriptors, limit="RLIMIT_NOFILE")
        stack.callback(server.close)
        ann, bob = (sat(server.socket, server.links[seat], seat * 3) for seat in ("A", "B"))
        for said in ((), (b"GET / HTTP/1.1\r\nHost: x\r\n",)):
            with strangers(port, 2_000, *said):
                play_a_move_each(ann, bob)
                assert page(port) == OK
                assert server.client("spectators").state["count"] == ann.state["count"]
        server.process.terminate()
        server.process.wait(15)
        assert server.process.stderr is not None and server.process.stderr.read() == ""
