"""Confirmed means committed: kills, a full disk, two servers on one store, changed rules."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from deadlines import pause
from folders import RULESETS
from servers import Client, Process, served
from tables import Clock
from websockets.exceptions import ConnectionClosed

from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.serve.socket_parts import hashed
from rulespec.serve.store import TableStore

pytestmark = pytest.mark.usefixtures("known_rulesets")


class Table:
    """Two players and a spectator at a table, who continue until the server is gone."""

    def __init__(self, server: Process) -> None:
        self.keys = {who: server.links[who] for who in ("white", "black", "spectators")}
        self.shown = 0
        self.texts: dict[str, Any] = {}

    def sit(self, server: Process) -> dict[str, Client]:
        return {who: server.client(key=key) for who, key in self.keys.items()}

    def play(self, clients: dict[str, Client], rng: random.Random) -> None:
        with suppress(ConnectionClosed, OSError, TimeoutError):
            while True:
                for client in clients.values():
                    self.note(client)
                asked = clients["spectators"].state["asked"]
                if asked is None:
                    return
                client = clients[next(iter(asked["waiting"]))]
                client.wait(lambda client=client: client.options)
                client.take(rng.choice(client.options))
                clients["spectators"].wait(lambda: clients["spectators"].state["count"] >= self.shown)
                for each in clients.values():
                    count = client.state["count"]
                    each.wait(lambda each=each, count=count: each.state["count"] >= count)

    def note(self, client: Client) -> None:
        """Records a frame of a viewer."""
        for number, move in client.state["texts"].items():
            self.texts[number] = move["text"]
        self.shown = max(self.shown, client.state["count"])


def killed(store: Path, times: int, seed: int) -> int:
    """Kills a server at random moments of a game; returns the number of decisions shown to players."""
    rng = random.Random(seed)
    server = Process("chess", "--store", store)
    table = Table(server)
    for client in (clients := table.sit(server)).values():
        client.send(do="name", name="Ann")
    for number in range(times):
        clients = table.sit(server)
        playing = threading.Thread(target=table.play, args=(clients, random.Random(number)))
        playing.start()
        pause(rng.uniform(0.05, 0.6))
        server.kill()
        playing.join()
        for client in clients.values():
            with suppress(ConnectionClosed, TimeoutError, OSError):
                while True:
                    client.read(0.01)
            table.note(client)
        server = Process("--store", store)
        after = server.client(key=table.keys["spectators"])
        assert after.state["count"] >= table.shown
        for n, move in after.state["texts"].items():
            assert n not in table.texts or move["text"] == table.texts[n]
    server.close()
    return table.shown


@pytest.mark.proof
def test_a_kill_loses_nothing_that_was_shown(tmp_path: Path) -> None:
    assert killed(tmp_path / "t.db", 3, 1) > 3


@pytest.mark.proof
def test_many_kills_lose_nothing_that_was_shown(tmp_path: Path) -> None:
    for game in range(10):
        assert killed(tmp_path / f"{game}.db", 10, game) > 10


@pytest.mark.proof  # 1.3 s
def test_on_a_full_disk_nothing_is_done(tmp_path: Path) -> None:
    store = tmp_path / "t.db"
    server = Process("chess", "--store", store, most=250_000)
    table = Table(server)
    clients = table.sit(server)
    for who in ("white", "black"):
        clients[who].send(do="name", name=who)
        clients[who].wait(lambda who=who: clients[who].options or who == "black")
    refused: list[str] = []
    while not refused:
        asked = clients["spectators"].state["asked"]
        client = clients[next(iter(asked["waiting"]))]
        client.wait(lambda client=client: client.options)
        before = client.state["count"]
        client.take(client.options[0])
        refused = [answer["refused"]["text"] for answer in client.answers]
        if refused:
            assert client.state["count"] == before and "could not be saved" in refused[0]
        else:
            clients["spectators"].wait(lambda before=before: clients["spectators"].state["count"] > before)
    shown = clients["spectators"].state["count"]
    assert shown > 0
    server.kill()
    server = Process("--store", store)
    assert server.client(key=table.keys["spectators"]).state["count"] == shown
    server.close()


@pytest.mark.proof
def test_two_servers_do_not_share_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "t.db"
    first = Process("nim", "--players", "2", "--store", store)
    assert run(["serve", "nim", "--players", "2", "--store", str(store), "--port", "0"]) == 2
    assert "is being served by another program" in capsys.readouterr().err
    first.close()


def test_a_store_is_its_owners_alone(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as (_, keys, url, _):
        client = Client(url, keys["seat:A"])
        client.send(do="name", name="Ann")
        client.wait(lambda: client.options)
        client.take("take(1)")
        files = [*tmp_path.iterdir()]
        assert files and all(file.stat().st_mode & 0o077 == 0 for file in files)
        data = b"".join(file.read_bytes() for file in files)
        assert not any(key.encode() in data for key in keys.values())
        assert hashed(keys["seat:A"]).encode() in data


@pytest.mark.parametrize("content", [b"a text of somebody else", b"SQLite format 3\0" + b"\0" * 84])
def test_a_file_of_another_kind_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.db").write_bytes(content)
    with pytest.raises(DiagnosticsError, match="RS680"):
        TableStore(tmp_path / "t.db")
    assert (tmp_path / "t.db").read_bytes() == content


def test_another_programs_base_is_refused(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "t.db")
    base.execute("CREATE TABLE game (mine)")
    base.commit()
    base.close()
    with pytest.raises(DiagnosticsError, match="not a store of tables"):
        TableStore(tmp_path / "t.db")


def test_a_table_goes_on_under_the_rules_that_it_began_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ruleset changes, and is then deleted."""
    shutil.copytree(RULESETS / "nim", tmp_path / "mine" / "nim")
    store = tmp_path / "t.db"
    with served(store, str(tmp_path / "mine" / "nim"), 2) as (first, keys, url, _):
        client = Client(url, keys["seat:A"])
        client.send(do="name", name="Ann")
        client.wait(lambda: client.options)
        client.take("take(2)")
        hash_ = next(iter(first.games.values())).rules.ruleset.hash
    shutil.rmtree(tmp_path / "mine")
    with served(store, "wager", 0) as (hall, _, url, _):
        assert not hall.faults
        client = Client(url, keys["seat:A"])
        assert client.state["count"] == 1 and client.state["seats"][0]["name"] == "Ann"
        assert next(iter(hall.games.values())).rules.ruleset.hash == hash_


