"""The memory of a table: what is packed, and what tables and viewers share."""

from __future__ import annotations

import pytest
from tables import new_table, send

from rulespec.engine.program.journal import Packed, journal_of, packed
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


def test_confirmed_decisions_are_packed_and_can_be_taken_back() -> None:
    table = new_table("nim", 2, "random")
    before = table.game.omniscient.numbers.cells
    assert send(table, "A", do="take", option="take(2)") is None
    steps = table.game.omniscient.numbers.steps
    assert len(steps) == 2 and all(isinstance(step.noted, Packed) and not step.option.legal_at for step in steps)
    assert send(table, "A", do="undo") is None
    assert table.game.omniscient.numbers.cells == before


@pytest.mark.parametrize("journal", [[], [3, 0, 700, -5], [1, 2**63], [1, 2**70], [1, -(2**64)]])
def test_a_packed_journal_is_the_same(journal: list[int]) -> None:
    assert journal_of(packed(journal)) == journal


def test_titles_without_seats_are_those_of_all_tables() -> None:
    words = Words(load_ruleset("imperial"))
    ann, bob = {"A": "Ann", "B": "Cid"}, {"A": "Bob", "B": "Cid"}
    assert words.titles("nation", ann) is words.titles("nation", bob)
    assert words.titles("player", ann) == ("Ann", "Cid") != words.titles("player", bob)


def test_viewers_who_see_the_same_share_it() -> None:
    table = new_table("imperial", 3, "random", "random")
    for viewer in ("A", None):
        table.say(viewer)
    option = table.say("A")["options"][0]["text"]
    assert send(table, "A", do="take", option=option) is None
    for viewer in ("A", None):
        table.say(viewer)
    one, other = (table._viewing._sights[viewer] for viewer in ("A", None))
    assert one._cells is other._cells and [*one._changed.values()][-1] is [*other._changed.values()][-1]
    assert one._parts["seats"][1] is other._parts["seats"][1]
