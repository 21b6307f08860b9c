"""Pictures without colours: who sees none, or has a copy in grey, tells owners and grounds apart all the same."""

from __future__ import annotations

import random
import re
from itertools import combinations
from math import hypot

import pytest

from rulespec.drawing.areas import areas
from rulespec.drawing.board import board, board_of
from rulespec.drawing.bridges import bridges
from rulespec.drawing.colours import ground, luminance
from rulespec.drawing.hatching import HATCHES, hatched, hatches
from rulespec.drawing.placing import Raster
from rulespec.drawing.svg import Box
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.load import load_ruleset

SQUARE = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0)]


def points(svg: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", svg)]


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("ref", ["imperial", "imperial_2030", "imperial_asia", "tutorial", "tetrarchia"])
def test_two_that_are_alike_in_grey_have_other_lines(ref: str) -> None:
    ruleset = load_ruleset(ref)
    style = board_of(ruleset, ()).sheet.style
    facts = {
        ruleset.declarations.kinds[b.kind].facts[name].type.kind  # type: ignore[union-attr]
        for b in style.boards.values()
        if b.form in ("areas", "nodes")
        for name in b.fill
    }
    assert facts
    for kind in facts:
        for one, other in combinations(style.looks[kind].values(), 2):
            bright, dark = sorted((luminance(ground(look.colour)) + 0.05 for look in (one, other)), reverse=True)
            assert one.hatch != other.hatch or bright / dark >= 1.25, (kind, one, other)


def test_colours_that_grey_tells_apart_have_no_lines() -> None:
    assert hatches(["white", "black"]) == ["none", "none"]
    assert hatches(["blue", "vermilion"]) == ["rising", "falling"]
    assert hatches(["water", "land"]) == ["waves", "none"]


@pytest.mark.parametrize("name", HATCHES)
def test_lines_stay_in_their_area_and_leave_its_name_free(name: str) -> None:
    name_box = Box((30, 40, 70, 60))
    svg = hatched([SQUARE], name, "blue", name_box)
    result = points(svg)
    assert len(result) >= 8
    assert all(0 <= x <= 100 and 0 <= y <= 100 for x, y in result)
    for (x, y), (nx, ny) in zip(result[::2], result[1::2], strict=True):
        middle = Box(((x + nx) / 2, (y + ny) / 2, (x + nx) / 2, (y + ny) / 2))
        assert not middle.meets(name_box), (x, y, nx, ny)
    assert hatched([SQUARE], "none", "blue") == ""


@pytest.mark.proof  # 0.3 s
def test_a_drawing_says_which_lines() -> None:
    style = board_of(load_ruleset("imperial"), ()).sheet.style
    assert style.looks["terrain"]["sea"].hatch == "waves" and style.looks["terrain"]["land"].hatch == "none"


@pytest.mark.proof  # 0.4 s
def test_a_token_with_another_text_has_the_letter_of_its_owner_as_well() -> None:
    ruleset = load_ruleset("shadow_of_the_emperor")
    game = Game(ruleset, seat_names(4, ruleset.seats))
    choose = random.Random(4)
    while game.ply < 40 and not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
    tiles = [item.svg for item in board(ruleset, game).dynamic if ".tile." in item.id and item.layer == "pieces"]
    assert tiles
    assert all(len(re.findall(r"<text", tile)) == 2 for tile in tiles)


def test_colours_that_grey_tells_apart_need_no_letters() -> None:
    ruleset = load_ruleset("chess")
    men = [item.svg for item in board(ruleset, Game(ruleset, seat_names(2, ruleset.seats))).dynamic]
    assert not any("<text" in man for man in men if "knight" in man)


def test_a_bridge_takes_the_shortest_gap_without_a_name() -> None:
    positions = [(50.0, 100.0), (150.0, 100.0), (250.0, 100.0)]
    raster = Raster(areas(positions, [], 300, 200), 300, 200)
    (start, end) = bridges([(0, 2)], raster, [])[0, 2]
    assert 100 <= hypot(end[0] - start[0], end[1] - start[1]) <= 130
    name = Box((120, 30, 180, 200))
    (start, end) = bridges([(0, 2)], raster, [name])[0, 2]
    (x, y), (nx, ny) = start, end
    assert x < 100 and nx > 200
    assert all(y + (at - x) * (ny - y) / (nx - x) < 30 for at in (120, 180))  # above the name
    everything = Box((0, 0, 300, 200))
    assert bridges([(0, 2)], raster, [everything]) == {}
