"""Edits of outlines in the files of a map: only the numbers change, and no other text."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from folders import GAMES

from rulespec.diagnostics.report import Report
from rulespec.drawing.drawing_file import read_drawing
from rulespec.load import load_ruleset
from rulespec.lsp.map_edits import MapEdits
from rulespec.lsp.map_files import MapEditError
from rulespec.lsp.outline_edits import (
    DetachPoint,
    DrawOutline,
    FollowBorder,
    InsertPoint,
    MovePoint,
    OutlineEdit,
    OutlineEdits,
    RemoveOutline,
    RemovePoint,
    SetFrame,
)

DRAWN = """\
# By hand.
drawing:
  boards:
    region:
      frame: [0, 0, 400, 300]   # the sheet
      outlines:
        # the north
        north_lake: {label: [50, 50], outline: 'M0 0l100 0 0 100 -100 0z'}  # quoted
        south_lake: {outline: M100 0l100 0 0 100-100 0z}
        hills:
          outline: M200 0l100 0 0 100
            -100 0z
          label: [250, 50]
        isle: {outline: M0 100l100 0 0 100-100 0z}
"""


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """The tutorial's game with some outlines, in a temporary folder."""
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder, ignore=shutil.ignore_patterns("logs", "perft"))
    (folder / "outlines.yaml").write_text(DRAWN, "utf-8")
    return folder


