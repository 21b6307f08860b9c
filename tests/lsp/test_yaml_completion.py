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


@pytest.mark.proof  # 0.4 s
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


def test_keys_are_those_of_the_schema_at_the_place(editor: Editor) -> None:
    editor.open("map.yaml")
    text = editor.texts[editor.path("map.yaml")]
    head = text[: text.index("\n    vienna:")] + "\n    vienna: "
    facts = completion(editor, "map.yaml", head, "{")
    assert {"terrain", "home", "land", "title"} <= facts and not {"vienna", "kinds", "factory_cost"} & facts
    assert completion(editor, "map.yaml", head, "{land: [budapest], ho") == facts - {"land"}
    assert completion(editor, "map.yaml", head.rstrip(), "\n      te") == facts
    assert completion(editor, "map.yaml", "", "m") == {"map"}
    editor.close_all()
    editor.open("kinds.yaml")
    kinds = "kinds:\n  nation:\n"
    assert {"facts", "state", "places"} <= completion(editor, "kinds.yaml", kinds, "    s")
    field = completion(editor, "kinds.yaml", kinds + "    state:\n", "      power: {")
    assert {"type", "start", "doc"} <= field and "facts" not in field
    types = completion(editor, "kinds.yaml", kinds + "    state:\n", "      power: {type: ")
    assert {"int", "bool", "money", "nation", "region"} <= types and not {"vienna", "factory_cost"} & types
    editor.close_all()
    editor.open("game.yaml")
    assert completion(editor, "game.yaml", "id: imperial\nplayers: {", "k") == {"kind", "min", "max", "seats", "teams"}
    editor.close_all()


def test_an_overlay_has_its_keys_and_values_behind_paths(editor: Editor) -> None:
    editor.open(OVERLAY)
    keys = completion(editor, OVERLAY, HEAD, "ch")
    assert {"changes", "add", "remove", "settings", "certainty"} <= keys and "kinds" not in keys
    assert completion(editor, OVERLAY, HEAD, "certainty: ") == {"published", "reported", "proposed"}
    linked = completion(editor, OVERLAY, HEAD, "changes:\n  map.regions.vienna.land: [budapest, ")
    assert {"budapest", "trieste"} <= linked and not {"russia", "factory_cost"} & linked
    assert completion(editor, OVERLAY, HEAD, "changes:\n  map.regions.vienna.terrain: ") == {"land", "sea", "province"}
    region = completion(editor, OVERLAY, HEAD, "add:\n  map.regions.own: {")
    assert {"terrain", "home", "land"} <= region
    cost = completion(editor, OVERLAY, HEAD, "changes:\n  constants.factory_cost: 3 ")
    assert {"money", "step_fee"} <= cost and not {"factory_cost", "vienna"} & cost
    assert completion(editor, OVERLAY, HEAD, "changes:\n  constants.free_steps: ") >= {"max_steps"}
    start = completion(editor, OVERLAY, HEAD, "changes:\n  state.investor_card.start: ")
    assert "none" in start and "vienna" not in start
    editor.close_all()


@pytest.mark.proof  # 0.5 s
def test_a_key_that_is_written_is_not_offered_again(editor: Editor) -> None:
    editor.open("map.yaml")
    text = editor.texts[editor.path("map.yaml")]
    head = text[: text.index("\n    vienna:")] + "\n    vienna: "
    flow = completion(editor, "map.yaml", head, "{terrain: province, land: [trieste, budapest], ")
    assert "home" in flow and not {"terrain", "land"} & flow
    block = completion(editor, "map.yaml", head.rstrip(), "\n      terrain: land\n      ")
    assert {"home", "land"} <= block and "terrain" not in block
    editor.close_all()
    editor.open(OVERLAY)
    assert not {"id", "title", "for", "version"} & completion(editor, OVERLAY, HEAD, "")
    editor.change(OVERLAY, f"ti\n{HEAD}")
    document = {"uri": editor.path(OVERLAY).as_uri()}
    asked = {"textDocument": document, "position": {"line": 0, "character": 2}}
    labels = {item["label"] for item in editor.ask("textDocument/completion", asked)}
    assert "doc" in labels and "title" not in labels, "keys below count as well"
    editor.close_all()
