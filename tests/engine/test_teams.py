"""Teams: they win together, and are counted, reported and named as one, under both backends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import small, split, write
from jsonschema import Draft202012Validator
from worlds import Play, take

from rulespec.cli.main import run
from rulespec.cli.state_text import standings
from rulespec.engine.game.game import teams_of
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.game_totals import Totals
from rulespec.schemas import load_schema
from rulespec.typed.seat_kinds import won_by

TEAMS = """
procedure play():
    decide go by first(player):
        option draw:
            end game as draw won by {}
        option win(t in partnership):
            end game as victory won by t.players
        option one(p in player):
            end game as last_one won by {p}
        option points:
            set the(p in player where p.index == 1).score to 2
            end game as counted
scoring p in player:
    score p.score + count(p.partnership.players)
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 4, teams: partnership}
start: play
--- kinds.yaml
kinds:
  partnership: {entities: {north: {}, south: {}}}
  player:
    facts: {partnership: partnership}
    seats: [{partnership: north}, {partnership: south}, {partnership: north}, {partnership: south}]
    state: {score: {type: int}}
"""


def test_a_team_has_the_players_of_its_seats(play: Play) -> None:
    assert play(TEAMS, "A B C D").omniscient.value("north.players") == "{A, C}"
    three = play(TEAMS, "A B C")
    values = ("north.players", "south.players", "A.partnership.players", "union(t.players for t in partnership)")
    assert [three.omniscient.value(x) for x in values] == ["{A, C}", "{B}", "{A, C}", "{A, B, C}"]


@pytest.mark.parametrize(
    "option, winners",
    [("draw", []), ("win(south)", ["B", "D"]), ("one(C)", ["A", "C"]), ("points", ["B", "D"])],
)
def test_a_team_wins_together(play: Play, option: str, winners: list[str]) -> None:
    game = take(play(TEAMS, "A B C D"), option)
    assert game.result is not None
    assert game.result.winners == winners
    assert teams_of(game) == ("north", "south", "north", "south")


def test_all_players_may_be_one_team(play: Play) -> None:
    text = TEAMS.replace("teams: partnership", "teams: all").replace("t.players", "{first(player)}")
    text = text.replace("option win(t in partnership)", "option win").replace("p.partnership.players", "player")
    text = text.replace("p.index == 1", "p.partnership == south")
    game = play(text, "A B")
    assert standings(game)[:2] == ["team  seats", "all   A, B"]
    take(game, "one(B)")
    assert game.result is not None
    assert game.result.winners == ["A", "B"]
    assert standings(game)[:2] == ["team  seats", "all   A, B   won"]
    lost = take(play(text, "A B"), "draw")
    assert standings(lost)[1] == "all   A, B   lost"
    assert won_by(teams_of(game), game.seats, ["A", "B"]) == "all"
    assert won_by(teams_of(game), game.seats, []) == "nobody"


def test_winners_in_words_are_teams(play: Play) -> None:
    game = take(play(TEAMS, "A B C"), "win(north)")
    assert standings(game) == [
        "team   seats",
        "north  A, C   won",
        "south  B      lost",
        "",
        "seat  points",
        "A          2",
        "C          2",
        "B          1",
    ]
    assert won_by(teams_of(game), game.seats, ["A", "C"]) == "north (A, C)"


def test_simulations_count_a_team_once(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", TEAMS)
    plan = GamePlan.of("small", ruleset, [2, 4], seed=3)
    totals = Totals(plan.called, plan.teams)
    for number in range(40):
        totals.add(Outcome.of(plan.play(ruleset, number)))
    data = totals.to_json()
    assert list(data["teams"]) == ["north", "south"]
    assert data["seats"]["A"]["wins"] == data["teams"]["north"]["wins"] > data["seats"]["C"]["wins"]
    lost = data["endings"].get("draw", 0)
    assert data["teams"]["north"]["wins"] + data["teams"]["south"]["wins"] == 40 - lost


def test_the_report_of_a_simulation_has_a_line_for_each_team(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "small", split(TEAMS, "rules/play.rules"))
    assert run(["simulate", str(folder), "--players", "4", "--games", "8"]) == 0
    said = capsys.readouterr().out
    assert [line.split()[0] for line in said.split("\n\n")[2].splitlines()] == ["team", "north", "south"]
    assert "seat  games  mean score" in said
    assert run(["simulate", str(folder), "--players", "4", "--games", "8", "--format", "json"]) == 0
    Draft202012Validator(load_schema("simulate")).validate(json.loads(capsys.readouterr().out))
