"""Variations in windows of a real browser: two people keep their own, and neither meets the other's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from servers import Process

pytestmark = [pytest.mark.usefixtures("known_rulesets"), pytest.mark.proof]
SIZES = {"A": (1360, 850), "B": (393, 852)}


class Window:
    """A page of a table, and what it has complained of."""

    def __init__(self, browser: Any, link: str, width: int, height: int) -> None:
        self.wrong: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.watch(self.page)
        self.page.goto(link)
        self.page.wait_for_selector("#seats li")

    def watch(self, page: Any) -> None:
        """Notes what a page complains of."""
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: self.wrong.append(message.text))

    def sit(self, name: str) -> None:
        self.page.fill("#name", name)
        self.page.press("#name", "Enter")
        self.page.wait_for_selector("#sit", state="hidden")

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector)).strip()

    def until_mine(self) -> None:
        self.page.wait_for_selector("#turn.mine")


@pytest.fixture
def table(browser: Any, tmp_path: Path) -> Iterator[dict[str, Window]]:
    """Two people at a table of Connect Four, one of them with a phone."""
    process = Process("connect_four", "--store", tmp_path / "t.db")
    windows = {who: Window(browser, f"{process.base}/#{process.links[who]}", *size) for who, size in SIZES.items()}
    for who, window in windows.items():
        window.sit(f"{who}-name")
    yield windows
    for window in windows.values():
        assert window.wrong == []
        window.page.close()
    process.close()


def column(page: Any, number: int) -> None:
    """Drops a disc into a column, and waits out the double click."""
    had = page.locator("#list > li").count()
    page.locator("#options button").nth(number).click()
    page.locator("#list > li").nth(had).wait_for()
    page.wait_for_timeout(600)  # sooner, a click at the same spot is the second half of a double click


def keep(window: Window, name: str, number: int) -> None:
    """Tries two moves out, and keeps them with a name."""
    with window.page.expect_popup() as popup:
        window.page.click("#fork")
    window.watch(copy := popup.value)
    copy.wait_for_selector("#turn.mine")
    column(copy, number)
    column(copy, number)
    copy.fill("#keep input[name=name]", name)
    copy.fill("#keep input[name=remark]", "<b>why</b>")
    copy.click("#keep button")
    copy.locator("#keep output", has_text=name).wait_for()
    copy.close()


def listed(window: Window) -> list[str]:
    """The names in one's own list, which is opened again."""
    if window.page.get_attribute("#lines", "open") is not None:
        window.page.click("#lines summary")
    window.page.click("#lines summary")
    window.page.locator("#lines li").first.wait_for()
    return [str(text) for text in window.page.locator("#lines li b").all_inner_texts()]


def test_two_people_keep_their_own_and_publish_them(table: dict[str, Window]) -> None:
    ann, bob = table["A"], table["B"]
    ann.until_mine()
    column(ann.page, 3)
    bob.until_mine()
    keep(ann, "of Ann", 0)
    keep(bob, "of Bob", 6)
    assert (listed(ann), listed(bob)) == (["of Ann"], ["of Bob"])
    assert ann.text("#lines li p") == "<b>why</b>"
    for window, other in ((ann, "of Bob"), (bob, "of Ann")):
        assert other not in window.page.content()
        assert window.page.evaluate("document.documentElement.scrollWidth") <= window.page.viewport_size["width"]
    bob.page.click("#lines li button:has-text('Publish')")
    bob.page.locator("#lines li", has_text="published").wait_for()
    with ann.page.expect_popup() as popup:
        ann.page.click("#study")
    ann.watch(study := popup.value)
    study.wait_for_selector("#list li")
    assert study.inner_text("#number") == "1 / 1", "it opens at the present"
    assert study.locator("#variations > li > b").all_inner_texts() == ["of Bob · B-name", "of Ann"]
    assert "jsonl" not in study.inner_text("#about") and "A-name" in study.inner_text("#about")
    study.locator("#variations button").last.click()
    assert study.locator("#board .changed").count() == 1
    study.close()
    with ann.page.expect_popup() as popup:
        ann.page.click("#lines li button:has-text('Open')")
    ann.watch(again := popup.value)
    again.locator("#list > li").nth(2).wait_for()
    again.close()
