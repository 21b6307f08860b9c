"""A fact with a mistake is reported once: its neighbours get no consequences of it."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest
from commands import spoken
from folders import GAMES

from rulespec.cli.main import run
from rulespec.documents.yaml_nodes import get, text
from rulespec.documents.yaml_reader import read_yaml
from rulespec.drawing.map_names import stem_of

MAP = "lake/map.yaml"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GAMES / "tutorial", "lake")
    shutil.copytree(GAMES / "imperial", "imperial", ignore=shutil.ignore_patterns("logs", "perft"))
    game = Path("lake/game.yaml")
    game.write_text(game.read_text("utf-8").replace("extends: imperial", "extends: ../imperial"), "utf-8")


def codes(words: str) -> list[str]:
    return re.findall(r"^error\[(RS\d{3})\]", spoken(*words.split())[1], re.MULTILINE)


@pytest.mark.parametrize(
    "before, after",
    [
        ("terrain: land", "terrain: lnad"),
        ("terrain: sea", "terrain: see"),
        ("terrain: province", "terrain: provinz"),
        ("isle: {terrain: land", "isle: {terrain: lnad"),
        ("south_lake: {terrain: sea", "south_lake: {terrain: see"),
        ("reedhaven: {terrain: province", "reedhaven: {terrain: porvince"),
        ("city: shipyard", "city: shipyrad"),
        ("home: reed", "home: rede"),
        ("port: north_lake", "port: north_lkae"),
    ],
)
@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("times", [1, -1])
def test_a_misspelt_fact_is_told_once(before: str, after: str, times: int) -> None:
    written = Path(MAP).read_text("utf-8")
    number = written.count(before) if times < 0 else 1
    assert number
    Path(MAP).write_text(written.replace(before, after, times), "utf-8")
    assert codes("draw ./lake") == codes("validate ./lake") == ["RS221"] * number


@pytest.mark.proof  # 0.5 s
def test_what_is_wrong_whatever_a_fact_is_stays_told() -> None:
    written = Path(MAP).read_text("utf-8")
    written = written.replace(
        "hills: {terrain: land, land: [reedham,", "hills: {terrain: lnad, land: [north_lake, reedham,"
    )
    written = written.replace("marsh: {terrain: land, land: [", "marsh: {terrain: land, land: [south_lake, ")
    Path(MAP).write_text(written, "utf-8")
    result = spoken("draw", "./lake")[1]
    assert result.count("error[RS221]") == 1
    assert "`marsh` fails the check `land_is_land`" in result


@pytest.mark.proof  # 0.8 s
@pytest.mark.parametrize("regions", ["a,b,c", "oak", "0,1,0_2,1e5,0x1,yes,no,null_"])
@pytest.mark.parametrize("ref", ["imperial", "tetrarchia", "imperial_2030", ""])
def test_a_fresh_map_has_no_mistakes_of_form(regions: str, ref: str) -> None:
    shutil.rmtree("imperial")  # the shipped one
    assert spoken("new", "mine", "--map", regions, *(("--from", ref) if ref else ()))[0] == 0
    assert not {"RS213", "RS211", "RS214"} & set(codes("draw ./mine"))


@pytest.mark.parametrize("name", ["tables", "tracks", "setup", "drawing", "measures"])
@pytest.mark.parametrize("content", ["", "# nothing yet\n", "\n\n", "---\n", "~\n"])
@pytest.mark.sampled(1)
def test_a_file_that_is_empty_is_no_mistake(name: str, content: str) -> None:
    Path(f"lake/{name}.yaml").write_text(content)
    assert "RS213" not in codes("draw ./lake")


# --- titles -----------------------------------------------------------------------------------------------------------

SHAPE = '<rect inkscape:label={} id="rect{}" x="{}" width="40" height="30"/>'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape">{}</svg>'


def imported(*labels: str) -> dict[str, str]:
    """The names and titles of regions of a drawing with these labels."""
    from xml.sax.saxutils import quoteattr

    shapes = "".join(SHAPE.format(quoteattr(label), i, 50 * i) for i, label in enumerate(labels))
    Path("x.svg").write_text(SVG.format(shapes), "utf-8")
    shutil.rmtree("mine", ignore_errors=True)
    assert run(["new", "mine", "--map", "x.svg"]) == 0
    assert run(["validate", "./mine"]) == 0
    regions = get(read_yaml(Path("mine/map.yaml"), "map.yaml"), "map", "regions")
    entries = regions.entries  # type: ignore[union-attr]
    return {name: text(get(region, "title")) for name, (_, region) in entries.items()}


@pytest.mark.parametrize(
    "label, name, title",
    [
        ("North Sea", "north_sea", "North Sea"),
        ("north sea", "north_sea", ""),
        ("north_sea", "north_sea", ""),
        ("North_Sea", "north_sea", "North Sea"),
        ("London", "london", "London"),
        ("london", "london", ""),
        ("D\u00fcsseldorf", "dusseldorf", "D\u00fcsseldorf"),
        ("St. Petersburg", "st_petersburg", "St. Petersburg"),
        ("  North\tSea\n", "north_sea", "North Sea"),
        ("none", "none_", "none"),
        ("\u5317\u6d77", "beihai", "\u5317\u6d77"),
        ('The "Horn"', "the_horn", 'The "Horn"'),
        ("{n}", "n", "{n}"),
    ],
)
@pytest.mark.sampled(2)
def test_titles_are_kept(label: str, name: str, title: str) -> None:
    assert imported(label) == {name: title}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "character", ["\u202e", "\u2066", "\u2028", "\u2029", "\x85", "\x9b", "\ufeff", "\x7f", "\r", "\u200b"]
)
def test_what_no_text_may_have_is_left_out_of_titles(character: str) -> None:
    ((_, title),) = imported(f"North{character}Sea{character}").items()
    assert title.startswith("North") and "Sea" in title


@pytest.mark.proof  # 0.6 s
def test_any_labels_make_a_map_that_can_be_read() -> None:
    rng = random.Random(31)
    letters = "aB\u00fc \u0301-_.:#'\"{}[]&<>|\\%@`!?,=~\u202e\u2028\u200b\u05d0\U0001f600\u4e2d0"
    for _ in range(5):
        labels = ["".join(rng.choice(letters) for _ in range(rng.randint(1, 30))) for _ in range(8)]
        labels = [label for label in labels if label.strip()]
        single = [*{stem_of(label) or str(i): label for i, label in enumerate(labels)}.values()]
        result = imported(*single, "x" * 300)  # two labels that give one name are refused
        assert len(result) == 1 + len(single)
        json.dumps(result)
