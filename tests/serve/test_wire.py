"""The protocol of a server: keys, the recipients of messages, hostile messages, foreign pages."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from deadlines import DEADLINE, until
from folders import RULESETS
from servers import Client, Served, opened, served
from tables import FRAME
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from rulespec.serve.connection import BURST, LEFT, MAX_OF_KEY, TOO_MUCH, WRONG_KEY
from rulespec.serve.running import listening

pytestmark = pytest.mark.usefixtures("known_rulesets")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("wire") / "t.db", str(RULESETS / "nim"), 2) as result:
        yield result


@pytest.fixture
def nim(server: Served) -> Served:
    """A server with a new table."""
    return server._replace(keys=server.keys | server.new_table())


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a table with hidden cards."""
    with served(tmp_path_factory.mktemp("kuhn") / "t.db", "kuhn_poker", 2) as result:
        yield result


def closed_with(url: str, *messages: str | bytes, origin: str = "") -> int:
    """The close code of a socket after messages, or during them."""
    with opened(url, origin) as socket:
        try:
            for message in messages:
                socket.send(message)
            while True:
                socket.recv(timeout=DEADLINE)
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else 0


def seat(nim: Served, id_: str, name: str = "") -> Client:
    client = Client(nim.url, nim.keys[f"seat:{id_}"])
    if name:
        client.send(do="name", name=name)
        client.wait(lambda: any(s["id"] == id_ and s["kind"] == "person" for s in client.state["seats"]))
    return client


def test_people_sit_down_and_play(nim: Served) -> None:
    ann, bob, other = seat(nim, "A", "Ann"), seat(nim, "B", "Bob"), Client(nim.url, nim.keys["spectator"])
    ann.take("take(2)")
    bob.wait(lambda: bob.state["count"] == 1 and bob.options)
    other.wait(lambda: other.state["count"] == 1 and len(other.state["here"]) == 2)
    assert other.options == [] and other.state["here"] == ["A", "B"]
    assert other.state["texts"]["0"]["text"].startswith("Ann")
    for client in (ann, bob, other):
        for frame in client.frames:
            FRAME.validate(frame)
        client.close()


def test_a_difference_is_small(nim: Served) -> None:
    ann = seat(nim, "A", "Ann")
    ann.take("take(2)")
    assert len(json.dumps(ann.frames[-1])) < 700 and "board" in ann.hello


def test_a_message_of_an_earlier_position_gets_the_present_one(nim: Served) -> None:
    ann = seat(nim, "A", "Ann")
    old = ann.state["serial"]
    ann.take("take(2)")
    ann.send(do="take", option="take(2)", serial=old)
    ann.wait(lambda: ann.answers and ann.frames[-1]["since"] == 0)
    assert ann.answers[-1]["refused"]["stale"] and ann.state["count"] == 1


@pytest.mark.parametrize("first", ['{"key": "wrong"}', '{"key": 3}', "[]", "{", "null", '{"do": "take"}', "[" * 3000])
def test_a_wrong_key_opens_nothing(nim: Served, first: str) -> None:
    assert closed_with(nim.url, first) == WRONG_KEY


def test_bytes_are_no_key(nim: Served) -> None:
    assert closed_with(nim.url, b"\x00\xff") == WRONG_KEY


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_a_foreign_page_is_refused(nim: Served, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        opened(nim.url, origin)
    assert refused.value.response.status_code == 403


def test_who_names_no_origin_is_refused(nim: Served) -> None:
    with pytest.raises(InvalidStatus), connect(nim.url):
        pass


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    text: str


def asked(url: str, host: str = "", path: str = "/") -> Answer:
    """The answer to a request, which by default names the server itself as host."""
    own = url.partition("//")[2].partition("/")[0]
    with closing(http.client.HTTPConnection(own, timeout=DEADLINE)) as connection:
        connection.putrequest("GET", path, skip_host=True)
        connection.putheader("Host", host or own)
        connection.endheaders()
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read().decode())


