"""House rules and another map of 1889, as overlays of a few lines."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import TESTS

from rulespec import Game, load_ruleset
from rulespec.cli.main import cli
from rulespec.cli.validate import check
from rulespec.diagnostics.report import Report
from rulespec.engine.replay.replay import replay_log

RECORDED = TESTS / "fixtures" / "rails"
SHORT = RECORDED / "1889-short.log.json.gz"
HEAD = 'id: {0}\ntitle: {0}\nfor: {1}\nversion: "1.0"\n'
GAMES_OF = {
    "1889-short": "rails_1889",
    "1889-whole": "rails_1889",
    "18chesapeake-bankrupt": "rails_18chesapeake",
    "18chesapeake-broken-bank": "rails_18chesapeake",
}
"""Recorded game → its ruleset."""
LATE_SALES = 'change option sell of stock_turn:\n    require set_of_rounds > {0} "CLUB-01: too early to sell"\n'
SIX_HEXES = """changes:
  map.regions.a8: {cost: 0, mountain: false}
  map.regions.b9: {cost: 0, mountain: false}
  map.regions.d9.cost: 40
  map.regions.h11.printed: white_town
  map.regions.g8.printed: white_city
  map.regions.a10.printed: white_town
"""
MISTAKES = """changes:
  map.regions.c10.printed: white_town               # `ku` fails the check `homes_are_cities`
  map.regions.f9.printed: white_city                # `tr` fails the check `places_for_homes`
  kinds.corporation.entities.ur.home: f9            # `ur` fails the check `places_for_homes`
  kinds.corporation.entities.ar.home_city: 1        # `ar` fails the check `home_cities`
  kinds.corporation.entities.ir.tokens: 0           # `ir` fails the check `tokens`
  kinds.corporation.entities.sr.tokens: 4           # the check `tokens` has no value for `sr`
  map.regions.e8.printed: printed_f1                # `e8` fails the check `printed_track`
  map.regions.h7.printed: printed_h7                # `h7` fails the check `coverable`
  map.regions.i12.printed: white                    # `i12` fails the check `ports`
  map.regions.d5.s: d9                              # `d5` fails the check `neighbours`
  kinds.company.entities.te.closes: [b3]            # `te` fails the check `closed_hexes`
  kinds.company.entities.er.seller_lays: b7         # `er` fails the check `sellers_hexes`
  kinds.tile.entities.t15.stops: 0                  # `t15` fails the check `stops`
  kinds.tile.entities.t14.slots: 0                  # `t14` fails the check `slots`
  kinds.tile.entities.t12.rails: [s_1, sw_1, nw_2]  # `t12` fails the check `track_to_stops`
add:
  map.regions.f1.group: j1                          # `f1` fails the check `groups`
  kinds.tile.entities.printed_h7:
    {fixed: false, stop: city, stops: 1, slots: 1, revenue: 0, label: label_k, cost: 0, special: false, rails: []}
"""
"""Each line with the start of the message at it."""
MISTAKES_OF_AN_HEIR = """changes:
  kinds.corporation.entities.lv.home: j8            # `lv` fails the check `homes_are_cities`
  kinds.company.entities.c_p.closes: [h2, f4]       # `c_p` fails the check `two_joined_hexes`
  map.regions.g5.printed: white_town                # `b_s` fails the check `two_joined_hexes`
  map.regions.d2.printed: white_town                # `c_oc` fails the check `hexes_with_tokens`
