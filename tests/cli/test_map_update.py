"""`new --map x.svg --update`: a changed drawing updates the map, and no line of its author is lost."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from pictures import SVG, corners_of

from rulespec.cli.main import cli

WIDE, HIGH = 5, 4
INKSCAPE = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
NAMES = [f"r{i}" for i in range(WIDE * HIGH)]


def drawing(
    names: list[str], fills: dict[str, str], nodes: dict[tuple[int, int], tuple[float, float]], more: str = ""
) -> str:
    """Twenty regions in Inkscape's style: a layer with a transformation, groups, labels and texts, a background."""

    def at(i: int, j: int) -> str:
        x, y = nodes.get((i, j), (i * 100, j * 100))
        return f"{x},{y}"

    parts = []
    for n, name in enumerate(names):
        i, j = n % WIDE, n // WIDE
        path = f"M {at(i, j)} {at(i + 1, j)} {at(i + 1, j + 1)} {at(i, j + 1)} Z"
        style = f"fill:{fills.get(name, '#d0c090')};stroke:#000000;stroke-width:1"
        if n % 3 == 0:  # named by a text
            label = f'<text x="{i * 100 + 20}" y="{j * 100 + 50}" font-size="12"><tspan>{name.upper()}</tspan></text>'
            parts.append(f'<g id="g{n}"><path id="path{n}" d="{path}" style="{style}"/>{label}</g>')
        elif n % 3 == 1:
            parts.append(f'<path id="path{n}" inkscape:label="{name}" d="{path}" style="{style}"/>')
        else:
            parts.append(f'<path id="{name}" d="{path}" style="{style}"/>')
    return (
        f'<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg" {INKSCAPE} viewBox="0 0 250 200">'
        '<g inkscape:groupmode="layer" inkscape:label="Paper" id="layer1">'
        '<rect id="rect9" width="250" height="200"/></g>'
        '<g inkscape:groupmode="layer" inkscape:label="Map" id="layer2" transform="scale(0.5)">'
        f"{''.join(parts)}{more}</g></svg>"
    )


def new(folder: Path, text: str, *more: str, code: int = 0) -> str:
    (folder / "map.svg").write_text(text, "utf-8")
    fill = ("--from", "imperial", "--fill", "#9ecae9=sea", "--fill", "#d0c090=land")
    args = ["new", "mine", "--map", str(folder / "map.svg"), "--to", str(folder), *fill, *more]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == code, done.output
    return done.output


def files(folder: Path) -> dict[str, str]:
    return {name: (folder / "mine" / name).read_text("utf-8") for name in ("map.yaml", "outlines.yaml")}


def by_hand(folder: Path) -> None:
    """The author's changes: comments, links, facts, a title, a label; one region on one line."""
    path = folder / "mine" / "map.yaml"
    lines = path.read_text("utf-8").split("\n")
    results = []
    for line in lines:
        if line.startswith("      # land: "):
            results += [line.replace("# ", ""), "      # by the old road"]
        elif line.startswith("    r7:"):
            results += ["    # the middle of it all", line + "  # mine", '      doc: "a hill"']
        else:
            results.append(line)
    path.write_text("\n".join(results), "utf-8")
    path = folder / "mine" / "outlines.yaml"
    text = path.read_text("utf-8").replace("r8: {", "r8: {label: [700, 300], ")
    path.write_text(text.replace("      outlines:", "      # drawn in one evening\n      outlines:"), "utf-8")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    new(tmp_path, drawing(NAMES, {"r0": "#9ecae9", "r1": "#9ecae9"}, {}))
    by_hand(tmp_path)
    return tmp_path


def test_a_drawing_as_it_was_changes_nothing(mine: Path) -> None:
    before = files(mine)
    assert "the map already matches the drawing" in new(mine, (mine / "map.svg").read_text("utf-8"), "--update")
    assert files(mine) == before


@pytest.mark.proof
def test_twenty_changes_lose_no_line(mine: Path) -> None:
    """Seven corners moved, six regions recoloured, three renamed, one split, two removed, one new."""
    before = files(mine)
    nodes = {
        (i, j): (i * 100 + 9.0, j * 100 - 7.0) for i, j in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 3), (4, 2))
    }
    fills = {"r0": "#d0c090", **dict.fromkeys(("r1", "r5", "r10", "r15", "r16"), "#9ecae9")}
    names = [{"r2": "cape", "r4": "fen", "r13": "Moor"}.get(name, name) for name in NAMES][:18]
    half = '<path id="r17_east" d="M 250 300 H 300 V 400 H 250 Z" style="fill:#d0c090"/>'  # overlaps r17
    text = drawing(names, fills, nodes, half)
    output = new(mine, text, "--update", "--yes")
    message = "matched by its outline: r4, labelled `fen` in the drawing (its title stays)"
    for part in (message, "new: cape", "new: r17_east", "terrain: sea → land"):
        assert part in output
    for name in ("r2", "r18", "r19"):
        assert f"no longer drawn: {name} " in output
    after = files(mine)
    data = yaml.safe_load(after["map.yaml"])["map"]["regions"]
    assert [data[name]["terrain"] for name in ("r0", "r1", "r5", "r16", "r7")] == ["land", "sea", "sea", "sea", "land"]
    lost = [line for line in before["map.yaml"].split("\n") if line not in after["map.yaml"].split("\n")]
    assert all(line.strip().startswith(("position: ", "terrain: ")) for line in lost) and len(lost) < 45
    assert "# the middle of it all\n    r7:  # mine" in after["map.yaml"]
    assert before["map.yaml"].count("# by the old road") <= after["map.yaml"].count("# by the old road")
    assert "r8: {label: [700, 300], outline: M" in after["outlines.yaml"]
    assert "# drawn in one evening" in after["outlines.yaml"]
    assert "the map already matches the drawing" in new(mine, text, "--update")  # twice gives the same as once
    assert files(mine) == after
    done = CliRunner().invoke(cli, ["draw", str(mine / "mine"), "--out", str(mine / "x.svg")])
    assert "RS558" not in done.output and (mine / "x.svg").is_file()


