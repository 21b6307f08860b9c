"""Functions compiled by one process are read by the next, and only functions whose source is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulespec import cache
from rulespec.engine.python import code_memo
from rulespec.engine.python.code_memo import CodeMemo

SOURCES = [f"def f{number}():\n    return {number}" for number in range(20)]


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    return cache.key("functions", "test", rooms=())


def compiled(key: str, sources: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of functions that a new memo compiles, which is then no longer used."""
    count = 0

    def counted(source: str, *args: str) -> object:
        nonlocal count
        count += 1
        return compile(source, *args)

    monkeypatch.setattr(code_memo, "compile", counted, raising=False)
    memo = CodeMemo(key)
    for number, source in enumerate(sources):
        names: dict[str, object] = {}
        exec(memo.code(source), names)  # noqa: S102 - sources of this file
        assert names[f"f{number}"]() == int(source.split()[-1])  # type: ignore[operator]
    del memo
    return count


def test_the_next_process_compiles_only_what_is_new(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(key, SOURCES[:5], monkeypatch) == 5
    assert compiled(key, SOURCES, monkeypatch) == 15
    assert compiled(key, SOURCES, monkeypatch) == 0
    assert compiled(key, ["def f0():\n    return 7", *SOURCES[1:]], monkeypatch) == 1


def test_without_a_key_each_memo_compiles_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [compiled("", SOURCES, monkeypatch) for _ in range(2)] == [20, 20]


def test_of_too_many_functions_the_last_used_ones_stay(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(key, SOURCES, monkeypatch)
    monkeypatch.setattr(code_memo, "MAX_ENTRY", 3_000)
    other = ["def f0():\n    return 7"]
    assert compiled(key, other, monkeypatch) == 1
    assert compiled(key, other, monkeypatch) == 0
    assert compiled(key, SOURCES, monkeypatch) == 20


def test_functions_that_the_user_did_not_sign_are_compiled_again(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled(key, SOURCES, monkeypatch)
    entry = tmp_path / "cache" / key
    entry.write_bytes(entry.read_bytes().replace(b"f3", b"f4"))
    assert compiled(key, SOURCES, monkeypatch) == 20
