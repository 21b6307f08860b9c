"""Corners and sides of a board on a page: a click at one means it if it can be chosen, otherwise what lies below."""

from __future__ import annotations

from typing import Any

from folders import ROOT, RULESETS

from rulespec.drawing.board import board_of
from rulespec.load import load_ruleset

_CLICKS = """
([lit, aims]) => {
  const results = [], root = document.querySelector("figure"), svg = root.querySelector("svg");
  const places = makePlaces(root, (x) => x, (place) => results.push(place));
  places.drawn();
  places.show(lit, []);
  for (const [x, y] of aims) {
    const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    const click = new MouseEvent("click", { clientX: at.x, clientY: at.y, bubbles: true });
    document.elementFromPoint(at.x, at.y).dispatchEvent(click);
  }
  return results;
}
"""


def test_a_click_means_the_corner_the_side_or_the_hex(browser: Any) -> None:
    board = board_of(load_ruleset(str(RULESETS / "homesteads")), ["A", "B"], apart=True)
    places = board.places()
    at = {id_: places[id_].middle for id_ in ("corner.a1_s", "path.a1_se", "hex.a2")}
    tab = browser.new_page(viewport={"width": 1200, "height": 1200})
    tab.set_content(board.backdrop())
    tab.add_script_tag(content=(ROOT / "pages" / "pictures.js").read_text("utf-8"))
    kinds: list[list[str]] = []
    for among in (("corner", "path", "hex"), ("path", "hex"), ("hex",)):
        lit = [id_ for id_ in places if id_.partition(".")[0] in among]
        clicked = tab.evaluate(_CLICKS, [lit, [*at.values()]])
        assert len(among) < 3 or clicked == [*at]
        kinds.append([place.partition(".")[0] for place in clicked])
    assert kinds == [["corner", "path", "hex"], ["hex", "path", "hex"], ["hex", "hex", "hex"]]
    tab.close()
