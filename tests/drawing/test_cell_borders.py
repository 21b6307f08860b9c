"""Sides and corners of a board: what stands on them, and the places to click."""

from __future__ import annotations

import random
from math import hypot
from pathlib import Path

import pytest
from cases import small
from drawing_ports import assert_ports_agree
from folders import RULESETS
from found_cells import public_cells, unfound

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.board import Board
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.style import style_of
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

TOWNS = """
procedure play():
    repeat at most 20:
        for p in player:
            decide act by p:
                option found(c in post):
                    set c.owner to p
                    set c.walled to not c.walled
                option dig(r in rail):
                    set r.owner to p
                    set r.toll to 3
                option mark(s in cell): set s.visits to min(s.visits + 1, 9)
                option carry(x in cart.stock, c in post): move x to stand[c]
                option guard(x in cart.stock, r in rail): move x to gate[r]
                option hedge(f in fence): set hedge_of[p, f].grown to true
    end game as over
--- game.yaml
id: towns
title: Towns
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  post: {state: {owner: {type: "player?"}, walled: {type: bool}}}
  rail: {state: {owner: {type: "player?"}, toll: {type: int 0..9}}}
  cell: {state: {visits: {type: int 0..9}}}
  cart:
    entities: {red: {}, blue: {}, green: {}}
    places: {stock: {}, stand: {index: post}, gate: {index: rail}}
  garden: {product: [player, plot], state: {sown: {type: bool}}}
  hedge_of: {product: [player, fence], state: {grown: {type: bool}}}
--- boards.yaml
boards:
  cell:
    grid: {columns: a..d, rows: 1..3}
    directions: {n: [0, 1], e: [1, 0], s: [0, -1], w: [-1, 0]}
    sides: rail
    corners: post
  plot:
    grid: {columns: p..q, rows: 1..2}
    direction: way
    directions: {up: [0, 1], right: [1, 0], down: [0, -1], left: [-1, 0]}
    sides: fence
"""


def drawn(ruleset: typed.Ruleset, plies: int, seed: int = 1) -> tuple[Board, Game]:
    """A game after random decisions, and its board without a drawing file."""
    game, rng = Game(ruleset, ["Ann", "Bob"]), random.Random(seed)
    while game.ply < plies and not game.is_over:
        game.apply(rng.choice(list(game.legal_options)))
    return Board(ruleset.declarations, style_of(ruleset.declarations, {}), game.names, Words(ruleset)), game


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> typed.Ruleset:
    return small(tmp_path_factory.mktemp("towns") / "small", TOWNS)


@pytest.fixture(scope="module")
def homesteads() -> typed.Ruleset:
    return load_ruleset(str(RULESETS / "homesteads"))


def test_all_corners_and_sides_of_hexes_are_places(homesteads: typed.Ruleset) -> None:
    """A corner is where its hexes meet, and a side lies in the middle of its two corners."""
    board, _ = drawn(homesteads, 0)
    places, d = board.places(), homesteads.declarations
    at = {id_: place.middle for id_, place in places.items()}
    assert [sum(id_.startswith(f"{kind}.") for id_ in at) for kind in ("hex", "path", "corner")] == [19, 72, 54]
    wide = places["hex.a1"].box[2] - places["hex.a1"].box[0]
    for i, corner in enumerate(d.kinds["corner"].entities):
        x, y = at[f"corner.{corner.name}"]
        for n, hex_ in enumerate(d.kinds["hex"].entities):
            far = hypot(at[f"hex.{hex_.name}"][0] - x, at[f"hex.{hex_.name}"][1] - y)
            touches = d.kinds["corner"].facts["spaces"].values[i] >> n & 1
            assert abs(far - wide / 3**0.5) < 0.5 if touches else far > wide
    for i, side in enumerate(d.kinds["path"].entities):
        ends = [c.name for n, c in enumerate(d.kinds["corner"].entities)
                if d.kinds["path"].facts["corners"].values[i] >> n & 1]  # fmt: skip
        (ax, ay), (bx, by) = (at[f"corner.{name}"] for name in ends)
        assert at[f"path.{side.name}"] == pytest.approx(((ax + bx) / 2, (ay + by) / 2), abs=0.2)


def test_a_house_stands_on_its_corner_and_a_road_lies_along_its_side(homesteads: typed.Ruleset) -> None:
    board, game = drawn(homesteads, 0)
    number = homesteads.declarations.kinds["corner"].index["b2_s"]
    game.omniscient.set_value("corner.b2_s.house", "Ann")
    game.omniscient.set_value("path.b2_se.road", "Bob")
    shown = {item.id: item for item in board.items(state_json(game))}
    assert shown["field.b2_s.house"].layer == "pieces"
    (x, _), (left, _, right, _) = board.places()["corner.b2_s"].middle, board.plans["corner"].slots[number]
    assert f'<text x="{x:.1f}"' in shown["field.b2_s.house"].svg and (left + right) / 2 == pytest.approx(x)
    line = shown["link_state.path.b2_se"]
    assert "Bob" in line.svg and board.sheet.look("settler", 1).colour
    assert not any(id_.startswith("field.b2_se") for id_ in shown), "a line is enough"
    assert {kind for kind, _ in board.sheet.style.tables.items()} & {"path", "corner"} == set()


@pytest.mark.parametrize("seed", [1, 2])
def test_everything_on_corners_and_sides_is_shown(towns: typed.Ruleset, seed: int, tmp_path: Path) -> None:
    board, game = drawn(towns, 30, seed)
    assert unfound(board, game, public_cells(game)) == []
    assert_ports_agree(board, state_json(game), tmp_path)


def test_an_owner_of_a_mat_has_lines_of_its_own(towns: typed.Ruleset) -> None:
    board, game = drawn(towns, 0)
    for seat in ("Ann", "Bob"):
        game.omniscient.set_value(f"hedge_of[{seat}, p1_right].grown", "true")
    lines = [item.svg for item in board.items(state_json(game)) if item.id.startswith("link_state.hedge_of")]
    assert len(lines) == len(set(lines)) == 2


def test_a_board_whose_sides_hold_nothing_has_no_places_there(towns: typed.Ruleset) -> None:
    assert "fence" not in drawn(towns, 0)[0].plans


@pytest.mark.parametrize(
    "boards, code",
    [
        ("{post: {as: sides}}", "RS553"),
        ("{rail: {as: corners}}", "RS553"),
        ("{cell: {as: corners}}", "RS553"),
        ("{cell: {as: grid, sides: [post.owner]}}", "RS553"),
        ("{cell: {as: grid, sides: [rail.toll]}, post: {as: corners, in: cell}}", ""),
    ],
)
def test_a_drawing_names_sides_and_corners_as_what_they_are(boards: str, code: str, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "towns", f"{TOWNS}--- drawing.yaml\ndrawing: {{boards: {boards}}}\n")
    try:
        read_drawing(ruleset)
        codes = []
    except DiagnosticsError as error:
        codes = [d.code for d in error.diagnostics]
    assert codes == ([code] if code else [])
