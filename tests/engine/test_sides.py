"""Sides of spaces, one for both that share it, and turns of directions, beside geometry worked out apart."""

from __future__ import annotations

import math
import random

import pytest
from folders import RULESETS
from machines_alike import MACHINES, Length, Table, beside_the_interpreter
from worlds import Play

from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

PASTURES = load_ruleset(str(RULESETS / "pastures"))
WAYS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
HEXES = {
    name: (2 * x + (1 if y != 1 else 0), y) for y, row in enumerate(("ab", "cde", "fg")) for x, name in enumerate(row)
}
"""Hexes of rows of two, three and two: in halves of a hex to the right, and rows down."""
NAMES = dict(zip("abcdefg", ("a1", "a2", "b1", "b2", "b3", "c1", "c2"), strict=True))


@pytest.fixture
def game() -> Game:
    return Game(PASTURES, ["A", "B"])


def members(game: Game, text: str) -> set[str]:
    return set(game.omniscient.value(text).strip("{}").replace(" ", "").split(",")) - {""}


def test_two_plots_share_the_side_between_them(game: Game) -> None:
    """A side is the middle of an edge, in halves of a plot."""
    plots = {f"{'abc'[x]}{y + 1}": (2 * x, 2 * y) for x in range(3) for y in range(2)}
    at: dict[tuple[int, int], set[str]] = {}
    for name, (x, y) in plots.items():
        for way, (dx, dy) in WAYS.items():
            at.setdefault((x + dx, y + dy), set()).add(f"{name} {way}")
    assert game.omniscient.value("count(fence)") == str(len(at)) == "17"
    for sharing in at.values():
        sides = {game.omniscient.value(f"plot.{each.split()[0]}.side({each.split()[1]})") for each in sharing}
        assert len(sides) == 1
        assert members(game, f"fence.{sides.pop()}.spaces") == {each.split()[0] for each in sharing}
    assert game.omniscient.value("plot.b1.side(w)") == "a1_e"


def test_two_hexes_share_the_side_between_them(game: Game) -> None:
    steps = {"e": (2, 0), "ne": (1, -1), "nw": (-1, -1), "w": (-2, 0), "sw": (-1, 1), "se": (1, 1)}
    at: dict[tuple[int, int], set[tuple[str, str]]] = {}
    for name, (x, y) in HEXES.items():
        for way, (dx, dy) in steps.items():
            at.setdefault((2 * x + dx, 2 * y + dy), set()).add((NAMES[name], way))
    assert game.omniscient.value("count(border)") == str(len(at)) == "30"
    for sharing in at.values():
        assert len({game.omniscient.value(f"hex.{name}.side({way})") for name, way in sharing}) == 1
        name, way = min(sharing)
        assert members(game, f"hex.{name}.side({way}).spaces") == {name for name, _ in sharing}


def test_directions_go_round(game: Game) -> None:
    """Beside the angles of the six directions of hexes, and of four."""
    for kind, names in (("direction", ("e", "ne", "nw", "w", "sw", "se")), ("way", ("n", "e", "s", "w"))):
        angle = {name: number * math.tau / len(names) for number, name in enumerate(names)}
        for one in names:
            opposite = min(names, key=lambda other: math.cos(angle[other] - angle[one]))
            assert game.omniscient.value(f"{kind}.back({kind}.{one})") == opposite
            for turns in (-1, 0, 1, 2, 5, 7, 13):
                turned = names[(names.index(one) + turns) % len(names)]
                assert game.omniscient.value(f"{kind}.ahead({kind}.{one}, {turns})") == turned
                steps = (names.index(turned) - names.index(one)) % len(names)
                assert game.omniscient.value(f"{kind}.steps({kind}.{one}, {kind}.{turned})") == str(steps)


def test_fences_enclose_fields(game: Game) -> None:
    """A field is what a flood in the plain comes to, over sides without a fence."""
    rng = random.Random(4)
    for _ in range(12):
        game.apply(rng.choice([option for option in game.legal_options if option.name == "fence_off"]))
    fenced = members(game, "{f in fence where f.owner is some}")
    assert 3 < len(fenced) < 17 and any(game.omniscient.value(f"count(field(plot.{c}))") != "6" for c in ("a1", "c2"))
    for x in range(3):
        for y in range(2):
            field, todo = set(), [(x, y)]
            while todo:
                plot = todo.pop()
                field.add(plot)
                for way, (dx, dy) in WAYS.items():
                    to = plot[0] + dx, plot[1] + dy
                    side = game.omniscient.value(f"plot.{'abc'[plot[0]]}{plot[1] + 1}.side({way})")
                    if to not in field and 0 <= to[0] < 3 and 0 <= to[1] < 2 and side not in fenced:
                        todo.append(to)
            expected = {f"{'abc'[a]}{b + 1}" for a, b in field}
            assert members(game, f"field(plot.{'abc'[x]}{y + 1})") == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_whole_games_are_the_same(machine: str) -> None:
    beside_the_interpreter(machine, Table(PASTURES, 2), Length(12, 4), random.Random(machine))


LINE = """
procedure play():
    decide go by first(player):
        option wall(g in gap): pass
        option stay: pass
    end game
--- kinds.yaml
kinds: {player: {}}
--- boards.yaml
boards:
  stop: {line: p1..p4, directions: {on: 1, back: -1}, sides: gap}
"""


def test_a_line_has_a_gap_before_and_after_each_space(play: Play) -> None:
    game = play(LINE)
    assert [str(option) for option in game.legal_options][:5] == [
        f"wall({g})" for g in ("p1_on", "p1_back", "p2_on", "p3_on", "p4_on")
    ]
    assert game.omniscient.value("p2.side(direction.back)") == "p1_on"
    assert game.omniscient.value("direction.back(on)") == "back"