@pytest.mark.proof  # 0.5 s
def test_what_is_gone_is_deleted_if_it_is_wanted(mine: Path) -> None:
    text = drawing(NAMES[:18], {"r0": "#9ecae9", "r1": "#9ecae9"}, {})
    output = new(mine, text, "--update", "--delete", "--yes")
    assert "deleted: r18" in output and "deleted: r19" in output
    after = files(mine)
    data = yaml.safe_load(after["map.yaml"])["map"]["regions"]
    assert set(data) == set(NAMES[:18]) and not any(
        {"r18", "r19"} & {*region.get("land", ())} for region in data.values()
    )
    assert "r18" not in after["outlines.yaml"] and "# mine" in after["map.yaml"]
    assert "the map already matches the drawing" in new(mine, text, "--update")


@pytest.mark.proof  # 0.4 s
def test_without_a_yes_nothing_is_written(mine: Path) -> None:
    before = files(mine)
    output = new(mine, drawing(NAMES, {}, {(1, 1): (120, 120)}), "--update")
    assert "changed: r0" in output and "write 2 files?" in output and "nothing was written" in output
    assert files(mine) == before


@pytest.mark.parametrize(
    "args",
    [
        ["new", "none", "--map", "MAP", "--update"],
        ["new", "mine", "--map", "oak,elm", "--update"],
        ["new", "mine", "--update"],
        ["new", "mine2", "--map", "MAP", "--delete"],
        ["new", "mine", "--map", "oak,elm", "--layer", "x"],
    ],
)
@pytest.mark.sampled(1)
def test_what_cannot_be_brought_up_to_date_is_wrong_usage(args: list[str], mine: Path) -> None:
    args = [str(mine / "map.svg") if arg == "MAP" else arg for arg in args]
    before = files(mine)
    assert CliRunner().invoke(cli, [*args, "--to", str(mine)]).exit_code == 2
    assert files(mine) == before


@pytest.mark.proof  # 0.3 s
def test_a_file_that_leads_elsewhere_is_not_written(mine: Path) -> None:
    other = mine / "other.yaml"
    (mine / "mine" / "outlines.yaml").rename(other)
    (mine / "mine" / "outlines.yaml").symlink_to(other)
    before = other.read_text("utf-8")
    new(mine, drawing(NAMES, {}, {(1, 1): (120, 120)}), "--update", "--yes", code=2)
    assert other.read_text("utf-8") == before


@pytest.mark.proof  # 0.7 s
def test_the_picture_is_the_drawing(tmp_path: Path) -> None:
    """The corners of regions in the picture and in the drawing correspond one to one, to the unit."""
    choose = random.Random(8)
    corners = [(i, j) for i in range(WIDE + 1) for j in range(HIGH + 1)]
    inner = [at for at in corners if 0 < at[0] < WIDE and 0 < at[1] < HIGH]
    nodes = {(i, j): (i * 100 + choose.uniform(-30, 30), j * 100 + choose.uniform(-30, 30)) for i, j in inner}
    new(tmp_path, drawing(NAMES, {}, nodes))
    outlines = yaml.safe_load((tmp_path / "mine" / "outlines.yaml").read_text("utf-8"))["drawing"]["boards"]["region"]
    assert outlines["frame"] == [0, 0, 1000, 800] and set(outlines["outlines"]) == set(NAMES)
    CliRunner().invoke(cli, ["draw", str(tmp_path / "mine"), "--out", str(tmp_path / "x.svg")])
    root = ElementTree.fromstring((tmp_path / "x.svg").read_text("utf-8"))
    areas = next(g for g in root.iter(f"{SVG}g") if g.attrib.get("class") == "areas static")
    paths = {group.findtext(f"{SVG}title", "").partition(":")[0].lower(): group.find(f"{SVG}path") for group in areas}
    for n, name in enumerate(NAMES):
        path = paths.get(name)
        assert path is not None, list(paths)[:4]
        scale = 1240 / 1000  # the width of the board, by that of the frame
        i, j = n % WIDE, n // WIDE
        seen = [((x - 18) / scale, (y - 58) / scale) for x, y in corners_of(path.attrib["d"])]
        for at in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
            x, y = nodes.get(at, (at[0] * 100, at[1] * 100))
            assert any(abs(x * 2 - a) <= 1 and abs(y * 2 - b) <= 1 for a, b in seen), (n, at, seen)
        assert len(seen) == 4
