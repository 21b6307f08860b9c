"""The command `rulespec serve`: links, logs, warnings, wrong usage."""

from __future__ import annotations

import re
import socket
from contextlib import closing
from pathlib import Path

import pytest
from folders import ROOT
from servers import Process

from rulespec.cli.main import run
from rulespec.serve.guard import OriginGuard, is_local
from rulespec.serve.running import reachable

pytestmark = pytest.mark.usefixtures("known_rulesets")

QUICKSTART = ROOT / "games" / "imperial" / "logs" / "quickstart.jsonl"


@pytest.mark.proof  # 0.9 s
@pytest.mark.parametrize("ref", ["nim", "nim+./more.yaml"])
def test_each_seat_has_a_link(ref: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more.yaml").write_text(
        'id: more\ntitle: More\nfor: nim\nversion: "1.0"\nchanges: {constants.most: 4}\n'
    )
    server = Process(ref, "--players", "3", "--bots", "1", "--store", tmp_path / "t.db")
    assert set(server.links) == {"A", "B", "spectators", "owner"} and len({*server.links.values()}) == 4
    assert all(re.fullmatch(r"[\w-]{22}", key) for key in server.links.values())
    client = server.client("A")
    assert client.hello["rules"] == ("nim" if ref == "nim" else "nim+more") and client.hello["seat"] == "A"
    client.send(do="name", name="Ann")
    client.wait(lambda: client.options)
    assert len(client.options) == (3 if ref == "nim" else 4)
    server.close()
    again = Process("--store", tmp_path / "t.db")
    assert again.links == {}
    assert again.client(key=server.links["A"]).state["seats"][0]["name"] == "Ann"
    again.close()


@pytest.mark.proof
def test_a_recorded_game_goes_on(tmp_path: Path) -> None:
    server = Process(QUICKSTART, "--store", tmp_path / "t.db")
    client = server.client(next(iter(server.links)))
    assert client.state["count"] > 10
    server.close()


@pytest.mark.proof
def test_a_new_link_for_the_owner_ends_the_old_one(tmp_path: Path) -> None:
    first = Process("nim", "--players", "2", "--store", tmp_path / "t.db")
    first.close()
    again = Process("--owner", "--store", tmp_path / "t.db")
    assert again.links["owner"] != first.links["owner"]
    with pytest.raises(Exception, match="4401"):
        again.client(key=first.links["owner"])
    again.close()


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["nothing_of_this_name"],
        ["nim"],
        ["nim", "--players", "2", "--bots", "3"],
        ["nim", "--players", "2", "--bots", "no_such_bot"],
        ["nim", "--players", "2", "--set", "nothing=1"],
        ["nim", "--players", "2", "--cert", "x.pem"],
        ["nim", "--players", "2", "--url", "ftp://x"],
        ["nim", "--players", "2", "--url", "https://x/tables"],
        ["nim", "--players", "2", "--store", "no/such/folder/t.db"],
        ["nim", "--players", "2", "--host", "192.0.2.1"],
    ],
)
def test_wrong_usage_says_what_is_wrong(
    args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["serve", *args]) == 2
    err = capsys.readouterr().err
    assert err and "RS901" not in err


def test_a_port_that_is_taken_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert run(["serve", "nim", "--players", "2", "--store", str(tmp_path / "t.db"), "--port", port]) == 2
    assert f"port {port}" in capsys.readouterr().err


@pytest.mark.parametrize("host, local", [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)])
def test_only_addresses_of_this_machine_are_local(host: str, local: bool) -> None:
    assert is_local(host) == local


def test_others_are_given_an_address_that_they_can_reach() -> None:
    assert reachable("127.0.0.1") == "127.0.0.1" and reachable("192.168.1.5") == "192.168.1.5"
    address = reachable("0.0.0.0")
    assert OriginGuard(lambda *_: None, 80, "0.0.0.0").knows_host(f"{address}:80")  # type: ignore[arg-type]


def test_behind_a_proxy_the_address_that_people_see_is_known() -> None:
    guard = OriginGuard(lambda *_: None, 8765, url="https://Play.example.org")  # type: ignore[arg-type]
    assert guard.knows_origin("https://play.example.org") and guard.knows_host("play.example.org")
    assert guard.knows_host("127.0.0.1:8765") and not guard.knows_host("10.0.0.1:8765")
    assert not guard.knows_origin("http://play.example.org") and not guard.knows_origin("https://play.example.org.evil")


def test_a_server_for_others_is_known_by_its_number_and_by_no_name() -> None:
    guard = OriginGuard(lambda *_: None, 80, "0.0.0.0")  # type: ignore[arg-type]
    assert guard.knows_host("192.168.1.5:80") and guard.knows_origin("http://192.168.1.5:80")
    assert not guard.knows_host("rebound.example:80") and not guard.knows_origin("http://rebound.example:80")
