"""Words for edits of outlines, at the terminal and of a page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from folders import GAMES

from rulespec.cli.main import cli
from rulespec.lsp.map_files import MapEditError
from rulespec.lsp.map_words import OUTLINE_FORMS, outline_edit
from rulespec.lsp.outline_edits import (
    DetachPoint,
    DrawOutline,
    FollowBorder,
    InsertPoint,
    MovePoint,
    OutlineEdit,
    RemoveOutline,
    RemovePoint,
    SetFrame,
)

WORDS: dict[str, OutlineEdit] = {
    "move_point 1,2 -3,4": MovePoint((1, 2), (-3, 4)),
    "move_point 1,2 3,4 snap=8": MovePoint((1, 2), (3, 4), 8),
    "insert_point 0,0 9,0 4,1": InsertPoint(((0, 0), (9, 0)), (4, 1)),
    "remove_point 1,2": RemovePoint((1, 2)),
    "detach_point isle 1,2 3,4": DetachPoint("isle", (1, 2), (3, 4)),
    "draw_outline isle 0,0 9,0 9,9 snap=3": DrawOutline("isle", ((0, 0), (9, 0), (9, 9)), 3),
    "follow_border isle marsh 0,0 9,0": FollowBorder("isle", "marsh", (0, 0), (9, 0)),
    "remove_outline isle": RemoveOutline("isle"),
    "set_frame 0 0 400 300": SetFrame((0, 0, 400, 300)),
}


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder, ignore=shutil.ignore_patterns("logs", "perft"))
    return folder


@pytest.fixture
def europe(tmp_path: Path) -> Path:
    folder = tmp_path / "europe"
    shutil.copytree(GAMES / "imperial", folder, ignore=shutil.ignore_patterns("logs", "perft"))
    return folder


def edit(folder: Path, *edits: str) -> Result:
    words = [word for each in edits for word in ("--do", each)]
    return CliRunner().invoke(cli, ["edit", str(folder), *words, "--yes"])


def test_words_are_edits() -> None:
    for words, expected in WORDS.items():
        word, *parts = words.split()
        assert outline_edit(word, parts) == expected
    assert {words.split()[0] for words in WORDS} == OUTLINE_FORMS.keys()


@pytest.mark.parametrize(
    "words, said",
    [
        ("move_point 1,2 3;4", "`3;4` is not a point: write X,Y in whole numbers"),
        ("move_point 1,2 3,4 snap=x", "`x` is not a whole number"),
        ("move_point 1,2 3,4 snap=5000", "move_point: "),
        ("remove_point 1.5,2", "is not a point"),
        ("remove_point 9999999,2", "remove_point: "),
        ("set_frame 0 0 x 1", "`x` is not a whole number"),
    ],
)
def test_words_that_are_none_are_refused(words: str, said: str) -> None:
    word, *parts = words.split()
    with pytest.raises(MapEditError) as refused:
        outline_edit(word, parts)
    assert said in str(refused.value)


@pytest.mark.proof
def test_a_board_is_drawn_in_words(lake: Path) -> None:
    result = edit(
        lake,
        "set_frame 0 0 400 300",
        "draw_outline isle 0,0 100,0 100,100 0,100",
        "draw_outline marsh 102,1 200,0 200,100 99,98 snap=5",
        "insert_point 100,0 100,100 105,50",
        "move_point 100,100 104,104",
    )
    assert result.exit_code == 0, result.output
    board = yaml.safe_load((lake / "drawing.yaml").read_text("utf-8"))["drawing"]["boards"]["region"]
    assert board["frame"] == [0, 0, 400, 300]
    assert {name: how["outline"] for name, how in board["outlines"].items()} == {
        "isle": "M0 0l100 0 5 50-1 54-104-4z",
        "marsh": "M100 0l100 0 0 100-96 4 1-54z",
    }
    before = (lake / "drawing.yaml").read_bytes()
    result = edit(lake, "detach_point isle 104,104 90,90", "move_point 3,3 4,4")
    assert "move_point 3,3 4,4: no outline has a point at 3,3; the nearest is 0,0" in result.output
    assert result.exit_code == 1 and (lake / "drawing.yaml").read_bytes() == before, "all edits are made, or none"


def test_a_region_whose_outline_says_where_its_name_is_is_moved_there(europe: Path) -> None:
    before = {path: path.read_bytes() for path in europe.rglob("*.yaml")}
    assert edit(europe, "move munich 611 500").exit_code == 0
    (changed,) = (path for path, data in before.items() if path.read_bytes() != data)
    (line,) = (line for line in changed.read_text("utf-8").splitlines() if line.strip().startswith("munich:"))
    assert changed.name == "outlines.yaml" and "label: [611, 500], pieces: [" in line
