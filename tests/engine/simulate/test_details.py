"""Details of games: roles, used options, measures over time; columns of rows and of Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from cases import small
from commands import invoke
from jsonschema import Draft202012Validator
from msgspec import Struct

from rulespec.engine.bots.bot_games import BotGames
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.details import POINTS, Described, Details, OptionUse, UsedMoves, details_of, parted
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.game_totals import Totals
from rulespec.engine.simulate.open_results import open_results
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed

RULES = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {state: {fish: {type: int}}}
  boat: {state: {skipper: {type: "player?"}}, entities: {red: {}, blue: {}}}
--- measures.yaml
measures: {catch: {of: player, value: player.fish}}
--- rules/play.rules
procedure play():
    chance deal:
        option draw(p in player):
            set red.skipper to p
    repeat at most 30:
        for p in player:
            decide trip by p:
                option sail(b in boat):
                    set p.fish to p.fish + 1 if b == red else p.fish
                option rest:
                    pass
    end game as done
"""


@pytest.fixture
def rules(tmp_path: Path) -> typed.Ruleset:
    return small(tmp_path / "small", RULES)


@pytest.fixture
def plan(rules: typed.Ruleset) -> GamePlan:
    return replace(GamePlan.of(str(rules.folders[0]), rules, [2], 1), details=True)


def test_roles_uses_and_measures_are_those_of_the_game(plan: GamePlan, rules: typed.Ruleset) -> None:
    held = set()
    for number in range(6):
        playout, outcome = plan.play(rules, number), plan.outcome(rules, number)
        details = outcome.details
        assert details is not None and replace(outcome, details=None) == Outcome.of(playout)
        first, *moves = playout.game.history
        assert details.roles == {"red": str(first).removeprefix("draw(").removesuffix(")")}
        held |= set(details.roles.values())
        sailed = [at for at, move in enumerate(moves, 1) if str(move) == "sail(red)" and move.by == "A"]
        assert OptionUse("trip.sail(red)", "A", len(sailed), sailed[0]) in details.uses
        assert sum(use.times for use in details.uses if "(" not in use.option) == 60
        assert {p.decision for p in details.course} >= {1, 61} and len({p.decision for p in details.course}) <= POINTS
        assert details.end(61) == {("catch", "A"): len(sailed), ("catch", "B"): details.end(61)["catch", "B"]}
    assert held == {"A", "B"}


def test_equal_games_have_equal_moves(plan: GamePlan, rules: typed.Ruleset) -> None:
    moves = [d.moves for n in (0, 1, 0) if (d := plan.outcome(rules, n).details) is not None]
    assert moves[0] == moves[2] != moves[1]


def test_a_trail_says_who_took_which_option_at_each_decision(plan: GamePlan, rules: typed.Ruleset) -> None:
    playout, outcome = plan.play(rules, 1), plan.outcome(rules, 1)
    details = outcome.details
    assert details is not None and len(details.trail) == 4 * outcome.decisions
    moves = [(f"{move.decision}.{move.name}", move.by) if move.by else None for move in playout.game.history]
    assert [details.taken(ply) for ply in range(outcome.decisions)] == moves
    assert details.taken(outcome.decisions) is None


def test_games_part_at_their_first_other_decision(plan: GamePlan, rules: typed.Ruleset) -> None:
    """Whatever options they use later, which changes the places of all of them."""
    moves = [Taken("trip", "sail", "A"), Taken("trip", "rest", "B"), Taken("trip", "jump", "A")]
    whole, short, other = (trailed(moves[at] for at in order) for order in ((0, 1, 0), (0, 1), (0, 1, 2)))
    assert parted(whole, whole) is None
    assert parted(whole, short) == parted(short, whole) == 2
    assert parted(whole, other) == 2 and other.taken(2) == ("trip.jump", "A")
    games = [details for n in (0, 1) if (details := plan.outcome(rules, n).details) is not None]
    assert parted(*games) is not None


class Taken(Struct):
    decision: str
    name: str
    by: str


