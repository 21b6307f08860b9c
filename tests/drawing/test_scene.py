"""Scenes: what never changes, what a position shows, and what changed between two."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from folders import GAMES
from pictures import outside, overlaps, sizes

from rulespec.drawing.board import Board, board, board_of
from rulespec.drawing.scene import to_svg
from rulespec.drawing.style import style_of
from rulespec.drawing.svg import text_box
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

SHIPPED = (
    *("imperial", "imperial_2030", "imperial_asia", "tutorial", "tetrarchia", "shadow_of_the_emperor"),
    *("chess", "connect_four", "ludo", "backgammon", "nim", "kuhn_poker", "leduc_poker"),
    "liars_dice",
)


def played(ref: str, decisions: int, seed: int = 4, players: int | None = None) -> Game:
    ruleset = load_ruleset(ref)
    game = Game(ruleset, seat_names(players or ruleset.players[1], ruleset.seats))
    choose = random.Random(seed)
    while game.ply < decisions and not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
    return game


@pytest.mark.parametrize("ref", SHIPPED)
@pytest.mark.sampled(1)
def test_no_text_stands_on_another_and_all_are_on_the_sheet(ref: str) -> None:
    for decisions in (0, 120):
        game = played(ref, decisions)
        svg = to_svg(board(game.ruleset, game))
        assert overlaps(svg) == []
        assert outside(svg) == []
        assert min(sizes(svg, "names"), default=9) >= 8
        ElementTree.fromstring(svg)


@pytest.mark.proof  # 0.3 s
def test_titles_in_another_language_have_room(tmp_path: Path) -> None:
    game = played("imperial", 60)
    svg = to_svg(board(game.ruleset, game, Words(game.ruleset, "de")))
    assert overlaps(svg) == [] and outside(svg) == []
    assert "Vereinigtes" in svg or "Nordsee" in svg


@pytest.mark.parametrize("ref", ["tutorial", "chess", "shadow_of_the_emperor"])
@pytest.mark.sampled(1)
def test_positions_of_a_game_differ_in_dynamic_items_only(ref: str) -> None:
    game = played(ref, 30)
    before = board(game.ruleset, game)
    game.apply(game.legal_options[0])
    after = board(game.ruleset, game)
    assert before.static == after.static
    assert (before.width, before.height, before.title) == (after.width, after.height, after.title)
    changed = after.changed(before)
    assert "status" in changed and len(changed) < len(after.dynamic)
    rest = {item.id: item.svg for item in before.dynamic}
    for id_, svg in changed.items():
        if svg is None:
            del rest[id_]
        else:
            rest[id_] = svg
    assert rest == {item.id: item.svg for item in after.dynamic}


@pytest.mark.parametrize("ref", SHIPPED)
@pytest.mark.sampled(2)
def test_each_item_of_a_scene_has_a_name_of_its_own(ref: str) -> None:
    game = played(ref, 100)
    scene = board(game.ruleset, game)
    ids = [item.id for item in (*scene.static, *scene.dynamic)]
    assert len(ids) == len(set(ids))


@pytest.mark.proof  # 0.4 s
def test_the_board_is_worked_out_once_for_a_table() -> None:
    game = played("tutorial", 0)
    assert board_of(game.ruleset, game.seats) is board_of(game.ruleset, game.seats)
    assert board_of(game.ruleset, game.seats) is not board_of(game.ruleset, ("Ann", "Bob"))


def test_titles_from_outside_are_escaped(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder)
    file = folder / "game.yaml"
    file.write_text(file.read_text("utf-8").replace("The Lake", "<script>alert(1)</script> ]]>&amp;"), "utf-8")
    ruleset = load_ruleset(str(folder))
    svg = to_svg(board(ruleset))
    ElementTree.fromstring(svg)
    assert "<script" not in svg and "]]>" not in svg
    assert "&lt;script&gt;alert(1)" in svg


def test_what_a_seat_does_not_see_is_not_in_its_picture() -> None:
    game = played("kuhn_poker", 2, players=2)
    one, other = game.seats
    whole, seen = to_svg(board(game.ruleset, game)), to_svg(board(game.ruleset, game.view(one)))
    hidden = game.view(other).state["entities"]["player"][other]["card"]
    assert hidden in whole and f">{hidden}<" not in seen


def test_screen_readers_are_told_what_there_is() -> None:
    game = played("tutorial", 0)
    root = ElementTree.fromstring(to_svg(board(game.ruleset, game)))
    svg = "{http://www.w3.org/2000/svg}"
    assert root.attrib["role"] == "graphics-document document"
    title, description = root.find(f"{svg}title"), root.find(f"{svg}desc")
    assert title is not None and title.text == "The Lake"
    assert description is not None and "after 0 decisions" in (description.text or "")
    notes = {node.text for node in root.iter(f"{svg}title")}
    assert any(text and text.startswith("reedham") and "factory" in text for text in notes)


def test_pieces_on_a_ring_cover_no_name() -> None:
    ring = board_of(load_ruleset("imperial"), ["A", "B"]).plans["space"]
    pattern = r'<text x="([^"]+)" y="([^"]+)" font-size="([^"]+)" text-anchor="middle" fill="[^"]+">([^<]+)</text>'
    lines = [line for item in ring.items if item.layer == "names" for line in re.findall(pattern, item.svg)]
    assert len(lines) > 8
    for x, y, size, text in lines:
        name = text_box(text, float(x), float(y) - float(size) * 0.36, float(size))
        assert not [slot for slot in ring.slots.values() if slot.meets(name)], text


def test_spaces_of_a_long_ring_do_not_meet() -> None:
    ruleset = load_ruleset("ludo")
    without_file = style_of(ruleset.declarations, {})
    without = Board(ruleset.declarations, without_file, {}, Words(ruleset))
    assert without_file.boards["square"].form == "ring"
    ring = [item.svg for item in without.static if item.id.startswith("region.q")]
    boxes = [[float(re.search(f' {name}="([^"]*)"', svg)[1]) for name in ("x", "y", "width")] for svg in ring]  # type: ignore[index]
    for (x, y, wide), (x2, y2, _) in itertools.combinations(boxes, 2):
        assert abs(x - x2) >= wide or abs(y - y2) >= wide
