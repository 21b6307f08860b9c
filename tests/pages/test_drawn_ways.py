"""Ways over the boards: a path that an option chooses is drawn where it is pointed at, clicked, taken and replayed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from browser import Open
from cases import split, write
from click.testing import CliRunner
from folders import ROOT

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.cli.main import cli
from rulespec.drawing.board import board_of
from rulespec.drawing.drawing_plan import plan
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.table.telling import seen_moves
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.pages.replay_data import told_replay

HILLS = """
--- map.yaml
map:
  kind: hut
  links: {path: either_end}
  regions:
    low: {path: [mid], position: [0, 0]}
    mid: {path: [top], position: [100, 80]}
    top: {position: [220, 0]}
--- kinds.yaml
kinds:
  player: {state: {where: {type: hut, start: low}}}
pieces:
  flag: {places: {box: {}, at: {index: hut}}}
setup: {pieces: {flag.box: 1, flag.at: {low: 1}}}
--- rules/play.rules
procedure play():
    repeat at most 4:
        for p in player:
            decide trip by p:
                option walk(way in path(x from hut to y in x.path within 3) where count(way) != 3 SECRET):
                    if flag.at[first(way)] > 0:
                        move 1 of flag from at[first(way)] to at[last(way)]
                option rest: pass
    end game
"""
ROUND = "walk([low, mid, low, mid])"


@pytest.fixture
def hills(tmp_path: Path) -> Path:
    return hills_in(tmp_path / "hills", "")


def hills_in(folder: Path, secret: str) -> Path:
    write(folder, split(HILLS.replace(" SECRET", secret).replace("setup: ", "--- setup.yaml\nsetup: "), ""))
    return folder


def played(folder: Path) -> Game:
    game = Game(load_ruleset(str(folder)), ["A", "B"])
    game.apply(game.parse(ROUND))
    return game


def test_a_move_has_the_ways_that_its_reader_may_see(hills: Path, tmp_path: Path) -> None:
    way = ["hut.low", "hut.mid", "hut.low", "hut.mid"]
    for folder, readers in ((hills, {"A", "B", None}), (hills_in(tmp_path / "dark", " private"), {"A"})):
        game = played(folder)
        for seat in ("A", "B", None):
            (move,) = seen_moves(Words(game.ruleset), game, seat, 0)
            assert move.to_json().get("ways") == ([way] if seat in readers else None)


def test_a_replay_draws_the_way_of_a_move_until_the_next(hills: Path, tmp_path: Path) -> None:
    game = played(hills)
    game.apply(game.parse("rest"))
    write_log(tmp_path / "game.jsonl", game)
    board = told_replay(replay_log(tmp_path / "game.jsonl", rules=str(hills)), OMNISCIENT).data["board"]
    ways = [number for number, drawing in enumerate(board["drawings"]) if "the way of this move" in drawing]
    assert len(ways) == 1
    (line,) = {*re.findall(r' d="([^"]*)"', board["drawings"][ways[0]])}
    assert line.count("M") == 4  # three steps and the head of an arrow
    pairs = [[*zip(changes[::2], changes[1::2], strict=True)] for changes in board["changes"]]
    (item,) = {item for item, drawing in pairs[1] if drawing == ways[0]}
    assert (item, -1) in pairs[2]


_NEWS = """
([plan, seats, move]) => {
  const box = document.createElement("section"), latest = document.createElement("button");
  box.append(document.createElement("ol"));
  const middle = makeMiddles(document.body, plan, seats);
  const news = makeNews(box, latest, document.body, (name, values) => JSON.stringify(values), middle);
  news.show(new Map([[0, { text: "a move", by: seats[1], ...move }]]), 1, seats[0]);
  return [...document.querySelectorAll("path.mark")].map((each) => each.getAttribute("d"));
}
"""


@pytest.mark.parametrize("ways, steps", [([["hut.low", "hut.mid", "hut.top"]], 2), ([], 1)])
def test_the_arrow_of_the_last_move_follows_its_way(ways: Any, steps: int, hills: Path, browser: Any) -> None:
    tab, board = browser.new_page(), board_of(load_ruleset(str(hills)), ["A", "B"])
    tab.set_content(f"<figure>{board.backdrop()}</figure>")
    scripts = [(ROOT / "pages" / name).read_text("utf-8") for name in ("pictures.js", "ways.js", "news.js")]
    text = f"(given) => {{ {'; '.join(scripts)}; return ({_NEWS})(given); }}"
    (line,) = tab.evaluate(text, [plan(board), ["A", "B"], {"marks": ["hut.low>hut.top"], "ways": ways}])
    assert line.count("M") == steps + 1
    tab.close()


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
def test_a_page_draws_the_way_that_is_pointed_at_or_clicked(hills: Path, open_page: Open, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    done = CliRunner().invoke(cli, ["page", str(hills), "--players", "2", "--out", str(file)])
    assert done.exit_code == 0, done.output
    opened = open_page(file)
    opened.wait("document.querySelector('#turn').matches('.mine')")
    lines = "[...document.querySelectorAll('.way.KIND')].map(each => each.getAttribute('d').split('M').length - 1)"
    for place in ("low", "mid", "low"):
        opened.page.evaluate(f"document.querySelector('[data-place=\"hut.{place}\"]').dispatchEvent(CLICK)".replace(
            "CLICK", "new KeyboardEvent('keydown', {key: 'Enter', bubbles: true})"
        ))  # fmt: skip
    assert opened.page.evaluate(lines.replace("KIND", "clicked")) == [3]
    texts = opened.texts("#options button")
    assert texts, json.dumps(texts)
    opened.page.locator("#options button").first.hover()
    opened.wait("document.querySelector('.way.meant') !== null")
    assert opened.page.evaluate(lines.replace("KIND", "meant")) == [4]
    opened.page.mouse.move(1, 1)
    opened.wait("document.querySelector('.way.meant') === null")
