"""Choices of a round that is not complete are sealed, and saved games with secrets are their owner's."""

from __future__ import annotations

import importlib
import json
import random
import re
import stat
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from worlds import IDLE, WORLD, Play, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError, TakenBack
from rulespec.engine.game.round import Round
from rulespec.engine.logs.log_file import LogWriter, write_log
from rulespec.engine.logs.native import LogHeader, read_log
from rulespec.engine.logs.saved_game import SavedGame
from rulespec.engine.logs.sealed import SealedRound, fits, sealed, seen_line
from rulespec.engine.logs.seat_log import seat_log
from rulespec.engine.replay.replay import replay_native
from rulespec.engine.search.twins import particles

ROUND = """
--- rules/play.rules
procedure play():
    decide bidding together by p in player:
        option bid(k in 1 .. 4 - p.index * 3):
            require k < 4            "R-01: too much"
            set n to n * 10 + k
    decide last by first(player):
        option go: pass
"""
PRIVATE = ROUND.replace("4 - p.index * 3)", "3 private)")
SECRET = """
--- rules/play.rules
procedure play():
    for p in player:
        roll deal(k in 0 .. 1 private to p)
        set p.secret to k
    decide bidding together by p in player:
        option stay: pass
        option show:
            require p.secret > 0
            pass
"""


def test_a_choice_is_sealed_for_others_until_all_have_chosen(play: Play) -> None:
    round_ = SealedRound(play(ROUND + WORLD, "ann bob"))
    assert round_.choose("bob", "bid(1)") is False
    own, others, public = (list(round_.lines(seat)) for seat in ("bob", "ann", None))
    assert [(line["by"], line["option"]) for line in own] == [("bob", "bid(1)")]
    assert others == public and set(others[0]) == {"decision", "by", "sealed"} and "bid(" not in str(others)
    round_.choose("ann", "bid(2)")
    opened = list(round_.lines("ann"))
    assert [line["option"] for line in opened] == ["bid(2)", "bid(1)"] and round_.complete
    line = {key: opened[1][key] for key in ("decision", "by", "option")}
    assert fits(others[0]["sealed"], line, opened[1]["salt"])
    assert not fits(others[0]["sealed"], line | {"option": "bid(2)"}, opened[1]["salt"])


def test_equal_choices_have_other_seals_and_a_changed_one_has_a_new_one(play: Play) -> None:
    round_ = SealedRound(play(ROUND + WORLD, "ann bob"))
    seals = set()
    for text in ("bid(2)", "bid(2)", "bid(3)"):
        round_.choose("ann", text)
        seals.add(next(round_.lines("bob"))["sealed"])
    assert len(seals) == 3
    round_.withdraw("ann")
    assert list(round_.lines("bob")) == []


def decisions(game: Game, seat: str | None) -> list[dict[str, Any]]:
    """The lines with decisions of the log for a seat."""
    return [line for line in seat_log(game, seat) if "decision" in line]


def test_the_log_for_a_seat_seals_the_choices_of_a_round(play: Play) -> None:
    game = take(play(ROUND + WORLD, "ann bob"), "bid(2)")
    (own,), (others,), (public,) = (decisions(game, seat) for seat in ("ann", "bob", None))
    assert own["option"] == "bid(2)" and set(others) == {"decision", "by", "sealed"} and others == public
    assert decisions(game, "bob") == [others] == decisions(game.copy(), "bob")
    opened, last = decisions(take(game, "bid(1)"), "bob")
    assert opened["salt"] == own["salt"] and set(last) == {"decision", "by", "option"}
    assert fits(others["sealed"], {key: opened[key] for key in ("decision", "by", "option")}, opened["salt"])


def test_what_is_chosen_anew_has_another_seal(play: Play) -> None:
    game, seals = play(ROUND + WORLD, "ann bob"), set()
    for text in ("bid(2)", "bid(2)", "bid(3)"):
        seals.add(decisions(take(game, text), "bob")[0]["sealed"])
        game.undo()
    assert len(seals) == 3


def test_nothing_in_a_log_opens_a_seal(play: Play) -> None:
    """A bid is one of three: without a salt that is kept, whoever tries all of them would know it."""
    assert not opened(take(play(ROUND + WORLD, "ann bob"), "bid(2)"))


def opened(game: Game) -> list[str]:
    """The options that fit a seal with anything that stands in the log for bob, or is known anyway."""
    lines = list(seat_log(game, "bob"))
    known = {"", *re.findall(r"[0-9a-f]{32,}", json.dumps(lines)), game.hash, "0" * 32}
    salts = known | {text[:32] for text in known}
    bids = {f"bid({k})" for k in (1, 2, 3)}
    line = {"decision": "bidding", "by": "ann"}
    return [bid for bid, salt in product(bids, salts) if fits(lines[1]["sealed"], line | {"option": bid}, salt)]