def test_a_foreign_host_is_refused(nim: Served) -> None:
    """As in DNS rebinding: a stranger's host name resolves to this machine."""
    port = nim.url.rpartition(":")[2].partition("/")[0]
    assert {asked(nim.url, f"{name}:{port}").status for name in ("127.0.0.1", "localhost", "[::1]")} == {200}
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"10.0.0.1:{port}", "[", " "):
        assert asked(nim.url, host).status in (400, 421)


def test_the_page_has_headers_and_nothing_of_a_table(nim: Served) -> None:
    response = asked(nim.url)
    text = response.text
    assert response.headers["Referrer-Policy"] == "no-referrer" and response.headers["Cache-Control"] == "no-store"
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
    assert "default-src &#x27;none&#x27;; script-src &#x27;sha256-" in text and "connect-src &#x27;self&#x27;" in text
    assert "Set-Cookie" not in response.headers and "server" not in response.headers
    assert not any(key in text for key in nim.keys.values())


@pytest.mark.parametrize("path", ["/socket", "/log", "/../etc/passwd", "/%2e%2e/x"])
def test_other_paths_have_nothing(nim: Served, path: str) -> None:
    response = asked(nim.url, path=path)
    assert response.status == 404 and "There is no page at this address" in response.text


HOSTILE = [
    "",
    "null",
    "{",
    "[" * 3_000,
    '{"do": "take", "serial": 1e999, "option": "take(1)"}',
    '{"do": "take", "serial": 99999999999999999999, "option": "take(1)"}',
    '{"do": "take", "serial": true, "option": "take(1)"}',
    '{"do": "take", "option": "take(1)", "serial": -1}',
    '{"do": "take", "option": {"a": 1}}',
    '{"do": "name", "name": ""}',
    '{"do": "name", "name": "\\u202e\\u0000\\ud800"}',
    '{"do": "bot", "seat": "B", "bot": "random"}',
    '{"do": "bot", "seat": "B", "bot": "../../x"}',
    '{"do": "moves", "before": -99}',
    '{"do": "delete", "game": "x"}',
    '{"do": "renew", "game": "", "role": "owner"}',
    '{"do": "log", "seat": "B"}',
    '{"key": "again"}',
    json.dumps({"do": "name", "name": "x" * 3_500}),
    json.dumps({"do": "take", "option": "take(" * 600}),
]


@pytest.mark.parametrize("message", HOSTILE)
def test_a_hostile_message_changes_nothing(nim: Served, message: str) -> None:
    ann = seat(nim, "A", "Ann")
    had = len(ann.answers)
    ann.socket.send(message)
    ann.wait(lambda: len(ann.answers) > had)
    assert "refused" in ann.answers[-1] or "earlier" in ann.answers[-1]
    ann.take("take(1)")
    assert ann.state["count"] == 1 and ann.state["seats"][1]["kind"] == "free"


def test_a_message_that_is_too_large_ends_the_connection(nim: Served) -> None:
    key = json.dumps({"key": nim.keys["seat:A"]})
    assert closed_with(nim.url, key, "x" * 100_000) == 1009


def test_too_many_messages_end_the_connection(nim: Served) -> None:
    key = json.dumps({"key": nim.keys["seat:A"]})
    assert closed_with(nim.url, key, *['{"do": "undo"}'] * (BURST + 20)) == TOO_MUCH
    assert seat(nim, "A").state["count"] == 0


def test_too_many_connections_of_a_key_are_refused(nim: Served) -> None:
    clients = [seat(nim, "A") for _ in range(MAX_OF_KEY)]
    assert closed_with(nim.url, json.dumps({"key": nim.keys["seat:A"]})) == TOO_MUCH
    clients.pop().close()
    lookers = [*nim.hall.games.values()][-1].lookers["A"]
    until(lambda: len(lookers) < MAX_OF_KEY)
    seat(nim, "A")


