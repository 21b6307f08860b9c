"""Proposals for a map, derived from its base: facts, links, pieces, and entities of the map's own."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from cases import small
from click.testing import CliRunner
from ring_maps import COLOURS, LAND, SEA, fills, ring_map

from editors import files
from rulespec.cli.main import cli
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import Node, get, to_plain
from rulespec.load import load_ruleset, load_source
from rulespec.lsp.base_map import BaseMap, base_map
from rulespec.lsp.brought_kinds import Brought
from rulespec.lsp.drawn_colours import guesses
from rulespec.lsp.fact_proposals import proposed_links, without
from rulespec.lsp.map_edits import MapEdits
from rulespec.lsp.map_files import MapEditError
from rulespec.lsp.map_proposals import MapProposals
from rulespec.lsp.map_words import WordsError, edit_of
from rulespec.serve.edit.editor import Editor
from rulespec.serve.edit.map_messages import EditMessage

BRING = "bring nation one=One two=Two three=Three four=Four five=Five six=Six"
HOMES = ("one", "two", "three", "four", "five", "six")


def run(*words: str) -> str:
    done = CliRunner().invoke(cli, [*words])
    assert done.exit_code == 0, done.output
    return done.output


def carry_out(edits: MapEdits, *lines: str) -> dict[Path, str]:
    texts: dict[Path, str] = {}
    for line in lines:
        texts |= edits.make(edit_of(edits, line.split())).texts
    return texts


def data(node: Node | None) -> Any:
    assert node is not None
    return to_plain(node)


def plain(folder: Path, file: str) -> Any:
    return yaml.safe_load((folder / file).read_text("utf-8"))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map of 24 regions in eight colours, drawn for the rules of Imperial."""
    place = tmp_path_factory.mktemp("drawn")
    (place / "ring.svg").write_text(ring_map(), "utf-8")
    run("new", "ring", "--to", str(place), "--from", "imperial", "--map", str(place / "ring.svg"))
    return place / "ring"


@pytest.fixture
def ring(drawn: Path, tmp_path: Path) -> Path:
    """A copy of that map."""
    return Path(shutil.copytree(drawn, tmp_path / "ring"))


def colours() -> list[str]:
    homes = [f"colour {colour} home {name}" for colour, name in zip(COLOURS, HOMES, strict=False)]
    return [BRING, f"colour {SEA} terrain sea", f"colour {LAND} terrain land", *homes]


@pytest.mark.proof  # 1.2 s
def test_from_colours_to_a_sound_map(ring: Path) -> None:
    """Terrain, kinds of links, cities, ports and factories follow the base, equally for all owners."""
    edits = MapEdits(ring)
    carry_out(edits, *colours())
    proposed = {each.name: len(each.regions) for each in MapProposals(edits.map).all()}
    assert proposed == {"facts": 18, "links": 24}
    carry_out(edits, "accept all")
    assert edits.map.checked()[1] == () and [*MapProposals(edits.map).all()] == []
    regions: Any = data(get(edits.map.tree("map.yaml"), "map", "regions"))
    homes = {name: each for name, each in regions.items() if "home" in each}
    assert Counter(each["home"] for each in homes.values()) == dict.fromkeys(HOMES, 3)
    assert Counter((each["home"], each["city"]) for each in homes.values()) == {
        (home, city): number for home in HOMES for city, number in (("armaments", 2), ("shipyard", 1))
    }
    for each in homes.values():
        assert ("port" in each) == (each["city"] == "shipyard")
    at: Any = data(get(edits.map.tree("setup.yaml"), "setup", "pieces"))
    assert Counter(regions[name]["home"] for name in at["factory.at"]) == dict.fromkeys(HOMES, 2)
    assert at["factory.supply"] == "factory_pieces - 12"
    assert "# land" not in edits.map.raw(edits.map.folder / "map.yaml"), "what is taken is no proposal any more"


@pytest.mark.proof  # 1.6 s
def test_one_step_each_on_the_page_and_back_to_the_same_bytes(ring: Path) -> None:
    before, editor = files(ring), Editor(ring)
    offers = editor.state["offers"]
    meant = {each["colour"]: (each["fact"], each["value"]) for each in offers["colours"]}
    assert meant == {SEA: ("terrain", "sea"), LAND: ("terrain", "land")} | dict.fromkeys(COLOURS[:6], ("home", ""))
    assert offers["owners"] == {"home": ["nation", []]}
    titles = [each["title"] for each in offers["colours"] if not each["value"]]
    assert sorted(titles) == ["Brown", "Green", "Orange", "Purple", "Red", "Yellow"]
    for edits in (colours(), ["accept facts"], ["accept links"], ["accept choices"], ["accept pieces"]):
        answer = editor.hear(EditMessage("edit", tuple(tuple(each.split()) for each in edits), "a step"))
        assert answer.get("done") == "a step", answer
    assert {each["code"] for each in editor.state["faults"]} <= {"RS474"}, "corners at which four regions meet"
    assert editor.state["offers"]["proposals"] == []
    assert editor.state["offers"]["owners"]["home"][1] == [*HOMES]
    for _ in range(5):
        editor.hear(EditMessage("undo"))
    assert files(ring) == before


