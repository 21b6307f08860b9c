"""Corners of spaces, shared by all around them, beside geometry worked out apart; and a longest road over them."""

from __future__ import annotations

import math
import random
from collections import defaultdict

import pytest
from folders import RULESETS
from machines_alike import MACHINES, Length, Table, beside_the_interpreter
from worlds import Play

from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

HOMESTEADS = load_ruleset(str(RULESETS / "homesteads"))
Point = tuple[float, float]


@pytest.fixture
def game() -> Game:
    return Game(HOMESTEADS, ["A", "B"])


def members(game: Game, text: str) -> set[str]:
    return set(game.omniscient.value(text).strip("{}").replace(" ", "").split(",")) - {""}


def near(point: Point) -> Point:
    return round(point[0], 6) + 0.0, round(point[1], 6) + 0.0


def hexes() -> dict[str, Point]:
    """The centres of nineteen hexes whose corners are 1 away from them, with y downwards."""
    rows = enumerate((3, 4, 5, 4, 3))
    return {f"{'abcde'[y]}{x + 1}": ((x - (n - 1) / 2) * 3**0.5, y * 1.5) for y, n in rows for x in range(n)}


COMPASS = {name: math.radians(angle) for name, angle in
           (("n", 270), ("ene", 330), ("ese", 30), ("s", 90), ("wsw", 150), ("wnw", 210))}  # fmt: skip
"""The directions from the centre of a hex to its corners, clockwise from the east, as y grows downwards."""


def test_nineteen_hexes_have_54_corners_and_72_sides(game: Game) -> None:
    """A point of the plane is a corner of all hexes that have it, and a segment is a side of both."""
    around: dict[Point, set[str]] = defaultdict(set)
    named: dict[Point, set[str]] = defaultdict(set)
    beside: dict[Point, set[Point]] = defaultdict(set)
    ends: dict[Point, set[Point]] = defaultdict(set)
    sides: dict[str, set[Point]] = defaultdict(set)
    for space, (x, y) in hexes().items():
        ring = [near((x + math.cos(angle), y + math.sin(angle))) for angle in COMPASS.values()]
        for name, point, last in zip(COMPASS, ring, [ring[-1], *ring[:-1]], strict=True):
            around[point].add(space)
            named[point].add(f"{space}_{name}")
            beside[point].add(last)
            beside[last].add(point)
            middle = near(((point[0] + last[0]) / 2, (point[1] + last[1]) / 2))
            ends[middle] |= {point, last}
            sides[space].add(middle)
    assert game.omniscient.value("count(corner)") == str(len(around)) == "54"
    assert game.omniscient.value("count(path)") == str(len(ends)) == "72"
    corners = members(game, "corner")
    name_of = {point: names & corners for point, names in named.items()}
    assert all(len(names) == 1 for names in name_of.values())
    text = {point: next(iter(names)) for point, names in name_of.items()}
    for point, name in text.items():
        assert members(game, f"corner.{name}.spaces") == around[point]
        assert members(game, f"corner.{name}.corners") == {text[other] for other in beside[point]}
        touching = members(game, f"corner.{name}.sides")
        assert len(touching) == len(beside[point]) == sum(point in pair for pair in ends.values())
        assert all(name in members(game, f"path.{side}.corners") for side in touching)
    pairs = {frozenset(members(game, f"path.{side}.corners")) for side in members(game, "path")}
    assert pairs == {frozenset(text[end] for end in pair) for pair in ends.values()}
    for space in hexes():
        assert members(game, f"hex.{space}.corners") == {text[p] for p, spaces in around.items() if space in spaces}


SQUARES = """
def every_corner_is_beside_its_sides() -> bool:
    all(c in post: c.corners == {x in post where count(x.sides & c.sides) > 0 and x != c})
procedure play():
    decide go by first(player):
        option stand(c in post where every_corner_is_beside_its_sides()): pass
        option stay: pass
    end game
--- kinds.yaml
kinds: {player: {}}
--- boards.yaml
boards:
  cell:
    grid: {columns: a..c, rows: 1..2}
    directions: {n: [0, 1], e: [1, 0], s: [0, -1], w: [-1, 0]}
    sides: rail
    corners: post
  dot: {grid: {columns: p..q, rows: 1..1}, corners: knot}
"""


def test_squares_share_a_corner_with_three_others(play: Play) -> None:
    game = play(SQUARES)
    assert [game.omniscient.value(f"count({kind})") for kind in ("post", "rail", "knot")] == ["12", "17", "6"]
    assert members(game, "cell.a1.corners") == {"a1_ne", "a1_se", "a1_sw", "a1_nw"}
    assert members(game, "post.a1_ne.spaces") == {"a1", "b1", "a2", "b2"}
    assert members(game, "post.a1_ne.corners") == {"a1_se", "a1_nw", "a2_ne", "b1_ne"}
    assert members(game, "rail.a1_n.corners") == {"a1_ne", "a1_nw"}
    assert members(game, "knot.p1_ne.corners") == {"p1_se", "p1_nw", "q1_ne"}, "without sides, too"
    assert len([option for option in game.legal_options if option.name == "stand"]) == 12


def test_a_house_keeps_its_distance(game: Game) -> None:
    game.apply(game.parse("settle(a1_s)"))
    allowed = {str(option) for option in game.legal_options}
    near_by = {"a1_s", *members(game, "corner.a1_s.corners")}
    assert len(near_by) == 4
    assert allowed == {f"settle({c})" for c in members(game, "corner") - near_by}


def test_a_longest_road_ends_at_a_house_of_another(game: Game) -> None:
    """Six roads around a hex are a ring; a house of B makes it begin and end there, and further ones cut it."""
    ring = members(game, "{s in path where hex.c3 in s.spaces}")
    corners = [next(iter(members(game, "hex.c3.corners")))]
    for _ in range(5):
        beside = members(game, f"corner.{corners[-1]}.corners & hex.c3.corners")
        corners.append(min(beside - set(corners)))
    for side in ring:
        game.omniscient.set_value(f"path.{side}.road", "A")
    lengths = []
    for number in (None, 0, 2, 3):
        if number is not None:
            game.omniscient.set_value(f"corner.{corners[number]}.house", "B")
        lengths.append(game.omniscient.value("longest_road(A)"))
    assert len(ring) == len(set(corners)) == 6
    assert lengths == ["6", "6", "4", "3"]
    game.omniscient.set_value(f"corner.{corners[3]}.house", "A")
    assert game.omniscient.value("longest_road(A)") == "4", "a house of one's own cuts nothing"


def test_a_trail_reaches_all_that_is_connected(game: Game) -> None:
    """A trail along sides from any corner of a hex reaches its ring, and a `reach` over corners finds the same."""
    around = "{s in path where hex.a1 in s.spaces}"
    trail = f"trail(c from {{corner.a1_n}} to n in c.corners where the(c.sides & n.sides) in {around} once n within 6)"
    assert members(game, trail) == members(game, "hex.a1.corners")
    reach = f"reach(c from {{corner.a1_n}}: {{n in c.corners where the(c.sides & n.sides) in {around}}})"
    assert members(game, reach) == members(game, "hex.a1.corners")
    assert len(members(game, "reach(c from {corner.a1_n}: c.corners)")) == 54


@pytest.mark.parametrize("machine", MACHINES)
def test_whole_games_are_the_same(machine: str) -> None:
    beside_the_interpreter(machine, Table(HOMESTEADS, 2), Length(12, 4), random.Random(machine))
