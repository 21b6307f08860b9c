"""References and document symbols, in rules, in YAML, and while a file is broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from editor import Editor
from folders import GAMES

FACTORY = "rules/factory.rules"


def test_references_and_symbols_stay_while_a_file_is_broken() -> None:
    with Editor(GAMES / "imperial") as editor:
        editor.open("tables.yaml")
        at = editor.at("tables.yaml", "factory_cost", 2)
        uses = editor.ask("textDocument/references", {**at, "context": {"includeDeclaration": False}})
        assert {editor.place(use)[1] for use in uses} == {"factory_cost"}
        assert FACTORY in {editor.place(use)[0] for use in uses}
        assert "tables.yaml" not in {editor.place(use)[0] for use in uses}
        every = editor.ask("textDocument/references", {**at, "context": {"includeDeclaration": True}})
        assert [use for use in every if use not in uses] == [
            editor.ask("textDocument/definition", editor.at("tables.yaml", "factory_cost", 2))
        ]
        assert "factory_cost" in symbols(editor, "tables.yaml")
        editor.open(FACTORY)
        declared = symbols(editor, FACTORY)
        assert {"works", "factory_action"} <= set(declared) and "site" not in declared
        editor.change(FACTORY, editor.texts[editor.path(FACTORY)] + "\nprocedure (\n")
        assert symbols(editor, FACTORY) == declared
        editor.open("map.yaml")
        assert "vienna" in symbols(editor, "map.yaml")


@pytest.mark.proof
def test_what_an_overlay_adds_is_listed_and_renamed_and_a_broken_one_is_completed(tmp_path: Path) -> None:
    head = 'id: own\ntitle: Own\nfor: imperial\nversion: "1"\n'
    (tmp_path / "own.yaml").write_text(head + "add:\n  constants.max_factories: 3\n")
    (tmp_path / "own.rules").write_text("def limit(n: nation) -> int: max_factories\n")
    with Editor(tmp_path) as editor:
        editor.open("own.yaml")
        editor.open("own.rules")
        for name in ("own.yaml", "own.rules"):
            at = editor.at(name, "max_factories", 2)
            uses = editor.ask("textDocument/references", {**at, "context": {"includeDeclaration": True}})
            places = [("own.rules", "max_factories"), ("own.yaml", "max_factories")]
            assert [editor.place(use) for use in uses] == places
            changed = editor.ask("textDocument/rename", {**at, "newName": "most_factories"})["changes"]
            edits = [{"uri": uri, "range": edit["range"]} for uri, several in changed.items() for edit in several]
            assert sorted(editor.place(edit) for edit in edits) == places
        text = head + "changes:\n  constants."  # is no YAML; the file stays an overlay
        assert editor.change("own.yaml", text) != []
        items = editor.ask("textDocument/completion", editor.at("own.yaml", "constants.", len("constants.")))
        assert "factory_cost" in {item["label"] for item in items}


def symbols(editor: Editor, name: str) -> list[str]:
    """The names of a document's declarations, in their order."""
    document = {"textDocument": {"uri": editor.path(name).as_uri()}}
    return [symbol["name"] for symbol in editor.ask("textDocument/documentSymbol", document)]