def test_a_seat_cannot_do_what_the_owner_can(nim: Served) -> None:
    games = {*nim.hall.games}
    ann = seat(nim, "A", "Ann")
    for do in ("new", "renew", "remove", "delete", "deadline"):
        ann.send(do=do)
        ann.wait(lambda: ann.answers and ann.answers.pop())
    assert set(nim.hall.games) == games


def test_names_that_are_scripts_are_text(nim: Served) -> None:
    ann = seat(nim, "A", "<img src=x onerror=alert(1)>")
    assert ann.state["seats"][0]["name"] == "<img src=x onerror=alert(1)>"
    assert "onerror" not in json.dumps(ann.hello)


# --- the log ------------------------------------------------------------------------------------


def test_the_log_can_be_had_and_replayed(nim: Served, tmp_path: Path) -> None:
    from rulespec.engine.replay.replay import replay_log

    ann = seat(nim, "A", "Ann")
    ann.take("take(2)")
    ann.send(do="log")
    ann.wait(lambda: ann.answers)
    log = tmp_path / "game.jsonl"
    log.write_text(ann.answers[-1]["log"], "utf-8")
    result = replay_log(log)
    assert result.divergence is None and result.game.ply == 1 and result.game.names["A"] == "Ann"


def test_the_log_of_a_seat_is_what_it_has_seen(kuhn: Served) -> None:
    for who in ("spectator", "seat:A", "seat:B"):
        client = Client(kuhn.url, kuhn.keys[who])
        lines = [json.loads(line) for line in answered(client, "log").splitlines()]
        hidden = [line["option"] for line in lines if str(line.get("option")).startswith("deal")]
        assert hidden.count("deal(?)") == (2 if who == "spectator" else 1)
    # the owner may be a player: before the end, only public information
    assert "deal(?)" in Owner(kuhn).order("log", do="log", game=next(iter(kuhn.hall.games)))


# --- copies and replays ---------------------------------------------------------------------------


def answered(client: Client, what: str) -> Any:
    """The server's answer to a message."""
    had = len(client.answers)
    client.send(do=what)
    client.wait(lambda: len(client.answers) > had)
    return client.answers[-1].get(what) or client.answers[-1]["refused"]["text"]


def test_a_copy_is_played_by_one_person_and_changes_nothing_else(nim: Served) -> None:
    ann = seat(nim, "A", "Ann")
    ann.take("take(2)")
    copy = Client(nim.url, answered(ann, "fork"))
    assert copy.state["seat"] == "B" and copy.state["count"] == 1 and copy.hello["alone"]
    first = copy.state["serial"]
    copy.send(do="take", option="take(1)", serial=first, seat="B")
    copy.wait(lambda: copy.state["seat"] == "A")
    copy.send(do="take", option="take(1)", serial=first, seat="B")  # a second click does not affect the next seat
    copy.wait(lambda: copy.answers)
    assert copy.answers[-1]["refused"]["stale"] and copy.state["count"] == 2
    copy.send(do="undo", serial=copy.state["serial"], seat="A")
    copy.wait(lambda: copy.state["count"] == 1 and copy.state["seat"] == "B")
    assert ann.state["count"] == 1
    assert answered(copy, "fork") == "this is already a copy"
    for frame in copy.frames:
        FRAME.validate(frame)


def test_a_copy_ends_with_the_next_one_and_is_in_no_list(nim: Served) -> None:
    ann = seat(nim, "A", "Ann")
    copy = Client(nim.url, answered(ann, "fork"))
    Client(nim.url, answered(ann, "fork"))
    assert copy.ended() == LEFT
    owner = Owner(nim)
    assert all(" " not in table["id"] for table in owner.read("tables"))


def test_the_list_of_tables_says_who_is_to_decide(nim: Served) -> None:
    ann = seat(nim, "A", "Anna Lind")
    for asked in ([True, False], [False, True]):
        tables = [table["seats"] for table in Owner(nim).read("tables")]
        (seats,) = [seats for seats in tables if seats[0]["name"] == "Anna Lind"]
        assert [each["asked"] for each in seats] == asked
        ann.take("take(2)")


