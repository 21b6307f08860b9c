"""`new --map x.svg --update`: an unnamed region is matched by label, then by outline, or the update is refused."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError

Shape = tuple[str, int] | tuple[str, int, int]
"""A label, the start of a square, and its width."""
Regions = dict[str, dict[str, Any]]
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    ' viewBox="0 0 400 100">'
)


def drawing(*shapes: Shape) -> str:
    lines = [
        f'<rect id="path{i}" inkscape:label="{label}" x="{x}" width="{wide[0] if wide else 100}" height="100"/>'
        for i, (label, x, *wide) in enumerate(shapes)
    ]
    return HEAD + "\n".join(lines) + "</svg>"


def new(folder: Path, text: str, *more: str) -> str:
    (folder / "map.svg").write_text(text, "utf-8")
    done = CliRunner().invoke(cli, ["new", "mine", "--map", str(folder / "map.svg"), "--to", str(folder), *more])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def update(folder: Path, *shapes: Shape) -> str:
    return new(folder, drawing(*shapes), "--update", "--delete", "--yes")


def begin(folder: Path, *shapes: Shape) -> None:
    """A map in which the `doc` of each region records its original place."""
    new(folder, drawing(*shapes))
    data = regions(folder)
    for region in data.values():
        region["doc"] = f"began at {region['position'][0]}"
    write(folder, data)


def regions(folder: Path) -> Regions:
    result: Regions = yaml.safe_load((folder / "mine" / "map.yaml").read_text("utf-8"))["map"]["regions"]
    return result


def write(folder: Path, data: Regions) -> None:
    body = yaml.safe_dump(
        {"map": {"kind": "region", "regions": data}}, allow_unicode=True, sort_keys=False, default_flow_style=None
    )
    (folder / "mine" / "map.yaml").write_text(body, "utf-8")


def refused(folder: Path, *shapes: Shape) -> str:
    """The message of a single refusal that left all files unchanged."""
    before = [(folder / "mine" / name).read_bytes() for name in ("map.yaml", "outlines.yaml")]
    with pytest.raises(DiagnosticsError) as raised:
        update(folder, *shapes)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "RS853" and diagnostic.span is not None and "map.yaml" in diagnostic.help
    assert [(folder / "mine" / name).read_bytes() for name in ("map.yaml", "outlines.yaml")] == before
    return diagnostic.message


@pytest.mark.parametrize(
    "labels",
    [
        ("★", "☃", "♞"),
        ("北海", "Киев", "東京"),
        ("★", "Киев", "☃ 1"),
    ],
)
def test_shapes_in_another_order_are_the_same_regions(labels: tuple[str, str, str], tmp_path: Path) -> None:
    one, two, three = ((label, 100 * i) for i, label in enumerate(labels))
    begin(tmp_path, one, two, three)
    before = regions(tmp_path)
    assert "the map already matches the drawing" in update(tmp_path, three, one, two)
    assert regions(tmp_path) == before
    update(tmp_path, three, (two[0], 100, 90))  # the first is gone, and the second is smaller
    left = {
        unicodedata.normalize("NFC", str(region.get("title", name))): region
        for name, region in regions(tmp_path).items()
    }
    assert [region["doc"] for region in left.values()] == ["began at 375", "began at 625"]
    assert left[two[0]]["position"] == [362, 125]


def test_a_title_is_compared_as_it_is_seen(tmp_path: Path) -> None:
    """The drawing has decomposed accents, as written by some systems."""
    one, other = ("Йошкар", 0), ("Ґрунь й", 100)
    begin(tmp_path, one, other)
    parted = [(unicodedata.normalize("NFD", label), x) for label, x in (other, one)]
    assert "the map already matches the drawing" in update(tmp_path, *parted)


def test_a_region_is_not_the_one_whose_place_it_takes(tmp_path: Path) -> None:
    begin(tmp_path, ("★", 0), ("☃", 100))
    output = update(tmp_path, ("♞", 250), ("☃", 0))
    assert "new: region_3" in output and "deleted: region\n" in output
    assert [(name, r["title"], r.get("doc")) for name, r in regions(tmp_path).items()] == [
        ("region_2", "☃", "began at 375"),
        ("region_3", "♞", None),
    ]


def test_a_region_that_its_author_has_named_is_found_by_its_title(tmp_path: Path) -> None:
    begin(tmp_path, ("★", 0), ("☃", 100), ("England", 200), ("England", 300))
    names = {"region": "north_sea", "region_2": "kyiv", "england_2": "scotland"}
    write(tmp_path, {names.get(name, name): region for name, region in regions(tmp_path).items()})
    outlines = tmp_path / "mine" / "outlines.yaml"
    text = outlines.read_text("utf-8")
    for before, after in names.items():
        text = text.replace(f" {before}: {{outline", f" {after}: {{outline")
    outlines.write_text(text, "utf-8")
    output = update(tmp_path, ("England", 300), ("☃", 0), ("★", 100), ("England", 200))
    assert "changed: kyiv" in output and "changed: north_sea" in output and "new" not in output
    assert [(name, r["doc"]) for name, r in regions(tmp_path).items()] == [
        ("north_sea", "began at 125"),
        ("kyiv", "began at 375"),
        ("england", "began at 625"),
        ("scotland", "began at 875"),
    ]


def test_without_outlines_the_place_says_which_is_which(tmp_path: Path) -> None:
    begin(tmp_path, ("England", 0), ("England", 200), ("Wales", 100))
    path = tmp_path / "mine" / "outlines.yaml"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "england" not in line), "utf-8")
    before = regions(tmp_path)
    update(tmp_path, ("Wales", 100), ("England", 200), ("England", 0))
    assert regions(tmp_path) == before


def test_what_is_left_of_two_regions_of_one_label_is_the_one_that_is_drawn(tmp_path: Path) -> None:
    begin(tmp_path, ("England", 0), ("England", 200), ("Wales", 100))
    data = regions(tmp_path)
    del data["england"]
    write(tmp_path, data)
    assert "changed: england_2 (its position" in update(tmp_path, ("England", 300), ("Wales", 100))
    assert [r["doc"] for r in regions(tmp_path).values()] == ["began at 625", "began at 375"]


def test_a_new_label_with_a_name_in_letters_takes_none_from_another(tmp_path: Path) -> None:
    begin(tmp_path, ("★ A", 0), ("★", 100))
    output = update(tmp_path, ("A", 200), ("Region", 300), ("★ A", 0), ("★", 100))
    assert "new: a_2" in output and "new: region_2" in output and "changed" not in output
    assert [(name, r.get("title", name)) for name, r in regions(tmp_path).items()] == [
        ("a", "★ A"),
        ("region", "★"),
        ("a_2", "A"),
        ("region_2", "Region"),
    ]
    after = regions(tmp_path)
    assert "the map already matches the drawing" in update(
        tmp_path, ("★", 100), ("Region", 300), ("A", 200), ("★ A", 0)
    )
    assert regions(tmp_path) == after


def test_a_region_with_a_title_of_its_author_is_found_by_its_outline(tmp_path: Path) -> None:
    begin(tmp_path, ("★", 0), ("☃", 100))
    data = regions(tmp_path)
    data["region"]["title"] = "North Sea"
    del data["region_2"]["title"]
    write(tmp_path, data)
    output = update(tmp_path, ("☃", 100, 98), ("★", 0))
    assert "matched by its outline: region, labelled `★` in the drawing" in output
    assert "changed: region_2" in output and [r["doc"] for r in regions(tmp_path).values()] == [
        "began at 125",
        "began at 375",
    ]
    assert "`☃`" in refused(tmp_path, ("☃", 200), ("★", 0))  # untitled, and at another place


def test_two_shapes_of_one_label_are_said_and_found_by_their_outlines(tmp_path: Path) -> None:
    west, east, wales = ("England", 0), ("England", 200), ("Wales", 100)
    output = new(tmp_path, drawing(west, wales, east))
    assert "RS852" in output and "2 shapes are called `England` (lines 1, 3)" in output
    begin_again = regions(tmp_path)
    assert "the map already matches the drawing" in update(tmp_path, east, west, wales)
    assert regions(tmp_path) == begin_again
    output = update(tmp_path, ("England", 210, 110), ("England", 0, 90), wales)
    assert "changed: england_2 (its position" in output and "changed: england (its position" in output
    assert [r["position"] for r in regions(tmp_path).values()] == [[112, 125], [375, 125], [662, 125]]
    output = update(tmp_path, ("England", 210, 110), wales)
    assert "deleted: england\n" in output and [*regions(tmp_path)] == ["wales", "england_2"]


@pytest.mark.parametrize(
    "labels, shapes, part",
    [
        (("England", "Wales", "England"), [("England", 300)], "`england` and `england_2`"),
        (("England", "Wales", "England"), [("England", 300), ("England", 350, 50)], "(lines 1 and 2)"),
        (("England", "Wales", "England"), [("England", 0, 300), ("England", 300)], "`England`"),
        (("★", "Wales", "★"), [("★", 300)], "`region` and `region_2`"),
        (("England", "Wales", "Scotland"), [("England", 300, 50), ("England", 350, 50)], "`england`"),
    ],
)
def test_which_of_two_is_refused_where_outlines_do_not_say(
    labels: tuple[str, ...], shapes: list[Shape], part: str, tmp_path: Path
) -> None:
    new(tmp_path, drawing(*((label, 100 * i) for i, label in enumerate(labels))))
    assert part in refused(tmp_path, *shapes)


def test_a_label_that_is_the_name_of_a_region_is_certain(tmp_path: Path) -> None:
    begin(tmp_path, ("England", 0), ("England", 100), ("★", 200))
    update(tmp_path, ("region", 0), ("england_2", 200), ("england", 300))
    assert {name: r["doc"] for name, r in regions(tmp_path).items()} == {
        "england": "began at 125",
        "england_2": "began at 375",
        "region": "began at 625",
    }


def test_shapes_of_one_place_are_one(tmp_path: Path) -> None:
    """A layer repeats the same shapes, as maps do for the pointer."""
    begin(tmp_path, ("Ankara", 0), ("Ankara", 0), ("Wales", 100))
    assert [*regions(tmp_path)] == ["ankara", "wales"]
    assert "the map already matches the drawing" in update(tmp_path, ("Wales", 100), ("Ankara", 0), ("ankara", 0))


@pytest.mark.proof  # 0.6 s
def test_more_outlines_than_can_be_compared_are_refused_in_time(tmp_path: Path) -> None:
    new(tmp_path, drawing(*(("★", 9 * i, 50) for i in range(34))))
    assert "and 28 more" in refused(tmp_path, *(("★", 9 * i, 49) for i in range(34)))


def test_names_are_latin_letters_and_titles_what_is_drawn(tmp_path: Path) -> None:
    labels = ("北海", "Киев", "القاهرة", "दिल्ली", "Ødegård", "Ґрунь")
    begin(tmp_path, *((label, 60 * i, 60) for i, label in enumerate(labels)))
    names = [*regions(tmp_path)]
    assert names == ["beihai", "kiev", "lqhrh", "dilli", "odegard", "grun"]
    assert [r["title"] for r in regions(tmp_path).values()] == [unicodedata.normalize("NFC", each) for each in labels]
    parted = [(unicodedata.normalize("NFD", label), 60 * i, 60) for i, label in enumerate(labels)]
    assert "the map already matches the drawing" in update(tmp_path, *reversed(parted))


def test_a_region_with_another_label_is_found_by_its_outline(tmp_path: Path) -> None:
    """The region's facts and links are kept; the author may rename it."""
    begin(tmp_path, ("Vale", 0), ("Fen", 100), ("Moor", 200))
    output = update(tmp_path, ("Fen", 100), ("Dale", 0), ("Heath", 300))
    assert "matched by its outline: vale, labelled `Dale` in the drawing (its title stays)" in output
    assert "new: heath" in output and "deleted: moor" in output
    assert [(name, r.get("doc")) for name, r in regions(tmp_path).items()] == [
        ("vale", "began at 125"),
        ("fen", "began at 375"),
        ("heath", None),
    ]