@pytest.mark.proof
@pytest.mark.parametrize(
    "base, owners", [("imperial", 2), ("imperial", 8), ("imperial_asia", 7), ("tutorial", 4), ("imperial", 5)]
)
def test_by_flags_alone(base: str, owners: int, tmp_path: Path) -> None:
    """`new` with the meaning of each colour and --accept: the map is sound, playable, and passes its test."""
    (tmp_path / "m.svg").write_text(ring_map(owners), "utf-8")
    flags = ("--to", str(tmp_path), "--from", base, "--map", str(tmp_path / "m.svg"), *fills(owners), "--accept")
    assert "not valid yet" not in run("new", "mine", *flags)
    assert "sound" in run("validate", str(tmp_path / "mine"), "--no-play")
    assert "passed" in run("test", str(tmp_path / "mine"))
    assert run("simulate", str(tmp_path / "mine"), "--games", "2", "--players", "2")
    assert "the map already matches the drawing" in run("new", "mine", *flags[:-1], "--update", "--yes")


@pytest.mark.proof  # 4 s
def test_an_owner_with_a_new_colour_is_brought_along_by_an_update(tmp_path: Path) -> None:
    """The author's text for the others is preserved; a map with the owners of its base gets no new ones."""
    (tmp_path / "m.svg").write_text(ring_map(3), "utf-8")
    flags = ("--to", str(tmp_path), "--from", "imperial", "--map", str(tmp_path / "m.svg"))
    run("new", "mine", *flags, *fills(3), "--accept")
    kinds = tmp_path / "mine" / "kinds.yaml"
    kinds.write_text(kinds.read_text("utf-8").replace("title: Two", "title: The Second"), "utf-8")
    assert "The Second" in kinds.read_text("utf-8")
    before = [line for line in kinds.read_text("utf-8").splitlines() if "The Second" in line]
    (tmp_path / "m.svg").write_text(ring_map(4), "utf-8")
    output = run("new", "mine", *flags, *fills(4), "--update", "--yes")
    assert "home: nothing → four" in output or "new: place_" in output
    lines = kinds.read_text("utf-8").splitlines()
    assert [line for line in lines if "The Second" in line] == before
    assert any(line.strip().startswith("four:") for line in lines)
    assert COLOURS[3] in (tmp_path / "mine" / "drawing.yaml").read_text("utf-8")
    assert "the map already matches the drawing" in run("new", "mine", *flags, *fills(4), "--update", "--yes")


def test_names_move_with_their_distance_and_nobody_is_left_out() -> None:
    """References within the base are mapped to references here, each entity is referenced once, and cards go to all."""
    base = BaseMap(load_ruleset("imperial"), load_source("imperial", Report()).source.root)
    for number in (2, 3, 5, 6, 7, 12):
        titles = {f"n{i}": "" for i in range(number)}
        changes = Brought(base, "nation", titles, {}).changes()
        entities = changes["kinds", "nation", "entities"]
        assert [each["main_bond"] for each in entities.values()] == [f"{name}_9" for name in titles]
        seconds = [each["second_bond"].removesuffix("_2") for each in entities.values()]
        assert sorted(seconds) == sorted(titles) and all(a != b for a, b in zip(seconds, titles, strict=True))
        for row in changes["tables", "flag_cards", "rows"].values():
            dealt = sorted(name for each in row.values() for name in each)
            alone = all(each == [name] for name, each in row.items())
            assert dealt == sorted(titles) if alone else dealt == sorted([*titles][:6])
        assert (("game", "players") in changes) == (number < 6)


def test_as_many_as_in_the_base_have_its_facts_and_tables() -> None:
    base = BaseMap(load_ruleset("imperial"), load_source("imperial", Report()).source.root)
    names = [entity.name for entity in base.d.kinds["nation"].entities]
    changes = Brought(base, "nation", dict.fromkeys(names, ""), {}).changes()
    rows: Any = data(get(base.root, "tables", "flag_cards", "rows"))
    assert {str(key): row for key, row in changes["tables", "flag_cards", "rows"].items()} == rows
    entities: Any = data(get(base.root, "kinds", "nation", "entities"))
    assert changes["kinds", "nation", "entities"] == {
        name: {fact: value for fact, value in each.items() if fact != "title"} for name, each in entities.items()
    }


