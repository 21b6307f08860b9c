"""New maps by each way, and maps of other forms: the page opens, says what is missing, and refuses with a sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from editors import copied, files
from rulespec.cli.main import cli
from rulespec.serve.edit.editor import Editor
from rulespec.serve.edit.map_messages import EditMessage
from rulespec.serve.edit.picture import draw

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300">
<path id="north" d="M0 0L200 0L200 150L0 150Z"/><path id="south" d="M0 150L200 150L200 300L0 300Z"/></svg>
"""


def new(folder: Path, name: str, *args: str) -> Path:
    done = CliRunner().invoke(cli, ["new", name, "--to", str(folder), *args])
    assert done.exit_code == 0, done.output
    return folder / name


def ask(editor: Editor, *edits: str) -> str:
    """The refusal of edits, or "" if they are made."""
    answer = editor.hear(EditMessage("edit", tuple(tuple(each.split()) for each in edits)))
    return str(answer.get("refused", ""))


@pytest.mark.proof  # 1.0 s
def test_a_map_from_names(tmp_path: Path) -> None:
    folder = new(tmp_path, "mine", "--from", "imperial", "--map", "london,paris,sea1")
    before = files(folder)
    editor = Editor(folder)
    drawn, _ = draw(editor.to_draw() or b"")
    assert drawn is not None and drawn.loose.keys() == {"london", "paris", "sea1"}, "none has a place yet"
    assert [fault["message"] for fault in editor.state["faults"]] == [
        f"`{name}` has no value for `terrain`" for name in ("london", "paris", "sea1")
    ]
    keep = [f"move {name} {round(x)} {round(y)}" for name, (x, y) in drawn.loose.items()]
    facts = [f"set {name} terrain {'sea' if name == 'sea1' else 'land'}" for name in drawn.loose]
    assert ask(editor, *keep, *facts, "link london paris", "link london sea1") == ""
    again, _ = draw(editor.to_draw() or b"")
    assert again is not None and again.loose == {} and again.spots == drawn.spots, "all stay where they were shown"
    assert not [fault for fault in editor.state["faults"] if fault["severity"] == "error" and fault["own"]]
    editor.hear(EditMessage("undo"))
    assert files(folder) == before


def test_the_report_of_a_drawing_is_on_the_page(tmp_path: Path) -> None:
    """With its lines in the drawing and the ways out, among the problems of other files; a bad file says nothing."""
    (tmp_path / "x.svg").write_text(SVG.replace("</svg>", '<text x="300" y="9">Legend</text></svg>'), "utf-8")
    folder = new(tmp_path, "mine", "--map", str(tmp_path / "x.svg"))
    report = json.loads((folder / "reading.json").read_text("utf-8"))
    assert report["drawing"] == "x.svg" and report["regions"] == 2 and report["named"]["id"] == 2
    assert report["touching"] == 1 and [each["code"] for each in report["findings"]] == ["RS857"]
    (fault,) = [each for each in Editor(folder).state["faults"] if each["code"] == "RS857"]
    assert fault["at"] == "x.svg:2:1" and "`Legend`" in fault["message"] and fault["help"] and not fault["own"]
    for text in ("", "[" * 9_000, '{"drawing": 1}', '{"drawing": "x", "findings": [{"code": "RS1", "line": -1}]}'):
        (folder / "reading.json").write_text(text, "utf-8")
        assert "RS857" not in str(Editor(folder).state["faults"])


@pytest.mark.proof
def test_a_map_from_a_drawing(tmp_path: Path) -> None:
    (tmp_path / "x.svg").write_text(SVG, "utf-8")
    folder = new(tmp_path, "mine", "--from", "imperial", "--map", str(tmp_path / "x.svg"))
    editor = Editor(folder)
    drawn, _ = draw(editor.to_draw() or b"")
    assert drawn is not None and drawn.loose == {} and {"region.north", "region.south"} <= drawn.items.keys()
    assert ask(editor, "set north terrain sea", "set south terrain land", "link north south") == ""
    assert not [fault for fault in editor.state["faults"] if fault["own"] and fault["severity"] == "error"]


