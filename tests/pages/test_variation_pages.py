"""Variations on pages, in a real browser: on the page of a replay each move leads to its position, and a page without a
server reads them from a log, keeps what was taken back, and writes both."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from browser import Open

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.cli.main import run
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.load import load_ruleset

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
EVIL = "<img src=x onerror=alert(1)>"


def drop(by: str, column: int, **more: Any) -> dict[str, Any]:
    return {"decision": "drop", "by": by, "option": f"in_column({column})", **more}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of four moves with a tree of three variations, one within another."""
    path = tmp_path_factory.mktemp("logs") / "game.jsonl"
    game = Game(load_ruleset("connect_four"), {"A": "Ann", "B": "Bob"})
    for _ in range(4):
        game.apply(game.legal_options[3])
    write_log(path, game)
    first = json.loads(path.read_text("utf-8").splitlines()[1])
    move = {key: first[key] for key in ("decision", "by", "option")}
    options = [str(option) for option in Game(load_ruleset("connect_four"), ["A", "B"]).legal_options]
    moves = [move | {"by": by, "option": options[number]} for by, number in (("A", 0), ("B", 1), ("A", 2))]
    inner = {"name": EVIL, "moves": [moves[1] | {"option": options[5]}]}
    tree = [
        {
            "at": 2,
            "name": "left",
            "remark": "why not",
            "moves": [moves[0], moves[1] | {"variations": [inner]}, moves[2]],
        },
        {"at": 2, "moves": [moves[0] | {"option": options[6], "glyphs": [4]}]},
        {"at": 4, "name": "on", "moves": [moves[0]]},
    ]
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"variations": tree, "by": "B"}) + "\n")
    return path


@pytest.mark.parametrize("width", [1360, 393])
@pytest.mark.sampled(1)
def test_each_move_of_a_variation_leads_to_its_position(open_page: Open, log: Path, tmp_path: Path, width: int) -> None:
    out = tmp_path / "view.html"
    assert run(["view", str(log), "--out", str(out)]) == 0
    opened = open_page(out, "#2")
    opened.page.set_viewport_size({"width": width, "height": 852})
    box = opened.page.locator("#variations")
    assert opened.texts("#variations > li > b") == ["left · Bob", "Variation · Bob"]
    assert opened.texts("#variations ul b") == [EVIL] and not opened.page.query_selector("#variations img")
    board = "document.querySelector('#board').innerHTML"
    seen = [opened.page.evaluate(board)]
    buttons = box.locator("button")
    assert buttons.count() == 5
    for number in range(5):
        buttons.nth(number).click()
        assert opened.page.locator("#board .changed").count() == 1, "a disc has come"
        seen.append(
            opened.page.evaluate(
                board.replace(
                    "innerHTML", "innerText + [...document.querySelectorAll('#board .changed')].map(e => e.outerHTML)"
                )
            )
        )
    assert len(set(seen)) == 6
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.press("ArrowRight")
    assert opened.page.locator("#variations").is_hidden() and not opened.wrong
    opened.press("ArrowRight")
    assert opened.texts("#variations > li > b") == ["on · Bob"]


@pytest.mark.proof
def test_a_page_without_a_server_reads_and_writes_variations(open_page: Open, log: Path, tmp_path: Path) -> None:
    out, again = tmp_path / "page.html", tmp_path / "again.jsonl"
    assert run(["page", "connect_four", "--out", str(out)]) == 0
    opened = open_page(out)
    for select in opened.page.locator("#players select").all():
        select.select_option("person")
    opened.page.set_input_files("#load", str(log))
    opened.wait("document.querySelectorAll('#kept li').length === 3")
    opened.page.click("#kept summary")
    assert "left: " in opened.texts("#kept li")[0] and EVIL in opened.texts("#kept li")[0]
    for _ in range(2):
        opened.click(opened.page.locator("#back"))
    opened.wait("document.querySelectorAll('#kept li').length === 2")
    opened.page.click("#keep_line")
    opened.wait("document.querySelectorAll('#kept li').length === 3")
    with opened.page.expect_download() as download:
        opened.page.click("#log")
    again.write_bytes(Path(download.value.path()).read_bytes())
    lines = [json.loads(line) for line in again.read_text("utf-8").splitlines()]
    first = json.loads(log.read_text("utf-8").splitlines()[-1])["variations"]
    written = [each for line in lines for each in line.get("variations", ())]
    assert written[:2] == first[:2] and [len(each["moves"]) for each in written] == [3, 1, 1]
    assert run(["replay", str(again), "--moves"]) == 0 and not opened.wrong
