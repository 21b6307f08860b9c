"""Boards of owners: on a page, each is a figure that can be enlarged and folded, and the viewer's comes first."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import jsonschema_rs
import pytest
from browser import Open, Opened
from cases import write
from click.testing import CliRunner
from drawing_ports import assert_ports_agree
from folders import ROOT

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec import write_log
from rulespec.cli.main import cli
from rulespec.drawing.board import board_of
from rulespec.drawing.drawing_plan import plan
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

FILES = {
    "game.yaml": "id: yards\ntitle: Yards\nversion: '1'\nplayers: {kind: player, min: 2, max: 3}\nstart: play\n",
    "kinds.yaml": """
kinds:
  player: {}
  plant: {entities: {oak: {}, elm: {}}}
  plot: {product: [player, cell], state: {tree: {type: "plant?"}}}
  fence: {product: [player, cell, direction], state: {up: {type: bool}}}
""",
    "boards.yaml": """
boards:
  cell: {grid: {columns: a..d, rows: 1..3}, directions: {n: [0, 1], e: [1, 0], s: [0, -1], w: [-1, 0]}}
""",
    "drawing.yaml": """
drawing:
  boards:
    cell: {as: hidden}
    plot: {as: mats, fields: [tree], sides: [fence.up], caption: true}
""",
    "rules/play.rules": """
procedure play():
    repeat at most 4:
        for p in player:
            decide plant by p:
                option plant(c in cell where plot[p, c].tree is none, t in plant):
                    set plot[p, c].tree to t
                    set fence[p, c, n].up to true
                option wait: pass
    end game as over

scoring p in player:
    score count(c in cell where plot[p, c].tree is some)