class Editing:
    """A map under repeated edits, each applied to the previous texts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.map = MapEdits(folder)
        self.outlines = OutlineEdits(self.map.map)

    def do(self, *edits: OutlineEdit) -> dict[str, str]:
        """Makes edits; returns the changed texts by file name."""
        for edit in edits:
            self.map.make(lambda edit=edit: self.outlines.edit(edit))  # type: ignore[misc]
        files = self.map.map
        return {path.name: text for path, text in files.texts.items() if text != files.before[path]}


def lines(before: str, after: str) -> list[tuple[str, str]]:
    """The differing lines, before and after, of two texts with equal line counts."""
    pairs = zip(before.split("\n"), after.split("\n"), strict=True)
    return [(a.strip(), b.strip()) for a, b in pairs if a != b]


@pytest.mark.proof  # 0.3 s
def test_a_move_changes_the_numbers_of_all_regions_at_the_point(lake: Path) -> None:
    texts = Editing(lake).do(MovePoint((100, 100), (103, 90)))
    assert lines(DRAWN, texts["outlines.yaml"]) == [
        (
            "north_lake: {label: [50, 50], outline: 'M0 0l100 0 0 100 -100 0z'}  # quoted",
            "north_lake: {label: [50, 50], outline: 'M0 0l100 0 3 90 -103 10z'}  # quoted",
        ),
        (
            "south_lake: {outline: M100 0l100 0 0 100-100 0z}",
            "south_lake: {outline: M100 0l100 0 0 100-97-10z}",
        ),
        ("isle: {outline: M0 100l100 0 0 100-100 0z}", "isle: {outline: M0 100l103-10-3 110-100 0z}"),
    ]
    assert texts.keys() == {"outlines.yaml"}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.sampled(1)
def test_all_else_stays_as_it_is(lake: Path, end: str) -> None:
    path = lake / "outlines.yaml"
    path.write_bytes(("\ufeff" + DRAWN).replace("\n", end).encode())
    before = path.read_bytes().decode()
    one = Editing(lake)
    text = one.do(MovePoint((200, 100), (205, 104)))["outlines.yaml"]
    assert lines(before, text) == [
        ("south_lake: {outline: M100 0l100 0 0 100-100 0z}", "south_lake: {outline: M100 0l100 0 5 104-105-4z}"),
        ("-100 0z", "-95 4z"),
    ]
    assert text.count(end) == before.count(end) and text.replace(end, "").count("\n") == 0
    back = one.do(MovePoint((205, 104), (200, 100)))
    assert back == {} and one.map.map.texts[path.resolve()] == before, "the same bytes"


@pytest.mark.proof  # 0.3 s
def test_points_come_and_go(lake: Path) -> None:
    one = Editing(lake)
    texts = one.do(InsertPoint(((100, 0), (100, 100)), (104, 50)))
    assert [after for _, after in lines(DRAWN, texts["outlines.yaml"])] == [
        "north_lake: {label: [50, 50], outline: 'M0 0l100 0 4 50 -4 50 -100 0z'}  # quoted",
        "south_lake: {outline: M100 0l100 0 0 100-100 0 4-50z}",
    ]
    assert one.do(RemovePoint((104, 50))) == {}
    texts = one.do(DetachPoint("isle", (100, 100), (90, 110)))
    assert [after for _, after in lines(DRAWN, texts["outlines.yaml"])] == [
        "isle: {outline: M0 100l90 10 10 90-100 0z}"
    ]
    one.do(InsertPoint(((0, 100), (100, 100)), (50, 96)), MovePoint((90, 110), (99, 101), snap=4))
    texts = one.do(FollowBorder("isle", "north_lake", (0, 100), (100, 100)))
    assert [after for _, after in lines(DRAWN, texts["outlines.yaml"])] == [
        "north_lake: {label: [50, 50], outline: 'M0 0l100 0 0 100 -50 -4 -50 4z'}  # quoted",
        "isle: {outline: M0 100l50-4 50 4 0 100-100 0z}",
    ]


@pytest.mark.proof  # 0.3 s
def test_an_outline_is_drawn_and_removed(lake: Path) -> None:
    one = Editing(lake)
    square = ((104, 98), (200, 100), (200, 200), (100, 200))
    texts = one.do(DrawOutline("marsh", square, snap=5))
    new = [line for line in texts["outlines.yaml"].split("\n") if line not in DRAWN.split("\n")]
    assert new == ["        marsh: {outline: M100 100l100 0 0 100-100 0z}"]
    assert one.do(RemoveOutline("marsh")) == {}
    texts = one.do(RemoveOutline("hills"))
    gone = [line.strip() for line in DRAWN.split("\n") if line not in texts["outlines.yaml"].split("\n")]
    assert gone == ["hills:", "outline: M200 0l100 0 0 100", "-100 0z", "label: [250, 50]"]


@pytest.mark.proof  # 0.4 s
def test_a_map_without_outlines_gets_a_file_for_them(lake: Path) -> None:
    (lake / "outlines.yaml").unlink()
    (lake / "drawing.yaml").unlink()
    one = Editing(lake)
    texts = one.do(
        SetFrame((0, 0, 400, 300)),
        DrawOutline("marsh", ((2, 1), (100, 0), (100, 100)), snap=3),
        DrawOutline("isle", ((0, 0), (100, 100), (0, 100))),
    )
    assert texts == {
        "outlines.yaml": "drawing:\n  boards:\n    region:\n      frame: [0, 0, 400, 300]\n      outlines:\n"
        "        isle: {outline: M0 0l100 100-100 0z}\n        marsh: {outline: M0 0l100 0 0 100z}\n"
    }
    assert not (lake / "outlines.yaml").exists() and one.map.map.changed_elsewhere() == []
    (lake / "outlines.yaml").write_text("# theirs\n", "utf-8")
    assert one.map.map.changed_elsewhere() == [lake.resolve() / "outlines.yaml"]


@pytest.mark.proof  # 0.5 s
def test_outlines_in_the_drawing_lie_above_those_of_their_own_file(lake: Path) -> None:
    path = lake / "drawing.yaml"
    text = path.read_text("utf-8").replace(
        "    region:\n", "    region:\n      outlines: {isle: {outline: M0 100l100 0 0 150-100 0z}}\n", 1
    )
    path.write_text(text, "utf-8")
    texts = Editing(lake).do(MovePoint((100, 100), (101, 101)))
    assert texts.keys() == {"outlines.yaml", "drawing.yaml"}
    assert "isle: {outline: M0 100l101 1-1 149-100 0z}" in texts["drawing.yaml"]
    assert "isle: {outline: M0 100l100 0 0 100-100 0z}" in texts["outlines.yaml"], "nobody sees it"
    texts = Editing(lake).do(RemoveOutline("isle"))
    assert texts.keys() == {"outlines.yaml", "drawing.yaml"}
    assert not any("isle: {outline" in text for text in texts.values())


def test_what_cannot_be_is_refused_with_a_sentence(lake: Path) -> None:
    one = Editing(lake)
    cases: list[tuple[OutlineEdit, str]] = [
        (MovePoint((7, 7), (8, 8)), "no outline has a point at 7,7; the nearest is 0,0"),
        (MovePoint((100, 0), (100, 5)), "100,0 is a point of the frame"),
        (DetachPoint("islet", (0, 100), (1, 100)), "`islet` has no outline; did you mean `isle`?"),
        (DrawOutline("../x", ((0, 0), (1, 0), (1, 1))), "there is no region `../x`"),
        (DrawOutline("marsh", ((0, 0), (9, 9), (9, 0), (0, 8))), "the outline crosses itself"),
        (FollowBorder("isle", "marsh", (0, 0), (1, 1)), "`marsh` has no outline"),
        (RemoveOutline("marsh"), "`marsh` has no outline"),
        (SetFrame((0, 0, 0, 10)), "the frame is empty"),
    ]
    for edit, said in cases:
        with pytest.raises(MapEditError) as refused:
            one.do(edit)
        assert said in str(refused.value)
    assert one.do() == {}


@pytest.mark.proof  # 0.3 s
def test_curves_are_refused_and_can_be_replaced(lake: Path) -> None:
    path = lake / "outlines.yaml"
    path.write_text(DRAWN.replace("M100 0l100 0 0 100-100 0z", "M100 0c10 0 50 50 100 0l0 100z"), "utf-8")
    one = Editing(lake)
    with pytest.raises(
        MapEditError, match="`south_lake` cannot be read, so its shared points are unknown: expected a ring: `M`"
    ):
        one.do(MovePoint((100, 100), (101, 100)))
    assert one.outlines.board().outlines.keys() == {"north_lake", "hills", "isle"}
    square = ((100, 0), (200, 0), (200, 100), (100, 100))
    one.do(RemoveOutline("south_lake"), DrawOutline("south_lake", square), MovePoint((100, 100), (101, 100)))


@pytest.mark.proof  # 0.3 s
def test_regions_of_a_base_stay_as_they_are(tmp_path: Path) -> None:
    shutil.copytree(GAMES / "imperial", tmp_path / "imperial", ignore=shutil.ignore_patterns("logs", "perft"))
    folder = tmp_path / "mine"
    folder.mkdir()
    text = "id: mine\ntitle: Mine\nversion: '1'\nextends: ../imperial\n"
    (folder / "game.yaml").write_text(text, "utf-8")
    (folder / "outlines.yaml").write_text("drawing: {boards: {region: {}}}\n", "utf-8")
    one = Editing(folder)
    board = one.outlines.board()
    assert len(board.outlines) == 54 and board.fixed == sorted(board.outlines)
    assert board.frame == (0.0, 0.0, 1240.0, 1052.0)
    before = (tmp_path / "imperial" / "outlines.yaml").read_bytes()
    cases: list[tuple[OutlineEdit, str]] = [
        (MovePoint((600, 151), (601, 151)), "of the base shares the point"),
        (RemoveOutline("norway"), "`norway` is a region of the base"),
        (DetachPoint("norway", (600, 151), (601, 151)), "`norway` is a region of the base"),
    ]
    for edit, said in cases:
        with pytest.raises(MapEditError, match=said):
            one.do(edit)
    assert (tmp_path / "imperial" / "outlines.yaml").read_bytes() == before


@pytest.mark.proof  # 0.3 s
def test_outlines_of_overlays_that_share_the_point_are_listed(tmp_path: Path) -> None:
    folder = tmp_path / "imperial"
    shutil.copytree(GAMES / "imperial", folder, ignore=shutil.ignore_patterns("logs", "perft"))
    map_ = MapEdits(folder)
    outlines = OutlineEdits(map_.map)
    edited = map_.make(lambda: outlines.edit(MovePoint((362, 125), (363, 126))))
    assert [remark.rpartition("drawing/")[2] for remark in edited.remarks] == [
        f"two_more_regions.yaml: the outline of `{name}` has the same point, and stays as it is"
        for name in ("north_atlantic", "north_sea")
    ]
    assert map_.make(lambda: outlines.edit(MovePoint((237, 958), (237, 957)))).remarks == ()


def test_messages_are_edits() -> None:
    message = {"op": "detach_point", "region": "isle", "at": [1, 2], "to": [3, 4]}
    assert msgspec.convert(message, OutlineEdit) == DetachPoint("isle", (1, 2), (3, 4))
    for wrong in [
        {"op": "erase", "region": "isle"},
        {"op": "remove_point", "at": [1, 2, 3]},
        {"op": "remove_point", "at": [1.5, 2]},
        {"op": "remove_point", "at": [1, 10**7]},
        {"op": "remove_point", "at": [1, 2], "region": "isle"},
        {"op": "remove_outline", "region": "x" * 65},
        {"op": "move_point", "at": [1, 2], "to": [3, 4], "snap": -1},
        {"op": "draw_outline", "region": "isle", "points": [[1, 2]] * 1_001},
    ]:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, OutlineEdit)


@pytest.mark.proof  # 0.5 s
def test_the_drawing_is_read_as_before(lake: Path) -> None:
    texts = Editing(lake).do(MovePoint((100, 100), (103, 90)), InsertPoint(((100, 0), (103, 90)), (99, 40)))
    (lake / "outlines.yaml").write_text(texts["outlines.yaml"], "utf-8")
    report = Report()
    style = read_drawing(load_ruleset(str(lake)), report)
    rings = [outline.rings for outline in style.boards["region"].outlines.values()]
    assert sum((99, 40) in ring for each in rings for ring in each) == 2
    assert {d.code for d in report.diagnostics} <= {"RS565"}, "regions without an outline, as before"
