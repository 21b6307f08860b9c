"""The logs of a corpus: the same from a folder, a glob, a tar and a zip; bombs and damaged archives are refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from corpora import logs, tar, zipped

import rulespec.engine.corpus.archives
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.logs import Corpus

pytestmark = pytest.mark.usefixtures("known_rulesets")


def data(*paths: Path) -> list[bytes]:
    return [log.data for log in Corpus(paths).logs()]


def test_folders_globs_and_archives_hold_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = logs(tmp_path / "a" / "below")
    (tmp_path / "a" / ".hidden.jsonl").write_text("{}", "utf-8")
    (tmp_path / "a" / "notes.txt").write_text("no log", "utf-8")
    expected = [f.read_bytes() for f in files]
    assert data(*files) == data(tmp_path / "a") == data(tmp_path / "a" / "**" / "*.jsonl") == expected
    archives = [
        tar(tmp_path / "a.tar", files, "w"),
        tar(tmp_path / "a.tgz", files),
        tar(tmp_path / "a.tar.bz2", files, "w:bz2"),
        zipped(tmp_path / "a.zip", files),
    ]
    before = sorted(tmp_path.rglob("*"))
    assert [data(path) for path in archives] == [expected] * 4
    assert sorted(tmp_path.rglob("*")) == before, "nothing is unpacked to disk"
    assert [log.name for log in Corpus([archives[1]]).logs()][:2] == [f"{archives[1]}/g{n}.jsonl" for n in (0, 1)]
    packed = tmp_path / "folder"
    packed.mkdir()
    archives[3].rename(packed / "a.zip")
    assert data(packed, files[0]) == [*expected, expected[0]]
    assert [log.game for log in Corpus([packed, files[0]]).logs()] == list(range(7))


def test_the_digest_is_of_names_and_bytes(tmp_path: Path) -> None:
    files = logs(tmp_path, number=2)
    first = Corpus([tmp_path]).manifest()
    assert first == Corpus([tmp_path]).manifest()
    assert first.logs == 2
    files[1].write_bytes(files[1].read_bytes() + b"\n")
    changed = Corpus([tmp_path]).manifest()
    files[1].rename(tmp_path / "h.jsonl")
    assert len({first.digest, changed.digest, Corpus([tmp_path]).manifest().digest}) == 3


def test_a_log_that_cannot_be_read_is_one_of_them(tmp_path: Path) -> None:
    logs(tmp_path, number=2)
    (tmp_path / "g3.jsonl").symlink_to(tmp_path / "nowhere")
    *_, last = Corpus([tmp_path]).logs()
    assert (last.game, last.data) == (2, b"")
    assert last.refusal[:1] == ("RS601",)


@pytest.mark.parametrize("name", ["folder", "*.jsonl", "a.tar", "lacking"])
def test_nothing_there(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(DiagnosticsError) as caught:
        data(tmp_path / name)
    assert caught.value.diagnostics[0].code == "RS601"


def _zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.jsonl", b"\0" * 5_000_000)


def _tar_bomb(path: Path) -> None:
    """A member that is no log, and is passed over: that unpacks it as well."""
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("large.bin")
        info.size = 100_000_000
        archive.addfile(info, io.BytesIO(b"\0" * info.size))
        info = tarfile.TarInfo("g.jsonl")
        archive.addfile(info, io.BytesIO(b""))


def _header_bomb(path: Path) -> None:
    """A header that is said to have 200 MB."""
    info = tarfile.TarInfo("header")
    info.type, info.size = tarfile.XHDTYPE, 200_000_000
    with gzip.open(path, "wb") as file:
        file.write(info.tobuf(tarfile.USTAR_FORMAT))
        file.write(b"\0" * 40_000_000)


def _encrypted(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("g.jsonl", b"{}")
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(raw)


@pytest.mark.parametrize(
    "name, bomb, code",
    [
        ("a.zip", _zip_bomb, "RS602"),
        ("a.tar.gz", _tar_bomb, "RS602"),
        ("a.tgz", _header_bomb, "RS602"),
        ("a.zip", _encrypted, "RS601"),
    ],
)
@pytest.mark.sampled(1)
def test_bombs_are_refused(name: str, bomb: object, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(bomb)
    bomb(tmp_path / name)
    monkeypatch.setattr(rulespec.engine.corpus.archives, "FREE_BYTES", 20_000_000)
    with pytest.raises(DiagnosticsError) as caught:
        data(tmp_path / name)
    assert caught.value.diagnostics[0].code == code


@pytest.mark.parametrize("name", ["a.tar", "a.tgz", "a.tar.bz2", "a.zip"])
def test_damaged_archives_are_refused(name: str, tmp_path: Path) -> None:
    files = logs(tmp_path / "logs")
    modes = {"a.tar": "w", "a.tgz": "w:gz", "a.tar.bz2": "w:bz2"}
    path = zipped(tmp_path / name, files) if name == "a.zip" else tar(tmp_path / name, files, modes[name])
    whole = path.read_bytes()
    for content in (b"", b"nothing", whole[: len(whole) // 2], b"PK\x05\x06" + bytes(100)):
        path.write_bytes(content)
        with pytest.raises(DiagnosticsError) as caught:
            data(path)
        assert caught.value.diagnostics[0].code == "RS601", content[:10]


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = logs(tmp_path / "logs")
    monkeypatch.setattr(rulespec.engine.corpus.archives, "FREE_MEMBERS", 5)
    monkeypatch.setattr(rulespec.engine.corpus.archives, "MEMBER_BYTES", 1_000_000)
    for path in (tar(tmp_path / "a.tar", files, "w"), zipped(tmp_path / "a.zip", files)):
        with pytest.raises(DiagnosticsError) as caught:
            data(path)
        assert caught.value.diagnostics[0].code == "RS602"