LEAKS: dict[str, tuple[str, str, Any]] = {
    "the salt beside the seal": (
        "rulespec.engine.logs.seat_log",
        "seen_line",
        lambda step, event: seen_line(step, event) | {"salt": step.salt},
    ),
    "a salt that is no secret": ("rulespec.engine.logs.sealed", "new_salt", lambda: "0" * 32),
    "no salt": (
        "rulespec.engine.logs.sealed",
        "sealed",
        lambda line, salt: sealed(line, ""),
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_seal_that_can_be_opened_is_found(leak: str, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, other = LEAKS[leak]
    monkeypatch.setattr(importlib.import_module(where), name, other)
    assert set(opened(take(play(ROUND + WORLD, "ann bob"), "bid(2)"))) == {"bid(2)"}


def test_what_stays_hidden_stays_sealed(play: Play) -> None:
    """The salt of a choice whose argument is private would open it to whoever tries all."""
    game = take(play(PRIVATE + WORLD, "ann bob"), "bid(2)")
    (sealed,) = decisions(game, "bob")
    line, _ = decisions(take(game, "bid(1)"), "bob")
    assert line == {"decision": "bidding", "by": "ann", "option": "bid(?)", "sealed": sealed["sealed"]}
    assert decisions(game, "ann")[0]["option"] == "bid(2)" and "salt" in decisions(game, "ann")[0]


def test_seals_are_the_same_after_the_game_has_been_in_a_file(play: Play, tmp_path: Path) -> None:
    game = take(play(ROUND + WORLD, "ann bob"), "bid(2)")
    sealed = decisions(game, "bob")
    write_log(tmp_path / "log.jsonl", game)
    again = replay_native(read_log(tmp_path / "log.jsonl"), game.ruleset)
    assert decisions(again.game, "bob") == sealed and again.divergence is None
    back = [*again.moves, TakenBack(1), *again.moves]
    again.game.omniscient.take_back(TakenBack(1))
    write_log(tmp_path / "other.jsonl", take(again.game, "bid(2)"), back)
    other = replay_native(read_log(tmp_path / "other.jsonl"), game.ruleset)
    assert decisions(other.game, "bob") == decisions(again.game, "bob") != sealed


def test_a_sealed_round_leaves_its_salts_with_the_game(play: Play) -> None:
    round_ = SealedRound(play(ROUND + WORLD, "ann bob"))
    round_.choose("bob", "bid(1)")
    (sealed,) = round_.lines("ann")
    round_.choose("ann", "bid(3)")
    anns, bobs = decisions(round_.game, None)
    assert fits(sealed["sealed"], {key: bobs[key] for key in ("decision", "by", "option")}, bobs["salt"])
    assert anns["salt"] != bobs["salt"]


def test_a_seat_with_one_option_need_not_be_asked_unless_that_is_a_secret(play: Play) -> None:
    assert Round(play(ROUND + WORLD, "ann bob")).forced == ("bob",)
    game = take(play(SECRET + WORLD, "ann bob"), "deal(0)", "deal(1)")
    assert Round(game).forced == () and len(Round(game).options("ann")) == 1


def test_a_fault_when_the_choices_are_taken_takes_none(play: Play) -> None:
    rules = ROUND.replace("set n to n * 10 + k", "set few to few + k")
    game = play(rules.replace("k < 4 ", "k < 9 ") + WORLD, "ann bob")
    round_ = Round(game)
    round_.choose("bob", "bid(1)")
    with pytest.raises(RulesetFaultError):
        round_.choose("ann", "bid(3)")
    assert game.ply == 0 and round_.waiting == ("ann",)
    assert round_.choose("ann", "bid(2)") is True


def test_a_saved_game_with_secrets_is_its_owners(play: Play, tmp_path: Path) -> None:
    secret, public = play(SECRET + WORLD), play(IDLE + WORLD.replace(", private: true", ""))
    for game, name in ((secret, "secret"), (public, "public")):
        with SavedGame(tmp_path / f"{name}.jsonl") as saved:
            saved.begin(LogHeader.of(game), secret=game.omniscient.secretive)
        with LogWriter(tmp_path / f"{name}.log", LogHeader.of(game), secret=game.omniscient.secretive):
            pass
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if path.is_file()}
    assert modes["secret.jsonl"] == modes["secret.log"] == 0o600
    assert modes["public.jsonl"] & 0o044 == modes["public.log"] & 0o044 == 0o044


def test_particles_look_the_same_and_differ(play: Play) -> None:
    game = take(play(SECRET + WORLD, "ann bob"), "deal(0)", "deal(1)")
    result = particles(game, "ann", 12, random.Random(1))
    assert all(one.view("ann") == game.view("ann") for one in result)
    assert {str(one.history[1]) for one in result} == {"deal(0)", "deal(1)"} and len(result) == 12
