"""Maps from untrusted drawings: named shapes become regions; unsupported content is refused."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from click.testing import CliRunner
from limits import soon

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.drawing.map_findings import warn
from rulespec.drawing.map_import import ImportedRegion, regions_of
from rulespec.drawing.reading import geometry, shapes, sketch, svg_tree
from rulespec.drawing.reading.sketch import read_sketch
from rulespec.load import load_ruleset

ISLAND = """\
<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape">
  <defs><rect id="shadow" width="9" height="9"/></defs>
  <g transform="translate(10 10)">
    <path id="north_coast" d="M0 0h100v50H0z"/>
    <path id="x12" inkscape:label="South Côte" d="M0,50 L100,50 C100,80 60,100 50,100 S0,80 0,50 Z"/>
    <g transform="scale(2)"><rect id="reef" x="60" y="0" width="10" height="10"/></g>
    <polygon id="east" points="100,0 120,0 120,50 100,50"/>
    <rect width="5" height="5"/>
  </g>
</svg>
"""


def imported(tmp_path: Path, text: str) -> list[ImportedRegion]:
    file = tmp_path / "map.svg"
    file.write_text(text, "utf-8")
    return regions_of(read_sketch(file)).regions


def test_shapes_with_names_become_regions(tmp_path: Path) -> None:
    results = {region.name: region for region in imported(tmp_path, ISLAND)}
    assert list(results) == ["north_coast", "south_cote", "reef", "east"]
    assert results["south_cote"].title == "South Côte"
    assert results["north_coast"].touches == ("east", "south_cote")
    assert results["reef"].touches == ("east",) and results["east"].touches == ("north_coast", "reef")
    assert results["north_coast"].position == (357, 179)  # the centre, with the drawing 1,000 units wide


def svg(body: str, head: str = "") -> str:
    return f'{head}<svg xmlns="http://www.w3.org/2000/svg">{body}</svg>'


@pytest.mark.parametrize(
    "text, code",
    [
        (svg("", '<!DOCTYPE svg [<!ENTITY a "&b;">]>'), "RS561"),
        (svg("", '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>'), "RS561"),
        (svg("", '<!DOCTYPE svg [<!ENTITY % a "%b;"> %a;]>'), "RS561"),
        (svg("", '<!DOCTYPE svg [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>'), "RS561"),
        (svg("", f'<!DOCTYPE svg [<!ENTITY % a "{"x" * 20_001}">]>'), "RS561"),
        (svg("%a;" * 2_000, f'<!DOCTYPE svg [<!ENTITY % a "{" " * 9_000}"> %a;]>'), "RS561"),
        (svg("", f'<!DOCTYPE svg [<!ENTITY a "{"x" * 201}">]>'), "RS561"),
        (svg("", "<!DOCTYPE svg [" + "".join(f'<!ENTITY a{i} "x">' for i in range(101)) + "]>"), "RS561"),
        (svg("<desc>" + "&a;" * 50_000 + "</desc>", '<!DOCTYPE svg [<!ENTITY a "x">]>'), "RS561"),
        (svg("<g>" * 100 + "</g>" * 100), "RS561"),
        ("<svg><g></svg>", "RS561"),
        ("", "RS561"),
        ("\x00\x01", "RS561"),
        (svg('<path d="M0 0L1 1L0 1Z"/>'), "RS562"),
        (svg('<image id="a" href="/etc/passwd"/>'), "RS562"),
        (svg('<path id="a" d="M0 0L1e99 1L0 1Z"/>'), "RS563"),
        (svg('<path id="a" d="M0 0L1 1 2Z"/>'), "RS562"),
        (svg('<path id="a" d="L1 1L0 1Z"/>'), "RS562"),
        (svg('<path id="a" d="12"/>'), "RS562"),
        (svg('<rect id="a" width="1e999" height="1"/>'), "RS563"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(text: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as raised:
        imported(tmp_path, text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == code and diagnostic.span is not None and diagnostic.help


@pytest.mark.parametrize(
    "shape, right, what",
    [
        ('<path id="a" d="M0 0h9v9h-9zM20 0h9L29 9 20z"/>', 29, "character 28, `z`"),
        ('<path id="a" d="M0 0 9 0 9 9 0 9 50z"/>', 9, "character 20, `z`"),
        ('<path id="a" d="M0 0L9 0L9 9L0 9L3 4 xx 50 5z"/>', 9, "character 22, `xx 50 5z`"),
        ('<path id="a" d="M0 0h9v9h-9B50 4 5 5z"/>', 9, "character 12, `B50 4 5 5z`"),
        ('<path id="a" d="M0 0h9v9h-9A3 3 0 2 1 50 5z"/>', 9, "character 13, `3 3 0 2 1 50 5z`"),
        ('<path id="a" d="M0 0h9v9h-9z 50 5"/>', 9, "character 14, `50 5`"),
        ('<path id="a" d="M0 0h9v9h-9L50"/>', 9, "at the end"),
        ('<path id="a" d="M0 0h9v9h-9L50 5.z"/>', 9, "character 16, `5.z`"),
        ('<polygon id="a" points="0 0 9 0 9 9 0 9 50"/>', 9, "at the end"),
        ('<polygon id="a" points="0,0 9,0 9,9 0,9 50px,4"/>', 9, "character 19, `px,4`"),
        ('<g transform="matrix(1 2)"><path id="a" d="M0 0h9v9h-9z"/></g>', 9, "the transformation `matrix(1 2)`"),
        ('<g transform="scale(2) turn(3)"><path id="a" d="M0 0h9v9h-9z"/></g>', 9, "`scale(2) turn(3)`"),
        ('<g transform="translate(9px)"><path id="a" d="M0 0h9v9h-9z"/></g>', 9, "`translate(9px)`"),
        ('<g style="transform: translate(9)"><path id="a" d="M0 0h9v9h-9z"/></g>', 9, "`translate(9)`"),
        ('<g style="rotate: x 40deg"><path id="a" d="M0 0h9v9h-9z"/></g>', 9, "`rotate(x, 40deg)`"),
        ('<rect id="a" x="5vw" width="9" height="9"/>', 9, "the length `5vw`"),
        ('<rect id="a" x="calc(5px + 1%)" width="9" height="9"/>', 9, "the length `calc(5px + 1%)`"),
    ],
)
def test_an_error_in_a_shape_is_said_and_the_rest_is_read(shape: str, right: float, what: str, tmp_path: Path) -> None:
    (tmp_path / "x.svg").write_text(svg(f'<rect x="60" id="b" width="5" height="5"/>\n{shape}'), "utf-8")
    drawn = regions_of(read_sketch(tmp_path / "x.svg"))
    corners = {p for shape in read_sketch(tmp_path / "x.svg").shapes[1:] for line in shape.outlines for p in line}
    assert max(x for x, _ in corners) == right and [region.name for region in drawn.regions] == ["b", "a"]
    report = Report()
    warn(drawn, report)
    (said,) = report.diagnostics
    assert said.code == "RS476" and what in said.message and said.span is not None and said.span.line == 2


@pytest.mark.parametrize(
    "data", ["M0 0h9v9h-9z ,", "M0,0h9v9h-9,z", "M0 0 9 0 9 9 0 9,", "M0 0 9 0 9 9.0.0 9", "none", ""]
)
def test_data_without_an_error_is_not_reported(data: str, tmp_path: Path) -> None:
    (tmp_path / "x.svg").write_text(svg(f'<rect id="b" width="5" height="5"/><path id="a" d="{data}"/>'), "utf-8")
    assert read_sketch(tmp_path / "x.svg").notes.faults == []


@pytest.mark.parametrize(
    "module, name, least",
    [
        (svg_tree, "MAX_ELEMENTS", 3),
        (svg_tree, "MAX_DEPTH", 2),
        (svg_tree, "MAX_BYTES", 90),
        (shapes, "MAX_ELEMENTS", 3),
        (shapes, "MAX_DEPTH", 1),
        (geometry, "MAX_POINTS", 5),
        (sketch, "MAX_SHAPES", 2),
    ],
)
def test_a_drawing_is_bounded(
    module: object, name: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, least)
    with pytest.raises(DiagnosticsError, match="RS561"):
        imported(tmp_path, ISLAND)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError, match="RS561"):
        read_sketch(tmp_path / "none.svg")


def test_a_shape_without_extent_is_a_region_all_the_same(tmp_path: Path) -> None:
    result = imported(tmp_path, svg('<path id="a" d="M5 5L5 5L5 5Z"/><path id="b" d="M5 5L5 5L5 5Z"/>'))
    assert [region.name for region in result] == ["a", "b"]


def test_regions_have_names_of_their_own(tmp_path: Path) -> None:
    shape = '<rect id="{}" x="{}" width="9" height="9"/>'
    names = ("A b", "a-b", "???")
    result = imported(tmp_path, svg("".join(shape.format(name, 9 * i) for i, name in enumerate(names))))
    assert [region.name for region in result] == ["a_b", "a_b_2", "region"]


def test_names_are_written_without_accents_and_are_no_words_of_the_language(tmp_path: Path) -> None:
    shape = '<rect id="{}" x="{}" width="9" height="9"/>'
    labels = ("Río Ødegård", "Straße", "if", "If", "路")
    result = imported(tmp_path, svg("".join(shape.format(name, 9 * i) for i, name in enumerate(labels))))
    assert [region.name for region in result] == ["rio_odegard", "strasse", "if_", "if__2", "lu"]


INKSCAPE = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'


def test_a_group_with_a_name_is_one_region_if_its_shapes_have_none(tmp_path: Path) -> None:
    def parts(one: str = "", other: str = "") -> str:
        return f'<path {one} d="M0 0h30v20h-30z"/><path {other} d="M45 0h20v20h-20z"/>'

    path1, path2, east = "id='path1'", "id='path2-3'", "id='east'"
    plain = f'<g id="isles">{parts()}</g>'
    labelled = f'<g {INKSCAPE} inkscape:label="Keys">{parts(path1, path2)}</g>'
    named = f'<g id="coast">{parts(east)}</g>'
    layer = f'<g {INKSCAPE} id="layer1" inkscape:label="Sea" inkscape:groupmode="layer">{parts()}</g>'
    result = imported(tmp_path, svg(plain + labelled + named + layer))
    assert [region.name for region in result] == ["isles", "keys", "east"]


def test_a_drawing_in_the_drawing_lies_where_it_says(tmp_path: Path) -> None:
    inset = '<rect id="inset" width="10" height="10"/>'
    inner = f'<svg x="100" y="0" width="60" height="60" viewBox="0 0 10 10">{inset}</svg>'
    result = imported(tmp_path, svg('<rect id="land" width="100" height="60"/>' + inner))
    assert [(region.name, region.position) for region in result] == [("land", (312, 188)), ("inset", (812, 188))]
    assert result[0].touches == ("inset",)


def test_arcs_are_round(tmp_path: Path) -> None:
    circle = '<path id="{}" d="M10,0A10,10 0 1 1 -10 0{}Z"/>'
    text = svg(circle.format("a", "A10 10 0 11 10 0") + circle.format("b", "a10 10 0 0120 0"))
    (tmp_path / "map.svg").write_text(text, "utf-8")
    for shape in read_sketch(tmp_path / "map.svg").shapes:
        (outline,) = (line for line in shape.outlines if len(line) > 2)
        assert len(outline) > 20 and all(abs(x * x + y * y - 100) < 0.01 for x, y in outline), shape.name


def test_what_is_hidden_is_no_region(tmp_path: Path) -> None:
    shape = '<rect id="{}" width="9" height="9" {}/>'
    hidden = ('style="fill:red;display:none"', 'display="none"', 'visibility="hidden"')
    body = "".join(shape.format(f"x{i}", how) for i, how in enumerate(hidden)) + shape.format(
        "seen", 'style="fill:red"'
    )
    assert [region.name for region in imported(tmp_path, svg(body))] == ["seen"]


def test_what_is_left_out_is_told_with_its_line(tmp_path: Path) -> None:
    lines = (
        '<rect id="a" width="9" height="9"/>',
        '<path id="river" style="fill:none;stroke:blue" d="M0 0L9 9 4 20"/>',
        '<path id="way" d="M0 0L9 9"/>',
        '<rect width="5" height="5" x="20"/>',
        '<rect width="5" height="5" x="30"/>',
        '<rect id="ring" fill="none" stroke="red" width="5" height="5" x="40"/>',
        '<rect id="clear" fill="none" width="5" height="5" x="50"/>',
        '<use href="#none" id="b"/>',
    )
    (tmp_path / "map.svg").write_text(svg("\n".join(lines)), "utf-8")
    report = Report()
    drawn = regions_of(read_sketch(tmp_path / "map.svg", report))
    warn(drawn, report)
    assert [region.name for region in drawn.regions] == ["a"]
    left = {d.span.line if d.span else 0: d.message for d in report.diagnostics if d.code == "RS564"}
    assert sorted(left) == [2, 3, 4, 6, 7, 8] and "the first of 2" in left[4]


@pytest.mark.parametrize(
    "text",
    [
        svg('<g transform="' + "scale(1e6)" * 60 + '"><path id="a" d="M0 0L1 1L0 1Z"/></g>'),
        svg('<g transform="scale(1e6)">' * 60 + '<path id="a" d="M0 0L1 1L0 1Z"/>' + "</g>" * 60),
        svg('<path id="a" d="M0 0L1 ' + "1" * 1_000_000 + 'L0 1Z"/>'),
    ],
    ids=["in one", "in many", "digits"],
)
def test_a_shape_beyond_all_bounds_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError, match="RS563"):
        imported(tmp_path, text)


COPIES = "<use href='#a'/>" * 10


@pytest.mark.proof  # 0.8 s
@pytest.mark.parametrize(
    "text",
    [
        "".join(f'<rect id="r{i}" width="100" height="100"/>' for i in range(400)),
        "".join(f'<polygon id="r{i}" points="{"0,0 97,3 5,88 60,1 2,70 " * 90}"/>' for i in range(400)),
        f'<path id="{"x" * 3_000_000}" d="M0 0L1 1L0 1Z"/>',
        f'<path id="a" d="M0 0A{"1" * 2_000_000}"/>',
        f'<path id="a" d="M0 0L1 1L0 1{"Z" * 150_000}"/>',
        '<path id="a" d="M0 0L1 1L0 1Z"/>' + "".join(f'<g id="a{i}">{COPIES}</g>' for i in range(60)),
    ],
    ids=["copies", "tangles", "long name", "long arc", "many ends", "copies of copies"],
)
def test_drawings_that_want_to_take_long_do_not(text: str, tmp_path: Path) -> None:
    with soon(), contextlib.suppress(DiagnosticsError):  # once took a minute and a half
        assert len(imported(tmp_path, svg(text))) <= 400


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("M0 0" + "a9 9 0 1 1 5 5 9 9 0 1 1-5-5" * 20_000, marks=pytest.mark.proof),
        pytest.param("M0 0" + "q1 1 2 0" * 70_000, marks=pytest.mark.proof),
        pytest.param("M0 0L1 1L0 1" + "Z" * 300_000, marks=pytest.mark.proof),
        "M0 0l" + "1 " * 500_000,
    ],
    ids=["arcs", "curves", "ends", "numbers"],
)
@pytest.mark.sampled(1)
def test_points_that_a_path_becomes_are_bounded(data: str, tmp_path: Path) -> None:
    """Points of flattened curves count too: eight megabytes of arcs once took half a gigabyte."""
    with soon(), pytest.raises(DiagnosticsError, match="RS561"):
        imported(tmp_path, svg(f'<path id="a" d="{data}"/>'))


def test_scripts_and_links_of_a_drawing_are_texts_at_most(tmp_path: Path) -> None:
    body = (
        '<script>alert(1)</script><image id="i" href="http://evil.example/x.png"/>'
        '<path id="&lt;script&gt;" onclick="alert(1)" d="M0 0L9 0L0 9Z"/>'
        '<path id="b&quot;: {x: 1}&#10;  evil: yes" d="M20 0L29 0L20 9Z"/>'
    )
    (tmp_path / "x.svg").write_text(svg(body), "utf-8")
    new("isles", "--map", str(tmp_path / "x.svg"), "--to", str(tmp_path))
    result = (tmp_path / "isles" / "map.yaml").read_text("utf-8")
    assert "evil.example" not in result and "alert" not in result and "\n  evil" not in result
    done = CliRunner().invoke(cli, ["draw", str(tmp_path / "isles"), "--out", str(tmp_path / "y.svg")])
    picture = (tmp_path / "y.svg").read_text("utf-8")
    assert done.exit_code == 0 and "&lt;script&gt;" in picture and "<script" not in picture


def new(*args: str) -> str:
    done = CliRunner().invoke(cli, ["new", *args])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_new_game_with_a_map_is_sound(tmp_path: Path) -> None:
    new("isles", "--map", "oak,elm,ash", "--to", str(tmp_path))
    kind = load_ruleset(str(tmp_path / "isles")).kinds["region"]
    assert [e.name for e in kind.entities] == ["oak", "elm", "ash"] and "link" in kind.facts


def test_a_new_map_from_a_drawing_has_positions_and_proposals(tmp_path: Path) -> None:
    (tmp_path / "island.svg").write_text(ISLAND, "utf-8")
    new("isles", "--map", str(tmp_path / "island.svg"), "--to", str(tmp_path))
    text = (tmp_path / "isles" / "map.yaml").read_text("utf-8")
    assert "# link: [east, south_cote]" in text and 'title: "South Côte"' in text
    done = CliRunner().invoke(cli, ["draw", str(tmp_path / "isles"), "--out", str(tmp_path / "x.svg")])
    assert done.exit_code == 0 and "South" in (tmp_path / "x.svg").read_text("utf-8")
    confirmed = text.replace("      # link", "      link")
    (tmp_path / "isles" / "map.yaml").write_text(confirmed, "utf-8")
    region = load_ruleset(str(tmp_path / "isles")).kinds["region"]
    assert region.facts["link"].values[region.index["east"]] & 1 << region.index["north_coast"]  # written at one end


@pytest.mark.proof  # 0.6 s
def test_a_new_map_on_another_ruleset_leaves_out_what_speaks_of_its_regions(tmp_path: Path) -> None:
    new("isles", "--from", "imperial", "--map", "oak,elm", "--to", str(tmp_path))
    game = (tmp_path / "isles" / "game.yaml").read_text("utf-8")
    assert "\nreplaces:\n  - map.regions\n" in game
    done = CliRunner().invoke(cli, ["draw", str(tmp_path / "isles"), "--out", str(tmp_path / "x.svg")])
    assert done.exit_code == 1 and "`oak` has no value for `terrain`" in done.stderr
    assert "oak" in (tmp_path / "x.svg").read_text("utf-8")


@pytest.mark.parametrize("names", ["Oak", "oak,,elm", "oak,oak", "../x", "oak,if"])
def test_names_that_are_none_are_wrong_usage(names: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["new", "isles", "--map", names, "--to", str(tmp_path)])
    assert done.exit_code == 2 and not (tmp_path / "isles").exists()
