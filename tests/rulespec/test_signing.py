"""The key that signs entries of the cache: made once, whole, for this user alone; without it there is no cache."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import msgspec
import pytest
from deadlines import DEADLINE

from rulespec import cache, signing
from rulespec.documents.kept_trees import parse_kept
from rulespec.syntax.parser import parse_expr

EXPR = "min(1, 2) + count(r in region where r.home == n)"
YAML = "a: [1, 2]\nb: text\n"
NUMBERS = msgspec.json.Decoder(list[int])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "cache"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "state/rulespec/signing_key"


def test_a_key_is_made_when_it_is_needed_first(folder: Path, key: Path) -> None:
    assert cache.key("numbers") and len(key.read_bytes()) == 32
    assert key.stat().st_mode & 0o777 == 0o600 and key.parent.stat().st_mode & 0o777 == 0o700
    assert list(key.parent.iterdir()) == [key]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_nobody_else_may_read_a_key(folder: Path, key: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        assert signing.signature(b"data")
    finally:
        os.umask(before)
    assert key.stat().st_mode & 0o777 == 0o600


def test_no_key_lies_in_the_cache(folder: Path, key: Path) -> None:
    parse_expr(EXPR, "f", cached=True)
    parse_kept(YAML, "g")
    assert len(list(folder.iterdir())) == 2
    assert all(key.read_bytes() not in entry.read_bytes() for entry in folder.iterdir())


def test_a_new_key_makes_all_entries_missing_ones(folder: Path, key: Path) -> None:
    name = cache.key("numbers")
    cache.write(name, [1])
    for change in (key.unlink, lambda: key.write_bytes(b"k" * 32)):
        assert cache.read(name, NUMBERS) == [1]
        change()
        signing._key.cache_clear()
        assert cache.read(name, NUMBERS) is None
        cache.write(name, [1])


FAULTS = {
    "short": "it is damaged",
    "long": "it is damaged",
    "empty": "it is damaged",
    "readable": "it may be read by others",
    "of a group": "it may be read by others",
    "of another user": "it belongs to another user",
    "folder": "it is not a file",
    "pipe": "it is not a file",
    "link": "Too many levels of symbolic links",
    "no folder": "Not a directory",
    "NUL": "is not valid",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_without_a_key_of_ones_own_there_is_no_cache(
    folder: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    key.parent.mkdir(parents=True)
    if fault == "folder":
        key.mkdir()
    elif fault == "pipe":
        os.mkfifo(key, 0o600)
    elif fault == "link":
        (tmp_path / "key").write_bytes(b"k" * 32)
        (tmp_path / "key").chmod(0o600)
        key.symlink_to(tmp_path / "key")
    elif fault == "no folder":
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    elif fault == "NUL":
        monkeypatch.setattr(signing, "_place", lambda: "/tmp/a\0b")
    else:
        key.write_bytes(b"k" * {"short": 31, "long": 33, "empty": 0}.get(fault, 32))
        key.chmod({"readable": 0o604, "of a group": 0o640}.get(fault, 0o600))
    if fault == "of another user":
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.key("numbers") == "" and FAULTS[fault] in cache.place()
    cache.write("0" * 64, [1])
    assert cache.read("0" * 64, NUMBERS) is None
    tree = parse_expr(EXPR, "f", cached=True), parse_kept(YAML, "g")
    assert (parse_expr(EXPR, "f", cached=True), parse_kept(YAML, "g")) == tree
    assert not folder.exists()


def test_a_file_system_without_hard_links_has_a_key(folder: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    name = cache.key("numbers")
    cache.write(name, [1])
    assert cache.read(name, NUMBERS) == [1] and list(key.parent.iterdir()) == [key]


def _signature(state: str, results: multiprocessing.Queue[str]) -> None:
    os.environ["XDG_STATE_HOME"] = state
    results.put(signing.signature(b"data"))


def test_processes_that_begin_at_once_have_one_key(folder: Path, key: Path, tmp_path: Path) -> None:
    results: multiprocessing.Queue[str] = multiprocessing.Queue()
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=_signature, args=(str(tmp_path / "state"), results)) for _ in range(8)]
    for worker in workers:
        worker.start()
    signatures = {results.get(timeout=DEADLINE) for _ in workers}
    for worker in workers:
        worker.join()
    assert len(signatures) == 1 and "" not in signatures
    assert list(key.parent.iterdir()) == [key] and key.stat().st_mode & 0o777 == 0o600
