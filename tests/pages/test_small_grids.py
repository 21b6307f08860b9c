"""Grids with numbers on a phone: their numbers can be read or are left out, and their colours are explained."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from browser import Open
from cases import write
from click.testing import CliRunner

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.cli.main import cli

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")

FILES = {
    "game.yaml": "id: prices\ntitle: Prices\nversion: '1'\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n",
    "kinds.yaml": """
kinds:
  player: {}
  firm: {state: {mark: {type: "cell?"}}, entities: {iron: {}, mills: {}}}
""",
    "boards.yaml": "boards:\n  cell:\n    grid: {columns: a..n, rows: 1..3}\n    facts: {price: int, cheap: bool}\n"
    + "    spaces:\n"
    + "".join(
        f"      {column}{row}: {{price: {100 + 7 * at + row}, cheap: {str(row == 1).lower()}}}\n"
        for row in (1, 2, 3)
        for at, column in enumerate("abcdefghijklmn")
    ),
    "drawing.yaml": """
drawing:
  boards:
    cell: {as: grid, caption: true, cell: 54, facts: [price], tints: {cheap: yellow}, names: none, fields: []}
  markers: [firm.mark]
""",
}
RULES = """
procedure play():
    set iron.mark to b2
    decide go by first(player):
        option far(f in firm): set f.mark to c3
        option rest: pass
    end game as over

scoring p in player:
    score 1
"""
_TEXTS = """[...document.querySelectorAll("#board svg [data-grows=up] text, #beside svg [data-grows=up] text")]
  .filter((each) => getComputedStyle(each).visibility !== "hidden")"""
_COVERED = f"""(() => {{
  const pieces = [...document.querySelectorAll("[data-layer=pieces] > *")].map((each) => each.getBoundingClientRect());
  return {_TEXTS}.filter((text) => {{
    const box = text.getBoundingClientRect(), top = box.top + box.height * 0.25;
    return pieces.some((p) => p.left < box.right && box.left < p.right && top < p.bottom && p.top < box.bottom);
  }}).map((each) => each.textContent);
}})()"""


@pytest.mark.parametrize("width", [393, 1360])
def test_numbers_are_read_or_left_out_and_colours_are_explained(width: int, open_page: Open, tmp_path: Path) -> None:
    folder, out = write(tmp_path / "prices", FILES | {"rules/play.rules": RULES}), tmp_path / "prices.html"
    done = CliRunner().invoke(cli, ["page", str(folder), "--players", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    opened = open_page(out, width=width, height=850)
    opened.wait("document.querySelector('#turn').matches('.mine')")
    sizes = opened.page.evaluate(
        f"{_TEXTS}.map((each) => Number(each.getAttribute('font-size')) * each.getScreenCTM().a)"
    )
    assert len(sizes) == (41 if width == 393 else 42), (
        "only the number below the mark is left out, and only if it is large"
    )
    assert min(sizes) >= 12 and opened.page.evaluate(_COVERED) == []
    assert opened.texts(".legends text") == ["cheap"]
    assert opened.page.evaluate("document.querySelectorAll('figure > svg .legend').length") == 0
    opened.page.evaluate("document.querySelector('.legends').open = true")
    size = "Number(document.querySelector('.legends text').getAttribute('font-size')) * "
    assert opened.page.evaluate(f"{size} document.querySelector('.legends text').getScreenCTM().a") >= 12
