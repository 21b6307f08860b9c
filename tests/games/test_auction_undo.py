"""Undo in the auction of playimperial.club, compared with an independent model of that site's recorder.

The recorder stores the index of the seat that is asked first about a nation. An undo does not restore this index, but
decrements it unless it equals the nation's index. So with fewer players than nations, an undo shifts the sequence of
questions.
"""

from __future__ import annotations

import json
import random
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from recorded_games import dialect, ruleset

from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.replay.replay import ReplayRequest

COSTS = (2, 4, 6, 9, 12, 16, 20, 25, 30)
NATIONS = {
    "imperial": ["AH", "IT", "FR", "GB", "GE", "RU"],
    "imperialEurope2030": ["AH", "IT", "FR", "GB", "GE", "RU"],
    "imperial2030": ["RU", "CN", "IN", "BR", "US", "EU"],
    "imperialAsia": ["CN", "JP", "FR", "GB", "TR", "RU", "GE"],
}
SEATS = ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo"]
Entry = dict[str, Any]
Position = tuple[str | None, str | None, tuple[int, ...]]
"""The nation and the seat being asked, both None after the auction, and the cash of each seat."""


@dataclass
class Recorder:
    """A model of the site's auction: its reaction to each action, and the log of them."""

    base: str
    players: int
    cash: list[int]
    nation: int = 0
    asked: int = 0
    bonds: dict[int, set[int]] = field(default_factory=dict)
    first: int = 0
    over: bool = False
    answered: list[int] = field(default_factory=list)
    entries: list[dict[str, Any]] = field(default_factory=list)
    log: list[Entry] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)

    def __post_init__(self) -> None:
        players = [{"id": seat} for seat in SEATS[: self.players]]
        self.bonds = {n: set(COSTS) for n in range(len(NATIONS[self.base]))}
        self.record("initialize", players=players, baseGame=self.base, variant="auction")

    @property
    def asks(self) -> bool:
        return self.nation < len(NATIONS[self.base])

    def record(self, type_: str, **payload: Any) -> None:
        self.log.append({"type": type_, "payload": payload})
        where = (NATIONS[self.base][self.nation], SEATS[self.asked]) if self.asks else (None, None)
        self.positions.append((*where, tuple(self.cash)))

    def checkpoint(self) -> None:
        names = ("nation", "asked", "cash", "bonds", "answered")
        self.entries.append(deepcopy({name: getattr(self, name) for name in names}))

    def affordable(self) -> list[int]:
        return sorted(cost for cost in self.bonds[self.nation] if cost <= self.cash[self.asked])

    def answer(self, cost: int | None) -> None:
        self.checkpoint()
        said = {"player": SEATS[self.asked], "nation": {"value": NATIONS[self.base][self.nation]}}
        self.answered.append(self.asked)
        if cost is not None:
            self.cash[self.asked] -= cost
            self.bonds[self.nation].remove(cost)
        if self.over:  # an undo followed by another question does not reopen the auction
            self.nation = len(NATIONS[self.base])
        else:
            self.go_on()
        if cost is None:
            self.record("skipBondPurchase", **said)
        else:
            self.record("bondPurchase", **said, cost=cost, tradeInValue=0)

    def go_on(self) -> None:
        while True:
            self.asked = (self.asked + 1) % self.players
            if self.asked == self.first:
                self.nation += 1
                self.first = self.asked = (self.first + 1) % self.players
                if not self.asks:
                    self.over = True
                    return
            if self.affordable():
                return

    def stray(self) -> None:
        """Records an illegal action, which has no effect except as a point to undo to."""
        self.checkpoint()
        self.record("bondPurchase", player=SEATS[self.asked], nation={"value": "nowhere"}, cost=2, tradeInValue=0)

    def undo(self) -> None:
        by = SEATS[self.answered[-1]]
        for name, value in self.entries.pop().items():
            setattr(self, name, value)
        if not self.over and self.first != self.nation:
            self.first = (self.first - 1) % self.players
        self.record("undo", player=by)

    def play(self, *actions: int | str | None) -> Recorder:
        for action in actions:
            if action == "undo":
                self.undo()
            elif action == "stray":
                self.stray()
            else:
                assert not isinstance(action, str)
                self.answer(action)
        return self


def recorder(base: str, players: int) -> Recorder:
    ref = dialect().ruleset_for({"type": "initialize", "payload": {"baseGame": base}})
    assert ref is not None
    game = Game(ruleset(ref), SEATS[:players], {"set_up": "experienced"})
    return Recorder(base, players, [int(game.omniscient.value(f"{seat}.cash")) for seat in SEATS[:players]])


def opened(log: list[Entry]) -> tuple[Game, Importer]:
    foreign = parse_foreign(json.dumps(log), "auction.json")
    ref = dialect().ruleset_for(log[0])
    assert ref is not None
    seats, settings = seats_and_settings(dialect(), foreign, ruleset(ref))
    game = Game(ruleset(ref), seats, settings, "python")
    return game, Importer(game, dialect(), foreign)


def replayed(log: list[Entry]) -> list[Position]:
    """Our position after each action of a log."""
    game, importer = opened(log)
    positions: list[Position] = []

    def step(entry: int) -> None:
        decision = game.decision
        cash = tuple(int(game.omniscient.value(f"{seat}.cash")) for seat in game.seats)
        if decision is not None and decision.name == "subscription":
            positions.append((dialect().foreign("nation", game.omniscient.value("active")), decision.by, cash))
        else:
            positions.append((None, None, cash))

    assert importer.run(step=step) is None
    strays = [k for k, e in enumerate(log) if e["payload"].get("nation") == {"value": "nowhere"}]
    assert [entry.foreign_index for entry in importer.ignored] == strays
    return positions