@pytest.mark.proof  # 0.3 s
def test_a_link_whose_kind_is_open_stays_a_comment(ring: Path) -> None:
    """Nothing is known about uncoloured regions; a link between two coloured ones is accepted."""
    edits = MapEdits(ring)
    carry_out(edits, f"colour {SEA} terrain sea", "accept links")
    text = edits.map.raw(edits.map.folder / "map.yaml")
    assert text.count("      sea: [") == 2 and "# land or sea or coast: [" in text
    assert {each.name for each in MapProposals(edits.map).all()} == {"links"}


@pytest.mark.proof  # 0.6 s
def test_what_is_there_already_stays(ring: Path) -> None:
    """Facts chosen by the author are kept, even when their entities are proposed again."""
    edits = MapEdits(ring)
    carry_out(edits, "bring nation one two three four five", *colours()[1:8], "set place_5 city shipyard")
    kinds = edits.map.folder / "kinds.yaml"
    edits.map.take({kinds: edits.map.raw(kinds).replace("army_pieces: 10", "army_pieces: 3")})
    carry_out(edits, BRING, f"colour {COLOURS[5]} home six", "accept all")
    assert "one: {army_pieces: 3," in edits.map.raw(kinds) and "six: {title: Six" in edits.map.raw(kinds)
    facts: Any = data(get(edits.map.tree("map.yaml"), "map", "regions", "place_5"))
    assert facts["city"] == "shipyard" and edits.map.checked()[1] == ()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "words, said",
    [
        ("bring terrain a b", "there is no replaceable kind `terrain`"),
        ("bring nation alone", "expected `bring KIND"),
        ("bring nation 1st b", "is not a name"),
        ("bring nation sea land", "is already a name in the rules"),
        ("colour #123456 terrain sea", "no region has the colour"),
        (f"colour {SEA} depth sea", "there is no fact `depth`"),
        ("accept everything", "there is no proposal `everything`"),
    ],
)
def test_what_cannot_be_is_refused(drawn: Path, words: str, said: str) -> None:
    edits = MapEdits(drawn)
    with pytest.raises((MapEditError, WordsError), match=said):
        carry_out(edits, words)


def test_a_game_of_ones_own_has_links_to_take_and_nothing_to_go_by(tmp_path: Path) -> None:
    (tmp_path / "ring.svg").write_text(ring_map(2), "utf-8")
    run("new", "mine", "--to", str(tmp_path), "--map", str(tmp_path / "ring.svg"))
    edits = MapEdits(tmp_path / "mine")
    assert [each.name for each in MapProposals(edits.map).all()] == ["links"]
    carry_out(edits, "accept all")
    touching = json.loads((tmp_path / "mine" / "reading.json").read_text("utf-8"))["touching"]
    assert sum(len(edits.map.linked_to(name, "link")) for name in edits.map.keys("map.yaml", ("map", "regions"))) == (
        touching
    )
    with pytest.raises(MapEditError, match="nothing to follow"):
        carry_out(edits, "bring nation a b")


TEXT = """map:
  regions:
    a:
      position: [1, 2]
      # land or sea: [b, c, gone]
      # the author's own remark: [b]
    "1":
      # land: [a]
    b: {}
    c: {}
"""


def test_comments_are_proposals_until_they_are_taken() -> None:
    links = proposed_links(TEXT, ["a", "b", "c", "1"], ["land", "sea"])
    assert [(each.region, each.other, each.kinds) for each in links] == [
        ("a", "b", ("land", "sea")),
        ("a", "c", ("land", "sea")),
        ("1", "a", ("land",)),
    ]
    rest = without(TEXT, [links[0], links[2]])
    assert "# land or sea: [c, gone]\n" in rest and "# land: [a]" not in rest and "own remark: [b]" in rest


@pytest.mark.parametrize(
    "colour, title",
    [
        ("#8dd35f", "Green"),
        ("#c83737", "Red"),
        ("#ffcc00", "Yellow"),
        ("#5f8dd3", "Blue"),
        ("#8c5a2d", "Brown"),
        ("#777777", "Grey"),
        ("#1a1a22", "Black"),
        ("#e9afdd", "Pink"),
    ],
)
def test_new_owners_are_called_by_their_colours(colour: str, title: str) -> None:
    base = BaseMap(load_ruleset("imperial"), load_source("imperial", Report()).source.root)
    others = {SEA: ["x"], LAND: ["y"]}
    guess = guesses(base, others | {colour: ["a", "b", "c"]})[colour]
    assert (guess.fact, guess.value, guess.title) == ("home", "", title)
    assert guesses(base, others | {colour: ["a", "b"]})[colour].fact == "", "too few for an owner"


