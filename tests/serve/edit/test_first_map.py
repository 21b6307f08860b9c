"""The page on which a map begins: who may ask, which bytes are taken, and that nothing is overwritten."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from servers import WAIT

from editors import KEY, files, starting
from rulespec.cli.edit_start import answer
from rulespec.cli.main import cli
from rulespec.drawing.reading.drawing_kinds import MOST_BYTES
from rulespec.serve.edit.first_map import StartRequest, can_start, read_choice

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300">
<path id="north" d="M0 0L200 0L200 150L0 150Z"/><path id="south" d="M0 150L200 150L200 300L0 300Z"/></svg>
"""
CHOICE = {"name": "isles", "base": "", "drawing": "", "layers": [], "without": []}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "isles").mkdir()
    return tmp_path / "isles"


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with starting(folder) as address:
        yield address


def ask(base: str, path: str, body: Any = None, key: str = KEY, **headers: str) -> tuple[int, Any]:
    """The status and the answer of a request."""
    connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=WAIT)
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection.request("POST" if data is not None else "GET", path, data, {"Authorization": f"Bearer {key}", **headers})
    response = connection.getresponse()
    said = response.read()
    return response.status, json.loads(said) if said.startswith(b"{") else said


def test_a_drawing_is_given_read_and_becomes_the_map(base: str, folder: Path) -> None:
    status, hello = ask(base, "/start")
    assert (
        status == 200 and hello["name"] == "isles" and [b for b, _ in hello["bases"] if b == "tutorial"] == ["tutorial"]
    )
    assert ask(base, "/map", CHOICE)[1] == {"refused": "there is no drawing yet: drop one on the page, or choose one"}
    assert ask(base, "/drawing?name=Sea.SVG", SVG.encode())[1] == {"done": "taken"}
    assert files(folder) == {}, "nothing is written yet"
    assert ask(base, "/map", CHOICE)[1] == {"done": "begun"}
    written = files(folder)
    assert written["drawing.svg"] == SVG.encode() and b"north:" in written["map.yaml"]
    assert b'<main id="editor"' in ask(base, "/")[1], "the page of the map is there"
    assert ask(base, "/map", CHOICE)[1] == {"refused": "the map has already been started: reload this page"}
    assert CliRunner().invoke(cli, ["validate", str(folder)]).exit_code == 0


def test_only_pages_with_the_key_may_ask(base: str, folder: Path) -> None:
    for path, body in (("/start", None), ("/drawing?name=a.svg", SVG.encode()), ("/reading", CHOICE), ("/map", CHOICE)):
        status, said = ask(base, path, body, key="x" * 22)
        assert status == 403 and "this link is not valid" in said["refused"]
        assert ask(base, path, body, Host="evil.example")[0] == 421
    assert ask(base, "/drawing?name=a.svg")[0] == 405
    assert files(folder) == {}


def test_bytes_are_bounded(base: str) -> None:
    assert "is not a drawing" in ask(base, "/drawing?name=notes.txt", b"x")[1]["refused"]
    assert "has more than 32 MB" in ask(base, "/drawing?name=a.svg", bytes(MOST_BYTES + 1))[1]["refused"]
    unknown = "this request is malformed, or too large"
    for body in (b"x", b"[]", b'{"name": 1}', json.dumps({**CHOICE, "more": 1}).encode(), b" " * 9_000):
        assert ask(base, "/map", body)[1] == {"refused": unknown}
    assert read_choice(json.dumps(CHOICE).encode()) is not None


def test_a_name_of_a_file_leads_nowhere(base: str, folder: Path) -> None:
    (folder.parent / "other.svg").write_text(SVG, "utf-8")
    (folder / "own.svg").write_text(SVG, "utf-8")
    (folder / "link.svg").symlink_to(folder.parent / "other.svg")
    assert ask(base, "/start")[1]["drawings"] == ["own.svg"]
    for name in ("../other.svg", str(folder.parent / "other.svg"), "link.svg"):
        said = ask(base, "/reading", {**CHOICE, "drawing": name})[1]["refused"][0]["message"]
        assert said.startswith("there is no drawing yet")
    there = ask(base, "/reading", {**CHOICE, "base": "../../etc", "drawing": "own.svg"})[1]["refused"][0]["message"]
    assert there == "there is no ruleset `.. .. etc` with a map"


def test_what_is_wrong_is_said_with_its_line_and_its_ways_out(folder: Path) -> None:
    (folder / "x.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'>\n<g id='a'>", "utf-8")
    asked = StartRequest("isles", "", str(folder / "x.svg"), str(folder), [], [])
    (refused,) = answer(asked).refused
    assert refused.code == "RS561" and refused.line == 2 and "it is not XML" in refused.message
    layers = SVG.replace("<path", "<g id='land parts'><path", 1).replace("</svg>", "</g></svg>")
    marks = "".join(f"<circle id='mark_{n}' cx='{40 + 20 * n}' cy='50' r='4'/>" for n in range(6))
    (folder / "x.svg").write_text(layers.replace("</svg>", f"{marks}</svg>"), "utf-8")
    read = answer(asked)
    assert read.counts.startswith("8 regions") and len(read.shapes) == 8
    assert [way for each in read.findings for way in each.ways] == [["layer", "land parts"]]
    assert answer(StartRequest("isles", "", str(folder / "x.svg"), str(folder), ["land parts"], [])).files.keys() >= {
        *("game.yaml", "map.yaml", "outlines.yaml", "reading.json"),
    }


def test_a_map_begins_in_a_folder_with_nothing_but_drawings(folder: Path) -> None:
    assert can_start(folder)
    for name in (".git", "sea.svg", "board.png"):
        (folder / name).write_bytes(b"")
    assert can_start(folder)
    (folder / "notes.txt").write_text("mine", "utf-8")
    assert not can_start(folder)