""",
}


def yards(folder: Path) -> Path:
    write(folder / "yards", FILES)
    return folder / "yards"


@pytest.mark.parametrize("seats", [["Ann", "Bob"], ["Ann", "Bob", "Cid"]])
def test_each_owner_has_a_figure_and_all_that_is_on_it(seats: list[str], tmp_path: Path) -> None:
    game, choose = Game(load_ruleset(str(yards(tmp_path))), seats), random.Random(3)
    board = board_of(game.ruleset, game.names, apart=True)
    assert [panel.owner for panel in board.panels] == [("player", n) for n in range(len(seats))]
    assert [panel.id for panel in board.panels] == [f"plot.{n + 1}" for n in range(len(seats))]
    drawn = plan(board)
    jsonschema_rs.validate(json.loads((ROOT / "rulespec/schemas/plan.schema.json").read_text("utf-8")), drawn)
    assert [drawn["boards"][0]["per"], drawn["links"][0]["per"]] == [12, 48]
    for n, panel in enumerate(board.panels):
        own = {place.id for item in panel.items for place in item.places if place.id.startswith("plot.")}
        assert own == {f"plot.{name}" for name in board.names.names("plot")[n * 12 : n * 12 + 12]}
    while not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
    assert_ports_agree(board, state_json(game), tmp_path)


def test_a_sheet_has_all_boards_side_by_side(tmp_path: Path) -> None:
    game = Game(load_ruleset(str(yards(tmp_path))), ["Ann", "Bob"])
    board = board_of(game.ruleset, game.names)
    assert [panel.id for panel in board.panels] == ["plot"] and not board.plans["plot"].parts


def opened_page(open_page: Open, folder: Path, width: int, *people: int) -> Opened:
    """The page of a game of three, where these seats are persons, in a window of that width."""
    out = folder / "yards.html"
    done = CliRunner().invoke(cli, ["page", str(yards(folder)), "--players", "3", "--out", str(out)])
    assert done.exit_code == 0, done.output
    opened = open_page(out, "", width, 850)
    for number in range(3):
        opened.page.locator("#players select").nth(number).select_option("person" if number in people else "random")
    opened.page.locator("#players input").nth(1).fill("Ophelia")
    opened.page.locator("[data-word=local_new]").click()
    return opened


def boards(opened: Opened) -> list[str]:
    """The panels in the order of the page, the large one with a star, folded ones in brackets."""
    script = """[...document.querySelectorAll("figure")].map((each) => {
      const name = each.dataset.panel, is = each.querySelector("svg").getClientRects().length;
      return (each.classList.contains("large") ? "*" : "") + (is ? name : `(${name})`);
    })"""
    result: list[str] = opened.page.evaluate(script)
    return result


needs_chromium = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")


@needs_chromium
def test_the_board_of_who_looks_is_large_and_the_others_can_be_enlarged(open_page: Open, tmp_path: Path) -> None:
    opened = opened_page(open_page, tmp_path, 1360, 1)
    opened.wait("document.querySelector('figure.large').dataset.panel === 'plot.2'")
    assert boards(opened) == ["*plot.2", "plot.1", "plot.3"]
    assert opened.texts("figcaption .enlarge") == ["⤢ 2 \u2068Ophelia\u2069", "⤢ 1 A", "⤢ 3 C"]
    opened.click(opened.page.query_selector("figure[data-panel='plot.3'] .enlarge"))
    assert boards(opened) == ["*plot.3", "plot.2", "plot.1"], "the own one stays first among the others"
    notes = "[...document.querySelectorAll('figure > .note')].filter((each) => each.checkVisibility())"
    assert opened.page.evaluate(f"{notes}.map((each) => each.closest('figure').dataset.panel)") == ["plot.3"]


@needs_chromium
def test_on_a_phone_the_boards_of_others_are_folded_until_they_are_opened(open_page: Open, tmp_path: Path) -> None:
    opened = opened_page(open_page, tmp_path, 393, 0)
    assert boards(opened) == ["*plot.1", "(plot.2)", "(plot.3)"]
    sign = opened.page.query_selector("figure[data-panel='plot.2'] .fold")
    assert (
        sign.get_attribute("aria-expanded") == "false"
        and sign.get_attribute("aria-label").strip("\u2068\u2069") == "Ophelia"
    )
    opened.click(sign)
    assert boards(opened) == ["*plot.1", "plot.2", "(plot.3)"] and sign.get_attribute("aria-expanded") == "true"
    opened.click(opened.page.query_selector("figure[data-panel='plot.3'] .enlarge"))
    assert boards(opened)[0] == "*plot.3"
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 393


@pytest.mark.proof  # 1 s
@needs_chromium
def test_what_a_move_changes_is_drawn_on_the_board_of_its_owner(open_page: Open, tmp_path: Path) -> None:
    opened = opened_page(open_page, tmp_path, 1360, 0, 1, 2)
    for panel in ("plot.1", "plot.2"):
        opened.wait(f"document.querySelector('figure.large').dataset.panel === '{panel}'")
        opened.click(opened.page.query_selector(f"figure[data-panel='{panel}'] [data-place='cell.b2']"))
        opened.page.locator("#bubble button, #options button").first.click()
        items = f"document.querySelectorAll(\"figure[data-panel='{panel}'] [data-item]\")"
        where = f"[...{items}].map((each) => each.dataset.item)"
        opened.wait(f"{where}.length === 2")
        owner = "AB"[int(panel[-1]) - 1]
        assert sorted(opened.page.evaluate(where)) == [f"field.{owner}_b2.tree", f"link_state.fence.{owner}_b2_n"]


def viewed(open_page: Open, folder: Path, width: int, *more: str) -> Opened:
    """The viewer of a game in which Ann and then Bob plant an oak on b2."""
    game = Game(load_ruleset(str(yards(folder))), ["Ann", "Bob", "Cid"])
    for _ in range(2):
        game.apply(next(option for option in game.legal_options if str(option) == "plant(b2, oak)"))
    write_log(folder / "game.jsonl", game)
    arguments = [
        "view",
        str(folder / "game.jsonl"),
        "--rules",
        str(folder / "yards"),
        "--out",
        str(folder / "game.html"),
    ]
    done = CliRunner().invoke(cli, [*arguments, *more])
    assert done.exit_code == 0, done.output
    return open_page(folder / "game.html", "", width, 850)


_DRAWN = """[...document.querySelectorAll(".owned")].map((each) => [each.querySelector("bdi").textContent, each.open,
  [...each.querySelectorAll("[data-item]")].filter((item) => item.innerHTML).map((item) => item.dataset.item)])"""


@needs_chromium
def test_the_viewer_has_a_part_for_each_owner_and_follows_the_moves_there(open_page: Open, tmp_path: Path) -> None:
    opened = viewed(open_page, tmp_path, 1360)
    assert opened.page.evaluate(_DRAWN) == [["Ann", True, []], ["Bob", True, []], ["Cid", True, []]]
    opened.press("End")
    ann, bob = ([f"link_state.fence.{seat}_b2_n", f"field.{seat}_b2.tree"] for seat in ("Ann", "Bob"))
    drawn = opened.page.evaluate(_DRAWN)
    assert [[name, is_open, sorted(items)] for name, is_open, items in drawn] == [
        ["Ann", True, sorted(ann)],
        ["Bob", True, sorted(bob)],
        ["Cid", True, []],
    ]
    assert opened.page.evaluate("document.querySelectorAll('.owned:nth-of-type(2) .changed').length") == 2
    opened.click(opened.page.query_selector(".owned:nth-of-type(2) button"))
    wide = opened.page.evaluate("[...document.querySelectorAll('.owned')].map((each) => each.offsetWidth)")
    assert wide[1] > 1.5 * wide[0] and not opened.page.is_visible("#zoom")


@needs_chromium
def test_in_the_viewer_of_a_seat_its_own_board_comes_first_and_on_a_phone_alone(
    open_page: Open, tmp_path: Path
) -> None:
    opened = viewed(open_page, tmp_path, 393, "--for", "Bob")
    opened.press("End")
    drawn = opened.page.evaluate(_DRAWN)
    assert [(name, is_open, len(items)) for name, is_open, items in drawn] == [
        ("Bob", True, 2),
        ("Ann", False, 2),
        ("Cid", False, 0),
    ]
    opened.click(opened.page.query_selector(".owned:nth-of-type(2) summary"))
    assert [is_open for _, is_open, _ in opened.page.evaluate(_DRAWN)] == [True, True, False]
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 393
