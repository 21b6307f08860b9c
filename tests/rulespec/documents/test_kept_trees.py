"""YAML trees come out of the cache as they were parsed; what could not have been parsed does not come out of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from folders import GAMES, RULESETS

from rulespec import cache
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.kept_trees import _DECODER, pack, read_kept, unpack
from rulespec.documents.limits import Limits
from rulespec.documents.nodes import Mapping, Node, get
from rulespec.documents.reader import parse_yaml, read_yaml

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


def decoded(data: object) -> Node | None:
    """The tree of an entry with these data; None if it is refused."""
    try:
        return unpack(_DECODER.decode(msgspec.json.encode(data)), "f")
    except (ValueError, RecursionError):
        return None


def plain(text: str) -> Any:
    return msgspec.to_builtins(pack(parse_yaml(text, "f")))


def test_trees_come_back_as_they_were() -> None:
    count = 0
    for path in FILES:
        try:
            tree = read_yaml(path, "f")
        except DiagnosticsError:
            continue
        assert unpack(_DECODER.decode(msgspec.json.encode(pack(tree))), "f") == tree, path
        count += 1
    assert count > 100


@pytest.mark.usefixtures("folder")
def test_a_file_that_was_read_needs_no_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(TEXT, "utf-8")
    first = read_kept(file, "one.yaml")
    monkeypatch.setattr("rulespec.documents.reader.parse_yaml", lambda *_: pytest.fail("parsed again"))
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
        read_kept(file, "a.yaml", Limits(events=3))
    with pytest.raises(DiagnosticsError, match="RS112"):
        read_kept(file, "a.yaml", Limits(depth=1))


SCALAR = [0, 1, 1, 1, 2, "x", 0]


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        [],
        [9, 1, 1, 1, 1, []],
        SCALAR[:-1],
        [*SCALAR, 1],
        [0, 0, 1, 1, 2, "x", 0],
        [0, -1, 1, 1, 2, "x", 0],
        [0, 1, 1, 1, 10**9, "x", 0],
        [0, 1, 1, 1, "2", "x", 0],
        [0, 1, 1, 1, 2, 3, 0],
        [0, 1, 1, 1, 2, "x", 9],
        [0, 1, 1, 1, 2, "yes", 0],
        [0, 1, 1, 1, 2, "1:30", 0],
        [0, 1, 1, 1, 2, "9" * 16, 0],
        [0, 1, 1, 1, 2, "\x1b[2J", 1],
        [0, 1, 1, 1, 2, "\u202e", 2],
        [1, 1, 1, 1, 2, [[]]],
        [1, 1, 1, 1, 2, "x"],
        [2, 1, 1, 1, 2, [SCALAR], []],
        [2, 1, 1, 1, 2, [SCALAR, SCALAR], [SCALAR, SCALAR]],
        [2, 1, 1, 1, 2, [[1, 1, 1, 1, 2, []]], [SCALAR]],
        [2, 1, 1, 1, 2, [[0, 1, 1, 1, 2, "<<", 0]], [SCALAR]],
        [2, 1, 1, 1, 2, [[0, 1, 1, 1, 2, "", 0]], [SCALAR]],
        [2, 1, 1, 1, 2, [[0, 1, 1, 1, 2, "0x1", 0]], [SCALAR]],
    ],
)
def test_what_could_not_have_been_parsed_is_refused(data: object) -> None:
    assert decoded(SCALAR) is not None
    assert decoded([2, 1, 1, 1, 2, [SCALAR], [SCALAR]]) is not None
    assert decoded(data) is None


@pytest.mark.parametrize("depth, fits", [(64, True), (65, False), (100_000, False)])
def test_depth_is_bounded(depth: int, fits: bool) -> None:
    text = "[1,1,1,1,2,[" * depth + '[0,1,1,1,2,"x",0]' + "]]" * depth
    try:
        tree = unpack(_DECODER.decode(text), "f")
    except (ValueError, RecursionError):
        tree = None
    assert (tree is not None) == fits


def test_the_number_of_values_is_bounded() -> None:
    many = [1, 1, 1, 1, 2, [[1, 1, 1, 1, 2, []]] * 61_000]
    assert decoded(many) is None


def test_values_follow_from_the_text() -> None:
    assert plain("{a: 1}") == [2, 1, 1, 1, 7, [[0, 1, 2, 1, 3, "a", 0]], [[0, 1, 5, 1, 6, "1", 0]]]
    tree = decoded([1, 1, 1, 1, 9, [[0, 1, 2, 1, 3, "7", 0], [0, 1, 2, 1, 3, "7", 2], [0, 1, 2, 1, 3, "true", 0]]])
    assert tree is not None and [item.value for item in tree.items] == [7, "7", True]  # type: ignore[union-attr]


def test_a_damaged_entry_is_as_if_nothing_were_there(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(TEXT, "utf-8")
    tree = read_kept(file, "a.yaml")
    cache.write(cache.key("yaml", TEXT, rooms=cache.LANGUAGE), [0, 1, 1, 1, 2, "yes", 0])
    assert read_kept(file, "a.yaml") == tree
    for entry in folder.iterdir():
        entry.write_bytes(b"rulespec cache entry ")
    assert read_kept(file, "a.yaml") == tree
