"""A board on a phone: what can be clicked is large enough for a finger, at once or closer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from browser import Open, Opened
from click.testing import CliRunner

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.cli.main import cli

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")

POSITIONS = 6
"""Positions of a game in which all lit places are measured."""
CLOSER = 6
"""The factor by which one pinch brings the board closer."""
_TARGETS = """([places, closer]) => {
  const STEP = 4, FAR = 40, FINGER = 24;
  const results = {};
  for (const board of document.querySelectorAll("#board svg")) {
    const own = places.filter((place) => board.querySelector(`[data-place="${place}"]`));
    if (own.length) measure(board, own);
  }

  function measure(board, own) {
    const copy = board.cloneNode(true);
    board.replaceWith(copy);  // the copy takes clicks, and plays nothing
    copy.querySelector(".rings")?.remove();
    let meant = null;
    makePlaces(copy, () => "", (place) => { meant = place; }).show(own, []);
    const { x, y, width, height } = copy.viewBox.baseVal;

    function clicked(left, top) {
      meant = null;
      const shown = copy.getBoundingClientRect();
      if (left > shown.left && left < shown.right && top > shown.top && top < shown.bottom)
        copy.dispatchEvent(new MouseEvent("click", { clientX: left, clientY: top }));
      return meant;
    }
    // Whether there is a square as large as a finger, around an element, in which a click means its place.
    function fits(element) {
      element.scrollIntoView({ block: "center" });
      const box = element.getBoundingClientRect(), sides = new Map();
      for (let top = box.top - FAR; top <= box.bottom + FAR; top += STEP) {
        for (let left = box.left - FAR; left <= box.right + FAR; left += STEP) {
          if (clicked(left, top) !== element.dataset.place) continue;
          const before = [[left - STEP, top], [left, top - STEP], [left - STEP, top - STEP]];
          const side = Math.min(...before.map((at) => sides.get(String(at)) ?? -1)) + 1;
          sides.set(String([left, top]), side);
          if (side * STEP >= FINGER) return true;
        }
      }
      return false;
    }
    for (const place of own) {
      const elements = [...copy.querySelectorAll(`[data-place="${place}"]`)];
      if (elements.some(fits)) results[place] = "at once";
      for (const element of results[place] ? [] : elements) {
        const { x: left, y: top, width: wide, height: high } = element.getBBox();
        const [across, down] = [width / closer, height / closer];
        const from = [left + wide / 2 - across / 2, top + high / 2 - down / 2];
        from[0] = Math.max(x, Math.min(x + width - across, from[0]));
        from[1] = Math.max(y, Math.min(y + height - down, from[1]));
        copy.setAttribute("viewBox", `${from[0]} ${from[1]} ${across} ${down}`);
        if (fits(element)) results[place] = "closer";
        copy.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      }
    }
    copy.replaceWith(board);
  }
  return Object.fromEntries(places.map((place) => [place, results[place] ?? ""]));
}"""
_STEP = """() => {
  const buttons = [...document.querySelectorAll("#options button")];
  buttons[Math.floor(Math.random() * buttons.length)]?.click();
}"""


def lit(opened: Opened) -> list[str]:
    shown = "document.querySelectorAll('#board [data-place].lit')"
    return sorted(set(opened.page.evaluate(f"[...{shown}].map(each => each.dataset.place)")))


@pytest.mark.proof
@pytest.mark.parametrize(
    "ref, players",
    [
        *(("imperial", 4), ("imperial_2030", 5), ("tetrarchia", 3), ("chess", 2), ("backgammon", 2)),
        *(("connect_four", 2), ("shadow_of_the_emperor", 4)),
    ],
)
def test_each_place_has_room_for_a_finger(ref: str, players: int, open_page: Open, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    done = CliRunner().invoke(cli, ["page", ref, "--players", str(players), "--out", str(file)])
    assert done.exit_code == 0, done.output
    opened = open_page(file, "", 393, 851)
    counts = {"at once": 0, "closer": 0}
    positions = 0
    while positions < POSITIONS:
        opened.wait("document.querySelector('#turn').matches('.mine') || document.querySelector('#result').textContent")
        if not opened.page.query_selector("#turn.mine"):
            break
        if places := lit(opened):
            positions += 1
            for place, how in opened.page.evaluate(_TARGETS, [places, CLOSER]).items():
                assert how, f"{place} has no room for a finger"
                counts[how] += 1
        opened.page.evaluate(_STEP)
        opened.page.wait_for_timeout(50)
    assert positions and sum(counts.values())