@pytest.mark.proof  # 0.6 s
def test_a_table_stays_on_its_rules_when_they_are_changed_and_can_be_migrated(tmp_path: Path) -> None:
    """They change on disk during the game; the server restarts with the changed rules; the log migrates to them."""
    shutil.copytree(RULESETS / "nim", tmp_path / "nim")
    ref, store, log, tables = str(tmp_path / "nim"), tmp_path / "t.db", tmp_path / "game.jsonl", "nim/tables.yaml"
    with served(store, ref, 2) as (hall, keys, url, _):
        ann = seated(url, keys["seat:A"])
        (tmp_path / tables).write_text((tmp_path / tables).read_text("utf-8").replace("most: 3", "most: 4"), "utf-8")
        ann.take("take(2)")
        assert len(seated(url, keys["seat:B"]).options) == 3
        (own,) = hall.games
    with served(store, ref, 2) as (hall, new, url, _):
        bob = seated(url, keys["seat:B"])
        assert len(bob.options) == 3 and bob.state["count"] == 1
        assert len(seated(url, new["seat:A"]).options) == 4, "a new table has the rules of today"
        assert len({game.rules.ruleset.hash for game in hall.games.values()}) == 2
        bob.send(do="log")
        bob.wait(lambda: bob.answers)
        log.write_text(bob.answers[-1]["log"], "utf-8")
    before = store.read_bytes(), log.read_bytes()
    assert run(["migrate", str(log), "--to", ref, "--out", str(tmp_path / "carried")]) == 0
    assert (store.read_bytes(), log.read_bytes()) == before
    server = Process(tmp_path / "carried" / "game.jsonl", "--store", tmp_path / "carried.db")
    bob = server.client(list(server.links)[1])
    bob.send(do="name", name="Bob")
    bob.wait(lambda: bob.options)
    assert len(bob.options) == 4 and bob.state["count"] == 1
    server.close()
    with served(store, ref, 0) as (hall, _, url, _):
        assert own in hall.games and len(seated(url, keys["seat:B"]).options) == 3


