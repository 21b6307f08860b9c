"""Rules at hand: help where it is needed, hints, the page of all rules, and a first game."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from deadlines import until_in
from msgspec.structs import replace
from servers import Client, Served, served

from rulespec.bundles.rules import bundle_of
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset
from rulespec.pages.rules_page import rules_page
from rulespec.serve.past_process import PastGame, alike
from rulespec.serve.rules_at_hand import can_hint, hint_of
from rulespec.serve.table_rules import TableRules
from rulespec.serve.thinking import BotQuestion, _games

pytestmark = pytest.mark.usefixtures("known_rulesets")

WIDE, NARROW = {"width": 1360, "height": 850}, {"width": 393, "height": 852}


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page.partition("</style>")[2]).split())


# --- without a browser ------------------------------------------------------------------------------


def test_the_page_of_all_rules_marks_what_a_house_rule_changes() -> None:
    page = rules_page(load_ruleset("imperial+cheap_factories"))
    text = text_of(page)
    assert "House rule: a factory costs 3 million instead of 5." in text
    assert "factory cost: 5 million → 3 million IMP-FAC-05 , IMP-FAC-06" in text
    assert "for 3 million from its treasury" in text, "helps have the numbers of the house rule"
    changed = re.findall(r'<article id="([\w-]+)" class=changed>', page)
    assert changed == ["IMP-FAC-05", "IMP-FAC-06"]
    assert "<script>" not in page and page.count("<article") == len(load_ruleset("imperial").listed)


def test_the_page_of_all_rules_has_titles_helps_and_docstrings_by_rule() -> None:
    page = rules_page(load_ruleset("tetrarchia"), "es")
    rule = text_of(re.search(r'<article id="TET-SUB-01".*?</article>', page, re.DOTALL)[0].join(["</style>", ""]))  # type: ignore[index]
    assert (
        "1 IP: the unrest disc of his province goes." in rule
        and "Calmar los disturbios en … (1 punto): no unrest here" in rule
    )
    assert "Calmar disturbios Se acaban los disturbios" in text_of(page) and 'lang="es"' in page
    assert '<a href="#TET-SUB-01">' in page


@pytest.mark.proof  # 0.6 s
def test_removed_and_replaced_rules_are_marked_by_each_overlay() -> None:
    page = rules_page(load_ruleset("imperial+no_gifts+first_edition"))
    text = text_of(page)
    assert text.index("No gifts") < text.index("1st edition (2006)")
    assert "tax cap: 25 million → 20 million" in text and "settle swiss banks (removed)" in text
    assert re.search(r'id="IMP-SWB-01" class=changed', page)


def test_a_ruleset_without_a_list_of_rules_has_its_docstrings(tmp_path: Path) -> None:
    from cases import small
    from worlds import WORLD

    rules = '--- rules/play.rules\nprocedure play():\n    "Nobody does anything <here>."\n    end game as over\n'
    page = rules_page(small(tmp_path / "small", rules + WORLD))
    assert "Nobody does anything &lt;here&gt;." in page


def test_what_is_done_out_of_turn_has_words_that_the_page_fills() -> None:
    rules = TableRules(load_ruleset("imperial"))
    call = rules.calls(Game(rules.ruleset, ["Ann", "Bob"]))["rondel.give"]
    assert call["parts"] == ["Give ", 2, " to ", 1] and call["units"][2] == ["1 million", "{number} million"]


def test_only_bots_that_compare_give_hints(tmp_path: Path) -> None:
    assert can_hint(("random", "flat:64")) and not can_hint(("random",))
    with served(tmp_path / "t.db", "nim", 2, table_bots=("random",)) as server:
        client = Client(server.url, server.keys["seat:A"])
        assert "hint" not in client.hello["asks"] and "rules" in client.hello["asks"]
        client.close()


def test_a_hint_is_a_legal_option_of_who_is_asked_and_nobody_else_has_one(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2, table_bots=("random", "flat:16")) as server:
        clients = {seat: Client(server.url, server.keys[f"seat:{seat}"]) for seat in "AB"}
        for seat, client in clients.items():
            client.send(do="name", name=f"{seat}nn")
        asked = clients["A"]
        asked.wait(lambda: asked.options)
        hints = {}
        for seat, client in clients.items():
            client.answers.clear()
            client.send(do="hint")
            client.wait(lambda client=client: client.answers)
            hints[seat] = client.answers[0]["hint"]
        assert {option for option, _ in hints["A"]["best"]} <= set(asked.options) and hints["A"]["best"]
        assert hints["A"]["bot"] == "flat:16" and hints["B"]["best"] == []
        for client in clients.values():
            client.close()


def test_a_hint_follows_from_what_the_seat_sees() -> None:
    """Games that a seat cannot distinguish have the same hint, whatever other seats hold."""
    ruleset = load_ruleset("leduc_poker")
    game = Game(ruleset, ["Ann", "Bob"])
    game.omniscient.numbers.begin()
    for option in ("deal(js)", "deal(ks)"):
        game.apply(next((o for o in game.legal_options if str(o) == option), game.legal_options[0]))
    assert game.decision is not None and game.decision.by is not None
    seat, hints, hands = game.decision.by, set(), set()
    past = PastGame.of("t", bundle_of(ruleset), game)
    for seed in range(6):
        twin = replace(past, decisions=alike(past, seat, seed))
        hands.add(twin.decisions)
        _games.clear()
        hints.add(tuple(hint_of(BotQuestion(twin, seat, "flat:16", 7))))
    assert len(hands) > 1 and len(hints) == 1


def test_where_all_choose_together_a_hint_says_nothing_of_what_others_have_chosen(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "wager", 3, table_bots=("random", "flat:16")) as server:
        clients = {seat: Client(server.url, server.keys[f"seat:{seat}"]) for seat in "ABC"}
        for seat, client in clients.items():
            client.send(do="name", name=f"{seat}nn")
            client.wait(lambda client=client: client.options)

        def hinted(seat: str) -> Any:
            client = clients[seat]
            client.answers.clear()
            client.send(do="hint")
            client.wait(lambda: client.answers)
            return client.answers[0]["hint"]["best"]

        before = {seat: hinted(seat) for seat in "ABC"}
        assert all({option for option, _ in best} <= set(clients["A"].options) and best for best in before.values())
        clients["A"].take("bid(1)")
        assert hinted("A") == [] and hinted("B") == before["B"]
        clients["A"].send(do="withdraw", serial=clients["A"].state["serial"])
        clients["A"].wait(lambda: not clients["A"].state["chosen"])
        clients["A"].take("bid(2)")
        clients["C"].take("bid(0)")
        assert hinted("B") == before["B"], "neither that others have chosen nor what is in it"
        for client in clients.values():
            client.close()


@pytest.mark.proof  # 0.7 s
def test_the_page_of_all_rules_comes_by_the_socket(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as server:
        client = Client(server.url, server.keys["spectator"])
        client.answers.clear()
        client.send(do="rules")
        client.wait(lambda: client.answers)
        assert "Nim" in client.answers[0]["rules"]
        assert client.hello["helps"]["turn"]["text"], client.hello["helps"]
        client.close()


# --- in a browser -----------------------------------------------------------------------------------


def opened(browser: Any, server: Served, role: str, view: dict[str, int], learns: str = "") -> Any:
    page = browser.new_page(viewport=view)
    page.goto(f"{server.base}/#{server.keys[role]}{learns}")
    page.wait_for_selector("#seats li")
    if page.is_visible("#name"):
        page.fill("#name", "Ann")
        page.press("#name", "Enter")
    return page


def point(page: Any, place: str) -> str:
    spot = page.locator(f'[data-place="{place}"]').first
    spot.scroll_into_view_if_needed()
    box = spot.bounding_box()
    page.mouse.move(2, 2)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    until_in(page, lambda: page.is_visible(".preview"))
    return str(page.inner_text(".preview"))


@pytest.mark.proof
@pytest.mark.parametrize("view", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_first_game_explains_each_new_kind_of_decision_once(
    browser: Any, tmp_path: Path, view: dict[str, int]
) -> None:
    with served(tmp_path / "t.db", "tetrarchia", 1) as server:
        page = opened(browser, server, "seat:A", view, "&learn")
        page.wait_for_selector("#turn.mine")
        seen = []
        for _ in range(12):
            until_in(page, lambda: page.locator("#options button").count())
            if page.locator("#rule.fresh").count():
                seen.append(page.inner_text("#rule summary"))
                assert page.locator("#rule > div p").inner_text().strip()
            before = page.locator("#list > li").count()
            button = page.locator("#options button").first
            button.click()
            if page.locator("#list > li").count() == before and page.locator("#options button").count():
                page.wait_for_timeout(600)
            if len(seen) >= 3:
                break
        assert len(seen) == len(set(seen)) >= 2 and all(text.startswith("New to you: ") for text in seen)
        page.reload()
        page.wait_for_selector("#seats li")
        assert page.is_checked("#learn"), "the habit stays in this browser"
        page.close()


@pytest.mark.proof
@pytest.mark.parametrize("view", [WIDE, NARROW], ids=["wide", "narrow"])
def test_two_pages_see_helps_of_cards_and_spaces(browser: Any, tmp_path: Path, view: dict[str, int]) -> None:
    with served(tmp_path / "t.db", "shadow_of_the_emperor", 2) as server:
        one, other = (opened(browser, server, f"seat:{seat}", view) for seat in "AB")
        for page in (one, other):
            shown = point(page, "action.doctor")
            assert shown.startswith("Doctor") and "10 years younger" in shown and "SHA-CRD-03" in shown
        watching = opened(browser, server, "spectator", view)
        assert "10 years younger" in point(watching, "action.doctor")
        for page in (one, other, watching):
            page.close()


@pytest.mark.proof
def test_an_option_says_its_change_and_its_rule_and_a_hint_lights_it(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "imperial", 2, table_bots=("random", "flat:16")) as server:
        pages = [opened(browser, server, f"seat:{seat}", WIDE) for seat in "AB"]
        until_in(pages[0], lambda: any(page.locator("#turn.mine").count() for page in pages))
        mine, theirs = sorted(pages, key=lambda page: page.locator("#turn.mine").count(), reverse=True)
        shown = point(mine, "space.taxation")
        assert "→" in shown and "for each flag" in shown and "IMP-TAX-01" in shown
        assert theirs.is_hidden("#hint")
        mine.click("#hint")
        until_in(mine, lambda: "would choose: " in mine.inner_text("#hinted"))
        assert mine.locator("#options button.hinted").count() == 1
        mine.locator("#options button.hinted").click()
        until_in(mine, lambda: mine.is_hidden("#hinted"))
        with mine.context.expect_page() as opening:
            mine.click("#rules")
        rules = opening.value
        until_in(rules, lambda: "IMP-RON-01" in rules.inner_text("body"))
        for page in (*pages, rules):
            page.close()
