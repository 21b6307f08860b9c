"""Edits of what a map has beside its regions: entities, tables, constants, the set-up; each is one value in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from editors import copied, files
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.map_edits import MapEdits
from rulespec.lsp.map_files import MapEditError
from rulespec.lsp.map_words import edit_of
from rulespec.serve.edit.editor import Editor
from rulespec.serve.edit.map_messages import EditMessage


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return copied("tutorial", tmp_path / "lake")


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, EditorFiles]:
    """A map that no test writes to, and what has been parsed of it."""
    return copied("tutorial", tmp_path_factory.mktemp("still") / "lake"), EditorFiles()


def edited(lake: tuple[Path, EditorFiles], *words: str) -> dict[str, str]:
    """The files that an edit changes, with their texts."""
    edits = MapEdits(*lake)
    result = edits.make(edit_of(edits, words))
    return {path.name: text for path, text in result.texts.items() if text != path.read_text("utf-8")}


@pytest.mark.parametrize(
    "words, file, line",
    [
        (("entity", "nation", "reed", "army_pieces", "9"), "kinds.yaml", "reed: {title: Reed, army_pieces: 9,"),
        (("entity", "nation", "reed", "title", "Die Schilfe"), "kinds.yaml", "reed: {title: Die Schilfe, army_pieces"),
        (("entity", "nation", "reed", "second_bond", "heath_2"), "kinds.yaml", "second_bond: heath_2}"),
        (("entity", "nation", "reed", "colour", "#123456"), "drawing.yaml", 'reed: {colour: "#123456", letter: R}'),
        (("row", "flag_cards", "2,reed", "[reed, heath]"), "tables.yaml", "2: {reed: [reed, heath], stone: [stone]"),
        (("row", "start_money", "3", "15"), "tables.yaml", "rows: {2: 13, 3: 15}"),
        (("constant", "victory_power", "20 points"), "tables.yaml", "victory_power: 20 points"),
        (("constant", "free_steps", "2"), "tables.yaml", "  free_steps: 2"),
        (("start", "pieces.factory.supply", "2"), "setup.yaml", "factory.supply: 2"),
        (("start", "pieces.certificate.stack", "1"), "setup.yaml", "certificate.stack: 1"),
        (("put", "marsh", "army.at", "2", "stone"), "setup.yaml", "army.at:"),
        (("rename_entity", "nation", "reed", "sedge"), "map.yaml", "home: sedge"),
    ],
)
@pytest.mark.sampled(2)
def test_one_value_at_its_path(still: tuple[Path, EditorFiles], words: tuple[str, ...], file: str, line: str) -> None:
    changes = edited(still, *words)
    assert line in changes[file], changes
    if words[0] == "rename_entity":
        assert "main_bond: sedge_9" in changes["kinds.yaml"] and "2: {sedge: [sedge]" in changes["tables.yaml"]
    else:
        assert changes.keys() == {file}


@pytest.mark.parametrize(
    "words, said",
    [
        (("entity", "terrain", "sea", "title", "x"), "there is no replaceable kind"),
        (("entity", "nation", "red", "title", "x"), "there is no nation `red`"),
        (("entity", "nation", "reed", "navy", "x"), "there is no fact `navy`"),
        (("row", "flag_cards", "2", "[reed]"), "has 2 keys"),
        (("row", "flags", "2", "[reed]"), "there is no table `flags`"),
        (("constant", "speed", "2"), "there is no constant `speed`"),
        (("start", "pieces.army.moving", "2"), "there is no number of the set-up"),
        (("put", "marsh", "army.at", "2", "red"), "there is no nation `red`"),
        (("put", "marsh", "factory.at", "2", "reed"), "there is no place of owned pieces"),
    ],
)
@pytest.mark.sampled(2)
def test_what_is_not_there_is_refused(still: tuple[Path, EditorFiles], words: tuple[str, ...], said: str) -> None:
    with pytest.raises(MapEditError, match=said):
        edited(still, *words)


@pytest.mark.proof  # 1.1 s
def test_pieces_of_owners_come_and_go(lake: Path) -> None:
    """The last one takes its entry along; undone, the bytes are those of before."""
    before, editor = files(lake), Editor(lake)

    def do(*edits: str) -> None:
        assert "refused" not in editor.hear(EditMessage("edit", tuple(tuple(each.split()) for each in edits)))

    do("put marsh army.at 2 stone", "put hills army.at 1 stone")
    assert {
        region["name"]: region["owned"]["army.at"] for region in editor.state["regions"] if region["owned"]["army.at"]
    } == {
        "marsh": {"stone": 2},
        "hills": {"stone": 1},
    }
    do("put marsh army.at 0 stone")
    do("put hills army.at 0 stone")
    assert "army" not in (lake / "setup.yaml").read_text("utf-8")
    data = editor.state["data"]
    assert [kind["kind"] for kind in data["kinds"]] == ["nation"] and ["army.at", "nation"] in map(list, data["owned"])
    assert [entity["name"] for entity in data["kinds"][0]["entities"]] == ["reed", "stone", "heath"]
    assert ("2,reed", "[reed]") in dict(data["tables"])["flag_cards"]
    for _ in range(3):
        editor.hear(EditMessage("undo"))
    assert files(lake) == before
