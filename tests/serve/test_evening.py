"""A session with house rules on the pages, a bot's seat taken over by its link, and a rematch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deadlines import until_in
from servers import Client, served
from tables import Clock

from rulespec.load import load_ruleset
from rulespec.serve.table_rules import TableRules

pytestmark = pytest.mark.usefixtures("known_rulesets")

OVERLAY = """
id: two
title: "At most two"
for: nim
version: "1.0"
changes:
  game.doc: "at most two"
"""


def house_rules(ref: str) -> list[dict[str, Any]]:
    return TableRules(load_ruleset(ref)).house_rules


def test_house_rules_are_the_overlays_from_the_lowest_to_the_highest() -> None:
    assert house_rules("imperial") == []
    rules = house_rules("imperial+cheap_factories+end_at_20")
    assert [each["title"] for each in rules] == ["Cheap factories", "The game ends at 20 power points"]
    assert "3 million instead of 5" in rules[0]["doc"] and rules[0]["changes"] == []


def test_an_overlay_without_a_doc_names_what_it_changes(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(OVERLAY, "utf-8")
    assert house_rules(f"nim+{tmp_path / 'two.yaml'}") == [
        {"title": "At most two", "doc": "", "changes": ["game.doc"]},
    ]


def test_who_has_the_link_of_a_bots_seat_plays_it(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2, bots={"B": "random"}) as server:
        client = Client(server.url, server.keys["seat:B"])
        client.wait(lambda: client.state.get("seats"))
        assert client.state["seats"][1]["kind"] == "bot"
        client.send(do="name", name="Bob")
        client.wait(lambda: client.state["seats"][1]["kind"] == "person")
        assert client.state["seats"][1]["name"] == "Bob"
        client.close()


def over(server: Any, *seats: str) -> dict[str, Client]:
    """The pages of the seats at the end of a game of nim."""
    clients = {seat: Client(server.url, server.keys[f"seat:{seat}"]) for seat in seats}
    for seat, client in clients.items():
        client.send(do="name", name=f"{seat}nn")
    asked = "A"
    while asked:
        asked = play(clients[asked])
    return clients


def play(client: Client) -> str:
    """Plays an option; returns the next seat to move, "" at the end."""
    client.wait(lambda: client.options or client.state.get("result"))
    if client.options:
        client.take(client.options[0])
    return next(iter(client.state["asked"]["waiting"])) if client.state["asked"] else ""


def key_of_rematch(client: Client) -> str:
    client.answers.clear()
    client.send(do="rematch")
    client.wait(lambda: client.answers)
    return str(client.answers[-1].get("rematch", ""))


def test_a_rematch_is_a_table_of_the_same_people(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2, bots={"B": "random"}, deadline=60) as server:
        client = over(server, "A")["A"]
        looks = Client(server.url, server.keys["spectator"])
        assert key_of_rematch(looks) == "" and "again" not in looks.state
        key = key_of_rematch(client)
        assert key and key == key_of_rematch(client), "a second click leads to the same table"
        looks.wait(lambda: looks.state.get("again"))
        assert key_of_rematch(looks) not in ("", key) and len(server.hall.games) == 2
        again = Client(server.url, key)
        again.wait(lambda: again.state.get("seats"))
        assert [(seat["kind"], seat["name"]) for seat in again.state["seats"]] == [("free", "Ann"), ("bot", "B")]
        assert again.hello["seat"] == "A" and again.state["count"] == 0 and again.state["deadline"] == 60
        assert key_of_rematch(again) == "", "there is none before the end"
        for each in (client, looks, again):
            each.close()


@pytest.mark.proof
def test_two_pages_play_again(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as server:
        for client in over(server, "A", "B").values():
            client.close()
        base, pages = server.url.replace("ws", "http", 1).removesuffix("/socket"), []
        for seat in "AB":
            page = browser.new_page(viewport={"width": 393, "height": 852})
            page.goto(f"{base}/#{server.keys[f'seat:{seat}']}")
            page.wait_for_selector("#rematch", state="visible")
            pages.append(page)
        pages[0].click("#rematch")
        until_in(pages[1], lambda: pages[1].inner_text("#rematch") == "To the rematch")
        pages[1].click("#rematch")
        for seat, page in zip("AB", pages, strict=True):
            page.wait_for_selector("#sit", state="visible")
            page.fill("#name", f"{seat}nn")
            page.press("#name", "Enter")
        until_in(pages[0], lambda: "Bnn" in pages[0].inner_text("#seats") and pages[0].is_visible("#turn.mine"))
        for page in pages:
            page.close()


@pytest.mark.proof
@pytest.mark.parametrize("width, height", [(1360, 850), (393, 852)])
def test_pages_say_the_house_rules_and_offer_a_bots_seat(browser: Any, tmp_path: Path, width: int, height: int) -> None:
    with served(tmp_path / "t.db", "imperial+cheap_factories", 2, bots={"B": "random"}) as server:
        base, pages = server.url.replace("ws", "http", 1).removesuffix("/socket"), []
        for seat in "AB":
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"{base}/#{server.keys[f'seat:{seat}']}")
            page.wait_for_selector("#seats li")
            assert page.inner_text("#house summary") == "House rules: Cheap factories"
            assert page.is_visible("#house p") == (width > 800)
            pages.append(page)
        assert pages[0].inner_text("#sit button") == "Sit down"
        assert pages[1].inner_text("#sit button") == "Play this seat"
        pages[1].fill("#name", "Bob")
        pages[1].click("#sit button")
        until_in(pages[0], lambda: "Bob" in pages[0].inner_text("#seats"))
        until_in(pages[1], lambda: pages[1].is_hidden("#sit"))
        for page in pages:
            page.close()


@pytest.mark.proof
@pytest.mark.parametrize("width, height", [(1360, 850), (393, 852)])
def test_a_table_with_house_rules_is_made_by_clicks_and_played(
    browser: Any, tmp_path: Path, width: int, height: int
) -> None:
    with served(tmp_path / "t.db", "nim", 0) as server:
        base, view = server.url.replace("ws", "http", 1).removesuffix("/socket"), {"width": width, "height": height}
        owner = browser.new_page(viewport=view)
        owner.goto(f"{base}/#{server.keys['owner']}")
        owner.wait_for_selector("#owner", state="visible")
        owner.select_option("#offer", "imperial")
        owner.get_by_label("Cheap factories").check()
        owner.locator("label", has_text="set up").locator("select").select_option("experienced")
        owner.fill("#players", "2")
        owner.click("#new > button")
        owner.wait_for_selector("#keys p")
        key = next(text.rpartition("#")[2] for text in owner.locator("#keys p").all_inner_texts() if "Seat A" in text)
        page = browser.new_page(viewport=view)
        page.goto(f"{base}/#{key}")
        page.wait_for_selector("#seats li")
        assert page.inner_text("#house summary") == "House rules: Cheap factories"
        assert "set_up = experienced" in page.inner_text("#about")
        for each in (owner, page):
            each.close()


@pytest.mark.proof
def test_a_notice_is_shown_when_it_is_ones_turn_and_nobody_looks(browser: Any, tmp_path: Path) -> None:
    shown = """() => {
        window.shown = [];
        window.Notification = class {
            constructor(title, { body }) { window.shown.push(`${title}: ${body}`); }
            addEventListener() {}
        };
        Notification.permission = "granted";
        Notification.requestPermission = async () => "granted";
        Object.defineProperty(document, "hidden", { get: () => window.away ?? false });
    }"""
    with served(tmp_path / "t.db", "nim", 2) as server:
        base, pages = server.url.replace("ws", "http", 1).removesuffix("/socket"), []
        for seat in "AB":
            page = browser.new_page()
            page.add_init_script(f"({shown})()")
            page.goto(f"{base}/#{server.keys[f'seat:{seat}']}")
            page.wait_for_selector("#seats li")
            page.fill("#name", f"{seat}nn")
            page.press("#name", "Enter")
            pages.append(page)
        first, second = pages
        second.check("#notify")
        first.wait_for_selector("#turn.mine")
        second.evaluate("window.away = true")
        first.locator("#options button").first.click()
        if first.locator("#options button").count() and first.is_visible("#clicked"):
            first.locator("#options button").first.click()
        until_in(second, lambda: second.evaluate("window.shown.length") == 1)
        assert "Your turn" in second.evaluate("window.shown[0]")
        assert first.evaluate("window.shown") == [], "who has not asked for it has none"
        for page in pages:
            page.close()


@pytest.mark.proof
@pytest.mark.parametrize("width, height", [(1360, 850), (393, 852)])
def test_the_owner_sets_the_clock_and_both_pages_follow(browser: Any, tmp_path: Path, width: int, height: int) -> None:
    clock = Clock()
    with served(tmp_path / "t.db", "nim", 2, clock=clock) as server:
        base, view = server.url.replace("ws", "http", 1).removesuffix("/socket"), {"width": width, "height": height}
        pages = {}
        for seat in "AB":
            page = pages[seat] = browser.new_page(viewport=view)
            page.goto(f"{base}/#{server.keys[f'seat:{seat}']}")
            page.wait_for_selector("#seats li")
            page.fill("#name", f"{seat}nn")
            page.press("#name", "Enter")
        owner = browser.new_page(viewport=view)
        owner.goto(f"{base}/#{server.keys['owner']}")
        owner.wait_for_selector("#tables article")
        assert not owner.get_by_label("The clock is stopped").is_visible()
        owner.locator("#tables summary").click()  # it stays open

        def says(page: Any, place: str, *texts: str) -> None:
            until_in(page, lambda: all(text in page.inner_text(place) for text in texts))

        def decide(page: Any) -> None:
            page.wait_for_selector("#turn.mine")
            while page.locator("#turn.mine").count():
                page.locator("#options button").first.click()
                page.wait_for_timeout(600)  # two clicks at one spot within half a second count as one

        def set_clock(label: str, value: str) -> None:
            owner.get_by_label(label).fill(value)
            owner.get_by_label(label).press("Tab")

        set_clock("Minutes for each player in the whole game", "5")
        for page in pages.values():
            says(page, "#seats", "5 min left", "until")
        (live,) = server.hall.games.values()
        set_clock("plus seconds for each decision", "120")
        until_in(owner, lambda: live.table.aside.limits.increment == 120)
        for page in pages.values():
            decide(page)
        for page in pages.values():
            says(page, "#seats", "7 min left")
        set_clock("Daily hours in which time runs", "Europe/Paris")
        set_clock("Daily hours in which time runs", "Europe/Berlin")  # the first has no answer yet: this waits for it
        until_in(owner, lambda: live.table.aside.limits.zone == "Europe/Berlin")
        set_clock("Daily hours in which time runs", "")
        until_in(owner, lambda: live.table.aside.limits.zone == "")
        set_clock("Daily hours in which time runs", "Europe/Nowhere")
        until_in(owner, lambda: "no time zone is called" in owner.inner_text("#notice"))
        owner.get_by_label("The clock is stopped").check()
        for page in pages.values():
            says(page, "#doc", "the clock is stopped")
        owner.get_by_label("The clock is stopped").uncheck()
        late = pages["B"].get_by_role("button", name="Let a bot play (random)").first
        until_in(pages["B"], lambda: "the clock is stopped" not in pages["B"].inner_text("#doc") and late.is_visible())
        late.click()  # the page's clock differs from the table's
        until_in(pages["B"], lambda: "this seat still has time" in pages["B"].inner_text("#refused"))
        clock.now += 421
        pages["B"].wait_for_timeout(600)  # two clicks at one spot within half a second count as one
        pages["B"].get_by_role("button", name="Let a bot play (random)").first.click()
        until_in(pages["A"], lambda: "bot random" in pages["A"].inner_text("#seats"))
        for page in (*pages.values(), owner):
            page.close()
