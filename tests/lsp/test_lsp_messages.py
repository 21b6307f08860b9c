"""The wire of the language server: whatever is sent, it answers by the protocol, prints nothing, and goes on."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import pytest
from editor import Editor, ProcessEditor
from folders import RULESETS

from rulespec.lsp import wire
from rulespec.lsp.server import server
from rulespec.lsp.wire import MAX_BYTES, Wire

NOT_JSON, NOT_A_MESSAGE, WRONG_PARAMS = -32700, -32600, -32602


class Talk(NamedTuple):
    """An editor with an open file, and what the server has printed beside its answers."""

    editor: Editor
    errors: IO[bytes]
    uri: str

    def answer(self, data: bytes) -> Any:
        """The error that is sent back for a body; None if the next request is answered before there is any."""
        self.editor.send(data)
        self.editor.number += 1
        probe = {"jsonrpc": "2.0", "id": self.editor.number, "method": "textDocument/hover", "params": place(self.uri)}
        self.editor.send(json.dumps(probe).encode())
        self.editor.wait(lambda m: m.get("id") == self.editor.number)
        before = [*self.editor.received]
        self.editor.received.clear()
        return next((m for m in before if "error" in m or m.get("method") == "window/logMessage"), None)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    folder = tmp_path_factory.mktemp("wire") / "nim"
    shutil.copytree(RULESETS / "nim", folder)
    with tempfile.TemporaryFile() as errors:
        with ProcessEditor(folder, errors) as editor:
            editor.open("rules/play.rules")
            yield Talk(editor, errors, (folder / "rules" / "play.rules").as_uri())
        errors.seek(0)
        assert errors.read() == b""


def place(uri: str, line: Any = 0, character: Any = 0) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def request(method: Any, params: Any, id_: Any = 9_000) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode()


def note(method: str, params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


@pytest.mark.parametrize(
    "data, code",
    [
        (b"{nope", NOT_JSON),
        (b"", NOT_JSON),
        (b"\xff\xfe", NOT_JSON),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": NaN}', NOT_JSON),
        (b'{"jsonrpc": "2.0", "id": -Infinity, "method": "shutdown"}', NOT_JSON),
        (b"[" * 100_000, NOT_JSON),
        (b'{"a":' * 5_000, NOT_JSON),
        (b"1" * 5_000, NOT_JSON),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]', NOT_A_MESSAGE),
        (b"[]", NOT_A_MESSAGE),
        (b"5", NOT_A_MESSAGE),
        (b"null", NOT_A_MESSAGE),
        (b'"text"', NOT_A_MESSAGE),
        (b"{}", NOT_A_MESSAGE),
        (b'{"id": 9000, "method": "shutdown"}', NOT_A_MESSAGE),
        (b'{"jsonrpc": "1.0", "id": 9000, "method": "shutdown"}', NOT_A_MESSAGE),
        (b'{"jsonrpc": "2.0", "id": 9000}', NOT_A_MESSAGE),
        (b'{"jsonrpc": "2.0", "id": 9000, "error": 5}', NOT_A_MESSAGE),
        (request(5, {}), NOT_A_MESSAGE),
        (request("textDocument/hover", {}, [1]), NOT_A_MESSAGE),
        (request("textDocument/hover", {}, True), NOT_A_MESSAGE),
        (request("textDocument/hover", {"jsonrpc": "2.0"}), NOT_A_MESSAGE),
        (request("textDocument/hover", None), WRONG_PARAMS),
        (request("textDocument/hover", [1]), WRONG_PARAMS),
        (request("textDocument/hover", place("file:///x", -1, -1)), WRONG_PARAMS),
        (request("textDocument/completion", place("file:///x", 10**30)), WRONG_PARAMS),
        (request("textDocument/rename", place("file:///x", "first")), WRONG_PARAMS),
        (request("initialize", {}), WRONG_PARAMS),
    ],
    ids=repr,
)
@pytest.mark.sampled(14)
def test_a_message_with_a_fault_is_answered_by_an_error(data: bytes, code: int, talk: Talk) -> None:
    answer = talk.answer(data)
    assert answer["error"]["code"] == code and len(answer["error"]["message"]) < 300
    assert answer["id"] == (9_000 if b"9000" in data else None)


@pytest.mark.parametrize(
    "data",
    [
        note("textDocument/didChange", {"textDocument": {"uri": "file:///x", "version": 1}, "contentChanges": 5}),
        note("textDocument/didChange", {"textDocument": {"uri": "file:///x", "version": 1}, "contentChanges": []}),
        note("textDocument/didOpen", None),
        note(
            "textDocument/didOpen", {"textDocument": {"uri": "file://[::1", "languageId": "", "version": 1, "text": ""}}
        ),
        note("$/cancelRequest", None),
    ],
    ids=repr,
)
def test_a_notification_with_a_fault_is_a_line_of_the_log(data: bytes, talk: Talk) -> None:
    answer = talk.answer(data)
    assert answer is None or (answer["params"]["type"] == 1 and "\n" not in answer["params"]["message"])
    if b"didOpen" in data or b": 5" in data:
        assert answer is not None


@pytest.mark.parametrize(
    "uri", ["file:///tmp/a%00b.yaml", "file:///tmp/\ud800.yaml", "file:///" + "a" * 5_000, "untitled:x"]
)
def test_a_name_that_no_file_can_have_is_no_document(uri: str, talk: Talk) -> None:
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": "x: \ud800"}
    assert talk.answer(note("textDocument/didOpen", {"textDocument": document})) is None
    for method in ("hover", "definition", "completion", "signatureHelp"):
        assert talk.answer(request(f"textDocument/{method}", place(uri))) is None
    options = {"textDocument": {"uri": uri}, "options": {"tabSize": 4, "insertSpaces": True}}
    assert talk.answer(request("textDocument/formatting", options)) is None
    assert talk.answer(note("textDocument/didClose", {"textDocument": {"uri": uri}})) is None


@pytest.mark.sampled(8)
@pytest.mark.parametrize("line, character", [(10**9, 10**9), (2**31 - 1, 0), (0, 2**31 - 1), (1.5, 0.5)])
@pytest.mark.parametrize("method", ["hover", "definition", "completion", "signatureHelp", "prepareRename"])
def test_a_place_behind_the_end_has_nothing(method: str, line: float, character: float, talk: Talk) -> None:
    assert talk.answer(request(f"textDocument/{method}", place(talk.uri, line, character))) is None


def test_a_file_that_is_not_open_is_not_formatted(talk: Talk) -> None:
    options = {"textDocument": {"uri": "file:///dev/zero.rules"}, "options": {"tabSize": 4, "insertSpaces": True}}
    assert talk.editor.ask("textDocument/formatting", options) == []


@pytest.mark.parametrize("length", [99_999_999_999_999, MAX_BYTES + 1, 10**29])
def test_a_length_beyond_the_bound_ends_nothing(length: int, talk: Talk) -> None:
    talk.editor.input.write(b"Content-Length: %d\r\n\r\n" % length)
    answer = talk.answer(b"5")
    assert answer["error"]["code"] == NOT_A_MESSAGE and f"{length:,}" in answer["error"]["message"]


def test_a_head_that_states_no_length_is_skipped(talk: Talk) -> None:
    for head in (b"hello\r\n\r\n", b"Content-Length: -5\r\n\r\n", b"Content-Length: many\r\n\r\n", b"x" * 200_000):
        talk.editor.input.write(head)
        assert talk.answer(b"5")["error"]["code"] == NOT_A_MESSAGE


# --- without a process --------------------------------------------------------------------------


def bodies(data: bytes) -> tuple[list[bytes], bytes]:
    """The bodies that the library would get, and what the editor is sent meanwhile."""
    answers = io.BytesIO()
    each = Wire(server(), io.BytesIO(data), answers)
    results = []
    while head := each.readline():
        assert each.readline() == b"\r\n"
        results.append(each.read(int(head.split(b":")[1])))
    return results, answers.getvalue()


GOOD = note("exit", None)
FRAME = b"Content-Length: %d\r\n\r\n%s" % (len(GOOD), GOOD)


@pytest.mark.parametrize("junk", [b"", b"x" * 99, b"x" * 300, b"{}\r\n", b"\r\n\r\n", b"Content-Type: text\r\n"])
def test_a_place_that_was_lost_is_found_again(junk: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_BYTES", 200)
    monkeypatch.setattr(wire, "_MAX_LINE", 30)
    large = b"Content-Length: 300\r\n\r\n"
    assert bodies(junk + FRAME + large + b"y" * 300 + FRAME + FRAME)[0] == [GOOD] * 3


@pytest.mark.parametrize("cut", range(0, len(FRAME), 7))
def test_a_message_that_breaks_off_is_the_end(cut: int) -> None:
    assert bodies(FRAME + FRAME[:cut]) == ([GOOD], b"")


def test_a_head_may_have_more_lines() -> None:
    lines = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:%d\r\nX: y\r\n\r\n" % len(GOOD)
    assert bodies(lines + GOOD)[0] == [GOOD]
