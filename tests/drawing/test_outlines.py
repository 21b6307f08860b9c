"""Outlines of regions: reading, checks, and consequences of equal points."""

from __future__ import annotations

import random
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from folders import GAMES
from limits import soon
from pictures import corners_of, outside, overlaps

from rulespec.diagnostics.report import Report
from rulespec.drawing import crossings
from rulespec.drawing.author import draft
from rulespec.drawing.board import Board, board
from rulespec.drawing.crossings import first_crossing
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.map_ground import ground
from rulespec.drawing.outline_checks import overlaps as overlapping
from rulespec.drawing.outlines import Frame, data_of, net, rings_of
from rulespec.drawing.picture_words import PlainWords
from rulespec.drawing.scene import to_svg
from rulespec.load import load_ruleset
from rulespec.typed.nodes import Ruleset

FRAME = Frame(0, 0, 120, 80)
NAMES = ["north_lake", "south_lake", "hills", "marsh", "forest", "isle"]
NAMES += ["reedham", "reedhaven", "stonegate", "stoneport", "heathfield", "heathmouth"]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder)
    return folder


def squares(names: list[str] = NAMES) -> dict[str, str]:
    """Outlines that tile a board of four by three squares."""
    return {name: f"M{i % 4 * 100} {i // 4 * 100}l100 0 0 100 -100 0z" for i, name in enumerate(names)}


def written(outlines: dict[str, str], frame: str = "[0, 0, 400, 300]", more: str = "") -> str:
    lines = [f"        {name}: {{outline: {data}}}" for name, data in outlines.items()]
    head = f"drawing:\n  boards:\n    region:\n      frame: {frame}\n{more}      outlines:\n"
    return head + "\n".join(lines) + "\n"


@cache
def loaded(folder: Path) -> Ruleset:
    """The ruleset in a folder, without its outlines."""
    return load_ruleset(str(folder))


def warned(folder: Path, text: str) -> list[tuple[str, str]]:
    """The codes of the warnings about an outlines file, and the lines to which they point."""
    (folder / "outlines.yaml").write_text(text, "utf-8")
    report = Report()
    read_drawing(loaded(folder), report)
    lines = text.split("\n")
    return [(d.code, lines[d.span.line - 1].strip().partition(":")[0]) for d in report.diagnostics if d.span]


def test_path_data_is_read_and_written() -> None:
    rings = rings_of("M10 20l5-3 0 9z M1 2 l3 4\n 5 -6z")
    assert rings == [[(10, 20), (15, 17), (15, 26)], [(1, 2), (4, 6), (9, 0)]]
    assert data_of(rings) == "M10 20l5-3 0 9zM1 2l3 4 5-6z" and rings_of(data_of(rings)) == rings


def test_any_rings_are_read_as_they_were_written() -> None:
    choose = random.Random(3)
    for _ in range(300):
        dots = [(choose.randrange(-900, 900), choose.randrange(-900, 900)) for _ in range(choose.randrange(3, 40))]
        ring = list(dict.fromkeys(dots))
        assert rings_of(data_of([ring, ring[::-1]])) == [ring, ring[::-1]]


