"""The replay page in a real browser: keys, clicks, slider, links, phones, charts, and the place of an illegal entry."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import Open, Opened, opened_in
from folders import GAMES

from rulespec.cli.main import run

QUICKSTART = GAMES / "imperial" / "logs" / "quickstart.jsonl"
MOVES = 112
"""The number of moves of the game."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return viewed(QUICKSTART, tmp_path_factory.mktemp("pages") / "quickstart.html")


def viewed(log: Path, out: Path, *options: str) -> Path:
    assert run(["view", str(log), "--out", str(out), *options]) == 0
    return out


@pytest.fixture(scope="module")
def tab(browser: Any, page: Path) -> Iterator[Opened]:
    """A tab for tests that depend on the present move alone: laying out the page takes most of a test's time."""
    opened = opened_in(browser, page)
    yield opened
    opened.page.close()
    opened.sound()


def number(opened: Opened) -> int:
    shown, _, end = opened.texts("#number")[0].partition(" / ")
    assert end == opened.page.get_attribute("#slider", "max")
    assert opened.page.input_value("#slider") == shown
    assert opened.texts("li[aria-current] b") == [shown]
    return int(shown)


@pytest.mark.proof
def test_a_page_begins_at_the_start(open_page: Open, page: Path) -> None:
    opened = open_page(page)
    assert number(opened) == 0
    assert opened.texts("h1") == ["Imperial"]
    assert len(opened.page.query_selector_all("#list li")) == MOVES + 1


@pytest.mark.proof
def test_reasons_open_below_a_move(open_page: Open, page: Path, tmp_path: Path) -> None:
    opened = open_page(viewed(QUICKSTART, tmp_path / "why.html", "--reasons", "--until", "30"), "#30")
    opened.page.click("#why summary")
    assert opened.page.locator("#why .tree li").count() > 1 and opened.page.locator("#why .tree").is_visible()
    assert opened.texts("#why summary")[0] == "Why?"
    plain = open_page(page, "#30")
    assert plain.page.is_hidden("#why")


@pytest.mark.proof  # 1.0 s
@pytest.mark.parametrize(
    "keys, place",
    [
        (["ArrowRight"], 1),
        (["ArrowRight", "ArrowRight", "ArrowLeft"], 1),
        (["ArrowLeft"], 0),
        (["PageDown", "PageDown", "PageUp", "ArrowRight"], 11),
        (["End"], MOVES),
        (["End", "ArrowRight", "PageUp"], MOVES - 10),
        (["End", "Home"], 0),
    ],
)
def test_keys_go_from_move_to_move(open_page: Open, page: Path, keys: list[str], place: int) -> None:
    opened = open_page(page)
    opened.press(*keys)
    assert number(opened) == place


@pytest.mark.proof
def test_keys_work_wherever_the_focus_is(open_page: Open, page: Path) -> None:
    opened = open_page(page)
    for selector in ("#slider", "#next", "#rules button"):
        opened.go("#5")
        opened.wait("document.getElementById('slider').value === '5' && location.hash === '#5'")
        opened.page.reload()
        opened.page.focus(selector)
        opened.press("ArrowRight")
        assert number(opened) == 6
        opened.wait("location.hash === '#6'")  # the address is updated with a delay


@pytest.mark.proof
def test_buttons_go_from_move_to_move(open_page: Open, page: Path) -> None:
    opened = open_page(page)
    assert opened.page.is_disabled("#back") and opened.page.is_disabled("#first")
    for button, place in (
        ("#next", 1),
        ("#next", 2),
        ("#back", 1),
        ("#last", MOVES),
        ("#back", MOVES - 1),
        ("#first", 0),
    ):
        opened.page.click(button)
        assert number(opened) == place


@pytest.mark.proof
def test_the_slider_goes_to_a_move(open_page: Open, page: Path) -> None:
    opened = open_page(page)
    box = opened.page.query_selector("#slider").bounding_box()
    opened.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert abs(number(opened) - MOVES / 2) <= 1


def test_a_click_in_the_list_goes_to_the_move(tab: Opened) -> None:
    tab.page.click('#list li[data-move="51"]')
    assert number(tab) == 51


