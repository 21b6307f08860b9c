"""Files that are no logs say what they are, and what to do."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.replay.replay import replay_log

PGN = b"1. e4 e5 *\n"


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.pgn", PGN)
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        info = tarfile.TarInfo("a.pgn")
        info.size = len(PGN)
        archive.addfile(info, io.BytesIO(PGN))
    return file.getvalue()


def refusal(data: bytes | str, path: Path) -> tuple[str, str]:
    """The code of the only error, and its message with the help."""
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path)
    (wrong,) = error.value.diagnostics
    return wrong.code, f"{wrong.message} | {wrong.help}"


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "data, says",
    [
        ("<!DOCTYPE html>\n<title>Sign in</title>", "a web page (HTML)"),
        ("\ufeff \n<HTML lang=en>", "a web page (HTML)"),
        (gzip.compress(b"<html><body>", mtime=0), "a web page (HTML)"),
        ('<?xml version="1.0"?>\n<a/>', "XML"),
        ('<?xml version="1.0"?>\n<svg/>', "a picture (SVG)"),
        (zipped(), ".zip"),
        (tarred(), ".tar"),
        (bz2.compress(PGN), "bunzip2"),
        (lzma.compress(PGN), "unxz"),
        (b"\x28\xb5\x2f\xfd" + bytes(20), "unzstd"),
        (gzip.compress(gzip.compress(PGN, mtime=0), mtime=0), "gunzip"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(9), "7-Zip"),
        (b"Rar!\x1a\x07\x00", "RAR"),
        (b"\x89PNG\r\n\x1a\n" + bytes(9), "PNG"),
        (b"%PDF-1.4\n%\xe2\xe3", "PDF"),
        (b"SQLite format 3\x00" + bytes(99), "SQLite"),
        (bytes(range(256)), "binary"),
        (b"\0" * 100, "binary"),
        (b"text\0and more", "binary"),
    ],
    ids=lambda value: "bytes" if isinstance(value, bytes) else None,  # archives have the time in them
)
def test_a_file_of_another_kind_is_named(data: bytes | str, says: str, tmp_path: Path) -> None:
    code, text = refusal(data, tmp_path / "game.json")
    assert code == "RS368"
    assert "` is not a log: it is " in text
    assert says in text


@pytest.mark.sampled(2)
@pytest.mark.parametrize("command", ["replay", "play", "log --public", "view --out x.html", "identify", "draw"])
def test_each_command_that_reads_a_log_names_it(command: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("<html>", "utf-8")
    result = CliRunner().invoke(cli, [*command.split(), str(path)])
    assert "RS368" in f"{result.output} {result.exception}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text, says",
    [
        ("e2e4 e7e5 g1f3", "in the notation of `chess`"),
        ("e2e4\ne7e5\n", "replay game.pgn"),
        ("position startpos moves e2e4 e7e5", "remove the words before its moves"),
        ("11-15 22-18 15x22", "in the notation of `draughts`"),
        ("d4 e3", "in the notation of `chess` or `connect_four`"),
    ],
)
def test_moves_alone_are_named_with_the_rulesets_that_have_them(text: str, says: str, tmp_path: Path) -> None:
    code, message = refusal(text, tmp_path / "game.txt")
    assert (code, says in message) == ("RS369", True), message


def test_moves_alone_are_read_under_the_name_of_a_pgn(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text("e2e4 e7e5 g1f3", "utf-8")
    assert replay_log(path).game.ply == 3


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "data, code, says",
    [
        ("I won.", "RS612", "text that begins with `I won.`"),
        ("id: x\n", "RS612", "(PGN)"),
        ("a,b,c\n1,2,3", "RS612", "begins with"),
        ('{"actions": [', "RS612", "check that the log is complete"),
        (PGN.decode().encode("utf-16"), "RS601", "UTF-16"),
        (
            json.dumps({"title": "1830", "players": [{}, {}], "actions": [{"type": "bid"}]}),
            "RS616",
            "1 entry under `actions`",
        ),
        (
            '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *',
            "RS616",
            "`pgn` reads only logs with FEN: none or",
        ),
        ('[Variant "Atomic"]\n\n1. e4 *', "RS616", "of the game `Atomic`"),
        ('[GameType "20"]\n\n1. 32-28 *', "RS616", "`pdn` reads only logs with GameType: 21"),
    ],
)
def test_other_logs_are_named_as_before(data: bytes | str, code: str, says: str, tmp_path: Path) -> None:
    got, text = refusal(data, tmp_path / "game.txt")
    assert (got, says in text) == (code, True), text
