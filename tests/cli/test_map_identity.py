"""`new --map x.svg --update`: a region without a name of its own is found by label, then by outline, or refused."""

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
"""A label, where a square begins, and its width."""
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
    """A map, in which each region has a `doc` of its own: where it was at first."""
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
    """The message of the one refusal; no file has changed."""
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
        ("北海", "Киев", "東京"),
        ("Киев 1", "Одеса 1", "Ялта 1"),  # the same digit is all that their names have
        ("Île", "Ile", "île"),
        ("x" * 60 + " west", "x" * 60 + " east", "x" * 60),  # longer than a name may be
        ("a b", "a-b", "A b"),
    ],
)
def test_shapes_in_another_order_are_the_same_regions(labels: tuple[str, str, str], tmp_path: Path) -> None:
    one, two, three = ((label, 100 * i) for i, label in enumerate(labels))
    begin(tmp_path, one, two, three)
    before = regions(tmp_path)
    assert "the map is as the drawing has it" in update(tmp_path, three, one, two)
    assert regions(tmp_path) == before
    update(tmp_path, three, (two[0], 100, 90))  # the first is gone, and the second is smaller
    left = {
        unicodedata.normalize("NFC", str(region.get("title", name))): region
        for name, region in regions(tmp_path).items()
    }
    assert [region["doc"] for region in left.values()] == ["began at 375", "began at 625"]
    assert left[two[0]]["position"] == [362, 125]


def test_a_title_is_compared_as_it_is_seen(tmp_path: Path) -> None:
    """The drawing has letters with accents of their own, as some systems write them."""
    one, other = ("Йошкар", 0), ("Ґрунь й", 100)
    begin(tmp_path, one, other)
    parted = [(unicodedata.normalize("NFD", label), x) for label, x in (other, one)]
    assert "the map is as the drawing has it" in update(tmp_path, *parted)


def test_a_region_is_not_the_one_whose_place_it_takes(tmp_path: Path) -> None:
    begin(tmp_path, ("北海", 0), ("Киев", 100))
    output = update(tmp_path, ("東京", 250), ("Киев", 0))
    assert "new: region_3" in output and "deleted: region\n" in output
    assert [(name, r["title"], r.get("doc")) for name, r in regions(tmp_path).items()] == [
        ("region_2", "Киев", "began at 375"),
        ("region_3", "東京", None),
    ]


def test_a_region_that_its_author_has_named_is_found_by_its_title(tmp_path: Path) -> None:
    begin(tmp_path, ("北海", 0), ("Киев", 100), ("England", 200), ("England", 300))
    names = {"region": "north_sea", "region_2": "kyiv", "england_2": "scotland"}
    write(tmp_path, {names.get(name, name): region for name, region in regions(tmp_path).items()})
    outlines = tmp_path / "mine" / "outlines.yaml"
    text = outlines.read_text("utf-8")
    for before, after in names.items():
        text = text.replace(f" {before}: {{outline", f" {after}: {{outline")
    outlines.write_text(text, "utf-8")
    output = update(tmp_path, ("England", 300), ("Киев", 0), ("北海", 100), ("England", 200))
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
    assert "changed: england_2 (its place" in update(tmp_path, ("England", 300), ("Wales", 100))
    assert [r["doc"] for r in regions(tmp_path).values()] == ["began at 625", "began at 375"]


def test_a_new_label_with_a_name_in_letters_takes_none_from_another(tmp_path: Path) -> None:
    begin(tmp_path, ("Киев A", 0), ("北海", 100))
    output = update(tmp_path, ("A", 200), ("Region", 300), ("Киев A", 0), ("北海", 100))
    assert "new: a_2" in output and "new: region_2" in output and "changed" not in output
    assert [(name, r["title"]) for name, r in regions(tmp_path).items()] == [
        ("a", "Киев A"),
        ("region", "北海"),
        ("a_2", "A"),
        ("region_2", "Region"),
    ]
    after = regions(tmp_path)
    assert "the map is as the drawing has it" in update(
        tmp_path, ("北海", 100), ("Region", 300), ("A", 200), ("Киев A", 0)
    )
    assert regions(tmp_path) == after


