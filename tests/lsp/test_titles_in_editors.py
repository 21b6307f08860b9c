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


@pytest.mark.proof
def test_keys_of_words_are_offered_and_explained(tmp_path: Path) -> None:
    folder = copytree(ROOT / "games" / "tetrarchia", tmp_path / "tetrarchia")
    with Editor(folder) as editor:
        text = (folder / "titles.yaml").read_text("utf-8")
        assert editor.open("titles.yaml") == []
        document = {"uri": editor.path("titles.yaml").as_uri()}
        for name, what in (("action.attack: {title", "Attacking"), ('action.attack: "attacks', "attack")):
            hover = editor.ask("textDocument/hover", editor.at("titles.yaml", name, 9))["contents"]["value"]
            assert what.casefold()[:6] in hover.casefold() and "TET-AMB-06" in hover
        rule = editor.ask("textDocument/hover", editor.at("titles.yaml", "TET-SAI-02", 3))
        assert "need not stand at the coast" in rule["contents"]["value"]
        short = text.replace("  action.attack: {title", "  XX: {title") + "  "
        editor.change("titles.yaml", short)
        place = {"line": short.count("\n"), "character": 2}
        items = editor.ask("textDocument/completion", {"textDocument": document, "position": place})
        offered = {item["label"] for item in items}
        assert {"action.attack", "emperor.galerius", "unrest", "disc.out"} <= offered and "action.sail" not in offered