@pytest.mark.parametrize(
    "data",
    [
        *(
            "",
            "M0 0",
            "M0 0l1 1 1z",
            "M0 0l1 1z",
            "M0 0L1 1 2 0z",
            "M0 0l1 1-z",
            "M0l1 1 2 2z",
            "M0 0l1.5 1 2 2z",
            "zz",
        ),
        *("M0 0l999999 1 999999 1z", "M0 0l9999999999 1 1 1z", "M0 0l1 0 0 1z" * 65, "M٣ 0l1 0 0 1z"),
        "M0 0l0 0 0 0 1 1z",
    ],
)
def test_what_is_no_outline_is_refused(data: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        rings_of(data)


def test_the_same_edges_are_a_border() -> None:
    left, right, far = (
        rings_of("M0 0l40 0 0 80-40 0z"),
        rings_of("M40 0l40 0 0 80-40 0z"),
        rings_of("M81 0l39 0 0 80-39 0z"),
    )
    areas = net([left, right, far], [], FRAME, 2)
    assert areas.touching() == {(0, 1)}
    (border,) = (b for b in areas.borders if b.b == 1)
    assert sorted(border.points) == [(80, 0), (80, 160)]
    assert sorted((b.a, b.b) for b in areas.borders) == [(0, 1), (1, -1), (2, -1)]  # the frame is not a border


def test_a_border_of_less_than_three_units_is_a_point() -> None:
    parts = [rings_of("M0 0l40 0 0 2-40 0z"), rings_of("M40 0l40 0 0 80-40 0 0-78z")]
    assert net(parts, [], FRAME, 1).touching() == set()
    parts = [rings_of("M0 0l40 0 0 3-40 0z"), rings_of("M40 0l40 0 0 80-40 0 0-77z")]
    assert net(parts, [], FRAME, 1).touching() == {(0, 1)}


def test_an_island_lies_in_its_sea() -> None:
    sea, isle = rings_of("M0 0l120 0 0 80-120 0zM50 30l20 0 0 20-20 0z"), rings_of("M50 30l20 0 0 20-20 0z")
    areas = net([sea, isle], [], FRAME, 1)
    assert areas.touching() == {(0, 1)} and all(b.b >= 0 for b in areas.borders)
    assert overlapping([sea, isle]) == ([120 * 80 - 400, 400], {})


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({}, []),
        # Each edge belongs to two regions, and their common border is on a third one.
        (
            {
                "north_lake": "M0 0l100 0 110 50-110 50-100 0z",
                "south_lake": "M100 0l100 0 0 100-100 0 110-50z",
            },
            [("RS559", "south_lake")],
        ),
        ({"isle": "M100 100l100 100 0-100-100 100z"}, [("RS559", "isle")]),
        # The region touches the frame on one side, and misses it by three units on the other.
        ({"heathmouth": "M300 200l100 0 0 97-100 3z"}, [("RS560", "heathmouth")]),
        ({"heathmouth": "M300 200l100 0 0 60-3 4-20 10-30 20-4 3-1 3-42 0z"}, []),  # a coast that ends at the frame
        ({"south_lake": "M100 0l100 0 0 100-100 0 0-5z"}, [("RS560", "north_lake")]),  # a point of one of two regions
    ],
)
@pytest.mark.sampled(1)
def test_outlines_that_cross_or_end_before_the_frame_are_warned_of(
    lake: Path, changed: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    assert warned(lake, written(squares() | changed)) == expected


def test_crossings_are_looked_for_among_a_bounded_number_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = [((0, 10 * i), (1_000, 10 * i)) for i in range(30)]
    cross = [((2_000, 0), (2_100, 100)), ((2_000, 100), (2_100, 0))]
    assert first_crossing([*beside, *cross], 1) == tuple(cross)
    monkeypatch.setattr(crossings, "MAX_PAIRS", 30 * 29 // 2)
    assert first_crossing([*beside, *cross], 1) is None
    monkeypatch.setattr(crossings, "MAX_PAIRS", 30 * 29 // 2 + 1)
    assert first_crossing([*beside, *cross], 1) == tuple(cross)


def test_overlaps_are_measured() -> None:
    sizes, pairs = overlapping([rings_of("M0 0l60 0 0 60-60 0z"), rings_of("M50 50l60 0 0 60-60 0z")])
    assert sizes == [3600, 3600] and pairs == {(0, 1): 100}


def test_outlines_that_tile_the_board_have_nothing_to_tell(lake: Path) -> None:
    assert warned(lake, written(squares())) == []
    style = read_drawing(loaded(lake))
    assert len(style.boards["region"].outlines) == len(NAMES) and style.boards["region"].form == "areas"


@pytest.mark.proof  # 0.3 s
def test_what_does_not_fit_is_told_at_its_line_once_a_region(lake: Path) -> None:
    plain = squares()
    assert warned(lake, written(plain | {"isle": "M100 100l100 0 0 101-100 0z"})) == [("RS560", "isle")]  # one per cent
    assert warned(lake, written(plain | {"isle": "M100 100l100 0 0 120-100 0z"})) == [("RS559", "stoneport")]
    assert warned(lake, written(plain | {"isle": "M100 100l100 0 0 99-100 0z"})) == [("RS560", "isle")]
    assert warned(lake, written(plain | {"isle": "M100 100l100 0 0 60-60 0z"}))[0][0] == "RS560"
    assert warned(lake, written(plain | {"isle": "M100 100l50 0 50 0 0 100-100 0z"})) == [("RS560", "south_lake")]
    assert warned(lake, written(plain | {"hills": "M200 0l110 0-10 100-100 0z"})) == [("RS559", "marsh")]
    assert warned(lake, written(plain, "[0, 0, 390, 300]"))[0] == ("RS566", "marsh")
    assert [code for code, _ in warned(lake, written({k: v for k, v in plain.items() if k != "isle"}))] == ["RS565"]


@pytest.mark.proof  # 0.3 s
def test_a_hole_in_the_board_is_told_unless_it_is_scenery(lake: Path) -> None:
    holed = squares() | {"isle": "M100 100l100 0 0 100-100 0zM140 140l20 0 0 20-20 0z"}
    assert warned(lake, written(holed)) == [("RS560", "isle")]
    scenery = "      scenery: {pond: {outline: M140 140l20 0 0 20-20 0z, colour: water}}\n"
    assert warned(lake, written(holed, more=scenery)) == []
    assert "scenery.region.1" in {item.id for item in board(loaded(lake)).static}


@pytest.mark.parametrize(
    "change, code",
    [
        ({"isle": "M0 0L1 1 1 0Z"}, "RS558"),
        ({"island": "M0 0l9 0 0 9z"}, "RS551"),
        ({"isle": "[1, 2]"}, "RS213"),
    ],
)
@pytest.mark.sampled(1)
def test_an_outline_with_a_mistake_is_an_error(change: dict[str, str], code: str, lake: Path) -> None:
    assert code in {c for c, _ in warned(lake, written(squares() | change))}


@pytest.mark.parametrize("frame", ["[0, 0, 0, 300]", "[0, 0, -5, 300]", "[0, 0, 10, 3000]"])
@pytest.mark.sampled(1)
def test_a_frame_that_no_sheet_has_is_an_error(frame: str, lake: Path) -> None:
    assert "RS558" in {code for code, _ in warned(lake, written(squares(), frame))}


def test_the_picture_is_the_outlines(lake: Path) -> None:
    (lake / "outlines.yaml").write_text(written(squares()), "utf-8")
    scene = board(loaded(lake))
    (isle,) = (item.svg for item in scene.static if item.id == "region.isle")
    xs, ys = zip(*corners_of(re.findall(r' d="(M[^z]*z)', isle)[0]), strict=True)
    assert max(xs) - min(xs) == max(ys) - min(ys) == 225  # a quarter of the board's width of 900 points
    assert overlaps(to_svg(scene)) == [] and outside(to_svg(scene)) == []


@pytest.mark.proof  # 0.2 s
def test_a_region_without_an_outline_is_a_square(lake: Path) -> None:
    outlines = {name: data for name, data in squares().items() if name != "isle"}
    (lake / "outlines.yaml").write_text(written(outlines), "utf-8")
    result = draft(str(lake))
    assert [d.code for d in result.diagnostics] == ["RS565"] and result.scene is not None
    assert "region.isle" in {item.id for item in result.scene.static}
    assert any(item.layer == "faults" and "isle" in item.svg for item in result.scene.static)


@pytest.mark.proof  # 0.3 s
def test_names_and_pieces_stand_where_their_author_says(lake: Path) -> None:
    text = written(squares()).replace("isle: {", "isle: {label: [150, 120], pieces: [150, 180], ")
    (lake / "outlines.yaml").write_text(text, "utf-8")
    ruleset = loaded(lake)
    style = read_drawing(ruleset)
    plan = Board(ruleset.declarations, style, {}, PlainWords(ruleset.declarations, "x"))
    layout = ground(plan.sheet, style.boards["region"])
    block = layout.blocks[ruleset.kinds["region"].index["isle"]]
    assert block.at[0] == pytest.approx((150 * 2.25, 120 * 2.25))
    assert ((block.tray[0] + block.tray[2]) / 2, (block.tray[1] + block.tray[3]) / 2) == (150 * 2.25, 180 * 2.25)


@pytest.mark.proof
def test_a_frame_holds_positions_where_they_are(lake: Path) -> None:
    """Without a frame, the outermost position shifts all others."""
    at = ", ".join(f"{name}: [{20 + i * 30}, {40 + i * 20}]" for i, name in enumerate(NAMES))
    text = f"drawing: {{boards: {{region: {{frame: [0, 0, 400, 300], positions: {{{at}}}}}}}}}\n"

    def positions(text: str) -> list[tuple[float, float]]:
        (lake / "drawing.yaml").write_text(text, "utf-8")
        ruleset = loaded(lake)
        style = read_drawing(ruleset)
        plan = Board(ruleset.declarations, style, {}, PlainWords(ruleset.declarations, "x"))
        return ground(plan.sheet, style.boards["region"]).positions

    before, after = positions(text), positions(text.replace("north_lake: [20, 40]", "north_lake: [1, 1]"))
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


@pytest.mark.proof  # 0.3 s
def test_what_a_replaced_map_looks_like_is_nothing_to_this_one(lake: Path) -> None:
    """Both maps may have regions of the same name."""
    base = lake.parent / "base"
    shutil.copytree(lake, base)
    (base / "game.yaml").write_text(
        (base / "game.yaml").read_text("utf-8").replace("id: tutorial", "id: base"), "utf-8"
    )
    (base / "outlines.yaml").write_text(written(squares()), "utf-8")
    (base / "drawing.yaml").unlink(missing_ok=True)
    mine = lake.parent / "mine"
    mine.mkdir()
    game = 'id: mine\ntitle: Mine\nversion: "1"\nextends: base\n'
    (mine / "game.yaml").write_text(game, "utf-8")
    assert len(read_drawing(load_ruleset(str(mine))).boards["region"].outlines) == 12
    (mine / "game.yaml").write_text(game + "replaces: [map.regions]\n", "utf-8")
    shutil.copy(lake / "map.yaml", mine / "map.yaml")
    assert read_drawing(load_ruleset(str(mine))).boards["region"].outlines == {}


def test_outlines_change_no_hash(lake: Path) -> None:
    before = load_ruleset(str(lake)).hash
    (lake / "outlines.yaml").write_text(written(squares()), "utf-8")
    assert load_ruleset(str(lake)).hash == before


def zigzag(points: int, tall: int) -> str:
    return f"M0 {tall}l" + f"1 {-tall} 1 {tall} " * (points // 2) + "z"


@pytest.mark.parametrize(
    "outlines",
    [
        pytest.param({"isle": zigzag(19_000, 900_000)}, marks=pytest.mark.proof),
        dict.fromkeys(NAMES, zigzag(1_600, 400)),
        {"isle": "M0 0l1 0 0 1z" * 64},
        dict.fromkeys(NAMES, "M0 0l999999 0 0 999999-999999 0z"),
        pytest.param({"isle": zigzag(30_000, 5)}, marks=pytest.mark.proof),  # 1.3 s
        {name: "".join(f"M{k * 7} {i * 30}l3 0 0 3-3 0z" for k in range(60)) for i, name in enumerate(NAMES)},
        {"isle": "M0 0l100 100 0-100-100 100z"},
        {"isle": zigzag(1_000_000, 5)},
        {"isle": "M-900000 -900000l9 0 0 9-9 0z"},
    ],
    ids=["spikes", "copies", "rings", "huge", "too many", "crumbs", "crossing", "a million", "outside"],
)
@pytest.mark.sampled(1)
def test_outlines_that_want_to_take_long_do_not(outlines: dict[str, str], lake: Path) -> None:
    with soon():
        warned(lake, written(squares() | outlines))
        scene = draft(str(lake)).scene
    assert scene is not None
    text = to_svg(scene)
    assert "<script" not in text and "href" not in text and len(text) < 8_000_000
