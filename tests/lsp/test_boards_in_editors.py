"""Boards in an editor: their spaces have members, their directions a place of declaration."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

from editor import Editor
from folders import ROOT

RULES = "rules/play.rules"


def test_spaces_and_directions_are_known_to_the_editor(tmp_path: Path) -> None:
    copytree(ROOT / "games" / "gallery" / "connect_four", tmp_path / "connect_four")
    with Editor(tmp_path / "connect_four") as editor:
        assert editor.open(RULES) == []
        result = editor.ask("textDocument/completion", editor.at(RULES, "c.to(down) is none", 2))
        assert {"to", "index", "disc", "column", "row"} == {item["label"] for item in result}
        place = editor.ask("textDocument/definition", editor.at(RULES, "down) is none"))
        assert editor.place(place) == ("boards.yaml", "down")
