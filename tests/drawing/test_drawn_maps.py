"""Drawings imported as maps keep their outlines: neighbours share points, and names come from texts in shapes."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import cos, pi, sin
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from limits import soon

from rulespec.cli.main import cli
from rulespec.diagnostics.report import Report
from rulespec.drawing.areas import Areas
from rulespec.drawing.map_findings import warn
from rulespec.drawing.map_import import DrawnMap, regions_of
from rulespec.drawing.outline_checks import overlaps
from rulespec.drawing.outlines import Frame, Ring, area, net, rings_of
from rulespec.drawing.reading.element_names import quoted
from rulespec.drawing.reading.sketch import read_sketch
from rulespec.drawing.snapping import snapped
from rulespec.drawing.svg import Point

INKSCAPE = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'


def svg(body: str, box: str = "0 0 1000 1000", head: str = "") -> str:
    return f'{head}<svg xmlns="http://www.w3.org/2000/svg" {INKSCAPE} viewBox="{box}">{body}</svg>'


def drawn(tmp_path: Path, text: str) -> DrawnMap:
    (tmp_path / "map.svg").write_text(text, "utf-8")
    return regions_of(read_sketch(tmp_path / "map.svg"))


def touching(outlines: list[list[Ring]]) -> set[tuple[int, int]]:
    return areas(outlines).touching()


def areas(outlines: list[list[Ring]]) -> Areas:
    return net(outlines, [], Frame(0, 0, 1000, 1000), 1)


def size(outlines: list[Ring]) -> float:
    return overlaps([outlines])[0][0]


def square(x: float, y: float, wide: float, high: float) -> list[Point]:
    return [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]


def test_points_nearer_than_a_unit_are_one() -> None:
    result = snapped([[square(0, 0, 100, 100)], [square(100.7, 0.4, 100, 99.9)], [square(203, 0, 50, 100)]])
    assert touching(result) == {(0, 1)}


def test_edges_get_the_points_that_lie_on_them() -> None:
    result = snapped([[square(0, 0, 100, 100)], [square(100, 20, 50, 30)], [square(100, 50, 80, 90)]])
    assert touching(result) == {(0, 1), (0, 2), (1, 2)}


def test_a_curve_that_was_split_at_another_place_is_the_same_border(tmp_path: Path) -> None:
    """A semicircle drawn as one arc on one side, and as three on the other."""
    ends = [(500 + 400 * cos(t), 100 + 400 * sin(t)) for t in (pi, 2.2, 0.9, 0)]
    arcs = "".join(f"A400 400 0 0 0 {x} {y}" for x, y in ends[1:])
    bowl = f'<path id="bowl" d="M100 100{arcs}z"/>'
    rest = '<path id="rest" d="M100 100A400 400 0 0 0 900 100L1000 100 1000 900 0 900 0 100z"/>'
    regions = drawn(tmp_path, svg(bowl + rest)).regions
    outlines = [rings_of(region.outline) for region in regions]
    assert touching(outlines) == {(0, 1)} and len(outlines[0][0]) < 90
    border = [b for b in areas(outlines).borders if b.b < 0]
    assert sum(len(b.points) for b in border) < 10  # the whole curve is shared
    assert size(outlines[0]) == pytest.approx(pi * 400**2 / 2, rel=0.01)


def test_what_lies_on_a_shape_is_cut_out_of_it() -> None:
    """Two touching islands, one with a lake and one at the frame, in a sea."""
    sea, one, other = [square(0, 0, 1000, 1000)], [square(100, 100, 200, 200)], [square(300, 100, 200, 200)]
    lake, coast = [square(150, 150, 50, 50)], [square(900, 0, 100, 300)]
    result = snapped([sea, one, other, lake, coast])
    assert [size(rings) for rings in result[1:]] == [37_500, 40_000, 2_500, 30_000]
    assert overlaps(result) == ([890_000, 37_500, 40_000, 2_500, 30_000], {})
    assert touching(result) == {(0, 1), (0, 2), (0, 4), (1, 2), (1, 3)}


def test_any_tiles_that_are_shaken_a_little_are_tiles_again() -> None:
    choose = random.Random(5)
    corners = {
        (i, j): (i * 90 + choose.uniform(-25, 25), j * 90 + choose.uniform(-25, 25)) for i in range(9) for j in range(9)
    }

    def shaken(i: int, j: int) -> Point:
        x, y = corners[i, j]
        return x + choose.uniform(-0.3, 0.3), y + choose.uniform(-0.3, 0.3)

    tiles = [
        [[shaken(*at) for at in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))]] for i in range(8) for j in range(8)
    ]
    result = snapped(tiles)
    sizes, pairs = overlaps(result)
    assert len(touching(result)) == 2 * 8 * 7 and sum(pairs.values()) < 1e-3 * sum(sizes)
    before = [abs(area(rings[0])) for rings in tiles]
    assert all(abs(a - b) < 0.04 * b for a, b in zip(sizes, before, strict=True))


def test_the_frame_is_the_page(tmp_path: Path) -> None:
    shape = '<rect id="isle" x="50" y="20" width="100" height="20"/>'
    assert drawn(tmp_path, svg(shape, "0 0 500 250")).frame == (0, 0, 1000, 500)
    assert drawn(tmp_path, svg(shape, "0 0 500 250")).regions[0].outline == "M100 40l200 0 0 40-200 0z"
    assert drawn(tmp_path, svg(shape.replace('20"/>', '50"/>'), "400 0 500 250")).frame == (
        0,
        0,
        1000,
        500,
    )  # the page does not contain it


def test_a_text_in_a_shape_is_its_name(tmp_path: Path) -> None:
    body = """
      <g inkscape:groupmode="layer" inkscape:label="Map" transform="translate(10 10)">
        <g id="g12"><path id="path7" d="M0 0h300v200H0z"/>
          <text x="20" y="100" style="font-size:20px"
            ><tspan x="20" y="100">North</tspan><tspan x="20" y="120">Sea</tspan></text></g>
        <rect x="300" width="100" height="200"/><text x="350" y="50" text-anchor="middle">Elm &amp; Co</text>
        <rect id="oak_wood" x="400" width="100" height="200"/><text x="410" y="50">Oak Wood</text>
        <text x="410" y="90" font-size="9">2</text>
        <rect inkscape:label="Reef" x="500" width="100" height="200"/>
        <rect x="600" width="100" height="200"/>
      </g><text x="5" y="900">A map of my own</text>"""
    report = Report()
    (tmp_path / "map.svg").write_text(svg(body), "utf-8")
    drawn_map = regions_of(read_sketch(tmp_path / "map.svg", report))
    warn(drawn_map, report)
    assert [(r.name, r.title) for r in drawn_map.regions] == [
        ("north_sea", "North Sea"),
        ("elm_co", "Elm & Co"),
        ("oak_wood", "Oak Wood"),
        ("reef", "Reef"),
    ]
    said = [(d.code, d.message) for d in report.diagnostics]
    assert said == [
        ("RS564", "left out: shapes without a name"),
        ("RS857", "1 text is outside all shapes: `A map of my own`"),
    ]


def test_a_background_is_left_out_with_a_notice(tmp_path: Path) -> None:
    tiles = '<rect id="west" width="500" height="1000"/><rect id="east" x="500" width="500" height="1000"/>'
    paper = '<rect id="rect3" width="1000" height="1000"/>'
    result = drawn(tmp_path, svg(paper + tiles))
    assert [r.name for r in result.regions] == ["west", "east"] and [s.name for s in result.background] == ["rect3"]
    isles = '<rect id="sea" width="1000" height="1000"/><rect id="isle" x="100" y="100" width="300" height="300"/>'
    result = drawn(tmp_path, svg(isles))
    assert [r.name for r in result.regions] == ["sea", "isle"] and result.background == []
    assert result.regions[0].touches == ("isle",)
    done = new(tmp_path, svg(paper + tiles))
    assert "left out: the background `rect3`" in done


@pytest.mark.parametrize(
    "paper, text, said",
    [
        ('<rect id="rect1" width="1000" height="1000"/>', "My board", ["my_board"]),
        ('<path d="M0 0h1000v960H0z"/>', "Scale 1 : 9", ["scale_1_9"]),
        ('<g id="g7"><path d="M0 0h1000v1000H0z"/></g>', "海", ["hai"]),
        ('<rect id="ocean" width="1000" height="1000"/>', "Ocean", []),
        ('<rect id="rect1" width="1000" height="600"/>', "North", []),
        ('<rect id="rect1" width="1000" height="1000"/>', "", []),
    ],
)
def test_a_text_in_the_margin_is_said_to_make_a_region(paper: str, text: str, said: list[str], tmp_path: Path) -> None:
    tiles = '<rect id="west" width="400" height="400"/><rect id="east" x="500" width="400" height="400"/>'
    result = drawn(tmp_path, svg(f'{paper}{tiles}<text x="20" y="500">{text}</text>'))
    assert [region.name for region in result.by_text] == said
    output = new(tmp_path, (tmp_path / "map.svg").read_text("utf-8"))
    assert ("RS854" in output) == (said != []) and all(f"`{name}`" in output for name in said)
    if said:
        less = new(tmp_path, (tmp_path / "map.svg").read_text("utf-8"), "--not", text, name="less")
        assert f"`--not {quoted(text)}`" in output and "RS854" not in less and "read: 2 regions" in less


def new(tmp_path: Path, text: str, *more: str, name: str = "mine", code: int = 0) -> str:
    (tmp_path / "map.svg").write_text(text, "utf-8")
    done = CliRunner().invoke(cli, ["new", name, "--map", str(tmp_path / "map.svg"), "--to", str(tmp_path), *more])
    assert done.exit_code == code, done.output
    return done.output


COLOURED = svg(
    '<g fill="#9ECAE9"><rect id="west_sea" width="300" height="1000"/></g>'
    '<rect id="east_sea" x="700" width="300" height="1000" style="fill:#9ecae9;stroke:#000"/>'
    '<rect id="north" x="300" width="400" height="500" fill="rgb(222, 203, 164)"/>'
    '<rect id="south" x="300" y="500" width="400" height="500" fill="#dca"/>'
)


@pytest.mark.proof  # 0.9 s
def test_colours_say_what_a_region_is_and_sort_its_links(tmp_path: Path) -> None:
    more = ("--from", "imperial", "--fill", "#9ecae9=sea", "--fill", "#decba4=terrain.land")
    assert "--fill gives no meaning to #ddccaa (1 region)" in new(tmp_path, COLOURED, *more)
    text = (tmp_path / "mine" / "map.yaml").read_text("utf-8")
    regions = yaml.safe_load(text)["map"]["regions"]
    assert [regions[name].get("terrain") for name in ("west_sea", "north", "south")] == ["sea", "land", None]
    west = text[text.index("west_sea:") : text.index("east_sea:")]
    assert "# coast: [north]" in west and "# land or sea or coast: [south]" in west


@pytest.mark.parametrize(
    "fill, part",
    [
        ("#9ecae9=see", "the values of facts are terrain.sea"),
        ("#9ecae9", "does not name a colour"),
        ("=sea", "does not name a colour"),
        ("#9ecae9=terrain.italy", "not a fact"),
        ("#9ecae9=port.rome", "not a fact"),
    ],
)
@pytest.mark.sampled(3)
def test_a_colour_that_says_nothing_is_wrong_usage(fill: str, part: str, tmp_path: Path) -> None:
    assert part in " ".join(new(tmp_path, COLOURED, "--from", "imperial", "--fill", fill, code=2).split())
    assert not (tmp_path / "mine").exists()


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize(
    "fill, said",
    [
        ("#9ecaf0", "--fill gives a meaning to `#9ecaf0`, but no region has that colour"),
        ("red", "--fill gives a meaning to `#ff0000`, but no region has that colour"),
        ("rgb(1,2,3)", "--fill gives a meaning to `#010203`, but no region has that colour"),
    ],
)
def test_a_colour_that_no_region_has_is_said(fill: str, said: str, tmp_path: Path) -> None:
    more = ("--from", "imperial", "--fill", f"{fill}=sea", "--fill", "#decba4=land")
    begun, updated = new(tmp_path, COLOURED, *more), new(tmp_path, COLOURED, *more, "--update", "--yes")
    for output in (begun, updated):
        assert "warning[RS851]" in output and said in output and "#9ecae9 (2 regions)" in output
        assert output.count("RS851") == 1 and "--fill gives no meaning to" in output


@pytest.mark.proof  # 0.3 s
def test_a_colour_of_a_class_gives_a_fact(tmp_path: Path) -> None:
    classes = svg('<style>.s{fill:#9ecae9}</style><rect id="cape" class="s" width="300" height="1000"/>')
    output = new(tmp_path, classes, "--from", "imperial", "--fill", "#9ecae9=sea")
    assert "RS85" not in output and "terrain: sea" in (tmp_path / "mine" / "map.yaml").read_text("utf-8")


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("other", ["#9ecae9=land", "#9ECAE9=terrain.land", "rgb(158,202,233)=land"])
def test_one_colour_has_one_meaning(other: str, tmp_path: Path) -> None:
    more = ("--from", "imperial", "--fill", "#9ecae9=sea", "--fill", other)
    output = " ".join(new(tmp_path, COLOURED, *more, code=2).split())
    assert "terrain.sea and terrain.land" in output and not (tmp_path / "mine").exists()
    assert "written" in new(tmp_path, COLOURED, *more[:4], "--fill", "#9ECAE9=terrain.sea")


@pytest.mark.proof  # 0.4 s
def test_one_colour_may_say_several_facts(tmp_path: Path) -> None:
    more = ("--from", "imperial", "--fill", "#9ecae9=province", "--fill", "#9ecae9=home.italy")
    output = new(tmp_path, COLOURED, *more)
    assert "not valid yet, as the rules expect more of the map: " in output and "RS242 " in output
    text = (tmp_path / "mine" / "map.yaml").read_text("utf-8")
    assert text.count("      terrain: province\n      home: italy\n") == 2
    assert "the map already matches the drawing" in new(tmp_path, COLOURED, "--update")


def test_a_document_type_is_read_and_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("<rect id='secret' width='9' height='9'/>", "utf-8")
    head = f"""<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "file://{tmp_path}/secret.txt" [
      <!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">]>"""
    body = '<rect id="oak" xmlns:x="&ns_ai;" width="9" height="9"/>'
    assert [r.name for r in drawn(tmp_path, svg(body, head=head)).regions] == ["oak"]


def test_links_come_from_edges_where_most_share_them_else_from_nearness(tmp_path: Path) -> None:
    def row(step: int) -> str:
        return "".join(f'<rect id="r{i}" x="{i * step}" width="100" height="500"/>' for i in range(5))

    near = '<rect id="isle" x="508" y="100" width="50" height="50"/>'  # beside r4, across a strait
    assert {r.name: r.touches for r in drawn(tmp_path, svg(row(100) + near)).regions}["r4"] == ("r3",)
    assert {r.name: r.touches for r in drawn(tmp_path, svg(row(106))).regions}["r3"] == ("r2", "r4")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    new(tmp_path, COLOURED)
    (kind,) = yaml.safe_load((tmp_path / "mine" / "outlines.yaml").read_text("utf-8"))["drawing"]["boards"].values()
    assert kind["frame"] == [0, 0, 1000, 1000] and kind["outlines"]["north"]["outline"] == "M300 0l400 0 0 500-400 0z"
    done = CliRunner().invoke(cli, ["draw", str(tmp_path / "mine"), "--out", str(tmp_path / "x.svg")])
    assert "RS5" not in done.output and "region.north" not in done.output
    assert done.exit_code == 0


def star(points: int, seed: int) -> str:
    choose = random.Random(seed)
    return " ".join(f"{choose.uniform(0, 1000):.1f},{choose.uniform(0, 1000):.1f}" for _ in range(points))


LONG: dict[str, Callable[[], str]] = {
    "star": lambda: f'<polygon id="a" points="{star(90_000, 1)}"/>',
    "stars": lambda: "".join(f'<polygon id="a{i}" points="{star(220, i)}"/>' for i in range(400)),
    "boxes": lambda: "".join(
        f'<rect id="r{i}" x="{i}" y="{i}" width="{900 - 2 * i}" height="{900 - 2 * i}"/>' for i in range(400)
    ),
    "texts": lambda: '<rect id="a" width="999" height="999"/>' + "<text x='5' y='9'>a</text>" * 20_000,
    "lines": lambda: f'<rect id="a" width="9" height="9"/><text>{"<tspan>x</tspan>" * 20_000}</text>',
    "comb": lambda: f'<polygon id="a" points="{" ".join(f"{i / 90},{i % 2 * 1000}" for i in range(90_000))}"/>',
    "rings": lambda: "".join(f'<circle id="c{i}" cx="500" cy="500" r="{i + 1}"/>' for i in range(400)),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_drawings_that_want_to_take_long_do_not(name: str, tmp_path: Path) -> None:
    text = svg(LONG[name]())
    with soon():
        result = drawn(tmp_path, text)
    assert sum(len(region.outline) for region in result.regions) < 1_000_000