def trailed(options: Iterable[Taken]) -> Details:
    moves = UsedMoves()
    for ply, each in enumerate(options):
        name = f"{each.decision}.{each.name}"
        moves.add(ply, Described(f"{name} {each.by}".encode(), (name,), each.by))
    return details_of(moves, {}, {})


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_rows_with_details_are_read_as_they_were_written(
    name: str, plan: GamePlan, rules: typed.Ruleset, tmp_path: Path
) -> None:
    outcomes = [plan.outcome(rules, number) for number in range(3)]
    with open_results(tmp_path / name, plan) as results:
        assert list(results.recorded()) == []
        for outcome in outcomes:
            results.add(outcome)
    with open_results(tmp_path / name, plan) as results:
        assert list(results.recorded()) == outcomes
    with (
        open_results(tmp_path / name, replace(plan, details=False)) as results,
        pytest.raises(SaveError, match="details"),
    ):
        list(results.recorded())


def test_the_command_writes_them(tmp_path: Path, rules: typed.Ruleset) -> None:
    games = ("simulate", rules.folders[0], "--players", 2, "--games", 2, "--details")
    code, text, _ = invoke(*games, "--format", "json")
    assert code == 0
    result = json.loads(text)
    Draft202012Validator(load_schema("simulate")).validate(result)
    assert [list(row["roles"]) for row in result["playouts"]] == [["red"], ["red"]]
    assert invoke(*games, "--backend", "wasm")[0] == 2


def test_rotated_bots_sit_one_seat_further_in_each_game(plan: GamePlan, rules: typed.Ruleset) -> None:
    one, other = (
        BotGames(replace(plan, bots=bots, rotated=True), rules) for bots in (("flat:1", "random"), ("random", "flat:1"))
    )
    assert one.outcome(0) != one.outcome(1) and one.outcome(1) == BotGames(
        replace(plan, bots=("random", "flat:1")), rules
    ).outcome(1)
    assert other.outcome(1) == BotGames(replace(plan, bots=("flat:1", "random")), rules).outcome(1)


def test_wins_are_counted_by_the_role_that_a_seat_had_at_the_beginning() -> None:
    """A win that two share is half a win for each; an equal share is one by the number of seats."""
    totals = Totals()
    for number, (holder, winners) in enumerate([("A", ("A",)), ("B", ("A",)), ("A", ("A", "B"))]):
        roles = {"north": holder, "south": "B" if holder == "A" else "A"}
        details = Details("", roles, (), "", None, ())
        totals.add(Outcome(number, 2, 9, "over", winners, {}, None, details))
    data = totals.to_json()["roles"]
    assert {role: (v["games"], v["wins"], v["equal"]) for role, v in data.items()} == {
        "north": (3, 1.5, 0.5),
        "south": (3, 1.5, 0.5),
    }
    assert "roles" not in Totals().to_json()


CROWN = """
--- game.yaml
id: crown
title: Crown
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  crown: {state: {head: {type: "player?"}}, entities: {gold: {}, tin: {}}}
--- rules/play.rules
procedure play():
    chance deal:
        option draw(p in player):
            set gold.head to p
            for q in player where q != p:
                set tin.head to q
    for p in player:
        decide turn by p:
            option bow():
                pass
    end game as over won by {p in player where gold.head == p}
"""


def test_a_role_that_wins_far_from_an_equal_share_is_named(tmp_path: Path) -> None:
    small(tmp_path / "crown", CROWN)
    _, said, _ = invoke("simulate", str(tmp_path / "crown"), "--games", "20", "--details")
    lines = [" ".join(line.split()) for line in said.splitlines()]
    at = next(i for i, line in enumerate(lines) if line.startswith("role games won"))
    assert [line[:14] for line in lines[at + 1 : at + 3]] == ["gold 20 100.0 ", "tin 20 0.0 % 0"]
    assert lines[at + 3 : at + 5] == [
        "gold wins often: an equal share would be 50.0 %",
        "tin seldom wins: an equal share would be 50.0 %",
    ]
    assert "role" not in invoke("simulate", str(tmp_path / "crown"), "--games", "2")[1]