"""


def overlay(folder: Path, name: str, changes: str = "", rules: str = "", of: str = "rails_1889") -> str:
    """The reference of a ruleset with an overlay, which is put into a folder."""
    (folder / f"{name}.yaml").write_text(HEAD.format(name, of) + changes, "utf-8")
    if rules:
        (folder / f"{name}.rules").write_text(rules, "utf-8")
    return f"{of}+{folder / name}.yaml"


def test_no_sale_in_the_first_two_rounds_stops_a_recorded_game_at_its_first_sale(tmp_path: Path) -> None:
    rules = LATE_SALES.format(2)
    assert len((HEAD + rules).splitlines()) <= 6
    result = replay_log(SHORT, rules=overlay(tmp_path, "late_sales", rules=rules))
    assert result.divergence is not None
    assert (result.divergence.foreign_index, result.divergence.refusal.rules) == (30, ("CLUB-01",))
    assert result.divergence.action["type"] == "sell_shares"


@pytest.mark.proof  # 2 s each: replays
@pytest.mark.parametrize("log", GAMES_OF)
def test_a_rule_against_early_sales_stops_each_recorded_game_at_its_first(log: str, tmp_path: Path) -> None:
    path = RECORDED / f"{log}.log.json.gz"
    actions = json.loads(gzip.decompress(path.read_bytes()))["actions"]
    ref = overlay(tmp_path, "late_sales", rules=LATE_SALES.format(9), of=GAMES_OF[log])
    divergence = replay_log(path, rules=ref).divergence
    assert divergence is not None
    assert divergence.refusal.rules == ("CLUB-01",)
    assert divergence.action == next(action for action in actions if action["type"] == "sell_shares")


@pytest.mark.proof  # 3 s: two more replays
def test_no_sale_in_the_first_round_is_in_the_rules_of_the_game(tmp_path: Path) -> None:
    assert replay_log(SHORT, rules=overlay(tmp_path, "late_sales", rules=LATE_SALES.format(1))).divergence is None
    freed = 'change option sell of stock_turn: remove "RAI-STK-05"\n'
    assert replay_log(SHORT, rules=overlay(tmp_path, "freed", rules=freed)).divergence is None


def test_a_map_with_six_other_hexes_is_played(tmp_path: Path) -> None:
    ref = overlay(tmp_path, "six_hexes", SIX_HEXES)
    listed = CliRunner().invoke(cli, ["diff", "rails_1889", ref]).output
    assert "map.regions: 6 changed" in listed
    assert "h11  printed white → white_town" in listed
    game, rng = Game(load_ruleset(ref), ["A", "B", "C"]), random.Random(1)
    while game.decision is not None and game.ply < 60:
        game.apply(rng.choice(list(game.legal_options)))
    assert game.ply == 60


@pytest.mark.parametrize("of, changes", [("rails_1889", MISTAKES), ("rails_18chesapeake", MISTAKES_OF_AN_HEIR)])
def test_mistakes_of_a_changed_map_are_reported_at_their_lines(of: str, changes: str, tmp_path: Path) -> None:
    report = Report()
    check(overlay(tmp_path, "six_hexes", changes, of=of), report)
    at = {line: text for line, text in enumerate(f"{HEAD}{changes}".splitlines(), 1) if "  # " in text}
    messages = {line: [d.message for d in report.diagnostics if d.span and d.span.line == line] for line in at}
    assert {
        line: text
        for line, text in at.items()
        if not any(m.startswith(text.partition("  # ")[2]) for m in messages[line])
    } == {}


def test_a_ferry_without_ports_is_reported(tmp_path: Path) -> None:
    report = Report()
    check(overlay(tmp_path, "no_ports", "changes:\n  kinds.tile.entities.t437.special: false\n"), report)
    assert [d.message.partition(":")[0] for d in report.diagnostics] == ["`mf` fails the check `ports`"]


@pytest.mark.proof  # 20 s: games to their ends
def test_whole_games_on_another_map_end(tmp_path: Path) -> None:
    ref = overlay(tmp_path, "six_hexes", SIX_HEXES)
    result = CliRunner().invoke(cli, ["simulate", ref, "--players", "3", "--games", "5"])
    assert result.exit_code == 0, result.output


@pytest.mark.proof  # 5 s: pairs of games
def test_the_effect_of_a_house_rule_is_judged(tmp_path: Path) -> None:
    overlay(tmp_path, "late_sales", rules=LATE_SALES.format(2))
    words = [
        "--players",
        "3",
        "--bots",
        "random",
        "--beside",
        "random",
        "--pairs",
        "2",
        "--ladder",
        "2",
        "--cap",
        "150",
    ]
    result = CliRunner().invoke(cli, ["playtest", "rails_1889", f"+{tmp_path}/late_sales.yaml", *words])
    assert result.exit_code == 0, result.output
    assert "late_sales" in result.output
