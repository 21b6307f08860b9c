"""`rulespec match`: a ladder of bots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import small
from click.testing import CliRunner
from msgspec.structs import replace

from rulespec.cli.main import cli
from rulespec.engine.bots.match import MatchStanding, between, match
from rulespec.engine.bots.sides import PlanSide
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.load import load_ruleset


def run(*args: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["match", *map(str, args)])
    return result.exit_code, result.output


def test_a_wrong_bot_is_named() -> None:
    result = CliRunner().invoke(cli, ["match", "random", "rndom", "nim"])
    assert (result.exit_code, "for BOT: there is no bot `rndom`" in result.output) == (2, True)


@pytest.mark.proof
def test_a_ladder_says_who_is_stronger() -> None:
    code, text = run("flat:16", "random", "random", "connect_four", "--games", 60, "--seed", 1)
    assert code == 0
    first, second = text.split("\n")[3:5]
    assert first.startswith("flat:16 against random") and first.endswith("stronger")
    assert second.startswith("random against random      60") and "  undecided: " in second
    assert run("flat:16", "random", "random", "connect_four", "--games", 60, "--seed", 1)[1] == text


def test_few_games_have_bounds_and_say_how_many_are_needed() -> None:
    text = run("greedy", "random", "nim", "--games", 7, "--seed", 1)[1]
    assert re.search(r" 7 +57.1 % +[0-9.]+ % to [0-9.]+ % +50.0 % .* undecided: about [0-9]+ games", text)


def test_a_match_ends_where_each_seat_has_been_played_as_often() -> None:
    """The first mover wins each game, which is no strength of a bot; after a row of wins a round is played out."""
    assert [each.verdict for each in standings("A" * 60)][-1] == "undecided"
    decided = [each.games for each in standings("BA" + "AB" * 29) if each.verdict == "stronger"]
    assert len(decided) == 2 and decided[-1] % 2 == 0 and decided[-1] < 60


COIN = """
--- game.yaml
id: coin
title: Coin
version: "1.0"
players: {kind: player, min: 2, max: 3}
start: play
--- kinds.yaml
kinds: {player: {}}
--- rules/play.rules
procedure play():
    for p in player:
        decide call by p:
            option heads:
                pass
            option tails:
                pass
    roll toss(q in player)
    end game as tossed won by {q}
"""


@pytest.mark.parametrize("players", [2, 3])
def test_a_bot_gains_nothing_where_a_coin_decides(players: int, tmp_path: Path) -> None:
    """All games are played, after a verdict as well; the gain is 0 within its bounds, of whatever number of seats."""
    small(tmp_path / "coin", COIN)
    text = run("flat:8", "random", tmp_path / "coin", "--players", players, "--games", 60, "--all-games")[1]
    gain = re.search(r" 60 .* % +[+-][0-9]+ % \(([+-][0-9]+) to ([+-][0-9]+)\) +undecided", text)
    assert gain is not None and int(gain[1]) < 0 < int(gain[2])


def test_all_games_are_played_after_a_verdict() -> None:
    assert len(list(standings("AB" * 30, whole=True))) == 60 > len(list(standings("AB" * 30)))


@pytest.mark.parametrize("even, won, gain", [(0.5, 40, 1.0), (0.5, 20, 0.0), (0.25, 25, 0.5), (0.25, 0, -1 / 3)])
def test_a_gain_is_a_part_of_what_there_is_to_gain(even: float, won: float, gain: float) -> None:
    result = MatchStanding("a", "b", even, 40, won).gain
    assert result is not None and result.value == pytest.approx(gain) and result.low <= gain <= result.high


@pytest.mark.proof
def test_the_stronger_bot_gains_less_where_there_is_more_luck() -> None:
    """Nim and Connect Four above backgammon above ludo, 200 games of each; the bounds of both ends are disjoint."""
    gains = {}
    for ref in ("nim", "connect_four", "backgammon", "ludo"):
        text = run("mcts:200", "flat:8", ref, "--players", 2, "--games", 200, "--all-games", "--jobs", 2)[1]
        gain = re.search(r"([+-][0-9]+) % \(([+-][0-9]+) to ([+-][0-9]+)\)", text)
        assert gain is not None
        gains[ref] = [int(each) for each in gain.groups()]
    assert min(gains["nim"][0], gains["connect_four"][0]) > gains["backgammon"][0] > gains["ludo"][0]
    assert min(gains["nim"][1], gains["connect_four"][1]) > gains["ludo"][2]


def standings(winners: str, *, whole: bool = False) -> Iterator[MatchStanding]:
    """The standings of a match with these winners; the first bot has A and B in turn."""
    ruleset = load_ruleset("nim")
    side = PlanSide(between(GamePlan.of("nim", ruleset, [2], 0), "one", "other"), ruleset)
    side.known = {number: Outcome(number, 2, 1, "end", (won,), {}, None) for number, won in enumerate(winners)}
    return (replace(each) for each in match(side, len(winners), whole=whole))


@pytest.mark.parametrize(
    "games, won, says",
    [
        (1, 1, "undecided: about 16 games"),
        (10, 0, "undecided: about 16 games"),
        (40, 0, "weaker"),
        (40, 40, "stronger"),
        (60, 30, "undecided: no realistic number of games"),
        (100, 60, "undecided: about 230 games"),
    ],
)
def test_a_standing_says_what_would_decide_it(games: int, won: float, says: str) -> None:
    standing = MatchStanding("a", "b", 0.5, games, won)
    assert standing.says == says
    if "about" in says:
        needed = standing.needed or 0
        shares = [MatchStanding("a", "b", 0.5, number, won * number / games) for number in (needed - 1, needed)]
        assert [each.verdict for each in shares] == ["undecided", "stronger" if won else "weaker"]


def test_one_bot_is_no_match() -> None:
    assert run("random", "nim")[0] == 2 and "two bots" in run("random", "nim", "--players", 2)[1]
    code, text = run("greedy", "random", "tetrarchia", "--players", 2)
    assert code == 2 and "win together" in text
    code, text = run("random", "deep_blue", "nim", "--players", 2)
    assert code == 2 and "there is no bot `deep_blue`" in text


def test_processes_play_the_same_match_and_it_goes_on_from_its_records(tmp_path: Path) -> None:
    args = ("flat:8", "random", "nim", "--players", 2, "--games", 20)
    alone = run(*args)[1]
    assert run(*args, "--jobs", 2)[1] == alone
    assert run(*args[:-1], 7, "--out", tmp_path / "games")[0] == 0
    code, text = run(*args, "--out", tmp_path / "games")
    assert (code, text) == (0, alone)
    assert run(*args, "--out", tmp_path / "games", "--seed", 5)[0] == 1
