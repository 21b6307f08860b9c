"""Measures: `measures.yaml` and overlays name numbers of a position, on which no game depends."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from folders import GAMES

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.query import Queries
from rulespec.engine.program.budget import Budget
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset

WORLD = """
--- kinds.yaml
kinds:
  player: {state: {cash: {account: money, private: hidden}, debt: {type: "money?"}}}
  stall: {state: {sold: {type: int}}, entities: {fish: {}, fruit: {}}}
accounts: {bank: {account: money, unlimited: true}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
units: [money]
start: play
settings: {hidden: {default: true, doc: "who is how rich"}}
--- rules/play.rules
procedure play():
    for p in player:
        decide work by p:
            option sell(s in stall, k in 1 .. 3):
                set s.sold to s.sold + k
                pay k * 1 money from bank to p.cash
    if first(player).debt is none:
        set first(player).debt to 0 money
    end game

scoring p in player:
    "S-1: the richest."
    score p.cash / 1 money
"""
MEASURES = """
--- measures.yaml
measures:
  trade: {title: All sales, value: "sum(s.sold for s in stall)"}
  sold: {of: stall, value: stall.sold}
  each_sale: {of: stall, value: 6 / stall.sold}
"""


def game(folder: Path, text: str) -> Game:
    result = Game(small(folder / "small", text), ["Ann", "Bob"])
    result.apply(result.parse("sell(fish, 3)"))
    return result


def test_measures_are_numbers_of_entities_and_of_the_game(tmp_path: Path) -> None:
    result = game(tmp_path, WORLD + MEASURES).omniscient.measures()
    assert list(result) == ["score", "trade", "sold", "each_sale"]
    assert result["trade"] == {"": 3} and result["sold"] == {"fish": 3, "fruit": 0}
    assert result["score"] == {"Ann": 3, "Bob": 0}


def test_the_first_thing_that_is_asked_of_a_game_may_be_its_measures(tmp_path: Path) -> None:
    nested = "--- measures.yaml\nmeasures: {all: {value: 'sum(s.sold + p.index for p in player for s in stall)'}}\n"
    assert Game(small(tmp_path / "small", WORLD + nested), ["Ann", "Bob"]).omniscient.measures()["all"] == {"": 2}


def test_a_measure_that_has_no_value_is_none(tmp_path: Path) -> None:
    assert game(tmp_path, WORLD + MEASURES).omniscient.measures()["each_sale"] == {"fish": 2, "fruit": None}


def test_a_measure_over_secrets_is_seen_by_those_who_see_them(tmp_path: Path) -> None:
    played = game(tmp_path, WORLD + MEASURES)
    assert played.omniscient.measures("Ann")["score"] == {"Ann": 3, "Bob": None}
    assert played.omniscient.measures(None)["score"] == {"Ann": None, "Bob": None}
    assert played.omniscient.measures(None)["trade"] == {"": 3}


def test_the_points_can_have_another_title(tmp_path: Path) -> None:
    named = '--- measures.yaml\nmeasures: {score: {title: Gold, of: player, value: player.cash, doc: "S-1"}}\n'
    measures = small(tmp_path / "small", WORLD + named).declarations.measures
    assert [m.title for m in measures.values()] == ["Gold"]


def test_no_log_depends_on_measures(tmp_path: Path) -> None:
    plain, measured = small(tmp_path / "a", WORLD), small(tmp_path / "b", WORLD + MEASURES)
    assert plain.hash == measured.hash


def test_an_overlay_adds_changes_and_removes_measures(tmp_path: Path) -> None:
    overlay = """
--- variants/other.yaml
id: other
title: Other
for: small
version: "1.0"
add: {measures.fruit: {value: fruit.sold}}
changes: {measures.trade.title: Trade}
remove: [measures.each_sale]
"""
    small(tmp_path / "small", WORLD + MEASURES + overlay)
    measures = load_ruleset(f"{tmp_path / 'small'}+other").declarations.measures
    assert {name: m.title for name, m in measures.items()} == {
        "score": "Score",
        "trade": "Trade",
        "sold": "Sold",
        "fruit": "Fruit",
    }


@pytest.mark.parametrize(
    "measure, code",
    [
        ("{value: fish}", "RS571"),
        ("{value: first(player).debt}", "RS571"),
        ("{value: fish.sold > 1}", "RS571"),
        ("{of: stall, value: fish.sold}", "RS572"),
        ("{of: stal, value: fish.sold}", "RS224"),
        ("{of: stall, value: stall.sould}", "RS225"),
        ("{value: sum(s.sold for s in stall}", "RS131"),
        ("{title: T}", "RS212"),
    ],
)
def test_what_is_no_measure_is_told_at_its_place(measure: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as error:
        small(tmp_path / "small", WORLD + f"--- measures.yaml\nmeasures:\n  wrong: {measure}\n")
    (result,) = error.value.diagnostics
    assert result.code == code
    assert result.span is not None and result.span.file.endswith("measures.yaml")


def test_a_measure_that_mixes_the_unit_of_a_constant_is_reported(tmp_path: Path) -> None:
    constant = "--- tables.yaml\nconstants: {price: 3 money}\n"
    measure = '--- measures.yaml\nmeasures:\n  wrong: {value: "price * 2 money"}\n'
    with pytest.raises(DiagnosticsError) as error:
        small(tmp_path / "small", WORLD + constant + measure)
    assert [d.code for d in error.value.diagnostics] == ["RS302"]


def test_measures_together_do_not_take_too_long(tmp_path: Path) -> None:
    dear = "sum(1 " + " ".join(f"for a{i} in stall" for i in range(18)) + ")"
    played = game(tmp_path, WORLD + f'--- measures.yaml\nmeasures:\n  dear: {{value: "{dear}"}}\n')
    report = Report()
    load_ruleset(str(played.ruleset.folders[0]), report)
    assert [d.code for d in report.diagnostics if d.code != "RS405"] == ["RS411"]
    budget = Budget(100_000)
    assert played.omniscient.measures(budget=budget)["dear"] == {"": None}
    assert [use.name for use in budget.used] == ["the measure `score`", "the measure `dear`"]
    assert budget.spent


def test_points_that_ask_what_would_hold_after_are_no_measure(tmp_path: Path) -> None:
    """Nobody has named them as one, so the ruleset stays sound."""
    reward = "\nprocedure reward(p: player):\n    pay 5 money from bank to p.cash\n"
    world = WORLD.replace("score p.cash / 1 money", "score (p.cash / 1 money) once reward(p)") + reward
    assert "once" in world and list(game(tmp_path, world).omniscient.measures()) == []


def test_points_that_take_long_are_no_measure(tmp_path: Path) -> None:
    lots = "lot: {entities: {" + ", ".join(f"l{i}: {{}}" for i in range(60)) + "}}\n  stall:"
    far = "sum(1 for a in lot for b in lot for c in lot for d in stall)"
    world = WORLD.replace("stall:", lots, 1).replace("score p.cash / 1 money", f"score p.cash / 1 money + {far}")
    assert list(game(tmp_path, world).omniscient.measures()) == []


@pytest.mark.parametrize("log", ["imperial/logs/quickstart.jsonl", "tetrarchia/logs/random-1p.jsonl"])
@pytest.mark.proof
def test_what_is_remembered_of_a_position_is_what_it_is_in_the_next(log: str) -> None:
    played = replay_log(GAMES / log).game
    again = restarted(played)
    for option in played.history:
        again.apply(option)
        fresh = Queries(played.ruleset, played.seats, played.settings).measuring(played.omniscient.labels)
        assert again.omniscient.measures() == fresh.of(again.omniscient.numbers.state)
