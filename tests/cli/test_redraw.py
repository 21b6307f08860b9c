"""`play`: what is drawn at a decision is the same after it has been taken back, or with `--redraw` another."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from rulespec.cli.main import cli

pytestmark = pytest.mark.usefixtures("known_rulesets")


def drawn(log: Path, ref: str, players: int, first: str, again: str, times: int, *flags: str) -> list[list[str]]:
    """The decisions of chance and bots after a person's first decision, for each time that it is taken again.

    Args:
        log: where the game is saved.
        ref: a ruleset.
        players: the number of seats; one is a person.
        first: the decision that is taken first.
        again: the one that is taken each time afterwards.
        times: how often.
        flags: further ones.
    """
    lines = [first, *["u", again] * times, "q"]
    args = [
        "play",
        ref,
        "--players",
        str(players),
        "--bots",
        str(players - 1),
        "--seed",
        "5",
        "--log",
        str(log),
        *flags,
    ]
    result = CliRunner().invoke(cli, args, input="".join(f"{line}\n" for line in lines))
    assert result.exit_code == 0, result.output
    results: list[list[str]] = [[]]
    for line in map(json.loads, log.read_text("utf-8").splitlines()[1:]):
        if "undo" in line:
            results.append([])
        elif "decision" in line and line["by"] != "A":
            results[-1].append(line["option"])
    assert len(results) == times + 1
    results[0] = results[0][1:]  # what came before the first decision
    return results


@pytest.mark.sampled(3)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("again", ["bid(0)", "bid(3)"])
def test_the_same_is_drawn_after_a_taking_back(players: int, again: str, tmp_path: Path) -> None:
    first, *others = drawn(tmp_path / "log", "wager", players, "bid(0)", again, 8)
    assert {str(each[: players - 1]) for each in others} == {str(first[: players - 1])}  # the bids of the bots
    assert len({str(each) for each in others}) == 1
    assert any("roll" in option for option in others[0])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_something_else_is_drawn_with_redraw(players: int, tmp_path: Path) -> None:
    result = drawn(tmp_path / "log", "wager", players, "bid(0)", "bid(0)", 8, "--redraw")
    assert len({str(each) for each in result}) > 2
    again = drawn(tmp_path / "again", "wager", players, "bid(0)", "bid(0)", 8, "--redraw")
    assert result == again  # by the same seed


def test_a_table_of_bots_is_game_0_of_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for options out of turn, which only people take here."""
    from rulespec.engine.game.game import Game
    from rulespec.engine.logs.native import read_log
    from rulespec.engine.simulate.checked_playouts import choose, play_out
    from rulespec.load import load_ruleset

    log = tmp_path / "log"
    args = ["play", "wager", "--players", "3", "--bots", "3", "--seed", "8", "--log", str(log)]
    assert CliRunner().invoke(cli, args).exit_code == 0
    played = [entry.option for entry in read_log(log).entries]
    whole = play_out(Game(load_ruleset("wager"), ["A", "B", "C"]), 8, 0, decide=partial(choose, interrupt_rate=0)).game
    assert played == [str(option) for option in whole.history]