def test_a_region_with_a_title_of_its_author_is_found_by_its_outline(tmp_path: Path) -> None:
    begin(tmp_path, ("北海", 0), ("Киев", 100))
    data = regions(tmp_path)
    data["region"]["title"] = "North Sea"
    del data["region_2"]["title"]
    write(tmp_path, data)
    output = update(tmp_path, ("Киев", 100, 98), ("北海", 0))
    assert "found by its outline: region, which is `北海` in the drawing" in output
    assert "changed: region_2" in output and [r["doc"] for r in regions(tmp_path).values()] == [
        "began at 125",
        "began at 375",
    ]
    assert "`Киев`" in refused(tmp_path, ("Киев", 200), ("北海", 0))  # without a title, and elsewhere


def test_two_shapes_of_one_label_are_said_and_found_by_their_outlines(tmp_path: Path) -> None:
    west, east, wales = ("England", 0), ("England", 200), ("Wales", 100)
    output = new(tmp_path, drawing(west, wales, east))
    assert "RS852" in output and "2 shapes are called `England` (lines 1, 3)" in output
    begin_again = regions(tmp_path)
    assert "the map is as the drawing has it" in update(tmp_path, east, west, wales)
    assert regions(tmp_path) == begin_again
    output = update(tmp_path, ("England", 210, 110), ("England", 0, 90), wales)
    assert "changed: england_2 (its place" in output and "changed: england (its place" in output
    assert [r["position"] for r in regions(tmp_path).values()] == [[112, 125], [375, 125], [662, 125]]
    output = update(tmp_path, ("England", 210, 110), wales)
    assert "deleted: england\n" in output and [*regions(tmp_path)] == ["wales", "england_2"]


@pytest.mark.parametrize(
    "labels, shapes, part",
    [
        (("England", "Wales", "England"), [("England", 300)], "`england` and `england_2`"),
        (("England", "Wales", "England"), [("England", 300), ("England", 350, 50)], "(lines 1 and 2)"),
        (("England", "Wales", "England"), [("England", 0, 300), ("England", 300)], "`England`"),
        (("北海", "Wales", "北海"), [("北海", 300)], "`region` and `region_2`"),
        (("England", "Wales", "Scotland"), [("England", 300, 50), ("England", 350, 50)], "`england`"),
    ],
)
def test_which_of_two_is_refused_where_outlines_do_not_say(
    labels: tuple[str, ...], shapes: list[Shape], part: str, tmp_path: Path
) -> None:
    new(tmp_path, drawing(*((label, 100 * i) for i, label in enumerate(labels))))
    assert part in refused(tmp_path, *shapes)


def test_a_label_that_is_the_name_of_a_region_is_certain(tmp_path: Path) -> None:
    begin(tmp_path, ("England", 0), ("England", 100), ("北海", 200))
    update(tmp_path, ("region", 0), ("england_2", 200), ("england", 300))
    assert {name: r["doc"] for name, r in regions(tmp_path).items()} == {
        "england": "began at 125",
        "england_2": "began at 375",
        "region": "began at 625",
    }


def test_shapes_of_one_place_are_one(tmp_path: Path) -> None:
    """A layer with the same shapes once more, as maps have it for the pointer."""
    begin(tmp_path, ("Ankara", 0), ("Ankara", 0), ("Wales", 100))
    assert [*regions(tmp_path)] == ["ankara", "wales"]
    assert "the map is as the drawing has it" in update(tmp_path, ("Wales", 100), ("Ankara", 0), ("ankara", 0))


def test_more_outlines_than_can_be_compared_are_refused_in_time(tmp_path: Path) -> None:
    new(tmp_path, drawing(*(("北", 9 * i, 50) for i in range(34))))
    assert "and 28 more" in refused(tmp_path, *(("北", 9 * i, 49) for i in range(34)))
