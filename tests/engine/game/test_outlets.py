"""Every way out of the engine is known, and is for the table or for a seat."""

from __future__ import annotations

from typing import Any

import pytest
from folders import ROOT, TESTS

import rulespec
from rulespec.cli.main import COMMANDS
from rulespec.documents.nodes import to_plain
from rulespec.documents.reader import read_yaml
from rulespec.engine.game.game import Game

FILE = TESTS / "fixtures" / "outlets.yaml"
OUTLETS: dict[str, dict[str, Any]] = to_plain(read_yaml(FILE, FILE.name))
KNOWN = {
    "Game": {name for name in dir(Game) if not name.startswith("_")},
    "rulespec": set(rulespec.__all__),
    "commands": set(COMMANDS),
}


@pytest.mark.parametrize("group", KNOWN)
def test_each_outlet_is_listed(group: str) -> None:
    assert set(OUTLETS[group]) == KNOWN[group]


def test_what_is_for_a_seat_has_a_test() -> None:
    for group, outlets in OUTLETS.items():
        for name, whose in outlets.items():
            assert whose == "table" or (ROOT / whose["seat"]).is_file(), (group, name)
