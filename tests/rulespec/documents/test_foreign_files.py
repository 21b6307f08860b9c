"""The door for bytes of strangers: regular files alone, a bound in bytes, and errors of libraries as diagnostics."""

from __future__ import annotations

import lzma
import os
import socket
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from xml.etree.ElementTree import ParseError

import pytest
import yaml
from commands import invoke

from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.foreign_files import NoRegularFileError, bytes_of, foreign, foreign_items, opened
from rulespec.engine.logs.saved_game import SaveError
from rulespec.serve.edit.map_messages import dependents

ERRORS = [
    RecursionError("deep"),
    MemoryError(),
    struct.error("unpack requires a buffer"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    zlib.error("Error -3"),
    lzma.LZMAError("Corrupt input data"),
    tarfile.ReadError("empty file"),
    zipfile.BadZipFile("File is not a zip file"),
    sqlite3.DatabaseError("file is not a database"),
    sqlite3.OperationalError("Could not decode to UTF-8 column"),
    yaml.YAMLError("no"),
    ParseError("not well-formed"),
    OverflowError("too large"),
    IndexError("list index out of range"),
    AssertionError(),
    NotImplementedError("a rare method"),
    EOFError("\x1b[31mred\n::error"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_whatever_a_library_raises_is_a_diagnostic(error: Exception) -> None:
    with pytest.raises(DiagnosticsError) as caught, foreign("x.bin", "fetch it again", "RS607"):
        raise error
    (only,) = caught.value.diagnostics
    assert (only.code, only.help) == ("RS607", "fetch it again")
    assert only.message.startswith("`x.bin` cannot be read: ") and only.message.isprintable()
    assert not only.message.endswith(": ")


def test_errors_of_our_own_and_interrupts_pass() -> None:
    for error in (SaveError("full"), failure("RS602", "large", None, ""), KeyboardInterrupt()):
        with pytest.raises(type(error)) as caught, foreign("x.bin", ""):
            raise error
        assert caught.value is error


def test_items_are_read_up_to_the_error() -> None:
    def items() -> Iterator[int]:
        yield from (1, 2)
        raise RecursionError

    assert list(foreign_items(iter((1, 2)), "x.bin", "")) == [1, 2]
    one = foreign_items(items(), "x.bin", "")
    assert [next(one), next(one)] == [1, 2]
    with pytest.raises(DiagnosticsError):
        next(one)


def test_regular_files_alone_are_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    assert bytes_of(tmp_path / "link", 9) == b"12345"
    assert bytes_of(tmp_path / "file", 3) == b"1234"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_pipe").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as at:
        at.bind(str(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "to_pipe", tmp_path / "socket", tmp_path, Path("/dev/zero")):
            with pytest.raises(NoRegularFileError) as caught:
                opened(path)
            assert str(caught.value.strerror).startswith("it is a ")
    for name in ("a\0b", "a\ud800"):
        with pytest.raises(ValueError):
            opened(Path(name))
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "nothing")


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the two questions, what it is by its name and what has been opened."""
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest: real(tmp_path / "pipe", *rest))
    with pytest.raises(NoRegularFileError):
        opened(tmp_path / "file")


@pytest.mark.usefixtures("known_rulesets")
@pytest.mark.parametrize("name", ["map.yaml", "drawing.yaml", "game.yaml", "rules/play.rules", "logs/g.json.gz"])
@pytest.mark.sampled(2)
def test_a_pipe_in_a_ruleset_is_not_waited_for(name: str, tmp_path: Path) -> None:
    """By the commands that read files in order to change them, too."""
    folder = tmp_path / "mine"
    assert invoke("new", "mine", "--map", "oak,elm", "--to", str(tmp_path))[0] == 0
    path = folder / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    for words in (("edit", folder, "--do", "set oak title Oak"), ("validate", folder), ("format", folder)):
        with suppress(DiagnosticsError):
            assert invoke(*words)[0] in (0, 1, 2)
    assert dependents(folder, [["remove", "oak"]], {}) == []
