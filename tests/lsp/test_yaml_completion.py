"""Completion in YAML by place: values by the declared type, paths of overlays, settings; files that are broken, too."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from editor import Editor
from folders import GAMES

OVERLAY = "variants/own.yaml"
HEAD = 'id: own\ntitle: Own\nfor: imperial\nversion: "1"\n'


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    folder = tmp_path_factory.mktemp("g") / "imperial"
    shutil.copytree(GAMES / "imperial", folder, ignore=shutil.ignore_patterns("logs"))
    (folder / OVERLAY).write_text(HEAD, "utf-8")
    with Editor(folder) as session:
        yield session


def completion(editor: Editor, name: str, text: str, typed: str) -> set[str]:
    """The names after some text, which is the last of a broken document."""
    editor.change(name, text + typed)
    last = (text + typed).rpartition("\n")[2]
    place = {"line": (text + typed).count("\n"), "character": len(last)}
    document = {"uri": editor.path(name).as_uri()}
    items = editor.ask("textDocument/completion", {"textDocument": document, "position": place})
    return {item["label"] for item in items}


def test_a_value_in_yaml_is_of_the_declared_type(editor: Editor) -> None:
    editor.open("map.yaml")
    text = editor.texts[editor.path("map.yaml")]
    head = text[: text.index("\n    vienna:")] + "\n    vienna: "
    linked = completion(editor, "map.yaml", head, "{land: [budapest, ")
    assert {"budapest", "trieste"} <= linked and not {"russia", "factory_cost", "land"} & linked
    assert completion(editor, "map.yaml", head, "{terrain: ") == {"land", "sea", "province"}
    block = completion(editor, "map.yaml", head.rstrip(), "\n      terrain: land\n      land: [budapest, ")
    assert block == linked
    homes = completion(editor, "map.yaml", head, "{terrain: province, home: ")
    assert {"russia", "none"} <= homes and "vienna" not in homes
    editor.close_all()


def test_paths_and_settings_of_an_overlay_are_offered(editor: Editor) -> None:
    assert editor.open(OVERLAY) == []
    constants = completion(editor, OVERLAY, HEAD, "changes:\n  constants.")
    assert {"factory_cost", "victory_power"} <= constants and "vienna" not in constants
    assert {"constants", "kinds", "tracks"} <= completion(editor, OVERLAY, HEAD, "changes:\n  ")
    assert "title" in completion(editor, OVERLAY, HEAD, "changes:\n  constants.factory_cost: 3 money\n  game.")
    assert "swiss_bank" in completion(editor, OVERLAY, HEAD, "remove:\n  - kinds.player.state.")
    assert {"set_up", "interest_shortfall"} <= completion(editor, OVERLAY, HEAD, "settings:\n  ")
    assert completion(editor, OVERLAY, HEAD, "settings: {set_up: ") == {"standard", "experienced"}
    assert completion(editor, OVERLAY, HEAD, "settings:\n  set_up: exp") == {"standard", "experienced"}
    editor.close_all()
