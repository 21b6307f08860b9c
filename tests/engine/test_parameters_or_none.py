"""Parameters of options that may be left out: `or none`, under both backends."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from cases import split, write
from worlds import WORLD, Play, listed, take

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.numbered import every_option
from rulespec.load import load_ruleset

RULES = """
procedure play():
    for p in player:
        decide move by p:
            option go(t in oak.near or none, k in 1 .. 2 or none where k > n "only more"):
                require t is some or k is some  "something"
                if t is some: set t.owner to p
                set m to m * 10 + (k ?? 9)
            option send(a in town where a.tax > 6, into in {oak, fir} or none where into.tax > a.tax "far"):
                require (into is some) == (a == ash)  "ash only"
                end game as sent
            option buy(due in 1 money .. 1 money or none) by p:
                set n to n + (due ?? 5 money) / 1 money
                ask again
    choose last_of(x in {elm} or none) by first(player)
    end game as done
"""


def test_none_is_the_last_value(play: Play) -> None:
    game = play(RULES + WORLD)
    assert listed(game) == [
        *("go(elm, 1)", "go(elm, 2)", "go(elm, none)", "go(none, 1)", "go(none, 2)"),
        *("send(ash, fir)", "send(fir, none)", "buy(1)", "buy(none)"),
    ]
    assert "something" in str(game.why_not(game.parse("go(none, none)")))
    assert "ash only" in str(game.why_not(game.parse("send(ash, none)")))
    assert "far" in str(game.why_not(game.parse("send(ash, oak)")))
    assert game.why_not(game.parse("go(oak, none)")) is not None
    assert game.parse("go(none, 2)").args == (-1, 2)
    for text, note in (("send(none, fir)", "no town"), ("go(none)", "takes"), ("buy(x)", "not a number")):
        with pytest.raises(ValueError, match=note):
            game.parse(text)


def test_none_is_played_logged_and_taken_back(play: Play) -> None:
    game = play(RULES + WORLD)
    before = game.hash
    take(game, "buy(none)")
    assert game.omniscient.value("n") == "5"
    assert [o for o in listed(game) if o.startswith("go")] == ["go(elm, none)"]
    game.undo()
    assert game.hash == before
    take(game, "go(elm, none)", "go(none, 2)")
    assert (game.omniscient.value("m"), game.omniscient.value("elm.owner")) == ("92", "ann")
    assert listed(game) == ["last_of(elm)", "last_of(none)"]
    assert [o.arguments for o in every_option(game)] == [{"x": "elm"}, {"x": "none"}]
    take(game, "last_of(none)")
    assert game.is_over


def test_chance_may_come_to_none(play: Play) -> None:
    rules = """
procedure play():
    roll wind(k in 1 .. 2 or none) weight k ?? 3
    set n to k ?? 7
    chance rest:
        option end:
            end game
"""
    game = play(rules + WORLD)
    assert listed(game) == ["wind(1)", "wind(2)", "wind(none)"]
    assert take(game, "wind(none)").omniscient.value("n") == "7"


def test_what_is_chosen_together_may_be_none(play: Play) -> None:
    rules = """
procedure play():
    decide gift together by p in player:
        option give(g in good or none):
            if g is some: set n to n + 1 + g.index
            else: set m to m + 1
    chance rest:
        option end:
            end game
"""
    game = play(rules + WORLD)
    assert listed(game) == ["give(corn)", "give(salt)", "give(none)"]
    take(game, "give(none)", "give(salt)")
    assert (game.omniscient.value("n"), game.omniscient.value("m")) == ("2", "1")


@pytest.mark.parametrize(
    "option, code, message",
    [
        ("option go(t in town or none): set t.seen to true", "RS303", "x is some"),
        ("option go(k in 1 .. 2 or none): set n to k", "RS303", "x ?? 0"),
        ("option go(t in town or none where t.tax > 3): set n to 1", "", ""),
        ("option go(t in town where t.tax > 3 or none): set n to 1", "RS301", "before `where`"),
        ("option go(t in town or oak): set n to 1", "RS301", ""),
        ("option go(t in oak or none): set n to 1", "RS301", ""),
        ("option go(t in none): set n to 1", "RS301", ""),
    ],
)
def test_mistakes_are_told(option: str, code: str, message: str, tmp_path: Path) -> None:
    report = Report()
    head, _, body = option.partition("): ")
    option = f"{head}):\n            {body}\n            end game\n"
    text = f"procedure play():\n    decide a by first(player):\n        {option}"
    with contextlib.suppress(DiagnosticsError):
        load_ruleset(str(write(tmp_path / "w", split(text + WORLD, "rules/play.rules"))), report)
    results = [(d.code, f"{d.message} {d.help}") for d in report.diagnostics if d.severity.name == "ERROR"]
    assert (not code and not results) or any(c == code and message in text for c, text in results), results
