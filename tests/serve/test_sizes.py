"""A table in a real browser, measured: legible letters, pieces inside regions, and a turn that stays in view."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from deadlines import until_in
from servers import served

from rulespec.engine.game.seating import seat_names
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")

WIDE, PHONE = (1360, 850), (393, 852)
_TEXTS = """() => [...document.querySelectorAll("figure svg text:not(.tiny)")].filter(
  (text) => text.getClientRects().length
).map((text) => {
  const { a, b } = text.getScreenCTM();
  return Number(text.getAttribute("font-size")) * Math.hypot(a, b);
})"""
_NAMES = """() => [...document.querySelectorAll("figure.large [data-name]")]
  .map((name) => !name.querySelector("text").matches(".tiny"))"""
_OUTSIDE = """() => [...document.querySelectorAll("figure.large [data-item^='piece.']")].filter((item) => {
  const [, region] = item.dataset.item.split("."), kind = document.querySelector("figure.large").dataset.panel;
  const path = document.querySelector(`figure.large:has([data-name]) [data-place="${kind}.${region}"] > path`);
  if (!path) return false;  // it is no map
  const box = item.querySelector("path[transform]").getBoundingClientRect(), into = path.getScreenCTM().inverse();
  const inside = (x, y) => path.isPointInFill(new DOMPoint(x, y).matrixTransform(into));
  let count = 0;
  for (let i = 0.5; i < 10; i++)
    for (let j = 0.5; j < 10; j++) count += inside(box.left + i * box.width / 10, box.top + j * box.height / 10);
  return count < 80 || !inside(box.left + box.width / 2, box.top + box.height / 2);
}).map((item) => item.dataset.item)"""
_UNNAMED = """() => {
  const read = [...document.querySelectorAll("figure.large text:not(.tiny)")].map((each) => each.textContent).join(" ");
  const lit = [...document.querySelectorAll("figure.large svg [data-place].lit")].map((each) => each.ariaLabel);
  return [lit.length, lit.filter((name) => !name.split(" ").every((word) => read.includes(word)))];
}"""
_ASKED = """() => {
  const lit = new Set([...document.querySelectorAll("figure.large .lit")].map((each) => each.dataset.place));
  const names = [...document.querySelectorAll("figure.large [data-name]")].filter((each) => lit.has(each.dataset.name));
  const pieces = [...document.querySelectorAll("figure.large [data-item^='piece.'] path[transform]")];
  const sizes = pieces.map((piece) => {
    const scale = piece.getAttribute("transform").match(/scale\\(([\\d.]+)/)[1];
    return 24 * scale * piece.ownerSVGElement.getScreenCTM().a;
  });
  const tiny = names.filter((each) => each.querySelector("text").matches(".tiny")).length;
  return { tiny, names: names.length, least: Math.min(...sizes) };
}"""

_CUT = """() => {
  const latest = document.querySelector("#latest"), box = latest.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(latest);
  const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
  const sentences = [...document.querySelectorAll("#news li > button")].map((each) => each.textContent);
  const cut = range.getBoundingClientRect().bottom > box.bottom + 1;
  return { cut, lines: lines.size, text: latest.textContent, sentences };
}"""
_FRAMED = """() => {
  const boxOf = (each) => each.getBoundingClientRect();
  const names = [...document.querySelectorAll("figure [data-seat] text")];
  const within = (inner, outer) => ["left", "top"].every((side) => outer[side] < inner[side])
    && ["right", "bottom"].every((side) => outer[side] > inner[side]);
  const frames = [...document.querySelectorAll("rect.mark")].map(boxOf);
  return frames.map((frame) => names.find((name) => within(boxOf(name), frame))?.textContent ?? "");
}"""
_LABELS = """() => [...document.querySelectorAll(".labels text")].map((label) => {
  const places = [...label.ownerSVGElement.querySelectorAll("[data-place]:is(.lit, .clicked)")];
  const place = places.find((each) => each.ariaLabel === label.textContent).getBoundingClientRect();
  const { left, right } = label.getBoundingClientRect();
  const within = left >= place.left - 2 && right <= place.right + 2;
  return within || left <= place.left + 2 && right >= place.right - 2 || left < 20 || right > innerWidth - 20;
})"""
_COVERED = """() => {
  const names = [...document.querySelectorAll("figure svg :is(.names, [data-layer=names]) text:not(.tiny)")];
  const marks = [...document.querySelectorAll("figure svg :is(.rings > *, circle.mark, rect.mark)")];
  const covers = (mark, name) => {
    if (mark.compareDocumentPosition(name) & Node.DOCUMENT_POSITION_FOLLOWING) return false;  // the name lies above it
    const box = name.getBoundingClientRect(), from = mark.getScreenCTM(), length = mark.getTotalLength();
    const half = parseFloat(getComputedStyle(mark).strokeWidth) / 2 - 1.5;  // letters do not fill their box
    for (let at = 0; at < length; at += length / 400) {
      const { x, y } = mark.getPointAtLength(at).matrixTransform(from);
      if (x > box.left - half && x < box.right + half && y > box.top - half && y < box.bottom + half) return true;
    }
    return false;
  };
  const isCovered = (name) => marks.some((mark) => mark.ownerSVGElement === name.ownerSVGElement && covers(mark, name));
  const found = names.filter(isCovered);
  return [marks.length, found.map((name) => name.textContent)];
}"""


@pytest.fixture
def table(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a table for its first seat in a window of a given size, and plays until the seat decides again."""
    servers = ExitStack()
    pages: list[Any] = []
    wrong: list[str] = []

    def start(ref: str, size: tuple[int, int], players: int = 2, moves: int = 6) -> Any:
        seat, *others = seat_names(players, load_ruleset(ref).seats)
        bots = dict.fromkeys(others, "random")
        server = servers.enter_context(served(tmp_path / f"{len(pages)}.db", ref, players, bots=bots))
        pages.append(browser.new_page(viewport={"width": size[0], "height": size[1]}))
        page = pages[-1]
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{server.base}/#{server.keys[f'seat:{seat}']}")
        page.wait_for_selector("#seats li")
        page.fill("#name", "Ann")
        page.press("#name", "Enter")
        page.wait_for_selector("#sit", state="hidden")
        for _ in range(moves):
            until_in(page, lambda: page.query_selector("#turn.mine #question b") is not None)
            page.locator("#options button").first.click()
        until_in(page, lambda: page.query_selector("#turn.mine") is not None)
        return page

    with servers:
        yield start
        for page in pages:
            page.close()
    assert wrong == []


def test_boards_beside_the_large_one_have_peoples_names_and_their_trays_names(table: Callable[..., Any]) -> None:
    """The hands of Dominion lie beside the supply, so small that the names of their trays have to grow."""
    page = table("dominion", WIDE, moves=0)
    until_in(page, lambda: "Ann" in page.text_content("#beside figure svg [data-seat='0']"))
    read = page.locator("#beside figure svg text:not(.tiny)").all_text_contents()
    assert {"hand", "discards", "deck"} <= {*read}


@pytest.mark.parametrize("ref, is_many", [("go_19", True), ("draughts", False)])
@pytest.mark.sampled(1)
def test_where_most_of_a_board_can_be_clicked_it_is_still_seen(
    ref: str, is_many: bool, table: Callable[..., Any]
) -> None:
    """Dots on the crossings instead of 361 frames, which hid the lines and the stones."""
    page = table(ref, PHONE, moves=0)
    strokes = page.evaluate(
        "() => [...document.querySelectorAll('.rings .lit')].map((e) => getComputedStyle(e).stroke)"
    )
    assert strokes and ({*strokes} == {"none"}) == is_many


@pytest.mark.proof  # 1.6 s
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_numbers_of_a_small_board_are_read_without_enlarging_it(size: tuple[int, int], table: Any) -> None:
    page = table("rails_1889", size, 3, 0)
    sizes = """() => [
      ...document.querySelectorAll("figure[data-panel=cell]:not(.large) [data-grows] text"),
    ].map((text) => {
      const { width } = text.getBoundingClientRect(), scale = text.getScreenCTM().a;
      return [text.matches(".tiny"), text.getAttribute("font-size") * scale, width / scale];
    })"""
    until_in(page, lambda: page.evaluate(sizes))
    shown = page.evaluate(sizes)
    assert len(shown) > 80 and not any(tiny for tiny, _, _ in shown)
    assert min(size for _, size, _ in shown) >= 12 and max(width for _, _, width in shown) <= 54


@pytest.mark.proof  # 0.7 s
def test_where_few_crossings_are_left_their_lines_are_still_seen(table: Callable[..., Any]) -> None:
    page = table("go", PHONE, moves=0)
    page.evaluate("() => document.querySelectorAll('.rings').forEach((each) => each.classList.remove('many'))")
    lit = page.locator(".rings .lit")
    assert lit.count() == 81
    assert lit.first.evaluate("(each) => getComputedStyle(each).stroke") == "none"


def test_a_table_of_single_values_has_room_in_the_column(table: Callable[..., Any]) -> None:
    page = table("skat", WIDE, 3, 0)
    deal = page.locator("#side #holdings table.single").first
    assert "announcement" in deal.inner_text() and "skat" in deal.inner_text()
    assert deal.evaluate("(each) => each.scrollWidth <= each.parentElement.clientWidth")
    room = "(each) => each.scrollWidth - each.clientWidth"
    assert page.locator("#side #holdings").evaluate(room) <= 0


@pytest.mark.parametrize("size", [WIDE, pytest.param(PHONE, marks=pytest.mark.proof)], ids=["wide", "phone"])
def test_a_table_that_is_too_wide_is_folded(size: tuple[int, int], table: Callable[..., Any]) -> None:
    page = table("rails_1889", size, 2, 1)
    box, tables = page.locator("#holdings"), page.locator("#holdings table")
    assert box.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    assert tables.count() > 3 and 0 < page.locator("#holdings .folded").count() < tables.count()
    heads = page.locator("#holdings .folded td:not(:empty)").evaluate_all(
        "(all) => all.map((each) => getComputedStyle(each, '::before').content)"
    )
    assert heads and all(len(head) > 3 for head in heads)
    row = page.locator("#holdings .folded tbody tr").first
    assert row.locator("th").bounding_box()["width"] > 0.9 * row.bounding_box()["width"]


@pytest.mark.parametrize("size", [PHONE, pytest.param(WIDE, marks=pytest.mark.proof)], ids=["phone", "wide"])
def test_names_of_panels_are_narrowed_rather_than_left_out(size: tuple[int, int], table: Callable[..., Any]) -> None:
    page = table("shadow_of_the_emperor", size, 3, 0)
    names = page.locator("figure.large [data-name] text")
    assert names.count() == 7 and page.locator("figure.large [data-name] text.tiny").count() == 0
    box = page.locator('figure.large [data-place="electorate.brandenburg"]').bounding_box()
    name = page.locator('figure.large [data-name="electorate.brandenburg"]').bounding_box()
    assert box["x"] <= name["x"] and name["x"] + name["width"] <= box["x"] + box["width"]


@pytest.mark.proof  # 2.4 s
@pytest.mark.parametrize("ref", ["tetrarchia", "imperial"])
def test_labels_of_lit_places_lie_on_them(ref: str, table: Callable[..., Any]) -> None:
    page = table(ref, PHONE, 2, 4)
    most = 0
    for number in range(20):  # not every question has places on the board
        if number >= 4 and most:
            break
        until_in(page, lambda: page.query_selector("#turn.mine #question b") is not None)
        labels = page.evaluate(_LABELS)
        assert all(labels), labels
        most = max(most, len(labels))
        page.locator("#options button").last.click()
        page.wait_for_timeout(100)
    assert most


def assert_readable(page: Any, wide: bool) -> None:
    assert [size for size in page.evaluate(_TEXTS) if size < 12] == []
    shown = page.evaluate(_NAMES)
    if wide and shown:
        assert sum(shown) >= 0.9 * len(shown)
    assert page.evaluate(_OUTSIDE) == []


def assert_turn_in_sight(page: Any) -> None:
    for at in ("0", "document.body.scrollHeight"):
        page.evaluate(f"window.scrollTo(0, {at})")
        box = page.locator("#turn").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"], at
    page.evaluate("window.scrollTo(0, 0)")


def assert_latest(page: Any) -> None:
    """Asserts that the fixed panel shows the latest event: the newest move of others, or else one's own."""
    newest = (
        page.locator("#news li > button").all_inner_texts()
        or page.locator("#list .sentence > .why").all_inner_texts()[::-1]
    )
    assert page.inner_text("#turn #latest").startswith(f"Just now: {newest[0]}")


@pytest.mark.parametrize("size", [WIDE, pytest.param(PHONE, marks=pytest.mark.proof)], ids=["wide", "phone"])
def test_a_map_can_be_read_and_says_whose_turn_it_is(size: tuple[int, int], table: Callable[..., Any]) -> None:
    page = table("imperial", size, 2)
    if not (legend := page.locator(".legends")).evaluate("(each) => each.open"):
        legend.locator("summary").click()
    assert "not in play" in legend.inner_text() and page.locator("figure > svg .legend").count() == 0
    assert_readable(page, size == WIDE)
    assert_turn_in_sight(page)
    news = 0
    for _ in range(20):  # some questions concern no nation, and some come before any other move
        news = max(news, page.locator("#news [role=log] li").count())
        if news and "(you):" in page.inner_text("#question"):
            break
        page.locator("#options button").first.click()
        until_in(page, lambda: page.query_selector("#turn.mine #question b") is not None)
    assert news and "(you):" in page.inner_text("#question") and page.locator("#acting .chip").count() == 1
    assert_latest(page)
    assert page.locator("#holdings table").count() == 3


@pytest.mark.proof
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize(
    "ref, players",
    [
        *(("imperial", 6), ("imperial_2030", 4), ("imperial_asia", 4), ("tetrarchia", 2), ("shadow_of_the_emperor", 3)),
        *(("chess", 2), ("backgammon", 2), ("connect_four", 2)),
    ],
)
def test_boards_can_be_read(ref: str, players: int, size: tuple[int, int], table: Callable[..., Any]) -> None:
    page = table(ref, size, players, 4 if ref == "tetrarchia" else 10)  # some games of it are lost after eight
    assert_readable(page, size == WIDE)
    assert_turn_in_sight(page)
    assert_latest(page)
    if size == PHONE and ref == "shadow_of_the_emperor":  # the panels of a phone are too small for all names
        lit, unnamed = page.evaluate(_UNNAMED)
        assert lit > 1 and unnamed == []
    if page.locator("figure.large .lit").count():
        page.locator("#asked").click()
        shown = page.evaluate(_ASKED)
        assert shown["tiny"] == 0 and (not shown["names"] or shown["least"] >= 16), shown
    assert_readable(page, False)


@pytest.mark.proof  # 0.6 s
def test_a_board_is_turned_and_its_squares_are_clicked(table: Callable[..., Any]) -> None:
    page = table("chess", WIDE, 2, 0)

    def top(place: str) -> float:
        return float(page.locator(f'#board [data-place="{place}"]').first.bounding_box()["y"])

    assert top("square.e2") > top("square.e7")
    page.locator("#turn_board").click()
    assert top("square.e2") < top("square.e7")
    page.locator('#board [data-place="square.e2"]').first.click(force=True)
    page.locator('#board [data-place="square.e4"]').first.click(force=True)
    until_in(page, lambda: page.locator("#list > li").count() >= 1)


@pytest.mark.proof  # 1.2 s
def test_a_small_board_is_enlarged_and_the_map_takes_its_place(table: Callable[..., Any]) -> None:
    page = table("imperial", WIDE, 2, 0)
    assert page.get_attribute("figure.large", "data-panel") == "region"
    page.locator('[data-panel="space"] .enlarge').click()
    assert page.get_attribute("figure.large", "data-panel") == "space"
    assert page.locator('#beside [data-panel="region"]').count() == 1


@pytest.mark.proof  # 1.5 s
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_game_without_a_board_has_its_tables_there(size: tuple[int, int], table: Callable[..., Any]) -> None:
    page = table("liars_dice", size, 2, 1)
    box = page.locator("#board > #holdings").bounding_box()
    assert box["y"] < page.locator("#turn").bounding_box()["y"] + page.viewport_size["height"] / 2
    assert size == PHONE or box["width"] > 700
    assert page.locator("#options button").first.bounding_box()["y"] < page.viewport_size["height"]
    assert page.locator("#holdings tr").count() > 2


@pytest.mark.proof  # 1.5 s
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_columns_and_rows_of_a_grid_can_be_read(size: tuple[int, int], table: Callable[..., Any]) -> None:
    page = table("acquire", size, 3, 0)
    names = page.locator("figure.large .rims text")
    assert sorted(names.all_text_contents()) == sorted([*"abcdefghi", *map(str, range(1, 13))])
    assert page.locator("figure.large .rims text.tiny").count() == 0


@pytest.mark.proof  # 1.7 s
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_hands_of_others_are_backs_with_their_number(size: tuple[int, int], table: Callable[..., Any]) -> None:
    page = table("skat", size, 3, 0)
    backs = page.locator("[data-item^='unseen.']")
    assert backs.locator("title").all_text_contents() == ["B: 10 hidden", "C: 10 hidden"]
    assert [backs.nth(n).locator("rect").count() for n in range(2)] == [20, 20]
    assert backs.locator("text:not(.tiny)").all_text_contents() == ["10", "10"]
    assert page.locator("figure [data-seat] text:not(.tiny)").count() == 3, "each hand is somebody's"
    cards = page.locator("[data-item^='piece.A.card.hand.'] text:not(.tiny)").all_text_contents()
    assert len([text for text in cards if text in ("7", "8", "9", "10", "J", "Q", "K", "A")]) == 10


def has_more(page: Any) -> Callable[[], bool]:
    """Whether the list has grown."""
    moves = page.locator("#list > li")
    before = moves.count()
    return lambda: bool(moves.count() > before)


@pytest.mark.parametrize("size", [PHONE, pytest.param(WIDE, marks=pytest.mark.proof)], ids=["phone", "wide"])
def test_what_can_be_clicked_is_in_sight_when_something_is_asked(
    size: tuple[int, int], table: Callable[..., Any]
) -> None:
    page = table("dominion", size, 2, 0)
    hit = """() => [...document.querySelectorAll('#options button, [data-place].lit')].some((each) => {
      const { left, top, width, height } = each.getBoundingClientRect();
      return each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    })"""
    for _ in range(3):
        further = has_more(page)
        page.evaluate("scrollTo(0, 100000)")
        page.evaluate("document.querySelector('#options button:last-child').click()")
        until_in(page, further)
        until_in(page, lambda: page.query_selector("#turn.mine") is not None)
        until_in(page, lambda: page.evaluate(hit))


def test_the_rule_of_a_decision_is_said_once(table: Callable[..., Any]) -> None:
    page = table("draughts", WIDE, 2, 0)
    assert "DRA-08" in page.locator("#rule").text_content() and page.locator("#doc").text_content() == ""


def test_what_others_did_is_marked_at_their_names(table: Callable[..., Any]) -> None:
    page, marks = table("skat", WIDE, 3, 0), list[str]()
    for _ in range(30):
        until_in(page, lambda: page.query_selector("#turn.mine #question b") is not None)
        marks = page.evaluate(_FRAMED)
        if marks:
            break
        page.locator("#options button").last.click()
        page.wait_for_timeout(300)
    assert marks and all(marks), "a panel has no middle where pieces stand"


@pytest.mark.proof  # 2 s
def test_what_has_just_happened_is_a_whole_sentence(table: Callable[..., Any]) -> None:
    """As many of the newest moves as fit in three lines, also in a narrower window; none of them in part."""
    page = table("shadow_of_the_emperor", PHONE, 3, 0)
    several = 0
    for _ in range(6):
        until_in(page, lambda: page.query_selector("#turn.mine #question b") is not None)
        for width in (PHONE[0], 320):
            page.set_viewport_size({"width": width, "height": PHONE[1]})
            page.wait_for_timeout(60)
            shown = page.evaluate(_CUT)
            parts = [
                re.sub(" \N{MULTIPLICATION SIGN}[0-9]+$", "", part)
                for part in shown["text"].removeprefix("Just now: ").split(" · ")
            ]
            assert not shown["cut"], shown["text"]
            assert shown["lines"] <= 3 or len(parts) <= 2, shown["text"]
            if sentences := shown["sentences"]:
                assert all(part in sentences or part.startswith("… and ") for part in parts), shown["text"]
            several += len(parts) > 1
        page.locator("#options button").last.click()
    assert several


@pytest.mark.proof  # 3.5 s
@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
def test_no_mark_covers_a_name_in_a_panel(size: tuple[int, int], table: Callable[..., Any]) -> None:
    """Neither the rings of what can be clicked and is pointed at, nor those of what others did."""
    page = table("shadow_of_the_emperor", size, 3, 0)
    most = 0
    for _ in range(14):
        until_in(page, lambda: page.query_selector("#turn.mine #question b") is not None)
        page.locator("#options button").last.hover()
        marks, covered = page.evaluate(_COVERED)
        assert covered == [], page.inner_text("#question")
        most = max(most, marks)
        page.locator("#options button").last.click()
    assert most > 6


@pytest.mark.proof  # 3 s
def test_a_preview_of_a_row_beside_the_board_does_not_cover_the_turn(table: Callable[..., Any]) -> None:
    page = table("acquire", WIDE, 3, 0)
    row = page.locator("#side #holdings tr.lit").first
    for _ in range(60):
        until_in(page, lambda: page.query_selector("#turn.mine #question b") is not None)
        if row.count():
            break
        page.locator("#options button").last.click()
        page.wait_for_timeout(200)
    row.scroll_into_view_if_needed()
    row.hover()
    until_in(page, lambda: page.is_visible(".preview"))
    preview, side = page.locator(".preview").bounding_box(), page.locator("#side").bounding_box()
    assert preview["x"] + preview["width"] <= side["x"] + 1


@pytest.mark.proof  # 0.8 s
def test_tables_keep_their_values_when_somebody_has_a_name(table: Callable[..., Any]) -> None:
    page = table("leduc_poker", WIDE, 2, 0)
    until_in(page, lambda: "Ann" in page.inner_text("#holdings"))
    assert "12" in page.locator("#holdings tr", has_text="Ann").locator("td").all_inner_texts()