@pytest.mark.proof  # 0.7 s
def test_a_new_map_gets_the_files_that_an_edit_needs(tmp_path: Path) -> None:
    """A set-up and outlines; undone, they are gone again."""
    folder = new(tmp_path, "mine", "--from", "imperial", "--map", "a,b")
    before, editor = files(folder), Editor(folder)
    assert editor.state["form"]["pieces"] == ["factory.at"]
    assert ask(editor, "put a factory.at 1", "draw_outline b 10,10 90,10 90,90 10,90") == ""
    assert [region["pieces"] for region in editor.state["regions"]] == [{"factory.at": 1}, {}]
    assert files(folder).keys() - before.keys() == {"outlines.yaml", "setup.yaml"}
    editor.hear(EditMessage("undo"))
    assert files(folder) == before and editor.state["regions"][0]["pieces"] == {}


@pytest.mark.proof
def test_a_map_that_adds_to_its_base(tmp_path: Path) -> None:
    """Regions of the base are shown, and stay; own ones are added below the comments of the file."""
    folder = new(tmp_path, "mine", "--from", "imperial_2030")
    before = files(folder)
    editor = Editor(folder)
    assert len(editor.state["regions"]) == 62 and not any(region["own"] for region in editor.state["regions"])
    for edit in ("set caribbean_sea title Sea", "remove caribbean_sea"):
        assert "is a region of the base" in ask(editor, edit)
    assert ask(editor, "add cape terrain=land", "move cape 10 10") == ""
    assert (folder / "map.yaml").read_bytes().startswith(before["map.yaml"])
    assert [region["name"] for region in editor.state["regions"] if region["own"]] == ["cape"]
    editor.hear(EditMessage("undo"))
    assert files(folder) == before


@pytest.mark.parametrize("what", ["no map.yaml", "a game without a map"])
@pytest.mark.sampled(1)
def test_without_a_map_the_page_says_so(what: str, tmp_path: Path) -> None:
    if what == "no map.yaml":
        folder = new(tmp_path, "mine", "--from", "imperial")
        (folder / "map.yaml").unlink()
    else:
        folder = new(tmp_path, "mine")
    editor = Editor(folder)
    assert "there is no map.yaml in this folder" in ask(editor, "add cape")


@pytest.mark.proof  # 0.4 s
def test_links_that_are_entities_are_left_to_their_author(tmp_path: Path) -> None:
    folder = copied("tetrarchia", tmp_path / "mine")
    editor = Editor(folder)
    one, other = (region["name"] for region in editor.state["regions"][:2])
    assert editor.state["form"]["entities"] and "are entities" in ask(editor, f"link {one} {other}")
    assert ask(editor, f"set {one} title Mine", f"move {one} 20 20") == ""


@pytest.mark.proof
def test_a_map_with_too_many_regions_takes_no_more(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    path = folder / "map.yaml"
    path.write_text(path.read_text("utf-8") + "".join(f"    r{n}: {{terrain: land}}\n" for n in range(388)), "utf-8")
    editor = Editor(folder)
    assert len(editor.state["regions"]) == 400 and len(editor.state["faults"]) == 100 and editor.state["more"] > 0
    assert "at most 400 regions" in ask(editor, "add cape")


def test_a_folder_of_others_is_not_followed_out(tmp_path: Path) -> None:
    """A link in the folder leads to a map elsewhere: that one is never written."""
    real = copied("tutorial", tmp_path / "real")
    folder = tmp_path / "lake"
    shutil.copytree(real, folder)
    (folder / "map.yaml").unlink()
    (folder / "map.yaml").symlink_to(real / "map.yaml")
    before = files(real)
    assert ask(Editor(folder), "set isle terrain sea") != ""
    assert files(real) == before


def test_a_map_with_more_errors_than_a_check_lists_is_drawn(tmp_path: Path) -> None:
    """Regions from a drawing lack facts at first, each of them."""
    folder = new(tmp_path, "mine", "--map", ",".join(f"r{n}x" for n in range(230)))
    text = (folder / "map.yaml").read_text("utf-8").replace("  regions:", "  facts: {tax: int}\n  regions:")
    (folder / "map.yaml").write_text(text, "utf-8")
    state = Editor(folder).state
    assert state["stale"] == "" and len(state["regions"]) == 230
    assert state["more"] + len(state["faults"]) >= 230
