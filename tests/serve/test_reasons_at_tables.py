"""Reasons at a table: of a move and of a place without an option, as the seat may know them, and as a tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deadlines import until_in
from secret_games import DECIDED, twins
from servers import Client, served
from takebacks import rules_of

from rulespec.bundles.rules import bundle_of
from rulespec.engine.game.game import Game
from rulespec.engine.why.why import Why
from rulespec.load import load_ruleset
from rulespec.serve.past_process import PastGame, reason_of

pytestmark = pytest.mark.usefixtures("known_rulesets")


def past_of(game: Game) -> PastGame:
    return PastGame.of("t", bundle_of(game.ruleset), game)


def played(ref: str, *options: str) -> Game:
    game = Game(load_ruleset(ref), "AB")
    game.omniscient.numbers.begin()
    for option in options:
        game.apply(game.parse(option))
    return game


def test_a_move_is_explained_by_its_statements() -> None:
    past = past_of(played("nim", "take(2)", "take(1)"))
    for number, changed in ((0, "stone.heap: 9 → 7"), (1, "stone.heap: 7 → 6")):
        lines = reason_of(past, "A", number, "")
        assert any(changed in line for line in lines) and "take(" in lines[0]
        assert not any("(in the log)" in line for line in lines)
    assert all(line.startswith("  ") for line in lines[1:])


@pytest.mark.proof  # 1.0 s
def test_a_place_is_explained_by_the_conditions_of_its_options() -> None:
    game = Game(load_ruleset("chess"), ["white", "black"])
    answer = Why(game, "white").without("square.e5")
    assert answer.answers and answer.verdict == "refused"
    assert all(each.verdict == "refused" and each.conditions for each in answer.answers)
    assert "e5" in str(reason_of(past_of(game), "white", -1, "square.e5"))
    assert Why(game, "white").without("square.z9").answers == []


@pytest.mark.parametrize("ref", DECIDED)
@pytest.mark.sampled(1)
def test_reasons_are_the_same_where_games_look_the_same(ref: str) -> None:
    compared = 0
    for game, twin, seat in twins(ref, range(4), 12)[:2]:
        for number in range(game.ply):
            assert reason_of(past_of(game), seat, number, "") == reason_of(past_of(twin), seat, number, "")
            compared += 1
    assert compared


def test_what_is_not_seen_ends_a_reason(tmp_path: Path) -> None:
    game = Game(rules_of(tmp_path, secret=True), "AB")
    game.omniscient.numbers.begin()
    for text in ("peek", "blind"):
        game.apply(game.parse(text))
    own, other = (reason_of(past_of(game), seat, 1, "") for seat in "AB")
    assert any("fate" in line and "7" in line for line in own)
    assert not any("7" in line for line in other) and any("?" in line for line in other)


def test_a_table_answers_each_seat(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as server:
        client = Client(server.url, server.keys["seat:A"])
        client.send(do="name", name="Ann")
        client.wait(lambda: client.state["options"])
        client.take("take(1)")
        for message in ({"to": 0}, {"to": 99}, {"to": -1, "place": "player.A"}, {"to": -9, "place": "x" * 1999}):
            client.answers.clear()
            client.send(do="reason", **message)
            client.wait(lambda: client.answers)
            assert isinstance(client.answers[0]["reason"]["lines"], list)
        client.close()


@pytest.mark.proof
def test_a_click_on_a_sentence_opens_a_tree(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as server:
        page = browser.new_page(viewport={"width": 393, "height": 852})
        page.goto(f"{server.url.replace('ws', 'http', 1).removesuffix('/socket')}/#{server.keys['seat:A']}")
        page.wait_for_selector("#seats li")
        page.fill("#name", "Ann")
        page.press("#name", "Enter")
        page.click("#options button >> nth=0")
        page.click("#list .why")
        page.wait_for_selector(".reasons .tree")
        assert page.locator(".reasons .tree details[open]").count() >= 1 and "stone" in page.inner_text(".reasons")
        assert page.inner_text(".reasons h2").startswith("Ann")
        page.keyboard.press("Escape")
        until_in(page, lambda: page.is_hidden(".reasons"))
        page.close()
