"""Maps from drawings of strangers: shapes with names become regions; what is not understood is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing import svg_shapes
from rulespec.drawing.map_import import Imported, regions_of
from rulespec.drawing.svg_shapes import read_shapes
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


def imported(tmp_path: Path, text: str) -> list[Imported]:
    file = tmp_path / "map.svg"
    file.write_text(text, "utf-8")
    return regions_of(read_shapes(file))


def test_shapes_with_names_become_regions(tmp_path: Path) -> None:
    found = {region.name: region for region in imported(tmp_path, ISLAND)}
    assert list(found) == ["north_coast", "south_c_te", "reef", "east"]
    assert found["south_c_te"].title == "South Côte"
    assert found["north_coast"].touches == ("east", "south_c_te")
    assert found["reef"].touches == ("east",) and found["east"].touches == ("north_coast", "reef")
    assert found["north_coast"].position == (357, 179)  # the centre, with the drawing 1,000 units wide


def svg(body: str, head: str = "") -> str:
    return f'{head}<svg xmlns="http://www.w3.org/2000/svg">{body}</svg>'


@pytest.mark.parametrize(
    "text, code",
    [
        (svg("", '<!DOCTYPE svg [<!ENTITY a "x">]>'), "RS561"),
        (svg('<path id="a" d="M0 0L1 1L0 1Z"/>', '<!DOCTYPE svg SYSTEM "file:///etc/passwd">'), "RS561"),
        (svg("<g>" * 100 + "</g>" * 100), "RS561"),
        ("<svg><g></svg>", "RS561"),
        ("", "RS561"),
        ("\x00\x01", "RS561"),
        (svg('<path d="M0 0L1 1L0 1Z"/>'), "RS562"),
        (svg('<image id="a" href="/etc/passwd"/>'), "RS562"),
        (svg('<path id="a" d="M0 0L1e99 1L0 1Z"/>'), "RS563"),
        (svg('<path id="a" d="M0 0L1 1 2Z"/>'), "RS563"),
        (svg('<path id="a" d="L1 1L0 1Z"/>'), "RS563"),
        (svg('<path id="a" d="12"/>'), "RS563"),
        (svg('<g transform="matrix(1 2)"><path id="a" d="M0 0L1 1L0 1Z"/></g>'), "RS563"),
        (svg('<rect id="a" width="1e999" height="1"/>'), "RS563"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(text: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as raised:
        imported(tmp_path, text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == code and diagnostic.span is not None and diagnostic.help


@pytest.mark.parametrize("name, least", [("MAX_ELEMENTS", 3), ("MAX_POINTS", 5), ("MAX_SHAPES", 2), ("MAX_BYTES", 90)])
def test_a_drawing_is_bounded(name: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svg_shapes, name, least)
    with pytest.raises(DiagnosticsError, match="RS561"):
        imported(tmp_path, ISLAND)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError, match="RS561"):
        read_shapes(tmp_path / "none.svg")


def test_a_shape_without_extent_is_a_region_all_the_same(tmp_path: Path) -> None:
    found = imported(tmp_path, svg('<path id="a" d="M5 5L5 5L5 5Z"/><path id="b" d="M5 5L5 5L5 5Z"/>'))
    assert [region.name for region in found] == ["a", "b"]


def test_regions_have_names_of_their_own(tmp_path: Path) -> None:
    shape = '<rect id="{}" width="9" height="9"/>'
    found = imported(tmp_path, svg("".join(shape.format(name) for name in ("A b", "a-b", "???"))))
    assert [region.name for region in found] == ["a_b", "a_b_2", "region"]


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
    assert "# link: [east, south_c_te]" in text and 'title: "South Côte"' in text
    done = CliRunner().invoke(cli, ["draw", str(tmp_path / "isles"), "--out", str(tmp_path / "x.svg")])
    assert done.exit_code == 0 and "South" in (tmp_path / "x.svg").read_text("utf-8")
    confirmed = text.replace("      # link", "      link")
    (tmp_path / "isles" / "map.yaml").write_text(confirmed, "utf-8")
    region = load_ruleset(str(tmp_path / "isles")).kinds["region"]
    assert region.facts["link"].values[region.index["east"]] & 1 << region.index["north_coast"]  # written at one end


def test_a_new_map_on_another_ruleset_leaves_out_what_speaks_of_its_regions(tmp_path: Path) -> None:
    new("isles", "--from", "imperial", "--map", "oak,elm", "--to", str(tmp_path))
    game = (tmp_path / "isles" / "game.yaml").read_text("utf-8")
    assert "\nreplaces:\n  - map.regions\n" in game
    done = CliRunner().invoke(cli, ["draw", str(tmp_path / "isles"), "--out", str(tmp_path / "x.svg")])
    assert done.exit_code == 1 and "`oak` has no value for `terrain`" in done.stderr
    assert "oak" in (tmp_path / "x.svg").read_text("utf-8")


@pytest.mark.parametrize("given", ["Oak", "oak,,elm", "oak,oak", "../x"])
def test_names_that_are_none_are_wrong_usage(given: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["new", "isles", "--map", given, "--to", str(tmp_path)])
    assert done.exit_code == 2 and not (tmp_path / "isles").exists()
