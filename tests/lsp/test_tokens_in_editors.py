"""Tokens in an editor: their places are members, and have a place of declaration and other names."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

from editor import Editor
from folders import RULESETS

RULES = "rules/play.rules"


def test_places_of_tokens_are_known_to_the_editor(tmp_path: Path) -> None:
    copytree(RULESETS / "harbour", tmp_path / "harbour")
    with Editor(tmp_path / "harbour") as editor:
        assert editor.open(RULES) == []

        def completed(before: str, after: int) -> set[str]:
            result = editor.ask("textDocument/completion", editor.at(RULES, before, after))
            return {item["label"] for item in result}

        assert completed("v.trips + 1", 2) == {"at", "trips", "place", "crew", "index"}
        assert completed("s.skill + 1", 2) >= {"deck", "guest", "skill", "home", "place", "player", "number", "index"}
        assert completed("ship.at[r]", 5) == {"yard", "at", "ant", "bee", "cow"}
        assert completed("sailor[p].deck:", 10) == {"tavern", "deck", "guest", "brig"}
        assert {"deck", "bridge", "ship"} <= completed("room(deck[v])", 5)
        assert not any("." in name for name in completed("room(deck[v])", 5))
        place = editor.ask("textDocument/definition", editor.at(RULES, "deck[v]) > 0"))
        assert editor.place(place) == ("kinds.yaml", "deck")
        hover = editor.ask("textDocument/hover", editor.at(RULES, "deck[v]) > 0"))
        assert "place sailor.deck[ship]" in hover["contents"]["value"]
