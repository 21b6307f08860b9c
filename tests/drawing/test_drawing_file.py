"""Drawing files: laid over one another, names checked where they can be known, and no part of a game."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from folders import GAMES, SHIPPED

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.drawing.board import board
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.scene import to_svg
from rulespec.load import load_ruleset


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder)
    (folder / "drawing.yaml").unlink(missing_ok=True)
    return folder


def codes(folder: Path, text: str) -> list[tuple[str, int]]:
    (folder / "drawing.yaml").write_text(text, "utf-8")
    report = Report()
    read_drawing(load_ruleset(str(folder)), report)
    return [(d.code, d.span.line) for d in report.diagnostics if d.span is not None]


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
@pytest.mark.sampled(4)
def test_shipped_drawings_have_nothing_to_tell(folder: Path) -> None:
    report = Report()
    read_drawing(load_ruleset(str(folder)), report)
    assert report.diagnostics == ()


@pytest.mark.parametrize(
    "text, code",
    [
        ("entities: {natoin: {reed: {colour: red}}}", "RS551"),
        ("entities: {player: {9: {colour: red}}}", "RS551"),
        ("boards: {region: {fill: [owner]}}", "RS551"),
        ("boards: {region: {fields: [flags]}}", "RS551"),
        ("boards: {region: {links: {river: {colour: blue}}}}", "RS551"),
        ("boards: {region: {links: {sea: {dashed: rough}}}}", "RS551"),
        ("pieces: {soldier: {symbol: star}}", "RS551"),
        ("pieces: {army: {places: [box]}}", "RS551"),
        ("markers: [nation.positoin]", "RS551"),
        ("scales: [power]", "RS551"),
        ("tables: {player: [army.hand]}", "RS551"),
        ("tables: {bank: [cash]}", "RS551"),
        ("entities: {nation: {reed: {colour: reed}}}", "RS552"),
        ("entities: {nation: {reed: {symbol: reed}}}", "RS552"),
        ("boards: {space: {as: grid}}", "RS553"),
        ("boards: {region: {seams: [[hills, isle]]}}", "RS554"),
        ("boards: {region: {positions: {hills: [1, 1], isle: [1, 1]}}}", "RS555"),
        ("entities: {nation: {reed: {colour: '#12345'}}}", "RS215"),
        ("boards: {region: {as: cube}}", "RS214"),
        ("shapes: {moon: 'M0 0\"/><script/>'}", "RS215"),
        ("colours: {reed: red}", "RS211"),
    ],
)
@pytest.mark.sampled(1)
def test_a_mistake_is_told_at_its_place(text: str, code: str, lake: Path) -> None:
    result = codes(lake, f"drawing:\n  {text}\n")
    assert [c for c, _ in result] == [code], result
    assert code == "RS555" or result[0][1] == 2


@pytest.mark.proof  # 0.2 s
def test_a_file_says_only_what_is_different(lake: Path) -> None:
    text = "drawing:\n  entities: {nation: {reed: {colour: '#123456'}}}\n  pieces: {army: {symbol: star}}\n"
    assert codes(lake, text) == []
    style = read_drawing(load_ruleset(str(lake)))
    assert style.looks["nation"]["reed"].colour == "#123456"
    assert style.pieces["army"].symbol == "star"


def test_names_below_the_topmost_file_may_be_gone(lake: Path) -> None:
    """Imperial's file names nations that the lake does not have."""
    report = Report()
    style = read_drawing(load_ruleset(str(lake)), report)
    assert report.diagnostics == () and set(style.looks["nation"]) == {"reed", "stone", "heath"}


@pytest.mark.proof  # 0.3 s
def test_an_overlay_has_a_drawing_of_its_own(lake: Path) -> None:
    (lake / "variants" / "drawing").mkdir(parents=True)
    overlay = 'id: dry\ntitle: Dry\nfor: lake\nversion: "1"\nchanges: {map.regions.isle.title: The Island}\n'
    (lake / "game.yaml").write_text(
        (lake / "game.yaml").read_text("utf-8").replace("id: tutorial", "id: lake"), "utf-8"
    )
    (lake / "variants" / "dry.yaml").write_text(overlay.replace("changes: {", "add: {"), "utf-8")
    (lake / "variants" / "drawing" / "dry.yaml").write_text("drawing: {pieces: {fleet: {symbol: star}}}\n", "utf-8")
    assert read_drawing(load_ruleset(str(lake))).pieces["fleet"].symbol != "star"
    assert read_drawing(load_ruleset(f"{lake}+dry")).pieces["fleet"].symbol == "star"


def test_a_drawing_is_no_part_of_the_rules(lake: Path) -> None:
    before = load_ruleset(str(lake)).hash
    (lake / "drawing.yaml").write_text("drawing: {pieces: {army: {symbol: star}}}\n", "utf-8")
    assert load_ruleset(str(lake)).hash == before


def test_a_picture_of_a_drawing_with_mistakes_is_refused(lake: Path) -> None:
    (lake / "drawing.yaml").write_text("drawing: {pieces: {armee: {symbol: star}}}\n", "utf-8")
    with pytest.raises(DiagnosticsError, match="RS551"):
        to_svg(board(load_ruleset(str(lake))))
