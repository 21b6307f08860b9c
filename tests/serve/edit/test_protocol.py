"""The socket of a map page: edits, answers, updates of other pages, and access control."""

from __future__ import annotations

import http.client
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from deadlines import DEADLINE, Deadline, pause, until
from servers import opened
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from editors import DRAWING, KEY, EditPage, Serving, copied, editing, emptied, files
from rulespec.serve.edit.desk import PAUSE


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server shared by the tests that leave its map unchanged."""
    with editing(copied("tutorial", tmp_path_factory.mktemp("served") / "lake")) as server:
        yield server


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Serving]:
    with editing(copied("tutorial", tmp_path / "lake")) as server:
        yield server


def region(page: EditPage, name: str) -> dict[str, Any]:
    result: dict[str, Any] = next(each for each in page.state["regions"] if each["name"] == name)
    return result


# --- edits ----------------------------------------------------------------------------------------


@pytest.mark.proof  # 0.6 s
def test_an_edit_is_answered_with_problems_first_and_then_the_picture(own: Serving) -> None:
    page, other = own.page(), own.page()
    page.until("picture"), other.until("picture")
    assert page.state["faults"] == [] and len(page.state["regions"]) == 12
    page.socket.send(json.dumps({"do": "edit", "edits": [["unset", "marsh", "terrain"]], "name": "marsh: terrain"}))
    order: list[str] = []
    while not order or order[-1] != "picture":
        order += list(page.read())
    assert order[:2] == ["state", "done"]
    assert [(f["code"], f["regions"]) for f in page.state["faults"]] == [("RS228", ["marsh"])]
    assert set(page.picture["items"]) <= {
        "region.marsh",
        "areas.region",
        "borders.region",
        "coasts.region",
        "walls.region",
    }
    other.until("state")
    assert "terrain" not in region(other, "marsh")["facts"] and other.state["undo"] == "marsh: terrain"
    first = files(own.desk.editor.folder)
    assert page.ask(do="undo") == {"done": "undone: marsh: terrain"}
    assert page.state["redo"] == "marsh: terrain" and page.state["faults"] == []
    assert page.ask(do="redo") == {"done": "redone: marsh: terrain"}
    assert files(own.desk.editor.folder) == first


@pytest.mark.proof  # 0.6 s
def test_the_history_outlives_a_page(own: Serving) -> None:
    before = files(own.desk.editor.folder)
    page = own.page()
    assert page.edit("move isle 46 52", "set isle terrain sea", name="two at once") == {
        "done": "two at once",
        "remarks": [],
    }
    page.socket.close()
    page = own.page()
    page.until("state")
    assert page.state["undo"] == "two at once"
    page.ask(do="undo")
    assert files(own.desk.editor.folder) == before


@pytest.mark.parametrize(
    "edit, why",
    [
        ("set ../x terrain sea", "no region"),
        ("add ../x", "lower-case letters"),
        ("add __proto__", "lower-case letters"),
        ("rename isle ../x", "is not a name"),
        ("rename isle marsh", "would"),
        ("set isle terrain [[[1]]]", ""),
        ("set isle terrain {a: 1}", ""),
        ("set isle position x", "no fact"),
        ("move isle 1e9 2", "not a whole number"),
        ("move isle 1234567890 2", "not a whole number"),
        ("fly isle", "no edit"),
        ("map isle", "no edit"),
        ("make isle", "no edit"),
        ("link isle isle", "must join two"),
        ("link isle", "expected `link REGION REGION"),
        ("remove nowhere", "no region"),
    ],
)
@pytest.mark.sampled(1)
def test_an_edit_that_cannot_be_made_writes_nothing(edit: str, why: str, serving: Serving) -> None:
    before = files(serving.desk.editor.folder)
    page = serving.page()
    answer = page.edit(edit)
    assert "refused" in answer and why in answer["refused"], answer
    assert files(serving.desk.editor.folder) == before


@pytest.mark.proof
def test_titles_are_text_whatever_they_are(own: Serving) -> None:
    page = own.page()
    for title in ("</title><script>alert(1)</script>", "a: b # c", "{x}", '"', "no", "🏝 ß"):
        assert "done" in page.ask(do="edit", edits=[["set", "isle", "title", title]], name="title")
        assert region(page, "isle")["facts"]["title"] == title
        page.until("picture")
        assert "<script" not in "".join(svg for _, svg in filter(None, page.items.values()))
    assert "refused" in page.ask(do="edit", edits=[["set", "isle", "title", "a\u202eb"]], name="title")


@pytest.mark.proof
def test_the_kind_of_a_link_is_asked_only_where_the_checks_leave_it_open(own: Serving) -> None:
    page = own.page()
    assert "done" in page.edit("add cape terrain=sea", "add reef terrain=sea")
    assert "done" in page.edit("link cape reef")
    assert region(page, "cape")["facts"]["sea"] == ["reef"]
    answer = page.edit("link cape reef")
    assert answer["choose"] == {"kinds": ["land", "coast"], "edit": ["link", "cape", "reef"], "name": ""}
    assert "done" in page.edit("link cape reef coast")


@pytest.mark.proof
def test_what_depends_on_a_region_is_shown_before_it_goes(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake", "perft")
    before = files(folder)
    with editing(folder) as own:
        page = own.page()
        for edit in ("remove marsh", "rename marsh fen"):
            remarks = page.edit(edit)["confirm"]["remarks"]
            assert files(folder) == before
            assert any("random-3p.jsonl.gz" in line for line in remarks), remarks
        remarks = page.edit("remove marsh")["confirm"]["remarks"]
        assert any("drawing.yaml" in line for line in remarks) and any("south_lake" in line for line in remarks)
        assert "done" in page.edit("rename marsh fen", confirmed=True)
        assert region(page, "south_lake")["facts"]["coast"][2] == "fen"
        page.ask(do="undo")
        assert files(folder) == before


@pytest.mark.proof
def test_fixes_are_steps_of_the_history(own: Serving) -> None:
    path = own.desk.editor.folder / "map.yaml"
    before = path.read_text("utf-8")
    page = own.page()
    page.until("picture")  # a server that has read the map detects the change once
    path.write_text(before.replace("hills: {terrain", "hills: {terain"), "utf-8")
    wrong = files(own.desk.editor.folder)
    while not page.state["faults"]:
        page.until("state")
    (fault,) = page.state["faults"]
    assert fault["fixes"] == [{"number": 0, "label": "Fix: terrain"}] and fault["regions"] == ["hills"]
    assert "choose it again" in page.ask(do="fix", fix=0, serial=page.state["serial"] + 1)["refused"]
    assert "choose it again" in page.ask(do="fix", fix=7, serial=page.state["serial"])["refused"]
    assert "done" in page.ask(do="fix", fix=0, serial=page.state["serial"])
    assert path.read_text("utf-8") == before and page.state["faults"] == []
    page.ask(do="undo")
    assert files(own.desk.editor.folder) == wrong


@pytest.mark.proof  # 0.3 s
def test_a_page_begins_with_an_empty_map(tmp_path: Path) -> None:
    folder = emptied(copied("tutorial", tmp_path / "lake"))
    with editing(folder) as own:
        page = own.page()
        page.until("picture")
        assert page.state["regions"] == [] and page.state["form"]["links"][0] == ["land", "two_way"]
        free = page.picture["free"]
        assert "done" in page.edit("add cape terrain=sea", f"move cape {free[0]} {free[1]}")
        page.until("picture")
        assert page.picture["spots"].keys() == {"cape"} and page.picture["free"] != free


# --- others change the files ----------------------------------------------------------------------


def changed(page: EditPage, condition: Callable[[dict[str, Any]], bool]) -> None:
    deadline = Deadline()
    while not condition(page.state):
        assert not deadline.is_over
        page.read()


@pytest.mark.proof
def test_what_others_do_to_the_files_is_followed(own: Serving) -> None:
    folder = own.desk.editor.folder
    path, text = folder / "map.yaml", (folder / "map.yaml").read_text("utf-8")
    page = own.page()
    page.until("picture")
    path.write_text(text.replace("isle: {terrain: land", "isle: {terrain: sea"), "utf-8")
    changed(page, lambda state: region(page, "isle")["facts"]["terrain"] == "sea")
    assert page.state["faults"]
    path.write_text(text + "    broken: {", "utf-8")
    changed(page, lambda state: state["stale"])
    assert "map.yaml:" in page.state["stale"] and len(page.state["regions"]) == 12
    assert "map.yaml:" in page.edit("set isle terrain land")["refused"]
    path.unlink()
    changed(page, lambda state: any(fault["code"] == "RS221" for fault in state["faults"]))
    assert "refused" in page.edit("set isle terrain land")
    path.write_text(text, "utf-8")
    changed(page, lambda state: not state["faults"])
    assert not page.state["stale"] and "done" in page.edit("set isle terrain sea")


@pytest.mark.proof  # 0.7 s
@pytest.mark.parametrize("how", ["gone", "unreadable", "link", "large"])
def test_a_file_that_cannot_be_edited_is_left_alone(how: str, own: Serving, tmp_path: Path) -> None:
    path = own.desk.editor.folder / "map.yaml"
    outside, text = tmp_path / "outside.yaml", path.read_bytes()
    outside.write_bytes(text)
    page = own.page()
    page.until("picture")
    path.unlink()
    if how == "unreadable":
        path.write_bytes(b"\xff\xfe\x00")
    elif how == "link":
        path.symlink_to(outside)
    elif how == "large":
        path.write_bytes(text + b"#" * 8_000_000)
    pause(2 * PAUSE)
    before = files(own.desk.editor.folder)
    assert "refused" in page.edit("set isle terrain sea")
    assert files(own.desk.editor.folder) == before and outside.read_bytes() == text
    path.unlink(missing_ok=True)
    path.write_bytes(text)
    until(lambda: "done" in page.edit("set isle terrain sea"))  # continues as soon as possible


@pytest.mark.proof
def test_edits_of_two_pages_and_of_an_editor_are_all_there(own: Serving) -> None:
    """The complete check is a proof: `test_edit_page.py`."""
    folder = own.desk.editor.folder
    pages = [own.page(), own.page()]
    for n in range(3):
        assert "done" in pages[n % 2].edit(f"add cape_{n} terrain=land")
        path = folder / "map.yaml"
        text = path.read_text("utf-8")
        path.write_text(text.rstrip("\n") + f"\n    reef_{n}: {{terrain: sea}}\n", "utf-8")
    assert "done" in pages[0].edit("set isle terrain sea")
    names = {each["name"] for each in pages[0].state["regions"]}
    assert {f"{what}_{n}" for what in ("cape", "reef") for n in range(3)} <= names


# --- who is let in --------------------------------------------------------------------------------


def closed(socket: Any) -> int:
    """The close code of a socket."""
    try:
        while True:
            socket.recv(10)
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd is not None else 0


@pytest.mark.parametrize(
    "first", ['{"key": "wrong"}', '{"key": ""}', '{"key": 1}', "{}", "[]", "nonsense", '{"do": "undo"}', "[" * 9999]
)
def test_a_socket_without_the_key_is_closed(first: str, serving: Serving) -> None:
    socket = opened(serving.socket)
    socket.send(first)
    assert closed(socket) == 4401


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", "http://localhost.evil.example"],
)
def test_a_socket_of_another_page_is_refused(origin: str, serving: Serving) -> None:
    with pytest.raises(InvalidStatus):
        opened(serving.socket, origin)


def test_a_socket_without_an_origin_is_refused(serving: Serving) -> None:
    with pytest.raises(InvalidStatus):
        connect(serving.socket, max_size=None).__enter__()


@pytest.mark.parametrize("path", ["/", "/other", "/socket/x"])
def test_a_socket_is_at_one_path(path: str, serving: Serving) -> None:
    with pytest.raises(InvalidStatus):
        opened(serving.base.replace("http", "ws", 1) + path, serving.base)


def answered(serving: Serving, method: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(serving.base.removeprefix("http://"), timeout=DEADLINE)
    try:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    "method, path, headers, status",
    [
        ("GET", "/", {}, 200),
        ("HEAD", "/", {}, 200),
        ("POST", "/", {}, 405),
        ("PUT", "/map.yaml", {}, 404),
        ("DELETE", "/", {}, 405),
        ("GET", "/map.yaml", {}, 404),
        ("GET", "/../../../etc/passwd", {}, 404),
        ("GET", "//etc/passwd", {}, 404),
        ("GET", "/%2e%2e%2fetc%2fpasswd", {}, 404),
        ("GET", "/%00", {}, 404),
        ("GET", "/", {"Host": "evil.example"}, 421),
        ("GET", "/", {"Host": "127.0.0.1"}, 421),
        ("GET", "/", {"Host": "127.0.0.1.evil.example:80"}, 421),
        ("GET", "/", {"Origin": "http://evil.example"}, 421),
        ("GET", "/", {"Origin": "null"}, 421),
    ],
)
def test_requests(method: str, path: str, headers: dict[str, str], status: int, serving: Serving) -> None:
    got, sent, body = answered(serving, method, path, **headers)
    assert got == status
    assert (
        "set-cookie" not in sent and sent["cache-control"] == "no-store" and sent["x-content-type-options"] == "nosniff"
    )
    assert KEY.encode() not in body and b"reedham" not in body, "the page has nothing of the map in it"
    if status == 200 and method == "GET":
        assert "frame-ancestors 'none'" in sent["content-security-policy"]
        script = body.decode().partition("script-src ")[2].partition(";")[0]
        assert "unsafe" not in script


def test_a_message_that_is_too_large_is_refused_or_ends_the_socket(serving: Serving) -> None:
    page = serving.page()
    page.socket.send(json.dumps({"do": "edit", "edits": [["set", "isle", "title", "x" * 70_000]]}))
    assert "too large" in page.until("refused")["refused"]
    page.socket.send("x" * 3_000_000)
    assert closed(page.socket) == 1009


def test_a_page_that_floods_is_sent_away(serving: Serving) -> None:
    page = serving.page()
    page.until("state")
    with suppress(ConnectionClosed):
        for _ in range(400):
            page.socket.send("{}")
    assert closed(page.socket) == 4408


@pytest.mark.proof
def test_a_picture_comes_though_the_process_that_draws_has_died(own: Serving) -> None:
    page = own.page()
    page.until("picture")
    os.kill(DRAWING.ask(os.getpid).result(), signal.SIGKILL)
    page.edit("set isle title Island")
    assert page.until("picture")["picture"]["version"] == page.state["version"]
