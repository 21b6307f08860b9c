"""Words and drawings in an editor: the diagnostics of `validate` and `draw`, of the text that is open."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from editor import Editor
from folders import ROOT

DRAWING = "drawing: {boards: {region: {width: 900}}}\n"


@pytest.mark.proof
def test_words_and_drawings_are_checked_while_they_are_open(tmp_path: Path) -> None:
    folder = copytree(ROOT / "games" / "tutorial", tmp_path / "tutorial")
    with Editor(folder) as editor:
        assert editor.open("titles.de.yaml") == []
        german = (folder / "titles.de.yaml").read_text("utf-8")
        result = editor.change("titles.de.yaml", german.replace("hills:", "hils:"))
        assert [d["code"] for d in result] == ["RS531"]
        assert "`region.hils`" in result[0]["message"] and "region.hills" in result[0]["message"]
        assert editor.change("titles.de.yaml", german) == []
        result = editor.change("titles.de.yaml", german + "internl: []\n")
        assert [d["range"]["start"]["line"] for d in result] == [german.count("\n")]
        assert editor.open("drawing.yaml") == []
        drawing = (folder / "drawing.yaml").read_text("utf-8")
        result = editor.change("drawing.yaml", drawing.replace("hills:", "hils:"))
        assert [d["code"] for d in result] == ["RS551"]


def test_words_of_an_overlay_are_checked_over_its_ruleset(tmp_path: Path) -> None:
    copytree(ROOT / "games" / "tetrarchia", tmp_path / "tetrarchia")
    name = "variants/titles/imperivm.es.yaml"
    with Editor(tmp_path / "tetrarchia") as editor:
        assert editor.open(name) == []
        german = (tmp_path / "tetrarchia" / name).read_text("utf-8")
        result = editor.change(name, german + "endings: {powr: x}\n")
        assert [d["code"] for d in result] == ["RS531"], result