def test_the_replay_is_what_a_seat_has_seen(kuhn: Served) -> None:
    pages = [answered(Client(kuhn.url, kuhn.keys[who]), "study") for who in ("seat:A", "seat:B", "spectator")]
    assert all(page.startswith("<!DOCTYPE html>") for page in pages) and len({*pages}) == 3
    assert answered(Client(kuhn.url, kuhn.keys["spectator"]), "fork").startswith("spectators")


# --- the owner ----------------------------------------------------------------------------------


class Owner:
    """A client of the owner's page."""

    def __init__(self, nim: Served) -> None:
        self.socket = opened(nim.url)
        self.socket.send(json.dumps({"key": nim.keys["owner"]}))
        self.read("owner")

    def read(self, name: str) -> Any:
        while name not in (message := json.loads(self.socket.recv(15))):
            pass
        return message[name]

    def order(self, reply: str, **order: Any) -> Any:
        self.socket.send(json.dumps(order))
        return self.read(reply)


def test_the_owner_makes_tables_and_deletes_them(nim: Served) -> None:
    owner = Owner(nim)
    begun = owner.order("keys", do="new", rules=str(RULESETS / "nim"), players=3, bots=1, bot="random")
    assert set(begun["keys"]) == {"seat:A", "seat:B", "seat:C", "spectator"}
    assert begun["game"] in nim.hall.games
    client = Client(nim.url, begun["keys"]["seat:A"])
    assert [s["kind"] for s in client.state["seats"]] == ["free", "free", "bot"]
    owner.order("done", do="delete", game=begun["game"])
    assert client.ended() == LEFT
    assert closed_with(nim.url, json.dumps({"key": begun["keys"]["seat:A"]})) == WRONG_KEY


def test_a_renewed_link_ends_the_old_one(nim: Served) -> None:
    ann, owner = seat(nim, "A", "Ann"), Owner(nim)
    game = [*nim.hall.games][-1]
    begun = owner.order("keys", do="renew", game=game, role="seat:A")
    assert ann.ended() == LEFT
    assert closed_with(nim.url, json.dumps({"key": nim.keys["seat:A"]})) == WRONG_KEY
    assert Client(nim.url, begun["keys"]["seat:A"]).state["seats"][0]["name"] == "Ann"


def test_a_removed_player_is_gone_and_the_seat_is_free(nim: Served) -> None:
    seat(nim, "A", "Ann")
    owner = Owner(nim)
    begun = owner.order("keys", do="remove", game=[*nim.hall.games][-1], seat="A")
    client = Client(nim.url, begun["keys"]["seat:A"])
    assert client.state["seats"][0]["kind"] == "free" and client.state["seats"][0]["name"] == "A"


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "order",
    [
        {},
        {"do": "new", "rules": "/etc", "players": 2},
        {"do": "new", "rules": str(RULESETS / "nim"), "players": 99},
        {"do": "new", "rules": str(RULESETS / "nim"), "players": -1},
        {"do": "new", "rules": str(RULESETS / "nim"), "players": 2, "settings": {"nothing": "x"}},
        {"do": "renew", "game": "x", "role": "seat:A"},
        {"do": "remove", "game": "x", "seat": "A"},
        {"do": "bot", "game": "x", "seat": "A", "bot": "random"},
        {"do": "delete", "game": "' OR 1=1"},
    ],
)
def test_a_wrong_order_is_refused(nim: Served, order: dict[str, Any]) -> None:
    games = {*nim.hall.games}
    assert Owner(nim).order("refused", **order)["text"] and set(nim.hall.games) == games


def test_short_messages_are_sent_at_once() -> None:
    """Otherwise, the second message would wait for the acknowledgement of the first, delayed by 40 ms."""
    results = list[int]()

    async def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        results.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def both() -> None:
        listener = listening("127.0.0.1", 0)
        async with await asyncio.start_server(connected, sock=listener):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            await reader.read()
            writer.close()

    asyncio.run(both())
    assert results == [1]