def shapes(*ids: str) -> str:
    lines = (f'<rect id="{id_}" x="{100 * i}" width="100" height="100"/>' for i, id_ in enumerate(ids))
    return HEAD + "\n".join(lines) + "</svg>"


def test_a_name_of_a_program_is_none(tmp_path: Path) -> None:
    """Programs reassign such names: a shape matches a region by its outline, or is refused."""
    new(tmp_path, shapes("rect1", "rect2", "cape"))
    before = regions(tmp_path)
    assert "the map already matches" in new(tmp_path, shapes("rect2", "rect1", "cape"), "--update")
    assert "the map already matches" in new(tmp_path, shapes("path7", "rect1", "cape"), "--update")
    assert regions(tmp_path) == before
    with pytest.raises(DiagnosticsError, match="RS853") as raised:
        new(tmp_path, shapes("cape", "a", "b", "rect1"), "--update", "--yes")
    (diagnostic,) = raised.value.diagnostics
    assert "the shape `rect1` cannot be matched with certainty to the regions `rect1` of the map" in diagnostic.message
    assert "rename rect1 NAME" in diagnostic.help


@pytest.mark.parametrize(
    "labels",
    [("Île", "Ile"), ("a b", "a-b"), ("x" * 60 + "y", "x" * 60 + "z"), ("Киев 1", "Kiev 1"), ("A", "a")],
)
def test_labels_that_give_one_name_are_refused_with_both(labels: tuple[str, str], tmp_path: Path) -> None:
    shapes = [(label, 100 * i) for i, label in enumerate(labels)]
    with pytest.raises(DiagnosticsError) as raised:
        new(tmp_path, drawing(*shapes))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "RS907" and all(f"`{label[:80]}`" in diagnostic.message for label in labels)
    assert not (tmp_path / "mine").exists()
    (tmp_path / "ids.yaml").write_text(f"{labels[0]!r}: west\n{labels[1]!r}: east\n", "utf-8")
    new(tmp_path, drawing(*shapes), "--ids", str(tmp_path / "ids.yaml"))
    before = regions(tmp_path)
    assert [*before] == ["west", "east"]
    assert "the map already matches the drawing" in update(tmp_path, *reversed(shapes))
    assert regions(tmp_path) == before


