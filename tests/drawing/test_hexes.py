"""Boards of hexes are drawn as hexes: what is one step away touches, in the direction that the step says."""

from __future__ import annotations

from math import atan2, degrees, hypot
from pathlib import Path

from cases import split, write
from pictures import outside, overlaps

from rulespec import Game, load_ruleset
from rulespec.drawing.board import board, board_of
from rulespec.drawing.scene import to_svg

HEXES = """
--- game.yaml
id: hexy
title: Hexes
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- boards.yaml
boards:
  cell: {hexes: [3, 4, 5, 4]}
--- kinds.yaml
pieces:
  stone: {each: [player], places: {supply: {}, at: {index: cell}}}
--- setup.yaml
setup: {pieces: {stone.supply: 9}}
--- rules/play.rules
procedure play():
    for p in player:
        decide put by p:
            option put(c in cell):
                move 1 of stone[p] from supply to at[c]
    end game
"""
ANGLES = {"e": 0, "se": 60, "sw": 120, "w": 180, "nw": -120, "ne": -60}  # clockwise, as y goes down


def test_one_step_away_is_the_neighbour_in_that_direction(tmp_path: Path) -> None:
    ruleset = load_ruleset(str(write(tmp_path / "hexy", split(HEXES, "rules/play.rules"))))
    decl = ruleset.declarations.boards["cell"]
    slots = board_of(ruleset, ()).plans["cell"].slots
    middles = {i: ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for i, box in slots.items()}
    assert len(middles) == 16
    directions = [e.name for e in ruleset.declarations.kinds[decl.direction].entities]
    wide = hypot(middles[1][0] - middles[0][0], middles[1][1] - middles[0][1])
    for i, (x, y) in middles.items():
        for name, step in zip(directions, decl.steps, strict=True):
            if (near := decl.to(i, step)) >= 0:
                dx, dy = middles[near][0] - x, middles[near][1] - y
                assert abs(hypot(dx, dy) - wide) < 0.5
                assert abs((degrees(atan2(dy, dx)) - ANGLES[name] + 180) % 360 - 180) < 1
    for i, (x, y) in middles.items():
        assert all(hypot(x - nx, y - ny) > wide - 0.5 for k, (nx, ny) in middles.items() if k != i)


def test_names_of_hexes_are_legible(tmp_path: Path) -> None:
    ruleset = load_ruleset(str(write(tmp_path / "hexy", split(HEXES, "rules/play.rules"))))
    game = Game(ruleset, ["Ann", "Bob"])
    game.apply(game.parse("put(c5)"))
    svg = to_svg(board(ruleset, game))
    assert overlaps(svg) == [] and outside(svg) == []
    assert ">c5</text>" in svg and "piece.c5" in {item.id[:8] for item in board(ruleset, game).dynamic}
