"""The owner's offers: all known games, with their settings and house rules."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rulespec.load import load_ruleset
from rulespec.serve.hall import Hall
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