@pytest.mark.parametrize("ids", ["Oak: oak\n", "- oak\n", "A: ../x\n", "A: a\nB: a\n", "A: [b]\n", "", "A: {"])
def test_names_that_are_none_are_refused(ids: str, tmp_path: Path) -> None:
    (tmp_path / "ids.yaml").write_text(ids, "utf-8")
    (tmp_path / "map.svg").write_text(drawing(("A", 0), ("B", 100)), "utf-8")
    args = [
        "new",
        "mine",
        "--map",
        str(tmp_path / "map.svg"),
        "--to",
        str(tmp_path),
        "--ids",
        str(tmp_path / "ids.yaml"),
    ]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code != 0 and isinstance(done.exception, SystemExit | DiagnosticsError)
    assert not (tmp_path / "mine").exists()


@pytest.mark.proof  # 0.9 s
def test_flags_are_remembered(tmp_path: Path) -> None:
    """A new region gets its fact, and a hidden layer is read, without repeating the flags."""
    body = '<g id="map" style="display:none" fill="#9ecae9">{}</g><rect id="frame2" width="400" height="100"/></svg>'
    oak = '<rect id="oak" width="100" height="100"/>'
    flags = ("--from", "imperial", "--layer", "map", "--fill", "#9ecae9=sea", "--not", "town")
    town = '<circle id="town" r="9"/>'
    new(tmp_path, HEAD + body.format(oak + town), *flags)
    elm = '<rect id="elm" x="100" width="100" height="100"/>'
    output = new(tmp_path, HEAD + body.format(oak + elm + town), "--update", "--yes")
    assert "new: elm" in output and {r["terrain"] for r in regions(tmp_path).values()} == {"sea"}
    assert [*regions(tmp_path)] == ["oak", "elm"]
    new(tmp_path, HEAD + body.format(oak + elm + town), "--update", "--yes", "--not", "oak")
    text = (tmp_path / "mine" / "outlines.yaml").read_text("utf-8")
    assert 'source: {from: imperial, fill: ["#9ecae9=sea"], layer: [map], not: [oak]}' in text
    assert CliRunner().invoke(cli, ["draw", str(tmp_path / "mine"), "--out", str(tmp_path / "x.svg")]).exit_code < 2
