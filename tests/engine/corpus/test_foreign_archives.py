"""Untrusted archives: read once, with every byte counted; a bad one never stops the run over the others."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import invoke
from corpora import logs, tar, zipped

import rulespec.engine.corpus.archives
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.logs import Corpus
from rulespec.engine.corpus.tar import MAX_EXTENSIONS

pytestmark = pytest.mark.usefixtures("known_rulesets")


def header(name: str = "g.jsonl", kind: bytes = b"0", size: int | bytes = 0, real: bytes = b"") -> bytes:
    """A tar header with a valid checksum; a size given as bytes is inserted unchanged."""
    raw = bytearray(tarfile.TarInfo(name).tobuf(tarfile.USTAR_FORMAT))
    raw[156:157], raw[483 : 483 + len(real)] = kind, real
    raw[124:136] = b"%011o\0" % size if isinstance(size, int) else size
    raw[148:156] = b"        "
    raw[148:156] = b"%06o\0 " % sum(raw)
    return bytes(raw)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def extension(kind: bytes, data: bytes) -> bytes:
    return header("x", kind, len(data)) + padded(data)


def attribute(key: bytes, value: bytes) -> bytes:
    size = len(key) + len(value) + 3
    while size != len(b"%d %s=%s\n" % (size, key, value)):
        size += 1
    return b"%d %s=%s\n" % (size, key, value)


LOG = header(size=2) + padded(b"{}")
END = bytes(1024)
LONG_NAME = extension(b"L", b"a" * 200 + b"\0")
PATH = attribute(b"path", b"long.jsonl")
SPARSE = header(kind=b"S", real=b"%011o\0" % (8 << 30))


def codes(path: Path) -> list[str]:
    """The codes of the refusals in a folder."""
    return [log.refusal[0] for log in Corpus([path]).logs() if log.refusal]


def refusal(path: Path) -> str:
    with pytest.raises(DiagnosticsError) as caught:
        list(Corpus([path]).logs())
    (only,) = caught.value.diagnostics
    assert only.help
    return only.code


BAD_TARS = {
    "400 long names": (LONG_NAME * 400 + LOG, "RS602"),
    "400 long links": (extension(b"K", b"a" * 200) * 400 + LOG, "RS602"),
    "400 attributes": (extension(b"x", PATH) * 400 + LOG, "RS602"),
    "400 attributes of Solaris": (extension(b"X", PATH) * 400 + LOG, "RS602"),
    "400 attributes for all": (extension(b"g", PATH) * 400 + LOG, "RS602"),
    "one sparse file": (SPARSE + END, "RS601"),
    "a sparse file by attributes": (extension(b"x", attribute(b"GNU.sparse.realsize", b"8000000000")) + LOG, "RS601"),
    "sparse files for all": (extension(b"g", attribute(b"GNU.sparse.map", b"0,1")) + LOG, "RS601"),
    "a negative size": (header(size=b"\xff" * 11 + b"\0") + END, "RS601"),
    "a size of 2^80": (header(size=b"\x80\1" + bytes(10)) + END, "RS602"),
    "a size that is none": (header(size=b"12x4567890 ") + END, "RS601"),
    "a size of attributes that is none": (extension(b"x", attribute(b"size", b"-512")) + LOG, "RS601"),
    "a size of attributes beyond all": (extension(b"x", attribute(b"size", b"9" * 19)) + LOG, "RS602"),
    "attributes that end too early": (extension(b"x", b"99 path=a\n") + LOG, "RS601"),
    "attributes without a length": (extension(b"x", b"path=a\n") + LOG, "RS601"),
    "attributes of length zero": (extension(b"x", b"0 path=a\n") + LOG, "RS601"),
    "a large extension": (header("x", b"x", 2_000_000) + bytes(2_000_384) + LOG, "RS602"),
    "a name of 100,000 characters": (extension(b"g", attribute(b"path", b"a" * 100_000 + b".jsonl")) + LOG, "RS601"),
    "a torn member": (header(size=5_000) + bytes(600), "RS601"),
    "a torn member that is no log": (header("a.bin", size=5_000) + bytes(600), "RS601"),
    "a torn header": (LOG + LOG[:300], "RS601"),
    "a damaged header": (LOG + b"\1" + LOG[1:], "RS601"),
    "a torn extension": (LONG_NAME[:600], "RS601"),
    "nothing": (b"", "RS601"),
    "no tar": (b"hello " * 200, "RS601"),
}


@pytest.mark.parametrize("name", BAD_TARS)
@pytest.mark.sampled(8)
def test_a_bad_tar_is_refused_and_the_logs_beside_it_are_read(name: str, tmp_path: Path) -> None:
    content, code = BAD_TARS[name]
    folder = tmp_path / "all"
    first, *_ = logs(folder, number=1)
    for ending, data in ((".tar", content), (".tgz", gzip.compress(content)), (".tar.bz2", bz2.compress(content))):
        path = folder / f"bad{ending}"
        path.write_bytes(data)
        assert refusal(path) == code
    assert codes(folder) == [code] * 3
    assert first.read_bytes() in [log.data for log in Corpus([folder]).logs()]


def test_extensions_are_read_up_to_their_bound(tmp_path: Path) -> None:
    for kind, data, name in (
        (b"L", b"long.jsonl\0", "long.jsonl"),
        (b"x", PATH, "long.jsonl"),
        (b"g", PATH, "long.jsonl"),
        (b"x", attribute(b"comment", b"x = y"), "g.jsonl"),
        (b"x", attribute(b"size", b"2"), "g.jsonl"),
        (b"K", b"nowhere", "g.jsonl"),
    ):
        path = tmp_path / "a.tar"
        path.write_bytes(extension(kind, data) * MAX_EXTENSIONS + LOG + END)
        assert [(log.name, log.data) for log in Corpus([path]).logs()] == [(f"{path}/{name}", b"{}")]


@pytest.mark.parametrize("format_", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archives_of_every_form_are_read(format_: int, tmp_path: Path) -> None:
    """With long names, non-ASCII letters, folders, links and members other than logs."""
    names = ["a.jsonl", "é.json", f"{'d' * 90}/{'e' * 60}.jsonl", f"./{'f' * 80}.jsonl.gz", "no.txt"]
    names += [f"{'g' * 200}/h.jsonl"] if format_ != tarfile.USTAR_FORMAT else []
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=format_) as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 700
            archive.addfile(info, io.BytesIO(name.encode() * 700))
            for kind in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
                info = tarfile.TarInfo(f"{kind!r}.jsonl")
                info.type = kind
                archive.addfile(info)
    wanted = [name for name in names if name != "no.txt"]
    assert [(log.name, log.data) for log in Corpus([path]).logs()] == [
        (f"{path}/{name.removeprefix('./')}", (name.encode() * 700)[:700]) for name in wanted
    ]


def test_a_checksum_of_signed_bytes_is_taken(tmp_path: Path) -> None:
    """Old programs compute such checksums for non-ASCII names."""
    raw = bytearray(header("é.jsonl", size=2))
    raw[148:156] = b"        "
    raw[148:156] = b"%06o\0 " % sum(byte - 256 * (byte > 127) for byte in raw)
    path = tmp_path / "a.tar"
    path.write_bytes(bytes(raw) + padded(b"{}") + END)
    assert [log.name for log in Corpus([path]).logs()] == [f"{path}/é.jsonl"]


def bad_zip(change: Callable[[bytearray], None]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("g.jsonl", b"{}" * 100)
    raw = bytearray(data.getvalue())
    change(raw)
    return bytes(raw)


def put(signature: bytes, offset: int, data: bytes) -> Callable[[bytearray], None]:
    def change(raw: bytearray) -> None:
        at = raw.index(signature) + offset
        raw[at : at + len(data)] = data

    return change


BAD_ZIPS = {
    "another method": put(b"PK\1\2", 10, struct.pack("<H", 14)),
    "a place beyond the file": put(b"PK\1\2", 42, struct.pack("<L", 1 << 30)),
    "a directory of another size": put(b"PK\5\6", 12, struct.pack("<L", 1 << 31)),
    "a directory that is cut": put(b"PK\5\6", 12, struct.pack("<L", 20)),
    "a damaged local header": put(b"PK\3\4", 0, b"PK\3\5"),
    "a wrong checksum": put(b"PK\1\2", 16, b"\0\0\0\0"),
    "damaged data": put(b"PK\3\4", 37, b"\xff" * 8),
    "a name in no encoding": lambda raw: (
        put(b"PK\1\2", 8, struct.pack("<H", 0x800))(raw),
        put(b"PK\1\2", 46, b"\xff")(raw),
    )[0],
}


@pytest.mark.parametrize("name", BAD_ZIPS)
@pytest.mark.sampled(4)
def test_a_bad_zip_is_refused_and_the_logs_beside_it_are_read(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    logs(folder, number=2)
    (folder / "bad.zip").write_bytes(bad_zip(BAD_ZIPS[name]))
    assert refusal(folder / "bad.zip") == "RS601"
    assert codes(folder) == ["RS601"]
    assert len(list(Corpus([folder]).logs())) == 3


def test_members_of_a_zip_that_lie_over_one_another_are_refused(tmp_path: Path) -> None:
    """A directory that lists one log many times would count as many logs."""
    raw = bad_zip(lambda raw: None)
    directory, end = raw.index(b"PK\1\2"), raw.index(b"PK\5\6")
    entry, last = raw[directory:end], bytearray(raw[end:])
    last[8:16] = struct.pack("<HHL", 50, 50, 50 * len(entry))
    path = tmp_path / "a.zip"
    path.write_bytes(raw[:directory] + entry * 50 + last)
    assert refusal(path) == "RS601"


def test_a_directory_of_a_zip_is_bounded_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "a.zip", logs(tmp_path / "logs"))
    monkeypatch.setattr(rulespec.engine.corpus.archives, "MAX_PART", 300)
    assert refusal(path) == "RS602"


@pytest.mark.parametrize("name", ["a.tar", "a.tgz", "a.tar.bz2", "a.zip", "a.jsonl", "a.json.gz"])
@pytest.mark.sampled(2)
def test_a_pipe_is_refused_and_not_waited_for(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    logs(folder, number=1)
    os.mkfifo(folder / name)
    assert refusal(folder / name) == "RS601"
    assert codes(folder) == ["RS601"]


def test_a_folder_called_an_archive_is_a_folder(tmp_path: Path) -> None:
    logs(tmp_path / "all" / "logs.tar", number=1)
    for path in (tmp_path / "all", tmp_path / "all" / "logs.tar"):
        assert len(list(Corpus([path]).logs())) == 1


def test_what_is_good_of_an_archive_counts_before_what_is_not(tmp_path: Path) -> None:
    """In the rows of `replay`, with exit code 2."""
    folder = tmp_path / "all"
    files = logs(tmp_path / "logs", number=2)
    folder.mkdir()
    path = tar(folder / "a.tar", files, "w")
    path.write_bytes(path.read_bytes().rstrip(b"\0")[:-100])
    tar(folder / "b.tar", files, "w")
    (folder / "c.zip").write_bytes(b"")
    (folder / "d.tar").write_bytes(END)
    code, out, _ = invoke("replay", folder)
    assert code == 2
    assert "6 logs: 3 legal, 3 unreadable" in out
    assert "a.tar: unreadable: RS601" in out and "contains no log" in out


def test_many_empty_members_in_few_bytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rulespec.engine.corpus.archives, "FREE_MEMBERS", 50)
    path = tmp_path / "a.tgz"
    path.write_bytes(gzip.compress(header() * 500))
    assert refusal(path) == "RS602"
    path = tmp_path / "a.tar"
    path.write_bytes(header() * 500)
    assert len(list(Corpus([path]).logs())) == 500