@pytest.mark.proof
def test_the_move_of_the_list_is_in_sight(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#80")
    row = opened.page.query_selector("li[aria-current]").bounding_box()
    box = opened.page.query_selector("#moves").bounding_box()
    assert box["y"] <= row["y"] and row["y"] + row["height"] <= box["y"] + box["height"]


@pytest.mark.proof
def test_the_slider_tells_where_it_is(open_page: Open, page: Path) -> None:
    note = open_page(page, "#5").page.get_attribute("#slider", "aria-valuetext")
    assert note == f"5 of {MOVES}: Austria-Hungary (Claudia) moves to Import"


def test_a_link_leads_to_a_move_and_steps_change_it(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#51")
    assert number(opened) == 51
    opened.press("ArrowRight")
    opened.page.wait_for_url("**#52")
    opened.page.evaluate("location.hash = '#7'")
    opened.wait("document.getElementById('slider').value === '7'")
    assert number(opened) == 7


def shown(opened: Opened) -> list[float]:
    """The visible part of the board: left, top, width, height."""
    box: str = opened.page.get_attribute("#board svg", "viewBox")
    return [float(number) for number in box.split()]


@pytest.mark.proof
def test_the_board_comes_closer_by_keys_and_buttons_and_the_wheel(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#20")
    whole = shown(opened)
    assert opened.page.is_disabled("#farther") and opened.page.is_disabled("#whole")
    opened.press("+", "+")
    assert shown(opened)[2] == pytest.approx(whole[2] / 1.96) and number(opened) == 20
    opened.press("-", "0")
    assert shown(opened) == whole
    opened.page.click("#closer")
    assert shown(opened)[2] == pytest.approx(whole[2] / 1.4)
    opened.page.click("#whole")
    assert shown(opened) == whole
    box = opened.page.query_selector("#board svg").bounding_box()
    opened.page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4)
    opened.page.mouse.wheel(0, -100)
    assert shown(opened) == whole  # without Ctrl, the page scrolls
    opened.page.keyboard.down("Control")
    opened.page.mouse.wheel(0, -100)
    opened.page.keyboard.up("Control")
    opened.wait(f"document.querySelector('#board svg').viewBox.baseVal.width < {whole[2] - 1}")
    left, _, width, height = shown(opened)
    assert left == pytest.approx((whole[2] - width) / 4, rel=0.1) and height / width == pytest.approx(
        whole[3] / whole[2]
    )


@pytest.mark.proof
def test_a_board_that_is_closer_is_dragged_but_not_off_its_edge(open_page: Open, page: Path) -> None:
    opened = open_page(page)
    opened.press("+", "+", "+")
    left, _, width, _ = shown(opened)
    box = opened.page.query_selector("#board svg").bounding_box()
    x, y = box["x"] + 150, box["y"] + 150
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    opened.page.mouse.move(x - 60, y, steps=3)
    assert shown(opened)[0] == pytest.approx(left + 60 / box["width"] * width, rel=0.02)
    opened.page.mouse.move(x + 5_000, y + 5_000, steps=3)
    opened.page.mouse.up()
    assert shown(opened)[:2] == [0, 0]
    opened.page.mouse.move(x, y)
    assert shown(opened)[:2] == [0, 0]


@pytest.mark.proof
def test_two_fingers_bring_the_board_closer(open_page: Open, page: Path) -> None:
    opened = open_page(page)
    width = shown(opened)[2]
    opened.page.evaluate("""() => {
        const svg = document.querySelector("#board svg"), box = svg.getBoundingClientRect();
        const touch = (name, id, x) => svg.dispatchEvent(new PointerEvent(name, {
            pointerId: id, pointerType: "touch", clientX: box.left + x, clientY: box.top + 50, bubbles: true }));
        touch("pointerdown", 1, 100); touch("pointerdown", 2, 200);
        touch("pointermove", 2, 300); touch("pointerup", 1, 100); touch("pointerup", 2, 300);
    }""")
    assert shown(opened)[2] == pytest.approx(width / 2)


@pytest.mark.proof  # 0.4 s, of a browser
@pytest.mark.parametrize(
    "fragment, place",
    [("#99999", MOVES), ("#-3", 0), ("#x", 0), ("#1e9", 0), ("#<img src=x>", 0), ("#00004", 4), ("#1.5", 0)],
)
def test_a_link_to_no_move_leads_somewhere(open_page: Open, page: Path, fragment: str, place: int) -> None:
    assert number(open_page(page, fragment)) == place


def test_a_move_says_what_it_changed_and_which_rules_it_rests_on(tab: Opened) -> None:
    tab.page.evaluate("location.hash = '#5'")
    tab.wait("document.getElementById('slider').value === '5'")
    assert "import" in tab.texts("#text")[0].lower()
    assert tab.texts("#changes li")
    assert tab.texts("#rules button.own")[0] == "IMP-RON-03"
    assert "IMP-IMP-01" in tab.texts("#rules button:not(.own)")
    tab.page.click("#rules button.own")
    assert tab.texts("#cited dt") == ["IMP-RON-03"] and tab.texts("#cited dd")[0]


def test_charts_show_what_the_ruleset_measures(tab: Opened) -> None:
    tab.press("End")
    assert tab.texts("#measure option")[:3] == ["Points", "Cash", "Power"]
    assert tab.texts("#legend li") == ["Daniel 1", "Anton 8", "Bert 3", "Claudia 1"]
    tab.page.select_option("#measure", label="Power")
    tab.press("Home")
    assert {text.rpartition(" ")[2] for text in tab.texts("#legend li")} == {"0"}
    assert tab.page.query_selector("#chart canvas") is not None


@pytest.mark.proof
def test_a_click_in_a_chart_goes_to_the_move(open_page: Open, page: Path) -> None:
    opened = open_page(page)
    box = opened.page.query_selector("#chart .u-over").bounding_box()
    opened.page.click("#chart .u-over", position={"x": box["width"] * 0.75, "y": box["height"] / 2})
    assert abs(number(opened) - MOVES * 0.75) <= 2


@pytest.mark.proof
def test_a_choice_of_the_chart_keeps_its_keys(open_page: Open, page: Path) -> None:
    opened = open_page(page)
    opened.page.focus("#measure")
    opened.press("ArrowDown")
    assert number(opened) == 0


@pytest.mark.parametrize("width, height", [(393, 851), (320, 568), (768, 1024)])
@pytest.mark.proof  # 2 s, of a browser
def test_nothing_scrolls_sideways_on_a_phone(open_page: Open, page: Path, width: int, height: int) -> None:
    opened = open_page(page, "#40", width, height)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    for button in ("#first", "#back", "#next", "#last"):
        box = opened.page.query_selector(button).bounding_box()
        assert box["width"] >= 44 and box["height"] >= 44
    opened.page.click("#next")
    assert number(opened) == 41


@pytest.mark.proof
def test_a_window_that_becomes_narrow_keeps_its_chart_inside(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#40", 1200, 800)
    opened.page.set_viewport_size({"width": 393, "height": 800})
    opened.wait("document.querySelector('#chart canvas').getBoundingClientRect().right <= 393")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 393


@pytest.mark.parametrize("fragment", ["#0", "#51", "#112"])
@pytest.mark.proof  # 4 s, of a browser
def test_the_same_position_is_the_same_picture(open_page: Open, page: Path, fragment: str) -> None:
    direct = open_page(page, fragment)
    stepped = open_page(page, "#60")
    stepped.press("PageDown", "Home", "End")
    stepped.page.evaluate(f"location.hash = '{fragment}'")
    stepped.wait(f"document.getElementById('slider').value === '{fragment[1:]}'")
    stepped.page.mouse.move(0, 0)
    assert picture(direct) == picture(stepped)


def picture(opened: Opened) -> bytes:
    """The window, painted as a whole, because partial repaints shade round corners differently."""
    opened.page.evaluate("document.body.style.display = 'none'")
    opened.page.screenshot()
    opened.page.evaluate("document.body.style.display = ''")
    return bytes(opened.page.screenshot(animations="disabled"))


@pytest.mark.proof  # 0.4 s
def test_a_log_that_breaks_a_rule_opens_where_it_does(open_page: Open, tmp_path: Path) -> None:
    lines = QUICKSTART.read_text("utf-8").splitlines()
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join([*lines[:20], '{"decision": "x", "by": "Bert", "option": "move(factory)"}']) + "\n")
    opened = open_page(viewed(broken, tmp_path / "broken.html"))
    assert number(opened) == 20 and opened.page.get_attribute("#slider", "max") == "20"
    assert "breaks a rule at line 21" in opened.texts("#text")[0]
    assert "Reason" in opened.texts("#stop dt")
    assert opened.page.get_attribute("#list li:last-child", "class") == "wrong"
    opened.press("ArrowLeft")
    assert number(opened) == 19 and opened.texts("#stop dt") == []


@pytest.mark.proof
def test_the_last_move_says_how_the_game_stands(open_page: Open, page: Path, tmp_path: Path) -> None:
    assert open_page(page, "#112").texts("#stop dt") == ["Goes on"]
    ended = GAMES / "tutorial" / "logs"
    log = next(p for p in sorted(ended.glob("*.jsonl*")))
    opened = open_page(viewed(log, tmp_path / "ended.html"))
    opened.press("End")
    assert "Won by" in opened.texts("#stop dt")


@pytest.mark.proof
def test_the_begin_of_a_game_is_a_page(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(viewed(QUICKSTART, tmp_path / "begin.html", "--until", "0"))
    assert number(opened) == 0 and opened.page.is_disabled("#next")


@pytest.mark.proof
def test_charts_have_the_colours_of_the_board(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(viewed(GAMES / "imperial_2030/logs/nobody-invests.jsonl", tmp_path / "page.html"))
    swatches = "[...document.querySelectorAll('#legend i')].map((i) => getComputedStyle(i).borderTopColor)"
    lines = "JSON.parse(document.getElementById('data').textContent).measures[0].lines.map((line) => line.colour)"
    inputs = [tuple(int(c[i : i + 2], 16) for i in (1, 3, 5)) for c in opened.page.evaluate(lines)]
    assert opened.page.evaluate(swatches) == [f"rgb({r}, {g}, {b})" for r, g, b in inputs]
    opened.press("End")
    opened.sound()


@pytest.mark.proof  # 0.4 s, of a browser
def test_tables_are_in_the_letters_of_the_page(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#84")
    assert opened.texts("#tables caption") == ["Imperial", "Nations, in the order of their turns", "Investors"]
    rows = [row.replace(" ", "") for row in opened.texts("#tables tr")]
    assert "4Claudia7A2F9" in rows
    assert opened.texts("#tables td.changed") == ["6", "7"]
    size = "parseFloat(getComputedStyle(document.querySelector('#tables td')).fontSize)"
    assert opened.page.evaluate(size) >= 13
    assert opened.page.query_selector_all("#board .tables") == []
    opened.press("ArrowLeft")
    assert "7" not in opened.texts("#tables td.changed")


@pytest.mark.proof  # 0.4 s, of a browser
def test_steps_go_by_turns_too(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#62")
    opened.press("Shift+ArrowRight")
    assert number(opened) == 69  # France has moved: Great Britain is next
    opened.page.click("#turn_next")
    assert number(opened) == 71
    opened.press("Shift+ArrowLeft", "Shift+ArrowLeft")
    assert number(opened) == 61
    opened.press("Home", "Shift+ArrowLeft")
    assert number(opened) == 0


@pytest.mark.proof
def test_moves_that_change_nothing_are_left_out_if_one_likes(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#65")
    hidden = len(opened.page.query_selector_all("#list li.quiet"))
    assert 0 < hidden < MOVES
    opened.page.check("#quiet")
    assert opened.page.evaluate("[...document.querySelectorAll('#list li')].filter(l => l.offsetHeight).length") == (
        MOVES + 1 - hidden
    )
    opened.page.click("#next")
    assert number(opened) == 67  # 66 ends the fleet moves
    opened.page.click("#back")
    assert number(opened) == 65


@pytest.mark.proof
def test_a_game_plays_by_itself(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#108")
    opened.press("p")
    assert opened.page.get_attribute("#play", "aria-pressed") == "true"
    opened.wait(f"document.querySelector('#number').textContent === '{MOVES} / {MOVES}'")
    assert opened.page.get_attribute("#play", "aria-pressed") == "false"


@pytest.mark.proof
def test_moves_wrap_on_a_phone(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#95", 393, 851)
    cut = "[...document.querySelectorAll('#list li span')].filter(s => s.scrollWidth > s.clientWidth + 1).length"
    assert opened.page.evaluate(cut) == 0


@pytest.mark.proof
def test_nothing_is_blank_above_the_charts(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#112")
    parts = [opened.page.locator(f"#{name}").bounding_box() for name in ("board", "tables", "charts")]
    assert all(0 <= b["y"] - a["y"] - a["height"] < 20 for a, b in pairwise(parts))


@pytest.mark.proof
def test_a_page_in_the_dark(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#84")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = opened.page.evaluate(paper)
    opened.page.emulate_media(color_scheme="dark")
    assert light == "rgb(255, 255, 255)" and opened.page.evaluate(paper) == "rgb(23, 23, 27)"


def test_a_page_has_no_path_of_this_machine_and_no_python(open_page: Open, tmp_path: Path) -> None:
    lines = QUICKSTART.read_text("utf-8").splitlines()
    lines[10] = '{"decision": "rondel", "by": "Anton", "option": "move(taxation)"}'
    log = tmp_path / "broken.jsonl"
    log.write_text("\n".join(lines) + "\n", "utf-8")
    text = viewed(log, tmp_path / "broken.html", "--omniscient").read_text("utf-8")
    assert str(tmp_path) not in text and str(GAMES) not in text and "{'" not in text
    opened = open_page(tmp_path / "broken.html")
    assert opened.texts("#stop dt")[0] == "Reason"
