"""The rows of `takebacks` by two pages of a real browser: what is free, what is asked for, and redo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from browser import click_option
from cases import split, write
from deadlines import until_in
from folders import RULESETS
from servers import served
from takebacks import ROWS, RULES, Row, without_secrets

pytestmark = [pytest.mark.usefixtures("known_rulesets"), pytest.mark.proof]


class Page:
    """A page of a seat."""

    def __init__(self, browser: Any, base: str, key: str, name: str) -> None:
        self.page = browser.new_page(viewport={"width": 1360, "height": 850})
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.goto(f"{base}/#{key}")
        self.page.wait_for_selector("#seats li")
        if self.page.is_visible("#sit"):
            self.page.fill("#name", name)
            self.page.press("#name", "Enter")
            self.page.wait_for_selector("#sit", state="hidden")

    def close(self) -> None:
        """Ends it; it has complained of nothing."""
        self.page.close()
        assert self.wrong == []

    @property
    def count(self) -> int:
        return int(self.page.locator("#list > li[data-move]").count())

    def until(self, condition: Any) -> None:
        until_in(self.page, condition)

    def take(self, option: str) -> None:
        """Takes an option by its button."""
        button = f'[data-option="{option}"]'
        self.until(lambda: self.page.locator(button).count())
        before = self.page.inner_text("#list"), self.page.inner_text("#seats")
        self.page.evaluate(f"document.querySelector('{button}').click()")
        self.until(lambda: (self.page.inner_text("#list"), self.page.inner_text("#seats")) != before)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def pages_of(row: Row, text: str, browser: Any, folder: Path, stack: ExitStack) -> dict[str, Page]:
    """The pages of the people of a row, at which its plays have been made."""
    seats = row.seats.replace("*", "")
    ruleset = write(folder / "game", split(text, "rules/play.rules"))
    bots = {seat.upper(): "random" for seat in seats if seat.islower() and "*" not in row.seats}
    of = stack.enter_context(served(folder / "t.db", str(ruleset), len(seats), bots=bots))
    for live in of.hall.games.values():
        live.table.set_undo(0, row.answers)
    base = of.url.replace("ws", "http", 1).removesuffix("/socket")
    people = [seat.upper() for seat in seats if seat.upper() not in bots]
    pages = {seat: Page(browser, base, of.keys[f"seat:{seat}"], f"{seat}nn") for seat in people}
    for seat, page in pages.items():
        stack.callback(page.close)
        if seat.lower() in row.seats:
            page.page.click("#leave summary")
            page.page.click("#leave button")
            page.page.wait_for_selector("#return", state="visible")
    for play in row.plays.split(", "):
        seat, _, option = play.partition(" ")
        if seat.isupper():
            pages[seat].take(option)
    return pages


@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_by_two_pages(row: Row, secret: bool, browser: Any, tmp_path: Path, stack: ExitStack) -> None:
    pages = pages_of(row, RULES if secret else without_secrets(RULES), browser, tmp_path, stack)
    me = pages[row.who]
    other = next((page for seat, page in pages.items() if seat != row.who), None)
    free = row.secret if secret else row.open
    before, text = me.count, me.page.inner_text("#list")
    if free:
        assert me.page.inner_text("#back") == "Undo"
        me.page.dblclick("#back")  # the second click would hit "Redo", which has come to its place
        me.until(lambda: me.count < before)
        if other is not None:
            other.until(lambda: other.count == me.count)
            assert other.page.is_hidden("#undo") and "took back" in other.page.inner_text("#list")
        me.page.wait_for_timeout(600)
        assert me.count < before
        me.page.click("#redo")
        me.until(lambda: me.count == before)
        assert me.page.inner_text("#list").splitlines()[-1] == text.splitlines()[-1]
    elif me.page.is_visible("#withdraw"):
        me.page.click("#withdraw")
        me.until(lambda: me.page.is_hidden("#withdraw"))
        assert other is None or other.page.is_hidden("#undo")
    elif me.page.is_visible("#back") and other is not None and me.page.inner_text("#back") != "Undo":
        me.page.click("#back")
        other.until(lambda: other.page.is_visible("#undo"))
        asks = other.page.inner_text("#undo").replace("\u2068", "").replace("\u2069", "")
        assert f"{row.who}nn asks to take back: " in asks and "Asked: " in asks
        assert "asks to take back" in other.page.title() or other.page.is_hidden("#undo button")
        me.page.click("#undo button")
        other.until(lambda: other.page.is_hidden("#undo"))
        assert me.count == before


def test_a_plan_is_shown_to_others_once_it_stands(browser: Any, tmp_path: Path, stack: ExitStack) -> None:
    of = stack.enter_context(served(tmp_path / "t.db", str(RULESETS / "paddocks"), 2))
    base = of.url.replace("ws", "http", 1).removesuffix("/socket")
    ann, bob = (Page(browser, base, of.keys[f"seat:{seat}"], name) for seat, name in (("A", "Ann"), ("B", "Bob")))
    for page in (ann, bob):
        stack.callback(page.close)
    fences = [f"fence_off(a1_{way})" for way in "nesw"]
    for number, option in enumerate([*fences[:2], "withdraw", *fences, "done"]):
        click_option(ann.page, option)
        count = number + 1 if number < 2 else number - 2
        ann.until(lambda count=count: ann.count == count)
        assert option == "done" or bob.count == 0
    bob.until(lambda: bob.count == 5)
    (live,) = of.hall.games.values()
    assert [str(step.option) for step in live.table.game.omniscient.numbers.steps] == [*fences, "done"]
