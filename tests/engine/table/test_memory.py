"""The memory of a table: what is packed, and what tables and viewers share."""

from __future__ import annotations

import gc
import random
import tracemalloc

import pytest
from tables import new_table, proceed, send, table_of

from rulespec.engine.game.game import Game
from rulespec.engine.program.cells import PackedJournal, journal_of, packed
from rulespec.engine.table.messages import Message
from rulespec.engine.table.table import Table
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


def test_confirmed_decisions_are_packed_and_can_be_taken_back() -> None:
    table = new_table("nim", 2, "random")
    before = table.game.omniscient.numbers.cells
    assert send(table, "A", do="take", option="take(2)") is None
    steps = table.game.omniscient.numbers.steps
    assert len(steps) == 2 and all(isinstance(step.noted, PackedJournal) and not step.option.legal_at for step in steps)
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


def play(table: Table, rng: random.Random, plies: int) -> None:
    """Plays random moves of people, which all viewers see."""
    end = table.game.ply + plies
    while table.game.ply < end:
        seat = next(seat for seat in table.waited if seat in table.people)
        frame = table.say(seat)
        options = [option["text"] for option in frame["options"] if "out_of_turn" not in option]
        assert table.hear(seat, Message("take", frame["serial"], rng.choice(options))) is None
        proceed(table)
        for viewer in ("A", "B", None):
            table.say(viewer)


@pytest.mark.proof
@pytest.mark.parametrize("ref", ["imperial", "shadow_of_the_emperor"])
def test_each_decision_adds_little(ref: str) -> None:
    """Once viewers have the last 30 moves, all that grows is what can be taken back: some 300 bytes a decision."""
    ruleset = load_ruleset(ref)
    one, other = (table_of(Game(ruleset, "ABCD"), "random", "random") for _ in range(2))
    play(one, random.Random(1), 190)  # what all tables of a game share is there
    rng = random.Random(1)
    play(other, rng, 80)
    tracemalloc.start()
    try:
        play(other, rng, 40)
        gc.collect()
        first, ply = tracemalloc.get_traced_memory()[0], other.game.ply
        play(other, rng, 60)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    assert grown / (other.game.ply - ply) < 700
