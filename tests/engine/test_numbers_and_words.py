"""Semantics of jumps, ranges and settings that are numbers, under both backends."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from worlds import WORLD, Play, listed, take

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.replay.replay import ReplayRequest
from rulespec.engine.verify.starts import check_starts
from rulespec.typed.settings import values_to_try

DECISIONS = """
procedure play():
    for p in player:
        turn(p)
    end game
procedure turn(p: player):
    repeat at most 3:
        set m to m + 1
        decide move by p:
            option go(t in town where not t.seen):
                set t.seen to true
                set n to n * 10 + t.index
                for u in town:
                    if u == elm:
                        continue
                    set few to (few + 1) % 4
                if t == fir:
                    continue
                ask again
            option stay:
                leave
"""


def test_ask_again_opens_the_decision_and_continue_takes_the_next_turn(play: Play) -> None:
    game = play(DECISIONS + WORLD)
    take(game, "go(elm)", "go(ash)")
    assert [game.omniscient.value(x) for x in ("n", "m", "few")] == ["12", "1", "2"]
    assert listed(game)[:2] == ["go(oak)", "go(fir)"]
    take(game, "go(fir)")
    assert [game.omniscient.value(x) for x in ("n", "m")] == ["123", "2"]
    take(game, "stay", "stay")
    assert game.is_over and game.omniscient.value("m") == "3"


def test_what_was_chosen_is_taken_back_and_chosen_again(play: Play) -> None:
    game, other = play(DECISIONS + WORLD), play(DECISIONS + WORLD)
    take(game, "go(oak)", "go(elm)")
    take(other, "go(oak)", "go(elm)")
    before = game.hash
    take(game, "go(fir)")
    game.undo()
    assert game.hash == before == other.hash


@pytest.mark.parametrize("value, fits", [("-2", True), ("-3", False), ("1", True), ("2", False)])
def test_a_range_may_begin_below_zero(play: Play, value: str, fits: bool) -> None:
    world = WORLD.replace("m: {type: int}", "m: {type: int -2..1}", 1)
    text = f"procedure play():\n    set m to {value} + m\n    end game\n{world}"
    if fits:
        assert play(text).omniscient.value("m") == value
    else:
        with pytest.raises(RulesetFaultError, match="between -2 and 1"):
            play(text).omniscient.value("m")


def test_a_range_without_zero_needs_a_start(play: Play) -> None:
    world = WORLD.replace("m: {type: int}", "m: {type: int -4..-2, start: -3}", 1)
    assert play(f"procedure play():\n    set m to m + 1\n    end game\n{world}").omniscient.value("m") == "-2"


SETTINGS = """--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 3}
units: [money]
start: play
settings:
  discs: {type: int 3..5, default: 5, doc: how many}
  toll: {type: money -1..2, default: 1}
  far: {type: int 0..999999999999999, default: 7}
  quick: {default: false}
--- kinds.yaml
kinds:
  player: {state: {cash: {account: money}, seen: {type: int 0..5, start: discs}}}
state: {n: {type: int}, best: {type: int, start: discs * 2}}
accounts: {bank: {account: money, unlimited: true}}
--- tables.yaml
tables:
  pay_of: {key: int, value: int, rows: {3: 30, 4: 40, 5: 50}}
--- setup.yaml
setup: {accounts: {player.cash: 10 + toll}}
"""

NUMBERED = """
procedure play():
    repeat at most discs:
        set n to n + 1
    for p in player:
        decide move by p:
            option take(k in discs .. discs + 1):
                pay toll + 1 from p.cash to bank
                set n to n + k
    end game
"""


@pytest.mark.parametrize("discs", [3, 4, 5])
def test_a_setting_may_be_a_number(play: Play, discs: int) -> None:
    game = play(NUMBERED + SETTINGS, discs=discs, toll=-1)
    assert game.settings == {"discs": str(discs), "toll": "-1", "far": "7", "quick": "false"}
    values = [
        game.omniscient.value(x) for x in ("discs", "best", "n", "pay_of[discs]", "ann.seen", "ann.cash", "toll * 2")
    ]
    assert values == [*map(str, (discs, 2 * discs, discs, 10 * discs, discs, 9)), "-2"]
    assert listed(game) == [f"take({discs})", f"take({discs + 1})"]


@pytest.mark.parametrize("value", [6, 2, "six", "", True, "4.0", "9" * 30])
def test_a_number_outside_the_range_of_a_setting_is_told(play: Play, value: int | str) -> None:
    text = str(value).lower()
    with pytest.raises(DiagnosticsError, match=rf"`discs` must be a number in 3\.\.5, not {text} \[RS706\]"):
        play(NUMBERED + SETTINGS, discs=value)


def test_a_number_is_written_in_one_way(play: Play) -> None:
    assert play(NUMBERED + SETTINGS, discs="04").settings["discs"] == "4"


def test_settings_are_checked_up_to_the_first_decision_at_their_ends(tmp_path: Path) -> None:
    rules = NUMBERED.replace("set n to n + 1", "set best to best / (discs - 4)")
    ruleset = small(tmp_path / "small", rules + SETTINGS.replace("3..5", "4..5"))
    report = Report()
    check_starts(ruleset, report)
    (result,) = report.diagnostics
    assert "with `discs=4`" in result.help
    assert result.message.endswith("this divides by zero")


def test_of_a_long_range_the_ends_and_the_default_are_tried(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", NUMBERED + SETTINGS)
    assert values_to_try(ruleset.settings["far"]) == ("0", "1", "7", "999999999999998", "999999999999999")
    assert values_to_try(ruleset.settings["discs"]) == ("3", "4", "5")


def test_a_number_goes_through_a_log_and_comes_back(play: Play, tmp_path: Path) -> None:
    game = take(play(NUMBERED + SETTINGS, discs=3), "take(3)", "take(4)")
    with LogWriter(tmp_path / "written.jsonl", LogHeader.of(game)) as writer:
        for move in game.history:
            writer.add(move)
    log = (tmp_path / "written.jsonl").read_text("utf-8")
    for text in (log, log.replace('"3"', "3", 1)):
        path = tmp_path / "game.jsonl"
        path.write_text(text, "utf-8")
        result = ReplayRequest(path, load=lambda _: game.ruleset).replay()
        assert (result.divergence, result.game.hash, result.game.settings["discs"]) == (None, game.hash, "3")
