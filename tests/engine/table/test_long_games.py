"""The cost of a message does not grow with the game."""

from __future__ import annotations

import cProfile
import pstats
import random
import shutil
from pathlib import Path

import pytest
from folders import GAMES
from proofs import examples
from tables import proceed, table_of

from rulespec.engine.game.game import Game
from rulespec.engine.table.messages import Message
from rulespec.engine.table.table import Table
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

pytestmark = pytest.mark.usefixtures("known_rulesets")
EARLY, LATE = 50, examples(600, 3_000)
NEW_DICE = """
            let nobody = shown * 0
            set dice to nobody
            set face to 0
            set bidder to none
            for q in player:
                roll throw(k in 1 .. sides private to q)
                set q.die to k
"""


def endless_dice(folder: Path) -> typed.Ruleset:
    """Liar's dice, with new dice after each call: a game with secrets that has no end."""
    return _changed(folder, "gallery/liars_dice", "\n            end game as called", NEW_DICE, to_end=True)


def endless_imperial(folder: Path) -> typed.Ruleset:
    """Imperial, which goes on at the end of the power track."""
    return _changed(folder, "imperial", "if n.power >= victory_power:", "if n.power > victory_power:")


def _changed(folder: Path, name: str, before: str, after: str, *, to_end: bool = False) -> typed.Ruleset:
    ruleset = folder / Path(name).name
    shutil.copytree(GAMES / name, ruleset)
    path = next(each for each in ruleset.glob("rules/*.rules") if before in each.read_text("utf-8"))
    head, _, tail = path.read_text("utf-8").partition(before)
    path.write_text(head + after + ("" if to_end else tail), "utf-8")
    return load_ruleset(str(ruleset))


def table_at(ruleset: typed.Ruleset, seats: str, decisions: int) -> Table:
    """A table of people after so many random decisions."""
    game, rng = Game(ruleset, seats), random.Random(3)
    while game.ply < decisions:
        game.apply(rng.choice(list(game.legal_options)))
    return table_of(game)


class Messages:
    """Messages of people at random, and what each viewer is shown of them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rng = random.Random(5)
        self.since = {viewer: table.say(viewer)["serial"] for viewer in (*table.game.seats, None)}

    def send(self) -> None:
        table, (seat, *_) = self.table, self.table.waited
        frame = table.say(seat)
        options = [option["text"] for option in frame["options"] if "out_of_turn" not in option]
        assert table.hear(seat, Message("take", frame["serial"], self.rng.choice(options))) is None
        proceed(table)
        for viewer, since in self.since.items():
            self.since[viewer] = table.say(viewer, since)["serial"]

    def calls(self, number: int) -> float:
        """The calls of functions for a message."""
        profile = cProfile.Profile()
        with profile:
            for _ in range(number):
                self.send()
        return float(pstats.Stats(profile).total_calls) / number  # type: ignore[attr-defined]


def test_a_message_calls_as_much_late_in_a_game(tmp_path: Path) -> None:
    ruleset = endless_dice(tmp_path)
    early, late = (Messages(table_at(ruleset, "AB", decisions)).calls(120) for decisions in (EARLY, LATE))
    assert late < 1.2 * early, (early, late)


@pytest.mark.proof
@pytest.mark.parametrize("seats", ["AB", "ABCD"])
def test_many_messages_call_as_much_late_in_a_game(seats: str, tmp_path: Path) -> None:
    ruleset = (endless_dice if seats == "AB" else endless_imperial)(tmp_path)
    early, late = (Messages(table_at(ruleset, seats, decisions)).calls(300) for decisions in (EARLY, LATE))
    assert late < 1.2 * early, (early, late)
