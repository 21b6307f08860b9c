"""The owner's offers: all known games, with their settings and house rules."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from deadlines import until_in
from servers import Client, served

from rulespec.load import load_ruleset
from rulespec.references import find_ruleset, known_folders, known_rulesets
from rulespec.serve.hall import Hall
from rulespec.serve.offers import Offers
from rulespec.serve.owner import OwnerDesk
from rulespec.serve.store import TableStore
from rulespec.serve.table_rules import TableRules

pytestmark = pytest.mark.usefixtures("known_rulesets")


def test_the_owner_makes_tables_of_all_known_games_with_settings_and_house_rules(tmp_path: Path) -> None:
    async def main() -> None:
        hall = Hall(TableStore(tmp_path / "t.db"), {"nim": TableRules(load_ruleset("nim"))})
        desk = OwnerDesk(hall)
        offers = desk.hello()["offers"]
        assert next(iter(offers)) == "nim" and offers["imperial"]["title"] == "Imperial" and len(offers) > 10
        offer = (await desk.hear({"do": "offer", "rules": "imperial"}))["offer"]
        settings = {each["name"]: each for each in offer["settings"]}
        assert offer["players"] == [2, 6] and settings["set_up"]["values"] == ["standard", "experienced"]
        titles = {each["id"]: each["title"] for each in offer["overlays"]}
        assert titles["cheap_factories"] == "Cheap factories"
        order = {"do": "new", "rules": "imperial", "players": 3, "overlays": ["cheap_factories"]}
        keys = (await desk.hear(order | {"settings": {"set_up": "experienced"}}))["keys"]
        live = hall.games[keys["game"]]
        assert (
            live.rules.ruleset.ref == "imperial+cheap_factories"
            and live.rules.house_rules[0]["title"] == "Cheap factories"
        )
        assert live.table.game.settings["set_up"] == "experienced" and len(live.table.seats) == 3
        for wrong in ({"rules": "nowhere"}, {"overlays": ["../x"]}, {"rules": str(tmp_path)}, {"settings": {"x": "y"}}):
            assert "refused" in await desk.hear(order | wrong), wrong
        assert len(hall.games) == 1
        hall.close()

    asyncio.run(main())


def test_the_folders_of_known_games_are_those_that_their_ids_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here or in several folders for ids, the first of which counts; the current folder comes before all of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_PATH", os.pathsep.join(["b", "a", "nowhere"]))
    for place in ("a/one", "b/one", "a/group/two", "games/three", "games/.four", "nim", "b/nim", "imperial/rules"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "game.yaml").touch()
    (tmp_path / "a/five").mkdir()
    folders = known_folders()
    assert list(folders) == known_rulesets() and {"one", "two", "three", "nim", "imperial"} <= set(folders)
    assert folders == {id_: find_ruleset(id_) for id_ in folders}
    assert [folders[id_].relative_to(tmp_path).as_posix() for id_ in ("one", "nim")] == ["b/one", "nim"]
    assert not {"four", ".four", "five"} & set(folders)


def test_a_title_is_read_again_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own" / "game.yaml"
    own.parent.mkdir()
    own.write_text("title: Early", "utf-8")
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    hall = Hall(TableStore(tmp_path / "t.db"), {})
    offers = Offers(hall)
    assert offers.listed()["own"] == {"title": "Early"}
    own.write_text("title: Later on", "utf-8")
    assert offers.listed()["own"] == {"title": "Later on"}
    own.write_text("title: [", "utf-8")
    assert offers.listed()["own"] == {"title": "own"}
    hall.close()


@pytest.mark.proof  # 4 s, of a browser
def test_what_the_owner_types_stays_while_a_table_changes(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "connect_four", 2) as server:
        owner = browser.new_page()
        owner.goto(f"{server.base}/#{server.keys['owner']}")
        owner.locator("#tables summary").click()
        field = owner.get_by_label("Minutes for each decision")
        field.fill("30")
        client = Client(server.url, server.keys["seat:A"])
        client.send(do="name", name="Ann")
        client.wait(lambda: client.state["seats"][0]["name"] == "Ann")
        owner.wait_for_timeout(1500)
        assert "Ann" not in owner.inner_text("#tables") and field.input_value() == "30"
        field.press("Tab")
        until_in(owner, lambda: "Ann" in owner.inner_text("#tables"))
        (live,) = server.hall.games.values()
        until_in(owner, lambda: live.table.aside.deadline == 60 * 30)
        assert owner.get_by_label("The clock is stopped").is_visible()
        client.socket.close()
        owner.close()
