"""Maps from the globe: borders are links, what lies in water lies in water, and the lines on the map are explained."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml
from pictures import overlaps
from proofs import proofs_but

from rulespec.drawing.board import board, board_of
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.map_ground import Ground, ground
from rulespec.drawing.map_links import pairs_of
from rulespec.drawing.outlines import holds
from rulespec.drawing.picture_words import PlainWords
from rulespec.drawing.place_looks import badges_of, side_of
from rulespec.drawing.scene import Scene, to_svg
from rulespec.drawing.style import BoardStyle
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed
from tools.coasts.projections import projection

ROOT = Path(__file__).parents[2]
RECIPES = sorted((ROOT / "games").glob("*/coasts.yaml"))
MAPS = [path.parent.name for path in RECIPES]
LINKS = {"imperial": 137, "imperial_2030": 156, "imperial_asia": 145, "tetrarchia": 71}
REGIONS = {"imperial": 54, "imperial_2030": 62, "imperial_asia": 62, "tetrarchia": 48}
_CRIMEA = (34.2, 45.2)

pytestmark = pytest.mark.parametrize("ref", proofs_but(MAPS, "tetrarchia"))


def recipe(ref: str) -> dict[str, Any]:
    result: dict[str, Any] = yaml.safe_load((ROOT / "games" / ref / "coasts.yaml").read_text("utf-8"))["coasts"]
    return result


@cache
def loaded(ref: str) -> typed.Ruleset:
    return load_ruleset(ref)


@cache
def empty(ref: str) -> Scene:
    return board(loaded(ref))


@cache
def laid_out(ref: str) -> tuple[BoardStyle, Ground, tuple[str, ...]]:
    sheet = board_of(loaded(ref), ()).sheet
    style = sheet.style.boards[recipe(ref)["board"]]
    return style, ground(sheet, style), sheet.names(style.kind)


def excepted(ref: str, what: str) -> set[frozenset[str]]:
    return {frozenset(each[what]) for each in recipe(ref).get("exceptions", []) if what in each}


@pytest.mark.sampled(1)
def test_borders_are_links_but_for_those_that_the_recipe_lists(ref: str) -> None:
    style, layout, names = laid_out(ref)
    links, borders = pairs_of(style, layout.links), layout.areas.touching()
    assert len(links) == LINKS[ref]
    assert {frozenset((names[a], names[b])) for a, b in links - borders} == excepted(ref, "link")
    assert {frozenset((names[a], names[b])) for a, b in borders - links} == excepted(ref, "border")


@pytest.mark.sampled(2)
def test_the_recipe_has_the_form_that_its_schema_says(ref: str) -> None:
    schema = yaml.safe_load((ROOT / "tools" / "coasts" / "recipe.schema.json").read_text("utf-8"))
    jsonschema.validate({"coasts": recipe(ref)}, schema)


@pytest.mark.sampled(2)
def test_only_lines_that_a_border_cannot_be_are_drawn(ref: str) -> None:
    style, layout, names = laid_out(ref)
    scene = empty(ref)
    lines = {frozenset(item.id.split(".")[2:]) for item in scene.static if item.id.startswith("link.")}
    # Links that differ have a short line across their border, which says of what kind each is.
    differ = any(isinstance(each.dashed, str) for each in style.links.values())
    across = {frozenset((names[a], names[b])) for a, b in layout.areas.touching()} if differ else set()
    assert across <= lines
    assert lines - across == excepted(ref, "link")
    walls = [item.id for item in scene.static if item.id.startswith("walls.")]
    assert bool(walls) == bool(excepted(ref, "border")) and len(names) == REGIONS[ref]


def test_every_kind_of_line_is_in_the_legend(ref: str) -> None:
    ruleset = loaded(ref)
    scene = empty(ref)
    ids = {item.id.partition(".")[0] for item in scene.static}
    (legend,) = (item.svg for item in scene.static if item.id.startswith("legend."))
    words = Words(ruleset)
    for rank in ("owners", "inner", "free", "waters"):
        assert (f">{words.word(f'border_{rank}')}<" in legend) == (rank in ids), rank
    for kind in {item.id.split(".")[1] for item in scene.static if item.id.startswith("link.")}:
        assert f">{words.kind(kind)}<" in legend
    assert (f">{words.word('over_edge')}<" in legend) == ("seam_name" in ids)
    assert (f">{words.word('not_in_play')}<" in legend) == ("scenery" in ids)


@pytest.mark.proof  # 0.5 s
def test_without_hatching_letters_and_borders_tell_owners_apart(ref: str) -> None:
    style, _, names = laid_out(ref)
    sheet = board_of(loaded(ref), ()).sheet
    sides = [side_of(sheet, style, i) for i in range(len(names))]
    letters: dict[Any, set[str]] = {}
    for i, side in enumerate(sides):
        if side.owner is not None:
            letters.setdefault(side.owner, set()).add(badges_of(sheet, style, i)[0][1])
    assert all(len(each) == 1 and "" not in each for each in letters.values())
    assert len(set.union(*letters.values())) == len(letters) > 4
    ids = {item.id.partition(".")[0] for item in empty(ref).static}
    assert {"owners", "inner", "coasts", "shallows"} <= ids


@pytest.mark.proof  # 0.4 s
@pytest.mark.sampled(1)
def test_a_picture_is_small(ref: str) -> None:
    ruleset = loaded(ref)
    assert len(to_svg(board(ruleset, Game(ruleset, seat_names(3, ruleset.seats))))) <= 300_000


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("language", [None, "de"])
@pytest.mark.sampled(1)
def test_no_name_stands_on_another_in_a_crowded_position(ref: str, language: str | None) -> None:
    ruleset = loaded(ref)
    game = Game(ruleset, seat_names(min(6, ruleset.players[1]), ruleset.seats))
    choose = random.Random(7)
    while game.ply < 200 and not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
    words = Words(ruleset, language if language in Words(ruleset).languages else None)
    assert overlaps(to_svg(board(ruleset, game, words))) == []


@pytest.mark.sampled(2)
def test_only_land_that_goes_on_beyond_the_map_meets_its_frame(ref: str) -> None:
    style, _, names = laid_out(ref)
    assert style.frame is not None
    sheet = board_of(loaded(ref), ()).sheet
    meets = {
        name
        for i, name in enumerate(names)
        if not side_of(sheet, style, i).water
        and any(
            x in (0, style.frame.width) or y in (0, style.frame.height) for r in style.outlines[i].rings for x, y in r
        )
    }
    assert not meets & {
        "edinburgh",
        "dublin",
        "london",
        "australia",
        "japan",
        "south_africa",
        "argentina",
        "java",
        "sicilia",
        "creta",
    }
    assert meets & {"moscow", "vladivostok", "persia"}


def test_crimea_lies_in_ukraine_where_that_is_a_region(ref: str) -> None:
    how = recipe(ref)
    style, _, names = laid_out(ref)
    project = projection(how["projection"])
    left, top, right, _ = project(np.array(how["edges"], float))
    x, y = (project(np.array([_CRIMEA], float))[0] - [left[0], top[1]]) * how["width"] / (right[0] - left[0])
    inside = [names[i] for i, outline in style.outlines.items() if holds(outline.rings, x, y)]
    assert inside == [name for name in ("ukraine", "odessa") if name in names][:1]


def test_each_outline_has_its_spots(ref: str) -> None:
    ruleset = loaded(ref)
    style = read_drawing(ruleset).boards[recipe(ref)["board"]]
    assert len(style.outlines) == len(PlainWords(ruleset.declarations, "x").titles(style.kind, {}))
    assert all(each.label is not None and each.pieces is not None for each in style.outlines.values())
