"""YAML trees come out of the cache as they were parsed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from folders import GAMES, RULESETS
from proofs import examples

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.kept_trees import _DECODER, pack, read_kept, unpack
from rulespec.documents.yaml_nodes import FileLimits, Mapping, get
from rulespec.documents.yaml_reader import parse_yaml, read_yaml

FILES = sorted(p for root in (GAMES, RULESETS) for p in root.rglob("*.yaml"))
TEXT = """a: 1
"b": [x, 'y', -3, true, null, ~]
c:
  d: |
    text
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_trees_come_back_as_they_were() -> None:
    count = 0
    for path in FILES[:: examples(3, 1)]:
        try:
            tree = read_yaml(path, "f")
        except DiagnosticsError:
            continue
        assert unpack(_DECODER.decode(msgspec.json.encode(pack(tree))), "f") == tree, path
        count += 1
    assert count > 100 // examples(3, 1)


@pytest.mark.usefixtures("folder")
def test_a_file_that_was_read_needs_no_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(TEXT, "utf-8")
    first = read_kept(file, "one.yaml")
    monkeypatch.setattr("rulespec.documents.yaml_reader.parse_yaml", lambda *_: pytest.fail("parsed again"))
    again = read_kept(file, "two.yaml")
    assert isinstance(first, Mapping) and isinstance(again, Mapping)
    assert again.span.file == "two.yaml" and [*again.entries] == [*first.entries]
    assert get(again, "c", "d") == msgspec.structs.replace(
        get(first, "c", "d"),  # type: ignore[type-var]
        span=msgspec.structs.replace(get(first, "c", "d").span, file="two.yaml"),  # type: ignore[union-attr]
    )


def test_an_error_is_told_each_time(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1\na: 2\n", "utf-8")
    for _ in range(2):
        with pytest.raises(DiagnosticsError, match="RS119"):
            read_kept(file, "a.yaml")
    assert not folder.exists()


@pytest.mark.usefixtures("folder")
def test_bounds_hold_for_what_was_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(TEXT, "utf-8")
    read_kept(file, "a.yaml")
    with pytest.raises(DiagnosticsError, match="RS113"):
        read_kept(file, "a.yaml", FileLimits(events=3))
    with pytest.raises(DiagnosticsError, match="RS112"):
        read_kept(file, "a.yaml", FileLimits(depth=1))


def test_values_follow_from_the_text() -> None:
    packed = msgspec.to_builtins(pack(parse_yaml("{a: 1}", "f")))
    assert packed == [2, 1, 1, 1, 7, [[0, 1, 2, 1, 3, "a", 0]], [[0, 1, 5, 1, 6, "1", 0]]]
    tree = unpack(_DECODER.decode(msgspec.json.encode(pack(parse_yaml("[7, '7', true, 7]", "f")))), "f")
    assert [item.value for item in tree.items] == [7, "7", True, 7]  # type: ignore[union-attr]
