"""The history of a map page: every step can be undone to the same bytes, and nobody's work is overwritten."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from editors import copied, files
from rulespec.lsp.map_files import MapEditError
from rulespec.own_files import own_files
from rulespec.serve.edit.history import ChangedElsewhereError, History


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return copied("tutorial", tmp_path / "lake")


def step(history: History, folder: Path, name: str, **texts: str) -> None:
    paths = {(folder / f"{file}.yaml").resolve(): text.encode() for file, text in texts.items()}
    history.do(name, {path: path.read_bytes() for path in paths}, paths)


def test_steps_are_undone_and_done_again_to_the_same_bytes(lake: Path) -> None:
    history = History(own_files(str(lake)))
    states = [files(lake)]
    for n in range(5):
        step(history, lake, f"step {n}", map=f"map: {{}} # {n}\r\n", drawing=f"\ufeffdrawing: {{}} # {n}")
        states.append(files(lake))
    assert history.names == ("step 4", "")
    for n in reversed(range(5)):
        assert history.undo() == f"step {n}"
        assert files(lake) == states[n]
    with pytest.raises(MapEditError, match="nothing can be undone"):
        history.undo()
    for n in range(5):
        assert history.redo() == f"step {n}"
        assert files(lake) == states[n + 1]
    with pytest.raises(MapEditError, match="nothing can be redone"):
        history.redo()


def test_a_file_that_a_step_adds_is_gone_after_undo(lake: Path) -> None:
    history, path, before = History(own_files(str(lake))), lake / "outlines.yaml", files(lake)
    history.do("outline", {path: None}, {path: b"drawing: {}\n"})
    history.undo()
    assert files(lake) == before
    assert history.redo() == "outline" and path.read_bytes() == b"drawing: {}\n"
    history.undo()
    path.write_bytes(b"# mine\n")
    with pytest.raises(ChangedElsewhereError, match=r"outlines\.yaml has been changed by somebody else"):
        history.redo()
    assert path.read_bytes() == b"# mine\n"


def test_a_new_step_ends_what_can_be_done_again(lake: Path) -> None:
    history = History(own_files(str(lake)))
    step(history, lake, "one", map="a: 1\n")
    history.undo()
    step(history, lake, "two", map="a: 2\n")
    assert history.names == ("two", "")


def test_a_file_that_somebody_else_has_changed_is_not_overwritten(lake: Path) -> None:
    history = History(own_files(str(lake)))
    step(history, lake, "one", map="a: 1\n", drawing="b: 1\n")
    (lake / "map.yaml").write_text("a: 1 # mine\n", "utf-8")
    before = files(lake)
    with pytest.raises(ChangedElsewhereError, match=r"map\.yaml has been changed by somebody else"):
        history.undo()
    assert files(lake) == before, "not even the other file of the step"
    (lake / "map.yaml").write_text("a: 1\n", "utf-8")
    assert history.undo() == "one", "the step is still there"


def test_files_of_a_step_are_written_together_or_not_at_all(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History(own_files(str(lake)))
    before, replace, done = files(lake), Path.replace, list[str]()

    def fails(path: Path, target: Any) -> Any:
        done.append(Path(target).name)
        if len(done) == 3:
            raise OSError(28, os.strerror(28))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(MapEditError, match="No space left"):
        step(history, lake, "one", map="a: 1\n", drawing="b: 1\n", setup="c: 1\n")
    assert done[:3] == ["drawing.yaml", "setup.yaml", "map.yaml"], "the map is the last one"
    assert files(lake) == before and history.names == ("", "")


def test_a_change_at_the_last_moment_is_seen(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the first look at a file and its replacement."""
    history, path = History(own_files(str(lake))), (lake / "map.yaml").resolve()
    sync = os.fsync

    def syncs(handle: int) -> None:
        path.write_text("a: 1 # theirs\n", "utf-8")
        sync(handle)

    monkeypatch.setattr(os, "fsync", syncs)
    with pytest.raises(ChangedElsewhereError):
        step(history, lake, "one", map="a: 2\n")
    assert path.read_text("utf-8") == "a: 1 # theirs\n"
    assert not [p for p in lake.iterdir() if p.name.startswith(".")]


@pytest.mark.parametrize("how", ["link", "gone", "folder", "large", "link to a folder"])
def test_what_is_no_file_of_the_folder_is_not_written(how: str, lake: Path, tmp_path: Path) -> None:
    history, path = History(own_files(str(lake))), lake / "map.yaml"
    step(history, lake, "one", map="a: 1\n")
    outside = tmp_path / "outside.yaml"
    outside.write_text("a: 1\n", "utf-8")
    path.unlink()
    if how == "link":
        path.symlink_to(outside)
    elif how == "folder":
        path.mkdir()
    elif how == "link to a folder":
        path.symlink_to(tmp_path)
    elif how == "large":
        path.write_bytes(b"#" * 8_000_000)
    with pytest.raises(MapEditError):
        history.undo()
    assert outside.read_text("utf-8") == "a: 1\n"
