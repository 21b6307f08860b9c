"""The part of a drawing that is its map: layers chosen or left out, ornaments, proposals; and a report of all that."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner
from six_regions import IDS, SIX, all_, corner, drawing, facts, path, read

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.map_import import regions_of
from rulespec.drawing.outlines import rings_of
from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.sketch import read_sketch

SHAPES = all_(lambda n, name, fill, d: f'<path id="{name}" fill="{fill}" d="{d}"/>')
TOWNS = all_(lambda n, *_: f'<circle id="town_{IDS[n]}" cx="{corner(n)[0] + 30}" cy="{corner(n)[1] + 30}" r="4"/>')
LAYERED = f'<g id="provinces" %s>{SHAPES}</g><g id="Supply centres">{TOWNS}</g>'
HIDING = ("", 'style="display:none"', 'visibility="hidden"', 'opacity="0"')


@pytest.mark.parametrize("hiding", HIDING)
@pytest.mark.parametrize("name", ["provinces", "PROVINCES"])
def test_a_layer_is_read_alone_even_if_it_is_hidden(hiding: str, name: str, tmp_path: Path) -> None:
    result, _ = read(tmp_path, drawing(LAYERED % hiding), Part(layers=(name,)))
    assert facts(result) == SIX


@pytest.mark.parametrize("name", ["Supply centres", "supply_centres"])
def test_a_group_is_left_out_by_its_name(name: str, tmp_path: Path) -> None:
    result, _ = read(tmp_path, drawing(LAYERED % ""), Part(without=(name,)))
    assert facts(result) == SIX


def test_single_shapes_are_left_out_by_their_names(tmp_path: Path) -> None:
    result, _ = read(tmp_path, drawing(SHAPES), Part(without=("Borg", "cape ann")))
    assert facts(result)[0] == [name for name in IDS if name not in ("borg", "cape_ann")]


@pytest.mark.parametrize("part", [Part(layers=("sea",)), Part(without=("sea",))])
def test_a_name_that_the_drawing_lacks_is_refused_with_those_it_has(part: Part, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as raised:
        read(tmp_path, drawing(LAYERED % ""), part)
    (said,) = raised.value.diagnostics
    assert said.code == "RS904" and "`sea`" in said.message and "`provinces`, `Supply centres`" in said.help


@pytest.mark.parametrize("hiding", HIDING)
def test_a_layer_that_tiles_the_drawing_is_proposed(hiding: str, tmp_path: Path) -> None:
    result, report = read(tmp_path, drawing(LAYERED % hiding))
    assert len(result.regions) == (6 if hiding else 12)
    (said,) = [each for each in report.diagnostics if each.code == "RS859"]
    assert "cover 100 % of the drawing" in said.message and said.help.endswith("--layer provinces")
    assert any(each.code == "RS856" and "with 6 shapes" in each.message for each in report.diagnostics) == bool(hiding)


@pytest.mark.parametrize("name", ["Legend", "title", "Compass rose", "FRAME", "scale-bar", "Ornaments", "wind_rose"])
def test_what_is_called_an_ornament_is_no_region(name: str, tmp_path: Path) -> None:
    box = '<path id="box" fill="red" d="M5 5h20v20h-20z"/><text x="15" y="15">Sea</text>'
    result, report = read(tmp_path, drawing(f'{SHAPES}<g id="{name}">{box}</g>'))
    assert facts(result) == SIX
    assert any(each.code == "RS856" and f"`{name}`" in each.message for each in report.diagnostics)


def test_rivers_are_no_regions_and_lines_alone_are_refused_in_a_sentence(tmp_path: Path) -> None:
    river = '<path id="river" style="fill:none;stroke:blue" d="M5 5C90 90 120 20 290 190"/>'
    result, report = read(tmp_path, drawing(SHAPES + river))
    assert facts(result) == SIX and any("such as rivers" in each.message for each in report.diagnostics)
    lines = "".join(f'<path fill="none" stroke="black" d="M{9 * i} 0L{9 * i} 200"/>' for i in range(13))
    with pytest.raises(DiagnosticsError) as raised:
        read(tmp_path, drawing(lines))
    (said,) = raised.value.diagnostics
    assert said.code == "RS562" and "13 lines, but no region outline" in said.message
    assert "draw the outline of each region as one closed shape" in said.help


def test_a_layer_that_is_drawn_twice_is_read_once(tmp_path: Path) -> None:
    result, report = read(tmp_path, drawing(f"<g>{SHAPES}</g><g>{SHAPES}</g>"))
    assert facts(result) == SIX
    (said,) = [each for each in report.diagnostics if each.code == "RS564"]
    assert "the same shape as the one in line 1, and 5 more duplicates" in said.message


@pytest.mark.proof  # 3 s
def test_outlines_of_many_points_are_simplified_and_all_are_there(tmp_path: Path) -> None:
    """Sixteen squares whose ragged sides have 32,000 points in all, more than the outlines of a map may have."""
    size = 250

    def side(x: float, y: float, dx: float, dy: float) -> str:
        seed = random.Random(f"{min(x, x + dx)} {min(y, y + dy)} {abs(dx)}")
        steps = [(i / 500, seed.uniform(-0.4, 0.4)) for i in range(1, 500)]
        if dx + dy < 0:
            steps = [(1 - along, off) for along, off in reversed(steps)]
        return " ".join(
            f"{x + dx * along + (off if dy else 0):.2f},{y + dy * along + (off if dx else 0):.2f}"
            for along, off in [(0.0, 0.0), *steps]
        )

    lines = []
    for n in range(16):
        x, y = n % 4 * size, n // 4 * size
        sides = ((x, y, size, 0), (x + size, y, 0, size), (x + size, y + size, -size, 0), (x, y + size, 0, -size))
        lines.append(f'<polygon id="r{n}" points="{" ".join(side(*each) for each in sides)}"/>')
    (tmp_path / "x.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(lines)}</svg>', "utf-8")
    result = regions_of(read_sketch(tmp_path / "x.svg"))
    points = sum(len(ring) for region in result.regions for ring in rings_of(region.outline))
    assert len(result.regions) == 16 and all(region.outline for region in result.regions) and points <= 20_000
    assert sum(len(region.touches) for region in result.regions) == 48, "24 borders"


MESSY = (
    f'<g id="land"><path id="path113" d="{path(0)}"/><path id="vale" fill="#d0c090" d="{path(4)}"/>'
    f'<path id="lake" d="{path(2)}"/><path id="steppe" d="{path(1)}"/>'
    '<path id="Ostmark" fill="red" d="M0 101h100v99h-100z"/>'
    '<g style="display:none"><path id="old" d="M0 0h9v9z"/></g><path id="cape" d="M200 101h100v99h-100z"/></g>\n'
    '<g id="Old borders" style="display:none"><path id="a" d="M0 0h9v9z"/></g>\n'
    '<text x="350" y="-50" font-size="9">A note</text>\n'
    '<text x="250" y="50" font-size="9">Riva</text><text x="250" y="150" font-size="9">Torre</text>\n'
    '<path id="coast" d="M110 110h120v60h-120z"/><path id="broken" d="M120 20h10v10h-10z 5 oops"/>'
)


def test_regions_of_which_no_two_touch_are_reported(tmp_path: Path) -> None:
    circles = "".join(f'<circle id="c{n}" cx="{90 * n}" cy="50" r="30"/>' for n in (1, 2, 3))
    (tmp_path / "map.svg").write_text(drawing(f"{circles}<path d='M60 50H300' stroke='red' fill='none'/>"), "utf-8")
    done = CliRunner().invoke(cli, ["new", "mine", "--to", str(tmp_path), "--map", str(tmp_path / "map.svg")])
    assert done.exit_code == 0 and "warning[RS858]: no link is proposed, because no two regions touch" in done.output


@pytest.mark.parametrize("code", ["RS855", "RS856", "RS857", "RS858", "RS476", "RS906", "RS474"])
def test_each_doubt_has_its_place_and_a_way_out(code: str, tmp_path: Path) -> None:
    (tmp_path / "map.svg").write_text(drawing(MESSY), "utf-8")
    args = ["new", "mine", "--to", str(tmp_path), "--map", str(tmp_path / "map.svg")]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0 and f"warning[{code}]" in done.output, done.output
    report = json.loads((tmp_path / "mine" / "reading.json").read_text("utf-8"))
    assert report["regions"] == sum(report["named"].values()) and report["touching"] >= 3
    said = [each for each in report["findings"] if each["code"] == code]
    assert said and all(each["line"] >= 1 and each["message"] in done.output and each["help"] for each in said)
