"""A table by the keyboard: each step of the focus is visible, and announced sentences are those that are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deadlines import until_in
from servers import served

from rulespec.engine.game.seating import seat_names

pytestmark = [pytest.mark.usefixtures("known_rulesets"), pytest.mark.proof]

_FOCUS = """() => {
  const focused = document.activeElement;
  if (focused === document.body) return null;
  const { outlineStyle, outlineWidth, filter } = getComputedStyle(focused);
  const { left, top, width, height } = focused.getBoundingClientRect();
  const isHit = ([x, y]) => {
    const hits = document.elementsFromPoint(left + x * width, top + y * height);
    return focused.dataset.place && focused.ownerSVGElement ? hits.includes(focused) || hits.some((each) =>
      each.closest("[data-place]") === focused) : focused.contains(hits[0]);
  };
  const spots = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95], all = spots.flatMap((x) => spots.map((y) => [x, y]));
  return {
    name: focused.ariaLabel || focused.textContent.trim() || focused.labels?.[0]?.textContent || focused.title,
    marked: (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || filter !== "none",
    seen: all.some(isHit),
    part: ["#zoom", "#board", "#turn", "#options", "#own", "#news"].find((part) => focused.closest(part)) ?? "",
  };
}"""
_ORDER = ["#zoom", "#board", "#turn", "#options", "#own", "#news"]
_LISTEN = """() => {
  window.said = [];
  for (const region of document.querySelectorAll("[role=log], #question"))
    new MutationObserver(() => window.said.push(region.innerText)).observe(region, { childList: true, subtree: true });
}"""


@pytest.mark.parametrize("width, height", [(1360, 850), (393, 852)])
@pytest.mark.parametrize("ref, players", [("imperial", 2), ("shadow_of_the_emperor", 3)])
def test_a_game_is_played_by_keys(
    ref: str, players: int, width: int, height: int, browser: Any, tmp_path: Path
) -> None:
    seat, *others = seat_names(players, ())
    with served(tmp_path / "t.db", ref, players, bots=dict.fromkeys(others, "random")) as server:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{server.base}/#{server.keys[f'seat:{seat}']}")
        page.wait_for_selector("#seats li")
        page.fill("#name", "Ann")
        page.press("#name", "Enter")
        page.wait_for_selector("#sit", state="hidden")
        until_in(page, lambda: page.query_selector("#turn.mine") is not None)
        page.evaluate("document.activeElement.blur()")
        page.evaluate(_LISTEN)
        steps: list[dict[str, Any]] = []
        while not steps or steps[-1]["part"] != "#options":
            page.keyboard.press("Tab")
            page.wait_for_timeout(20)
            focus = page.evaluate(_FOCUS)
            assert focus is not None and len(steps) < 80, steps
            steps.append(focus)
        assert all(step["marked"] and step["seen"] and step["name"] for step in steps), steps
        parts = [_ORDER.index(step["part"]) for step in steps if step["part"]]
        assert parts == sorted(parts)
        for _ in range(6):
            decided = page.locator("#list > li").count()
            page.keyboard.press("Enter")
            until_in(page, lambda: (page.evaluate(_FOCUS) or {}).get("part") == "#options")
            assert page.evaluate(_FOCUS)["marked"] and page.evaluate(_FOCUS)["seen"]
            assert page.locator("#list > li").count() >= decided
        assert page.locator("#list > li").count() > 1

        def is_said() -> bool:
            """Whether the question and the log have been announced; bots may still be deciding."""
            log = page.inner_text("[role=log]") if page.is_visible("#news") else ""
            question, said = page.inner_text("#question"), page.evaluate("window.said")
            return question in said and (not log or log in said)

        until_in(page, is_said)
        page.close()
