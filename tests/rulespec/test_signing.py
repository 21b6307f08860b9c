"""Signed entries of the cache are not compared with their texts again; nothing but the key of this user signs."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest
from deadlines import DEADLINE

from rulespec import cache, signing
from rulespec.documents import kept_trees
from rulespec.documents.kept_trees import parse_kept
from rulespec.syntax import parser
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


def never(*_: object) -> NoReturn:
    raise AssertionError("compared")


def test_what_was_written_here_is_not_compared_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = parse_expr(EXPR, "f", cached=True), parse_kept(YAML, "g")
    monkeypatch.setattr(parser, "as_written", never)
    monkeypatch.setattr(kept_trees, "as_written", never)
    assert (parse_expr(EXPR, "f", cached=True), parse_kept(YAML, "g")) == written


@pytest.mark.parametrize(
    "forger", ["of the value", "with a checksum", "of the name", "with another key", "of the head"]
)
def test_a_forged_signature_is_none(folder: Path, key: Path, forger: str) -> None:
    name, other = cache.key("numbers", "1"), cache.key("numbers", "2")
    cache.write(name, [1, 2], sign=True)
    assert cache.read_signed(name, NUMBERS) == ([1, 2], True)
    entry = folder / name
    head, _, body = entry.read_bytes().partition(b"\n")
    if forger == "value":
        entry.write_bytes(head + b"\n[1,3]")
    elif forger == "checksum":
        entry.write_bytes(cache.header(b"[1,3]") + b"\n[1,3]")
        assert cache.read_signed(name, NUMBERS) == ([1, 3], False)
        return
    elif forger == "name":
        entry, name = entry.rename(folder / other), other
    elif forger == "key":
        key.write_bytes(b"k" * 32)
        signing._key.cache_clear()
    else:
        entry.write_bytes(head[:-64] + b"\n" + body)
    assert cache.read_signed(name, NUMBERS) is None


@pytest.mark.parametrize("fault", ["short", "long", "readable", "folder", "link", "pipe", "home"])
def test_without_a_key_of_ones_own_nothing_is_signed(
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
    elif fault == "home":
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    else:
        key.write_bytes(b"k" * {"short": 31, "long": 33}.get(fault, 32))
        key.chmod(0o644 if fault == "readable" else 0o600)
    cache.write(cache.key("numbers"), [1], sign=True)
    assert cache.read_signed(cache.key("numbers"), NUMBERS) == ([1], False)
    tree = parse_expr(EXPR, "f", cached=True)
    assert parse_expr(EXPR, "f", cached=True) == tree


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
