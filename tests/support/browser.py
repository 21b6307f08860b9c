"""A real browser, Debian's Chromium driven by Playwright, that reaches only files and servers of tests."""

from __future__ import annotations

import asyncio
import shutil
from asyncio.events import _set_running_loop
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from deadlines import DEADLINE, until_in

CHROMIUM = shutil.which("chromium")

_WITHOUT = [
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),  # the address bar takes 0.6 s a window
    *("AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"),
    *("MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"),
    *("TcpPortRandomizationWin", "ThirdPartyStoragePartitioning"),
]
"""Features that are off: what no test needs, and what Playwright turns off, as the last list alone holds."""
_NOTE_CLICKS = """addEventListener("click", (event) => {
  if (event.detail) window.lastClick = [event.timeStamp, event.clientX, event.clientY];
}, true)"""
_IS_NO_DOUBLE = """([x, y]) => !window.lastClick || performance.now() - lastClick[0] > 500
    || Math.hypot(x - lastClick[1], y - lastClick[2]) > 12"""
"""Whether pages take a click as a new one, not as the second half of a double click, which they ignore."""
_UNCOVER = """(element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  if (!element.contains(top)) element.scrollIntoView({ block: "center" });
}"""
"""Scrolls an element from under the question, which stays at the top of a page."""


def _patient(started: Any) -> Any:
    """A browser whose pages wait for up to `DEADLINE`."""
    opened = started.new_page

    def new_page(**how: Any) -> Any:
        page = opened(**how)
        page.set_default_timeout(1000 * DEADLINE)
        return page

    started.new_page = new_page
    return started


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Any, asyncio.AbstractEventLoop]]:
    """A browser shared by all tests of a process, and the idle event loop of its driver; see `browser`."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        # Names are not resolved, so only servers of tests are reachable; tests of files check that no request is made.
        args = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--disable-features={','.join(_WITHOUT)}"]
        started = driver.chromium.launch(executable_path=CHROMIUM, args=args)
        loop = asyncio.get_running_loop()
        _set_running_loop(None)
        yield _patient(started), loop
        _set_running_loop(loop)
        started.close()


@pytest.fixture(scope="module")
def browser(chromium: tuple[Any, asyncio.AbstractEventLoop]) -> Iterator[Any]:
    """The browser for the tests of a file; they are skipped without a browser.

    The driver's event loop counts as running in this thread meanwhile, but tests in other files need loops of their
    own.
    """
    started, loop = chromium
    _set_running_loop(loop)
    yield started
    _set_running_loop(None)


class Opened:
    """A file in a browser tab, with its requests and its console errors."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.file = file
        self.asked: list[str] = []
        self.wrong: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: self.wrong.append(message.text))
        page.on("dialog", lambda dialog: self.wrong.append(dialog.message))

    def wait(self, condition: str) -> None:
        """Waits up to `DEADLINE` until a JavaScript expression is true.

        `page.wait_for_function` would evaluate the expression inside the page, which the page's policy forbids.
        """
        until_in(self.page, lambda: self.page.evaluate(condition), lambda: f"it does not become true that {condition}")

    def go(self, fragment: str = "") -> None:
        """Opens the file, at a fragment such as `#51`."""
        self.page.goto(f"{self.file.as_uri()}{fragment}")

    def texts(self, selector: str) -> list[str]:
        """The texts of the matching elements."""
        return [str(each.text_content()).strip() for each in self.page.query_selector_all(selector)]

    def click(self, target: Any) -> None:
        """Clicks the middle of an element, once it rests and this cannot be the second half of a double click."""
        target.scroll_into_view_if_needed()
        target.evaluate(_UNCOVER)
        middle: list[float] = []

        def rests() -> bool:
            nonlocal middle
            box, before = target.bounding_box(), middle
            middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
            return middle == before and bool(self.page.evaluate(_IS_NO_DOUBLE, middle))

        until_in(self.page, rests)
        self.page.mouse.click(*middle)

    def press(self, *keys: str) -> None:
        """Presses keys, one after another."""
        for key in keys:
            self.page.keyboard.press(key)

    def sound(self) -> None:
        """Asserts that the page requested only itself, and reported no error."""
        asked = {url.partition("#")[0] for url in self.asked if not url.startswith("blob:")}
        assert asked == {self.file.as_uri()}
        assert self.wrong == []


def opened_in(browser: Any, file: Path, fragment: str = "", width: int = 1200, height: int = 800) -> Opened:
    """A file in a new tab, at a fragment, in a window of a given width and height in pixels."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.add_init_script(_NOTE_CLICKS)
    opened = Opened(page, file)
    opened.go(fragment)
    return opened


Open = Callable[..., Opened]
"""Opens a file, given its path, a fragment, and the width and height of the window."""


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """A function that opens files in tabs; after the test, each tab is checked for other requests and errors."""
    opened: list[Opened] = []

    def open_(file: Path, fragment: str = "", width: int = 1200, height: int = 800) -> Opened:
        opened.append(opened_in(browser, file, fragment, width, height))
        return opened[-1]

    yield open_
    for each in opened:
        each.page.close()
        each.sound()


def click_option(page: Any, option: str) -> None:
    """Clicks the button of an option, first opening its group if necessary."""
    button, group = f"""document.querySelector('[data-option="{option}"]')""", "#options [data-group]"
    page.wait_for_function(f"{button} || document.querySelector('{group}')")
    page.evaluate(f"{button} || document.querySelector('{group}').click(); {button}.click()")
