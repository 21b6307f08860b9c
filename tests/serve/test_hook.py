"""The hook of a server: who hears of a turn, and addresses that fail or never answer."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
from folders import RULESETS
from servers import Client, Process, served

from rulespec.serve import hook as hooks
from rulespec.serve.hook import Hook

pytestmark = pytest.mark.usefixtures("known_rulesets")
WAIT = 15.0


class Heard(NamedTuple):
    """An address that notes what is posted to it, and answers with the codes of a list, one after another."""

    url: str
    posted: list[dict[str, object]]
    codes: list[int]
    more: threading.Semaphore

    def wait(self, number: int) -> list[dict[str, object]]:
        """The next notices."""
        assert all(self.more.acquire(timeout=WAIT) for _ in range(number))
        return self.posted[-number:]


@pytest.fixture
def heard() -> Iterator[Heard]:
    posted: list[dict[str, object]] = []
    codes: list[int] = []
    more = threading.Semaphore(0)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(codes.pop(0) if codes else 204)
            self.end_headers()
            more.release()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield Heard(f"http://127.0.0.1:{server.server_port}", posted, codes, more)
        server.shutdown()


class Silent:
    """An address that says nothing, until it is let go on; `begun` is released for each connection."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.posted: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            with sock:
                self.begun.release()
                self.go_on.wait(WAIT)
                data = b""
                while not data.endswith(b"}"):
                    data += sock.recv(65_536)
                self.posted.append(data.rpartition(b"\r\n\r\n")[2])
                sock.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    def close(self) -> None:
        self.go_on.set()
        self._listener.close()


def test_a_hook_hears_whose_turn_it_is_and_no_key(tmp_path: Path, heard: Heard) -> None:
    server = Process("nim", "--players", "2", "--store", tmp_path / "t.db", "--hook", heard.url)
    client = server.client("A")
    client.send(do="name", name="Ann")
    client.wait(lambda: client.options)
    client.take("take(1)")
    while not any(each["seat"] == "B" and each["serial"] == 1 for each in heard.posted):
        heard.wait(1)
    assert all(set(each) == {"table", "seat", "serial"} for each in heard.posted)
    assert not any(key in json.dumps(heard.posted) for key in server.links.values())
    server.close()


def test_a_hook_that_fails_is_tried_three_times(heard: Heard) -> None:
    heard.codes.extend([500, 503, 500, 500])
    hook = Hook(heard.url, pause=0)
    hook("t", "A", 1)
    assert heard.wait(3) == [{"table": "t", "seat": "A", "serial": 1}] * 3
    hook("t", "B", 2)
    assert [each["seat"] for each in heard.wait(2)] == ["B", "B"]  # the first of these has failed, too


def test_a_hook_that_never_answers_has_one_thread_and_a_bounded_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "MOST", 10)
    with closing(Silent()) as silent:
        hook = Hook(silent.url)
        hook("first", "A", 0)
        assert silent.begun.acquire(timeout=WAIT)
        threads = threading.active_count()
        for serial in range(100):
            for table in range(20):
                hook(f"t{table}", "AB"[serial % 2], serial)
        assert threading.active_count() == threads and len(hook._waiting) == 10
        silent.go_on.set()
        for _ in range(10):
            assert silent.begun.acquire(timeout=WAIT)
        hook("last", "A", 0)
        assert silent.begun.acquire(timeout=WAIT)
        notices = [json.loads(data) for data in silent.posted[1:11]]
        assert {each["serial"] for each in notices} == {99} and len({each["table"] for each in notices}) == 10


def test_the_newest_notices_of_a_table_are_those_of_all_who_are_asked_now() -> None:
    with closing(Silent()) as silent:
        hook = Hook(silent.url)
        hook("first", "A", 0)
        assert silent.begun.acquire(timeout=WAIT)
        for seat, serial in (("A", 1), ("B", 1), ("A", 2), ("B", 2), ("C", 2)):
            hook("t", seat, serial)
        hook("u", "A", 7)
        silent.go_on.set()
        for _ in range(4):
            assert silent.begun.acquire(timeout=WAIT)
        hook("last", "A", 0)
        assert silent.begun.acquire(timeout=WAIT)
        assert [json.loads(data) for data in silent.posted[1:5]] == [
            *({"table": "t", "seat": seat, "serial": 2} for seat in "ABC"),
            {"table": "u", "seat": "A", "serial": 7},
        ]


@pytest.mark.parametrize(
    "url", ["http://[::1", "nothing", "file:///etc/passwd", "http://127.0.0.1:1", "http://\udcff/"]
)
def test_an_address_that_cannot_be_asked_leaves_the_thread_for_the_next_notice(
    url: str, heard: Heard, capfd: pytest.CaptureFixture[str]
) -> None:
    hook = Hook(url, pause=0)
    hook("t", "A", 1)
    hook._post(b"{}")
    hook._url = heard.url
    hook("u", "B", 2)
    while {"table": "u", "seat": "B", "serial": 2} not in heard.posted:
        heard.wait(1)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("answer", [b"", b"nothing\r\n\r\n", b"HTTP/1.1 999 \r\n\r\n", b"x" * 100_000 + b"\n"])
def test_an_answer_that_is_none_leaves_the_thread_for_the_next_notice(
    answer: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        hook = Hook(f"http://127.0.0.1:{listener.getsockname()[1]}", pause=0)
        for serial in range(2):
            hook("t", "A", serial)
            for _ in range(3):
                sock, _ = listener.accept()
                with sock:
                    sock.recv(65_536)
                    sock.sendall(answer)
    assert capfd.readouterr().err == ""


def _raise_os_error(*_: object) -> None:
    raise OSError("no thread can be started")


def _raise_memory_error(*_: object) -> None:
    raise MemoryError


@pytest.mark.parametrize("fail", [_raise_os_error, _raise_memory_error])
def test_a_table_goes_on_whatever_becomes_of_its_hook(fail: Callable[..., None], tmp_path: Path) -> None:
    with served(tmp_path / "t.db", str(RULESETS / "nim"), 2) as nim:
        nim.hall._hook = fail
        ann, bob = (Client(nim.url, nim.keys[f"seat:{seat}"]) for seat in "AB")
        for client, name in ((ann, "Ann"), (bob, "Bob")):
            client.send(do="name", name=name)
        ann.wait(lambda: ann.options)
        ann.take("take(2)")
        bob.wait(lambda: bob.state["count"] == 1 and bob.options)
        bob.take("take(1)")
        assert bob.state["count"] == 2 and not [each for each in ann.answers if "refused" in each]
