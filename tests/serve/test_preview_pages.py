"""Consequences before the click, in a real browser: by pointing, by keys, by a long press, and of what is not lit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from deadlines import until_in
from servers import Served, served

pytestmark = [pytest.mark.usefixtures("known_rulesets"), pytest.mark.proof]


@pytest.fixture
def chess(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "t.db", "chess", 2) as server:
        yield server


def opened(browser: Any, server: Served, seat: str = "white", **how: Any) -> Any:
    """The page of a seat, and the messages that it has sent."""
    page = browser.new_page(**{"viewport": {"width": 1360, "height": 850}, **how})
    page.sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: page.sent.append(text)))
    page.goto(f"{server.url.replace('ws', 'http', 1).removesuffix('/socket')}/#{server.keys[f'seat:{seat}']}")
    page.wait_for_selector("#seats li")
    page.fill("#name", "Ann")
    page.press("#name", "Enter")
    page.wait_for_selector("#question b" if seat != "white" else "#turn.mine")
    return page


def questions(page: Any) -> list[str]:
    return [text for text in page.sent if '"preview"' in text or '"why"' in text]


def shown(page: Any) -> str:
    until_in(page, lambda: page.is_visible(".preview"))
    return str(page.inner_text(".preview"))


def lines(page: Any) -> list[str]:
    return [line for line in shown(page).split("\n") if line]


def at(page: Any, square: str) -> tuple[float, float]:
    box = page.locator(f'#board [data-place="square.{square}"]').first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_what_is_pointed_at_says_what_would_be(browser: Any, chess: Served) -> None:
    page = opened(browser, chess)
    page.mouse.click(*at(page, "e2"))
    page.mouse.move(*at(page, "e4"))
    assert "e4" in shown(page) and len(questions(page)) == 1
    page.mouse.move(5, 5)
    until_in(page, lambda: page.is_hidden(".preview"))
    page.mouse.move(*at(page, "e4"))
    assert "e4" in shown(page) and len(questions(page)) == 1, "it is kept"
    page.mouse.click(*at(page, "e4"))
    page.wait_for_selector('#list > li[data-move="0"]')
    assert page.is_hidden(".preview")
    page.close()


def test_what_is_passed_over_is_not_asked_for(browser: Any, chess: Served) -> None:
    page = opened(browser, chess)
    for file in "abcdefgh" * 3:
        page.mouse.move(*at(page, f"{file}6"))
    assert len(questions(page)) <= 4
    page.close()


def test_what_is_not_lit_says_why(browser: Any, chess: Served) -> None:
    page = opened(browser, chess)
    page.mouse.move(*at(page, "e6"))
    assert "CHESS" in shown(page) or "FIDE" in shown(page) or len(shown(page)) > 8
    page.close()


def test_keys_and_a_long_press_say_it_too(browser: Any, chess: Served) -> None:
    page = opened(browser, chess, has_touch=True)
    page.focus('#board [data-place="square.e2"]')
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert "e" in shown(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.touchscreen.tap(*at(page, "d2"))
    x, y = at(page, "d4")
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    assert "d4" in shown(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(300)
    assert page.locator("#list > li").count() == 0, "to look is not to take"
    page.close()


def test_a_place_with_several_options_lists_them_and_asks_nothing(browser: Any, chess: Served) -> None:
    page = opened(browser, chess)
    page.mouse.move(*at(page, "e2"))
    assert lines(page) == ["e2", "Move e2\u2013e3", "Move e2\u2013e4"] and not questions(page)
    page.locator("#options .group").first.hover()
    knight = ["Move knight b1 …", "Move knight b1\u2013a3", "Move knight b1\u2013c3"]
    until_in(page, lambda: lines(page) == knight)
    assert not questions(page)
    page.close()


def test_an_open_group_leaves_its_own_places_on_the_board(browser: Any, chess: Served) -> None:
    page = opened(browser, chess)
    page.locator("#options .group").first.click()
    assert page.inner_text("#clicked span") == "Move knight b1 …"
    assert lit(page) == ["square.a3", "square.c3"] and clicked(page) == ["square.b1"]
    page.mouse.move(*at(page, "c3"))
    assert lines(page)[0] == "Move knight b1\u2013c3"
    page.mouse.click(*at(page, "c3"))
    until_in(page, lambda: page.locator("#list > li").count() == 1)
    page.close()


def lit(page: Any) -> list[str]:
    """The places on the board that a click chooses next."""
    script = "all => all.map((each) => each.dataset.place)"
    return sorted(set(page.eval_on_selector_all("#board .lit[data-place]", script)))


def clicked(page: Any) -> list[str]:
    """The places on the board that have been chosen."""
    script = "all => all.map((each) => each.dataset.place)"
    return sorted(set(page.eval_on_selector_all("#board .clicked[data-place]", script)))


def test_beside_a_list_of_buttons_no_button_is_covered(browser: Any, chess: Served) -> None:
    page = opened(browser, chess)
    page.mouse.click(*at(page, "e2"))
    page.locator("#options button").last.hover()
    assert "e2\u2013e4" in shown(page)
    box = page.locator(".preview").bounding_box()
    for button in page.locator("#options button").all():
        left = button.bounding_box()["x"]
        assert box["x"] + box["width"] <= left
    page.close()


def test_on_a_phone_the_panel_of_the_turn_stays_in_sight(browser: Any, tmp_path: Path) -> None:
    """The panel shows the latest events; a preview as high as a long one covers no part of it."""
    with served(tmp_path / "t.db", "imperial", 2) as server:
        phone = {"has_touch": True, "viewport": {"width": 393, "height": 560}}
        pages = [opened(browser, server, seat, **phone) for seat in "AB"]
        until_in(pages[0], lambda: any(each.is_visible("#turn.mine") for each in pages))
        page = next(each for each in pages if each.is_visible("#turn.mine"))
        page.add_style_tag(content=".preview { min-height: 240px }")
        touch = page.context.new_cdp_session(page)
        number = page.locator("#options button").count()
        assert number > 2
        for at in range(number):
            page.locator("#options button").nth(at).scroll_into_view_if_needed()
            box = page.locator("#options button").nth(at).bounding_box()
            point = {"x": box["x"] + 20, "y": box["y"] + 20}
            touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
            assert shown(page)
            preview, turn = (page.locator(each).bounding_box() for each in (".preview", "#turn"))
            assert turn["y"] + turn["height"] <= preview["y"] and preview["y"] + preview["height"] <= 560
            touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
            page.mouse.click(2, 2)
        page.close()


def test_a_click_after_a_long_press_counts(browser: Any, chess: Served) -> None:
    page = opened(browser, chess, has_touch=True)
    touch = page.context.new_cdp_session(page)
    x, y = at(page, "e2")
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    assert "e4" in shown(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.touchscreen.tap(x, y)
    assert page.inner_text("#clicked span") == "e2"


def test_where_an_option_would_be_carried_out_is_marked(browser: Any, chess: Served) -> None:
    page = opened(browser, chess)
    marked = "[...document.querySelectorAll('[data-place].meant')].map((each) => each.dataset.place).sort()"
    page.mouse.click(*at(page, "e2"))
    page.locator("#options button", has_text="e4").first.hover()
    assert "square.e4" in page.evaluate(marked)
    assert page.locator(".rings .meant").count() == len(page.evaluate(marked))
    page.mouse.move(5, 5)
    until_in(page, lambda: page.evaluate(marked) == [])
    assert page.locator(".rings .meant").count() == 0
    page.close()
