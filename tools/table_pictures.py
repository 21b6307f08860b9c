"""Screenshots of a game at a table, for judging readability: `python -m tools.table_pictures REF`.

Two players click, one in a window of 1360 by 850 and one on a phone of 393 by 852; bots play the other seats. At
randomly chosen decisions, a screenshot of each window is taken while the pointer is on one of its options, or a long
press is active.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SIZES = ((1360, 850), (393, 852))
_SPOT = """(luck) => {
  const one = (list) => list[Math.floor(luck * list.length)];
  const isSeen = (each) => each.getClientRects().length && !each.disabled;
  const bubble = [...document.querySelectorAll("#bubble button")];
  const buttons = bubble.length ? bubble : [...document.querySelectorAll("#options button")].filter(isSeen);
  const places = [...document.querySelectorAll("svg .lit[data-place], #holdings .lit")].filter(isSeen);
  const lit = bubble.length ? [] : places;
  const chosen = lit.length && (!buttons.length || luck > 0.25) ? one(lit) : one(buttons);
  if (!chosen) return null;
  let { left, top, width, height } = chosen.getBoundingClientRect();
  if (top < 90 || top + height > innerHeight - 10) {
    chosen.scrollIntoView({ block: "center" });
    ({ left, top, width, height } = chosen.getBoundingClientRect());
  }
  const parts = [0.5, 0.3, 0.7, 0.1, 0.9], { place } = chosen.dataset;
  for (const [x, y] of parts.flatMap((x) => parts.map((y) => [x, y]))) {
    const at = [left + x * width, top + y * height], hit = document.elementsFromPoint(...at);
    const isPlace = hit.some((each) => each.closest("[data-place]")?.dataset.place === place);
    if (place ? isPlace : chosen.contains(hit[0])) return at;
  }
  return "hidden";
}"""
"""A script that returns a point of a random option, on a marked place or a button; null if there is none."""


class Player:
    """A player at a table: a browser window of a given size, with a mouse or a touch screen."""

    def __init__(self, browser: Any, link: str, size: tuple[int, int], name: str) -> None:
        is_phone = size[0] < 600
        how = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2} if is_phone else {}
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **how)
        self.page = self.context.new_page()
        self.session = self.context.new_cdp_session(self.page)
        self.is_phone = is_phone
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.goto(link)
        self.page.wait_for_selector("#seats li")
        self.page.fill("#name", name)
        self.page.press("#name", "Enter")
        self.page.wait_for_selector("#sit", state="hidden")

    def is_asked(self) -> bool:
        """Whether the player has to decide."""
        return self.page.query_selector("#turn.mine") is not None

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.page.inner_text("#result").strip())

    def click(self, luck: float) -> bool:
        """Clicks or taps on a random option; returns whether there was one."""
        at = self.page.evaluate(_SPOT, luck)
        if at is None:
            return False
        if at == "hidden":
            self.page.keyboard.press("Escape")
        elif self.is_phone:
            self.page.touchscreen.tap(*at)
        else:
            self.page.mouse.click(*at)
        return True

    def picture(self, luck: float, path: Path) -> None:
        """Takes a screenshot with an option highlighted, and the texts of the current turn."""
        at = self.page.evaluate(_SPOT, luck)
        if isinstance(at, list):
            self._point(at)
        self.page.wait_for_timeout(900)
        self.page.screenshot(path=path)
        if isinstance(at, list) and self.is_phone:
            self._touch("touchEnd", [])
        elif not self.is_phone:
            self.page.mouse.move(2, 2)

    def _point(self, at: list[float]) -> None:
        if self.is_phone:
            self._touch("touchStart", [{"x": at[0], "y": at[1]}])
        else:
            self.page.mouse.move(*at)

    def _touch(self, kind: str, points: list[dict[str, float]]) -> None:
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@contextmanager
def _served(ref: str, players: int, bots: int) -> Iterator[list[str]]:
    """A server with one table, and the links of its players."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "rulespec", "serve", ref, "--players", str(players), "--bots", str(bots)]
        server = subprocess.Popen(
            [*words, "--port", "0", "--store", f"{folder}/tables.db"],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert server.stdout is not None
        links = []
        for line in server.stdout:
            if found := re.match(r"\s*(\w+)\s+(http\S+#\S+)$", line):
                links += [found[2]] if found[1] not in ("owner", "spectators") else []
            elif " serves " in line:
                break
        try:
            yield links[: players - bots]
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate()


def pictures(browser: Any, ref: str, args: argparse.Namespace) -> dict[str, int]:
    """Plays a game to its end; returns the numbers of clicks per window, and of screenshots."""
    rng, luck = random.Random(args.seed), random.Random(args.seed + 1)
    counts = {"clicks": 0, "pictures": 0}
    with _served(ref, args.players, args.bots) as links:
        people = [
            Player(browser, link, SIZES[n % 2], name)
            for n, (link, name) in enumerate(zip(links, ("Ann", "Bob"), strict=False))
        ]
        made = dict.fromkeys(range(len(people)), 0)
        asked = time.monotonic()
        while not all(each.is_over() for each in people) and (args.whole or min(made.values()) < args.count):
            for number, one in enumerate(people):
                if not one.is_asked():
                    continue
                asked = time.monotonic()
                if made[number] < args.count and rng.random() < args.share:
                    made[number] += 1
                    one.picture(luck.random(), args.out / f"{ref}-{SIZES[number % 2][0]}-{made[number]:02}.png")
                counts["clicks"] += one.click(luck.random())
                one.page.wait_for_timeout(30)
            people[0].page.wait_for_timeout(20)
            if time.monotonic() - asked > 60:
                raise RuntimeError(f"nobody is asked, and {ref} is not over")
        counts["pictures"] = sum(made.values())
        for each in people:
            if each.wrong:
                raise RuntimeError("; ".join(each.wrong))
            each.context.close()
    return counts


def main() -> None:
    """Takes the screenshots."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser()
    parser.add_argument("refs", nargs="+")
    parser.add_argument("--out", type=Path, default=Path("build/tables"))
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--bots", type=int, default=0)
    parser.add_argument("--count", type=int, default=12, help="pictures of each window")
    parser.add_argument("--share", type=float, default=0.1, help="of the clicks that are pictured before")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--whole", action="store_true", help="play on to the end when all pictures are made")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        for ref in args.refs:
            print(ref, pictures(browser, ref, args), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