def seated(url: str, key: str) -> Client:
    """A player at the seat to move."""
    client = Client(url, key)
    client.send(do="name", name="Ann")
    client.wait(lambda: client.options)
    return client


def test_choices_of_an_open_round_and_requests_survive(tmp_path: Path) -> None:
    store = tmp_path / "t.db"
    with served(store, "wager", 3) as (_, keys, url, _):
        clients = {seat: Client(url, keys[f"seat:{seat}"]) for seat in "ABC"}
        for seat, client in clients.items():
            client.send(do="name", name=f"{seat}-name")
            client.wait(lambda client=client: client.options)
        clients["C"].take("bid(1)")
    with served(store, "wager", 0) as (_, _, url, _):
        clients = {seat: Client(url, keys[f"seat:{seat}"]) for seat in "ABC"}
        assert clients["C"].state["chosen"] == "bid(1)" and clients["A"].state["ready"] == ["C"]
        assert "bid(1)" not in json.dumps(clients["A"].state["texts"])
        clients["A"].take("bid(0)")
        clients["B"].take("bid(2)")
        clients["A"].wait(lambda: "ready" in clients["A"].state and not clients["A"].state["ready"])


@pytest.mark.parametrize("end", ["Ctrl-C", "kill -9"])
def test_time_stops_while_no_server_runs(tmp_path: Path, end: str) -> None:
    """A killed server leaves its files unchanged; it records times at intervals."""
    store, clock = tmp_path / "t.db", Clock()
    with served(store, "nim", 2, deadline=60, clock=clock) as (hall, keys, url, _):
        seated(url, keys["seat:A"])
        clock.now += 50
        if end == "kill -9":
            asyncio.run(hall.note_time())
            clock.now += 5
            (tmp_path / "left").mkdir()
            for file in tmp_path.glob("t.db*"):
                shutil.copy(file, tmp_path / "left")
            store = tmp_path / "left" / "t.db"
    clock.now += 1_000_000
    with served(store, "nim", 0, clock=clock) as (hall, _, url, _):
        (live,) = hall.games.values()
        assert Client(url, keys["seat:B"]).state["asked"]["waiting"] == {"A": clock.now - 50}
        assert live.table.late() == ()
        clock.now += 10
        assert live.table.late() == ("A",)


def test_the_time_is_noted_of_tables_that_have_a_deadline(tmp_path: Path) -> None:
    clock = Clock()
    with served(tmp_path / "t.db", "nim", 2, clock=clock) as (hall, keys, url, _):
        seated(url, keys["seat:A"])
        (live,) = hall.games.values()
        before = [*hall.store.games()]
        clock.now += 50
        asyncio.run(hall.note_time())
        assert [*hall.store.games()] == before
        live.table.set_deadline(60)
        asyncio.run(hall.note_time())
        assert [*hall.store.games()] != before


def test_a_write_whose_caller_is_cancelled_is_made_and_the_next_ones_too(tmp_path: Path) -> None:
    """The cancelled future of a bot that was stopped once ended the thread, which kept the file locked."""
    with served(tmp_path / "t.db", "nim", 2) as (hall, _, _, _):
        (live,) = hall.games.values()

        async def cancelled(number: int) -> None:
            text = "INSERT INTO line VALUES (?, ?, '{}', '')"
            waiting = asyncio.wrap_future(hall.store.save([(text, (live.id, number))]))
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

        for number in range(100, 150):
            asyncio.run(cancelled(number))
        hall.store.save([("DELETE FROM line WHERE n = 100", ())]).result(20)
    base = sqlite3.connect(tmp_path / "t.db")
    assert base.execute("SELECT count(*) FROM line WHERE n >= 100").fetchone() == (49,)
    base.close()


def test_one_table_that_cannot_be_resumed_does_not_stop_the_others(tmp_path: Path) -> None:
    store = tmp_path / "t.db"
    for _ in range(2):
        with served(store, "nim", 2):
            pass
    base = sqlite3.connect(store)
    first = base.execute("SELECT id FROM game ORDER BY begun").fetchone()[0]
    base.execute(
        "INSERT INTO line VALUES (?, 0, ?, '')", (first, '{"decision": "turn", "by": "A", "option": "take(9)"}')
    )
    base.commit()
    base.close()
    with served(store, "nim", 0) as (hall, _, _, _):
        assert [*hall.faults] == [first] and len(hall.games) == 1
