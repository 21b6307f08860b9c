"""Files that are not UTF-8, or have line ends of another time: one sentence each, with its place and the way out."""

from __future__ import annotations

import json
import shutil
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from folders import GAMES

from rulespec.cli.main import run
from rulespec.documents.text_files import NoTextError, decoded

NIM = GAMES / "gallery" / "nim"
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><rect id="s\u00fcd" width="40" height="30"/></svg>\n'
LOG = "nim/logs/five_seven.jsonl"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(NIM, "nim")
    shutil.copytree(GAMES / "imperial" / "dialects", "nim/dialects")
    Path("nim/titles.yaml").write_text("title: Nim\n")
    Path("x.svg").write_text(SVG, "utf-8")
    logs = sorted(Path("nim/logs").glob("*.jsonl"))
    if str(logs[0]) != LOG:
        logs[0].rename(LOG)
    for path in Path("nim").rglob("*"):
        if path.is_file() and path.suffix != ".json":
            text = path.read_text("utf-8")
            path.write_text(text.replace("# ", "# ü ", 1) if "# " in text else text, "utf-8")


READERS = {
    "nim/game.yaml": ("validate", "./nim"),
    "nim/setup.yaml": ("validate", "./nim"),
    "nim/titles.yaml": ("validate", "./nim"),
    "nim/rules/play.rules": ("validate", "./nim"),
    "nim/dialects/playimperial.yaml": ("validate", "./nim"),
    LOG: ("replay", LOG, "--rules", "./nim"),
    "x.svg": ("new", "mine", "--map", "x.svg"),
}


def invoke(*args: str) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run(list(args))
    return status, out.getvalue(), err.getvalue()


def message(path: str, data: bytes) -> str:
    """The message for a file with these bytes: one error, with its place and help."""
    Path(path).write_bytes(data)
    status, _, err = invoke(*READERS[path])
    assert status in (1, 2), err
    assert err.count("error[") == 1 and f"--> {path}:" in err and "= help: " in err, err
    assert "internal" not in err and "RS901" not in err
    return err


@pytest.mark.parametrize("path", READERS)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_characters_are_told_by_their_name(path: str, encoding: str) -> None:
    data = Path(path).read_text("utf-8").encode(encoding)
    if path == "x.svg" and encoding.startswith("utf-16"):
        assert invoke("new", "mine", "--map", path)[0] == 0  # a parser of XML knows it
        return
    assert encoding[:6].upper() in message(path, data)


@pytest.mark.parametrize("path", READERS)
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "cp437", "shift_jis", "koi8-r"])
def test_other_encodings_are_told_by_the_byte(path: str, encoding: str) -> None:
    word = {"shift_jis": "\u5357", "koi8-r": "\u044e\u0433 "}.get(encoding, "\u00fc ")
    text = Path(path).read_text("utf-8")
    marked = text.replace("s\u00fcd", f"s{word}d") if path == "x.svg" else text.replace(":", f": {word}", 1)
    assert "is not UTF-8 text: it has the byte 0x" in message(
        path, marked.replace("\u00fc ", word).encode(encoding, "replace")
    )


@pytest.mark.parametrize("path", [p for p in READERS if p != "x.svg"])
def test_carriage_returns_alone_are_told(path: str) -> None:
    assert "U+000D" in message(path, Path(path).read_bytes().replace(b"\n", b"\r"))


@pytest.mark.parametrize("path", READERS)
def test_zero_bytes_are_told(path: str) -> None:
    data = Path(path).read_bytes()
    message(path, data[: len(data) // 2] + b"\0\0" + data[len(data) // 2 :])


@pytest.mark.parametrize("path", READERS)
@pytest.mark.parametrize("change", [lambda b: b.replace(b"\n", b"\r\n"), lambda b: b"\xef\xbb\xbf" + b])
def test_windows_line_ends_and_a_mark_are_fine(path: str, change: object) -> None:
    assert callable(change)
    Path(path).write_bytes(change(Path(path).read_bytes()))
    status, out, err = invoke(*READERS[path])
    assert status == 0, out + err


@pytest.mark.parametrize(
    "name", ["nonsense", "hex", "rot13", "idna", "utf-7", "utf-8-sig", "big5", "undefined", "\u00fc"]
)
def test_an_encoding_that_a_drawing_names_ends_in_a_sentence(name: str) -> None:
    Path("x.svg").write_bytes(f'<?xml version="1.0" encoding="{name}"?>'.encode() + SVG.encode())
    status, _, err = invoke("new", "mine", "--map", "x.svg")
    assert (status == 0 or "error[RS56" in err) and "RS901" not in err


@pytest.mark.parametrize("name", ["iso-8859-1", "windows-1252", "utf-16", "koi8-r", "cp437"])
def test_an_encoding_that_is_known_is_read(name: str) -> None:
    text = SVG if name in ("iso-8859-1", "windows-1252", "utf-16", "cp437") else SVG.replace("\u00fc", "\u044e")
    Path("x.svg").write_bytes((f'<?xml version="1.0" encoding="{name}"?>' + text).encode(name))
    assert invoke("new", "mine", "--map", "x.svg")[0] == 0


@pytest.mark.parametrize(
    "data, cause, place",
    [
        (b"\xff\xfea\0", "is UTF-16,", (1, 1)),
        ("a: 1\nb: 2\n".encode("utf-16-be"), "is UTF-16 without", (1, 1)),
        (b"ab\nc\xfc", "0xfc (`\u00fc` in Windows-1252)", (2, 2)),
        (b"\xef\xbb\xbfab\xff", "0xff", (1, 3)),
        (b"\x81", "byte 0x81", (1, 1)),
    ],
)
def test_the_cause_and_its_place(data: bytes, cause: str, place: tuple[int, int]) -> None:
    with pytest.raises(NoTextError) as error:
        decoded(data)
    assert cause in error.value.cause and (error.value.line, error.value.column) == place


@pytest.mark.parametrize(
    "data", [b"", b"a", b"\0", b"a\0", "\u4e2d\u6587".encode(), b"\0" * 500, json.dumps(["\0"] * 99).encode()]
)
def test_what_is_utf_8_stays_it(data: bytes) -> None:
    assert decoded(data) == data.decode()
