"""Values: what a position is worth to players, on which no game depends."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from stalls import STALLS

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.load import load_ruleset

VALUES = """
--- measures.yaml
values:
  wealth: {of: player, value: player.cash, decides: 20}
  none_yet: {of: player, value: 0 * player.index, decides: 5}
"""
OVERLAY = """
--- variants/other.yaml
id: other
title: Other
for: small
version: "1.0"
add: {values.thrift: {of: player, value: 2 * player.cash, decides: 3}}
changes: {values.wealth.decides: 30}
remove: [values.none_yet]
"""


def test_values_have_an_order_and_a_difference_that_decides(tmp_path: Path) -> None:
    values = small(tmp_path / "small", STALLS + VALUES).declarations.values
    assert {name: (value.title, value.decides) for name, value in values.items()} == {
        "wealth": ("Wealth", 20),
        "none_yet": ("None yet", 5),
    }


def test_an_overlay_adds_changes_and_removes_values_and_no_log_depends_on_it(tmp_path: Path) -> None:
    plain = small(tmp_path / "small", STALLS + VALUES + OVERLAY)
    other = load_ruleset(f"{tmp_path / 'small'}+other")
    assert {name: value.decides for name, value in other.declarations.values.items()} == {"wealth": 30, "thrift": 3}
    assert other.hash == plain.hash


@pytest.mark.parametrize(
    "value, code",
    [
        ("{of: player, value: player.cash}", "RS212"),
        ("{of: player, value: player.cash, decides: 0}", "RS216"),
        ("{of: player, value: player.cash > 2 money, decides: 3}", "RS571"),
        ("{of: player, value: fish.sold, decides: 3}", "RS572"),
        ("{of: stall, value: stall.sold, decides: 3}", "RS576"),
        ("{of: stal, value: stall.sold, decides: 3}", "RS224"),
        ("{value: fish.sold, decides: 3}", "RS576"),
    ],
)
def test_an_unsound_value_is_reported_at_its_place(value: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as error:
        small(tmp_path / "small", STALLS + f"--- measures.yaml\nvalues:\n  wrong: {value}\n")
    (result,) = error.value.diagnostics
    assert result.code == code
    assert result.span is not None and result.span.file.endswith("measures.yaml")


POINTS = """
--- rules/points.rules
scoring p in player:
    score p.cash / 1 money
--- measures.yaml
stakes: 20
"""


def test_a_game_may_be_played_for_points_and_no_log_depends_on_it(tmp_path: Path) -> None:
    plain = small(tmp_path / "plain", STALLS + POINTS.partition("--- measures.yaml")[0])
    overlay = '\n--- variants/low.yaml\nid: low\ntitle: Low\nfor: small\nversion: "1.0"\nchanges: {stakes: 5}\n'
    played = small(tmp_path / "small", STALLS + POINTS + overlay)
    low = load_ruleset(f"{tmp_path / 'small'}+low")
    assert [each.declarations.stakes for each in (plain, played, low)] == [0, 20, 5]
    assert plain.hash == played.hash == low.hash


@pytest.mark.parametrize(
    "world, why",
    [
        (STALLS + POINTS.partition("--- measures.yaml")[2].join(["--- measures.yaml", ""]), "no `scoring`"),
        (STALLS.replace("max: 2}", "max: 2, teams: all}") + POINTS, "all players win together"),
        (STALLS + POINTS + "values: {wealth: {of: player, value: player.cash, decides: 20}}\n", "the value `wealth`"),
    ],
)
def test_stakes_of_a_game_without_points_are_reported(world: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as error:
        small(tmp_path / "small", world)
    (result,) = error.value.diagnostics
    assert result.code == "RS578" and why in result.message and result.help
    assert result.span is not None and result.span.file.endswith("measures.yaml")


def test_players_who_win_together_may_have_one_value(tmp_path: Path) -> None:
    world = STALLS.replace("min: 2, max: 2}", "min: 2, max: 2, teams: all}")
    shared = small(tmp_path / "small", world + "--- measures.yaml\nvalues: {sales: {value: fish.sold, decides: 3}}\n")
    assert shared.declarations.values["sales"].var is None


def test_a_value_that_may_take_long_is_a_warning_of_its_own(tmp_path: Path) -> None:
    """Bots ask for one value at a time, so each is bounded by itself."""
    small(tmp_path / "small", STALLS)
    dear = "sum(1 " + " ".join(f"for a{i} in stall" for i in range(22)) + ")"
    value = f'{{of: player, value: "player.index + {dear}", decides: 3}}'
    (tmp_path / "small" / "measures.yaml").write_text(f"values:\n  one: {value}\n  other: {value}\n", "utf-8")
    report = Report()
    load_ruleset(str(tmp_path / "small"), report)
    messages = [d.message for d in report.diagnostics if d.code == "RS411"]
    assert ["one" in m.split("`")[1] for m in messages] == [True, False] and len(messages) == 2
