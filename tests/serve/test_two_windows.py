"""A table in two windows of a real browser, operated by clicks, buttons and keys."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cases import split, write
from deadlines import Deadline, until_in
from hostile import EVIL, RULESET
from servers import served

from rulespec.engine.game.seating import seat_names
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


class Window:
    """A page of a table, and its console errors."""

    def __init__(self, browser: Any, link: str, width: int = 1200, height: int = 900) -> None:
        self.wrong: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.watch(self.page)
        self.frames: list[dict[str, Any]] = []
        self.page.on("websocket", lambda socket: socket.on("framereceived", self._note))
        self.page.goto(link)
        self.page.wait_for_selector("#seats li")

    def watch(self, page: Any) -> None:
        """Records the errors of a page."""
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: self.wrong.append(message.text))
        page.on("dialog", lambda dialog: self.wrong.append(dialog.message))

    def _note(self, payload: str) -> None:
        message = json.loads(payload)
        if "frame" in message:
            self.frames.append(message["frame"])

    def sit(self, name: str) -> None:
        self.page.fill("#name", name)
        self.page.press("#name", "Enter")
        self.page.wait_for_selector("#sit", state="hidden")

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector)).strip()

    def until(self, condition: Callable[[], object]) -> None:
        until_in(self.page, condition)

    def until_mine(self) -> None:
        self.until(lambda: self.mine)

    def until_more(self, count: int) -> None:
        self.until(lambda: self.moves > count)

    def until_at(self, count: int) -> None:
        self.until(lambda: self.moves == count and not self.page.is_visible("#undo"))

    def until_over(self) -> None:
        self.until(lambda: self.over)

    @property
    def mine(self) -> bool:
        return "mine" in (self.page.get_attribute("#turn", "class") or "")

    @property
    def over(self) -> bool:
        return self.text("#result") != ""

    @property
    def moves(self) -> int:
        return int(self.frames[-1]["moves"]["count"])

    @property
    def last(self) -> str:
        """The number of the last move in the list."""
        return str(self.page.locator("#list > li[data-move]").last.get_attribute("data-move"))

    def place(self, place: str) -> None:
        """Clicks the centre of a place."""
        self.page.locator(f'#board [data-place="{place}"]').first.click(force=True)


Sit = Callable[..., dict[str, Window]]


@pytest.fixture
def sit(browser: Any, tmp_path: Path) -> Iterator[Sit]:
    """Starts a server, and opens a window for each of its links; at the end, checks for errors."""
    servers = ExitStack()
    windows: list[Window] = []

    def start(
        ref: object, players: int = 2, bots: int = 0, named: str = "{}-name", reveals: bool = False
    ) -> dict[str, Window]:
        seats = seat_names(players, load_ruleset(str(ref)).seats)
        playing = dict.fromkeys(seats[players - bots :], "random")
        server = servers.enter_context(
            served(tmp_path / f"{len(windows)}.db", str(ref), players, bots=playing, reveals=reveals)
        )
        people = seats[: players - bots]
        roles = {seat: f"seat:{seat}" for seat in people} | {"spectators": "spectator"}
        opened = {who: Window(browser, f"{server.base}/#{server.keys[role]}") for who, role in roles.items()}
        for who in people:
            opened[who].sit(named.format(who))
        windows.extend(opened.values())
        return opened

    with servers:
        yield start
        for window in windows:
            window.page.close()
            assert window.wrong == []


@pytest.mark.proof  # 6 s, of a browser
@pytest.mark.parametrize("ref, first, second", [("connect_four", "yellow", "red"), ("backgammon", "white", "black")])
def test_a_seat_is_called_by_its_colour(ref: str, first: str, second: str, sit: Sit) -> None:
    windows = sit(ref)
    ann, bob = windows["A"], windows["B"]
    ann.until(lambda: ann.mine or bob.mine)
    (mine, own), (other, _) = sorted([(ann, first), (bob, second)], key=lambda pair: not pair[0].mine)
    name = "A-name" if mine is ann else "B-name"
    mine.until(lambda: mine.text("#question").startswith(f"{own.capitalize()} (you): "))
    other.until(lambda: f"{name}\u2069 ({own})" in other.text("#question"))
    other = windows["spectators"]
    assert (
        not other.page.is_visible("#auto") and not other.page.is_visible("#learn") and other.page.is_visible("#sound")
    )
    assert other.page.text_content("#news h3") == "The last round" != mine.page.text_content("#news h3")
    about = other.text("#about")
    assert about.endswith(ref + about[about.rindex(" ") :])  # the title is above; the id comes last
    assert own in mine.text("#seats li.me small")


def test_chess_is_played_by_clicking_on_squares(sit: Sit) -> None:
    windows = sit("chess")
    white, black, other = (windows[who] for who in ("white", "black", "spectators"))
    white.until(lambda: white.mine)
    assert "Your turn" in str(white.page.title()) and not black.mine
    white.place("square.e2")
    assert white.page.locator(".rings .clicked").count() == 1 and white.page.locator(".rings .lit").count() == 2
    white.place("square.e4")
    black.until(lambda: black.mine)
    assert "e2" in black.text("#list li:last-child") and black.page.locator("#board .changed").count() > 0
    black.page.locator('#board [data-place="square.e7"]').first.focus()  # by keys
    black.page.keyboard.press("Enter")
    black.page.locator('#board [data-place="square.e5"]').first.focus()
    black.page.keyboard.press("Enter")
    other.until(lambda: other.moves == 2)
    assert other.page.locator("#options button").count() == 0 and other.page.locator("#board .lit").count() == 0
    # undo by agreement
    white.until(lambda: white.mine)
    white.page.click("#back")
    black.until(lambda: black.page.is_visible("#undo"))
    assert "white-name" in black.text("#undo")
    black.page.click("#undo button >> nth=0")
    white.until(lambda: white.moves == 0 and white.mine)
    white.place("square.d2")
    white.page.keyboard.press("Escape")
    assert white.page.locator(".rings .clicked").count() == 0


@pytest.mark.proof
def test_a_game_with_secret_cards_is_played_to_its_end(sit: Sit) -> None:
    windows = sit("kuhn_poker", named="<img src=x onerror=alert(1)>")
    people = [windows["A"], windows["B"]]
    for _ in range(6):
        people[0].until(lambda: any(each.mine or each.over for each in people))
        if all(each.over for each in people):
            break
        who = next((each for each in people if each.mine), None)
        if who is None:
            continue
        count = who.moves
        who.page.locator("#options button").first.click()
        who.until_more(count)
    for each in [*people, windows["spectators"]]:
        each.until_over()
        assert re.search(r"Won by: \u2068<img src=x onerror=aler…\u2069 \([AB]\)", each.text("#result"))


@pytest.mark.proof
def test_titles_and_names_of_strangers_are_text(sit: Sit, tmp_path: Path) -> None:
    folder = write(tmp_path / "evil", split(RULESET, "rules/play.rules"))
    windows = sit(folder, named=EVIL)
    people = [windows[who] for who in windows if who != "spectators"]
    for who in people:
        who.until_mine()
        assert "<script>alert(2)</script>" in who.text("main")
        who.page.locator("#options button").first.click()
    windows["spectators"].until_over()
    assert windows["spectators"].page.locator("main img, main script").count() == 0


@pytest.mark.proof
def test_the_only_option_is_taken_if_the_seat_says_so(sit: Sit) -> None:
    windows = sit("nim")
    ann, bob = windows["A"], windows["B"]
    for window in (ann, bob):
        window.page.check("#auto")
    while not ann.over:
        for window in (ann, bob):
            if window.mine and window.page.locator("#options button").count() > 1:
                window.page.evaluate("document.querySelector('#options button').click()")
        ann.page.wait_for_timeout(40)
    bob.until_over()


@pytest.mark.proof
def test_a_page_that_was_away_comes_back(sit: Sit, tmp_path: Path) -> None:
    windows = sit("nim")
    ann = windows["A"]
    ann.until(lambda: ann.mine)
    ann.page.context.set_offline(True)
    ann.page.evaluate("document.title")
    ann.page.context.set_offline(False)
    ann.page.locator("#options button").first.click()
    ann.until(lambda: ann.moves == 1)
    ann.page.reload()
    ann.page.wait_for_selector("#seats li")
    ann.until(lambda: ann.text("#list > li:last-child").split()[0] == "1")


@pytest.mark.proof
@pytest.mark.parametrize("ref", ["chess", "kuhn_poker"])
def test_a_copy_and_the_replay_so_far_open_in_windows_of_their_own(ref: str, sit: Sit) -> None:
    windows = sit(ref)
    first = next(window for who, window in windows.items() if who in ("white", "A"))
    first.until_mine()
    begun = first.moves
    if ref == "chess":
        first.place("square.e2")
        first.place("square.e4")
    else:
        first.page.locator("#options button").first.click()
    first.until_at(begun + 1)
    with first.page.expect_popup() as popup:
        first.page.click("#study")
    first.watch(study := popup.value)
    study.wait_for_selector("#list li")
    assert study.locator("#list li").count() == begun + 2 and study.locator("#board svg").count() == 1
    study.wait_for_selector(f'#list li[data-move="{begun + 1}"][aria-current]')  # it opens at the current position
    assert study.locator("#changes li").count() > 0
    with first.page.expect_popup() as popup:
        first.page.click("#fork")
    first.watch(copy := popup.value)
    copy.wait_for_selector("#turn.mine")
    assert "to try things out" in copy.inner_text("#about") and copy.locator("#fork").is_hidden()
    if ref == "chess":  # for the other seat
        copy.focus('#board [data-place="square.e7"]')
        copy.keyboard.press("Enter")
        copy.focus('#board [data-place="square.e5"]')
        copy.keyboard.press("Enter")
    else:
        copy.click("#options button >> nth=0")
    copy.wait_for_selector(f'#list > li[data-move="{begun + 1}"]')
    copy.wait_for_timeout(600)  # an earlier click at the same spot would count as a double click
    assert first.moves == begun + 1
    copy.click("#back")
    copy.wait_for_selector(f'#list > li[data-move="{begun + 1}"]', state="detached")
    for page in (study, copy):
        page.close()


STEP = """(luck) => {
  const one = (list) => list[Math.floor(luck * list.length)];
  const buttons = [...document.querySelectorAll("#bubble button, #options button")];
  const lit = [...document.querySelectorAll("#board .lit")];
  if (document.querySelector("#bubble") || !lit.length || (buttons.length && luck < 0.3)) {
    one(buttons)?.click();
    return buttons.length ? "button" : "";
  }
  one(lit).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  return "click";
}"""
"""A script that clicks a highlighted place or a button, synchronously, as the page may change at any time."""


def taken_back(who: Window, windows: dict[str, Window]) -> bool:
    """Undoes freely or by agreement; returns whether the requesting page could ask."""
    if not who.page.is_visible("#back"):
        return False
    other = next(window for name, window in windows.items() if window is not who and name != "spectators")
    spectator, count, asks = windows["spectators"], who.moves, who.text("#back") != "Undo"
    who.page.wait_for_timeout(600)
    who.page.click("#back")
    if asks:
        other.until(lambda: other.page.is_visible("#undo button"))
        spectator.until(lambda: spectator.page.is_visible("#undo"))
        assert spectator.page.locator("#undo button").count() == 0
        other.page.click("#undo button >> nth=0")
    other.until(lambda: other.moves < count)
    for window in windows.values():
        window.until_at(other.moves)
        assert window.last == str(other.moves - 1)
    return True


def whole(sit: Sit, ref: str, players: int, bots: int, backs: Sequence[int] = ()) -> dict[str, int]:
    """Plays a complete game with some undos; returns the numbers of clicks on places and on buttons."""
    windows, rng = sit(ref, players, bots), random.Random(1)
    people = [window for who, window in windows.items() if who != "spectators"]
    done = {"click": 0, "button": 0, "": 0, "back": 0}
    asked = Deadline()
    while not all(each.over for each in people):
        who = next((each for each in people if each.mine), None)
        assert not asked.is_over, "nobody is asked, and the game is not over"
        if who is None:
            people[0].page.wait_for_timeout(25)
            continue
        asked = Deadline()
        if done["back"] < len(backs) and who.moves >= backs[done["back"]]:
            done["back"] += taken_back(who, windows)
            continue
        done[who.page.evaluate(STEP, rng.random())] += 1
        who.page.wait_for_timeout(25)
    windows["spectators"].until_over()
    counts = {(window.moves, window.last) for window in windows.values()}
    assert len(counts) == 1 and done["back"] == len(backs)
    rows = [window.page.locator("#list > li").all_inner_texts()[-20:] for window in windows.values()]
    lasts = {tuple(row.replace("\n↶", "") for row in of) for of in rows}  # players have a button: undo up to here
    tables = [window.page.inner_html("#board [data-layer=tables]") for window in windows.values()]
    boards = {re.sub(' class="[a-z ]*"', "", table) for table in tables}
    assert len(lasts) == len(boards) == 1  # nothing is hidden any more
    return done | {"decisions": counts.pop()[0]}


@pytest.mark.proof
@pytest.mark.parametrize("ref", ["shadow_of_the_emperor", "imperial"])
def test_a_whole_game_is_played_in_two_windows(ref: str, sit: Sit) -> None:
    done = whole(sit, ref, 4, 2, backs=[20, 60, 100])
    assert done["click"] > 20 and done["button"] > 20


@pytest.mark.proof
def test_a_second_click_does_no_harm(sit: Sit) -> None:
    """A double click on the button for a bot, and on that for a copy, where a second copy would end the first."""
    ann = sit("nim")["A"]
    ann.page.click("#leave summary")
    ann.page.locator("#leave button").first.dblclick()
    ann.page.click("#return")
    ann.page.wait_for_selector("#leave", state="visible")
    assert ann.page.locator("#return").is_hidden() and ann.page.locator("#sit").is_hidden()
    with ann.page.expect_popup() as popup:
        ann.page.evaluate("() => { for (let n = 0; n < 2; n++) document.getElementById('fork').click(); }")
    ann.watch(copy := popup.value)
    copy.wait_for_selector("#seats li")
    assert copy.locator("#notice").is_hidden() and len(ann.page.context.pages) == 2
    copy.close()


@pytest.mark.proof
def test_each_page_says_from_the_beginning_that_all_will_be_shown(sit: Sit) -> None:
    for window in sit("kuhn_poker", reveals=True).values():
        assert "after the end everybody sees everything" in window.text("#about")
