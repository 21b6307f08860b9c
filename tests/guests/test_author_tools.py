"""Tools of an author: a ruleset from an empty folder, and nothing written anywhere else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from authors import session
from folders import ROOT

from rulespec.guests.author_tools import AuthorTools
from rulespec.guests.tools import Toolbox


def box(folder: Path) -> Toolbox:
    return Toolbox(AuthorTools(folder).tools())


def asked(tools: Toolbox, name: str, **arguments: Any) -> dict[str, Any]:
    text, wrong = tools.call(name, arguments)
    assert not wrong, text
    result: dict[str, Any] = json.loads(text)
    return result


@pytest.mark.proof
def test_a_session_from_an_empty_folder_to_a_sound_ruleset(tmp_path: Path) -> None:
    tools = box(tmp_path)
    session(tmp_path, lambda name, **arguments: asked(tools, name, **arguments))


def test_files_are_written_by_small_changes_below_the_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    folder.mkdir()
    (tmp_path / "other.yaml").write_text("a: 1\n")
    (folder / "link.yaml").symlink_to(tmp_path / "other.yaml")
    (folder / "out").symlink_to(tmp_path)
    tools = box(folder)
    asked(tools, "write", file="rules/play.rules", old="", new="one\ntwo\ntwo\n")
    asked(tools, "write", file="rules/play.rules", old="one", new="three")
    assert asked(tools, "read", file="rules/play.rules")["text"] == "three\ntwo\ntwo\n"
    refused: list[tuple[str, str]] = [
        *[(file, "") for file in ("../x.yaml", "/tmp/x.yaml", "x.py", ".x.yaml", ".git/x.yaml", "rules/play.rules")],
        *[("rules/play.rules", "two"), ("rules/play.rules", "four"), ("missing.yaml", "a")],
        *[("d/" * 8 + "x.yaml", ""), ("n" * 96 + ".yaml", ""), ("rules//x.yaml", ""), ("a\0.yaml", ""), ("", "")],
        *[
            ("rules/play.rules/x.rules", ""),
            ("link.yaml", "a: 1"),
            ("out/other.yaml", "a: 1"),
            ("out/new.yaml", ""),
            ("a\\b.yaml", ""),
        ],
    ]
    for file, old in refused:
        text, wrong = tools.call("write", {"file": file, "old": old, "new": "changed"})
        assert wrong and "error" in json.loads(text) and str(tmp_path) not in text, (file, text)
        assert file != "rules/play.rules/x.rules" or "`rules/play.rules` is a file, not a folder" in text
    assert (tmp_path / "other.yaml").read_text() == "a: 1\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game", "other.yaml"]
    assert [each["file"] for each in asked(tools, "files")["files"]] == ["rules/play.rules"]
    assert tools.call("read", {"file": "link.yaml"})[1] and tools.call("read", {"file": "out/other.yaml"})[1]


def test_the_reference_is_asked_by_keyword(tmp_path: Path) -> None:
    tools = box(tmp_path)
    assert any(text.startswith("abs(") for text in asked(tools, "reference", keyword="abs")["functions"])
    assert any(".private: " in text for text in asked(tools, "reference", keyword="private")["keys"])
    assert any("shuffle" in text for text in asked(tools, "reference", keyword="shuffle")["grammar"])
    assert any("RS225" in text for text in asked(tools, "reference", keyword="no such fact")["codes"])
    assert tools.call("reference", {"keyword": "a"})[1] and tools.call("explain", {"code": "RS999"})[1]
    assert "`validate` names codes" in tools.call("explain", {"code": "../x"})[0]


@pytest.mark.proof
def test_a_map_is_edited_by_words_and_an_overlay_is_played(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "games" / "tutorial", tmp_path / "lake")
    tools = box(tmp_path / "lake")
    answer = asked(tools, "edit_map", edits="fly away")
    assert answer["exit"] != 0
    asked(
        tools,
        "write",
        file="variants/rich.yaml",
        old="",
        new='id: rich\ntitle: Rich\nfor: tutorial\nversion: "1.0"\nchanges:\n  constants.factory_cost: 4 money\n',
    )
    played = asked(tools, "playtest", overlay="variants/rich.yaml", pairs=2, players=2)
    assert played["exit"] == 0, played