FIELDS = """
--- game.yaml
id: fields
title: Fields
version: "1"
players: {kind: player, min: 2, max: 3}
start: play
--- kinds.yaml
kinds:
  clan:
    facts: {rival: clan, herd: int}
    state: {fame: {type: int 0..9}}
    entities:
      elk: {rival: fox, herd: 3}
      fox: {rival: owl, herd: 4}
      owl: {rival: elk, herd: 5}
  soil: {entities: {bog: {}, meadow: {}}}
state: {leading: {type: clan, start: elk}}
pieces:
  hut: {places: {box: {}, stands: {index: plot}}}
--- map.yaml
map:
  kind: plot
  facts: {soil: soil, of: "clan?", well: "plot?"}
  links: {path: either_end}
  regions:
    m1: {soil: meadow, of: elk, well: b, path: [m2, b]}
    m2: {soil: meadow, of: fox, well: b, path: [m3, b]}
    m3: {soil: meadow, of: owl, well: b, path: [b]}
    b: {soil: bog}
--- setup.yaml
setup: {pieces: {hut.box: 9 - 3, hut.stands: {m1: 1, m2: 1, m3: 1}}}
--- rules/play.rules
procedure play():
    "R-01: whoever has a bog nearby digs."
    for c in clan:
        if c.rival.herd > 3 and any(r in plot where r.soil == bog):
            set c.fame to 1
    for p in player:
        decide dig by p:
            option on():
                pass
    end game as over won by {}
"""


@pytest.mark.proof  # 0.3 s
def test_words_of_any_other_game_do_as_well(tmp_path: Path) -> None:
    """The proposals know no specific game: a map for made-up rules, with clans, plots, wells and huts."""
    base = tmp_path / "fields"
    small(base, FIELDS)
    (tmp_path / "m.svg").write_text(ring_map(4), "utf-8")
    flags = [f"--fill={colour}=of.{name}" for colour, name in zip(COLOURS, ("ant", "bee", "cat", "dog"), strict=False)]
    flags += [f"--fill={SEA}=bog", f"--fill={LAND}=soil.meadow"]
    run("new", "mine", "--to", str(tmp_path), "--from", str(base), "--map", str(tmp_path / "m.svg"), *flags, "--accept")
    pattern = base_map(tmp_path / "mine", "fields")
    assert (
        pattern is not None and pattern.owners == ["clan"] and pattern.reach == {"well": (("path",), {"soil": "bog"})}
    )
    clans = plain(tmp_path / "mine", "kinds.yaml")["kinds"]["clan"]["entities"]
    assert {name: clan["rival"] for name, clan in clans.items()} == {
        "ant": "bee",
        "bee": "cat",
        "cat": "dog",
        "dog": "ant",
    }
    regions = plain(tmp_path / "mine", "map.yaml")["map"]["regions"]
    homes = [each for each in regions.values() if "of" in each]
    assert len(homes) == 12 and all(each["soil"] == "meadow" for each in homes)
    assert sum("well" in each for each in homes) == 8, "those that a path leads to a bog from"
    pieces = plain(tmp_path / "mine", "setup.yaml")["setup"]["pieces"]
    assert pieces["hut.box"] == "9 - 4" and Counter(
        regions[name]["of"] for name in pieces["hut.stands"]
    ) == dict.fromkeys(clans, 1)


@pytest.mark.proof
def test_a_map_with_more_mistakes_than_are_listed_has_proposals(tmp_path: Path) -> None:
    """Initially, each region lacks a fact, and only some of these errors are listed."""
    tiles = "".join(
        f'<rect id="tile_{x}_{y}_x" x="{x}0" y="{y}0" width="10" height="10" fill="{SEA if x < 5 else LAND}"/>'
        for x in range(15)
        for y in range(15)
    )
    (tmp_path / "m.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 150">{tiles}</svg>')
    run("new", "mine", "--to", str(tmp_path), "--from", "imperial", "--map", str(tmp_path / "m.svg"))
    editor = Editor(tmp_path / "mine")
    assert len(editor.state["faults"]) < 225 and len(editor.state["faults"]) + editor.state["more"] >= 225
    assert len(editor.state["offers"]["colours"]) == 2
    for edits in ([f"colour {SEA} terrain sea", f"colour {LAND} terrain land"], ["accept all"]):
        assert "done" in editor.hear(EditMessage("edit", tuple(tuple(each.split()) for each in edits), "a step"))
    assert not editor.state["stale"] and editor.state["offers"]["proposals"] == []
    assert "RS228" not in {each["code"] for each in editor.state["faults"]}, "each region has its terrain"