def asked(site: Recorder) -> str:
    """The subject and the decider after a log, such as `FR Cy`, by the recorder and by us; empty after the auction."""
    assert replayed(site.log) == site.positions
    nation, seat, _ = site.positions[-1]
    return f"{nation} {seat}" if nation else ""


# --- by hand -------------------------------------------------------------------------------


def three() -> Recorder:
    return recorder("imperial", 3)


@pytest.mark.proof  # 0.4 s
def test_without_an_undo_each_nation_begins_one_seat_further_on() -> None:
    assert asked(three().play(*[None] * 9)) == "GB Ann"
    assert asked(three().play(2, *[None] * 17)) == ""


def test_an_undo_within_one_of_the_first_nations_changes_nothing() -> None:
    assert asked(three().play(2, "undo")) == "AH Ann"
    assert asked(three().play(2, "undo", 4, None, None)) == "IT Bob"
    assert asked(three().play(*[None] * 7, 2, "undo", "undo")) == "FR Cy"
    assert asked(three().play(*[None] * 7, 2, "undo", "undo", None, None, None)) == "GB Ann"


def test_an_undo_across_two_nations_changes_nothing() -> None:
    assert asked(three().play(None, None, 2, "undo")) == "AH Cy"
    assert asked(three().play(None, None, 2, "undo", 4)) == "IT Bob"
    assert asked(three().play(*[None] * 9, "undo", None)) == "GB Ann"


def test_an_undo_in_a_nation_that_begins_with_a_seat_that_was_first_before_takes_a_question_away() -> None:
    site = three().play(*[None] * 9, 2, "undo")
    assert asked(site) == "GB Ann"
    assert asked(site.play(None, None)) == "GE Ann"  # Cy is not asked about Great Britain, and Bob does not begin
    assert asked(site.play(None, None, None)) == "RU Bob"
    assert asked(site.play(None, None)) == "RU Ann"
    assert asked(site.play(None)) == ""


def test_undos_can_have_a_seat_asked_twice() -> None:
    site = three().play(*[None] * 12, *["undo"] * 4)  # through Great Britain, back into France: it began with Cy
    assert asked(site) == "FR Bob"
    assert asked(site.play(None)) == "FR Cy"
    assert asked(site.play(None)) == "GB Bob"


def test_an_entry_that_was_ignored_can_be_undone_and_moves_the_mark_as_well() -> None:
    site = three().play(*[None] * 10, "stray", "undo")
    assert asked(site) == "GB Bob"
    assert asked(site.play(None)) == "GE Ann"


def test_an_undo_of_the_end_asks_one_question_more() -> None:
    assert asked(three().play(2, *[None] * 17, "undo")) == "RU Bob"
    assert asked(three().play(2, *[None] * 17, "undo", 2)) == ""
    assert asked(three().play(2, *[None] * 17, "undo", "undo")) == "RU Ann"
    assert asked(three().play(2, *[None] * 17, "undo", "undo", 2)) == ""


@pytest.mark.proof
def test_with_as_many_players_as_nations_nothing_is_lost_within_a_nation() -> None:
    for answered in range(1, 36):
        if answered % 6:
            site = recorder("imperial2030", 6).play(*[None] * answered, "undo", *[None] * (36 - answered), 2)
            assert asked(site) == ""
            assert len(site.log) == 39


def test_the_native_log_of_an_auction_with_undo_replays_without_the_dialect(tmp_path: Path) -> None:
    site = three().play(*[None] * 9, 2, "undo", None, "stray", "undo", None, 4)
    game, importer = opened(site.log)
    assert importer.run() is None
    native = tmp_path / "game.jsonl"
    with LogWriter(native, LogHeader.of(game)) as writer:
        for move in importer.moves:
            writer.add(move)
    lines = [json.loads(line) for line in native.read_text(encoding="utf-8").splitlines()]
    assert [line["set"] for line in lines if "set" in line] == [{"first_bidder": "Cy"}, {"first_bidder": "Bob"}]
    assert [line["undo"] for line in lines if "set" in line] == [1, 0]
    again = ReplayRequest(native, load=lambda _: game.ruleset).replay()
    assert again.divergence is None
    assert again.game.hash == game.hash


# --- at random -----------------------------------------------------------------------------


def at_random(base: str, players: int, seed: str) -> Recorder:
    """An auction of random answers, undos and stray actions, sometimes with an undo after its end."""
    rng = random.Random(seed)
    site = recorder(base, players)
    undos = rng.choice([0.1, 0.3, 0.5])
    spends = rng.choice([0.3, 0.6, 0.9])
    strayed = False
    while len(site.log) < 150:
        draw = rng.random()
        if site.answered and site.entries and draw < (undos if site.asks else undos / 2):
            site.undo()
        elif not site.asks:
            break
        elif site.nation == len(NATIONS[base]) - 1 and all(len(left) == len(COSTS) for left in site.bonds.values()):
            site.answer(2)  # a game without any purchase cannot start
        elif draw < undos + 0.05 and not strayed:
            site.stray()  # one at a time: several in a row, with no legal action between them, are not stray clicks
            strayed = True
        else:
            strayed = False
            affordable = site.affordable()
            cheap = affordable[: rng.choice([1, 3, 9])]
            site.answer(rng.choice(cheap) if rng.random() < spends else None)
    return site


@pytest.mark.proof  # 0.7 s
@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("base", NATIONS)
def test_random_auctions_come_to_what_the_recorder_comes_to(base: str, players: int) -> None:
    for number in range(6):
        site = at_random(base, players, f"{base} {players} {number}")
        assert replayed(site.log) == site.positions, number
